package terminal

import (
	"termbay/core/process"
	"termbay/core/screen"
)

// The limits that tests look at.
const (
	MaxBacklog  = maxBacklog
	KeepBacklog = keepBacklog
	CalmTakes   = calmTakes
	MaxQueue    = maxQueue
	DeafAfter   = deafAfter
)

// Around is a Terminal that has a screen and no program: only Result works.
func Around(s *screen.Screen) *Terminal { return &Terminal{screen: s} }

// StartBlind is Start with a painter that panics at the first output.
func StartBlind(host *process.Host, spec Spec) (*Terminal, error) {
	pty, err := host.StartPTY(spec.Process)
	if err != nil {
		return nil, err
	}
	return run(pty, nil, spec), nil
}

// BreakWriter makes the writer panic.
func (t *Terminal) BreakWriter() { t.writer.send(&unit{before: func() { panic("broken") }}) }

// BreakReader makes the next read fail, although the program runs.
func (t *Terminal) BreakReader() error { return t.pty.Close() }

// Answer queues an answer to a query.
func (t *Terminal) Answer(p []byte) { t.writer.reply(p) }

// StopWriter is what the exit does to the writer.
func (t *Terminal) StopWriter() { t.writer.stop() }

// Backlog is output between the reader and the painter.
type Backlog struct{ *backlog }

// NewBacklog makes an empty one.
func NewBacklog() Backlog { return Backlog{newBacklog()} }

func (b Backlog) Put(p []byte) { b.put(p) }
func (b Backlog) Take() []byte { return b.take() }
func (b Backlog) Close()       { b.close() }

// Kept is the memory of both buffers, and how much of it holds output.
func (b Backlog) Kept() (memory, held int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cap(b.bytes) + cap(b.spare), len(b.bytes)
}

// Feed is output of the program, drawn in one piece.
func (t *Terminal) Feed(p []byte) {
	_, _ = t.screen.Write(p)
	t.pulse.Beat()
}
