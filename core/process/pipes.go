package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"termbay/core"
)

// Pipes is a program whose standard output and error are one pipe. One goroutine may Read, another Write; everything
// else may be called from anywhere, at any time.
type Pipes struct {
	*leader
	out   *os.File
	in    *os.File // nil when its standard input is the null device
	feeds sync.WaitGroup
}

// StartPipes starts a command in a shell, as the leader of a new session without a terminal, with descriptors 0, 1 and 2
// only. Its standard output and error are one pipe, so that what it prints stays in order; its standard input is the
// null device, or a pipe when Spec.Stdin says so. A shell that takes its command on standard input gets it there (L259).
// The caller reads its output, and Closes the Pipes when it is done with them.
//
// *core.Error: Invalid (cwd not absolute, a NUL byte in the command, an open standard input that the shell needs for
// itself), CwdMissing, ShellUnavailable, CommandFailedToStart, ShuttingDown (the Host is closed). Then nothing was
// started.
func (h *Host) StartPipes(s Spec) (*Pipes, error) {
	if s.Stdin && s.Shell.Transport == core.ByStdin {
		return nil, &core.Error{Code: core.Invalid, Field: "stdin", Detail: fmt.Sprintf(
			"%s takes its command on standard input, so that cannot stay open; choose another shell.", s.Shell.Path)} // L308
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, s.failed(err)
	}
	defer stdout.Close()
	enlarge(out)
	stdin, in, err := s.stdin()
	if err != nil {
		out.Close()
		return nil, s.failed(err)
	}
	defer stdin.Close()
	l, err := h.lead(s, [3]*os.File{stdin, stdout, stdout}, detached())
	if err != nil {
		out.Close()
		if in != nil {
			in.Close()
		}
		return nil, err
	}
	if opened, err := out.Stat(); err == nil { // both ends are one file
		l.tree.output, l.tree.opened = pipeName(opened), opened
	}
	l.foreground = func() int { return 0 }
	p := &Pipes{leader: l, out: out, in: in}
	if s.Shell.Transport == core.ByStdin {
		p.feeds.Go(func() { // joined by Close
			_, _ = io.WriteString(in, s.Command) // what the shell does not read was not meant for it
			in.Close()
		})
	}
	go l.wait(func() {}) // joined by Wait
	return p, nil
}

// stdin is both ends of the standard input; ours is nil for the null device.
func (s Spec) stdin() (theirs, ours *os.File, err error) {
	if s.Stdin || s.Shell.Transport == core.ByStdin {
		return os.Pipe()
	}
	theirs, err = os.Open(os.DevNull)
	return theirs, nil, err
}

// Read returns output of the program. io.EOF comes once nobody holds the pipe any more, which may be long after the exit.
// After Close it is os.ErrClosed.
func (p *Pipes) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("read output: %w", err)
	}
	return n, err
}

// Buffered is how much could be read now, as far as the system tells.
func (p *Pipes) Buffered() int { return buffered(p.out) }

// Write writes to the standard input, which Spec.Stdin kept open. It blocks while the program does not read, until the
// write deadline: then it returns os.ErrDeadlineExceeded with the number of bytes that were taken.
func (p *Pipes) Write(b []byte) (int, error) { return p.in.Write(b) }

// SetWriteDeadline sets until when a Write may block, also one that blocks already; the zero time means for ever.
func (p *Pipes) SetWriteDeadline(t time.Time) error { return p.in.SetWriteDeadline(t) }

// CloseInput ends the standard input.
func (p *Pipes) CloseInput() error { return p.in.Close() }

// Close gives the pipes back and ends a Read or Write that blocks. Whoever still writes into the pipe gets SIGPIPE.
func (p *Pipes) Close() error {
	err := p.out.Close()
	if p.in != nil {
		if failed := p.in.Close(); !errors.Is(failed, os.ErrClosed) {
			err = errors.Join(err, failed)
		}
	}
	p.feeds.Wait()
	return err
}
