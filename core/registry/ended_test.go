//go:build unix

package registry_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/terminal"
)

func TestALateRequestDoesNotOpenAnEndedSessionAgain(t *testing.T) {
	t.Parallel()
	f := open(t, registry.Config{})
	const many = 10_010 // more than are remembered
	for i := range many {
		id := fmt.Sprint("s", i)
		if _, _, err := f.Open(id, registry.Opening{}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.End(t.Context(), id, registry.ReasonQuit); err != nil {
			t.Fatal(err)
		}
	}
	last := registry.Caller{Session: fmt.Sprint("s", many-1)}
	if _, err := f.Enter(last); err == nil {
		t.Error("the session that ended last was opened by a late request")
	} else {
		problem(t, err, core.Gone, "has ended; open it again")
	}
	_, _, err := f.End(t.Context(), last.Session, registry.ReasonQuit)
	problem(t, err, core.Gone, "has ended.")
	leave, err := f.Enter(registry.Caller{Session: "s0"})
	if err != nil {
		t.Fatalf("what ended first is remembered for ever: %v", err)
	}
	leave()
}

func TestWhoNamesNoSessionIsAlwaysLetIn(t *testing.T) {
	f := open(t, registry.Config{})
	f.start(person, registry.Start{Command: "exec cat", Wait: registry.Wait{For: 0}})
	if _, removed, err := f.End(t.Context(), registry.DefaultSession, registry.ReasonQuit); removed != 1 || err != nil {
		t.Errorf("%d, %v", removed, err)
	}
	f.start(person, registry.Start{Command: "true", Wait: untilExit()})
}

func TestASessionThatIsOpenedAgainHasReadNothing(t *testing.T) {
	f := open(t, registry.Config{})
	reader := registry.Caller{Session: "reader"}
	enter := func() {
		if _, _, err := f.Open("reader", registry.Opening{Group: "agent"}); err != nil {
			t.Fatal(err)
		}
	}
	id, _ := f.start(agent, registry.Start{Command: "seq 100; echo up; exec cat", Wait: up()})
	for range 2 {
		enter()
		if res := f.send(reader, id, terminal.Input{}, registry.Wait{For: 0}); !res.Changed || len(res.ScrolledOff) == 0 {
			t.Errorf("a first result: changed %v, %d lines", res.Changed, len(res.ScrolledOff))
		}
		if _, _, err := f.End(t.Context(), "reader", registry.ReasonQuit); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALeaseThatIsGivenUpDoesNotMakeTheServiceIdleSinceLongAgo(t *testing.T) {
	f := open(t, registry.Config{})
	lease, none := time.Hour, time.Duration(0)
	if _, _, err := f.Open("agent", registry.Opening{Lease: &lease}); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	if _, _, err := f.Open("agent", registry.Opening{Lease: &none}); err != nil {
		t.Fatal(err)
	}
	if since, idle := f.Idle(); !idle || since.Before(before) {
		t.Errorf("idle %v since %v before", idle, before.Sub(since))
	}
}

// The Result of a stop names a file: it must outlive the entry (L51).
func TestFullOutputsGoWithTheirSession(t *testing.T) {
	f := open(t, registry.Config{})
	big := registry.Start{Command: "seq 5000; echo up; exec cat", Wait: registry.Wait{For: 0}}
	read := func(c registry.Caller, id string, n int) error {
		file, err := f.Output(c, id, n)
		if err != nil {
			return err
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		if err == nil && !strings.HasPrefix(string(text), "1\n2\n3\n") {
			err = fmt.Errorf("it holds %.20q", text)
		}
		return err
	}
	stopped := func() (string, terminal.Result) {
		id, _ := f.start(agent, big)
		f.shows(id, "up")
		return id, f.stop(id, agents)
	}
	id, res := stopped()
	n := res.FullOutputNo
	if !res.Truncated || n == 0 {
		t.Fatalf("%v %d %s", res.Truncated, n, res.Notice)
	}
	if _, err := f.Entry(person, id); err == nil {
		t.Error("it was not forgotten")
	}
	if _, err := os.Stat(res.FullOutput); err != nil {
		t.Errorf("the file that the result of a stop names: %v", err)
	}
	for _, c := range []registry.Caller{person, agent} {
		if err := read(c, id, n); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	problem(t, read(registry.Caller{Session: "other"}, id, n), core.NotFound, id+" belongs to another session.")
	problem(t, read(agent, id, n+1), core.NotFound, "")

	other, _ := f.start(agent, registry.Start{Command: "seq 5000", Wait: untilExit()})
	if err := f.Forget(agent, other); err != nil {
		t.Fatal(err)
	}
	problem(t, read(agent, other, 1), core.Gone, other+" was stopped and forgotten.")

	if _, _, err := f.End(t.Context(), "agent", registry.ReasonQuit); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(res.FullOutput); !os.IsNotExist(err) {
		t.Errorf("the file outlives its session: %v", err)
	}
	problem(t, read(person, id, n), core.Gone, "")
}

func TestALeaseThatIsTakenAwayAtItsEndEndsNothing(t *testing.T) {
	f := open(t, registry.Config{})
	lease, none := 200*time.Microsecond, time.Duration(0)
	for range 2000 {
		begun := time.Now()
		if _, _, err := f.Open("agent", registry.Opening{Lease: &lease}); err != nil {
			t.Fatal(err)
		}
		for time.Since(begun) < lease { // it ends now
			runtime.Gosched()
		}
		if _, _, err := f.Open("agent", registry.Opening{Lease: &none}); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
		if _, err := f.Session("agent"); err != nil {
			t.Fatal(err)
		}
	}
}
