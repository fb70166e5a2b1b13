//go:build linux

package registry_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/registry"
)

func TestACallKeepsTheServiceBusy(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "exec sleep 1000"})
	if _, idle := f.Idle(); idle {
		t.Error("idle, with a call")
	}
	before, _ := f.Idle()
	call.Leave()
	f.result(call)
	if since, idle := f.Idle(); !idle || !since.After(before) {
		t.Errorf("idle %v since %v, busy before %v", idle, since, before)
	}
}

func TestACallIsReachedByItsGroupOnly(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "exec cat", Stdin: true})
	stranger := registry.Caller{Session: "stranger"}
	_, _, err := f.Background(stranger, call.ID(), core.ByAPI)
	problem(t, err, core.NotFound, "another session")
	_, err = f.JobInput(stranger, call.ID(), []byte("x"), false)
	problem(t, err, core.NotFound, "another session")
	if rep, err := f.JobInput(person, call.ID(), []byte("x"), false); err != nil || rep.Entry != nil || rep.Taken != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	_, err = f.Entry(agent, call.ID())
	problem(t, err, core.NotFound, "/background makes it one")
}

func TestCallsAreListedWhereTheyBelong(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "exec sleep 1000"})
	f.result(f.run(agent, registry.Run{Command: "true"})) // is over
	for _, c := range []struct {
		who    registry.Caller
		scope  registry.Scope
		kind   core.Kind
		status core.Status
		want   int
	}{
		{agent, registry.OfSession, "", "", 1},
		{agent, registry.OfGroup, "", core.StatusRunning, 1},
		{person, registry.OfAll, "", "", 1},
		{person, registry.OfSession, "", "", 0},
		{registry.Caller{Session: "other"}, registry.OfGroup, "", "", 0},
		{agent, registry.OfSession, core.KindJob, "", 0}, // it is none yet
		{agent, registry.OfSession, "", core.StatusFailed, 0},
	} {
		list, err := f.Entries(c.who, c.scope, c.kind, c.status)
		if err != nil || len(list.Calls) != c.want || c.want == 1 && list.Calls[0].ID != call.ID() {
			t.Errorf("%+v: %+v, %v", c, list.Calls, err)
		}
	}
}

func TestTheFullOutputOfACallStaysUntilItsSessionEnds(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "seq 5000"})
	res := f.result(call)
	file, err := f.Output(agent, call.ID(), 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(file)
	file.Close()
	if !strings.HasPrefix(string(b), "1\n2\n") || !strings.HasSuffix(string(b), "\n5000\n") {
		t.Errorf("%d bytes", len(b))
	}
	_, err = f.Output(registry.Caller{Session: "other"}, call.ID(), 1)
	problem(t, err, core.NotFound, "another session")
	if _, _, err := f.End(t.Context(), "agent", registry.ReasonQuit); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(res.FullOutput); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", res.FullOutput, err)
	}
}

func TestWhoMovedACallStandsInItsTimeline(t *testing.T) {
	f := open(t, registry.Config{})
	run := registry.Run{Command: "exec sleep 1000"}
	run.Background = true
	byFlag := f.result(f.run(agent, run)).Moved.ID
	run.Background, run.Timeout, run.OnTimeout = false, timeout(1), registry.OnTimeoutBackground
	byTimeout := f.result(f.run(agent, run)).Moved.ID
	run.Timeout = nil
	call := f.run(agent, run)
	byAPI, _, err := f.Background(person, call.ID(), core.ByAPI)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]core.Event{
		byFlag:    {By: core.ByAgent, Detail: "flag"},
		byTimeout: {By: core.ByService, Detail: "timeout"},
		byAPI.ID:  {By: core.ByUser, Detail: "api"},
	} {
		events, err := f.Timeline(person, id)
		if err != nil || len(events) != 2 || events[0].Kind != "started" || events[1].Kind != "backgrounded" || events[1].By != want.By || events[1].Detail != want.Detail {
			t.Errorf("%s: %+v, %v", id, events, err)
		}
	}
}

// Once a job is forgotten nothing of it stays with the service, whoever holds its pipe.
func TestAForgottenJobLetsGoOfItsPipe(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "echo up; sleep 0.2; sleep 1000 & exit 0")
	f.exit(id)
	pipes := func() (n int) {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.HasPrefix(to, "pipe:") {
				n++
			}
		}
		return n
	}
	before := pipes()
	if err := f.Forget(agent, id); err != nil {
		t.Fatal(err)
	}
	if after := pipes(); after >= before {
		t.Errorf("%d pipes before, %d after", before, after)
	}
}

func TestAMoveThatIsRefusedLeavesNoLog(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 1})
	id := f.background(agent, "exec sleep 1000")
	call := f.run(agent, registry.Run{Command: "exec sleep 1000"})
	_, _, err := f.Background(agent, call.ID(), core.ByAPI)
	problem(t, err, core.CapReached, "1 of 1")
	log, _, err := f.Log(agent, id)
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := filepath.Glob(filepath.Join(filepath.Dir(log.State().Path), "b*")); len(all) != 1 {
		t.Errorf("logs: %v", all)
	}
}

// What has exited before it is stopped was not stopped.
func TestAStopWithinTheGraceAfterTheExitIsNotToBlame(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "sleep 0.2; sleep 1000 & exit 3") // holds the pipe: its end is known 100 ms later
	for {
		e, err := f.Entry(agent, id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("/proc/" + strconv.Itoa(e.PID)); err != nil { // reaped
			break
		}
	}
	end := f.end(agent, id, registry.Stop{Escalate: true, By: core.ByAgent})
	if end.Entry.Outcome.Cause != core.CauseExit || *end.Entry.Outcome.Exit.Code != 3 {
		t.Errorf("%+v", end.Entry.Outcome)
	}
}
