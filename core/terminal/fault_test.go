//go:build unix

package terminal_test

import (
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/terminal"
)

func TestAFaultEndsItsTerminalOnly(t *testing.T) {
	other := start(t, "echo up; exec cat")
	other.shows("up")
	for name, c := range map[string]struct {
		starts  starter
		command string
		provoke func(p program)
	}{
		"painter": {terminal.StartBlind, "trap '' HUP; echo up; while :; do echo flood; done", func(program) {}},
		"writer":  {terminal.Start, "trap '' HUP; exec sleep 1000", func(p program) { p.BreakWriter() }},
		"reader": {terminal.Start, "trap '' HUP; touch up; while :; do sleep 0.05; done", func(p program) {
			eventually(t, "the program to ignore SIGHUP", p.has("up"))
			if err := p.BreakReader(); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := startWith(t, c.starts, c.command, core.Viewport{})
			c.provoke(p)
			e := p.ends()
			if !strings.Contains(e.Lost, name) {
				t.Errorf("it ended as %+v", e)
			}
			if !gone(p.PID()) {
				t.Error("its program lives on, and nobody serves it")
			}
			if e.Exit.Signal != "SIGKILL" {
				t.Errorf("exit %+v", e.Exit)
			}
		})
	}
	other.types(terminal.Input{Text: "still here\n"})
	other.shows("/still here\nstill here/")
}

func TestAnInputIsGivenUpWhenTheWriterFails(t *testing.T) {
	p := start(t, "stty raw -echo; echo up; exec sleep 1000")
	p.shows("up")
	p.BreakWriter()
	y, err := p.Type(terminal.Input{Text: "x"})
	if err != nil {
		return // the program has ended already
	}
	within(t, patience, "an input that nobody writes", func() { y.Wait() })
}
