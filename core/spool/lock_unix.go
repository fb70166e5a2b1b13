//go:build unix

package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockWait waits for the lock of a file; closing the file gives it back, and so does the end of the process.
func lockWait(file *os.File) error { return flock(file, unix.LOCK_EX) }

// lockNow takes the lock of a file if nobody has it.
func lockNow(file *os.File) bool { return flock(file, unix.LOCK_EX|unix.LOCK_NB) == nil }

func flock(file *os.File, how int) error {
	for {
		if err := unix.Flock(int(file.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// foreign says why a folder is not ours alone and what to do about it; nothing when it is.
func foreign(folder fs.FileInfo) string {
	owner := folder.Sys().(*syscall.Stat_t).Uid
	switch {
	case int(owner) != os.Getuid():
		return fmt.Sprintf("belongs to another user (uid %d); remove it", owner)
	case folder.Mode().Perm()&0o077 != 0:
		return fmt.Sprintf("is open to other users (mode %04o); make it private with chmod 700", folder.Mode().Perm())
	}
	return ""
}
