package registry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"termbay/core"
	"termbay/core/job"
)

// DefaultSession is the session of a caller that names none. It has no lease.
const DefaultSession = "default"

// maxEnded is how many ended sessions are remembered, so that a late request does not open one again.
const maxEnded = 10_000

var sessionID = regexp.MustCompile(`^[A-Za-z0-9._~:-]{1,128}$`)

// Caller is who asks: a session, or somebody without one, who may reach every entry.
type Caller struct {
	Session string // empty: none was named
}

// actor is who the caller is in a timeline: an agent names its session, a person has none (api.md section 6, Reach).
func (c Caller) actor() core.Actor {
	if c.Session == "" {
		return core.ByUser
	}
	return core.ByAgent
}

// id is the session that the caller's reads and starts belong to.
func (c Caller) id() string { return cmp.Or(c.Session, DefaultSession) }

// Reason is why a session ends (L217).
type Reason string

// The reasons. Reload keeps everything (L216).
const (
	ReasonQuit   Reason = "quit"
	ReasonReload Reason = "reload"
	ReasonLost   Reason = "lost" // its lease ran out
)

// Defaults are what the entries of a session are started with when a request names nothing else.
type Defaults struct {
	Viewport      *core.Viewport
	Shell         string
	CommandPrefix string
	MaxRunning    int // of its group; 0: the service's
	ExitTailLines *int
}

// Opening is what a session is opened or resumed with; nil and empty fields keep what there is.
type Opening struct {
	Label    *string
	Role     core.Owner
	Parent   *string
	Group    string
	Client   *Client
	Cwd      *string
	Lease    *time.Duration // 0: never
	Defaults *Defaults
}

// Client is the program behind a session.
type Client struct {
	Name string
	PID  int
}

// Session is what everybody may know of a session.
type Session struct {
	ID        string
	Label     string
	Role      core.Owner
	Parent    string
	Group     string
	Client    *Client
	Cwd       string
	CreatedAt time.Time
	Lease     time.Duration
	Running   int
	Exited    int
}

// session is the owner of entries. Its fields are guarded by the Registry's mutex.
type session struct {
	id       string
	label    string
	role     core.Owner
	parent   string
	group    string
	client   *Client
	cwd      string
	created  time.Time
	lease    time.Duration
	defaults Defaults

	active int         // requests and streams that carry it at this moment
	timer  *time.Timer // runs while none does; nil while one does, or without a lease, or when it has ended
}

// stopTimer takes the timer away, also from one that is going off at this moment.
func (s *session) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// Open opens a session or resumes it. created says which.
func (r *Registry) Open(id string, o Opening) (view Session, created bool, err error) {
	if !sessionID.MatchString(id) {
		return Session{}, false, &core.Error{Code: core.Invalid, Field: "session", Detail: "A session id has 1 to 128 characters out of A-Z a-z 0-9 . _ ~ : -"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return Session{}, false, errClosing()
	}
	r.ended = slices.DeleteFunc(r.ended, func(e string) bool { return e == id })
	s, found := r.sessions[id]
	if !found {
		s = r.newSession(id)
	}
	s.set(o)
	r.busy() // a lease may have ended
	r.rest(s)
	return r.view(s), !found, nil
}

func (r *Registry) newSession(id string) *session {
	s := &session{id: id, role: core.OwnerRoot, group: id, created: time.Now()}
	r.sessions[id] = s
	r.busy()
	return s
}

func (s *session) set(o Opening) {
	setTo(&s.label, o.Label)
	setTo(&s.parent, o.Parent)
	setTo(&s.cwd, o.Cwd)
	setTo(&s.lease, o.Lease)
	setTo(&s.defaults, o.Defaults)
	s.role = cmp.Or(o.Role, s.role)
	s.group = cmp.Or(o.Group, s.group)
	if o.Client != nil {
		s.client = o.Client
	}
}

func setTo[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// Enter says that a request or stream of the caller's session is under way, which keeps its lease; leave ends that.
// A session that was never opened is opened on first use.
func (r *Registry) Enter(c Caller) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, err := r.session(c)
	if err != nil {
		return nil, err
	}
	s.active++
	s.stopTimer()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.active--
		r.rest(s)
	}, nil
}

// session finds the caller's session, or opens it; r.mu is held.
func (r *Registry) session(c Caller) (*session, error) {
	id := c.id()
	if s := r.sessions[id]; s != nil {
		return s, nil
	}
	if r.closing {
		return nil, errClosing()
	}
	if slices.Contains(r.ended, id) {
		return nil, &core.Error{Code: core.Gone, Detail: fmt.Sprintf("Session %s has ended; open it again with PUT /v1/sessions/%s.", id, id)}
	}
	return r.newSession(id), nil
}

