package job_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"termbay/core/job"
	"termbay/core/spool"
)

// noFile is for tapes that need none.
func noFile() *spool.Log { panic("a file was made") }

func TestAReaderGetsEveryByteInOrder(t *testing.T) {
	tape := job.NewTape(noFile)
	text := strings.Repeat("line of 日本 text ✳\n", 20_000)
	go func() {
		for p := []byte(text); len(p) > 0; {
			n := min(len(p), 1+rand.IntN(70_000))
			tape.Write(p[:n])
			p = p[n:]
		}
		tape.Close()
	}()
	var got strings.Builder
	for at := int64(0); ; {
		p, next, err := tape.Next(t.Context(), at)
		if err == io.EOF {
			break
		}
		if err != nil || next != at+int64(len(p)) || !utf8.Valid(p) || len(p) > 32<<10 {
			t.Fatalf("at %d: %d bytes, next %d, whole characters %v, error %v", at, len(p), next, utf8.Valid(p), err)
		}
		got.Write(p)
		at = next
	}
	if got.String() != text {
		t.Errorf("got %d bytes of %d", got.Len(), len(text))
	}
}

func TestHalfACharacterWaitsForTheRest(t *testing.T) {
	tape := job.NewTape(noFile)
	tape.Write([]byte("a\xe6\x9c"))
	p, next, err := tape.Next(t.Context(), 0)
	if string(p) != "a" || next != 1 || err != nil {
		t.Fatalf("got %q, next %d, %v", p, next, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if p, _, err := tape.Next(gone, 1); len(p) > 0 || !errors.Is(err, context.Canceled) {
		t.Fatalf("half a character: %q, %v", p, err)
	}
	tape.Write([]byte("\xac"))
	if p, _, _ = tape.Next(t.Context(), 1); string(p) != "本" {
		t.Errorf("got %q", p)
	}
	tape.Write([]byte("\xe6\x9c"))
	tape.Close() // the rest never comes
	if p, _, _ = tape.Next(t.Context(), 4); string(p) != "\xe6\x9c" {
		t.Errorf("got %q", p)
	}
}

func TestWhatTheMemoryDoesNotHoldIsInAFile(t *testing.T) {
	s := openSpool(t)
	files := 0
	tape := job.NewTape(func() *spool.Log { files++; return s.Log("c1-output-1", 0) })
	line := strings.Repeat("é", 499) + "\n" // its border falls into characters
	text := strings.Repeat(line, 25_000)    // 24 975 000 bytes
	for p := []byte(text); len(p) > 0; {
		n := min(len(p), 100_001)
		tape.Write(p[:n])
		p = p[n:]
		if kept, taken := tape.Kept(); kept > job.MemoryLimit || taken > job.MemoryLimit+256<<10 {
			t.Fatalf("the memory holds %d bytes in %d", kept, taken)
		}
	}
	tape.Close()
	if kept, _ := tape.Kept(); kept < job.MemoryLimit-3 {
		t.Errorf("the memory holds only %d bytes", kept)
	}
	if got := all(t, tape); got != text {
		t.Errorf("a slow reader got %d bytes of %d", len(got), len(text))
	}
	report := tape.Report(nil)
	if files != 1 || !report.Truncated || report.FullOutput == "" {
		t.Errorf("%d files, report %+.300v", files, report)
	}
	log := s.Log("b1", 0)
	tape.Move(log)
	got := contents(t, log)
	first, rest, _ := strings.Cut(got, "\n")
	if want := "[termbay: 7.8MB of earlier output omitted; it is in " + report.FullOutput + "]"; first != want {
		t.Errorf("the log begins with %q, want %q", first, want)
	}
	if kept := job.MemoryLimit - len(rest); !strings.HasSuffix(text, rest) || kept < 0 || kept > 3 || !utf8.ValidString(rest) {
		t.Errorf("then come %d bytes", len(rest))
	}
}

func TestOneLineOfOmissionOnly(t *testing.T) {
	s := openSpool(t)
	tape := job.NewTape(func() *spool.Log { return s.Log("c1-output-1", 0) })
	tape.Write([]byte(strings.Repeat("x", 20_000_000)))
	log := s.Log("b1", 0)
	tape.Move(log)
	tape.Close()
	got := contents(t, log)
	if lines := strings.Split(got, "\n"); len(lines) != 2 || len(lines[1]) != job.MemoryLimit || !strings.HasPrefix(lines[0], "[termbay: 3.1MB of earlier output omitted") {
		t.Errorf("%d lines, %.100q", len(lines), got)
	}
}
