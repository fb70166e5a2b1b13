package spool

import (
	"fmt"
	"time"

	"termbay/core"
)

// inspect notices what somebody did to the file since it was left (O-G2); l.writing is held.
func (l *Log) inspect() {
	if l.file == nil {
		return
	}
	info, err := l.file.Stat()
	switch {
	case err != nil: // writing says what is wrong
	case deleted(info):
		l.replace()
	case info.Size() < l.size:
		l.mu.Lock()
		before := held(l.kept)
		l.kept, l.size = clipped(l.kept, 0, info.Size()), info.Size()
		l.layout++
		gone := before - held(l.kept)
		l.mu.Unlock()
		l.note(gone, "the file was cut")
	case info.Size() > l.size: // what stands there is not ours
		l.mu.Lock()
		l.size = info.Size()
		l.mu.Unlock()
	}
}

// replace begins a new file in place of one that was deleted.
func (l *Log) replace() {
	l.release(false)
	l.mu.Lock()
	gone := held(l.kept)
	l.kept, l.layout = nil, l.layout+1
	l.mu.Unlock()
	why := "the file was deleted"
	if err := l.create(); err != nil {
		why = fmt.Sprintf("%s, and a new one could not be made (%v)", why, cause(err))
	}
	l.note(gone, why)
}

// note tells of what somebody took, in the state and in the file.
func (l *Log) note(gone int64, why string) {
	l.mu.Lock()
	l.miss(gone, why)
	l.mu.Unlock()
	if l.file != nil {
		_ = l.remark("%s: %s of output in front of this are gone", why, core.Size(gone)) // the next write fails, too, and is counted
	}
}

// clipped is what of extents stands between two places in the file.
func clipped(extents []extent, from, to int64) []extent {
	var left []extent
	for _, e := range extents {
		if begin := e.at; begin < from {
			e.from += min(from-begin, e.to-e.from)
			e.at = from
		}
		if end := e.place(e.to); end > to {
			e.to -= min(end-to, e.to-e.from)
		}
		if e.from < e.to {
			left = append(left, e)
		}
	}
	return left
}

// pause keeps something that failed from being tried again at once.
type pause struct {
	since time.Time
	err   error
}

// pauseFor is how long it lasts.
const pauseFor = time.Second

// over says whether it may be tried again, and why it failed if not.
func (p pause) over() error {
	if time.Since(p.since) < pauseFor {
		return p.err
	}
	return nil
}
