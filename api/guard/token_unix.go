//go:build unix

package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openNoFollow opens a file for reading; O_NONBLOCK so that a pipe in its place does not hold the start.
func openNoFollow(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link, which is not followed; name the file itself", path)
	}
	return f, err
}

// private says whether only the owner may use a file.
func private(info fs.FileInfo) bool {
	return info.Mode().Perm()&0o077 == 0
}
