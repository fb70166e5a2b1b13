package registry

import (
	"fmt"
	"time"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/settle"
	"termbay/core/spool"
	"termbay/core/terminal"
)

// DefaultYield is how long a command that is to run in the background is waited for first (L98).
const DefaultYield = 2 * time.Second

// What a timeout does to a call in the foreground (D2).
const (
	OnTimeoutKill       = "kill"
	OnTimeoutBackground = "background"
)

// Run is what a shell command is run with; zero fields take the session's defaults and then the service's.
type Run struct {
	Command        string
	DisplayCommand string // what is shown instead of the command (L145)
	CommandPrefix  *string
	Label          string
	Cwd            string
	Env            []string // the whole environment; nil: the service's
	Shell          string   // kind or path
	Viewport       *core.Viewport
	Notify         bool
	ToolCallID     string

	Timeout       *time.Duration // nil: none
	OnTimeout     string         // OnTimeoutKill or OnTimeoutBackground
	TimeoutAlways bool           // it also ends a job in the background (D3)
	Background    bool           // move it once it has run for Yield
	Yield         time.Duration  // clamped to settle.MaxWait

	TTY        bool // on a PTY, with a screen (L154)
	Stdin      bool // keep its standard input open
	Persist    bool // a client that leaves does not end it
	KeepRecord bool // list it also when it ends in the foreground (L314)
}

func (run Run) spec() spec {
	return spec{
		command: run.Command, displayed: run.DisplayCommand, prefix: run.CommandPrefix, label: run.Label,
		cwd: run.Cwd, env: run.Env, shell: run.Shell, viewport: run.Viewport, notify: run.Notify, toolCall: run.ToolCallID,
	}
}

// atOnce says that it is to be in the background from the start, or soon after.
func (run Run) atOnce() bool {
	return run.Background || run.OnTimeout == OnTimeoutBackground && run.Timeout != nil && *run.Timeout == 0
}

// check refuses what makes no sense.
func (run Run) check() error {
	if run.Timeout != nil && *run.Timeout <= 0 && run.OnTimeout != OnTimeoutBackground {
		return &core.Error{Code: core.Invalid, Field: "timeout_ms", Detail: `"timeout_ms" must be at least 1, or 0 with on_timeout background.`}
	}
	return nil
}

// Run starts a command in the foreground. Everything that can be refused is refused before anything runs; one that is
// to go to the background needs a place in the caps before it starts (L66). Errors: those of process.Host.StartPipes and
// StartPTY, Invalid, CapReached, Gone, ShuttingDown.
func (r *Registry) Run(who Caller, run Run) (*Call, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	e, command, err := r.prepare(who, core.KindJob, run.spec())
	if err != nil {
		return nil, err
	}
	c := &call{registry: r, record: e, run: run}
	r.mu.Lock()
	if run.atOnce() {
		err = r.room(e)
	} else if r.closing {
		err = errClosing()
	}
	if err == nil {
		r.starting[e] = false // a call does not count
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	e.note("started", who.actor(), "")
	tape, err := r.begin(c, command)
	if err != nil {
		r.release(e)
		return nil, err
	}
	return &Call{c, tape}, r.watch(c)
}

// begin starts the command.
func (r *Registry) begin(c *call, command string) (*job.Tape, error) {
	n, err := r.cfg.Counter.Next("c")
	if err != nil {
		return nil, fmt.Errorf("number a command: %w", err)
	}
	e, id := c.record, fmt.Sprintf("c%d", n)
	e.call, e.started = id, time.Now()
	known := make(chan struct{}) // closed when e is complete
	e.job = job.New(job.Spec{
		File: func() *spool.Log {
			r.keep(id, e.session)
			return r.cfg.Spool.OutputLog(id, 1, r.cfg.MaxLogBytes)
		},
		OnEnd: func(end job.End) { <-known; r.callEnded(c, end) },
		Log:   r.cfg.Log.With("uid", e.uid),
	})
	e.machine = e.job
	tape := e.job.Tape()
	defer close(known)
	if !c.run.TTY {
		spec := e.processSpec(command, false)
		spec.Stdin = c.run.Stdin
		return tape, e.job.Start(r.cfg.Host, spec)
	}
	e.terminal, err = terminal.Start(r.cfg.Host, terminal.Spec{
		Process: e.processSpec(command, true),
		Log:     r.cfg.Log.With("uid", e.uid),
		Output:  e.job.Print,
		OnExit:  func(end core.Ending) { <-known; e.job.Exit(end) },
	})
	if err == nil {
		e.job.Serve(e.terminal)
	}
	return tape, err
}

// watch makes the call known with its timers, unless its session ended or the service closed meanwhile.
func (r *Registry) watch(c *call) error {
	e := c.record
	r.mu.Lock()
	err := r.open(e)
	if err == nil {
		r.totals.Calls++
	}
	runs := err == nil && c.outcome == nil
	if runs {
		r.calls[c.ID()] = c
		delete(r.starting, e) // from now on its move takes its place in the caps
		if c.run.Background {
			c.yield = time.AfterFunc(min(c.run.Yield, settle.MaxWait), func() { _ = c.move(core.ByFlag) }) // else it stays in the foreground (L67)
		}
		if c.run.Timeout != nil {
			c.timeout = time.AfterFunc(*c.run.Timeout-time.Since(e.started), c.expire)
		}
	}
	r.mu.Unlock()
	if err != nil {
		e.job.End(job.Why{Cause: core.CauseStopped, By: core.ByService})
	}
	if !runs {
		r.release(e)
	}
	return err
}

// keep remembers whose the files of an id are that is no entry.
func (r *Registry) keep(id string, owner *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[id] = owner
}
