//go:build !linux

package process

import "os"

// childless does not know.
func (h *Host) childless() bool { return false }

// reap waits for the leader. Here the wait status cannot be awaited and left, so for an instant after it was taken a
// signal could still be sent.
func (l *leader) reap() (*os.ProcessState, error) {
	state, err := l.process.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reaped = true
	return state, err
}
