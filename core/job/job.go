// Package job runs shell commands whose output is a stream: first a call in the foreground that somebody waits for, then
// perhaps, without a restart, a job in the background with a log.
//
// It owns the stream of what a command printed and the decision what becomes of a call. On pipes it starts two
// goroutines, both of which end by themselves:
//
//	copier   pipe → Print                      ends at io.EOF, or by Close
//	waiter   Wait → idle pipe → OnEnd → Done   ends once the process was reaped
//
// A command on a PTY is served by its Terminal, which calls Print and Exit.
//
// It promises that output stays in order and is lost nowhere without being counted, that of all who race for a call
// (its exit, a move, an abort, its timeout) exactly one decides, and that whatever still holds the pipes after the exit
// holds nobody up.
package job

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/pulse"
	"termbay/core/spool"
)

// endLimit is how long an end is waited for that even SIGKILL does not bring.
const endLimit = 15 * time.Second

// Spec is what a Job is made with.
type Spec struct {
	// File makes the file of everything that a call printed, when the memory does not hold it or its result is cut.
	File func() *spool.Log
	// OnEnd is called once, after all output was taken in and before Done is closed.
	OnEnd func(End)
	Log   *slog.Logger
}

// End is how a command ended, and what became of its call.
type End struct {
	core.Ending
	Fate   Fate             // Moved, Finished or Ended
	Why    Why              // who ended it, of a call that was Ended
	Record func(*spool.Log) // writes what the call printed to a log; nil for what was Moved
}

// Program is what runs the command.
type Program interface {
	PID() int
	Done() <-chan struct{} // closed once it was reaped
	Signal(name string) error
	Stop(ctx context.Context, how process.Stop) error
}

// Job is one command. Its methods may be called from any goroutine.
type Job struct {
	spec    Spec
	program Program
	source  source // nil on a PTY
	stdin   stdin  // nil when it takes no input
	fate    *fate
	heard   pulse.Pulse
	done    chan struct{} // closed once it has ended
	dry     chan struct{} // closed once nothing more can be printed
	reading atomic.Bool   // whether the copier waits for output
	lost    atomic.Pointer[string]

	order sync.Mutex // held while output is taken in, disk and all, so that it stays in order; guards below
	tape  *Tape      // nil once the call is over
	log   *spool.Log // nil in the foreground

	mu     sync.Mutex // guards below
	recent recent
	bytes  int64
	report Report // of the call, once it is over

	writing sync.Mutex // held while one input is written
}

// New makes a Job of which nothing runs yet.
func New(spec Spec) *Job {
	return &Job{
		spec: spec,
		fate: newFate(),
		tape: newTape(spec.File),
		done: make(chan struct{}),
		dry:  make(chan struct{}),
	}
}

// Serve is Start for a program that somebody else serves: it calls Print with what the program prints and Exit when it
// has ended.
func (j *Job) Serve(program Program) { j.program = program }

// Tape is what the call printed. Take it before the job starts: the job lets go of it once the call is over.
func (j *Job) Tape() *Tape {
	j.order.Lock()
	defer j.order.Unlock()
	return j.tape
}

func (j *Job) kill() {
	if err := j.program.Stop(context.Background(), process.Stop{Signal: "SIGKILL"}); err != nil {
		j.spec.Log.Error("kill a command", "pid", j.PID(), "error", err)
	}
}

// Print takes in what the command printed.
func (j *Job) Print(p []byte) {
	if len(p) == 0 {
		return
	}
	j.order.Lock()
	defer j.order.Unlock()
	switch {
	case j.log != nil:
		_, _ = j.log.Write(p) // never fails
	case j.tape != nil:
		j.tape.write(p)
	default: // the call has ended; what its children go on printing is nobody's
		return
	}
	j.mu.Lock()
	j.recent.add(p)
	j.bytes += int64(len(p))
	j.mu.Unlock()
	j.heard.Beat()
}

