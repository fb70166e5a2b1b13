package core

// Code names a problem; the table in api maps it to an HTTP status.
type Code string

// The problems that core can answer with.
const (
	NotFound             Code = "not_found"
	Gone                 Code = "gone"
	CapReached           Code = "cap_reached"
	NotRunning           Code = "not_running"
	StillRunning         Code = "still_running"
	StdinClosed          Code = "stdin_closed"
	NotBackgroundable    Code = "not_backgroundable"
	Invalid              Code = "invalid"
	BadPattern           Code = "bad_pattern"
	CwdMissing           Code = "cwd_missing"
	ShellUnavailable     Code = "shell_unavailable"
	PTYUnavailable       Code = "pty_unavailable"
	CommandFailedToStart Code = "command_failed_to_start"
	ShuttingDown         Code = "shutting_down"
)

// Error is a problem that the caller can mend.
type Error struct {
	Code    Code
	Detail  string   // one sentence: what is wrong, then what to do
	Field   string   // path of the field that is wrong
	Valid   []string // what the field may hold
	Entries []Entry  // CapReached: the caller's live entries (L65)
	Entry   *Entry   // NotRunning: its final state
	Err     error    // what lies behind it
}

// Error is the detail.
func (e *Error) Error() string { return e.Detail }

// Unwrap is what lies behind it.
func (e *Error) Unwrap() error { return e.Err }
