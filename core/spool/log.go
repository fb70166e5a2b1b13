package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"termbay/core"
	"termbay/core/pulse"
)

const (
	// DefaultLogLimit is how large one log may become when nothing else was chosen.
	DefaultLogLimit = 256 << 20
	// minLogLimit is the smallest cap: a smaller one would hold little but our own lines.
	minLogLimit = 4 << 10
)

// Log is the file of what an entry prints. Byte N of the output is at offset N for ever, also when what stands before it
// is not kept any more. It never fails: what the disk, or somebody at the file, does to it costs bytes that State counts
// and names (L120). One goroutine at a time writes, any number read.
type Log struct {
	spool  *Spool
	id     string // stem of the file's name
	output output // which full output it is; zero for the log of an entry
	limit  int64  // of the file; 0: none

	changed pulse.Pulse

	writing sync.Mutex // held while the file is written, so that it stays in order; guards below
	gap     int64      // bytes in front of the next write that the disk did not take
	crowded pause      // since room was last looked for in vain

	mu        sync.Mutex // guards below; not held while the disk is used
	file      *os.File   // nil when there is none
	name      string     // of the file
	info      os.FileInfo
	kept      []extent // what of the output is in the file, in order
	layout    int      // grows when an offset may have got another place
	size      int64    // of the file, as it was left
	end       int64    // how much output there was
	truncated bool     // the cap was reached
	missing   int64    // of the output, for other reasons than the cap
	problem   string   // the newest of those
	closed    bool     // no more writes come
}

// extent is a part of the output that is in the file.
type extent struct {
	from, to int64 // offsets in the output
	at       int64 // place in the file
}

// place is where in the file an offset of e is.
func (e extent) place(offset int64) int64 { return e.at + offset - e.from }

// Log makes the log of an entry, <id>.log. limit is the cap in bytes, 0 for none. A file that cannot be made is a problem
// that State tells, and nothing else.
func (s *Spool) Log(id string, limit int64) *Log {
	return s.begin(&Log{id: id, limit: limit})
}

// OutputLog is the nth full output of an id, written piece by piece; OpenOutput reads it.
func (s *Spool) OutputLog(id string, n int, limit int64) *Log {
	return s.begin(&Log{id: outputStem(id, n), output: output{id, n}, limit: limit})
}

func (s *Spool) begin(l *Log) *Log {
	l.spool, l.name = s, l.id+".log"
	if l.limit > 0 {
		l.limit = max(l.limit, minLogLimit)
	}
	s.mu.Lock()
	s.open[l] = true
	s.mu.Unlock()
	if err := l.create(); err != nil {
		l.problem = fmt.Sprintf("the file could not be made: %v", cause(err))
	}
	return l
}

