//go:build unix

package registry_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/terminal"
)

// running fails the test unless so many entries run in all.
func (f fixture) running(want int) {
	f.t.Helper()
	if n, _, _, _ := f.Stats(); n != want {
		f.t.Errorf("%d entries run, want %d", n, want)
	}
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(ms(5))
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

func TestTheCapCountsAGroupAndNamesItsLiveEntries(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 2, MaxRunningTotal: 3})
	child := registry.Caller{Session: "child"}
	if _, _, err := f.Open("child", registry.Opening{Group: "agent", Role: core.OwnerChild}); err != nil {
		t.Fatal(err)
	}
	f.start(agent, registry.Start{Command: "exec sleep 1000", Label: "nap", Wait: registry.Wait{For: 0}})
	f.start(child, registry.Start{Command: "exec  sleep\t1001", Wait: registry.Wait{For: 0}})
	_, err := f.Start(agent, registry.Start{Command: "touch started", Cwd: f.cwd})
	e := problem(t, err, core.CapReached, "2 of 2 terminals and background jobs are running; stop one first: ")
	if len(e.Entries) != 2 || !strings.Contains(e.Detail, "t1 nap (0s)") || !strings.Contains(e.Detail, "t2 exec sleep 1001 (0s)") {
		t.Errorf("%s: %+v", e.Detail, e.Entries)
	}
	f.start(person, registry.Start{Command: "exec sleep 1002", Wait: registry.Wait{For: 0}})
	_, err = f.Start(person, registry.Start{Command: "touch started", Cwd: f.cwd})
	problem(t, err, core.CapReached, "3 of 3 terminals and background jobs of all sessions are running; stop one first: t3 exec sleep 1002 (0s).")
	if _, err := os.Stat(f.cwd + "/started"); err == nil {
		t.Error("a refused start ran")
	}
	f.running(3)
}

func TestParallelStartsNeverPassTheCap(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 4})
	var mu sync.Mutex
	started, refused := 0, 0
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			_, err := f.Start(person, registry.Start{Command: "exec sleep 1000", Cwd: f.cwd})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				started++
			} else {
				problem(t, err, core.CapReached, "")
				refused++
			}
		})
	}
	all.Wait()
	if started != 4 || refused != 8 {
		t.Errorf("%d started, %d refused", started, refused)
	}
	f.running(4)
}

