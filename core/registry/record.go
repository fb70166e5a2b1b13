package registry

import (
	"cmp"
	"context"
	"time"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/process"
	"termbay/core/spool"
	"termbay/core/terminal"
)

// maxTimeline is how many events of an entry are kept, the newest.
const maxTimeline = 200

// machine is what an entry runs on: a Terminal, or a job.
type machine interface {
	PID() int
	Bytes() int64
	Done() <-chan struct{}
	Signal(name string) error
	Stop(ctx context.Context, how process.Stop) error
}

// spec is what was asked for, of every kind of entry.
type spec struct {
	command, displayed string
	label              string
	cwd                string
	env                []string
	shell              string
	prefix             *string
	viewport           *core.Viewport
	notify             bool
	toolCall           string
}

func (s spec) display() string { return cmp.Or(s.displayed, s.command) }

// record is the Registry's own knowledge of an entry, or of a call that may become one. Its fields from outcome on are
// guarded by the Registry's mutex; those before are set before it is listed.
type record struct {
	uid      string
	kind     core.Kind
	started  time.Time
	spec     spec
	shell    core.Shell
	cwd      string
	viewport core.Viewport
	session  *session
	call     string // id of the call that a job was
	machine  machine
	terminal *terminal.Terminal // nil for a job on pipes
	job      *job.Job           // nil for a Terminal

	id        string
	moved     time.Time     // to the background
	log       *spool.Log    // nil without one
	outcome   *core.Outcome // once exited
	stops     []*stopping   // requests to end it, oldest first; the first is to blame
	cursors   map[string]terminal.Cursor
	waits     []*core.Waiting
	lastRead  time.Time
	lastInput time.Time
	outputs   int // full-output files written
	timeline  []core.Event
}

// stopping is a request to end an entry.
type stopping struct {
	cause  core.Cause
	by     core.Actor
	signal string    // set by end
	at     time.Time // set by end
}

// note adds to the timeline; the Registry's mutex is held.
func (e *record) note(kind string, by core.Actor, detail string) {
	if len(e.timeline) == maxTimeline {
		e.timeline = append(e.timeline[:0], e.timeline[1:]...)
	}
	e.timeline = append(e.timeline, core.Event{At: time.Now(), Kind: kind, By: by, Detail: detail})
}

// ended says whether its program has ended and everything that it printed can be seen.
func (e *record) ended() bool {
	select {
	case <-e.machine.Done():
		return true
	default:
		return false
	}
}

// exited records the outcome, once.
func (r *Registry) exited(e *record, end core.Ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var why *stopping
	if len(e.stops) > 0 && e.stops[0].at.Before(end.Exit.At) { // else it was faster
		why = e.stops[0]
	}
	e.exit(outcomeOf(end, why))
	r.busy()
}

// exit makes the outcome known; the Registry's mutex is held.
func (e *record) exit(o *core.Outcome) {
	e.outcome = o
	detail := o.Exit.Signal
	if o.Exit.Code != nil {
		detail = codeDetail(*o.Exit.Code)
	}
	e.note("exited", o.By, detail)
}

// outcomeOf is how and why something ended; why is nil when nobody asked for it.
func outcomeOf(end core.Ending, why *stopping) *core.Outcome {
	o := &core.Outcome{Cause: core.CauseExit, Exit: end.Exit, DescendantsAlive: end.Descendants}
	if end.Exit.Signal != "" {
		o.Cause = core.CauseSignal
	}
	switch {
	case end.Lost != "":
		o.Cause, o.Detail = core.CauseLost, end.Lost
	case why != nil:
		o.Cause, o.By = why.cause, why.by
		if why.signal != end.Exit.Signal {
			o.Detail = "stopped with " + why.signal
		}
	}
	return o
}

// view is what everybody may know of e; the Registry's mutex is held.
func (e *record) view() core.Entry {
	v := core.Entry{
		ID: e.id, UID: e.uid, Kind: e.kind, Session: e.session.id, Group: e.session.group, Owner: e.session.role,
		Command: e.spec.display(), Label: e.spec.label, Cwd: e.cwd, Shell: e.shell.Path,
		State: core.Running, PID: e.machine.PID(), StartedAt: e.started, BackgroundedAt: e.moved,
		Notify: e.spec.notify, ToolCallID: e.spec.toolCall,
		LastReadAt: e.lastRead, LastInputAt: e.lastInput,
	}
	if e.outcome != nil {
		v.State, v.Outcome, v.ExitedAt = core.Exited, e.outcome, e.outcome.Exit.At
	} else if n := len(e.waits); n > 0 {
		v.Waiting = e.waits[n-1]
	}
	return v
}

// look completes an entry with what its screen and its log say; the mutex is not held, because they have their own.
func (e *record) look(v core.Entry) core.Entry {
	if e.terminal != nil {
		h := e.terminal.Screen().Head()
		v.Viewport, v.Title, v.Revision = h.Viewport, h.Title, h.Revision
	}
	if e.log != nil {
		log := e.log.State()
		v.Log = &log
	}
	return v
}
