package terminal

import (
	"errors"
	"os"
	"sync"
	"time"

	"termbay/core/process"
)

const (
	// maxQueue is how many inputs and replies may wait to be written.
	maxQueue = 64
	// deafAfter is how long a program may take no byte before the rest of an input is given up.
	deafAfter = 3 * time.Second
	// deafAgain is how long it may do so for an answer to its query once it was found not to read. Else the answers
	// that nobody reads would hold up the next input for minutes.
	deafAgain = 50 * time.Millisecond
	// maxDelivery is how long one input may take in all.
	maxDelivery = 30 * time.Second
)

// unit is one input, or one reply to a query: written whole before the next.
type unit struct {
	bytes []byte
	// before is called right before the first byte is written; nil for replies.
	before func()
	taken  int           // bytes that the PTY took; valid after done
	done   chan struct{} // closed when all was written or given up; nil for replies
}

// writer is the queue of what is to be written to a PTY.
type writer struct {
	pty   *process.PTY
	queue chan *unit
	quit  chan struct{}
	deaf  bool // whether the last unit was given up; only the writing goroutine uses it

	mu      sync.Mutex // guards below, and the PTY's write deadline
	stopped bool
}

func newWriter(pty *process.PTY) *writer {
	return &writer{pty: pty, queue: make(chan *unit, maxQueue), quit: make(chan struct{})}
}

// reply queues an answer to a query. It never blocks: a program that does not read its answers loses them.
func (w *writer) reply(p []byte) {
	select {
	case w.queue <- &unit{bytes: p}:
	default:
	}
}

// send queues an input; false when the queue is full or the program has ended.
func (w *writer) send(u *unit) bool {
	select {
	case <-w.quit:
		return false
	default:
	}
	select {
	case w.queue <- u:
		return true
	default:
		return false
	}
}

// stop ends the writer, also in the midst of a write; what is still queued is given up.
func (w *writer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	w.stopped = true
	close(w.quit)
	_ = w.pty.SetWriteDeadline(time.Now()) // an error means that it is closed already
}

// arm sets the deadline of the next write; false when there shall be none.
func (w *writer) arm(deadline time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.stopped && w.pty.SetWriteDeadline(deadline) == nil
}

// write is the goroutine that empties the queue.
func (t *Terminal) write() {
	w := t.writer
	for {
		select {
		case u := <-w.queue:
			w.deliver(u)
		case <-w.quit:
			for {
				select {
				case u := <-w.queue:
					u.finish()
				default:
					return
				}
			}
		}
	}
}

// deliver writes a unit until it is taken, or the program does not read for deafAfter.
func (w *writer) deliver(u *unit) {
	defer u.finish()
	patience := deafAfter
	switch {
	case u.before != nil:
		u.before()
	case w.pty.Cooked(): // a reply that a shell would take for typing (O-D8)
		return
	case w.deaf:
		patience = deafAgain
	}
	w.deaf = true // until it has taken all
	end := time.Now().Add(maxDelivery)
	for u.taken < len(u.bytes) {
		deadline := time.Now().Add(patience)
		if deadline.After(end) {
			deadline = end
		}
		if !w.arm(deadline) {
			return
		}
		n, err := w.pty.Write(u.bytes[u.taken:])
		u.taken += n
		if err != nil && (n == 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !time.Now().Before(end)) {
			return
		}
	}
	w.deaf = false
}

func (u *unit) finish() {
	if u.done != nil {
		close(u.done)
	}
}
