//go:build linux

package registry_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/registry"
)

// killAll ends what a test left behind on purpose.
func killAll(t *testing.T, marker string) {
	t.Helper()
	for _, path := range alive(marker) {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
	}
}

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
	id := f.background(agent, "echo up; sleep 0.2; sleep 4716.1 & exit 0")
	t.Cleanup(func() { killAll(t, "4716.1") })
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
	id := f.background(agent, "sleep 0.2; sleep 4716.2 & exit 3") // holds the pipe: its end is known 100 ms later
	t.Cleanup(func() { killAll(t, "4716.2") })
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

func TestATimeoutThatFindsNoPlaceLeavesTheCallAlone(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 1})
	f.background(agent, "exec sleep 1000")
	fifo := mkfifo(t, f.cwd)
	call := f.run(agent, registry.Run{Command: "read x < fifo; echo done", Timeout: timeout(50), OnTimeout: registry.OnTimeoutBackground})
	select {
	case <-call.Over():
		t.Fatalf("%+v", f.result(call))
	case <-time.After(ms(300)):
	}
	if err := os.WriteFile(fifo, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res := f.result(call); res.Moved != nil || res.Output != "done\n" || res.Outcome.Cause != core.CauseExit {
		t.Errorf("%+v", res)
	}
}

func TestWhatWasPrintedCountsOnce(t *testing.T) {
	f := open(t, registry.Config{})
	f.result(f.run(agent, registry.Run{Command: "printf 12345"}))
	f.result(f.run(agent, registry.Run{Command: "printf 678", KeepRecord: true}))
	id := f.background(agent, "printf 90; exec sleep 1000")
	log, _, _ := f.Log(agent, id)
	for log.State().Bytes < 2 {
		<-log.Changed()
	}
	total := func() registry.Totals { _, _, _, totals := f.Stats(); return totals }
	if got := total(); got.Output != 10 || got.Calls != 3 || got.Started[core.KindJob] != 2 {
		t.Errorf("%+v", got)
	}
	f.end(agent, id, registry.Stop{Escalate: true, Forget: true, By: core.ByAgent})
	if got := total(); got.Output != 10 {
		t.Errorf("once forgotten: %+v", got)
	}
}

func TestTheEndOfAJobTellsWhereTheRestIs(t *testing.T) {
	f := open(t, registry.Config{})
	for _, keep := range []bool{true, false} {
		id := f.background(agent, "sleep 0.2; seq 5000; exec sleep 1000")
		log, _, _ := f.Log(agent, id)
		for log.State().Bytes < 23893 {
			<-log.Changed()
		}
		end := f.end(agent, id, registry.Stop{Escalate: true, Forget: true, KeepLog: keep, By: core.ByAgent})
		want := "[Only the newest output is shown; the log went with the job.]"
		if keep {
			want = "[Only the newest output is shown. Full output: " + log.State().Path + "]"
		}
		if !end.Truncated || !strings.HasPrefix(end.Text, "3001\n") || !strings.Contains(end.Text, "\n5000\n"+want+"\n["+id+" was stopped (SIGTERM) after ") {
			t.Errorf("%.20q … %q", end.Text, end.Text[max(0, len(end.Text)-200):])
		}
	}
}

func TestTheEndOfInputIsNoByteOfIt(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "stty -echo; echo up; cat", TTY: true})
	if p, _, err := call.Next(t.Context(), 0); err != nil || string(p) != "up\r\n" {
		t.Fatalf("%q, %v", p, err)
	}
	if rep, err := f.JobInput(agent, call.ID(), []byte("abc\n"), true); err != nil || rep.Taken != 4 {
		t.Errorf("%+v, %v", rep, err)
	}
	if res := f.result(call); res.Output != "up\r\nabc\r\n" {
		t.Errorf("%q", res.Output)
	}
}
