package core

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
