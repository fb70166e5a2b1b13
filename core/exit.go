package core

import "time"

// Exit is how a process ended: with a code or by a signal, never both (O-B4). Neither means that it is not known.
type Exit struct {
	Code   *int      // exit code, 0–255
	Signal string    // signal that killed it, such as "SIGKILL"
	At     time.Time // when it was reaped
}

// ExitCode is an exit with a code.
func ExitCode(code int, at time.Time) Exit { return Exit{Code: &code, At: at} }

// ExitSignal is an exit by a signal, such as "SIGKILL".
func ExitSignal(name string, at time.Time) Exit { return Exit{Signal: name, At: at} }

// Known says whether the wait status is known. An unknown one is never taken for 0.
func (e Exit) Known() bool { return e.Code != nil || e.Signal != "" }

// Ending is how a program ended, as far as those know who served it.
type Ending struct {
	Exit        Exit
	Descendants int    // processes of its tree that are still alive
	Lost        string // why it was given up, when it did not end by itself
}
