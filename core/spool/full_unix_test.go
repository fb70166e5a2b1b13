//go:build unix

package spool_test

import (
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// fileLimit makes the disk refuse files that are larger, until lift.
func fileLimit(t *testing.T, bytes uint64) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	now := before
	now.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	lift = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	}
	return lift
}

func TestADiskThatIsFullCostsCountedBytesOnly(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 0)
	lift := fileLimit(t, 1000)
	text := strings.Repeat("0123456789\n", 200) // 2200 bytes
	for p := text; p != ""; p = p[110:] {
		_, _ = l.Write([]byte(p[:110]))
	}
	state := l.State()
	lift()
	if state.Bytes != 2200 || state.Dropped != 1200 || state.Error != "file too large; 1200 bytes are missing" {
		t.Errorf("state %+v", state)
	}
	_, _ = l.Write([]byte("room again\n"))
	if got, want := onDisk(t, l), text[:1000]+"\n[termbay: 1.2KB of output lost here]\nroom again\n"; got != want {
		t.Errorf("%q, want %q", got[900:], want[900:])
	}
	if text, from := readAll(t, l); !strings.HasSuffix(text, "room again\n") || from[len(from)-1] != 2200 {
		t.Errorf("%q at %v", text[900:], from)
	}
}

func TestACapThatTheDiskHasNoRoomForCostsWhatComesThen(t *testing.T) {
	s, _ := open(t)
	l := s.Log("b1", 64<<10)
	line := strings.Repeat("x", 99) + "\n"
	for range 652 { // the next one reaches the cap
		_, _ = l.Write([]byte(line))
	}
	lift := fileLimit(t, 20<<10) // a new file finds no room
	for range 100 {
		_, _ = l.Write([]byte(line))
	}
	lift()
	if state := l.State(); state.Dropped != 10_000 || state.Truncated || state.Error != "file too large; 10000 bytes are missing" {
		t.Errorf("%+v", state)
	}
	for !l.State().Truncated { // room is looked for once in a while
		_, _ = l.Write([]byte("end\n"))
	}
	if got := onDisk(t, l); !strings.HasPrefix(got, line) || !strings.HasSuffix(got, " of output lost here]\nend\n") {
		t.Errorf("%d bytes", len(got))
	}
}
