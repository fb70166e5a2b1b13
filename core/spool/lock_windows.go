package spool

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lockWait waits for the lock of a file; closing the file gives it back, and so does the end of the process.
func lockWait(file *os.File) error { return lockFile(file, 0) }

// lockNow takes the lock of a file if nobody has it.
func lockNow(file *os.File) bool {
	return lockFile(file, windows.LOCKFILE_FAIL_IMMEDIATELY) == nil
}

func lockFile(file *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(file.Fd()), flags|windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}

// foreign finds nothing: the folders of a user are private by what they inherit, not by a mode.
func foreign(fs.FileInfo) string { return "" }
