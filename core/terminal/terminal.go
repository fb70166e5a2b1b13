// Package terminal runs one program on a PTY: its output becomes a screen, its input is written in order, and whoever
// waits for it is woken by a pulse.
//
// It owns the PTY, the screen and four goroutines, all started by Start and joined by the waiter:
//
//	reader    PTY → backlog            ends at io.EOF, once the process was reaped and the PTY drained
//	painter   backlog → screen, pulse  ends when the reader ended and the backlog is empty
//	writer    input queue → PTY        ends when the process was reaped
//	waiter    Wait → the three above → OnExit → Done
//
// It promises that whoever sees Done sees the final screen, that no program can block or end it, and that an input is
// never split by another.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/pulse"
	"termbay/core/screen"
	"termbay/core/settle"
)

// Spec is what a Terminal is started with.
type Spec struct {
	Process process.Spec
	Log     *slog.Logger
	// Output is called with all that the program prints, in order, right before it is drawn; nil: nobody wants it. The
	// bytes are the callee's until it returns.
	Output func([]byte)
	// OnExit is called once, after the last byte is on the screen and before Done is closed.
	OnExit func(core.Ending)
}

// Terminal is one program on a PTY. Its methods may be called from any goroutine.
type Terminal struct {
	screen  *screen.Screen
	pty     *process.PTY
	pulse   pulse.Pulse
	backlog *backlog
	writer  *writer
	done    chan struct{}
	log     *slog.Logger
	output  func([]byte)
	onExit  func(core.Ending)

	bytes atomic.Int64 // of output so far

	resizing sync.Mutex // held for one resize, which waits for nothing: screen and PTY end with one size

	mu   sync.Mutex // guards below
	lost string
}

// Start starts the program. Its errors are those of process.Host.StartPTY; then nothing is left behind.
func Start(host *process.Host, spec Spec) (*Terminal, error) {
	pty, err := host.StartPTY(spec.Process)
	if err != nil {
		return nil, err
	}
	return run(pty, screen.New(spec.Process.Viewport), spec), nil
}

// run serves a program that was started.
func run(pty *process.PTY, scr *screen.Screen, spec Spec) *Terminal {
	t := &Terminal{
		screen:  scr,
		pty:     pty,
		backlog: newBacklog(),
		writer:  newWriter(pty),
		done:    make(chan struct{}),
		log:     spec.Log,
		output:  spec.Output,
		onExit:  spec.OnExit,
	}
	var reading, painting, writing sync.WaitGroup
	reading.Go(func() { t.guarded("reader", t.read) })
	painting.Go(func() { t.guarded("painter", t.paint) })
	writing.Go(func() { t.guarded("writer", t.write) })
	go func() { // the waiter, joined through Done
		exit := t.pty.Wait()
		t.writer.stop()
		writing.Wait()
		reading.Wait()
		painting.Wait()
		t.end(exit)
	}()
	return t
}

// end makes the exit known.
func (t *Terminal) end(exit core.Exit) {
	t.mu.Lock()
	lost := t.lost
	t.mu.Unlock()
	ending := core.Ending{Exit: exit, Descendants: t.pty.Descendants(), Lost: lost}
	if err := t.pty.Close(); err != nil {
		t.log.Debug("close a PTY", "pid", t.PID(), "error", err)
	}
	t.onExit(ending)
	close(t.done)
	t.pulse.Beat()
}

// guarded runs one of the goroutines; its fault ends this Terminal and nothing else.
func (t *Terminal) guarded(name string, run func()) {
	defer func() {
		if fault := recover(); fault != nil {
			t.lose(name, fault)
		}
	}()
	run()
}

// lose ends the program because one of the goroutines that serve it failed.
func (t *Terminal) lose(name string, fault any) {
	t.log.Error("a Terminal's "+name+" failed", "pid", t.PID(), "fault", fault, "stack", string(debug.Stack()))
	t.mu.Lock()
	t.lost = fmt.Sprintf("the service's %s for it failed", name)
	t.mu.Unlock()
	t.backlog.close()
	if err := t.pty.Stop(context.Background(), process.Stop{Signal: "SIGKILL"}); err != nil {
		t.log.Error("kill a Terminal that is not served any more", "pid", t.PID(), "error", err)
	}
}

