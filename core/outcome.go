package core

import (
	"fmt"
	"time"
)

// State says whether a process still runs. It moves forward only.
type State string

// The states of an entry.
const (
	Running State = "running"
	Exited  State = "exited"
)

// Status is the state and the outcome in one word (L23, L224); all but StatusRunning are final.
type Status string

// The five statuses.
const (
	StatusRunning   Status = "running"
	StatusCompleted Status = "completed" // ended by itself with code 0
	StatusFailed    Status = "failed"    // ended by itself with another code, or timed out
	StatusKilled    Status = "killed"    // ended by a signal, stopped, or ended with its session
	StatusUnknown   Status = "unknown"   // the wait status could not be learnt
)

// Cause is why an entry ended.
type Cause string

// The causes.
const (
	CauseExit         Cause = "exit"          // the program ended with a code
	CauseSignal       Cause = "signal"        // a signal that nobody here sent on request killed it
	CauseTimeout      Cause = "timeout"       // its time was up
	CauseStopped      Cause = "stopped"       // an agent or a person stopped it
	CauseSessionEnded Cause = "session_ended" // its session ended
	CauseLost         Cause = "lost"          // the service lost it
)

// Actor is who did something.
type Actor string

// The actors.
const (
	ByAgent   Actor = "agent"
	ByUser    Actor = "user"
	BySession Actor = "session"
	ByService Actor = "service"
)

// Outcome is why and how an entry ended. It is recorded once (L224).
type Outcome struct {
	Cause  Cause
	By     Actor // who ended it; empty when it ended by itself
	Exit   Exit
	Detail string // one sentence, when there is more to say
	// DescendantsAlive counts processes of its tree that were left alone after a natural exit.
	DescendantsAlive int
}

// Status is the outcome in one word. A killed or timed-out entry is never completed, an unknown code never 0.
func (o Outcome) Status() Status {
	switch o.Cause {
	case CauseStopped, CauseSessionEnded, CauseSignal:
		return StatusKilled
	case CauseTimeout:
		return StatusFailed
	case CauseExit:
		switch {
		case o.Exit.Code == nil:
			return StatusUnknown
		case *o.Exit.Code == 0:
			return StatusCompleted
		}
		return StatusFailed
	}
	return StatusUnknown
}

// Since says in words how something that was started at a moment ended, after its id: "was stopped (SIGTERM) after 3 s."
// It never says completed of something that was killed.
func (o Outcome) Since(started time.Time) string {
	how, after := o.Exit.Signal, Duration(o.Exit.At.Sub(started))
	switch {
	case o.Exit.Code != nil:
		how = fmt.Sprintf("code %d", *o.Exit.Code)
	case !o.Exit.Known():
		how = "exit not known"
	}
	var s string
	switch {
	case o.Cause == CauseLost:
		s = fmt.Sprintf("was lost: %s.", o.Detail)
	case o.Cause == CauseTimeout:
		s = fmt.Sprintf("timed out after %s and was killed.", after)
	case o.Cause == CauseSessionEnded:
		s = "ended with its session."
	case o.Cause == CauseStopped && o.By == ByService:
		s = fmt.Sprintf("was stopped because the service shuts down (%s) after %s.", how, after)
	case o.Cause == CauseStopped && o.By == ByUser:
		s = fmt.Sprintf("was stopped by the user (%s) after %s.", how, after)
	case o.Cause == CauseStopped:
		s = fmt.Sprintf("was stopped (%s) after %s.", how, after)
	case o.Exit.Signal != "":
		s = fmt.Sprintf("was killed by %s after %s.", how, after)
	case o.Exit.Code != nil:
		s = fmt.Sprintf("exited with %s after %s.", how, after)
	default:
		s = fmt.Sprintf("ended after %s; how is not known.", after)
	}
	if n := o.DescendantsAlive; n > 0 {
		s += " " + Count(n, "process it started is", "processes it started are") + " still running."
	}
	return s
}
