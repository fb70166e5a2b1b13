package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"termbay"
	"termbay/api"
	"termbay/core"
)

// failing is handlers whose GET /v1/entries/{id} does what the id says.
func failing(fail func(id string) error) stub {
	return stub{getEntry: func(_ context.Context, r api.GetEntryRequestObject) (api.GetEntryResponseObject, error) {
		return nil, fail(r.ID)
	}}
}

func TestEveryCoreProblemHasItsStatus(t *testing.T) {
	want := map[core.Code]int{
		core.NotFound: 404, core.CapReached: 409, core.NotRunning: 409, core.StillRunning: 409, core.Gone: 410, core.Invalid: 422,
		core.BadPattern: 422, core.CwdMissing: 422, core.ShellUnavailable: 422, core.PTYUnavailable: 422,
		core.CommandFailedToStart: 422, core.ShuttingDown: 503,
	}
	c := plumbed(t, stub{createTerminal: func(_ context.Context, r api.CreateTerminalRequestObject) (api.CreateTerminalResponseObject, error) {
		return nil, &core.Error{Code: core.Code(r.Body.Command), Detail: "It is wrong; mend it."}
	}})
	for code, status := range want {
		req, _ := http.NewRequest("POST", c.url+"/v1/terminals", strings.NewReader(`{"command":"`+string(code)+`"}`))
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
		resp, err := c.http.Do(req) // not through the contract: createTerminal does not answer with all of them
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		body.ReadFrom(resp.Body)
		resp.Body.Close()
		if problem := c.contract.checkProblem(resp, body.Bytes()); problem != "" || resp.StatusCode != status {
			t.Errorf("%s: %d, want %d: %s %s", code, resp.StatusCode, status, problem, &body)
		}
	}
}

func TestAProblemCarriesItsMembers(t *testing.T) {
	code := 3
	exited := core.Entry{ID: "t1", Kind: core.KindTerminal, State: core.Exited, Owner: core.OwnerRoot, StartedAt: time.Now(), ExitedAt: time.Now(),
		Outcome: &core.Outcome{Cause: core.CauseExit, Exit: core.Exit{Code: &code}}}
	running := core.Entry{ID: "t2", Kind: core.KindTerminal, State: core.Running, Owner: core.OwnerChild, StartedAt: time.Now(), Viewport: core.DefaultViewport()}
	c := plumbed(t, stub{
		sendInput: func(_ context.Context, r api.SendInputRequestObject) (api.SendInputResponseObject, error) {
			if r.ID == "t1" {
				return nil, fmt.Errorf("send: %w", &core.Error{Code: core.NotRunning, Detail: "t1 has exited.", Entry: &exited})
			}
			return nil, &core.Error{Code: core.Invalid, Detail: "Not a key.", Field: "keys", Valid: []string{"Enter"}}
		},
		createTerminal: func(context.Context, api.CreateTerminalRequestObject) (api.CreateTerminalResponseObject, error) {
			return nil, &core.Error{Code: core.CapReached, Detail: "Stop one.", Entries: []core.Entry{running}}
		},
	})
	p := c.do("POST", "/v1/terminals/t1/input", "").problem(t)
	if p.State != core.Exited || p.Entry == nil || *p.Entry.ExitCode != 3 || p.Entry.Status != core.StatusFailed {
		t.Errorf("not_running: %+v", p)
	}
	if p := c.do("POST", "/v1/terminals/t2/input", "").problem(t); p.Field != "keys" || !slices.Equal(p.Valid, []string{"Enter"}) {
		t.Errorf("invalid: %+v", p)
	}
	p = c.do("POST", "/v1/terminals", `{"command":"ls"}`).problem(t)
	if len(p.Entries) != 1 || p.Entries[0].ID != "t2" || *p.Entries[0].Viewport != (api.Viewport{Cols: 120, Rows: 40}) {
		t.Errorf("cap_reached: %+v", p)
	}
}

