//go:build linux

package registry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/registry"
)

// run starts a command in the foreground.
func (f fixture) run(c registry.Caller, run registry.Run) *registry.Call {
	f.t.Helper()
	if run.Cwd == "" {
		run.Cwd = f.cwd
	}
	if run.OnTimeout == "" {
		run.OnTimeout = registry.OnTimeoutKill
	}
	call, err := f.Run(c, run)
	if err != nil {
		f.t.Fatal(err)
	}
	return call
}

// result is what a call gives to its client.
func (f fixture) result(call *registry.Call) registry.CallResult {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	defer cancel()
	res, err := call.Await(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	return res
}

// background runs a command in the background and returns the id of its job.
func (f fixture) background(c registry.Caller, command string) string {
	f.t.Helper()
	res := f.result(f.run(c, registry.Run{Command: command, Background: true}))
	if res.Moved == nil {
		f.t.Fatalf("not moved: %+v", res)
	}
	return res.Moved.ID
}

// exit waits for the exit of an entry.
func (f fixture) exit(id string) core.Entry {
	f.t.Helper()
	e, err := f.AwaitExit(f.t.Context(), person, id, patience)
	if err != nil || e.State != core.Exited {
		f.t.Fatalf("%s did not exit: %+v, %v", id, e, err)
	}
	return e
}

func timeout(n int) *time.Duration { d := ms(n); return &d }

func TestACommandThatEndsInTheForegroundIsNoEntry(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "echo out; echo err >&2; exit 3"})
	res := f.result(call)
	if call.ID() != "c1" || res.Output != "out\nerr\n" || *res.Outcome.Exit.Code != 3 || res.Outcome.Cause != core.CauseExit || res.Moved != nil || res.Entry != nil {
		t.Errorf("%s: %+v", call.ID(), res)
	}
	list, err := f.Entries(person, registry.OfAll, "", "")
	if err != nil || len(list.Jobs)+len(list.Calls) > 0 {
		t.Errorf("list %+v, %v", list, err)
	}
	if id := f.background(agent, "exec sleep 1000"); id != "b1" {
		t.Errorf("the first job is %s", id)
	}
}

func TestACommandThatEndsWithinItsYieldIsAnOrdinaryResult(t *testing.T) {
	f := open(t, registry.Config{})
	t.Cleanup(func() { killAll(t, "4716.3") })
	res := f.result(f.run(agent, registry.Run{Command: "echo ready; sleep 4716.3 &", Background: true, Yield: patience}))
	if res.Moved != nil || res.Output != "ready\n" || *res.Outcome.Exit.Code != 0 || res.Outcome.DescendantsAlive != 1 {
		t.Errorf("%+v", res)
	}
}