// read moves output from the PTY to the backlog.
func (t *Terminal) read() {
	defer t.backlog.close()
	b := make([]byte, readSize)
	for {
		n, err := t.pty.Read(b)
		t.backlog.put(b[:n])
		switch {
		case err == nil:
		case errors.Is(err, io.EOF): // reaped and drained
			return
		default:
			t.lose("reader", err)
			return
		}
	}
}

// paint moves output from the backlog to the screen and answers the program's queries.
func (t *Terminal) paint() {
	for {
		b := t.backlog.take()
		if b == nil {
			return
		}
		if t.output != nil {
			t.output(b)
		}
		_, _ = t.screen.Write(b) // never fails
		t.bytes.Add(int64(len(b)))
		if r := t.screen.Replies(); len(r) > 0 {
			t.writer.reply(r)
		}
		t.pulse.Beat()
	}
}

// PID is the process id of the program's shell.
func (t *Terminal) PID() int { return t.pty.PID() }

// Bytes is how much output there was so far.
func (t *Terminal) Bytes() int64 { return t.bytes.Load() }

// Screen is what the program drew.
func (t *Terminal) Screen() *screen.Screen { return t.screen }

// Changed is closed at the next change; take it before looking.
func (t *Terminal) Changed() <-chan struct{} { return t.pulse.Changed() }

// Done is closed after the exit, when the final screen can be seen.
func (t *Terminal) Done() <-chan struct{} { return t.done }

// Ended says whether Done is closed.
func (t *Terminal) Ended() bool { return closed(t.done) }

// Revision is the screen's.
func (t *Terminal) Revision() uint64 { return t.screen.Revision() }

// Synchronized is the screen's: whether the program is in the midst of a redraw, and since when.
func (t *Terminal) Synchronized() (bool, time.Time) { return t.screen.Synchronized() }

// Match is the screen's text that a wait for text looks at.
func (t *Terminal) Match(from int) screen.Match { return t.screen.Match(from) }

// Resize changes the size of the screen and then of the PTY, so that what the program draws next fits. A size out of
// range is *core.Error Invalid and changes nothing.
func (t *Terminal) Resize(v core.Viewport) error {
	t.resizing.Lock()
	defer t.resizing.Unlock()
	if v.Valid() { // else the PTY says why not
		t.screen.Resize(v)
		t.pulse.Beat()
	}
	if err := t.pty.Resize(v); err != nil && !closed(t.pty.Done()) {
		return fmt.Errorf("resize the PTY of process %d: %w", t.PID(), err)
	}
	return nil
}

// Signal sends a signal to the program's process group. Nothing is sent once it has ended.
func (t *Terminal) Signal(name string) error { return t.pty.Signal(name) }

// Stop ends the program and its whole process tree and returns when both are gone and the final screen can be seen.
func (t *Terminal) Stop(ctx context.Context, how process.Stop) error {
	if err := t.pty.Stop(ctx, how); err != nil {
		return err
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Await is the wait of somebody who only looks: for the next change beyond a revision, for quiet, for a text that may be
// there already, or for the exit. It ends at the latest after wait. The error is the context's.
func (t *Terminal) Await(ctx context.Context, what string, pattern *settle.Pattern, seen uint64, wait time.Duration) error {
	rule := settle.Rule{Quiet: settle.DefaultQuiet, Wait: wait, Text: pattern}
	switch what {
	case "change":
		rule.Quiet, rule.Seen = 0, seen // quiet for no time, once something changed: at once
	case "quiet":
		rule.Armed = true
	case "exit":
		rule.Quiet = settle.MaxWait + time.Second // never
	}
	if settle.Until(ctx, t, rule) == settle.Canceled {
		return ctx.Err()
	}
	return nil
}

// Whole waits while the program is in the midst of a redraw, at most settle.MaxHalfPainted, so that nobody is shown a
// half-painted screen. The error is the context's.
func (t *Terminal) Whole(ctx context.Context) error {
	var limit time.Time // from the first redraw on: a program that paints all the time holds nobody up
	for {
		changed := t.Changed()
		open, since := t.Synchronized()
		if limit.IsZero() {
			limit = since.Add(settle.MaxHalfPainted)
		}
		left := time.Until(limit)
		if !open || left <= 0 {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(left):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
