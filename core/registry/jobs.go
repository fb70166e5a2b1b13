package registry

import (
	"context"
	"fmt"
	"strings"
	"time"

	"termbay/core"
	"termbay/core/spool"
	"termbay/core/terminal"
)

// JobEnd is what is told of a job that was stopped, or had exited before.
type JobEnd struct {
	Entry     core.Entry
	Output    string // its newest (L39)
	Truncated bool   // there was more
	Text      string // all of it as the agent should read it
}

// InputReport is what came of an input.
type InputReport struct {
	Taken     int         // bytes; less than all when the command does not read
	Entry     *core.Entry // nil for a call in the foreground
	Output    string      // its newest, right after the input (L61)
	Truncated bool        // there was more
}

// Job is one background job. Errors: those of lookup, NotFound for a Terminal.
func (r *Registry) Job(who Caller, id string) (core.Entry, error) {
	e, err := r.findJob(who, id)
	if err != nil {
		return core.Entry{}, err
	}
	return r.entry(e), nil
}

// Log is the log of an entry; done is closed once nothing more can come into it. Errors: those of lookup, NotFound for a
// Terminal that was started without one.
func (r *Registry) Log(who Caller, id string) (log *spool.Log, done <-chan struct{}, err error) {
	e, err := r.find(who, id)
	switch {
	case err != nil:
		return nil, nil, err
	case e.log == nil:
		return nil, nil, &core.Error{Code: core.NotFound, Detail: id + " has no log; a Terminal has one when it was started with \"log\": true."}
	case e.job != nil:
		return e.log, e.job.Dry(), nil
	}
	return e.log, e.machine.Done(), nil
}

// JobInput writes exact bytes to the standard input of a job, or of a call, and then ends it if eof says so; on a PTY
// that is Control+D. Errors: those of lookup, NotRunning, StdinClosed.
func (r *Registry) JobInput(who Caller, id string, b []byte, eof bool) (InputReport, error) {
	e, call, err := r.running(who, id)
	if err != nil {
		return InputReport{}, err
	}
	var rep InputReport
	if e.terminal != nil {
		rep.Taken, err = r.typeInto(e, b, eof)
	} else {
		rep.Taken, err = e.job.Input(b, eof)
	}
	if err != nil {
		if !call && e.ended() {
			err = r.notRunning(e)
		}
		return InputReport{}, err
	}
	r.mu.Lock()
	e.lastInput = time.Now()
	e.note("input", who.actor(), core.Count(len(b), "byte", "bytes"))
	r.mu.Unlock()
	rep.Output, rep.Truncated = e.job.Recent()
	if !call {
		view := r.entry(e)
		rep.Entry = &view
	}
	return rep, nil
}

// running is a job or call that takes input.
func (r *Registry) running(who Caller, id string) (e *record, call bool, err error) {
	c, err := r.findCall(who, id)
	if c != nil || err != nil {
		if err != nil {
			return nil, true, err
		}
		return c.record, true, nil
	}
	if e, err = r.findJob(who, id); err == nil && e.ended() {
		err = r.notRunning(e)
	}
	return e, false, err
}

// typeInto types exact bytes on the PTY of a job.
func (r *Registry) typeInto(e *record, b []byte, eof bool) (taken int, err error) {
	const endOfFile = 4
	in := b
	if eof {
		in = append(append([]byte{}, b...), endOfFile)
	}
	typing, err := e.terminal.Type(terminal.Input{Bytes: in})
	if err != nil {
		return 0, err
	}
	taken, _ = typing.Wait()
	return min(taken, len(b)), nil
}

// OfJob says whether it stops a job, so that End tells of it and not Settle.
func (t *Turn) OfJob() bool { return t.entry.job != nil }

// End is Settle for a stop of a job.
func (t *Turn) End(ctx context.Context) (end JobEnd, deliver func(), err error) {
	r, e := t.registry, t.entry
	if err := r.end(context.WithoutCancel(ctx), e, t.stop, stopping{cause: core.CauseStopped, by: t.by}); err != nil {
		return JobEnd{}, nil, err
	}
	end.Entry = r.entry(e)
	end.Output, end.Truncated = e.job.Recent()
	end.Text = end.words(t.forget && !t.keepLog)
	return end, func() { r.delivered(t, terminal.Cursor{}) }, nil
}

// words is a job's end as the agent reads it.
func (end JobEnd) words(logGone bool) string {
	var b strings.Builder
	e := end.Entry
	switch {
	case end.Output == "":
		b.WriteString("(no output)\n")
	case strings.HasSuffix(end.Output, "\n"):
		b.WriteString(end.Output)
	default:
		b.WriteString(end.Output + "\n")
	}
	switch {
	case end.Truncated && logGone:
		b.WriteString("[Only the newest output is shown; the log went with the job.]\n")
	case end.Truncated:
		fmt.Fprintf(&b, "[Only the newest output is shown. Full output: %s]\n", e.Log.Path)
	}
	if e.Log.Truncated {
		fmt.Fprintf(&b, "[The log reached its cap: %s of its middle are not kept.]\n", core.Size(e.Log.Dropped))
	}
	if e.Log.Error != "" {
		fmt.Fprintf(&b, "[The log is incomplete: %s]\n", e.Log.Error)
	}
	fmt.Fprintf(&b, "[%s %s]", e.ID, e.Outcome.Since(e.StartedAt))
	return b.String()
}
