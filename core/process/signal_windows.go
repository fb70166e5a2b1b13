package process

import (
	"errors"
	"os/exec"
	"strconv"
	"syscall"
)

// signalGroup ends a process and everything below it. There are neither signals nor groups here: what asks a program to
// end ends it, and nothing is ever stopped that would have to go on.
func signalGroup(group int, name string) error {
	switch name {
	case "SIGCONT":
		return nil
	case "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGQUIT":
		kill := exec.Command("taskkill", "/F", "/T", "/PID", strconv.Itoa(group))
		kill.SysProcAttr = hidden()
		_ = kill.Run() // it fails when the process ended meanwhile; whether it did is for Wait to tell
		return nil
	}
	return errors.ErrUnsupported
}

// signalName is the name of a signal that ended a process.
func signalName(sig syscall.Signal) string { return sig.String() }
