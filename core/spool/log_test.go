package spool_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"termbay/core"
	"termbay/core/spool"
)

func onDisk(t testing.TB, l *spool.Log) string {
	t.Helper()
	b, err := os.ReadFile(l.State().Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// readAll is what is kept of the output, and where each piece of it begins.
func readAll(t testing.TB, l *spool.Log) (text string, from []int64) {
	t.Helper()
	var b strings.Builder
	end := l.State().Bytes
	for at := int64(0); at < end; {
		p := make([]byte, 1+rand.IntN(100_000))
		n, found, err := l.ReadAt(p, at)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		if found != at || at == 0 {
			from = append(from, found)
		}
		b.Write(p[:n])
		at = found + int64(n)
	}
	return b.String(), from
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a log\n", i)
	}
	return b.String()
}

func TestALogHoldsEveryByte(t *testing.T) {
	s, dir := open(t)
	l := s.Log("b1", 0)
	text := numbered(10_000)
	for p := []byte(text); len(p) > 0; {
		n := min(len(p), 1+rand.IntN(9000))
		if took, err := l.Write(p[:n]); took != n || err != nil {
			t.Fatal(took, err)
		}
		p = p[n:]
	}
	if got := l.State(); got != (core.Log{Path: filepath.Join(dir, "b1.log"), Bytes: int64(len(text))}) {
		t.Errorf("state %+v", got)
	}
	for range 2 { // open, and closed
		if got, from := readAll(t, l); got != text || !slices.Equal(from, []int64{0}) || onDisk(t, l) != text {
			t.Errorf("read %d of %d bytes", len(got), len(text))
		}
		if n, at, err := l.ReadAt(make([]byte, 5), int64(len(text))+7); n != 0 || at != int64(len(text)) || err != nil {
			t.Errorf("beyond the end: %d bytes at %d, %v", n, at, err)
		}
		l.Close()
	}
	if info, _ := os.Stat(l.State().Path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestAtItsCapALogKeepsItsBeginningAndItsEnd(t *testing.T) {
	for _, line := range []string{"line %08d of a log\n", "日本%08d日本", "%08d"} { // with line feeds, and without
		s, _ := open(t)
		const limit = 256 << 10
		l := s.Log("b1", limit)
		var all strings.Builder
		for i := 0; all.Len() < 4<<20; i++ {
			piece := strings.Repeat(fmt.Sprintf(line, i), 1+i%100)
			all.WriteString(piece)
			_, _ = l.Write([]byte(piece))
			if info, err := os.Stat(l.State().Path); err != nil || info.Size() > limit {
				t.Fatalf("%v, %v", info, err)
			}
		}
		text, state := all.String(), l.State()
		disk := onDisk(t, l)
		head, rest, marked := strings.Cut(disk, "[termbay: ")
		line, tail, _ := strings.Cut(rest, "]\n")
		kept := strings.TrimSuffix(head, "\n")
		if !marked || !strings.HasPrefix(text, kept) || !strings.HasSuffix(text, tail) || !strings.HasSuffix(line, "MB of output omitted here") {
			t.Errorf("%.60q … %q … %.60q", head, line, tail)
		}
		if len(kept) < limit/4-4<<10 || len(tail) < limit*3/8-4<<10 || !utf8.ValidString(head) || !utf8.ValidString(tail) {
			t.Errorf("head %d, tail %d bytes", len(kept), len(tail))
		}
		if !state.Truncated || state.Bytes != int64(len(text)) || state.Error != "" || state.Dropped != state.Bytes-int64(len(readKept(t, l))) {
			t.Errorf("state %+v", state)
		}
		if _, from := readAll(t, l); len(from) != 2 || text[from[1]:] != tail {
			t.Errorf("offsets %v", from)
		}
	}
}

func readKept(t testing.TB, l *spool.Log) string { text, _ := readAll(t, l); return text }

// TestByteNOfTheOutputStaysAtOffsetN is the law of offsets, whatever caps and people do to the file.
func TestByteNOfTheOutputStaysAtOffsetN(t *testing.T) {
	logs := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s, err := spool.Open(filepath.Join(logs, "logs"), fmt.Sprint("i", n))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		l := s.Log("b1", rapid.SampledFrom([]int64{0, 8 << 10, 64 << 10}).Draw(rt, "limit"))
		var all []byte
		harmed := false
		rt.Repeat(map[string]func(*rapid.T){
			"write": func(rt *rapid.T) {
				p := bytes.Repeat([]byte{'a' + byte(len(all)%26)}, rapid.IntRange(1, 20_000).Draw(rt, "bytes"))
				if rapid.Bool().Draw(rt, "line") {
					p[len(p)-1] = '\n'
				}
				all = append(all, p...)
				_, _ = l.Write(p)
			},
			"note": func(*rapid.T) {
				l.Note("a note")
				all = append(all, "[termbay: a note]\n"...)
			},
			"cut": func(rt *rapid.T) {
				if info, err := os.Stat(l.State().Path); err == nil {
					harmed = true
					_ = os.Truncate(l.State().Path, rapid.Int64Range(0, info.Size()).Draw(rt, "size"))
				}
			},
			"delete": func(*rapid.T) {
				harmed = true
				_ = os.Remove(l.State().Path)
			},
			"": func(rt *rapid.T) {
				state := l.State()
				if state.Bytes != int64(len(all)) || state.Dropped < 0 || state.Dropped > state.Bytes {
					rt.Fatalf("%d bytes: %+v", len(all), state)
				}
				kept := int64(0)
				for at := int64(0); ; {
					p := make([]byte, rapid.IntRange(1, 30_000).Draw(rt, "read"))
					n, found, err := l.ReadAt(p, at)
					if err != nil {
						rt.Fatal(err)
					}
					if n == 0 {
						break
					}
					if found < at || !bytes.Equal(p[:n], all[found:found+int64(n)]) {
						rt.Fatalf("%d bytes at %d, asked at %d: not what was written there", n, found, at)
					}
					kept, at = kept+int64(n), found+int64(n)
				}
				if !harmed && kept != state.Bytes-state.Dropped {
					rt.Fatalf("%d bytes can be read, %+v", kept, state)
				}
			},
		})
	})
}

func TestAReaderIsNotDisturbedByTheCap(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 64<<10)
	const lines = 50_000
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for at := int64(0); ; {
				changed := l.Changed()
				p := make([]byte, 7000)
				n, found, err := l.ReadAt(p, at)
				if err != nil {
					t.Error(err)
					return
				}
				for i, b := range p[:n] {
					if want := "0123456789abcde\n"[(found+int64(i))%16]; b != want {
						t.Errorf("at %d: %q, want %q", found+int64(i), b, want)
						return
					}
				}
				if at = found + int64(n); n > 0 {
					continue
				}
				select {
				case <-changed:
				case <-done:
					if at == lines*16 {
						return
					}
				}
			}
		})
	}
	for range lines {
		_, _ = l.Write([]byte("0123456789abcde\n"))
	}
	close(done)
	readers.Wait()
}

