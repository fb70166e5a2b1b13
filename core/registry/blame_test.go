//go:build unix

package registry_test

import (
	"context"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/registry"
	"termbay/core/terminal"
)

// stubborn says that it was asked to end, and does not.
const stubborn = "trap 'echo asked' TERM; trap '' HUP; echo up; while :; do sleep 0.05; done"

// up waits until the program has printed "up".
func up() registry.Wait { return registry.Wait{For: patience, Text: "up", Any: true} }

// begin begins a stop and returns what receives its error, once the program was asked to end.
func (f fixture) begin(ctx context.Context, id string, how registry.Stop) <-chan error {
	f.t.Helper()
	turn, err := f.Stop(person, id, how)
	if err != nil {
		f.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { // ends with the stop
		_, _, err := turn.Settle(ctx)
		done <- err
	}()
	f.shows(id, "asked")
	return done
}

// shows waits until a text is on an entry's screen.
func (f fixture) shows(id, text string) {
	f.t.Helper()
	term, err := f.Terminal(person, id)
	if err != nil {
		f.t.Fatal(err)
	}
	p := parse(f.t, text)
	if err := term.Await(f.t.Context(), "text", p, 0, patience); err != nil || !p.In(term.Match(0).Text, nil) {
		f.t.Fatalf("no %s in %q: %v", p, term.Match(0).Text, err)
	}
}

// final waits for the exit and returns the outcome.
func (f fixture) final(id string) core.Outcome {
	f.t.Helper()
	e, err := f.AwaitExit(f.t.Context(), person, id, patience)
	if err != nil || e.Outcome == nil {
		f.t.Fatalf("%+v, %v", e, err)
	}
	return *e.Outcome
}

func TestAStopThatFailsLeavesTheBlameToTheNext(t *testing.T) {
	t.Parallel()
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: stubborn, Wait: up()})
	short := ms(300)
	gentle := f.begin(t.Context(), id, registry.Stop{Grace: &short, By: core.ByAgent})
	firm := f.begin(t.Context(), id, registry.Stop{Escalate: true, By: core.ByUser})
	problem(t, <-gentle, core.StillRunning, "")
	if err := <-firm; err != nil {
		t.Fatal(err)
	}
	if o := f.final(id); o.Cause != core.CauseStopped || o.By != core.ByUser || o.Exit.Signal != "SIGKILL" {
		t.Errorf("%+v", o)
	}
}

func TestAStopWhoseClientLeftGoesOnAndIsToBlame(t *testing.T) {
	f := open(t, registry.Config{})
	for name, c := range map[string]struct {
		command string
		grace   time.Duration
		cause   core.Cause
	}{
		"it works":    {"trap 'echo asked; sleep 0.3; exit 4' TERM; trap '' HUP; echo up; while :; do sleep 0.05; done", patience, core.CauseStopped},
		"it does not": {stubborn, ms(200), core.CauseSignal},
	} {
		t.Run(name, func(t *testing.T) {
			id, _ := f.start(person, registry.Start{Command: c.command, Wait: up()})
			ctx, leave := context.WithCancel(t.Context())
			done := f.begin(ctx, id, registry.Stop{Grace: &c.grace, By: core.ByAgent})
			leave()
			err := <-done
			if c.cause == core.CauseSignal {
				problem(t, err, core.StillRunning, "")
				if _, err := f.Signal(person, id, "KILL"); err != nil {
					t.Fatal(err)
				}
			}
			if o := f.final(id); o.Cause != c.cause {
				t.Errorf("%+v", o)
			}
		})
	}
}

func TestAStopThatWasNeverCarriedOutIsNotToBlame(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "read -r x; exit 3", Wait: registry.Wait{For: 0}})
	if _, err := f.Stop(person, id, agents); err != nil {
		t.Fatal(err)
	}
	f.send(person, id, terminal.Input{Keys: []string{"Enter"}}, untilExit())
	if o := f.final(id); o.Cause != core.CauseExit {
		t.Errorf("%+v", o)
	}
}

func TestEveryStopHasItsOwnGrace(t *testing.T) {
	t.Parallel()
	f := open(t, registry.Config{})
	long := 10 * patience
	stop := func(how registry.Stop) func(string) error {
		return func(id string) error {
			turn, err := f.Stop(person, id, how)
			if err == nil {
				_, _, err = turn.Settle(t.Context())
			}
			return err
		}
	}
	none := time.Duration(0)
	for name, end := range map[string]func(id string) error{
		"a stop with a short grace": stop(registry.Stop{Grace: &none, Escalate: true, By: core.ByAgent}),
		"the end of the session": func(string) error {
			_, _, err := f.End(t.Context(), registry.DefaultSession, registry.ReasonQuit)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			id, _ := f.start(person, registry.Start{Command: stubborn, Wait: up()})
			other := f.begin(t.Context(), id, registry.Stop{Grace: &long, By: core.ByAgent})
			begun := time.Now()
			if err := end(id); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(begun); d > patience {
				t.Errorf("it waited %v for the grace of another stop", d)
			}
			if err := <-other; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAGraceOfZeroIsNone(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: stubborn, Wait: up()})
	none := time.Duration(0)
	res := f.stop(id, registry.Stop{Grace: &none, Escalate: true, By: core.ByAgent})
	if res.Waited >= process.DefaultGrace {
		t.Errorf("it took %v", res.Waited)
	}
	for grace, want := range map[time.Duration]time.Duration{time.Hour: registry.MaxGrace, ms(5): ms(5)} {
		id, _ := f.start(person, registry.Start{Command: "true", Wait: untilExit()})
		turn, err := f.Stop(person, id, registry.Stop{Grace: &grace, By: core.ByAgent})
		if err != nil || turn.Wait() != want {
			t.Errorf("a grace of %v waits %v, %v", grace, turn.Wait(), err)
		}
	}
}
