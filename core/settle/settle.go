// Package settle is the waiting law (api.md section 4, L21–L31, ADR 0004): when a Terminal is still enough to be
// reported, and why. It starts no goroutines and does no I/O; it watches through a Subject and a timer.
package settle

import (
	"time"

	"termbay/core/screen"
)

// The times of the law.
const (
	// DefaultQuiet is how long the screen must stay as it is to be quiet (L22).
	DefaultQuiet = 250 * time.Millisecond
	// MaxWait is the longest wait (L29).
	MaxWait = 5 * time.Minute
	// MaxHalfPainted is how long a program may hold an answer back by synchronized output (mode 2026).
	MaxHalfPainted = 150 * time.Millisecond
)

const (
	// lookShare bounds what looks cost: after one, this many times its own time passes before the next.
	lookShare = 4
	// burst is how many changes close upon each other are looked at as they come: an echo, an answer, a prompt. More are
	// a flood.
	burst = 20
	// lookEvery is the time between two looks in a flood: a change is seen at most so much later.
	lookEvery = 5 * time.Millisecond
	// calm is for how long no look was needed when a flood is over.
	calm = 20 * time.Millisecond
	// stride is how many scrolled-off lines are passed over at once.
	stride = 500
)

// Reason is why a wait ended.
type Reason string

// The reasons.
const (
	Quiet    Reason = "quiet"    // the screen did not change for Rule.Quiet
	Text     Reason = "text"     // Rule.Text appeared
	Exit     Reason = "exit"     // the program has exited
	Timeout  Reason = "timeout"  // Rule.Wait is over
	Canceled Reason = "canceled" // nobody waits any more
)

// Subject is what is watched. Its methods may be called from any goroutine.
type Subject interface {
	Changed() <-chan struct{}        // closed at the next change; a false alarm does no harm
	Done() <-chan struct{}           // closed after the exit, when the final screen can be seen
	Revision() uint64                // grows when something visible changed
	Synchronized() (bool, time.Time) // whether the screen is half-painted, and since when
	Match(from int) screen.Match     // the text of the lines from number from on, and of the screen
}

// Rule is what a caller waits for.
type Rule struct {
	Text  *Pattern      // nil: no text. With one, quiet does not end the wait (L25)
	Quiet time.Duration // the screen must stay as it is for so long; 0: any change ends the wait
	Wait  time.Duration // after it the wait is over: at most MaxWait (L29)
	Armed bool          // quiet counts at once: an input. Else only after a revision beyond Seen: a start, a poll (L28)
	Seen  uint64        // the revision that the caller knows: what it shows is not new (L26)
	From  int           // the first scrolled-off line that the caller does not know
	Echo  Echo          // what this call typed: an occurrence inside its echo does not count
}
