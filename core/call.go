package core

import "time"

// Call is a shell command in the foreground: somebody waits for its result, and it is no entry yet.
type Call struct {
	ID      string // c1: never used twice
	Session string
	Group   string
	Owner   Owner

	Command   string // as the caller wrote it, whole
	Label     string
	Cwd       string
	PID       int
	StartedAt time.Time
	Timeout   *time.Duration // nil without one
}

// Promotion is what moved a call to the background (L132).
type Promotion string

// The promotions.
const (
	ByFlag    Promotion = "flag"    // it was started so
	ByKey     Promotion = "key"     // all calls of its session were moved
	ByTimeout Promotion = "timeout" // its time in the foreground was up
	ByAPI     Promotion = "api"     // it was moved by its id
)
