package registry

import (
	"runtime/debug"
	"sync"
	"time"
)

const (
	// reliefAfter is how long it must have been calm after a large result.
	reliefAfter = time.Second
	// reliefWithin is how long a stream of large results can put it off.
	reliefWithin = 10 * time.Second
)

// relief gives memory back to the system once it is calm after results that were too large for one answer: their text
// is garbage, and nothing that comes after a flood would have it collected soon.
type relief struct {
	mu    sync.Mutex // guards below
	timer *time.Timer
	since time.Time // of the first large result that waits for relief

	given sync.WaitGroup // joined by stop
}

// soon asks for relief.
func (r *relief) soon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	switch {
	case r.timer == nil:
		r.given.Add(1)
		r.since, r.timer = now, time.AfterFunc(reliefAfter, r.give)
	case now.Sub(r.since) < reliefWithin && r.timer.Stop(): // else it is being given right now
		r.timer.Reset(reliefAfter)
	}
}

func (r *relief) give() {
	defer r.given.Done()
	r.mu.Lock()
	r.timer = nil
	r.mu.Unlock()
	debug.FreeOSMemory()
}

// stop cancels what was asked for and waits for what is being given.
func (r *relief) stop() {
	r.mu.Lock()
	if r.timer != nil && r.timer.Stop() {
		r.timer = nil
		r.given.Done()
	}
	r.mu.Unlock()
	r.given.Wait()
}
