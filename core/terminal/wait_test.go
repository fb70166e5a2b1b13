//go:build unix

package terminal_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/screen"
	"termbay/core/settle"
	"termbay/core/terminal"
)

func TestAwait(t *testing.T) {
	p := start(t, "echo up; while read -r x; do test \"$x\" = end && exit 3; echo \"got $x\"; done")
	p.shows("up")
	seen := p.Revision()
	waits := func(what string, seen uint64) chan error {
		done := make(chan error, 1)
		go func() { done <- p.Await(t.Context(), what, nil, seen, patience) }() // ends at the latest after patience
		return done
	}
	if err := <-waits("change", seen-1); err != nil {
		t.Errorf("a change that was there: %v", err)
	}
	if err := <-waits("quiet", 0); err != nil {
		t.Errorf("quiet: %v", err)
	}
	exit, change := waits("exit", 0), waits("change", seen)
	select {
	case <-exit:
		t.Error("the program has not exited")
	case <-change:
		t.Error("nothing changed")
	case <-time.After(2 * settle.DefaultQuiet):
	}
	p.types(terminal.Input{Text: "x\n"})
	if err := <-change; err != nil || p.Revision() == seen {
		t.Errorf("a change: %v", err)
	}
	p.shows("got x")
	p.types(terminal.Input{Text: "end\n"})
	if err := <-exit; err != nil || !p.Ended() {
		t.Errorf("the exit: %v, ended %v", err, p.Ended())
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Await(gone, "exit", nil, 0, patience); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
}

func TestWholeWaitsForTheEndOfARedraw(t *testing.T) {
	p := start(t, `printf '\033[?2026h'; echo begun; read -r x; printf '\033[?2026l'; echo done; exec cat`)
	p.shows("begun")
	begun := time.Now()
	if err := p.Whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	open, since := p.Synchronized()
	if !open || time.Since(since) < settle.MaxHalfPainted {
		t.Errorf("it did not wait: open %v for %v, waited %v", open, time.Since(since), time.Since(begun))
	}
	p.types(terminal.Input{Text: "\n"})
	p.shows("done")
	if open, _ := p.Synchronized(); open {
		t.Error("the redraw has ended")
	}
	if err := p.Whole(t.Context()); err != nil {
		t.Error(err)
	}
}

// A program that always paints is half-painted whenever somebody looks.
func TestWholeIsNotHeldUpByFrameAfterFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, stop := terminal.Around(screen.New(core.DefaultViewport())), make(chan struct{})
		frames := time.NewTicker(40 * time.Millisecond)
		defer frames.Stop()
		go func() { // ends with stop
			for {
				p.Feed([]byte("\x1b[?2026l\x1b[?2026hframe\r\n"))
				select {
				case <-frames.C:
				case <-stop:
					return
				}
			}
		}()
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.Whole(ctx); err != nil || time.Since(begun) != settle.MaxHalfPainted-10*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		close(stop)
	})
}

func TestWholeEndsWithItsCaller(t *testing.T) {
	p := start(t, `printf '\033[?2026hx'; exec cat`)
	p.shows("x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Whole(ctx); err != nil && !errors.Is(err, context.Canceled) { // nil when 150 ms have passed already
		t.Error(err)
	}
}

func TestResizeReachesTheScreenAndTheProgram(t *testing.T) {
	p := start(t, "echo up; while read -r x; do stty size; done; exit 3")
	p.shows("up")
	if err := p.Resize(core.Viewport{Cols: 90, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	p.types(terminal.Input{Text: "\n"})
	p.shows("20 90")
	if v := p.Screen().Head().Viewport; v != (core.Viewport{Cols: 90, Rows: 20}) {
		t.Errorf("the screen is %v", v)
	}
	problem(t, p.Resize(core.Viewport{Cols: 5000, Rows: 20}), core.Invalid, "A viewport of 5000×20 is not possible")
	if v := p.Screen().Head().Viewport; v != (core.Viewport{Cols: 90, Rows: 20}) {
		t.Errorf("a size that was refused made the screen %v", v)
	}
	p.types(terminal.Input{Keys: []string{"Control+D"}})
	p.ends()
	if err := p.Resize(core.Viewport{Cols: 70, Rows: 20}); err != nil {
		t.Errorf("after the exit: %v", err)
	}
}
