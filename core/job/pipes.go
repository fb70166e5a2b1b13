package job

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"termbay/core"
	"termbay/core/process"
)

const (
	// IdleGrace is how long the pipes must have been idle after the exit (L266).
	IdleGrace = 100 * time.Millisecond
	// ExitLimit is how long after the exit the call ends in any case.
	ExitLimit = time.Second
	// minRead and maxRead are how much is read at once: more and more as long as there is so much. The pipe holds maxRead.
	minRead, maxRead = 4 << 10, 256 << 10
)

// Start runs the command on pipes. Its errors are those of process.Host.StartPipes; then nothing is left behind.
func (j *Job) Start(host *process.Host, spec process.Spec) error {
	pipes, err := host.StartPipes(spec)
	if err != nil {
		return err
	}
	if spec.Stdin {
		j.stdin = pipes
	}
	j.run(pipes)
	return nil
}

// source is a program on pipes.
type source interface {
	Program
	Read([]byte) (int, error)
	Buffered() int // bytes that could be read now
	Wait() core.Exit
	Descendants() int
	Close() error
}

// run serves a program that was started.
func (j *Job) run(s source) {
	j.program, j.source = s, s
	go func() { // the copier, joined through dry
		j.copy(s)
		close(j.dry)
		j.rest()
	}()
	go func() { // the waiter, joined through done
		exit := s.Wait()
		j.idle(s, exit.At)
		j.Exit(core.Ending{Exit: exit, Descendants: s.Descendants()})
	}()
}

// copy takes output in until nobody holds the pipe any more. Its fault ends this command and nothing else.
func (j *Job) copy(s source) {
	defer func() {
		if fault := recover(); fault != nil {
			j.lose(fmt.Sprint(fault), debug.Stack())
		}
	}()
	b := make([]byte, minRead)
	for {
		j.reading.Store(true)
		n, err := s.Read(b)
		j.reading.Store(false)
		j.Print(b[:n])
		switch {
		case err == nil:
			if n == len(b) && n < maxRead {
				b = make([]byte, 4*n)
			}
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
			return
		default:
			j.lose(err.Error(), nil)
			return
		}
	}
}

// lose ends a command whose output cannot be taken in any more.
func (j *Job) lose(fault string, stack []byte) {
	j.spec.Log.Error("a command's output could not be taken in", "pid", j.PID(), "fault", fault, "stack", string(stack))
	lost := "the service could not go on reading its output"
	j.lost.Store(&lost)
	j.kill()
}

// idle waits after the exit until the pipe was idle for IdleGrace, or nobody holds it, or ExitLimit is over (L266). What
// lay in the pipe at the exit is taken in first, however slow that is.
func (j *Job) idle(s source, exit time.Time) {
	before := j.Bytes()
	limit := time.NewTimer(time.Until(exit.Add(ExitLimit)))
	defer limit.Stop()
	quiet := time.NewTimer(IdleGrace)
	defer quiet.Stop()
	for late := false; ; {
		heard := j.heard.Changed()
		if late && (j.Bytes()-before >= maxRead || j.reading.Load() && s.Buffered() == 0) {
			return
		}
		select {
		case <-j.dry:
			return
		case <-limit.C:
			late = true
		case <-quiet.C:
			if j.reading.Load() && s.Buffered() == 0 {
				return
			}
			quiet.Reset(IdleGrace)
		case <-heard:
			quiet.Reset(IdleGrace)
		}
	}
}
