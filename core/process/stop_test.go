//go:build linux

package process_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/process"
)

// forever is a grace that no test outlives.
const forever = time.Hour

// deaf is a program that hears neither SIGTERM nor SIGHUP and says when it got one.
const deaf = `trap 'echo term' TERM; trap 'echo hup' HUP; echo up; while :; do read x || sleep 0.01; done`

// O-B3: a program that does not end by itself is killed after the grace, not before.
func TestStopKillsAfterGrace(t *testing.T) {
	p := start(t, "trap '' TERM HUP; echo up; while :; do sleep 0.1; done")
	p.shows("up")
	const grace = 400 * time.Millisecond
	begun := time.Now()
	if err := p.stop(process.Stop{Grace: grace, Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took < grace {
		t.Errorf("killed after %v", took)
	}
	if text, exit := p.ends(); text != "up\n" || ended(exit) != "SIGKILL" {
		t.Errorf("%q, exit %s", text, ended(exit))
	}
}

func TestStopAsksFirst(t *testing.T) {
	for name, c := range map[string]struct{ command, signal, want string }{
		"a plain program":       {"echo up; exec sleep 600", "", "SIGTERM"},
		"by its own signal":     {"trap '' HUP; trap 'exit 7' INT; echo up; while :; do sleep 0.01; done", "INT", "7"},
		"with time to clean up": {"trap '' HUP; trap 'exit 8' TERM; echo up; while :; do sleep 0.01; done", "TERM", "8"},
		"an interactive shell":  {"echo up; exec bash --norc -i", "", "SIGHUP"}, // it ignores SIGTERM
		"a stopped program":     {"trap '' HUP; echo up; kill -STOP $$", "", "SIGTERM"},
		"with SIGKILL at once":  {"trap '' TERM; echo up; while :; do read x; done", "KILL", "SIGKILL"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, c.command)
			p.shows("up")
			if strings.Contains(c.command, "STOP") {
				eventually(t, "it is stopped", func() bool { return inState(p.PID(), "T") })
			}
			if strings.Contains(c.command, "-i") {
				p.shows(`\$ |# `)
			}
			if err := p.stop(process.Stop{Signal: c.signal, Grace: forever, Escalate: true}); err != nil {
				t.Fatal(err)
			}
			if exit := p.Wait(); ended(exit) != c.want {
				t.Errorf("exit %s, want %s", ended(exit), c.want)
			}
		})
	}
}

// inState says whether a process is in a state, such as T when job control stopped it.
func inState(pid int, state string) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Contains(string(stat), ") "+state+" ")
}

// O-C4: Control+Z ends nothing. What it stopped is still there, hears no SIGTERM, and ends all the same.
func TestStopEndsSuspendedProgram(t *testing.T) {
	mark := marker(t)
	p := start(t, "bash --norc -i")
	p.Write([]byte("sleep " + mark + "\n"))
	eventually(t, "sleep runs", func() bool { return len(survivors(mark)) == 1 })
	sleep := survivors(mark)[0]
	p.Write([]byte{'Z' - '@'})
	eventually(t, "it is stopped", func() bool { return inState(sleep, "T") })
	p.shows("Stopped")
	if err := p.stop(process.Stop{Grace: forever}); err != nil {
		t.Fatal(err)
	}
	if left := survivors(mark); len(left) > 0 {
		t.Errorf("survivors: %v", left)
	}
}

