// Package screen is what a terminal shows: it turns a program's output into rows, cursor, title and numbered
// scrolled-off lines, and what a person does (keys, paste, mouse) into the bytes a terminal sends.
//
// It owns the emulator charmbracelet/x/vt, behind a front of its own (ADR 0002), and is the only importer of x/vt,
// ultraviolet and x/ansi. It promises: no byte sequence panics, hangs, blocks or grows without bound; what is shown
// is what xterm.js shows; nothing is rendered until somebody looks, and every look is consistent. It starts no
// goroutines and does no I/O.
package screen

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"termbay/core"
)

// MaxLines and MaxBytes bound the scrolled-off lines that are kept of one Terminal (L42).
const (
	MaxLines = 10_000
	MaxBytes = 8 << 20
)

const (
	maxPiece  = 64 << 10 // bytes interpreted in one go: who looks meanwhile waits no longer
	maxReason = 4 << 10  // bytes of the reason of a fault
)

// Screen is the screen of one Terminal. Every method may be called from any goroutine.
type Screen struct {
	mu       sync.Mutex // guards below
	viewport core.Viewport
	front    *front
	revision revision
	ring     *ring  // survives a fault, as do the counters
	clears   Clears // of the main screen and the ring
	faults   int
	reason   string
}

// Clears counts what no reader can notice from the lines alone (L43). Both only grow.
type Clears struct {
	Screen  uint64 // the main screen was cleared while text stood on it: ED 2, ED 0 from home, RIS, or lost by a fault
	History uint64 // the scrolled-off lines were cleared while there were some: ED 3, RIS. First then equals Next
}

// New makes a blank screen. Sides outside 1–1000 are moved to the nearest of them.
func New(v core.Viewport) *Screen {
	s := &Screen{viewport: clamp(v), ring: newRing(MaxLines, MaxBytes), revision: newRevision()}
	s.front = newFront(s.viewport, s.ring, &s.clears)
	s.revision.sum = s.front.sum(&s.revision)
	return s
}

func clamp(v core.Viewport) core.Viewport {
	return core.Viewport{Cols: min(max(v.Cols, 1), core.MaxSide), Rows: min(max(v.Rows, 1), core.MaxSide)}
}

// Write takes the program's output, cut anywhere. It never fails, blocks or panics, and always takes all of p.
func (s *Screen) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), maxPiece)
		s.feed(rest[:n])
		rest = rest[n:]
	}
	return len(p), nil
}

func (s *Screen) feed(p []byte) {
	s.mu.Lock()
	defer s.unlock()
	s.revision.stale = true
	s.front.feed(p)
}

// look runs see under the lock. When that finds the screen broken it runs once more, on the one made anew.
func (s *Screen) look(see func()) {
	try := func() (done bool) {
		s.mu.Lock()
		defer s.unlock()
		see()
		return true
	}
	if !try() {
		try()
	}
}

// Resize changes the size as xterm does without reflow: the cursor's row stays, and rows above it that do not fit any
// more scroll off.
func (s *Screen) Resize(v core.Viewport) {
	s.mu.Lock()
	defer s.unlock()
	if v = clamp(v); v == s.viewport {
		return
	}
	s.viewport, s.revision.stale = v, true
	s.front.resize(v.Cols, v.Rows)
}

// unlock ends every method. A panic under the lock, x/vt's or our own, costs the screen and not the service: the
// emulator is made anew, the scrolled-off lines stay, and the fault is counted.
func (s *Screen) unlock() {
	defer s.mu.Unlock()
	r := recover()
	if r == nil {
		return
	}
	s.faults++
	s.reason = fmt.Sprintf("%v\n%s", r, debug.Stack())
	s.reason = s.reason[:min(len(s.reason), maxReason)]
	if s.front.mayHaveText() {
		s.clears.Screen++
	}
	s.ring.unwrap() // where its text went on is lost
	s.front, s.revision.stale = newFront(s.viewport, s.ring, &s.clears), true
}

// Faults says how many panics were survived, and the last one's reason with its stack, at most 4 KiB. Each one cost
// the screen and the modes; the program was not told.
func (s *Screen) Faults() (n int, why string) {
	s.mu.Lock()
	defer s.unlock()
	return s.faults, s.reason
}

// Replies returns the answers to the program's queries since the last call, in order, to be written to its input.
// At most 4 KiB wait; further ones are dropped, so a program that never reads stops nothing.
func (s *Screen) Replies() []byte {
	s.mu.Lock()
	defer s.unlock()
	r := s.front.replies
	s.front.replies = nil
	return r
}

// Synchronized says whether the program holds back the screen (mode 2026) and since when. Open means half-painted.
func (s *Screen) Synchronized() (open bool, since time.Time) {
	s.mu.Lock()
	defer s.unlock()
	return !s.front.opened.IsZero(), s.front.opened
}

// Modes returns what the program has asked of the keyboard and the mouse.
func (s *Screen) Modes() Modes {
	s.mu.Lock()
	defer s.unlock()
	return s.front.inputModes()
}
