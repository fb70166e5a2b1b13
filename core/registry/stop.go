package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"termbay/core"
	"termbay/core/process"
)

// MaxGrace is the longest grace of a stop; a longer one is clamped.
const MaxGrace = time.Minute

// Stop is how an entry is stopped (L71, D11).
type Stop struct {
	Signal   string         // default SIGTERM
	Grace    *time.Duration // nil: process.DefaultGrace
	Escalate bool           // SIGKILL to the whole tree after the grace
	Forget   bool           // drop the entry once its final Result was delivered (L72)
	KeepLog  bool           // leave the log of an entry that is dropped until its session ends (D12)
	By       core.Actor     // agent or user
}

// Stop begins a Turn that ends an entry. An exited one just returns its final Result (L73). Errors: those of lookup,
// Invalid for an unknown signal.
func (r *Registry) Stop(c Caller, id string, how Stop) (*Turn, error) {
	signal, err := process.CheckSignal(cmp.Or(how.Signal, "SIGTERM"))
	if err != nil {
		return nil, err
	}
	e, err := r.find(c, id)
	if err != nil {
		return nil, err
	}
	grace := process.DefaultGrace
	if how.Grace != nil {
		grace = min(*how.Grace, MaxGrace)
	}
	return &Turn{
		registry: r, entry: e, caller: c, kind: turnStop, begun: time.Now(), wait: grace,
		stop:    process.Stop{Signal: signal, Grace: cmp.Or(grace, -1), Escalate: how.Escalate}, // there 0 means the default
		by:      how.By,
		forget:  how.Forget && how.By != core.ByUser, // what a person stops stays, so that the agent can see it (L182)
		keepLog: how.KeepLog,
	}, nil
}

// end stops the entry's process tree and waits for the final screen. The first who asked is to blame for the end, unless
// it turned out that the program did not end of it.
func (r *Registry) end(ctx context.Context, e *record, how process.Stop, why stopping) error {
	why.signal, why.at = how.Signal, time.Now()
	r.mu.Lock()
	if e.outcome == nil {
		e.stops = append(e.stops, &why)
		e.note("stop_requested", why.by, why.signal)
	}
	r.mu.Unlock()
	err := e.machine.Stop(ctx, how)
	if problem := (*core.Error)(nil); !how.Escalate && errors.As(err, &problem) && problem.Code == core.StillRunning {
		r.mu.Lock()
		e.stops = slices.DeleteFunc(e.stops, func(s *stopping) bool { return s == &why })
		r.mu.Unlock()
	}
	return err
}

// stopAll stops many entries at once and returns when all have ended or ctx is done.
func (r *Registry) stopAll(ctx context.Context, all []*record, why stopping) {
	var stops sync.WaitGroup
	for _, e := range all {
		stops.Go(func() {
			if err := r.end(ctx, e, process.Stop{Signal: "SIGTERM", Grace: process.DefaultGrace, Escalate: true}, why); err != nil {
				r.cfg.Log.Warn("stop an entry", "id", e.id, "error", err)
			}
		})
	}
	stops.Wait()
}

// kill ends what nobody asks any more.
func (r *Registry) kill(e *record) {
	why := stopping{cause: core.CauseStopped, by: core.ByService}
	if err := r.end(context.Background(), e, process.Stop{Signal: "SIGKILL", Escalate: true}, why); err != nil {
		r.cfg.Log.Warn("kill an entry", "uid", e.uid, "error", err)
	}
}

// Signal sends a signal to an entry's process group. Errors: those of lookup, Invalid, NotRunning.
func (r *Registry) Signal(c Caller, id, signal string) (core.Entry, error) {
	signal, err := process.CheckSignal(signal)
	if err != nil {
		return core.Entry{}, err
	}
	e, err := r.find(c, id)
	if err != nil {
		return core.Entry{}, err
	}
	if e.ended() {
		return core.Entry{}, r.notRunning(e)
	}
	if err := e.machine.Signal(signal); err != nil {
		return core.Entry{}, fmt.Errorf("signal %s: %w", id, err)
	}
	r.mu.Lock()
	e.note("signalled", c.actor(), signal)
	r.mu.Unlock()
	return r.entry(e), nil
}

// Forget drops an exited entry with its files (L72). Errors: those of lookup, StillRunning.
func (r *Registry) Forget(c Caller, id string) error {
	e, err := r.find(c, id)
	if err != nil {
		return err
	}
	if !e.ended() {
		return &core.Error{Code: core.StillRunning, Detail: fmt.Sprintf("%s is still running; stop it first with POST /v1/entries/%s/stop.", id, id)}
	}
	r.forget(e, false)
	r.mu.Lock()
	delete(r.kept, id)
	r.mu.Unlock()
	r.cfg.Spool.Remove(id)
	return nil
}

// forget drops the entry and its log (L123), unless the log is kept; its id is never used again (L63). Its full outputs
// stay with its session, so that the Result of a stop can name one (L51).
func (r *Registry) forget(e *record, keepLog bool) {
	e.close()
	if e.log != nil && !keepLog {
		e.log.Remove()
	}
	var own Totals
	own.add(e) // before the lock: a screen that is being drawn holds up whoever looks at it
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries[e.id] != e {
		return
	}
	delete(r.entries, e.id)
	r.totals.Output += own.Output
	r.totals.Faults += own.Faults
	if e.outputs > 0 || e.log != nil && keepLog {
		r.kept[e.id] = e.session
	}
}

// close lets go of a job's pipe, which something that it left behind may still hold.
func (e *record) close() {
	if e.job != nil && e.ended() {
		e.job.Close()
	}
}
