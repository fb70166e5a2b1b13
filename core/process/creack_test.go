//go:build linux

package process_test

import (
	"os"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// creack/pty v1.1.24 asks for the descriptor of the master (File.Fd) when it opens it and when it sets its size, which
// makes it blocking: then deadlines are ignored and Close does not end a Read. When this fails after an upgrade,
// openPTY may not need nonblocking, and setSize may be pty.Setsize.
func TestCreackPTYv1_1_24MakesMasterBlocking(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	if !blocking(t, master) {
		t.Error("the master is nonblocking")
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 2, Cols: 3}); err != nil {
		t.Fatal(err)
	}
	if !blocking(t, master) {
		t.Error("the master is nonblocking after its size was set")
	}
}

func blocking(t *testing.T, f *os.File) (is bool) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err != nil {
			t.Error(err)
		}
		is = flags&unix.O_NONBLOCK == 0
	}); err != nil {
		t.Fatal(err)
	}
	return is
}
