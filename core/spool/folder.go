package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// lockName is the file whose lock says that the service of a folder lives. Only folders with such a file are ever
// removed: the log folder may be one that a person chose and that holds other things.
const lockName = ".termbay.lock"

// DefaultDir is the log folder when none was chosen: termbay-<uid> in the temporary folder, by its real path, so that
// paths compare equal however they are reached (L236).
func DefaultDir() string {
	name := "termbay"
	if uid := os.Getuid(); uid >= 0 { // -1 on Windows, where the temporary folder is the user's own
		name += "-" + strconv.Itoa(uid)
	}
	return resolve(filepath.Join(os.TempDir(), name))
}

// Open makes the folder of a service, <logDir>/<instance>, 0700, and removes the folders of services that died.
// logDir is made when it is missing. One that is a link, no folder, somebody else's or open to others is refused, and so
// is an instance that is already there (O-G3); the error says what to do.
func Open(logDir, instance string) (*Spool, error) {
	logDir, err := filepath.Abs(logDir)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(logDir), 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("make log folder: %w", err)
	}
	dir := resolve(logDir)
	logs, err := openOwn(dir)
	if err != nil {
		return nil, err
	}
	s := &Spool{dir: filepath.Join(dir, instance), instance: instance, logs: logs, outputs: map[output]string{}, open: map[*Log]bool{}}
	if err := s.moveIn(); err != nil {
		logs.Close()
		return nil, err
	}
	return s, nil
}

// moveIn clears the folders of the dead and makes the instance's own.
func (s *Spool) moveIn() error {
	// Held until our own lock is: a folder that is not locked yet must not be taken for a dead one.
	door, err := lock(s.logs)
	if err != nil {
		return err
	}
	defer door.Close()
	sweep(s.logs)

	err = s.logs.Mkdir(s.instance, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is already there; remove it, or choose another log folder", s.dir)
	}
	if err != nil {
		return fmt.Errorf("make log folder: %w", err)
	}
	if s.root, err = s.logs.OpenRoot(s.instance); err != nil {
		return fmt.Errorf("open log folder: %w", err)
	}
	if s.alive, err = lock(s.root); err != nil {
		s.root.Close()
	}
	return err
}

// sweep removes the folders of services that died: those whose lock can be taken. What cannot be removed now is left to
// the next start.
func sweep(logs *os.Root) {
	folders, _ := fs.ReadDir(logs.FS(), ".")
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		file, err := logs.OpenFile(path.Join(folder.Name(), lockName), os.O_RDWR, 0)
		if err != nil {
			continue // not one of ours
		}
		dead := lockNow(file)
		file.Close()
		if dead {
			_ = logs.RemoveAll(folder.Name())
		}
	}
}

// lock waits for the lock of a folder and holds it until the file is closed.
func lock(folder *os.Root) (*os.File, error) {
	file, err := folder.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		if err = lockWait(file); err == nil {
			return file, nil
		}
		file.Close()
	}
	return nil, fmt.Errorf("lock log folder %s: %w", folder.Name(), err)
}

// openOwn opens a folder that is ours alone, and makes it when it is missing.
func openOwn(dir string) (*os.Root, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make log folder: %w", err)
	}
	refuse := func(why string) error {
		return fmt.Errorf("log folder %s %s, or choose another log folder", dir, why)
	}
	seen, err := os.Lstat(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at log folder: %w", err)
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, refuse("is a link, which is not followed; remove it")
	case !seen.IsDir():
		return nil, refuse("is not a folder; remove it")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open log folder: %w", err)
	}
	opened, err := root.Stat(".")
	switch {
	case err != nil:
		err = fmt.Errorf("look at log folder: %w", err)
	case !os.SameFile(seen, opened):
		err = refuse("was replaced while it was opened; find out by whom")
	default:
		if why := foreign(opened); why != "" {
			err = refuse(why)
		}
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// resolve is an absolute path without links above its last element (L236); as it is spelt when that cannot be told.
func resolve(dir string) string {
	parent, name := filepath.Split(dir)
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		return filepath.Join(real, name)
	}
	return dir
}
