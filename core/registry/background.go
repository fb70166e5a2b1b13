package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"termbay/core"
	"termbay/core/spool"
)

// NotMoved is a call that could not be moved, and why.
type NotMoved struct {
	CallID string
	Err    *core.Error
}

// move moves the call to the background: it takes a place in the caps, the next id and a log, all or nothing.
func (c *call) move(by core.Promotion) error {
	r, e := c.registry, c.record
	return e.job.Move(func() (*spool.Log, error) {
		if err := r.reserve(e); err != nil {
			return nil, err
		}
		defer r.release(e)
		n, err := r.cfg.Counter.Next("b")
		if err != nil {
			return nil, fmt.Errorf("number a job: %w", err)
		}
		id := fmt.Sprintf("b%d", n)
		log := r.cfg.Spool.Log(id, r.cfg.MaxLogBytes)
		r.mu.Lock()
		e.log, e.moved = log, time.Now()
		r.mu.Unlock()
		if err := r.enlist(e, id); err != nil {
			log.Remove()
			return nil, err
		}
		r.backgrounded(c, Moved{ID: id, LogPath: log.State().Path, By: by})
		return log, nil
	})
}

// backgrounded makes known where the call is now. Its timeout is over, unless it is one of everything (L107).
func (r *Registry) backgrounded(c *call, to Moved) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.moved, c.over = &to, c.record.moved
	c.record.note("backgrounded", actorOf(to.By), string(to.By))
	delete(r.calls, c.ID())
	stopTimer(c.yield)
	if !c.run.TimeoutAlways {
		stopTimer(c.timeout)
	}
	r.over.Broadcast()
}

func actorOf(by core.Promotion) core.Actor {
	switch by {
	case core.ByFlag:
		return core.ByAgent
	case core.ByTimeout:
		return core.ByService
	}
	return core.ByUser
}

// Background moves one call, by its id. Errors: those of lookup, NotBackgroundable, NotRunning for a job that has exited,
// CapReached.
func (r *Registry) Background(who Caller, id string, by core.Promotion) (Moved, core.Entry, error) {
	c, err := r.findCall(who, id)
	if err != nil {
		return Moved{}, core.Entry{}, err
	}
	if c == nil {
		return Moved{}, core.Entry{}, r.noCall(who, id)
	}
	if err := c.move(by); err != nil {
		return Moved{}, core.Entry{}, err
	}
	r.mu.Lock()
	to := *c.moved
	r.mu.Unlock()
	return to, r.entry(c.record), nil
}

// noCall says why an id is not that of a call in the foreground.
func (r *Registry) noCall(who Caller, id string) error {
	m := entryID.FindStringSubmatch(id)
	if m == nil || m[1] != "c" {
		e, err := r.find(who, id)
		switch {
		case err != nil:
			return err
		case e.ended():
			return r.notRunning(e)
		}
		return &core.Error{Code: core.NotBackgroundable, Detail: fmt.Sprintf("%s is in the background already; GET /v1/entries/%s shows it.", id, id)}
	}
	if n, err := strconv.Atoi(m[2]); err != nil || n > r.cfg.Counter.Last("c") {
		return &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("No call %s; GET /v1/entries lists those in the foreground.", id)}
	}
	return &core.Error{Code: core.NotBackgroundable, Detail: fmt.Sprintf("%s is not in the foreground any more: it finished, was moved, aborted or timed out.", id)}
}

// BackgroundAll moves every call of one session, oldest first (L100, L283). One that cannot be moved does not stop the
// others (L102). Errors: NotFound, Gone for the session.
func (r *Registry) BackgroundAll(session string) (moved []core.Entry, failed []NotMoved, err error) {
	r.mu.Lock()
	s := r.sessions[session]
	if s == nil {
		defer r.mu.Unlock()
		return nil, nil, r.noSession(session)
	}
	var calls []*call
	for _, c := range r.calls {
		if c.record.session == s {
			calls = append(calls, c)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(calls, func(a, b *call) int {
		return cmp.Or(a.record.started.Compare(b.record.started), cmp.Compare(a.ID(), b.ID()))
	})
	for _, c := range calls {
		var problem *core.Error
		switch err := c.move(core.ByKey); {
		case err == nil:
			moved = append(moved, r.entry(c.record))
		case errors.As(err, &problem):
			failed = append(failed, NotMoved{CallID: c.ID(), Err: problem})
		default:
			return moved, failed, err
		}
	}
	return moved, failed, nil
}
