//go:build unix

package api_test

import (
	"context"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

func TestASessionIsOpenedAndResumed(t *testing.T) {
	t.Parallel()
	b := open(t)
	got := b.call(201, "PUT", "/v1/sessions/a.B_1~:-", nil)
	s := as[api.Session](t, got)
	if s.ID != "a.B_1~:-" || s.Group != s.ID || s.Role != core.OwnerRoot || s.LeaseMS != 0 || s.CreatedAt.IsZero() || s.Client != nil {
		t.Errorf("%+v", s)
	}
	if at := got.header.Get("Location"); at != "/v1/sessions/a.B_1~:-" || as[api.Session](t, b.call(200, "GET", at, nil)).ID != s.ID {
		t.Errorf("Location %q", at)
	}
	s = as[api.Session](t, b.call(200, "PUT", "/v1/sessions/a.B_1~:-", object{
		"label": "mine", "role": "child", "parent": "p", "group": "g", "client": object{"name": "agent", "pid": 7}, "cwd": "/tmp", "lease_ms": 60000,
	}))
	full := s
	if s.Label != "mine" || s.Role != core.OwnerChild || s.Parent != "p" || s.Group != "g" || s.Client.Name != "agent" || s.Client.PID != 7 || s.Cwd != "/tmp" || s.LeaseMS != 60000 {
		t.Errorf("%+v", s)
	}
	for _, body := range []object{nil, {}, {"label": "mine"}} { // what is not named stays
		if s = as[api.Session](t, b.call(200, "PUT", "/v1/sessions/a.B_1~:-", body)); s.Label != full.Label || *s.Client != *full.Client || s.LeaseMS != full.LeaseMS || s.Role != full.Role || s.CreatedAt != full.CreatedAt {
			t.Errorf("%v: %+v", body, s)
		}
	}
	if s = as[api.Session](t, b.call(200, "PUT", "/v1/sessions/a.B_1~:-", object{"label": "", "lease_ms": 0})); s.Label != "" || s.LeaseMS != 0 {
		t.Errorf("emptied: %+v", s)
	}
}

func TestSessionsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	for _, id := range []string{"a%20b", strings.Repeat("x", 129), "%E6%97%A5", "a%2Fb", "a@b"} {
		b.refused(422, "invalid", "session", b.do("PUT", "/v1/sessions/"+id, ""))
	}
	for body, field := range map[string]string{
		`{"role":"king"}`: "role", `{"lease_ms":-1}`: "lease_ms", `{"group":"a b"}`: "group", `{"group":""}`: "group", `{"parent":"/"}`: "parent",
		`{"client":{"pid":0}}`: "client.pid", `{"defaults":{"max_running":0}}`: "defaults.max_running", `{"defaults":{"viewport":{"cols":1}}}`: "defaults.viewport.rows",
		`{"defaults":{"exit_tail_lines":1001}}`: "defaults.exit_tail_lines", `{"cwd":""}`: "cwd",
	} {
		b.refused(422, "invalid", field, b.do("PUT", "/v1/sessions/s", body))
	}
	if list := as[api.SessionList](t, b.call(200, "GET", "/v1/sessions", nil)); len(list.Sessions) > 0 {
		t.Errorf("%+v", list)
	}
}

func TestSessionsAreListedOldestFirst(t *testing.T) {
	t.Parallel()
	b := open(t)
	if got := b.call(200, "GET", "/v1/sessions", nil); strings.TrimSpace(got.body) != `{"sessions":[]}` {
		t.Errorf("%s", got.body)
	}
	for _, id := range []string{"b", "c", "a"} {
		b.call(201, "PUT", "/v1/sessions/"+id, nil)
	}
	b.start(object{"command": "exec cat", "wait_ms": 0}, session("used"))
	b.start(object{"command": "exit 1", "wait_for_text": never}, session("used"))
	var ids []string
	list := as[api.SessionList](t, b.call(200, "GET", "/v1/sessions", nil)).Sessions
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	if strings.Join(ids, " ") != "b c a used" || list[3].Running != 1 || list[3].Exited != 1 {
		t.Errorf("%+v", list)
	}
}

func TestTheEndOfASessionTakesWhatItOwns(t *testing.T) {
	t.Parallel()
	b := open(t)
	for _, reason := range []string{"quit", "new", "resume", "fork", "lost", "", "reload"} {
		b.call(201, "PUT", "/v1/sessions/mate", object{"group": "s"})
		mate := b.start(object{"command": "exec cat", "wait_ms": 0}, session("mate")).ID
		running := b.start(object{"command": "exec cat", "wait_ms": 0}, session("s")).ID
		exited := b.start(object{"command": "exit 3", "wait_for_text": never}, session("s")).ID
		query := ""
		if reason != "" {
			query = "?reason=" + reason
		}
		end := as[api.SessionEnd](t, b.call(200, "DELETE", "/v1/sessions/s"+query, nil))
		if reason == "reload" {
			if end != (api.SessionEnd{}) || b.entry(running).State != core.Running || b.entry(exited).State != core.Exited {
				t.Errorf("reload: %+v", end)
			}
			continue
		}
		if end != (api.SessionEnd{Stopped: 1, Removed: 2}) {
			t.Errorf("%s: %+v", reason, end)
		}
		for _, id := range []string{running, exited} {
			b.call(410, "GET", "/v1/entries/"+id, nil)
		}
		if b.entry(mate).State != core.Running {
			t.Errorf("%s: another one's entry was stopped", reason)
		}
		b.refused(410, "gone", "", b.do("DELETE", "/v1/sessions/s", ""))
		b.refused(410, "gone", "", b.do("GET", "/v1/sessions/s", ""))
		b.call(200, "DELETE", "/v1/sessions/mate", nil)
		b.call(201, "PUT", "/v1/sessions/s", nil)
	}
	b.refused(422, "invalid", "reason", b.do("DELETE", "/v1/sessions/s?reason=boredom", ""))
	b.refused(404, "not_found", "", b.do("GET", "/v1/sessions/never", ""))
}

// The end of a session may take as long as a stop: it begins to answer at once, and goes on without its caller.
func TestTheEndOfASessionGoesOnWithoutItsCaller(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.call(201, "PUT", "/v1/sessions/s", nil)
	id := b.start(object{"command": "trap '' TERM HUP; echo up; while :; do sleep 0.05; done", "wait_for_text": "up"}, session("s")).ID
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	status, _ := b.begin(ctx, "DELETE", "/v1/sessions/s", nil)
	if e := b.entry(id); status != 200 || e.State != core.Running {
		t.Errorf("%d: the headers came with the result: %+v", status, e)
	}
	leave()
	eventually(t, "the entry to be forgotten", func() bool { return b.do("GET", "/v1/entries/"+id, "").status == 410 })
}

func TestALeaseEndsWhenNobodyCarriesTheSession(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}, session("s")).ID
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	b.begin(ctx, "GET", "/v1/entries/"+id+"?wait=exit", nil, session("s")) // carries it for as long as it waits
	b.call(200, "PUT", "/v1/sessions/s", object{"lease_ms": 100})
	b.send(id, object{"wait_ms": 400})
	if e := b.entry(id); e.State != core.Running {
		t.Errorf("%+v", e)
	}
	leave()
	eventually(t, "the lease to run out", func() bool { return b.do("GET", "/v1/sessions/s", "").status == 410 })
	eventually(t, "its entry to be gone", func() bool { return b.do("GET", "/v1/entries/"+id, "").status == 410 })
}
