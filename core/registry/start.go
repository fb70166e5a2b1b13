package registry

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/settle"
	"termbay/core/terminal"
)

const (
	// StartWait is how long a start waits for the program to settle (L27).
	StartWait = 2 * time.Second
	// MaxListed is how many live entries the detail of a full cap names; the error holds them all.
	MaxListed = 8
)

// Start is what a Terminal is started with; zero fields take the session's defaults and then the service's.
type Start struct {
	Command        string
	DisplayCommand string // what is shown instead of the command (L145)
	CommandPrefix  *string
	Label          string
	Cwd            string
	Env            []string // the whole environment; nil: the service's
	Shell          string   // kind or path
	Viewport       *core.Viewport
	Notify         bool
	Log            bool // keep what it prints, byte by byte (L45)
	Wait           Wait
}

func (s Start) spec() spec {
	return spec{
		command: s.Command, displayed: s.DisplayCommand, prefix: s.CommandPrefix, label: s.Label,
		cwd: s.Cwd, env: s.Env, shell: s.Shell, viewport: s.Viewport, notify: s.Notify,
	}
}

// Wait is how long a caller waits, and for what.
type Wait struct {
	For   time.Duration  // clamped to settle.MaxWait (L29); negative: the default of the call
	Text  string         // wait_for_text
	Any   bool           // whether Text was given
	Quiet *time.Duration // nil: settle.DefaultQuiet
}

// pattern compiles the text that is waited for.
func (w Wait) pattern() (*settle.Pattern, error) {
	if !w.Any {
		return nil, nil
	}
	return settle.Parse(w.Text)
}

func (w Wait) duration(byDefault time.Duration) time.Duration {
	if w.For < 0 {
		return byDefault
	}
	return min(w.For, settle.MaxWait)
}

func (w Wait) quiet() time.Duration {
	if w.Quiet == nil {
		return settle.DefaultQuiet
	}
	return *w.Quiet
}

// Start starts a Terminal for the caller and returns the Turn that waits for it. Everything that can be refused is
// refused before anything runs, and a start that fails leaves no entry. Errors: those of settle.Parse and
// process.Host.StartPTY, CapReached, Gone, ShuttingDown.
func (r *Registry) Start(c Caller, start Start) (*Turn, error) {
	pattern, err := start.Wait.pattern()
	if err != nil {
		return nil, err
	}
	e, command, err := r.prepare(c, core.KindTerminal, start.spec())
	if err != nil {
		return nil, err
	}
	if err := r.reserve(e); err != nil {
		return nil, err
	}
	defer r.release(e)
	e.note("started", c.actor(), e.viewport.String()) // nobody else knows e yet
	if err := r.launch(e, command, start.Log); err != nil {
		return nil, err
	}
	return &Turn{
		registry: r, entry: e, caller: c, pattern: pattern, begun: e.started,
		wait: start.Wait.duration(StartWait), quiet: start.Wait.quiet(), kind: turnStart,
	}, nil
}

// checkEnvironment refuses what no environment can hold. It tells no values.
func checkEnvironment(env []string) error {
	for _, v := range env {
		name, _, assigned := strings.Cut(v, "=")
		if !assigned || name == "" || strings.ContainsRune(v, 0) {
			return &core.Error{Code: core.Invalid, Field: "env", Detail: fmt.Sprintf(
				"The environment cannot hold %q: a name may not be empty or hold \"=\", and no name or value a NUL byte.", core.OneLine(name))}
		}
	}
	return nil
}

// prepare makes the record of what is to be started and the command as the shell gets it, prefix and all (L15). It
// resolves what it runs in: first the shell, then the folder (L307).
func (r *Registry) prepare(c Caller, kind core.Kind, asked spec) (e *record, command string, err error) {
	if err := checkEnvironment(asked.env); err != nil {
		return nil, "", err
	}
	r.mu.Lock()
	s, err := r.session(c)
	if err != nil {
		r.mu.Unlock()
		return nil, "", err
	}
	defaults, cwd := s.defaults, cmp.Or(asked.cwd, s.cwd)
	r.mu.Unlock()

	e = &record{uid: rand.Text(), kind: kind, spec: asked, session: s, cursors: map[string]terminal.Cursor{}}
	if e.shell, err = r.cfg.Resolver.Resolve(cmp.Or(asked.shell, defaults.Shell)); err != nil {
		return nil, "", err
	}
	if cwd == "" {
		if cwd, err = os.UserHomeDir(); err != nil {
			return nil, "", &core.Error{Code: core.CwdMissing, Field: "cwd", Detail: "The service has no home directory to start in; name a cwd.", Err: err}
		}
	}
	if err := process.CheckCwd(cwd, e.shell.Kind); err != nil {
		return nil, "", err
	}
	e.cwd, e.viewport = cwd, core.DefaultViewport()
	for _, v := range []*core.Viewport{defaults.Viewport, asked.viewport} {
		if v != nil {
			e.viewport = *v
		}
	}
	prefix := defaults.CommandPrefix
	if asked.prefix != nil {
		prefix = *asked.prefix
	}
	if prefix == "" {
		return e, asked.command, nil
	}
	return e, prefix + "\n" + asked.command, nil
}

