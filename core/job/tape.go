package job

import (
	"context"
	"io"
	"sync"
	"unicode/utf8"

	"termbay/core"
	"termbay/core/clip"
	"termbay/core/pulse"
	"termbay/core/spool"
)

const (
	// MemoryLimit is how much of what a call printed is kept in memory, the newest (L104).
	MemoryLimit = 16 << 20
	chunkSize   = 64 << 10 // a power of two
	// maxPiece is how much Next hands out at once.
	maxPiece = 32 << 10
)

// Tape is what a call printed: the newest MemoryLimit bytes in memory, and everything in a file as soon as it is more.
// So nothing is lost, however slow its reader is. One goroutine at a time writes, any number read.
type Tape struct {
	file    func() *spool.Log // makes the file of everything
	changed pulse.Pulse
	tally   tally // of the writer

	mu     sync.Mutex // guards below; never held while the file is used
	chunks [][]byte   // all of chunkSize but the last, which grows
	base   int64      // offset of the first byte of the first chunk
	first  int64      // offset of the first byte that still counts as kept in memory
	end    int64
	all    *spool.Log // everything, once it is there

	over chan struct{} // closed once nothing more comes
}

func newTape(file func() *spool.Log) *Tape { return &Tape{file: file, over: make(chan struct{})} }

// write appends what was printed.
func (t *Tape) write(p []byte) {
	if t.all == nil && t.end-t.first+int64(len(p)) > MemoryLimit {
		t.save()
	}
	if t.all != nil {
		_, _ = t.all.Write(p) // never fails
	}
	t.tally.add(p)
	t.mu.Lock()
	t.keep(p)
	t.mu.Unlock()
	t.changed.Beat()
}

// keep appends to the memory and lets go of what is too old, on a character border; t.mu is held.
func (t *Tape) keep(p []byte) {
	t.end += int64(len(p))
	for len(p) > 0 {
		last := len(t.chunks) - 1
		if last < 0 || len(t.chunks[last]) == chunkSize {
			var chunk []byte // the first one grows as it is needed
			if last >= 0 {
				chunk = make([]byte, 0, chunkSize)
			}
			t.chunks = append(t.chunks, chunk)
			last++
		}
		n := min(len(p), chunkSize-len(t.chunks[last]))
		t.chunks[last] = append(t.chunks[last], p[:n]...)
		p = p[n:]
	}
	if t.end-t.first <= MemoryLimit {
		return
	}
	t.first = t.end - MemoryLimit
	rest := make([]byte, min(utf8.UTFMax, t.end-t.first))
	t.copy(rest, t.first)
	t.first += int64(clip.Rest(rest))
	for t.first-t.base >= chunkSize {
		t.chunks[0] = nil
		t.chunks = t.chunks[1:]
		t.base += chunkSize
	}
}

// save puts everything into a file, which goes on growing with the tape. The writer calls it, while the memory still
// holds everything, or does so no more because it was called before.
func (t *Tape) save() *spool.Log {
	if t.all != nil {
		return t.all
	}
	all := t.file()
	t.pour(all)
	t.mu.Lock()
	t.all = all
	t.mu.Unlock()
	return all
}

// pour writes what the memory holds to a log. The writer calls it.
func (t *Tape) pour(log *spool.Log) {
	t.mu.Lock()
	chunks, skip := t.chunks, t.first-t.base
	t.mu.Unlock()
	for _, c := range chunks { // what is in them never changes
		_, _ = log.Write(c[skip:])
		skip = 0
	}
}

// move writes to the log of a job what the call printed. What is only in the file becomes one line (L104–L106).
func (t *Tape) move(log *spool.Log) {
	if t.first > 0 {
		where := ""
		if s := t.all.State(); s.Error == "" {
			where = "; it is in " + s.Path
		}
		log.Note("%s of earlier output omitted%s", core.Size(t.first), where)
	}
	t.pour(log)
}

// close says that nothing more comes. The writer calls it.
func (t *Tape) close() {
	if t.all != nil {
		t.all.Close()
	}
	close(t.over)
	t.changed.Beat()
}

// Over is closed once nothing more comes.
func (t *Tape) Over() <-chan struct{} { return t.over }

// tail is a copy of the newest bytes, at most n of them.
func (t *Tape) tail(n int) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := make([]byte, min(int64(n), t.end-t.first))
	t.copy(p, t.end-int64(len(p)))
	return p
}

// copy fills p from the memory; t.mu is held.
func (t *Tape) copy(p []byte, offset int64) {
	for n := 0; n < len(p); {
		at := offset - t.base + int64(n)
		n += copy(p[n:], t.chunks[at/chunkSize][at%chunkSize:])
	}
}

// Next is what was printed from an offset on, at most 32 KiB that end on a character border, and the offset to go on
// from; it waits for more. io.EOF says that nothing more comes; any other error is the context's.
func (t *Tape) Next(ctx context.Context, at int64) (p []byte, next int64, err error) {
	for {
		changed := t.changed.Changed()
		p, next, over := t.read(at)
		switch {
		case len(p) > 0:
			return p, next, nil
		case over:
			return nil, at, io.EOF
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, at, ctx.Err()
		}
	}
}

// read is Next without waiting. over says that there is nothing behind p.
func (t *Tape) read(at int64) (p []byte, next int64, over bool) {
	over = closed(t.over)
	t.mu.Lock()
	all, first, end := t.all, t.first, t.end
	if at >= first {
		p = make([]byte, min(end-at, maxPiece))
		t.copy(p, at)
	}
	t.mu.Unlock()
	if at < first {
		p = make([]byte, min(first-at, maxPiece))
		n, from, _ := all.ReadAt(p, at) // what the disk lost is skipped; the file says so in its own words
		if n == 0 || from >= first {
			return t.read(first) // the memory has it still
		}
		p, at = p[:n], from
	}
	next = at + int64(len(p))
	over = over && next == end
	if whole := clip.Whole(p); !over && (whole > 0 || next == end) { // else the rest of it is lost, or never was one
		p = p[:whole]
		next = at + int64(len(p))
	}
	return p, next, over
}
