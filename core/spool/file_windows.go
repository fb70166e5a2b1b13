package spool

import (
	"errors"
	"os"
)

// deleted says whether a file that is open has no name any more; on Windows it cannot be deleted.
func deleted(os.FileInfo) bool { return false }

// duplicate is left to the name of the file, which it always has.
func duplicate(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
