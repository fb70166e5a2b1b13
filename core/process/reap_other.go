//go:build !linux

package process

import (
	"os"
	"time"
)

// childless does not know.
func (h *Host) childless() bool { return false }

// reap waits for the leader. Here the wait status cannot be awaited and left, so for an instant after it was taken a
// signal could still be sent.
func (l *leader) reap() (state *os.ProcessState, at time.Time, err error) {
	state, err = l.process.Wait()
	at = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reaped = true
	return state, at, err
}
