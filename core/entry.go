package core

import "time"

// Kind is what an entry is.
type Kind string

// The kinds.
const (
	KindTerminal Kind = "terminal"
	KindJob      Kind = "background_job"
)

// Owner says whether an entry belongs to an agent or to a child agent of it (L199).
type Owner string

// The owners.
const (
	OwnerRoot  Owner = "root"
	OwnerChild Owner = "child"
)

// Entry is what everybody may know of something that was started and is listed.
type Entry struct {
	ID      string // t1, b1: never used twice
	UID     string // unique across machines
	Kind    Kind
	Session string
	Group   string
	Owner   Owner

	Command string // as the caller wrote it, whole
	Label   string
	Cwd     string
	Shell   string // path

	State          State
	Outcome        *Outcome // once exited
	PID            int
	StartedAt      time.Time // of the command, also when it was moved to the background later (L117)
	BackgroundedAt time.Time // zero for what was never a call
	ExitedAt       time.Time // zero while running

	Notify   bool
	Viewport Viewport
	Title    string
	Revision uint64
	Log      *Log // nil without one

	ToolCallID string // what the agent's tool call was named

	Waiting     *Waiting
	LastReadAt  time.Time
	LastInputAt time.Time
}

// Status is the state and the outcome in one word.
func (e Entry) Status() Status {
	if e.Outcome == nil {
		return StatusRunning
	}
	return e.Outcome.Status()
}

// Duration is how long it has run, until now or until its exit.
func (e Entry) Duration(now time.Time) time.Duration {
	if !e.ExitedAt.IsZero() {
		now = e.ExitedAt
	}
	return now.Sub(e.StartedAt)
}

// Waiting is what a caller waits for at this moment.
type Waiting struct {
	For   string // quiet, text, exit or change
	Text  string // the text that is waited for
	Since time.Time
	Until time.Time
	By    Actor
}

// Event is one line of an entry's timeline.
type Event struct {
	At     time.Time
	Kind   string // started, backgrounded, input, read, wait, resized, stop_requested, signalled, exited
	By     Actor
	Detail string
}
