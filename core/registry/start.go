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
	Wait           Wait
}

func (s Start) display() string { return cmp.Or(s.DisplayCommand, s.Command) }

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
	if err := checkEnvironment(start.Env); err != nil {
		return nil, err
	}
	r.mu.Lock()
	s, err := r.session(c)
	if err != nil {
		r.mu.Unlock()
		return nil, err
	}
	defaults, cwd := s.defaults, s.cwd
	r.mu.Unlock()

	e := &record{uid: rand.Text(), spec: start, session: s, cursors: map[string]terminal.Cursor{}}
	if err := r.prepare(e, defaults, cwd); err != nil {
		return nil, err
	}
	if err := r.reserve(e); err != nil {
		return nil, err
	}
	defer r.release(e)
	e.note("started", c.actor(), e.viewport.String()) // nobody else knows e yet
	id, err := r.launch(e, prefixed(start, defaults))
	if err != nil {
		return nil, err
	}
	if err := r.enlist(e, id); err != nil {
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

// prepare resolves what the entry runs in: first the shell, then the folder (L307).
func (r *Registry) prepare(e *record, d Defaults, sessionCwd string) (err error) {
	if e.shell, err = r.cfg.Resolver.Resolve(cmp.Or(e.spec.Shell, d.Shell)); err != nil {
		return err
	}
	e.cwd = cmp.Or(e.spec.Cwd, sessionCwd)
	if e.cwd == "" {
		if e.cwd, err = os.UserHomeDir(); err != nil {
			return &core.Error{Code: core.CwdMissing, Field: "cwd", Detail: "The service has no home directory to start in; name a cwd.", Err: err}
		}
	}
	if err := process.CheckCwd(e.cwd, e.shell.Kind); err != nil {
		return err
	}
	e.viewport = core.DefaultViewport()
	for _, v := range []*core.Viewport{d.Viewport, e.spec.Viewport} {
		if v != nil {
			e.viewport = *v
		}
	}
	return nil
}

// prefixed is the command with the prefix of the session or of the start (L15).
func prefixed(start Start, d Defaults) string {
	prefix := d.CommandPrefix
	if start.CommandPrefix != nil {
		prefix = *start.CommandPrefix
	}
	if prefix == "" {
		return start.Command
	}
	return prefix + "\n" + start.Command
}

// reserve takes a place in the caps, until release, or names the caller's live entries (L64, L65, D14).
func (r *Registry) reserve(e *record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return errClosing()
	}
	own := e.session.group
	limit := cmp.Or(e.session.defaults.MaxRunning, r.cfg.MaxRunning)
	group, total := 0, len(r.starting)
	for o := range r.starting {
		if o.session.group == own {
			group++
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
		r.starting[e] = true
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

// launch starts the program and takes the next id; an id is taken only for what runs.
func (r *Registry) launch(e *record, command string) (id string, err error) {
	e.started = time.Now()
	e.terminal, err = terminal.Start(r.cfg.Host, terminal.Spec{
		Process: process.Spec{
			Shell: e.shell, Command: command, Cwd: e.cwd, Tag: e.uid, Viewport: e.viewport,
			Env: process.Environment(e.spec.Env, e.uid, true),
		},
		Log:    r.cfg.Log.With("uid", e.uid),
		OnExit: func(end terminal.Ending) { r.exited(e, end) },
	})
	if err != nil {
		return "", err
	}
	n, err := r.cfg.Counter.Next("t")
	if err != nil {
		r.kill(e)
		return "", fmt.Errorf("number a Terminal: %w", err)
	}
	return fmt.Sprintf("t%d", n), nil
}

// enlist makes the entry known, unless its session ended or the service closed meanwhile.
func (r *Registry) enlist(e *record, id string) error {
	r.mu.Lock()
	closing := r.closing
	open := r.sessions[e.session.id] == e.session && !closing
	if open {
		e.id = id
		r.entries[id] = e
		delete(r.starting, e) // it counts as an entry now
		r.totals.Started++
	}
	r.mu.Unlock()
	if open {
		return nil
	}
	r.kill(e)
	if closing {
		return errClosing()
	}
	return &core.Error{Code: core.Gone, Detail: fmt.Sprintf("Session %s ended while the Terminal was starting; nothing is running.", e.session.id)}
}

func sortEntries(all []core.Entry) {
	slices.SortFunc(all, func(a, b core.Entry) int { // running first, newest first (L91)
		return cmp.Or(-cmp.Compare(string(a.State), string(b.State)), b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
	})
}
