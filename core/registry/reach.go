package registry

import (
	"fmt"
	"regexp"
	"strconv"

	"termbay/core"
)

// entryID is what ids look like: of Terminals, of jobs and of calls.
var entryID = regexp.MustCompile(`^([tbc])([1-9][0-9]{0,17})$`)

// find looks an entry up for a caller. A caller with a session reaches its own group only (api.md section 6, Reach).
// Errors: NotFound, Gone.
func (r *Registry) find(c Caller, id string) (*record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[id]
	if e == nil {
		return nil, r.noEntry(id)
	}
	return e, r.reaches(c, id, e.session)
}

// findTerminal is find for what has a screen.
func (r *Registry) findTerminal(c Caller, id string) (*record, error) {
	e, err := r.find(c, id)
	if err == nil && e.terminal == nil {
		err = &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("%s is a background job without a screen; read its log with GET /v1/entries/%s/log, or start it with \"tty\": true.", id, id)}
	}
	return e, err
}

// findJob is find for background jobs.
func (r *Registry) findJob(c Caller, id string) (*record, error) {
	e, err := r.find(c, id)
	if err == nil && e.job == nil {
		err = &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("%s is a Terminal; its calls are below /v1/terminals/%s.", id, id)}
	}
	return e, err
}

// findCall looks a call in the foreground up for a caller; nil without an error when there is none of that id.
func (r *Registry) findCall(c Caller, id string) (*call, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	call := r.calls[id]
	if call == nil {
		return nil, nil
	}
	return call, r.reaches(c, id, call.record.session)
}

// reaches refuses a caller who may not touch what a session owns; r.mu is held.
func (r *Registry) reaches(c Caller, id string, owner *session) error {
	if c.Session == "" {
		return nil
	}
	s, err := r.session(c)
	if err != nil {
		return err
	}
	if s.group != owner.group {
		return &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("%s belongs to another session.", id)}
	}
	return nil
}

// noEntry tells an id that was forgotten from one that never was.
func (r *Registry) noEntry(id string) error {
	if m := entryID.FindStringSubmatch(id); m != nil {
		n, err := strconv.Atoi(m[2])
		switch existed := err == nil && n <= r.cfg.Counter.Last(m[1]); {
		case !existed:
		case r.calls[id] != nil:
			return &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("%s is a command in the foreground, no entry; POST /v1/jobs/%s/background makes it one.", id, id)}
		case m[1] == "c":
			return &core.Error{Code: core.Gone, Detail: fmt.Sprintf("%s is over; GET /v1/entries shows it if it is in the background.", id)}
		default:
			return &core.Error{Code: core.Gone, Detail: fmt.Sprintf("%s was stopped and forgotten.", id)}
		}
	}
	return &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("No entry %s; terminal_list (GET /v1/entries) shows yours.", core.OneLine(id))}
}

// notRunning is the problem of an input or resize that comes too late.
func (r *Registry) notRunning(e *record) error {
	<-e.machine.Done()
	view := r.entry(e)
	return &core.Error{Code: core.NotRunning, Entry: &view,
		Detail: fmt.Sprintf("%s has exited (%s); it takes no more input. Stop it to forget it.", e.id, exitDetail(view.Outcome.Exit))}
}

func codeDetail(code int) string { return fmt.Sprintf("code %d", code) }

func exitDetail(x core.Exit) string {
	switch {
	case x.Code != nil:
		return codeDetail(*x.Code)
	case x.Signal != "":
		return x.Signal
	}
	return "how is not known"
}
