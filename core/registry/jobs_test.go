//go:build linux

package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"termbay/core"
	"termbay/core/registry"
)

// mkfifo makes a pipe that a command can wait at.
func mkfifo(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// end stops a job and delivers what is told of it.
func (f fixture) end(c registry.Caller, id string, how registry.Stop) registry.JobEnd {
	f.t.Helper()
	turn, err := f.Stop(c, id, how)
	if err != nil {
		f.t.Fatal(err)
	}
	if !turn.OfJob() {
		f.t.Fatalf("%s is no job", id)
	}
	end, deliver, err := turn.End(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	deliver()
	return end
}

func TestAStopOfAJobTakesItsTreeAndItsLog(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "echo up; setsid sleep 4713.1 & sleep 4713.1 & wait")
	log, _, err := f.Log(agent, id)
	if err != nil {
		t.Fatal(err)
	}
	for log.State().Bytes < 3 {
		<-log.Changed()
	}
	end := f.end(agent, id, registry.Stop{Escalate: true, Forget: true, By: core.ByAgent})
	if end.Entry.Status() != core.StatusKilled || end.Entry.Outcome.Cause != core.CauseStopped || end.Entry.Outcome.Exit.Signal != "SIGTERM" || end.Output != "up\n" ||
		!strings.HasPrefix(end.Text, "up\n[b1 was stopped (SIGTERM) after ") {
		t.Errorf("%+v", end)
	}
	if left := alive("4713.1"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	_, err = f.Job(agent, id)
	problem(t, err, core.Gone, "stopped and forgotten")
	if _, err := os.Stat(log.State().Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
}

func TestTheLogOfAStoppedJobCanBeKeptUntilItsSessionEnds(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "echo up; exec sleep 1000")
	log, _, _ := f.Log(agent, id)
	f.end(agent, id, registry.Stop{Escalate: true, Forget: true, KeepLog: true, By: core.ByAgent})
	if _, err := os.Stat(log.State().Path); err != nil {
		t.Error(err)
	}
	if _, _, err := f.End(t.Context(), "agent", registry.ReasonQuit); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(log.State().Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
}

func TestAJobThatAPersonStopsStays(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "exec sleep 1000")
	f.end(person, id, registry.Stop{Escalate: true, Forget: true, By: core.ByUser})
	if e, err := f.Job(agent, id); err != nil || e.Outcome.By != core.ByUser {
		t.Errorf("%+v, %v", e, err)
	}
	again := f.end(agent, id, registry.Stop{Escalate: true, Forget: true, By: core.ByAgent}) // just its final output
	if again.Entry.Outcome.By != core.ByUser || !strings.Contains(again.Text, "(no output)") || !strings.Contains(again.Text, "stopped by the user") {
		t.Errorf("%+v", again)
	}
}

func TestAStopWithoutEscalationLeavesADeafJobAlone(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "trap '' TERM; echo up; while :; do sleep 0.05; done")
	log, _, _ := f.Log(agent, id)
	for log.State().Bytes < 3 {
		<-log.Changed()
	}
	turn, err := f.Stop(agent, id, registry.Stop{Grace: timeout(100), By: core.ByAgent})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = turn.End(t.Context())
	problem(t, err, core.StillRunning, "still running")
	if _, err := f.Signal(agent, id, "KILL"); err != nil {
		t.Fatal(err)
	}
	if e := f.exit(id); e.Outcome.Cause != core.CauseSignal || e.Outcome.Exit.Signal != "SIGKILL" {
		t.Errorf("%+v", e.Outcome)
	}
}

func TestASessionTakesItsCallsJobsAndLogsAlong(t *testing.T) {
	f := open(t, registry.Config{})
	id := f.background(agent, "exec sleep 4714.1")
	call := f.run(agent, registry.Run{Command: "exec sleep 4714.1"})
	log, _, _ := f.Log(agent, id)
	others := f.background(registry.Caller{Session: "other"}, "exec sleep 1000")
	stopped, removed, err := f.End(t.Context(), "agent", registry.ReasonQuit)
	if err != nil || stopped != 1 || removed != 1 {
		t.Errorf("stopped %d, removed %d, %v", stopped, removed, err)
	}
	if res := f.result(call); res.Outcome.Cause != core.CauseSessionEnded || res.Outcome.By != core.BySession {
		t.Errorf("%+v", res.Outcome)
	}
	if left := alive("4714.1"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(log.State().Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
	if e, err := f.Job(person, others); err != nil || e.State != core.Running {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestExactInputAndItsEnd(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "od -An -c; echo rest", Stdin: true})
	if _, _, err := f.Background(agent, call.ID(), core.ByAPI); err != nil {
		t.Fatal(err)
	}
	if rep, err := f.JobInput(agent, "b1", []byte("a\x00\r\n"), false); err != nil || rep.Taken != 4 || rep.Entry == nil || rep.Entry.LastInputAt.IsZero() {
		t.Errorf("%+v, %v", rep, err)
	}
	if _, err := f.JobInput(agent, "b1", nil, true); err != nil {
		t.Fatal(err)
	}
	e := f.exit("b1")
	if b, err := os.ReadFile(e.Log.Path); err != nil || string(b) != "   a  \\0  \\r  \\n\nrest\n" {
		t.Errorf("log %q, %v", b, err)
	}
	_, err := f.JobInput(agent, "b1", []byte("x"), false)
	problem(t, err, core.NotRunning, "has exited")

	deaf := f.run(agent, registry.Run{Command: "exec sleep 1000"})
	_, err = f.JobInput(agent, deaf.ID(), []byte("x"), false)
	problem(t, err, core.StdinClosed, `"stdin": "open"`)
	id, _ := f.start(agent, registry.Start{Command: "cat", Wait: registry.Wait{For: ms(1)}})
	_, err = f.JobInput(agent, id, []byte("x"), false)
	problem(t, err, core.NotFound, "is a Terminal")
}

func TestAJobOnAPTYHasAScreenAndALog(t *testing.T) {
	f := open(t, registry.Config{})
	call := f.run(agent, registry.Run{Command: "stty -echo; test -t 0 && echo tty; read -r x; echo got $x; cat; exit 6", TTY: true})
	if p, _, err := call.Next(t.Context(), 0); err != nil || string(p) != "tty\r\n" {
		t.Fatalf("%q, %v", p, err)
	}
	if rep, err := f.JobInput(agent, call.ID(), []byte("text\n"), false); err != nil || rep.Taken != 5 {
		t.Fatalf("%+v, %v", rep, err)
	}
	_, entry, err := f.Background(agent, call.ID(), core.ByAPI)
	if err != nil || entry.Viewport != core.DefaultViewport() {
		t.Fatalf("%+v, %v", entry, err)
	}
	term, err := f.Terminal(agent, "b1")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Await(t.Context(), agent, "b1", registry.Watch{For: "text", Pattern: parse(t, "got text"), Wait: patience}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.JobInput(agent, "b1", nil, true); err != nil { // ends cat
		t.Fatal(err)
	}
	e := f.exit("b1")
	if *e.Outcome.Exit.Code != 6 || term.Screen().Snapshot().Text() != "tty\ngot text\n" {
		t.Errorf("%+v, screen %q", e.Outcome, term.Screen().Snapshot().Text())
	}
	if b, err := os.ReadFile(e.Log.Path); err != nil || string(b) != "tty\r\ngot text\r\n" {
		t.Errorf("log %q, %v", b, err)
	}
	id := f.background(agent, "exec sleep 1000")
	_, err = f.Terminal(agent, id)
	problem(t, err, core.NotFound, "without a screen")
}

func TestATerminalMayHaveALog(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(agent, registry.Start{Command: `printf 'a\033[31mb\n'; printf c`, Log: true, Wait: untilExit()})
	e := f.exit(id)
	if b, err := os.ReadFile(e.Log.Path); err != nil || string(b) != "a\x1b[31mb\r\nc" {
		t.Errorf("log %q, %v", b, err)
	}
	plain, _ := f.start(agent, registry.Start{Command: "true", Wait: untilExit()})
	_, _, err := f.Log(agent, plain)
	problem(t, err, core.NotFound, "has no log")
}
