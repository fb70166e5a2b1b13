//go:build unix

package process

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"termbay/core"
)

// Available says whether Terminals can be started on this platform.
func Available() bool { return true }

// openPTY opens a PTY of that size.
//
// creack/pty v1.1.24 leaves the master blocking, because it asks for its descriptor (File.Fd): then deadlines are
// ignored and Close does not end a Read (TestCreackPTYv1_1_24MakesMasterBlocking). A duplicate that is nonblocking before
// os.NewFile sees it is in the poller of the runtime. Nothing here calls Fd, nor pty.Setsize, which does.
func openPTY(v core.Viewport) (master, tty *os.File, err error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	master, err = nonblocking(blocking)
	if err == nil {
		if err = setSize(master, v); err == nil {
			return master, tty, nil
		}
		master.Close()
	}
	tty.Close()
	return nil, nil, err
}

// nonblocking duplicates a file into one that the poller of the runtime serves.
func nonblocking(f *os.File) (dup *os.File, err error) {
	failed := control(f, func(fd int) error {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return err
		}
		if err := unix.SetNonblock(n, true); err != nil {
			unix.Close(n)
			return err
		}
		dup = os.NewFile(uintptr(n), f.Name())
		return nil
	})
	return dup, failed
}

// control runs f with the descriptor, which File.Fd would make blocking.
func control(file *os.File, f func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}

func setSize(master *os.File, v core.Viewport) error {
	return control(master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(v.Cols), Row: uint16(v.Rows)})
	})
}

// discipline says how the line discipline treats input: canonical, by lines, and whether it echoes. A closed one does
// neither.
func discipline(master *os.File) (canonical, echo bool) {
	_ = control(master, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			canonical, echo = t.Lflag&unix.ICANON != 0, t.Lflag&unix.ECHO != 0
		}
		return err
	})
	return canonical, echo
}

func foreground(master *os.File) (group int) {
	_ = control(master, func(fd int) (err error) { // 0 when it is closed
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group
}

// readNow reads what is there, whatever the deadline.
func readNow(master *os.File, b []byte) (n int, err error) {
	failed := control(master, func(fd int) (err error) {
		n, err = unix.Read(fd, b)
		return err
	})
	return max(n, 0), failed
}

// newSession makes the program the leader of a session whose terminal is its descriptor 0.
func newSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: true}
}

// detached makes the program the leader of a session without a terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeOnExec marks every descriptor of this process, as dir lists them: what the service inherited from its parent
// would go on to programs (O-I2). Go marks what it opens itself.
func closeOnExec(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// mayEnter says whether the directory may be made the working directory.
func mayEnter(dir string) bool { return !errors.Is(unix.Access(dir, unix.X_OK), unix.EACCES) }
