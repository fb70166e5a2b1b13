package registry

import (
	"fmt"
	"regexp"
	"strconv"

	"termbay/core"
)

var entryID = regexp.MustCompile(`^([tb])([1-9][0-9]{0,17})$`)

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
		if n, err := strconv.Atoi(m[2]); err == nil && n <= r.cfg.Counter.Last(m[1]) {
			return &core.Error{Code: core.Gone, Detail: fmt.Sprintf("%s was stopped and forgotten.", id)}
		}
	}
	return &core.Error{Code: core.NotFound, Detail: fmt.Sprintf("No entry %s; terminal_list (GET /v1/entries) shows yours.", core.OneLine(id))}
}

// notRunning is the problem of an input or resize that comes too late.
func (r *Registry) notRunning(e *record) error {
	<-e.terminal.Done()
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