// processSpec is what the process of e is started with.
func (e *record) processSpec(command string, terminal bool) process.Spec {
	return process.Spec{
		Shell: e.shell, Command: command, Cwd: e.cwd, Tag: e.uid, Viewport: e.viewport,
		Env: process.Environment(e.spec.env, e.uid, terminal),
	}
}

// reserve takes a place in the caps, until release, or names the caller's live entries (L64, L65, D14).
func (r *Registry) reserve(e *record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.room(e); err != nil {
		return err
	}
	r.starting[e] = true
	return nil
}

// room says whether the caps have a place for e; r.mu is held.
func (r *Registry) room(e *record) error {
	if r.closing {
		return errClosing()
	}
	own := e.session.group
	limit := cmp.Or(e.session.defaults.MaxRunning, r.cfg.MaxRunning)
	group, total := 0, 0
	for o, counts := range r.starting {
		if counts {
			total++
			if o.session.group == own {
				group++
			}
		}
	}
	var live []core.Entry
	for _, o := range r.entries {
		if o.outcome != nil {
			continue
		}
		total++
		if o.session.group == own {
			group++
			live = append(live, o.view())
		}
	}
	if group < limit && total < r.cfg.MaxRunningTotal {
		return nil
	}
	sortEntries(live)
	n, of, whose := group, limit, ""
	if group < limit {
		n, of, whose = total, r.cfg.MaxRunningTotal, " of all sessions"
	}
	return &core.Error{Code: core.CapReached, Entries: live,
		Detail: fmt.Sprintf("%d of %d terminals and background jobs%s are running; stop one first%s.", n, of, whose, listed(live))}
}

// listed names the first entries with their age.
func listed(live []core.Entry) string {
	var names []string
	for _, e := range live[:min(len(live), MaxListed)] {
		names = append(names, fmt.Sprintf("%s %s (%s)", e.ID, core.OneLine(cmp.Or(e.Label, e.Command)), core.Age(e.Duration(time.Now()))))
	}
	if len(live) > MaxListed {
		names = append(names, "…")
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// release gives the place back, unless the entry has it for good.
func (r *Registry) release(e *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.starting, e)
	r.busy()
	r.over.Broadcast()
}

// launch starts a Terminal and makes it known under the next id; an id is taken only for what runs. It fails when the
// session ended or the service closed meanwhile.
func (r *Registry) launch(e *record, command string, logged bool) (err error) {
	known := make(chan struct{}) // closed when e is complete
	e.started = time.Now()
	t := terminal.Spec{
		Process: e.processSpec(command, true),
		Log:     r.cfg.Log.With("uid", e.uid),
		OnExit: func(end core.Ending) {
			if <-known; e.log != nil {
				e.log.Close()
			}
			r.exited(e, end)
		},
	}
	if logged {
		t.Output = func(p []byte) {
			if <-known; e.log != nil {
				_, _ = e.log.Write(p) // never fails
			}
		}
	}
	if e.terminal, err = terminal.Start(r.cfg.Host, t); err != nil {
		return err
	}
	e.machine = e.terminal
	n, err := r.cfg.Counter.Next("t")
	if err != nil {
		close(known)
		r.kill(e)
		return fmt.Errorf("number a Terminal: %w", err)
	}
	id := fmt.Sprintf("t%d", n)
	if logged {
		e.log = r.cfg.Spool.Log(id, r.cfg.MaxLogBytes)
	}
	close(known)
	if err := r.enlist(e, id); err != nil {
		r.kill(e)
		r.cfg.Spool.Remove(id)
		return err
	}
	return nil
}

// enlist makes the entry known, unless its session ended or the service closed meanwhile.
func (r *Registry) enlist(e *record, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(e); err != nil {
		return err
	}
	e.id = id
	r.entries[id] = e
	delete(r.starting, e) // it counts as an entry now
	r.totals.Started[e.kind]++
	return nil
}

// open says whether e still has somebody to belong to; r.mu is held.
func (r *Registry) open(e *record) error {
	switch {
	case r.closing:
		return errClosing()
	case r.sessions[e.session.id] != e.session:
		return &core.Error{Code: core.Gone, Detail: fmt.Sprintf("Session %s ended meanwhile; nothing of it is running.", e.session.id)}
	}
	return nil
}

func sortEntries(all []core.Entry) {
	slices.SortFunc(all, func(a, b core.Entry) int { // running first, newest first (L91)
		return cmp.Or(-cmp.Compare(string(a.State), string(b.State)), b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
	})
}