func TestTheTailBeginsOnABorder(t *testing.T) {
	s, _ := open(t)
	for i, c := range []struct {
		text  string
		lines int
		bytes int
		want  string
		cut   bool
	}{
		{"", 5, 100, "", false},
		{"a\nb\nc\n", 2, 100, "b\nc\n", true},
		{"a\nb\nc", 2, 100, "b\nc", true},
		{"a\nb\n", 2, 100, "a\nb\n", false},
		{"a\n\n\n", 2, 100, "\n\n", true},
		{strings.Repeat("x", 50) + "\nshort\nend\n", 80, 20, "short\nend\n", true},
		{strings.Repeat("x", 50) + "\n", 80, 20, strings.Repeat("x", 19) + "\n", true},
		{strings.Repeat("日", 50), 80, 20, strings.Repeat("日", 6), true},
		{strings.Repeat("日", 4), 80, 12, strings.Repeat("日", 4), false},
	} {
		l := s.Log(fmt.Sprint("b", i), 0)
		_, _ = l.Write([]byte(c.text))
		if text, cut, err := l.Tail(c.lines, c.bytes); string(text) != c.want || cut != c.cut || err != nil {
			t.Errorf("%d lines, %d bytes of %.30q: %q, cut %v, %v; want %q, %v", c.lines, c.bytes, c.text, text, cut, err, c.want, c.cut)
		}
	}
}

