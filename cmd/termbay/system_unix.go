//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var errLocked = errors.New("locked by another process")

// lockFile locks a file for as long as it is open. Children do not inherit it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return f, nil
}

// ours refuses a directory that somebody else owns or may look into.
func ours(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, not to us; choose another folder with --state-dir", dir, owner)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to other users (%#o); close it with: chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// unshared runs make while new files get no permissions for others: a socket is reachable from the moment it exists.
// The umask belongs to the whole process, so this is for the start only, before anything else runs.
func unshared(make func() error) error {
	defer syscall.Umask(syscall.Umask(0o177))
	return make()
}

// nobodyListens tells from a failed connection that a socket was left behind by a service that is gone.
func nobodyListens(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