// L80: without escalation nothing is killed.
func TestStopWithoutEscalation(t *testing.T) {
	p := start(t, deaf)
	p.shows("up")
	err := p.stop(process.Stop{Grace: 200 * time.Millisecond})
	if code(err) != core.StillRunning || err.Error() !=
		"The process did not end within 0.2 s of SIGTERM; it is still running. Stop it with escalation to kill it." {
		t.Fatal(err)
	}
	p.shows("term")
	select {
	case <-p.Done():
		t.Fatal("it was killed")
	default:
	}
	if err := p.stop(process.Stop{Grace: -1, Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if exit := p.Wait(); ended(exit) != "SIGKILL" {
		t.Errorf("exit %s", ended(exit))
	}
}

// L84: stops at the same time are one.
func TestStopsShareOne(t *testing.T) {
	p := start(t, deaf)
	p.shows("up")
	var stops sync.WaitGroup
	for range 5 {
		stops.Go(func() {
			if err := p.stop(process.Stop{Grace: 500 * time.Millisecond, Escalate: true}); err != nil {
				t.Error(err)
			}
		})
	}
	stops.Wait()
	if text, _ := p.ends(); strings.Count(text, "term") != 1 || strings.Count(text, "hup") != 1 {
		t.Errorf("asked more than once: %q", text)
	}
}

// Who wants SIGKILL does not wait for the grace that somebody else gave.
func TestKillEndsGraceOfOthers(t *testing.T) {
	p := start(t, deaf)
	p.shows("up")
	patient := make(chan error)
	go func() { patient <- p.stop(process.Stop{Grace: forever}) }() // joined below
	p.shows("term")
	if err := p.stop(process.Stop{Signal: "KILL"}); err != nil {
		t.Fatal(err)
	}
	if err := <-patient; err != nil {
		t.Errorf("the other stop: %v", err)
	}
}

// Who wants escalation gets it, also when the stop in flight gives up.
func TestStopGoesOnWhereOtherGaveUp(t *testing.T) {
	p := start(t, deaf)
	p.shows("up")
	other := make(chan error)
	go func() { other <- p.stop(process.Stop{Grace: 300 * time.Millisecond}) }() // joined below
	p.shows("term")
	if err := p.stop(process.Stop{Grace: 2 * time.Second, Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-other; code(err) != core.StillRunning {
		t.Errorf("the other stop: %v", err)
	}
}

// Who escalates waits no longer than its own grace.
func TestEscalationHasItsOwnGrace(t *testing.T) {
	p := start(t, deaf)
	p.shows("up")
	patient := make(chan error)
	go func() { patient <- p.stop(process.Stop{Grace: forever}) }() // joined below
	p.shows("term")
	if err := p.stop(process.Stop{Grace: -1, Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-patient; err != nil {
		t.Errorf("the other stop: %v", err)
	}
}

// A context bounds the waiting, not the stop.
func TestStopOutlivesItsCaller(t *testing.T) {
	p := start(t, deaf)
	p.shows("up")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := p.Stop(ctx, process.Stop{Grace: 300 * time.Millisecond, Escalate: true})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, exit := p.ends(); ended(exit) != "SIGKILL" {
		t.Errorf("exit %s", ended(exit))
	}
}

// What the program leaves behind when it obeys gets the chance to end by itself as well, and is asked only once.
func TestStopAsksTheRest(t *testing.T) {
	mark := marker(t)
	dir := t.TempDir()
	p := start(t, `worker() { trap '' HUP; trap 'echo '$1' >> `+dir+`/asked; sleep 0.1; exit' TERM; echo up; while :; do sleep 0.01; done; }
		export -f worker
		setsid bash -c 'worker setsid # `+mark+`' & worker group & wait`)
	p.shows("up\nup")
	if err := p.stop(process.Stop{Grace: forever}); err != nil {
		t.Fatal(err)
	}
	asked, err := os.ReadFile(dir + "/asked")
	if got := strings.Fields(string(asked)); err != nil || len(got) != 2 || got[0] == got[1] {
		t.Errorf("asked: %q, %v", asked, err)
	}
}

// O-B5, L81: after the exit nothing is signalled, and a stop returns at once.
func TestStopAfterExit(t *testing.T) {
	p := start(t, "exit 3")
	p.ends()
	for range 2 {
		if err := p.stop(process.Stop{Grace: forever, Escalate: true}); err != nil {
			t.Error(err)
		}
	}
	if exit := p.Wait(); ended(exit) != "3" {
		t.Errorf("exit %s", ended(exit))
	}
}

func TestStopRefusesUnknownSignal(t *testing.T) {
	p := start(t, "read x")
	if err := p.stop(process.Stop{Signal: "NOPE"}); code(err) != core.Invalid {
		t.Error(err)
	}
}
