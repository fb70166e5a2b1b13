//go:build unix

package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"termbay/api"
	"termbay/core/registry"
)

// operation is one call of the contract, with a body that is good enough to get through to the handler.
type operation struct {
	*openapi3.Operation
	method, path string
	body         string
}

// operations are all calls of the contract. {id} stands for an entry, {session} for a session.
func operations() []operation {
	bodies := map[string]string{
		"createTerminal": `{"command":"true","wait_ms":0}`, "resizeTerminal": `{"cols":80,"rows":24}`, "signalEntry": `{"signal":"SIGURG"}`,
		"createJob": `{"command":"true"}`, "sendJobInput": `{"text":"x"}`, "sendInput": `{"wait_ms":0}`, "stopEntry": `{"grace_ms":1}`, "openSession": `{}`,
	}
	var all []operation
	for path, item := range loadContract().doc.Paths.Map() {
		for method, op := range item.Operations() {
			all = append(all, operation{op, method, path, bodies[op.OperationID]})
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// at is the path of a call on an entry and a session.
func (o operation) at(id, session string) string {
	return strings.NewReplacer("{id}", id, "{session}", session, "{n}", "1").Replace(o.path)
}

// may says whether the contract has this status for the call.
func (o operation) may(status int) bool { return o.Responses.Status(status) != nil }

// carriesSession says whether the call may be made in a session.
func (o operation) carriesSession() bool {
	return o.Parameters.GetByInAndName("header", "Termbay-Session") != nil
}

// Whatever the call is, the same mistake is refused in the same way, and the contract says so.
func TestTheSameMistakeIsRefusedOnEveryCall(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	for _, o := range operations() {
		for name, c := range map[string]struct {
			status  int
			code    string
			query   string
			body    string
			options []func(*http.Request)
		}{
			"a host":        {421, "host_not_allowed", "", o.body, []func(*http.Request){func(r *http.Request) { r.Host = "evil.example" }}},
			"an origin":     {403, "forbidden_origin", "", o.body, []func(*http.Request){header("Origin", "http://evil.example")}},
			"no token":      {401, "unauthorized", "", o.body, []func(*http.Request){header("Authorization", "")}},
			"a wrong token": {401, "unauthorized", "", o.body, []func(*http.Request){header("Authorization", "Bearer x")}},
			"a parameter":   {422, "invalid", "?nonsense=1", o.body, nil},
			"broken JSON":   {400, "malformed", "", `{"a":`, nil},
			"a form":        {415, "unsupported_media_type", "", "a=b", []func(*http.Request){header("Content-Type", "application/x-www-form-urlencoded")}},
			"a huge body":   {413, "too_large", "", strings.Repeat(" ", api.MaxBody+1), nil},
			"a field":       {422, "invalid", "", `{"nonsense":1}`, nil},
		} {
			takesBody := o.RequestBody != nil
			if !takesBody && c.body != "" && c.status != 422 || !o.may(c.status) {
				continue
			}
			path := o.at(id, "default") + c.query
			got := b.do(o.method, path, c.body, c.options...)
			if got.status != c.status || string(got.problem(t).Code) != c.code {
				t.Errorf("%s %s with %s: %d %s", o.method, path, name, got.status, got.body)
			}
		}
	}
	if e := b.entry(id); e.State != "running" || *e.Viewport != (api.Viewport{Cols: 120, Rows: 40}) {
		t.Errorf("a refused call did something: %+v", e)
	}
}

func TestAFaultOfAnyCallIsAProblem(t *testing.T) {
	t.Parallel()
	cfg := configured(t, stub{}) // every handler panics
	cfg.Measures = []api.Measure{{Name: "termbay_broken", Help: "Broken.", Read: func() float64 { panic("broken") }}}
	c := newClient(t, api.New(cfg))
	for _, o := range operations() {
		if !o.may(500) {
			continue
		}
		got := c.do(o.method, o.at("t1", "a"), o.body)
		if got.status != 500 || got.problem(t).Code != "internal" {
			t.Errorf("%s: %d %s", o.OperationID, got.status, got.body)
		}
	}
}

func TestAServiceThatShutsDownTakesNothingNew(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	b.shutdown()
	for _, o := range operations() {
		if !o.may(503) {
			continue
		}
		b.refused(503, "shutting_down", "", b.do(o.method, o.at(id, "new"), o.body, session("new")))
	}
	b.refused(503, "shutting_down", "", b.do("POST", "/v1/terminals", `{"command":"true"}`))
	if e := b.entry(id); e.Outcome == nil || e.Outcome.By != "service" {
		t.Errorf("what ran: %+v", e)
	}
}

func TestASessionThatEndedCanDoNothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	b.call(201, "PUT", "/v1/sessions/a", nil)
	b.call(200, "DELETE", "/v1/sessions/a", nil)
	for _, o := range operations() {
		if !o.carriesSession() {
			continue
		}
		p := b.refused(410, "gone", "", b.do(o.method, o.at(id, "a"), o.body, session("a")))
		if p.Detail != "Session a has ended; open it again with PUT /v1/sessions/a." {
			t.Errorf("%s: %s", o.OperationID, p.Detail)
		}
	}
	b.call(201, "PUT", "/v1/sessions/a", nil)
	b.call(200, "GET", "/v1/entries", nil, session("a"))
}

func TestNoStrangerReachesAnEntry(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.call(201, "PUT", "/v1/sessions/mate", object{"group": "owner"})
	id := b.start(object{"command": "exec cat", "wait_ms": 0}, session("owner")).ID
	for _, o := range operations() {
		if !strings.Contains(o.path, "{id}") {
			continue
		}
		p := b.refused(404, "not_found", "", b.do(o.method, o.at(id, "a"), o.body, session("stranger")))
		if p.Detail != id+" belongs to another session." {
			t.Errorf("%s: %s", o.OperationID, p.Detail)
		}
	}
	for _, friend := range []string{"owner", "mate", ""} {
		b.call(200, "GET", "/v1/terminals/"+id+"/screen", nil, session(friend))
		b.send(id, object{"text": "x", "wait_ms": 0}, session(friend))
	}
}

// O-H4: an id is what was given out, letter by letter.
func TestOnlyIdsThatWereGivenOutNameSomething(t *testing.T) {
	t.Parallel()
	b := open(t)
	for range 2 {
		b.run("true")
	}
	b.stop("t1", nil)
	for _, o := range operations() {
		if !strings.Contains(o.path, "{id}") {
			continue
		}
		for _, id := range []string{"t01", "T2", "t2%2f..%2fb1", "t2%00", "t0", "t-1", "t99999999999999999999", "t3", "b1", "%20t2", "t2%20", "2", "t", "t+2", "..", "%2e%2e", "t2;", "c1"} {
			b.refused(404, "not_found", "", b.do(o.method, o.at(id, "a"), o.body))
		}
		p := b.refused(410, "gone", "", b.do(o.method, o.at("t1", "a"), o.body))
		if p.Detail != "t1 was stopped and forgotten." {
			t.Errorf("%s: %s", o.OperationID, p.Detail)
		}
	}
	for _, id := range []string{"never", "a/b", "a%2fb", "..", "%00"} {
		b.refused(404, "not_found", "", b.do("DELETE", "/v1/sessions/"+id, ""))
	}
	list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries", nil))
	if len(list.Terminals) != 1 || list.Terminals[0].ID != "t2" {
		t.Errorf("list: %+v", list)
	}
}

func TestAFullHouseNamesWhatRuns(t *testing.T) {
	t.Parallel()
	b := open(t, func(cfg *registry.Config) { cfg.MaxRunning, cfg.MaxRunningTotal = 2, 3 })
	start := func(s string) { b.start(object{"command": "exec cat", "label": s, "wait_ms": 0}, session(s)) }
	start("a")
	start("a")
	refused := func(s string) api.Problem {
		return b.refused(409, "cap_reached", "", b.do("POST", "/v1/terminals", `{"command":"true"}`, session(s)))
	}
	p := refused("a")
	ids := map[string]bool{}
	for _, e := range p.Entries {
		ids[e.ID] = true
	}
	if !maps.Equal(ids, map[string]bool{"t1": true, "t2": true}) || !strings.Contains(p.Detail, "2 of 2") {
		t.Errorf("the group is full: %+v", p)
	}
	start("b")
	if p = refused("b"); len(p.Entries) != 1 || p.Entries[0].ID != "t3" || !strings.Contains(p.Detail, "3 of 3") {
		t.Errorf("the service is full: %+v", p)
	}
	b.stop("t1", nil)
	start("a")
}