func TestARemovedLogLeavesNothingAndTakesNothing(t *testing.T) {
	s, dir := open(t)
	l := s.Log("b1", 0)
	_, _ = l.Write([]byte("x"))
	l.Remove()
	if n, err := l.Write([]byte("y")); n != 1 || err != nil {
		t.Error(n, err)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	if state := l.State(); state.Bytes != 2 || state.Dropped != 2 {
		t.Errorf("state %+v", state)
	}
	if _, err := l.Open(); err == nil {
		t.Error("it can be opened")
	}
}

func TestAFullOutputMayBeWrittenPieceByPiece(t *testing.T) {
	s, dir := open(t)
	l := s.OutputLog("c3", 1, 0)
	_, _ = l.Write([]byte("one "))
	_, _ = l.Write([]byte("two"))
	l.Close()
	if l.State().Path != filepath.Join(dir, "c3-output-1.log") {
		t.Errorf("path %s", l.State().Path)
	}
	f, err := s.OpenOutput("c3", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, _ := io.ReadAll(f); string(b) != "one two" {
		t.Errorf("%q", b)
	}
}

func TestALogThatWasDeletedBeginsAnew(t *testing.T) { // O-G2
	s, _ := open(t)
	l := s.Log("b1", 0)
	_, _ = l.Write([]byte("before\n"))
	if err := os.Remove(l.State().Path); err != nil {
		t.Fatal(err)
	}
	_, _ = l.Write([]byte("after\n"))
	if got, want := onDisk(t, l), "[termbay: the file was deleted: 7B of output in front of this are gone]\nafter\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if state := l.State(); state.Bytes != 13 || state.Dropped != 7 || state.Error != "the file was deleted; 7 bytes are missing" {
		t.Errorf("state %+v", state)
	}
	if text, from := readAll(t, l); text != "after\n" || !slices.Equal(from, []int64{7}) {
		t.Errorf("%q at %v", text, from)
	}
}

func TestALogThatWasCutHasNoHole(t *testing.T) { // O-G2
	s, _ := open(t)
	l := s.Log("b1", 0)
	_, _ = l.Write([]byte("before\n"))
	if err := os.Truncate(l.State().Path, 2); err != nil {
		t.Fatal(err)
	}
	_, _ = l.Write([]byte("after\n"))
	if got, want := onDisk(t, l), "be\n[termbay: the file was cut: 5B of output in front of this are gone]\nafter\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if text, from := readAll(t, l); text != "beafter\n" || !slices.Equal(from, []int64{0, 7}) {
		t.Errorf("%q at %v", text, from)
	}
}

func TestALogIsNotReadThroughWhatWasPlanted(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 0)
	_, _ = l.Write([]byte("mine"))
	l.Close()
	path := l.State().Path
	secret := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Remove(path), os.Symlink(secret, path)); err != nil {
		t.Fatal(err)
	}
	var problem *core.Error
	if n, _, err := l.ReadAt(make([]byte, 10), 0); n > 0 || !errors.As(err, &problem) || problem.Code != core.NotFound {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := l.Open(); !errors.As(err, &problem) {
		t.Errorf("%v", err)
	}
}

func BenchmarkLog(b *testing.B) {
	for _, size := range []int{32 << 10, 256 << 10} {
		p := bytes.Repeat([]byte("x"), size)
		for name, make := range map[string]func(b *testing.B) io.Writer{
			"log": func(b *testing.B) io.Writer {
				s, err := spool.Open(filepath.Join(b.TempDir(), "l"), "i")
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { s.Close() })
				return s.Log("b1", 0)
			},
			"bare": func(b *testing.B) io.Writer {
				f, err := os.CreateTemp(b.TempDir(), "")
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { f.Close() })
				return f
			},
		} {
			b.Run(fmt.Sprintf("%s/%dK", name, size>>10), func(b *testing.B) {
				w := make(b)
				b.SetBytes(int64(size))
				for n := 0; b.Loop(); n++ {
					_, _ = w.Write(p)
					if n == 4096 { // the disk is not without end
						b.StopTimer()
						w, n = make(b), 0
						b.StartTimer()
					}
				}
			})
		}
	}
}
