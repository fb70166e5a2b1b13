package job

import (
	"errors"
	"os"
	"time"

	"termbay/core"
)

// deafAfter is how long a command may take no byte of an input before the rest of it is given up.
const deafAfter = 3 * time.Second

// stdin is a standard input that is open.
type stdin interface {
	Write([]byte) (int, error)
	SetWriteDeadline(time.Time) error
	CloseInput() error
}

// Input writes exact bytes to the standard input, nothing added (L60), and then ends it if eof says so. taken is less
// than len(p) when the command does not read. *core.Error StdinClosed when there is no standard input (any more); then
// nothing was written.
func (j *Job) Input(p []byte, eof bool) (taken int, err error) {
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.stdin == nil {
		return 0, &core.Error{Code: core.StdinClosed, Detail: "It has no open standard input; start it with \"stdin\": \"open\", or on a PTY with \"tty\": true."}
	}
	for taken < len(p) {
		_ = j.stdin.SetWriteDeadline(time.Now().Add(deafAfter)) // an error shows in the write
		n, err := j.stdin.Write(p[taken:])
		taken += n
		if err == nil || n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		if taken == 0 && !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, &core.Error{Code: core.StdinClosed, Detail: "It has closed its standard input.", Err: err}
		}
		return taken, nil
	}
	if eof {
		_ = j.stdin.CloseInput() // an error means that it is closed already
	}
	return taken, nil
}
