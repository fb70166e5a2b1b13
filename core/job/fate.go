package job

import (
	"sync"

	"termbay/core"
)

// Fate is what became of a call. It is decided once.
type Fate string

// The fates.
const (
	Open     Fate = "is in the foreground"
	moving   Fate = "is being moved" // whoever else wants to decide waits
	Moved    Fate = "is in the background already"
	Finished Fate = "has finished"
	Ended    Fate = "was aborted or timed out"
)

// Why is who ended a call in the foreground, and why.
type Why struct {
	Cause core.Cause
	By    core.Actor
}

// fate decides between those who race for a call: its exit, its move, and the ends that others ask for.
type fate struct {
	mu      sync.Mutex // guards below
	decided *sync.Cond
	is      Fate
	why     Why // of Ended
}

func newFate() *fate {
	f := &fate{is: Open}
	f.decided = sync.NewCond(&f.mu)
	return f
}

// choose decides, unless it was decided before; possible is asked at that moment, nil means that it is.
func (f *fate) choose(want Fate, why Why, possible func() bool) (is Fate, chosen bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.is == moving {
		f.decided.Wait()
	}
	switch {
	case f.is != Open:
		return f.is, false
	case possible != nil && !possible():
		return Finished, false
	}
	f.is, f.why = want, why
	return want, true
}

// finish decides that it ended by itself, unless it was decided before.
func (f *fate) finish() (Fate, Why) {
	is, _ := f.choose(Finished, Why{}, nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	return is, f.why
}

// settle ends moving.
func (f *fate) settle(is Fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.is = is
	f.decided.Broadcast()
}
