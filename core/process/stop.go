package process

import (
	"context"
	"fmt"
	"time"

	"termbay/core"
)

const (
	// DefaultGrace is how long a program has to end by itself once it was asked to (L71).
	DefaultGrace = 3 * time.Second
	// killLimit bounds how long SIGKILL is repeated. Only what the kernel cannot end, or what runs as somebody else,
	// lasts longer.
	killLimit = 10 * time.Second
	// hangupDelay is how long SIGHUP comes after the signal that was asked for: a bash at its prompt loses one of two
	// signals that arrive together (TestStopAsksFirst), and who handles SIGTERM gets to it before SIGHUP ends it.
	hangupDelay = 50 * time.Millisecond
	// The tree is looked at again after minPause, then less and less often.
	minPause, maxPause = time.Millisecond, 50 * time.Millisecond
)

// Stop says how a program is to be ended.
type Stop struct {
	Signal   string        // asked with, as CheckSignal takes it; default SIGTERM. SIGKILL ends the tree without grace
	Grace    time.Duration // from the signal until SIGKILL; default DefaultGrace, none when negative
	Escalate bool          // SIGKILL to the whole tree after the grace; else *core.Error StillRunning
}

func (s Stop) withDefaults() (Stop, error) {
	if s.Signal == "" {
		s.Signal = "SIGTERM"
	}
	if s.Grace == 0 {
		s.Grace = DefaultGrace
	}
	name, err := CheckSignal(s.Signal)
	s.Signal = name
	s.Escalate = s.Escalate || name == "SIGKILL"
	return s, err
}

// stopping is a stop in flight.
type stopping struct {
	how  Stop          // Escalate becomes true when somebody who joined wants SIGKILL
	kill chan struct{} // receives when somebody who joined wants SIGKILL at once
	done chan struct{} // closed last
	err  error         // once done is closed
}

// Stop ends the program and its whole tree, and returns when the program was reaped and nothing of the tree is left.
//
// The signal and SIGCONT, and on a terminal a little later SIGHUP, go to the process group and the foreground group.
// When the program is reaped, what is left of its tree gets SIGTERM. After the grace everything gets SIGKILL, again and
// again until nothing is left (L71); without Escalate nothing is killed, and a program that is still there is
// *core.Error StillRunning (L80). So is what even SIGKILL did not end.
//
// A program that was reaped before is not touched, nor is what it left behind: Stop returns nil at once (O-B5, L81).
// Stops at the same time share one (L84), with two exceptions: one with Escalate has its own grace, none with SIGKILL, at
// the end of which it ends the other's, and it goes on where the other gave up. ctx bounds the waiting of this caller,
// not the stop.
func (l *leader) Stop(ctx context.Context, how Stop) error {
	how, err := how.withDefaults()
	if err != nil {
		return err
	}
	for {
		s, joined := l.join(how)
		if s == nil {
			return nil
		}
		var impatient <-chan time.Time
		switch {
		case joined && how.Signal == "SIGKILL":
			impatient = time.After(0)
		case joined && how.Escalate:
			impatient = time.After(max(how.Grace, 0))
		}
		if err := s.wait(ctx, impatient); err != nil {
			return err
		}
		if joined && s.err != nil && how.Escalate && !s.how.Escalate {
			continue
		}
		return s.err
	}
}

// wait waits until the stop is over, and asks for SIGKILL when the caller becomes impatient. The error is the context's.
func (s *stopping) wait(ctx context.Context, impatient <-chan time.Time) error {
	for {
		select {
		case <-s.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-impatient:
			select {
			case s.kill <- struct{}{}:
			default: // asked already
			}
		}
	}
}

// join is the stop in flight, or a new one; nil when there is nothing to stop.
func (l *leader) join(how Stop) (s *stopping, joined bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping != nil {
		return l.stopping, true
	}
	if l.reaped {
		return nil, false
	}
	s = &stopping{how: how, kill: make(chan struct{}, 1), done: make(chan struct{})}
	l.stopping = s
	go func() { // ends within the grace and killLimit; joined through done by the callers of Stop
		s.err = l.end(s)
		l.mu.Lock()
		l.stopping = nil
		l.mu.Unlock()
		close(s.done)
	}()
	return s, false
}

// end carries out a stop.
func (l *leader) end(s *stopping) error {
	foreground := l.foreground()
	asked := map[identity]bool{}
	for _, p := range l.tree.look() { // while parents still show whose children they are
		asked[p.identity()] = s.how.Signal == "SIGTERM" && (p.group == l.PID() || p.group == foreground)
	}
	if sent, err := l.signal(s.how.Signal); !sent || err != nil {
		return err
	}
	if s.how.Signal == "SIGKILL" {
		return l.kill()
	}
	if _, err := l.signal("SIGCONT"); err != nil { // who is stopped hears nothing else
		return err
	}
	switch {
	case l.settled(s, asked):
		return nil
	case s.how.Escalate:
		return l.kill()
	case l.isReaped():
		return nil
	}
	return &core.Error{Code: core.StillRunning, Detail: fmt.Sprintf(
		"The process did not end within %s of %s; it is still running. Stop it with escalation to kill it.",
		core.Duration(s.how.Grace), s.how.Signal)}
}

// settled waits for the program and then for the rest of its tree, and says whether all are gone. What is left gets
// SIGTERM unless it was asked before: many programs take a second one for impatience. The end of the grace, or a caller
// who wants SIGKILL, cuts it short.
func (l *leader) settled(s *stopping, asked map[identity]bool) bool {
	grace := time.NewTimer(s.how.Grace)
	defer grace.Stop()
	hangup := time.NewTimer(hangupDelay)
	defer hangup.Stop()
	reaped := l.done
	var again <-chan time.Time
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		select {
		case <-grace.C:
			return false
		case <-s.kill:
			s.how.Escalate = true
			return false
		case <-hangup.C: // shells at a prompt ignore SIGTERM
			if l.hangup {
				_, _ = l.signal("SIGHUP")
			}
			continue
		case <-reaped:
			reaped = nil
		case <-again:
		}
		left := l.tree.look()
		if len(left) == 0 {
			return true
		}
		for _, p := range left {
			if !asked[p.identity()] {
				asked[p.identity()] = true
				p.ask()
			}
		}
		again = time.After(pause)
	}
}

// kill sends SIGKILL to the whole tree until the program was reaped and nothing is left.
func (l *leader) kill() error {
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		left := l.tree.look()
		if len(left) == 0 && l.isReaped() {
			return nil
		}
		l.tree.cgroup.kill()
		for _, p := range left {
			p.kill()
		}
		if _, err := l.signal("SIGKILL"); err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-limit.C:
			return &core.Error{Code: core.StillRunning, Detail: fmt.Sprintf(
				"%s did not end within %s of SIGKILL; it may run as another user or wait for a device. Process ids: %v.",
				core.Count(len(left), "process", "processes"), core.Duration(killLimit), pids(left))}
		}
	}
}

// isReaped says whether Wait would return at once.
func (l *leader) isReaped() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}