func TestFaultsStayInside(t *testing.T) {
	for name, fail := range map[string]func(string) error{
		"error": func(string) error { return errors.New("secret of the inside") },
		"panic": func(string) error { panic("secret of the inside") },
		"code":  func(string) error { return &core.Error{Code: "nonsense", Detail: "Unheard of."} },
	} {
		t.Run(name, func(t *testing.T) {
			var log journal
			cfg := configured(t, failing(fail))
			cfg.Log = log.logger()
			c := newClient(t, api.New(cfg))
			got := c.do("GET", "/v1/entries/t1", "")
			if got.status != 500 {
				t.Fatalf("%d %s", got.status, got.body)
			}
			p := got.problem(t)
			if p.Code != "internal" || strings.Contains(got.body, "secret") || strings.Contains(got.body, "goroutine") {
				t.Errorf("problem: %s", got.body)
			}
			_, id, _ := strings.Cut(strings.TrimSuffix(p.Detail, "."), "request ")
			logged := log.String()
			if n := strings.Count(logged, "level=ERROR"); n != 1 || !strings.Contains(logged, "request="+id) {
				t.Errorf("%d errors logged, request %q:\n%s", n, id, logged)
			}
			if again := c.do("GET", "/openapi.yaml", ""); again.status != 200 {
				t.Errorf("the service is gone: %d", again.status)
			}
		})
	}
}

func TestUnknownPathsAndMethodsAreProblems(t *testing.T) {
	c := plumbed(t, failing(func(id string) error {
		return &core.Error{Code: core.NotFound, Detail: "No entry " + core.OneLine(id) + "."}
	}))
	for request, want := range map[string]struct {
		status int
		allow  string
	}{
		"GET /":                          {404, ""},
		"GET /v1":                        {404, ""},
		"GET /v1/terminals/":             {404, ""},
		"GET /v1/entries//":              {404, ""},
		"GET /v1/entries//timeline":      {404, ""},
		"GET /v1/nothing":                {404, ""},
		"GET /static/nothing.css":        {404, ""},
		"POST /v2/terminals":             {404, ""},
		"GET /%761/entries":              {404, ""},
		"GET /v1/entries/t01":            {404, ""},
		"GET /v1/entries/T1":             {404, ""},
		"GET /v1/entries/t1%2f..%2fb1":   {404, ""},
		"GET /v1/entries/..%2f..":        {404, ""},
		"GET /v1/entries/t1%00":          {404, ""},
		"GET /v1/entries/t-1":            {404, ""},
		"GET /v1/entries/%E6%97%A5":      {404, ""},
		"GET /v1/entries/%ff":            {404, ""},
		"GET /v1/terminals":              {405, "POST"},
		"DELETE /v1/terminals":           {405, "POST"},
		"PATCH /v1/entries/t1":           {405, "GET, HEAD, DELETE"},
		"OPTIONS /v1/terminals":          {405, "POST"},
		"TRACE /v1/terminals":            {405, "POST"},
		"POST /healthz":                  {405, "GET, HEAD"},
		"PUT /static/x.css":              {405, "GET, HEAD"},
		"OPTIONS /nowhere":               {404, ""},
		"BREW /v1/terminals":             {405, "POST"},
		"PUT /v1/sessions/a/b":           {404, ""},
		"POST /v1/sessions/a":            {405, "GET, HEAD, PUT, DELETE"},
		"GET /v1/terminals/t1/input?x=1": {405, "POST"},
	} {
		method, path, _ := strings.Cut(request, " ")
		got := c.do(method, path, "")
		code := map[int]core.Code{404: core.NotFound, 405: "method_not_allowed"}[want.status]
		if got.status != want.status || got.header.Get("Allow") != want.allow || method != "TRACE" && got.problem(t).Code != code {
			t.Errorf("%s: %d, Allow %q, want %d, %q: %s", request, got.status, got.header.Get("Allow"), want.status, want.allow, got.body)
		}
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	c := plumbed(t, stub{})
	head, get := c.do("HEAD", "/openapi.yaml", ""), c.do("GET", "/openapi.yaml", "")
	if head.status != 200 || head.body != "" || head.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("HEAD: %+v", head)
	}
	if get.body != string(termbay.OpenAPI) {
		t.Error("GET /openapi.yaml is not the contract")
	}
}