// Exit says that the program has ended and that its output was taken in. It is called once.
func (j *Job) Exit(ending core.Ending) {
	end := End{Ending: ending}
	if lost := j.lost.Load(); lost != nil {
		end.Lost = *lost
	}
	var tape *Tape
	end.Fate, end.Why = j.fate.finish()
	if end.Fate == Ended && ending.Exit.Code != nil { // it was faster
		end.Fate, end.Why = Finished, Why{}
	}
	if end.Fate != Moved {
		j.order.Lock()
		tape, j.tape = j.tape, nil
		j.order.Unlock()
		j.reported(tape.report(nil))
		end.Record = tape.move
	}
	j.spec.OnEnd(end)
	close(j.done)
	if j.source == nil {
		close(j.dry)
	}
	j.rest()
	if tape != nil {
		tape.close()
	}
}

// rest gives the descriptors back once nothing more can come. Until then the standard input stays open, also when
// nobody holds the pipe of the output any more.
func (j *Job) rest() {
	if !closed(j.done) || !closed(j.dry) {
		return
	}
	if j.source != nil {
		_ = j.source.Close() // an error means that it is closed already
	}
	j.order.Lock()
	defer j.order.Unlock()
	if j.log != nil {
		j.log.Close()
	}
}

// Move moves a call to the background. take makes what a job in the background has, its log among it; when it fails
// the call stays where it is. The command itself notices nothing. *core.Error NotBackgroundable says why it cannot be
// moved (L103); other errors are take's.
func (j *Job) Move(take func() (*spool.Log, error)) error {
	if is, chosen := j.fate.choose(moving, Why{}, j.runs); !chosen {
		return &core.Error{Code: core.NotBackgroundable, Detail: fmt.Sprintf("It cannot be moved to the background: it %s.", is)}
	}
	log, err := take()
	if err != nil {
		j.fate.settle(Open)
		return err
	}
	j.order.Lock()
	tape := j.tape
	j.tape, j.log = nil, log
	report := tape.report(log)
	tape.move(log)
	j.order.Unlock()
	j.reported(report)
	j.fate.settle(Moved)
	tape.close()
	return nil
}

// End ends a call that is still in the foreground with its whole tree, and returns when it has ended. What was moved
// before is left alone (L108).
func (j *Job) End(why Why) {
	is, chosen := j.fate.choose(Ended, why, j.runs)
	switch {
	case is == Moved:
		return
	case chosen:
		j.kill()
	}
	select {
	case <-j.done:
	case <-time.After(endLimit):
	}
}

func (j *Job) runs() bool { return !closed(j.program.Done()) }

func (j *Job) reported(r Report) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.report = r
}

// Report is what a call printed, once it is over: when its Tape is.
func (j *Job) Report() Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.report
}

// Recent is the newest output within the limits of a result, and whether there was more.
func (j *Job) Recent() (output string, truncated bool) {
	j.mu.Lock()
	p, all := j.recent.tail(), j.bytes
	j.mu.Unlock()
	return recently(p, all)
}

// PID is the process id of the shell.
func (j *Job) PID() int { return j.program.PID() }

// Bytes is how much output there was so far.
func (j *Job) Bytes() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bytes
}

// Done is closed after the exit, when its output was taken in and its end is known.
func (j *Job) Done() <-chan struct{} { return j.done }

// Dry is closed once nothing more can be printed, also by those that held the pipe after the exit.
func (j *Job) Dry() <-chan struct{} { return j.dry }

// Signal sends a signal to the command's process group. Nothing is sent once it has ended.
func (j *Job) Signal(name string) error { return j.program.Signal(name) }

// Stop ends the command and its whole process tree and returns when both are gone and its end is known.
func (j *Job) Stop(ctx context.Context, how process.Stop) error {
	if err := j.program.Stop(ctx, how); err != nil {
		return err
	}
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close lets go of the pipe and returns when nothing reads it any more. Whoever still writes into it gets SIGPIPE.
func (j *Job) Close() {
	if j.source != nil {
		_ = j.source.Close() // an error means that it is closed already
		<-j.dry
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