// create makes a new, empty file; the writer calls it.
func (l *Log) create() error {
	file, name, err := l.spool.create(l.id)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	if l.output.id != "" {
		l.spool.keep(l.output, name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file, l.name, l.info, l.size, l.kept = file, name, info, 0, nil
	l.layout++
	return nil
}

// State is what everybody may know of the log.
func (l *Log) State() core.Log {
	l.mu.Lock()
	defer l.mu.Unlock()
	return core.Log{
		Path: filepath.Join(l.spool.dir, l.name), Bytes: l.end, Dropped: l.end - held(l.kept),
		Truncated: l.truncated, Error: l.problem,
	}
}

// held is how much of the output is in extents.
func held(extents []extent) (n int64) {
	for _, e := range extents {
		n += e.to - e.from
	}
	return n
}

// Changed is closed at the next write; take it before looking.
func (l *Log) Changed() <-chan struct{} { return l.changed.Changed() }

// Note writes a line of ours, which is output like any other.
func (l *Log) Note(format string, a ...any) {
	_, _ = l.Write([]byte(marker(format, a...)))
}

func marker(format string, a ...any) string { return "[termbay: " + fmt.Sprintf(format, a...) + "]\n" }

// Write appends output. It takes all of it, whatever the disk does.
func (l *Log) Write(p []byte) (int, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	for rest := p; len(rest) > 0; {
		n := len(rest)
		if l.limit > 0 {
			n = int(min(int64(n), l.limit/4)) // so much always finds room
		}
		l.append(rest[:n])
		rest = rest[n:]
	}
	l.changed.Beat()
	return len(p), nil
}

// append writes what is no larger than a quarter of the cap; l.writing is held.
func (l *Log) append(p []byte) {
	n, err := 0, l.ready(int64(len(p)))
	if err == nil {
		n, err = l.file.Write(p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(int64(n))
	l.end += int64(len(p))
	if err != nil && !l.closed {
		l.gap += int64(len(p) - n)
		l.miss(int64(len(p)-n), cause(err).Error())
	}
}

// ready sees to it that there is a file with room for n bytes, and a line that counts what was lost in front of them.
func (l *Log) ready(n int64) error {
	l.inspect()
	if l.file == nil {
		if l.closed {
			return fs.ErrClosed
		}
		if err := l.create(); err != nil {
			return err
		}
	}
	if l.limit > 0 && l.size+n+maxMarker > l.limit {
		if err := l.compact(); err != nil {
			return err
		}
	}
	return l.bridge()
}

// bridge writes the line that counts what was lost in front of the next write.
func (l *Log) bridge() error {
	if l.gap == 0 {
		return nil
	}
	err := l.remark("%s of output lost here", core.Size(l.gap))
	if err == nil {
		l.gap = 0
	}
	return err
}

// remark writes a line of ours that is no output; l.writing is held.
func (l *Log) remark(format string, a ...any) error {
	line := marker(format, a...)
	if !l.atLineStart(l.size) {
		line = "\n" + line
	}
	n, err := l.file.WriteString(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size += int64(n)
	return err
}

// atLineStart says whether a line begins at a place in the file; l.writing is held.
func (l *Log) atLineStart(place int64) bool {
	last := make([]byte, 1)
	n, _ := l.file.ReadAt(last, place-1) // nothing in front of the first place
	return n == 0 || last[0] == '\n'
}

// keep says that the next n bytes of the output are at the end of the file; l.mu is held.
func (l *Log) keep(n int64) {
	if n == 0 {
		return
	}
	last := len(l.kept) - 1
	if last >= 0 && l.kept[last].to == l.end && l.kept[last].place(l.end) == l.size {
		l.kept[last].to += n
	} else {
		l.kept = append(l.kept, extent{l.end, l.end + n, l.size})
	}
	l.size += n
}

// miss counts what is missing for another reason than the cap; l.mu is held.
func (l *Log) miss(n int64, why string) {
	l.missing += n
	l.problem = fmt.Sprintf("%s; %s missing", why, core.Count(int(l.missing), "byte is", "bytes are"))
}

// Close says that no more writes come and gives the descriptor back. Reading goes on by name.
func (l *Log) Close() {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.closed {
		return
	}
	l.inspect()
	if l.file != nil {
		_ = l.bridge() // the state counts it in any case
	}
	l.release(true)
}

// Remove deletes the file. What is written from now on goes nowhere.
func (l *Log) Remove() {
	l.spool.forget(l)
	l.retire()
	l.mu.Lock()
	name := l.name
	l.mu.Unlock()
	_ = l.spool.root.Remove(name) // it goes when the spool closes otherwise
}

// retire ends writing and reading.
func (l *Log) retire() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.release(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept, l.layout = nil, l.layout+1
}

// release gives the descriptor back, for good or until there is another file; l.writing is held.
func (l *Log) release(forGood bool) {
	l.mu.Lock()
	file := l.file
	l.file = nil
	l.closed = l.closed || forGood
	l.mu.Unlock()
	if file != nil {
		file.Close() // not under mu: a large file that has no name any more takes its time
	}
}

// cause is what lies behind an error of the file system, without the name of the file.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
