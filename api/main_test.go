//go:build unix

package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"termbay/api"
	"termbay/core"
	"termbay/core/process"
	"termbay/core/registry"
	"termbay/core/spool"
	"termbay/web"
)

// host starts the programs of all tests.
var host *process.Host

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run fails when a goroutine is left, or when all tests ran and no response was what openapi.yaml says it may be.
func run(m *testing.M) int {
	var err error
	if host, err = process.NewHost(slog.New(slog.DiscardHandler)); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := errors.Join(host.Close(), goleak.Find(goleak.IgnoreTopFunction("os/signal.loop"))); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if missing := loadContract().missing(); everyTestRan() && len(missing) > 0 && code == 0 {
		fmt.Fprintf(os.Stderr, "no test has seen these responses of openapi.yaml: %v\n", missing)
		code = 1
	}
	return code
}

func everyTestRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.bench", "test.fuzz"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}

// bay is a client of the whole API: real handlers, on a registry and folders of its own.
type bay struct {
	*client
	registry *registry.Registry
	state    string
	cwd      string
}

// open serves a bay for one test; nothing runs when the test is over.
func open(t *testing.T, set ...func(*registry.Config)) *bay {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var cfg registry.Config
	for _, s := range set {
		s(&cfg)
	}
	cfg.Host, cfg.Log = host, slog.New(slog.DiscardHandler)
	if cfg.Spool, err = spool.Open(filepath.Join(dir, "log"), "test"); err != nil {
		t.Fatal(err)
	}
	if cfg.Counter, err = spool.OpenCounter(filepath.Join(dir, "counters.json")); err != nil {
		t.Fatal(err)
	}
	b := &bay{registry: registry.New(cfg), state: filepath.Join(dir, "state"), cwd: t.TempDir()}
	calls := api.Service{
		Registry: b.registry, Version: "1.2.3", InstanceID: "an-instance", StateDir: b.state,
		HTML: web.ScreenHTML, SVG: web.ScreenSVG,
	}
	served := configured(t, calls)
	served.Measures = calls.Measures()
	served.Enter = func(session string) (func(), error) { return b.registry.Enter(registry.Caller{Session: session}) }
	b.client = newClient(t, api.New(served))
	t.Cleanup(func() { // before the server closes, so that waits end
		b.shutdown()
		if running, _, _, _ := b.registry.Stats(); running > 0 {
			t.Errorf("%d entries run after Shutdown", running)
		}
		if err := errors.Join(cfg.Spool.Close(), cfg.Counter.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bay) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	b.registry.Shutdown(ctx)
}

// object is a JSON object.
type object map[string]any

// String is the object as JSON; nothing at all when it is nil.
func (o object) String() string {
	if o == nil {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// call is do, and fails the test unless the status is the wanted one.
func (b *bay) call(want int, method, path string, body object, options ...func(*http.Request)) reply {
	b.Helper()
	got := b.do(method, path, body.String(), options...)
	if got.status != want {
		b.Fatalf("%s %s %.200s: %d, want %d: %s", method, path, body, got.status, want, got.body)
	}
	return got
}

// as is the body of a response.
func as[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// session is an option that makes a call in a session.
func session(id string) func(*http.Request) { return header("Termbay-Session", id) }

// never is a text that no program prints: a wait for it ends with the exit.
const never = "no program prints this"

// start starts a Terminal. When a text is waited for it must appear, unless it never does.
func (b *bay) start(body object, options ...func(*http.Request)) api.Result {
	b.Helper()
	return b.found(b.call(http.StatusCreated, "POST", "/v1/terminals", patiently(b.inCwd(body)), options...), body)
}

// send types into a Terminal, or polls it.
func (b *bay) send(id string, body object, options ...func(*http.Request)) api.Result {
	b.Helper()
	return b.found(b.call(http.StatusOK, "POST", "/v1/terminals/"+id+"/input", patiently(body), options...), body)
}

// patiently gives a wait for a text all the time that it may need.
func patiently(body object) object {
	if _, given := body["wait_ms"]; !given && body["wait_for_text"] != nil {
		body["wait_ms"] = patience.Milliseconds()
	}
	return body
}

func (b *bay) found(r reply, body object) api.Result {
	b.Helper()
	res := as[api.Result](b.T, r)
	if text := body["wait_for_text"]; text != nil && text != never && res.SettledBy != api.SettledByText {
		b.Fatalf("%v did not appear: %s", text, r.body)
	}
	return res
}

// run starts a command and waits for its exit.
func (b *bay) run(command string) api.Result {
	b.Helper()
	return b.start(object{"command": command, "wait_for_text": never})
}

// stop stops an entry and answers with its final result.
func (b *bay) stop(id string, body object, options ...func(*http.Request)) api.Result {
	b.Helper()
	return as[api.Result](b.T, b.call(http.StatusOK, "POST", "/v1/entries/"+id+"/stop", body, options...))
}

// job runs a command and waits until its call is over.
func (b *bay) job(body object, options ...func(*http.Request)) api.JobResult {
	b.Helper()
	return as[api.JobResult](b.T, b.call(http.StatusOK, "POST", "/v1/jobs", b.inCwd(body), options...))
}

// background runs a command in the background.
func (b *bay) background(body object, options ...func(*http.Request)) api.Entry {
	b.Helper()
	body["background"] = true
	if _, given := body["yield_ms"]; !given {
		body["yield_ms"] = 0
	}
	return *as[api.JobResult](b.T, b.call(http.StatusAccepted, "POST", "/v1/jobs", b.inCwd(body), options...)).Entry
}

// inCwd lets a command run in the folder of the test.
func (b *bay) inCwd(body object) object {
	if _, given := body["cwd"]; !given {
		body["cwd"] = b.cwd
	}
	return body
}

// feed writes to the standard input of a job.
func (b *bay) feed(id string, body object, options ...func(*http.Request)) api.JobInputResult {
	b.Helper()
	return as[api.JobInputResult](b.T, b.call(http.StatusOK, "POST", "/v1/jobs/"+id+"/input", body, options...))
}

// exit waits for the exit of an entry.
func (b *bay) exit(id string) api.Entry {
	b.Helper()
	e := as[api.Entry](b.T, b.call(http.StatusOK, "GET", "/v1/entries/"+id+"?wait=exit", nil))
	if e.State != core.Exited {
		b.Fatalf("%s runs and runs: %+v", id, e)
	}
	return e
}

// entry looks at an entry.
func (b *bay) entry(id string) api.Entry {
	b.Helper()
	return as[api.Entry](b.T, b.call(http.StatusOK, "GET", "/v1/entries/"+id, nil))
}

// refused fails the test unless a call is refused with a code for a field, and returns the problem.
func (b *bay) refused(status int, code, field string, r reply) api.Problem {
	b.Helper()
	p := r.problem(b.T)
	if r.status != status || string(p.Code) != code || p.Field != field || p.Detail == "" {
		b.Errorf("%d %s of %q, want %d %s of %q: %s", r.status, p.Code, p.Field, status, code, field, r.body)
	}
	return p
}

// begin sends a request and returns once its headers are there; the body is read with the returned function.
func (b *bay) begin(ctx context.Context, method, path string, body object, options ...func(*http.Request)) (status int, rest func() (string, error)) {
	b.Helper()
	req := b.request(method, path, body.String(), options...).WithContext(ctx)
	resp, err := b.http.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	return resp.StatusCode, func() (string, error) {
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
}

// later is do, beside the test; the response comes when it is there.
func (b *bay) later(method, path, body string, options ...func(*http.Request)) <-chan reply {
	answer := make(chan reply, 1)
	go func() {
		defer close(answer)
		answer <- b.do(method, path, body, options...)
	}()
	return answer
}

// eventually waits for what must come true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}
