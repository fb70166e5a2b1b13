package registry

import (
	"context"
	"fmt"
	"sync"
	"time"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/process"
)

// Call is a command in the foreground, from its start until it has ended or was moved to the background.
type Call struct {
	*call
	tape *job.Tape // only the client holds it: it is large, and the job lives on
}

// call is what the Registry knows of a Call.
type call struct {
	registry *Registry
	record   *record
	run      Run

	// guarded by the Registry's mutex
	yield, timeout *time.Timer   // nil without one
	moved          *Moved        // once it is in the background
	outcome        *core.Outcome // once it has ended in the foreground
	over           time.Time
}

// Moved is where a call is in the background.
type Moved struct {
	ID      string // b1
	LogPath string
	By      core.Promotion
}

// CallResult is what a call gives to who waited for it.
type CallResult struct {
	job.Report
	Outcome *core.Outcome // nil when it was moved
	Wall    time.Duration
	Moved   *Moved
	Entry   *core.Entry // of what was moved, or whose record is kept
}

// ID is the call's: c1.
func (c *call) ID() string { return c.record.call }

// PID is the process id of its shell.
func (c *call) PID() int { return c.record.machine.PID() }

// Next is what it printed, as Tape.Next.
func (c *Call) Next(ctx context.Context, at int64) (p []byte, next int64, err error) {
	return c.tape.Next(ctx, at)
}

// Over is closed once it has ended or was moved.
func (c *Call) Over() <-chan struct{} { return c.tape.Over() }

// Await waits until it has ended or was moved. The error is the context's; the client has left then, and Leave was
// called.
func (c *Call) Await(ctx context.Context) (CallResult, error) {
	select {
	case <-c.tape.Over():
	case <-ctx.Done():
		c.Leave()
		return CallResult{}, ctx.Err()
	}
	r, e := c.registry, c.record
	r.mu.Lock()
	res := CallResult{Outcome: c.outcome, Moved: c.moved, Wall: c.over.Sub(e.started)}
	listed := e.id != ""
	r.mu.Unlock()
	res.Report = e.job.Report()
	if listed {
		entry := r.entry(e)
		res.Entry = &entry
	}
	return res, nil
}

// Leave says that its client is gone: in the foreground that ends it with its whole tree, unless it shall persist.
func (c *call) Leave() {
	if !c.run.Persist {
		c.record.job.End(job.Why{Cause: core.CauseStopped, By: core.ByAgent})
	}
}

// view is what everybody may know of a call; the Registry's mutex is held.
func (c *call) view() core.Call {
	e := c.record
	return core.Call{
		ID: e.call, Session: e.session.id, Group: e.session.group, Owner: e.session.role,
		Command: e.spec.display(), Label: e.spec.label, Cwd: e.cwd, PID: e.machine.PID(), StartedAt: e.started,
		Timeout: c.run.Timeout,
	}
}

// expire is what happens when its time is up. In the foreground it is ended or moved (L129); when there is no place for
// it in the background it stays, because it was not to be killed. In the background only a timeout of everything ends it
// (L107).
func (c *call) expire() {
	if c.run.OnTimeout == OnTimeoutBackground && c.move(core.ByTimeout) == nil {
		return
	}
	if c.run.OnTimeout == OnTimeoutKill {
		c.record.job.End(job.Why{Cause: core.CauseTimeout, By: core.ByService})
	}
	r := c.registry
	r.mu.Lock()
	late := c.moved != nil && c.run.TimeoutAlways
	r.mu.Unlock()
	if late {
		why := stopping{cause: core.CauseTimeout, by: core.ByService}
		if err := r.end(context.Background(), c.record, process.Stop{Signal: "SIGKILL"}, why); err != nil {
			r.cfg.Log.Warn("end a job whose time is up", "id", c.record.id, "error", err)
		}
	}
}

// callEnded is the OnEnd of its job.
func (r *Registry) callEnded(c *call, end job.End) {
	if end.Fate == job.Moved {
		r.exited(c.record, end.Ending)
		r.mu.Lock()
		stopTimer(c.timeout)
		r.mu.Unlock()
		return
	}
	var why *stopping
	if end.Fate == job.Ended {
		why = &stopping{cause: end.Why.Cause, by: end.Why.By, signal: "SIGKILL"}
	}
	outcome := outcomeOf(end.Ending, why)
	if c.run.KeepRecord {
		if err := r.keepRecord(c, outcome, end); err != nil {
			r.cfg.Log.Warn("keep the record of a command", "call", c.ID(), "error", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.outcome, c.over = outcome, time.Now()
	stopTimer(c.yield)
	stopTimer(c.timeout)
	delete(r.calls, c.ID())
	if c.record.id == "" { // else it counts as an entry
		r.totals.Output += c.record.job.Bytes()
	}
	r.busy()
	r.over.Broadcast()
	r.linger(c.record.job)
}

// keepRecord lists a command that has ended in the foreground as a job that has exited, with a log (L314).
func (r *Registry) keepRecord(c *call, outcome *core.Outcome, end job.End) error {
	e := c.record
	n, err := r.cfg.Counter.Next("b")
	if err != nil {
		return err
	}
	id := fmt.Sprintf("b%d", n)
	e.log = r.cfg.Spool.Log(id, r.cfg.MaxLogBytes)
	end.Record(e.log)
	e.log.Close()
	r.mu.Lock()
	e.exit(outcome)
	r.mu.Unlock()
	if err := r.enlist(e, id); err != nil {
		e.log.Remove()
		return err
	}
	return nil
}

// linger remembers a job that is over until nothing holds its pipe any more; r.mu is held. Shutdown joins the goroutine.
func (r *Registry) linger(j *job.Job) {
	select {
	case <-j.Dry():
		return
	default:
	}
	r.left[j] = true
	go func() {
		<-j.Dry()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.left, j)
		r.over.Broadcast()
	}()
}

// endCalls ends calls that are still in the foreground and returns when that is done.
func (r *Registry) endCalls(calls []*call, why job.Why) {
	var ends sync.WaitGroup
	for _, c := range calls {
		ends.Go(func() { c.record.job.End(why) })
	}
	ends.Wait()
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
