//go:build unix

package process

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalGroup sends a signal to every process of a group.
func signalGroup(group int, name string) error {
	sig := unix.SignalNum(name)
	if sig == 0 {
		return fmt.Errorf("%s: %w", name, unix.ENOSYS)
	}
	return unix.Kill(-group, sig)
}

// signalName is the name of a signal that ended a process.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig)) // a real-time signal
}
