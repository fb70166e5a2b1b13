package registry

import (
	"cmp"
	"context"
	"fmt"
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
	r.mu.Lock()
	if e.outcome == nil {
		e.note("stop_requested", how.By, signal)
		if e.stopping == nil {
			e.stopping = &stopping{cause: core.CauseStopped, by: how.By, signal: signal}
		}
	}
	r.mu.Unlock()
	return &Turn{
		registry: r, entry: e, caller: c, kind: turnStop, begun: time.Now(), wait: grace,
		stop:   process.Stop{Signal: signal, Grace: grace, Escalate: how.Escalate},
		forget: how.Forget && how.By != core.ByUser, // what a person stops stays, so that the agent can see it (L182)
	}, nil
}

// end stops the entry's process tree and waits for the final screen.
func (r *Registry) end(ctx context.Context, e *record, how process.Stop) error {
	if e.terminal.Ended() {
		return nil
	}
	err := e.terminal.Stop(ctx, how)
	if err == nil {
		return nil
	}
	if !how.Escalate {
		r.mu.Lock()
		if e.outcome == nil {
			e.stopping = nil // it goes on: a later end is its own
		}
		r.mu.Unlock()
	}
	return err
}

// stopAll stops many entries at once and returns when all have ended or ctx is done.
func (r *Registry) stopAll(ctx context.Context, all []*record, why stopping) {
	var stops sync.WaitGroup
	for _, e := range all {
		r.mu.Lock()
		if e.outcome == nil && e.stopping == nil {
			e.stopping = &why
			e.note("stop_requested", why.by, "")
		}
		r.mu.Unlock()
		stops.Go(func() {
			if err := r.end(ctx, e, process.Stop{Signal: "SIGTERM", Grace: process.DefaultGrace, Escalate: true}); err != nil {
				r.cfg.Log.Warn("stop an entry", "id", e.id, "error", err)
			}
		})
	}
	stops.Wait()
}

// kill ends what was started but not enlisted.
func (r *Registry) kill(e *record) {
	if err := r.end(context.Background(), e, process.Stop{Signal: "SIGKILL", Escalate: true}); err != nil {
		r.cfg.Log.Warn("kill a start that failed", "uid", e.uid, "error", err)
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
	if e.terminal.Ended() {
		return core.Entry{}, r.notRunning(e)
	}
	if err := e.terminal.Signal(signal); err != nil {
		return core.Entry{}, fmt.Errorf("signal %s: %w", id, err)
	}
	r.mu.Lock()
	e.note("signalled", core.ByAgent, signal)
	r.mu.Unlock()
	return r.entry(e), nil
}

// Forget drops an exited entry with its files (L72). Errors: those of lookup, StillRunning.
func (r *Registry) Forget(c Caller, id string) error {
	e, err := r.find(c, id)
	if err != nil {
		return err
	}
	if !e.terminal.Ended() {
		return &core.Error{Code: core.StillRunning, Detail: fmt.Sprintf("%s is still running; stop it first with POST /v1/entries/%s/stop.", id, id)}
	}
	r.forget(e)
	return nil
}

// forget drops the entry; its id is never used again (L63).
func (r *Registry) forget(e *record) {
	r.mu.Lock()
	known := r.entries[e.id] == e
	if known {
		delete(r.entries, e.id)
		r.totals.add(e)
	}
	r.mu.Unlock()
	if known {
		r.cfg.Spool.Remove(e.id)
	}
}