func TestAMovedCommandIsAnEntryWithALog(t *testing.T) {
	f := open(t, registry.Config{})
	fifo := mkfifo(t, f.cwd)
	call := f.run(agent, registry.Run{Command: "echo one; read x < fifo; echo two; exit 4", Label: "the job", ToolCallID: "call_7", Notify: true})
	if p, _, err := call.Next(t.Context(), 0); err != nil || string(p) != "one\n" {
		t.Fatalf("%q, %v", p, err)
	}
	list, _ := f.Entries(agent, registry.OfSession, "", "")
	if len(list.Calls) != 1 || list.Calls[0].ID != "c1" || list.Calls[0].PID != call.PID() || list.Calls[0].Label != "the job" {
		t.Errorf("calls %+v", list.Calls)
	}
	to, entry, err := f.Background(person, "c1", core.ByAPI)
	if err != nil {
		t.Fatal(err)
	}
	if to.ID != "b1" || to.By != core.ByAPI || entry.ID != "b1" || entry.Kind != core.KindJob || entry.PID != call.PID() || entry.BackgroundedAt.IsZero() ||
		entry.Label != "the job" || entry.ToolCallID != "call_7" || !entry.Notify || entry.Log == nil || entry.Log.Path != to.LogPath {
		t.Errorf("to %+v, entry %+v", to, entry)
	}
	res := f.result(call)
	if res.Moved == nil || *res.Moved != to || res.Output != "one\n" || res.Outcome != nil || res.Entry.ID != "b1" {
		t.Errorf("%+v", res)
	}
	if _, _, err = f.Background(person, "c1", core.ByAPI); err != nil {
		problem(t, err, core.NotBackgroundable, "not in the foreground any more")
	}
	_, _, err = f.Background(person, "b1", core.ByAPI)
	problem(t, err, core.NotBackgroundable, "in the background already")

	if err := os.WriteFile(fifo, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	done := f.exit("b1")
	if *done.Outcome.Exit.Code != 4 || done.Status() != core.StatusFailed || !done.StartedAt.Equal(entry.StartedAt) || done.StartedAt.After(done.BackgroundedAt) {
		t.Errorf("exited: %+v", done)
	}
	if b, err := os.ReadFile(to.LogPath); err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("log %q, %v", b, err)
	}
	_, _, err = f.Background(person, "b1", core.ByAPI)
	problem(t, err, core.NotRunning, "has exited")
	_, _, err = f.Background(person, "c9", core.ByAPI)
	problem(t, err, core.NotFound, "No call c9")
	_, _, err = f.Background(registry.Caller{Session: "other"}, "b1", core.ByAPI)
	problem(t, err, core.NotFound, "another session")
}