func TestExitedEntriesDoNotCountInTheCap(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 1})
	for range 3 {
		f.start(person, registry.Start{Command: "true", Wait: untilExit()})
	}
	if l, err := f.Entries(person, registry.OfSession, "", core.StatusCompleted); err != nil || l.Exited != 3 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestASessionReachesItsGroupOnly(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(agent, registry.Start{Command: "exec cat", Wait: registry.Wait{For: 0}})
	other := registry.Caller{Session: "other"}
	text := id + " belongs to another session."
	_, err := f.Entry(other, id)
	problem(t, err, core.NotFound, text)
	_, err = f.Send(other, id, terminal.Input{Text: "x"}, registry.Wait{})
	problem(t, err, core.NotFound, text)
	_, err = f.Stop(other, id, registry.Stop{Escalate: true, Forget: true})
	problem(t, err, core.NotFound, text)
	problem(t, f.Forget(other, id), core.NotFound, text)
	_, err = f.Signal(other, id, "SIGKILL")
	problem(t, err, core.NotFound, text)
	if _, err := f.Entry(person, id); err != nil {
		t.Errorf("a caller without a session does not reach it: %v", err)
	}
	if _, _, err := f.Open("other", registry.Opening{Group: "agent"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Entry(other, id); err != nil {
		t.Errorf("a session of the same group does not reach it: %v", err)
	}
	for scope, want := range map[registry.Scope]int{registry.OfSession: 0, registry.OfGroup: 1, registry.OfAll: 1} {
		if l, err := f.Entries(other, scope, "", ""); err != nil || len(l.Terminals) != want {
			t.Errorf("scope %s: %+v, %v", scope, l, err)
		}
	}
}

func TestEndingASessionStopsItsOwnEntriesOnly(t *testing.T) {
	f := open(t, registry.Config{})
	mine, _ := f.start(agent, registry.Start{Command: "trap '' TERM; echo up; while :; do sleep 0.1; done", Wait: registry.Wait{For: patience, Text: "up", Any: true}})
	done, _ := f.start(agent, registry.Start{Command: "true", Wait: untilExit()})
	others, _ := f.start(person, registry.Start{Command: "exec cat", Wait: registry.Wait{For: 0}})
	pid := f.entry(mine).PID
	if s, r, err := f.End(t.Context(), "agent", registry.ReasonReload); s != 0 || r != 0 || err != nil {
		t.Errorf("reload: %d, %d, %v", s, r, err)
	}
	f.running(2)
	stopped, removed, err := f.End(t.Context(), "agent", registry.ReasonQuit)
	if stopped != 1 || removed != 2 || err != nil {
		t.Errorf("quit: %d stopped, %d removed, %v", stopped, removed, err)
	}
	if !gone(pid) {
		t.Error("its program lives on")
	}
	for _, id := range []string{mine, done} {
		_, err := f.Entry(person, id)
		problem(t, err, core.Gone, id+" was stopped and forgotten.")
	}
	if f.entry(others).State != core.Running {
		t.Error("another session's entry was stopped")
	}
	_, err = f.Start(agent, registry.Start{Command: "true", Cwd: f.cwd})
	problem(t, err, core.Gone, "Session agent has ended; open it again with PUT /v1/sessions/agent.")
	if _, created, err := f.Open("agent", registry.Opening{}); !created || err != nil {
		t.Errorf("open it again: %v, %v", created, err)
	}
	f.start(agent, registry.Start{Command: "true", Wait: untilExit()})
}

// entry is one entry as a person sees it.
func (f fixture) entry(id string) core.Entry {
	f.t.Helper()
	e, err := f.Entry(person, id)
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

func TestALeaseEndsASessionThatNobodyCarries(t *testing.T) {
	f := open(t, registry.Config{})
	lease := ms(150)
	if _, _, err := f.Open("agent", registry.Opening{Lease: &lease}); err != nil {
		t.Fatal(err)
	}
	leave, err := f.Enter(agent) // a request under way, however long it takes
	if err != nil {
		t.Fatal(err)
	}
	id, _ := f.start(agent, registry.Start{Command: "exec sleep 1000", Wait: registry.Wait{For: 3 * lease}})
	pid := f.entry(id).PID
	if _, idle := f.Idle(); idle {
		t.Error("idle with a lease")
	}
	if _, err := f.Session("agent"); err != nil {
		t.Fatalf("it ended while a request carried it: %v", err)
	}
	leave()
	eventually(t, "the lease to end the session", func() bool { return gone(pid) })
	eventually(t, "its entry to be forgotten", func() bool { _, err := f.Entry(person, id); return err != nil })
	_, err = f.Session("agent")
	problem(t, err, core.Gone, "Session agent has ended.")
	if _, idle := f.Idle(); !idle {
		t.Error("not idle after everything ended")
	}
}

func TestASessionKeepsWhatAnOpeningDoesNotName(t *testing.T) {
	f := open(t, registry.Config{})
	label, cwd, viewport := "Build", f.cwd, core.Viewport{Cols: 30, Rows: 5}
	_, created, err := f.Open("agent", registry.Opening{Label: &label, Cwd: &cwd, Group: "g", Defaults: &registry.Defaults{Viewport: &viewport, CommandPrefix: "greet=hi", MaxRunning: 1}})
	if !created || err != nil {
		t.Fatal(created, err)
	}
	s, created, err := f.Open("agent", registry.Opening{})
	if created || err != nil || s.Label != label || s.Group != "g" || s.Role != core.OwnerRoot {
		t.Errorf("%+v, %v, %v", s, created, err)
	}
	turn, err := f.Start(agent, registry.Start{Command: `echo $greet; stty size; pwd; exec cat`, Wait: registry.Wait{For: patience, Text: f.cwd, Any: true}})
	if err != nil {
		t.Fatal(err)
	}
	if res := f.settle(turn); !strings.HasPrefix(res.Screen, "hi\n5 30\n") {
		t.Errorf("the defaults were not taken: %q", res.Screen)
	}
	if e := f.entry(turn.ID()); e.Command != "echo $greet; stty size; pwd; exec cat" || e.Group != "g" {
		t.Errorf("%+v", e)
	}
	_, err = f.Start(agent, registry.Start{Command: "true"})
	problem(t, err, core.CapReached, "1 of 1 ")
	_, _, err = f.Open("a b", registry.Opening{})
	problem(t, err, core.Invalid, "A session id has 1 to 128 characters")
	_, err = f.Session("nobody")
	problem(t, err, core.NotFound, "No session nobody")
}

func TestShutdownLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	f := open(t, registry.Config{})
	var pids []int
	for i := range 5 {
		id, _ := f.start(registry.Caller{Session: fmt.Sprint("s", i)}, registry.Start{Command: "setsid sleep 1000 & trap '' HUP TERM; echo up; while :; do sleep 0.1; done", Wait: registry.Wait{For: patience, Text: "up", Any: true}})
		pids = append(pids, f.entry(id).PID)
	}
	f.Shutdown(t.Context())
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
	_, err := f.Start(person, registry.Start{Command: "true", Cwd: f.cwd})
	problem(t, err, core.ShuttingDown, "termbay serve")
}