func TestTheLogNamesNoSecrets(t *testing.T) {
	var log journal
	cfg := configured(t, stub{createTerminal: func(context.Context, api.CreateTerminalRequestObject) (api.CreateTerminalResponseObject, error) {
		return nil, errors.New("failed")
	}})
	cfg.Log = log.logger()
	c := newClient(t, api.New(cfg))
	c.do("POST", "/v1/terminals?secret=1", "")
	c.do("POST", "/v1/terminals", `{"command":"secret","env":{"KEY":"secret"}}`)
	c.do("GET", "/secret", "", header("Authorization", "Bearer secret"))
	logged := log.String()
	if strings.Contains(logged, "secret") || strings.Contains(logged, token) {
		t.Errorf("the log tells too much:\n%s", logged)
	}
	for _, want := range []string{"method=POST route=/v1/terminals status=422", "status=500 ms=", `method=GET route="" status=401`} {
		if !strings.Contains(logged, want) {
			t.Errorf("the log does not say %q:\n%s", want, logged)
		}
	}
}

func TestMetrics(t *testing.T) {
	cfg := configured(t, failing(func(string) error { return &core.Error{Code: core.NotFound, Detail: "No."} }))
	cfg.Measures = []api.Measure{
		{Name: "termbay_entries_running", Help: "Running entries.", Read: func() float64 { return 7 }},
		{Name: "termbay_started_total", Help: "Entries started.", Total: true, Read: func() float64 { return 9 }},
	}
	c := newClient(t, api.New(cfg))
	c.do("GET", "/v1/entries/t1", "")
	c.do("GET", "/nowhere", "")
	got := c.do("GET", "/metrics", "")
	for _, want := range []string{
		`termbay_http_request_seconds_count{operation="getEntry",status="404"} 1`,
		`termbay_http_request_seconds_count{operation="none",status="404"} 1`,
		"# TYPE termbay_entries_running gauge\ntermbay_entries_running 7",
		"# TYPE termbay_started_total counter\ntermbay_started_total 9",
		"go_goroutines",
	} {
		if !strings.Contains(got.body, want) {
			t.Errorf("no %q in:\n%s", want, got.body)
		}
	}
	if denied := c.do("GET", "/metrics", "", header("Authorization", "")); denied.status != 401 {
		t.Errorf("without token: %d", denied.status)
	}
}

func TestMetricsAreTextWhateverIsAskedFor(t *testing.T) {
	c := plumbed(t, stub{})
	for _, accept := range []string{"", "*/*", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited", "application/openmetrics-text"} {
		got := c.do("GET", "/metrics", "", header("Accept", accept))
		if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain;") || !strings.Contains(got.body, "# TYPE go_goroutines gauge") {
			t.Errorf("Accept %q: %d, %s", accept, got.status, got.header.Get("Content-Type"))
		}
	}
}

func TestMetricsThatCannotBeReadAreAProblem(t *testing.T) {
	for name, m := range map[string]api.Measure{
		"a fault":             {Name: "termbay_broken", Help: "Broken.", Read: func() float64 { panic("broken") }},
		"a name taken before": {Name: "termbay_http_request_seconds_count", Help: "Taken.", Read: func() float64 { return 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := configured(t, stub{})
			cfg.Measures = []api.Measure{m}
			c := newClient(t, api.New(cfg))
			c.do("GET", "/openapi.yaml", "") // now there is a request that was counted
			if got := c.do("GET", "/metrics", ""); got.status != 500 {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

func TestASessionIsCarriedUntilItsAnswerIsDelivered(t *testing.T) {
	inside := 0
	cfg := configured(t, failing(func(id string) error {
		return &core.Error{Code: core.NotFound, Detail: fmt.Sprint(inside)}
	}))
	cfg.Enter = func(session string) (func(), error) {
		if session == "ended" {
			return nil, &core.Error{Code: core.Gone, Detail: "Session ended has ended."}
		}
		inside++
		return func() { inside-- }, nil
	}
	c := newClient(t, api.New(cfg))
	for session, want := range map[string]string{"a": "1", "": "0", "ended": "Session ended has ended."} {
		if p := c.do("GET", "/v1/entries/t1", "", header("Termbay-Session", session)).problem(t); p.Detail != want {
			t.Errorf("%q: %s, want %s", session, p.Detail, want)
		}
	}
	if inside != 0 {
		t.Errorf("%d requests never left", inside)
	}
}
