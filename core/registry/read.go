package registry

import (
	"context"
	"io"
	"slices"
	"time"

	"termbay/core"
	"termbay/core/settle"
	"termbay/core/terminal"
)

// Scope says whose entries are listed.
type Scope string

// The scopes.
const (
	OfSession Scope = "session"
	OfGroup   Scope = "group"
	OfAll     Scope = "all"
)

// List is the entries that a caller asked for; running first, newest first.
type List struct {
	Terminals       []core.Entry
	Jobs            []core.Entry
	Calls           []core.Call // oldest first
	Running, Exited int         // entries
}

// Entries lists entries. kind and status narrow the list when they are not empty. Errors: Gone.
func (r *Registry) Entries(c Caller, scope Scope, kind core.Kind, status core.Status) (List, error) {
	r.mu.Lock()
	s, err := r.session(c)
	if err != nil {
		r.mu.Unlock()
		return List{}, err
	}
	var found []*record
	for _, e := range r.entries {
		if scope == OfAll || e.session == s || scope == OfGroup && e.session.group == s.group {
			found = append(found, e)
		}
	}
	list := List{Terminals: []core.Entry{}, Jobs: []core.Entry{}, Calls: []core.Call{}}
	for _, o := range r.calls {
		if s2 := o.record.session; (scope == OfAll || s2 == s || scope == OfGroup && s2.group == s.group) && kind == "" && (status == "" || status == core.StatusRunning) {
			list.Calls = append(list.Calls, o.view())
		}
	}
	r.mu.Unlock()
	for _, e := range found {
		v := r.entry(e)
		if kind != "" && kind != v.Kind || status != "" && status != v.Status() {
			continue
		}
		if v.State == core.Running {
			list.Running++
		} else {
			list.Exited++
		}
		if v.Kind == core.KindJob {
			list.Jobs = append(list.Jobs, v)
		} else {
			list.Terminals = append(list.Terminals, v)
		}
	}
	sortEntries(list.Terminals)
	sortEntries(list.Jobs)
	slices.SortFunc(list.Calls, func(a, b core.Call) int { return a.StartedAt.Compare(b.StartedAt) })
	return list, nil
}

// Entry is one entry. Errors: those of lookup.
func (r *Registry) Entry(c Caller, id string) (core.Entry, error) {
	e, err := r.find(c, id)
	if err != nil {
		return core.Entry{}, err
	}
	return r.entry(e), nil
}

func (r *Registry) entry(e *record) core.Entry {
	r.mu.Lock()
	v := e.view()
	r.mu.Unlock()
	return e.look(v)
}

// AwaitExit waits until an entry has exited or the time is up, and returns it as it is then. It is pure: it marks
// nothing as seen. Errors: those of lookup, the context's.
func (r *Registry) AwaitExit(ctx context.Context, c Caller, id string, wait time.Duration) (core.Entry, error) {
	e, err := r.find(c, id)
	if err != nil {
		return core.Entry{}, err
	}
	wait = min(wait, settle.MaxWait)
	defer r.shown(e, &core.Waiting{For: "exit", Since: time.Now(), Until: time.Now().Add(wait), By: c.actor()})()
	select {
	case <-e.machine.Done():
	case <-time.After(wait):
	case <-ctx.Done():
		return core.Entry{}, ctx.Err()
	}
	return r.entry(e), nil
}

// Terminal is an entry's Terminal, for pure reads. Errors: those of lookup, NotFound for a job on pipes.
func (r *Registry) Terminal(c Caller, id string) (*terminal.Terminal, error) {
	e, err := r.findTerminal(c, id)
	if err != nil {
		return nil, err
	}
	return e.terminal, nil
}

// Watch is a pure wait of somebody who looks at a screen.
type Watch struct {
	For     string // change, quiet, exit or text
	Pattern *settle.Pattern
	Seen    uint64 // For change: the revision that is known already
	Wait    time.Duration
}

// Await waits for what a Watch says, at most for its time. Errors: those of lookup, the context's.
func (r *Registry) Await(ctx context.Context, c Caller, id string, w Watch) error {
	e, err := r.findTerminal(c, id)
	if err != nil {
		return err
	}
	w.Wait = min(w.Wait, settle.MaxWait)
	shown := &core.Waiting{For: w.For, Since: time.Now(), Until: time.Now().Add(w.Wait), By: c.actor()}
	if w.Pattern != nil {
		shown.Text = w.Pattern.Source()
	}
	defer r.shown(e, shown)()
	return e.terminal.Await(ctx, w.For, w.Pattern, w.Seen, w.Wait)
}

// Timeline is what happened to an entry, oldest first, the newest maxTimeline events. Errors: those of lookup.
func (r *Registry) Timeline(c Caller, id string) ([]core.Event, error) {
	e, err := r.find(c, id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]core.Event{}, e.timeline...), nil
}

// Resize changes a Terminal's size. Errors: those of lookup, NotRunning.
func (r *Registry) Resize(c Caller, id string, v core.Viewport) (core.Entry, error) {
	e, err := r.findTerminal(c, id)
	if err != nil {
		return core.Entry{}, err
	}
	if e.ended() {
		return core.Entry{}, r.notRunning(e)
	}
	if err := e.terminal.Resize(v); err != nil {
		return core.Entry{}, err
	}
	r.mu.Lock()
	e.note("resized", c.actor(), v.String())
	r.mu.Unlock()
	return r.entry(e), nil
}

// Output opens a full-output file of an entry, which may be forgotten (L51). Errors: those of lookup, NotFound.
func (r *Registry) Output(c Caller, id string, number int) (io.ReadSeekCloser, error) {
	if err := r.mayRead(c, id); err != nil {
		return nil, err
	}
	return r.cfg.Spool.OpenOutput(id, number)
}

func (r *Registry) mayRead(c Caller, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	owner := r.kept[id]
	if e := r.entries[id]; e != nil {
		owner = e.session
	}
	if owner == nil {
		return r.noEntry(id)
	}
	return r.reaches(c, id, owner)
}
