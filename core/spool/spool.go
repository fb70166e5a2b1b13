// Package spool owns everything that is written to disk about entries: logs, full outputs of results that were cut, and
// the counters of the ids. It promises private files (0600 in folders 0700 of our own) that are never written through a
// planted link (O-G3), and that what a service leaves behind when it dies is cleared by the next one. A failing disk is
// an error that is returned, never a panic. It starts no goroutines.
package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"termbay/core"
)

// maxNames is how many names are tried for one file before giving up: the first is taken only if somebody planted it.
const maxNames = 100

// Spool is the folder of one running service. Every method may be called from any goroutine.
type Spool struct {
	dir      string   // resolved path of the instance's folder
	logs     *os.Root // the folder of all instances
	root     *os.Root // the folder of this instance
	alive    *os.File // its lock is held while the service lives
	instance string

	mu      sync.Mutex // guards below
	outputs map[output]string
	open    map[*Log]bool // logs that were not removed
}

// output is one full output of an entry.
type output struct {
	id string
	n  int
}

// Output writes the nth full output of an entry and answers with the path of the file, <id>-output-<n>.log, 0600 (L49).
// When the disk takes only a part of it, nothing is left of it.
func (s *Spool) Output(id string, n int, text string) (path string, err error) {
	name, err := s.write(outputStem(id, n), text)
	if err != nil {
		return "", fmt.Errorf("write full output %d of %s: %w", n, id, err)
	}
	s.keep(output{id, n}, name)
	return filepath.Join(s.dir, name), nil
}

func outputStem(id string, n int) string { return fmt.Sprintf("%s-output-%d", id, n) }

// keep remembers which file a full output is in.
func (s *Spool) keep(o output, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outputs[o] = name
}

// forget drops a log.
func (s *Spool) forget(l *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, l)
}

// retire ends the logs of an id, and its full outputs that are written piece by piece; all logs when id is empty.
func (s *Spool) retire(id string) {
	var own []*Log
	s.mu.Lock()
	for l := range s.open {
		if id == "" || l.id == id || l.output.id == id {
			own = append(own, l)
			delete(s.open, l)
		}
	}
	s.mu.Unlock()
	for _, l := range own {
		l.retire()
	}
}

// OpenOutput opens the nth full output of an entry for reading. There may be none (any more): core.NotFound.
func (s *Spool) OpenOutput(id string, n int) (*os.File, error) {
	s.mu.Lock()
	name := s.outputs[output{id, n}]
	s.mu.Unlock()

	missing := &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("%s has no full output %d; the result that was cut names its file.", id, n)}
	if name == "" {
		return nil, missing
	}
	info, err := s.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		missing.Detail = fmt.Sprintf("The file of full output %d of %s was deleted.", n, id)
		return nil, missing
	}
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would block
		err = errors.New("something else stands in its place")
	}
	if err != nil {
		return nil, fmt.Errorf("open full output %d of %s: %w", n, id, err)
	}
	return s.root.Open(name)
}

// Remove deletes every file of an entry. What cannot be deleted goes when the spool closes.
func (s *Spool) Remove(id string) {
	s.retire(id)
	s.mu.Lock()
	maps.DeleteFunc(s.outputs, func(o output, _ string) bool { return o.id == id })
	s.mu.Unlock()

	files, _ := fs.ReadDir(s.root.FS(), ".")
	for _, file := range files {
		if name := file.Name(); name == id+".log" || strings.HasPrefix(name, id+"-") {
			_ = s.root.RemoveAll(name)
		}
	}
}

// Close removes the instance's folder with everything in it.
func (s *Spool) Close() error {
	s.retire("")
	// Windows removes nothing that is open.
	err := errors.Join(s.alive.Close(), s.root.Close())
	return errors.Join(err, s.logs.RemoveAll(s.instance), s.logs.Close())
}

// write makes a file of its own and fills it whole or not at all.
func (s *Spool) write(stem, text string) (name string, err error) {
	file, name, err := s.create(stem)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(file, text)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = s.root.Remove(name)
	}
	return name, err
}

// create makes a new file <stem>.log, or <stem>-2.log and so on when the name is taken, whatever stands there.
func (s *Spool) create(stem string) (file *os.File, name string, err error) {
	name = stem + ".log"
	for try := 2; ; try++ {
		file, err = s.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600) // follows no link
		if !errors.Is(err, fs.ErrExist) || try > maxNames {
			return file, name, err
		}
		name = fmt.Sprintf("%s-%d.log", stem, try)
	}
}