func TestATimeoutEndsACallWithItsWholeTree(t *testing.T) {
	f := open(t, registry.Config{})
	res := f.result(f.run(agent, registry.Run{Command: "echo part; trap '' TERM; setsid sleep 4711.1 & wait", Timeout: timeout(150)}))
	if res.Outcome.Cause != core.CauseTimeout || res.Outcome.By != core.ByService || res.Outcome.Status() != core.StatusFailed || res.Outcome.Exit.Signal != "SIGKILL" || res.Output != "part\n" {
		t.Errorf("%+v", res.Outcome)
	}
	if left := alive("4711.1"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestATimeoutMayMoveInsteadOfKilling(t *testing.T) {
	f := open(t, registry.Config{})
	for _, n := range []int{0, 50} {
		res := f.result(f.run(agent, registry.Run{Command: "exec sleep 1000", Timeout: timeout(n), OnTimeout: registry.OnTimeoutBackground}))
		if res.Moved == nil || res.Moved.By != core.ByTimeout {
			t.Errorf("after %d ms: %+v", n, res)
		}
	}
	_, err := f.Run(agent, registry.Run{Command: "true", Cwd: f.cwd, Timeout: timeout(0), OnTimeout: registry.OnTimeoutKill})
	problem(t, err, core.Invalid, "at least 1")
}

func TestATimeoutIsOverInTheBackgroundUnlessItIsOfEverything(t *testing.T) {
	f := open(t, registry.Config{})
	cleared := f.result(f.run(agent, registry.Run{Command: "exec sleep 1000", Background: true, Timeout: timeout(100)})).Moved.ID
	always := f.result(f.run(agent, registry.Run{Command: "exec sleep 1000", Background: true, Timeout: timeout(100), TimeoutAlways: true})).Moved.ID
	e := f.exit(always)
	if e.Outcome.Cause != core.CauseTimeout || e.Status() != core.StatusFailed || e.Outcome.By != core.ByService {
		t.Errorf("%+v", e.Outcome)
	}
	if e, err := f.Entry(person, cleared); err != nil || e.State != core.Running {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestAClientThatLeavesEndsItsCallAndNoJob(t *testing.T) {
	f := open(t, registry.Config{})
	for _, c := range []struct {
		run  registry.Run
		ends bool
	}{
		{registry.Run{Command: "setsid sleep 4712.1 & exec sleep 4712.1"}, true},
		{registry.Run{Command: "exec sleep 4712.2", Persist: true}, false},
	} {
		call := f.run(agent, c.run)
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := call.Await(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		if _, running := f.calls()[call.ID()]; running == c.ends {
			t.Errorf("%s: runs %v", c.run.Command, running)
		}
	}
	if left := alive("4712.1"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	call := f.run(agent, registry.Run{Command: "exec sleep 1000"})
	if _, _, err := f.Background(agent, call.ID(), core.ByAPI); err != nil {
		t.Fatal(err)
	}
	call.Leave()
	if e, err := f.Entry(person, "b1"); err != nil || e.State != core.Running {
		t.Errorf("%+v, %v", e, err)
	}
}

// calls are those in the foreground.
func (f fixture) calls() map[string]core.Call {
	f.t.Helper()
	list, err := f.Entries(person, registry.OfAll, "", "")
	if err != nil {
		f.t.Fatal(err)
	}
	all := map[string]core.Call{}
	for _, c := range list.Calls {
		all[c.ID] = c
	}
	return all
}

func TestTheCapHoldsForJobsAndNotForCalls(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 2})
	f.background(agent, "exec sleep 1000")
	first := f.run(agent, registry.Run{Command: "exec sleep 1000"})
	second := f.run(agent, registry.Run{Command: "exec sleep 1000", Background: true, Yield: patience})
	if _, _, err := f.Background(agent, first.ID(), core.ByAPI); err != nil {
		t.Fatal(err)
	}
	_, err := f.Run(agent, registry.Run{Command: "touch started", Cwd: f.cwd, Background: true})
	if e := problem(t, err, core.CapReached, "2 of 2"); len(e.Entries) != 2 {
		t.Errorf("entries %+v", e.Entries)
	}
	_, _, err = f.Background(agent, second.ID(), core.ByAPI)
	problem(t, err, core.CapReached, "2 of 2")
	if _, err := os.Stat(filepath.Join(f.cwd, "started")); err == nil {
		t.Error("it was started")
	}
}

func TestACapThatFillsDuringTheYieldLeavesACallInTheForeground(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 1})
	fifo := mkfifo(t, f.cwd)
	call := f.run(agent, registry.Run{Command: "read x < fifo; echo done", Background: true, Yield: ms(400)})
	f.background(agent, "exec sleep 1000")
	select { // it does not move
	case <-call.Over():
		t.Fatal("it is over")
	case <-time.After(ms(600)):
	}
	if err := os.WriteFile(fifo, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res := f.result(call); res.Moved != nil || res.Output != "done\n" {
		t.Errorf("%+v", res)
	}
}

func TestTheKeyMovesTheCallsOfOneSession(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 2})
	for range 3 {
		f.run(agent, registry.Run{Command: "exec sleep 1000"})
	}
	other := f.run(registry.Caller{Session: "other"}, registry.Run{Command: "exec sleep 1000"})
	moved, failed, err := f.BackgroundAll("agent")
	if err != nil || len(moved) != 2 || len(failed) != 1 || failed[0].Err.Code != core.CapReached || moved[0].ID != "b1" || failed[0].CallID != "c3" {
		t.Errorf("moved %+v, failed %+v, %v", moved, failed, err)
	}
	if left := f.calls(); len(left) != 2 || left[other.ID()].ID == "" {
		t.Errorf("left in the foreground: %v", left)
	}
	_, _, err = f.BackgroundAll("nobody")
	problem(t, err, core.NotFound, "nobody")
}

func TestTheRecordOfACommandCanBeKept(t *testing.T) {
	f := open(t, registry.Config{})
	res := f.result(f.run(agent, registry.Run{Command: "echo kept; kill -9 $$", KeepRecord: true}))
	if res.Entry == nil || res.Entry.ID != "b1" || res.Entry.Status() != core.StatusKilled || res.Entry.Outcome.Exit.Signal != "SIGKILL" || res.Outcome == nil || res.Moved != nil {
		t.Fatalf("%+v", res)
	}
	log, done, err := f.Log(person, "b1")
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if b, err := os.ReadFile(log.State().Path); err != nil || string(b) != "kept\n" {
		t.Errorf("log %q, %v", b, err)
	}
	if err := f.Forget(person, "b1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(log.State().Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
}