// rest starts the lease anew when nothing carries the session any more; r.mu is held.
func (r *Registry) rest(s *session) {
	s.stopTimer()
	if s.active > 0 || s.lease == 0 || r.sessions[s.id] != s || r.closing {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(s.lease, func() {
		r.mu.Lock()
		if s.timer != timer { // stopped meanwhile
			r.mu.Unlock()
			return
		}
		own, calls, _ := r.close(s)
		r.mu.Unlock()
		r.clear(context.Background(), s, own, calls)
	})
	s.timer = timer
}

// Sessions are all open sessions, oldest first.
func (r *Registry) Sessions() []Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []Session{}
	for _, s := range r.sessions {
		all = append(all, r.view(s))
	}
	slices.SortFunc(all, func(a, b Session) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Session is one session. Errors: NotFound, Gone.
func (r *Registry) Session(id string) (Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[id]; s != nil {
		return r.view(s), nil
	}
	return Session{}, r.noSession(id)
}

func (r *Registry) noSession(id string) error {
	if slices.Contains(r.ended, id) {
		return &core.Error{Code: core.Gone, Detail: fmt.Sprintf("Session %s has ended.", id)}
	}
	return &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("No session %s; GET /v1/sessions lists them.", id)}
}

// view is what everybody may know of s; r.mu is held.
func (r *Registry) view(s *session) Session {
	v := Session{
		ID: s.id, Label: s.label, Role: s.role, Parent: s.parent, Group: s.group, Client: s.client, Cwd: s.cwd,
		CreatedAt: s.created, Lease: s.lease,
	}
	for _, e := range r.entries {
		switch {
		case e.session != s:
		case e.outcome == nil:
			v.Running++
		default:
			v.Exited++
		}
	}
	return v
}

// End ends a session: its running entries are stopped, all its entries forgotten with their files (L51, L217). Reload
// keeps everything (L216). It returns when that is done, also for what was being started. Errors: NotFound, Gone.
func (r *Registry) End(ctx context.Context, id string, why Reason) (stopped, removed int, err error) {
	r.mu.Lock()
	s := r.sessions[id]
	if s == nil || why == ReasonReload {
		defer r.mu.Unlock()
		if s == nil {
			err = r.noSession(id)
		}
		return 0, 0, err
	}
	own, calls, stopped := r.close(s)
	r.mu.Unlock()
	r.clear(ctx, s, own, calls)
	return stopped, len(own), nil
}

// close makes a session unknown and returns its entries, its calls, and how many of the entries run; r.mu is held. clear
// must follow.
func (r *Registry) close(s *session) (own []*record, calls []*call, running int) {
	delete(r.sessions, s.id)
	if s.id != DefaultSession { // who names no session must always be let in
		r.ended = append(r.ended, s.id)
		r.ended = r.ended[max(len(r.ended)-maxEnded, 0):]
	}
	s.stopTimer()
	r.busy()
	r.ending++
	for _, e := range r.entries {
		if e.session != s {
			delete(e.cursors, s.id)
			continue
		}
		own = append(own, e)
		if e.outcome == nil {
			running++
		}
	}
	for _, c := range r.calls {
		if c.record.session == s {
			calls = append(calls, c)
		}
	}
	return own, calls, running
}

// clear leaves nothing of a session that was closed.
func (r *Registry) clear(ctx context.Context, s *session, own []*record, calls []*call) {
	r.endCalls(calls, job.Why{Cause: core.CauseSessionEnded, By: core.BySession})
	r.stopAll(ctx, own, stopping{cause: core.CauseSessionEnded, by: core.BySession})
	for _, e := range own {
		r.forget(e, false)
	}
	r.mu.Lock()
	for slices.ContainsFunc(slices.Collect(maps.Keys(r.starting)), func(e *record) bool { return e.session == s }) {
		r.over.Wait()
	}
	var kept []string
	for id, owner := range r.kept {
		if owner == s {
			kept = append(kept, id)
			delete(r.kept, id)
		}
	}
	r.mu.Unlock()
	for _, id := range kept {
		r.cfg.Spool.Remove(id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending--
	r.over.Broadcast()
}

func errClosing() error {
	return &core.Error{Code: core.ShuttingDown, Detail: "The service is shutting down; start it again with: termbay serve"}
}
