package terminal

import "sync"

const (
	readSize = 20 << 10 // a PTY hands out some 4 KB at once, 18 KB at most
	// maxBacklog is how much output may wait for the screen; then the reader waits, and so does the program.
	maxBacklog = 256 << 10
	// keepBacklog is the largest buffer that is kept once a flood is over; there are two.
	keepBacklog = 32 << 10
	// calmTakes is how many small pieces in a row tell that it is over: buffers that come and go within a flood cost more
	// than the flood.
	calmTakes = 32
)

// backlog is output between the reader and the painter. While the painter works it grows, so that a flood reaches the
// screen in large pieces, which are cheap.
type backlog struct {
	mu         sync.Mutex // guards below
	more, room *sync.Cond
	bytes      []byte // read, not painted
	spare      []byte // what the painter has done with
	calm       int    // small pieces since the last large one
	closed     bool
}

func newBacklog() *backlog {
	b := &backlog{}
	b.more, b.room = sync.NewCond(&b.mu), sync.NewCond(&b.mu)
	return b
}

// put appends a copy of p; it waits while the backlog is full. After close nobody takes anything: it is dropped.
func (b *backlog) put(p []byte) {
	if len(p) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.bytes) >= maxBacklog && !b.closed {
		b.room.Wait()
	}
	if b.closed {
		return
	}
	b.bytes = append(b.bytes, p...)
	b.more.Signal()
}

// take returns all that came since the last call and waits for it; nil after close, when nothing is left. The bytes
// belong to the caller until its next call.
func (b *backlog) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.bytes) == 0 {
		if b.closed {
			return nil
		}
		b.more.Wait()
	}
	p := b.bytes
	b.bytes, b.spare = b.spare[:0], p
	if b.calm++; len(p) > keepBacklog {
		b.calm = 0
	}
	if b.calm > calmTakes && cap(b.bytes) > keepBacklog {
		b.bytes = nil
	}
	b.room.Signal()
	return p
}

// close tells the painter that nothing more will come, and a waiting reader to go on.
func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.more.Signal()
	b.room.Signal()
}
