package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"termbay/core"
	"termbay/core/clip"
)

// ReadAt reads output from an offset on; at is where what it read begins: a later place when that is not kept any more.
// Nothing read, and at the end of the output, say that there is nothing yet. *core.Error NotFound: somebody deleted the
// file after the end.
func (l *Log) ReadAt(p []byte, offset int64) (n int, at int64, err error) {
	for {
		e, layout, end := l.find(offset)
		if e.to == 0 {
			return 0, end, nil
		}
		at = max(offset, e.from)
		n, err = l.read(p[:min(int64(len(p)), e.to-at)], e.place(at))
		switch {
		case l.moved(layout) || errors.Is(err, os.ErrClosed): // look again
		case n > 0 || len(p) == 0:
			return n, at, nil
		case err == io.EOF: // somebody cut it
			offset = e.to
		default:
			return 0, at, err
		}
	}
}

// find is the extent that holds an offset, or the next one; a zero one when there is none.
func (l *Log) find(offset int64) (e extent, layout int, end int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.kept {
		if offset < e.to {
			return e, l.layout, l.end
		}
	}
	return extent{}, l.layout, l.end
}

// moved says whether offsets may have got other places since.
func (l *Log) moved(layout int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.layout != layout
}

// read reads from the file, by its name when it is closed.
func (l *Log) read(p []byte, place int64) (int, error) {
	l.mu.Lock()
	file := l.file
	l.mu.Unlock()
	if file == nil {
		var err error
		if file, err = l.reopen(); err != nil {
			return 0, err
		}
		defer file.Close()
	}
	return file.ReadAt(p, place)
}

// reopen opens the file by its name, if it still is the one that we made.
func (l *Log) reopen() (*os.File, error) {
	l.mu.Lock()
	name, info := l.name, l.info
	l.mu.Unlock()
	missing := &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("The log of %s was deleted.", l.id)}
	now, err := l.spool.root.Lstat(name) // what was planted there, a pipe perhaps, would block
	if err != nil || info == nil || !os.SameFile(info, now) {
		missing.Err = err
		return nil, missing
	}
	file, err := l.spool.root.Open(name)
	if err != nil {
		missing.Err = err
		return nil, missing
	}
	return file, nil
}

// Open is the file as it is at this moment, our own lines in it and all. Errors: those of ReadAt.
func (l *Log) Open() (io.ReadSeekCloser, error) {
	l.mu.Lock()
	file, err := duplicate(l.file) // it may have no name any more
	size := l.size
	l.mu.Unlock()
	if err != nil {
		if file, err = l.reopen(); err != nil {
			return nil, err
		}
	}
	return snapshot{io.NewSectionReader(file, 0, size), file}, nil
}

type snapshot struct {
	*io.SectionReader
	io.Closer
}

// Tail is the last lines of the output, in maxBytes at most; cut says that there is more in front of them. It begins on
// the border of a line, or of a character when one line alone is longer. Errors: those of ReadAt.
func (l *Log) Tail(lines, maxBytes int) (text []byte, cut bool, err error) {
	end := l.State().Bytes
	text, cut, err = l.between(max(0, end-int64(maxBytes)-1), end) // one more, which tells whether a line begins
	if err != nil {
		return nil, false, err
	}
	for i, n := len(text)-2, 0; i >= 0; i-- { // a line feed at the end ends the last line
		if text[i] == '\n' {
			if n++; n == lines {
				return text[i+1:], true, nil
			}
		}
	}
	if !cut {
		return text, false, nil
	}
	if i := bytes.IndexByte(text, '\n'); i >= 0 && i < len(text)-1 {
		return text[i+1:], true, nil
	}
	text = text[max(0, len(text)-maxBytes):]
	return text[clip.Rest(text):], true, nil
}

// between reads what is kept of a part of the output; cut says that there is more of it in front.
func (l *Log) between(from, end int64) (text []byte, cut bool, err error) {
	text = make([]byte, 0, end-from)
	cut = from > 0
	for at := from; at < end; {
		n, found, err := l.ReadAt(text[len(text):len(text)+int(end-at)], at)
		if err != nil {
			return nil, false, err
		}
		if n == 0 || found >= end {
			break
		}
		if found > at { // a gap
			cut = true
		}
		n = min(n, int(end-found))
		text, at = text[:len(text)+n], found+int64(n)
	}
	return text, cut, nil
}
