//go:build unix

package registry_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/terminal"
)

// The caps of the laws.
const (
	perGroup = 2
	inAll    = 3
)

// step is what one of several clients does.
type step struct {
	Do      string
	Session string
	Entry   int // which of the entries that were started, the newest is 0
}

// laws is a registry with clients that do things at the same time.
type laws struct {
	fixture
	mu  sync.Mutex // guards below
	ids []string
}

// steps are what one client does, one after the other.
func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			Do:      rapid.SampledFrom([]string{"run", "run", "sleep", "poll", "type", "stop", "signal", "forget", "list", "open", "end", "carry"}).Draw(t, "do"),
			Session: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "session"),
			Entry:   rapid.IntRange(0, 3).Draw(t, "entry"),
		}
	}), 1, 6)
}

// expected are the problems that a step may meet, whatever the others do.
func expected(do string) []core.Code {
	switch do {
	case "open", "list", "carry":
		return []core.Code{core.Gone}
	case "run", "sleep":
		return []core.Code{core.Gone, core.CapReached}
	case "poll", "stop":
		return []core.Code{core.Gone, core.NotFound}
	case "forget":
		return []core.Code{core.Gone, core.NotFound, core.StillRunning}
	}
	return []core.Code{core.Gone, core.NotFound, core.NotRunning}
}

// do carries out a step and checks what must hold at any moment.
func (l *laws) do(s step) {
	err := l.step(s)
	var problem *core.Error
	if err != nil && (!errors.As(err, &problem) || !slices.Contains(expected(s.Do), problem.Code)) {
		l.t.Errorf("%s by %s: %v", s.Do, s.Session, err)
	}
	if running, _, _, _ := l.Stats(); running > inAll {
		l.t.Errorf("%d entries run after %s by %s", running, s.Do, s.Session)
	}
}

func (l *laws) step(s step) error {
	who, id, now := registry.Caller{Session: s.Session}, l.nth(s.Entry), registry.Wait{For: 0}
	switch s.Do {
	case "run":
		return l.started(l.Start(who, registry.Start{Command: ":", Cwd: l.cwd, Wait: now}))
	case "sleep":
		return l.started(l.Start(who, registry.Start{Command: "exec sleep 1000", Cwd: l.cwd, Wait: now}))
	case "poll":
		return l.deliver(l.Send(who, id, terminal.Input{}, now))
	case "type":
		return l.deliver(l.Send(who, id, terminal.Input{Text: "x"}, now))
	case "stop":
		return l.deliver(l.Stop(who, id, agents))
	case "signal":
		_, err := l.Signal(who, id, "TERM")
		return err
	case "forget":
		return l.Forget(who, id)
	case "list":
		_, err := l.Entries(who, registry.OfGroup, "", "")
		return err
	case "open":
		return l.opened(s.Session)
	case "end":
		_, _, err := l.End(l.t.Context(), s.Session, registry.ReasonQuit)
		return err
	}
	leave, err := l.Enter(who)
	if err == nil {
		leave()
	}
	return err
}

// opened opens a session: a and b share a group, and b ends by itself when nothing carries it for a moment.
func (l *laws) opened(session string) error {
	o := registry.Opening{}
	if session != "c" {
		o.Group = "shared"
	}
	if session == "b" {
		lease := ms(10)
		o.Lease = &lease
	}
	_, _, err := l.Open(session, o)
	return err
}

// started remembers the entry that was started.
func (l *laws) started(turn *registry.Turn, err error) error {
	if err != nil {
		return err
	}
	l.mu.Lock()
	if slices.Contains(l.ids, turn.ID()) {
		l.t.Errorf("%s was used twice", turn.ID())
	}
	l.ids = append(l.ids, turn.ID())
	l.mu.Unlock()
	return l.deliver(turn, nil)
}

func (l *laws) deliver(turn *registry.Turn, err error) error {
	if err != nil {
		return err
	}
	_, deliver, err := turn.Settle(l.t.Context())
	if err == nil {
		deliver()
	}
	return err
}

// nth is the id of the nth newest entry.
func (l *laws) nth(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n >= len(l.ids) {
		return "t999"
	}
	return l.ids[len(l.ids)-1-n]
}

// check looks at the whole once nobody does anything.
func (l *laws) check() (pids []int) {
	var list registry.List
	eventually(l.t, "every entry to have an owner", func() bool { // a session may just be ending
		var err error
		if list, err = l.Entries(person, registry.OfAll, "", ""); err != nil {
			l.t.Fatal(err)
		}
		owned := 0
		for _, s := range l.Sessions() {
			owned += s.Running + s.Exited
		}
		return owned == len(list.Terminals)
	})
	groups := map[string]int{}
	for _, e := range list.Terminals {
		pids = append(pids, e.PID)
		if e.State == core.Running {
			groups[e.Group]++
		}
		if !slices.Contains(l.ids, e.ID) {
			l.t.Errorf("%s was never started", e.ID)
		}
	}
	for group, n := range groups {
		if n > perGroup {
			l.t.Errorf("%d entries of group %s run", n, group)
		}
	}
	for _, id := range l.ids {
		_, err := l.Entry(person, id)
		if listed := slices.ContainsFunc(list.Terminals, func(e core.Entry) bool { return e.ID == id }); !listed {
			problem(l.t, err, core.Gone, id+" was stopped and forgotten.")
		}
	}
	return pids
}

// Whatever clients do at the same time: ids are never used twice, the caps hold, every entry has an owner, and the end
// of the sessions leaves nothing.
func TestLawsOfTheRegistry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		l := &laws{fixture: open(t, registry.Config{MaxRunning: perGroup, MaxRunningTotal: inAll})}
		for _, s := range []string{"a", "b", "c"} {
			if err := l.opened(s); err != nil {
				t.Fatal(err)
			}
		}
		var clients sync.WaitGroup
		for range 3 {
			plan := steps().Draw(r, "client")
			clients.Go(func() {
				for _, s := range plan {
					l.do(s)
				}
			})
		}
		clients.Wait()
		never := time.Duration(0)
		if _, _, err := l.Open("b", registry.Opening{Lease: &never}); err != nil {
			t.Fatal(err)
		}
		pids := l.check()
		for _, s := range l.Sessions() {
			if _, _, err := l.End(t.Context(), s.ID, registry.ReasonQuit); err != nil {
				t.Error(err)
			}
		}
		if left := l.check(); len(left) > 0 {
			t.Errorf("entries are left: %v", left)
		}
		for _, pid := range pids {
			if !gone(pid) {
				t.Errorf("process %d lives on", pid)
			}
		}
		if _, idle := l.Idle(); !idle {
			t.Error("it is not idle")
		}
		if t.Failed() {
			r.Fatal("a law is broken")
		}
	})
}
