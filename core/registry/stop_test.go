//go:build unix

package registry_test

import (
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/terminal"
)

// stop stops an entry and delivers its final result.
func (f fixture) stop(id string, how registry.Stop) terminal.Result {
	f.t.Helper()
	turn, err := f.Stop(person, id, how)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.settle(turn)
}

// agents is how terminal_stop stops.
var agents = registry.Stop{Escalate: true, Forget: true, By: core.ByAgent}

func TestAStopReturnsTheFinalScreenAndForgets(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "trap 'echo bye; exit 4' TERM; trap '' HUP; echo up; while :; do sleep 0.05; done", Wait: registry.Wait{For: patience, Text: "up", Any: true}})
	res := f.stop(id, agents)
	if !strings.Contains(res.Screen, "up") || res.Outcome == nil || res.Outcome.Cause != core.CauseStopped || res.Outcome.By != core.ByAgent {
		t.Fatalf("%+v", res)
	}
	if res.Outcome.Status() != core.StatusKilled {
		t.Errorf("a stopped entry is %s", res.Outcome.Status())
	}
	_, err := f.Stop(person, id, agents)
	problem(t, err, core.Gone, id+" was stopped and forgotten.")
}

func TestWhatAPersonStopsStays(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "exec sleep 1000", Wait: registry.Wait{For: 0}})
	res := f.stop(id, registry.Stop{Escalate: true, Forget: true, By: core.ByUser})
	if !strings.Contains(res.Text, "["+id+" was stopped by the user (SIG") {
		t.Errorf("text: %q", res.Text)
	}
	if e := f.entry(id); e.State != core.Exited || e.Outcome.By != core.ByUser {
		t.Errorf("%+v", e)
	}
}

func TestAnExitedEntryReturnsItsFinalResult(t *testing.T) {
	f := open(t, registry.Config{})
	id, res := f.start(person, registry.Start{Command: "echo out; exit 3", Wait: untilExit()})
	if res.Screen != "out" || *res.Outcome.Exit.Code != 3 || !strings.Contains(res.Text, "["+id+" exited with code 3 after ") {
		t.Fatalf("%+v", res)
	}
	res = f.send(person, id, terminal.Input{}, untilExit())
	if res.Changed || res.Outcome == nil || res.Waited > patience/2 {
		t.Errorf("a poll of an exited Terminal: %+v", res)
	}
	_, err := f.Send(person, id, terminal.Input{Text: "x"}, registry.Wait{})
	if e := problem(t, err, core.NotRunning, id+" has exited (code 3); it takes no more input. Stop it to forget it."); e.Entry == nil || e.Entry.State != core.Exited {
		t.Errorf("%+v", e.Entry)
	}
	_, err = f.Resize(person, id, core.DefaultViewport())
	problem(t, err, core.NotRunning, "")
	_, err = f.Signal(person, id, "TERM")
	problem(t, err, core.NotRunning, "")
	res = f.stop(id, agents)
	if res.Outcome.Cause != core.CauseExit {
		t.Errorf("a stop after the exit changed the outcome: %+v", res.Outcome)
	}
	_, err = f.Entry(person, id)
	problem(t, err, core.Gone, "")
}

func TestAStopWithoutEscalationMayFail(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "trap '' TERM HUP; echo up; while :; do sleep 0.05; done", Wait: registry.Wait{For: patience, Text: "up", Any: true}})
	grace := ms(200)
	turn, err := f.Stop(person, id, registry.Stop{Grace: &grace, Forget: true, By: core.ByAgent})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = turn.Settle(t.Context())
	problem(t, err, core.StillRunning, "")
	problem(t, f.Forget(person, id), core.StillRunning, "stop it first")
	if _, err := f.Signal(person, id, "KILL"); err != nil {
		t.Fatal(err)
	}
	res := f.send(person, id, terminal.Input{}, untilExit())
	if res.Outcome == nil || res.Outcome.Cause != core.CauseSignal || res.Outcome.Exit.Signal != "SIGKILL" {
		t.Errorf("a stop that failed is still blamed: %+v", res.Outcome)
	}
	if err := f.Forget(person, id); err != nil {
		t.Error(err)
	}
}

func TestTheTimelineTellsWhatHappenedButNotWhatWasTyped(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "exec cat", Wait: registry.Wait{For: 0}})
	f.send(person, id, terminal.Input{Text: "secret", Keys: []string{"Enter"}}, registry.Wait{For: 0})
	if _, err := f.Resize(person, id, core.Viewport{Cols: 90, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	f.stop(id, registry.Stop{Escalate: true, By: core.ByAgent})
	events, err := f.Timeline(person, id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, strings.TrimSpace(e.Kind+" "+e.Detail))
	}
	want := "started 120×40, read, input 6 bytes Enter, read, resized 90×20, stop_requested SIGTERM, exited SIGHUP, read"
	if s := strings.Join(got, ", "); s != want && s != strings.Replace(want, "exited SIGHUP", "exited SIGTERM", 1) {
		t.Errorf("timeline: %s", s)
	}
}

func TestIdsAreNeverUsedTwice(t *testing.T) {
	f := open(t, registry.Config{})
	a, _ := f.start(person, registry.Start{Command: "true", Wait: untilExit()})
	f.stop(a, agents)
	_, err := f.Start(person, registry.Start{Command: "true", Cwd: "/no/such"})
	problem(t, err, core.CwdMissing, "Working directory does not exist: /no/such")
	b, _ := f.start(person, registry.Start{Command: "true", Wait: untilExit()})
	if a != "t1" || b != "t2" {
		t.Errorf("ids %s, %s: a start that failed took one, or one was used again", a, b)
	}
	for _, id := range []string{"t3", "t01", "T1", "t1/../b1", "t0", "t-1", "t99999999999999999999", "b1", ""} {
		_, err := f.Entry(person, id)
		problem(t, err, core.NotFound, "No entry ")
	}
}
