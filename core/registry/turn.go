package registry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/settle"
	"termbay/core/terminal"
)

const (
	// InputWait is how long a call with input waits (L27).
	InputWait = 500 * time.Millisecond
	// PollWait is how long a call without input waits (L27).
	PollWait = 30 * time.Second
)

// turnKind is what a Turn was begun with.
type turnKind int

const (
	turnStart turnKind = iota
	turnInput
	turnPoll
	turnStop
)

// Turn is one call of an agent on a Terminal, from the moment it was accepted until its Result was delivered. What can
// be refused was refused when it was begun; Settle does the waiting.
type Turn struct {
	registry *Registry
	entry    *record
	caller   Caller
	kind     turnKind
	pattern  *settle.Pattern
	begun    time.Time
	wait     time.Duration
	quiet    time.Duration
	typing   *terminal.Typing // turnInput
	stop     process.Stop     // turnStop
	by       core.Actor       // turnStop: who stops it
	forget   bool             // turnStop: once it was delivered
	keepLog  bool             // turnStop: when it is forgotten
}

// ID is the entry's.
func (t *Turn) ID() string { return t.entry.id }

// Wait is how long it waits at most, after clamping.
func (t *Turn) Wait() time.Duration { return t.wait }

// Send begins a Turn that types into a Terminal, or polls it when the input is empty (L18). An exited Terminal is
// polled at once. Errors: those of lookup, settle.Parse and Input.Check, NotRunning; then nothing was typed.
func (r *Registry) Send(c Caller, id string, in terminal.Input, w Wait) (*Turn, error) {
	e, err := r.findTerminal(c, id)
	if err != nil {
		return nil, err
	}
	pattern, err := w.pattern()
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	t := &Turn{registry: r, entry: e, caller: c, kind: turnPoll, pattern: pattern, begun: time.Now(), wait: w.duration(PollWait), quiet: w.quiet()}
	if in.Empty() {
		return t, nil
	}
	t.kind, t.wait = turnInput, w.duration(InputWait)
	if e.ended() {
		return nil, r.notRunning(e)
	}
	if t.typing, err = e.terminal.Type(in); err != nil {
		if problem := (*core.Error)(nil); errors.As(err, &problem) && problem.Code == core.NotRunning {
			return nil, r.notRunning(e)
		}
		return nil, err
	}
	r.mu.Lock()
	e.lastInput = time.Now()
	e.note("input", c.actor(), core.OneLine(in.String()))
	r.mu.Unlock()
	return t, nil
}

// Settle waits and builds the Result. deliver must be called once the Result has reached the client whole, and only
// then: it moves the session's reading position and, after a stop, forgets the entry. The error is the context's, when
// the client has left, or StillRunning after a stop without escalation.
func (t *Turn) Settle(ctx context.Context) (res terminal.Result, deliver func(), err error) {
	r, e := t.registry, t.entry
	cursor := r.cursor(e, t.caller)
	report := terminal.Report{ID: e.id, StartedAt: e.started, Pattern: t.pattern, Wait: t.wait, Spill: func(text string) (string, int, error) { return r.spill(e, text) }}
	switch t.kind {
	case turnStop: // what was begun is finished, also when the client has left: else nobody knew whom to blame
		err = r.end(context.WithoutCancel(ctx), e, t.stop, stopping{cause: core.CauseStopped, by: t.by})
		report.Reason = settle.Exit
	case turnInput:
		report.Taken, report.Of = t.typing.Wait()
		fallthrough
	default:
		report.Reason, err = t.settle(ctx, cursor)
	}
	if err != nil {
		return terminal.Result{}, nil, err
	}
	report.Waited = time.Since(t.begun)
	if e.ended() {
		report.Outcome = r.outcome(e)
	}
	// Not the cursor from before the wait: another call of this session may have been answered meanwhile.
	res, next := e.terminal.Result(r.cursor(e, t.caller), report)
	if res.Truncated {
		r.relief.soon()
	}
	return res, func() { r.delivered(t, next) }, nil
}

// settle waits as the law says (L21–L31).
func (t *Turn) settle(ctx context.Context, cursor terminal.Cursor) (settle.Reason, error) {
	rule := settle.Rule{Text: t.pattern, Quiet: t.quiet, Wait: max(t.wait-time.Since(t.begun), 0)}
	switch t.kind {
	case turnInput:
		place := t.typing.Place()
		rule.Armed, rule.Seen, rule.From, rule.Echo = true, place.Revision, place.Next, t.typing.Echo()
	case turnPoll:
		rule.Seen, rule.From = cursor.Revision, cursor.Line
	}
	done := t.registry.waiting(t.entry, rule, t.begun.Add(t.wait), t.caller.actor())
	defer done()
	reason := settle.Until(ctx, t.entry.terminal, rule)
	if reason == settle.Canceled {
		return "", cmp.Or(ctx.Err(), context.Canceled)
	}
	return reason, nil
}

// waiting shows on the entry what a caller waits for; done takes it away.
func (r *Registry) waiting(e *record, rule settle.Rule, until time.Time, by core.Actor) (done func()) {
	w := &core.Waiting{For: "quiet", Since: time.Now(), Until: until, By: by}
	if rule.Text != nil {
		w.For, w.Text = "text", rule.Text.Source()
	}
	return r.shown(e, w)
}

func (r *Registry) shown(e *record, w *core.Waiting) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.waits = append(e.waits, w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		e.waits = slices.DeleteFunc(e.waits, func(o *core.Waiting) bool { return o == w })
	}
}

// delivered is what a Result that reached the client changes.
func (r *Registry) delivered(t *Turn, next terminal.Cursor) {
	r.mu.Lock()
	e := t.entry
	session := t.caller.id()
	e.cursors[session] = e.cursors[session].Merge(next) // of two calls at once
	e.lastRead = time.Now()
	e.note("read", t.caller.actor(), "")
	r.mu.Unlock()
	if t.forget {
		r.forget(e, t.keepLog)
	}
}

func (r *Registry) cursor(e *record, c Caller) terminal.Cursor {
	r.mu.Lock()
	defer r.mu.Unlock()
	return e.cursors[c.id()]
}

func (r *Registry) outcome(e *record) *core.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return e.outcome
}

// spill writes a result that was cut to a full-output file of the entry (L49).
func (r *Registry) spill(e *record, text string) (path string, number int, err error) {
	r.mu.Lock()
	e.outputs++
	number = e.outputs
	r.mu.Unlock()
	path, err = r.cfg.Spool.Output(e.id, number, text)
	return path, number, err
}
