package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"termbay"
	"termbay/api"
)

const token = "a-token-for-tests"

// client calls an API over real HTTP. A response that breaks openapi.yaml fails the test.
type client struct {
	*testing.T
	url      string
	http     *http.Client
	contract *contract
}

// reply is a response, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// newClient serves a handler for one test.
func newClient(t *testing.T, handler http.Handler) *client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &client{T: t, url: server.URL, http: server.Client(), contract: loadContract()}
}

// request is a request with the token, and as JSON when there is a body; options change it.
func (c *client) request(method, path, body string, options ...func(*http.Request)) *http.Request {
	c.Helper()
	req, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, option := range options {
		option(req)
	}
	return req
}

// do sends a request and holds the response against the contract.
func (c *client) do(method, path, body string, options ...func(*http.Request)) reply {
	c.Helper()
	req := c.request(method, path, body, options...)
	resp, err := c.http.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	if problem := c.contract.check(req, resp, text); problem != "" {
		c.Errorf("%s %s breaks the contract: %s\n%d %s", method, path, problem, resp.StatusCode, text)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// header is an option that sets a header; an empty value takes it out.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if value == "" {
			r.Header.Del(name)
			return
		}
		r.Header[http.CanonicalHeaderKey(name)] = []string{value}
	}
}

// problem is the body of an error response.
func (r reply) problem(t *testing.T) api.Problem {
	t.Helper()
	var p api.Problem
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return p
}

// contract holds responses against openapi.yaml and remembers which it has seen.
type contract struct {
	doc    *openapi3.T
	router routers.Router

	mu   sync.Mutex // guards below
	seen map[string]bool
}

// loadContract is one contract for all tests, so that it knows what they cover together.
var loadContract = sync.OnceValue(newContract)

func newContract() *contract {
	doc, err := openapi3.NewLoader().LoadFromData(termbay.OpenAPI)
	if err != nil {
		panic(err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return &contract{doc: doc, router: router, seen: map[string]bool{}}
}

// check is what is wrong with a response, or empty.
func (c *contract) check(req *http.Request, resp *http.Response, body []byte) string {
	for name := range resp.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			return "it has " + name
		}
	}
	route, params, err := c.router.FindRoute(req)
	if err != nil || req.Method == http.MethodHead {
		return c.checkProblem(resp, body) // 404, 405, or refused before it was routed
	}
	c.mu.Lock()
	c.seen[route.Operation.OperationID+" "+strconv.Itoa(resp.StatusCode)] = true
	c.mu.Unlock()
	media := resp.Header.Get("Content-Type")
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: !strings.Contains(media, "json")},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return err.Error()
	}
	documented := route.Operation.Responses.Status(resp.StatusCode).Value
	if len(documented.Content) > 0 && documented.Content.Get(media) == nil {
		return "its Content-Type is " + media
	}
	if resp.StatusCode < 400 {
		return ""
	}
	var p api.Problem
	_ = json.Unmarshal(body, &p)
	if !strings.Contains(*documented.Description, "`"+string(p.Code)+"`") {
		return "its code is not documented for this operation"
	}
	return c.checkProblem(resp, body)
}

// checkProblem holds an error response against the schema of problems and itself.
func (c *contract) checkProblem(resp *http.Response, body []byte) string {
	if resp.StatusCode < 400 || len(body) == 0 {
		return ""
	}
	var value any
	var p api.Problem
	if json.Unmarshal(body, &value) != nil || json.Unmarshal(body, &p) != nil {
		return "it is no problem"
	}
	if err := c.doc.Components.Schemas["Problem"].Value.VisitJSON(value); err != nil {
		return err.Error()
	}
	if p.Status != resp.StatusCode || p.Type != "/problems/"+string(p.Code) || resp.Header.Get("Content-Type") != "application/problem+json" {
		return "it contradicts itself"
	}
	return ""
}

// missing are the documented responses that no test has seen yet, each as "operation status".
func (c *contract) missing() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	for _, item := range c.doc.Paths.Map() {
		for _, op := range item.Operations() {
			for status := range maps.Keys(op.Responses.Map()) {
				if key := op.OperationID + " " + status; !c.seen[key] {
					missing = append(missing, key)
				}
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// stub is a set of handlers that a test sets; any other one panics.
type stub struct {
	api.StrictServerInterface
	createTerminal func(context.Context, api.CreateTerminalRequestObject) (api.CreateTerminalResponseObject, error)
	sendInput      func(context.Context, api.SendInputRequestObject) (api.SendInputResponseObject, error)
	getEntry       func(context.Context, api.GetEntryRequestObject) (api.GetEntryResponseObject, error)
	openSession    func(context.Context, api.OpenSessionRequestObject) (api.OpenSessionResponseObject, error)
	followLog      func(context.Context, api.FollowLogRequestObject) (api.FollowLogResponseObject, error)
}

func (s stub) FollowLog(ctx context.Context, r api.FollowLogRequestObject) (api.FollowLogResponseObject, error) {
	return s.followLog(ctx, r)
}

func (s stub) CreateTerminal(ctx context.Context, r api.CreateTerminalRequestObject) (api.CreateTerminalResponseObject, error) {
	return s.createTerminal(ctx, r)
}

func (s stub) SendInput(ctx context.Context, r api.SendInputRequestObject) (api.SendInputResponseObject, error) {
	return s.sendInput(ctx, r)
}

func (s stub) GetEntry(ctx context.Context, r api.GetEntryRequestObject) (api.GetEntryResponseObject, error) {
	return s.getEntry(ctx, r)
}

func (s stub) OpenSession(ctx context.Context, r api.OpenSessionRequestObject) (api.OpenSessionResponseObject, error) {
	return s.openSession(ctx, r)
}

// noFiles has no files at all.
type noFiles struct{ http.Handler }

func (noFiles) Has(string) bool { return false }

// configured is the plumbing around handlers, its log in the test's output.
func configured(t *testing.T, handlers api.StrictServerInterface) api.Config {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	})
	return api.Config{
		Handlers: handlers, Token: token, Docs: page, Static: noFiles{page},
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// journal is a log that a test reads while it is written.
type journal struct {
	mu   sync.Mutex // guards below
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// logger is a logger into the journal.
func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// plumbed is a client of stub handlers.
func plumbed(t *testing.T, handlers api.StrictServerInterface) *client {
	return newClient(t, api.New(configured(t, handlers)))
}
