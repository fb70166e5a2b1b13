package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"termbay/core"
)

const (
	// DrainGrace is how long output is still awaited after the program was reaped, when somebody else holds its
	// terminal.
	DrainGrace = 200 * time.Millisecond
	// drainBytes bounds what is read after that: what lay in the kernel then, which keeps less than 20 KiB, and not what
	// a process that was left behind goes on printing.
	drainBytes = 64 << 10
	// absencePoll is how often it is tried to read while nobody has the terminal open.
	absencePoll = 30 * time.Millisecond
)

// PTY is a program on a terminal of its own. One goroutine may Read, another Write; everything else may be called from
// anywhere, at any time.
type PTY struct {
	*leader
	master  *os.File // nonblocking, in the poller of the runtime: deadlines and Close work
	backlog int      // bytes that may still be read after the drain grace; only Read uses it
}

// Read returns output of the program. io.EOF comes only after the program was reaped and all it printed was read; when
// somebody else still holds the terminal then, DrainGrace after the exit. That nobody has the terminal open (EIO) is
// no end as long as the program lives: it may open it again (O-A6). After Close it is os.ErrClosed.
func (p *PTY) Read(b []byte) (int, error) {
	for {
		over := p.isReaped() // before the read: what was printed until then is read first
		n, err := p.master.Read(b)
		switch {
		case n > 0:
			return n, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return p.readBacklog(b)
		case !errors.Is(err, syscall.EIO) && !errors.Is(err, io.EOF):
			return 0, fmt.Errorf("read terminal: %w", err)
		case over:
			return 0, io.EOF
		}
		select {
		case <-p.done:
		case <-time.After(absencePoll):
		}
	}
}

// readBacklog reads what lies in the kernel after the drain grace, past the deadline: a reader that was slow at the
// exit loses nothing.
func (p *PTY) readBacklog(b []byte) (int, error) {
	n, err := readNow(p.master, b[:min(len(b), p.backlog)])
	switch {
	case n > 0:
		p.backlog -= n
		return n, nil
	case errors.Is(err, os.ErrClosed):
		return 0, fmt.Errorf("read terminal: %w", err)
	}
	return 0, io.EOF
}

// drain begins the drain grace.
func (p *PTY) drain() {
	_ = p.master.SetReadDeadline(time.Now().Add(DrainGrace)) // fails only when it was closed
}

// Write types into the terminal. It blocks while the program does not read, until the write deadline: then it returns
// os.ErrDeadlineExceeded with the number of bytes that were taken.
func (p *PTY) Write(b []byte) (int, error) { return p.master.Write(b) }

// SetWriteDeadline sets until when a Write may block, also one that blocks already; the zero time means for ever.
func (p *PTY) SetWriteDeadline(t time.Time) error { return p.master.SetWriteDeadline(t) }

// Resize changes the size of the terminal; the kernel tells the program (SIGWINCH). A size out of range is *core.Error
// Invalid.
func (p *PTY) Resize(v core.Viewport) error {
	if err := checkViewport(v); err != nil {
		return err
	}
	return setSize(p.master, v)
}

// Echoes says whether what is typed now shows on the screen. It is false only where the terminal itself collects a
// line and hides it, as for a password: a program that reads key by key draws what it likes.
func (p *PTY) Echoes() bool {
	canonical, echo := discipline(p.master)
	return echo || !canonical
}

// Cooked says whether nobody would read an answer to a query as such: the terminal collects lines and echoes, so that
// the answer would appear as if somebody had typed it.
func (p *PTY) Cooked() bool {
	canonical, echo := discipline(p.master)
	return canonical && echo
}

// Close releases the terminal and ends a Read or Write that blocks. The kernel sends SIGHUP to the program if it still
// runs; that it ends is for Stop to see to.
func (p *PTY) Close() error { return p.master.Close() }

// foreground is the process group that the terminal's keys reach.
func (p *PTY) foreground() int { return foreground(p.master) }

func checkViewport(v core.Viewport) error {
	if v.Valid() {
		return nil
	}
	return &core.Error{
		Code: core.Invalid, Field: "viewport",
		Detail: fmt.Sprintf("A viewport of %v is not possible; both sides are 1–%d.", v, core.MaxSide),
	}
}
