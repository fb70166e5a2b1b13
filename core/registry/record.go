package registry

import (
	"time"

	"termbay/core"
	"termbay/core/terminal"
)

// maxTimeline is how many events of an entry are kept, the newest.
const maxTimeline = 200

// record is the Registry's own knowledge of an entry. Its fields below session are guarded by the Registry's mutex.
type record struct {
	uid      string
	started  time.Time
	spec     Start
	shell    core.Shell
	cwd      string
	viewport core.Viewport
	session  *session
	terminal *terminal.Terminal

	id        string
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
	signal string // set by end
}

// note adds to the timeline; the Registry's mutex is held.
func (e *record) note(kind string, by core.Actor, detail string) {
	if len(e.timeline) == maxTimeline {
		e.timeline = append(e.timeline[:0], e.timeline[1:]...)
	}
	e.timeline = append(e.timeline, core.Event{At: time.Now(), Kind: kind, By: by, Detail: detail})
}

// exited records the outcome, once. It is the Terminal's OnExit.
func (r *Registry) exited(e *record, end terminal.Ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := &core.Outcome{Cause: core.CauseExit, Exit: end.Exit, DescendantsAlive: end.Descendants}
	if end.Exit.Signal != "" {
		o.Cause = core.CauseSignal
	}
	switch {
	case end.Lost != "":
		o.Cause, o.Detail = core.CauseLost, end.Lost
	case len(e.stops) > 0:
		s := e.stops[0]
		o.Cause, o.By = s.cause, s.by
		if s.signal != end.Exit.Signal {
			o.Detail = "stopped with " + s.signal
		}
	}
	e.outcome = o
	detail := end.Exit.Signal
	if end.Exit.Code != nil {
		detail = codeDetail(*end.Exit.Code)
	}
	e.note("exited", o.By, detail)
	r.busy()
}

// view is what everybody may know of e; the Registry's mutex is held.
func (e *record) view() core.Entry {
	v := core.Entry{
		ID: e.id, UID: e.uid, Kind: core.KindTerminal, Session: e.session.id, Group: e.session.group, Owner: e.session.role,
		Command: e.spec.display(), Label: e.spec.Label, Cwd: e.cwd, Shell: e.shell.Path,
		State: core.Running, PID: e.terminal.PID(), StartedAt: e.started, Notify: e.spec.Notify,
		LastReadAt: e.lastRead, LastInputAt: e.lastInput,
	}
	if e.outcome != nil {
		v.State, v.Outcome, v.ExitedAt = core.Exited, e.outcome, e.outcome.Exit.At
	} else if n := len(e.waits); n > 0 {
		v.Waiting = e.waits[n-1]
	}
	return v
}

// look completes an entry with what its screen says; the mutex is not held, because a screen has its own.
func (e *record) look(v core.Entry) core.Entry {
	h := e.terminal.Screen().Head()
	v.Viewport, v.Title, v.Revision = h.Viewport, h.Title, h.Revision
	return v
}
