//go:build unix

package spool_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"termbay/core/spool"
)

// What people, and the machine, do to logs.

func TestARemovedEntryGetsNoNewFile(t *testing.T) {
	s, dir := open(t)
	l := s.Log("t1", 0)
	_, _ = l.Write([]byte("x\n"))
	s.Remove("t1")
	_, _ = l.Write([]byte("late\n"))
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("left: %v, %+v", got, l.State())
	}
}

func TestAClosedSpoolHoldsNoDescriptor(t *testing.T) {
	count := func() int {
		fds, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	before := count()
	for i := range 10 {
		s, err := spool.Open(t.TempDir()+"/logs", fmt.Sprint("i", i))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.Log("b1", 0).Write([]byte("x"))
		s.Close()
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors more", after-before)
	}
}

func TestADeletedLogIsReadAsLongAsItIsHeld(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 0)
	_, _ = l.Write([]byte("x\n"))
	if err := os.Remove(l.State().Path); err != nil {
		t.Fatal(err)
	}
	f, err := l.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, _ := io.ReadAll(f); string(b) != "x\n" {
		t.Errorf("%q", b)
	}
}

func TestWhatOthersAppendMovesNoOffset(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 0)
	_, _ = l.Write([]byte("aaaa\n"))
	f, err := os.OpenFile(l.State().Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "theirs\n")
	f.Close()
	_, _ = l.Write([]byte("bbbb\n"))
	p := make([]byte, 5)
	if n, at, err := l.ReadAt(p, 5); n != 5 || at != 5 || string(p) != "bbbb\n" || err != nil {
		t.Errorf("%q at %d, %v", p[:n], at, err)
	}
}

func TestHarmAfterTheLastWriteIsCounted(t *testing.T) {
	s, _ := open(t)
	for i, harm := range []func(string) error{os.Remove, func(p string) error { return os.Truncate(p, 0) }} {
		l := s.Log(fmt.Sprint("b", i), 0)
		_, _ = l.Write([]byte("hello\n"))
		if err := harm(l.State().Path); err != nil {
			t.Fatal(err)
		}
		l.Close()
		if state := l.State(); state.Dropped != 6 || state.Error == "" {
			t.Errorf("%d: %+v", i, state)
		}
	}
}

func TestALossAtTheEndHasItsLine(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 0)
	lift := fileLimit(t, 100)
	_, _ = l.Write(bytes.Repeat([]byte("x"), 300))
	lift()
	l.Close()
	if got := onDisk(t, l); !strings.HasSuffix(got, "x\n[termbay: 200B of output lost here]\n") {
		t.Errorf("%q", got)
	}
}

func TestAFileThatCouldNotBeMadeIsTriedAgain(t *testing.T) {
	s, _ := open(t)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	none := before
	none.Cur = 3
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	l := s.Log("b1", 0)
	failed := l.State().Error
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	_, _ = l.Write([]byte("later\n"))
	if state := l.State(); !strings.HasPrefix(failed, "the file could not be made") || state.Dropped != 0 || onDisk(t, l) != "later\n" {
		t.Errorf("first %q, then %+v", failed, state)
	}
}

func TestTheCapReplacesNothingThatIsNotOurs(t *testing.T) { // O-G3
	s, _ := open(t)
	l := s.Log("b1", 16<<10)
	_, _ = l.Write([]byte("x\n"))
	path := l.State().Path
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for !l.State().Truncated {
		_, _ = l.Write(bytes.Repeat([]byte("y"), 100))
	}
	if b, _ := os.ReadFile(path); string(b) != "precious" {
		t.Errorf("replaced: %d bytes", len(b))
	}
	if now := l.State().Path; now == path || onDisk(t, l) == "" {
		t.Errorf("the log is at %s", now)
	}
}

func TestAGapCostsTheCapNothing(t *testing.T) {
	s, _ := open(t)
	const limit = 64 << 10
	l := s.Log("b1", limit)
	line := []byte(strings.Repeat("y", 99) + "\n")
	for range 640 {
		_, _ = l.Write(line)
	}
	if err := os.Truncate(l.State().Path, 64_000-10); err != nil { // shortly before it is full
		t.Fatal(err)
	}
	for !l.State().Truncated {
		_, _ = l.Write(line)
	}
	if state := l.State(); state.Bytes-state.Dropped < limit/2 {
		t.Errorf("%+v", state)
	}
}

func TestALogIsOpenedAsAWholeWhileItIsWrittenAnew(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 16<<10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 4000 {
			_, _ = l.Write(bytes.Repeat([]byte("0123456789abcde\n"), 64))
		}
	}()
	for opens := 0; ; opens++ {
		select {
		case <-done:
			return
		default:
		}
		f, err := l.Open()
		if err != nil {
			t.Fatalf("open %d: %v", opens, err)
		}
		b, err := io.ReadAll(f)
		if err != nil || len(b) > 0 && b[len(b)-1] != '\n' {
			t.Errorf("open %d: %d bytes, %v", opens, len(b), err)
		}
		f.Close()
	}
}
