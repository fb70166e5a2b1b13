//go:build unix

package spool

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// deleted says whether a file that is open has no name any more.
func deleted(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}

// duplicate is another descriptor of the file, which outlives the first.
func duplicate(file *os.File) (dup *os.File, err error) {
	if file == nil {
		return nil, os.ErrClosed
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	failed := conn.Control(func(fd uintptr) {
		var n int
		if n, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); err == nil {
			dup = os.NewFile(uintptr(n), file.Name())
		}
	})
	if failed != nil {
		err = failed
	}
	return dup, err
}
