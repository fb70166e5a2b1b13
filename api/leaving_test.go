//go:build unix

package api_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

func TestTheHeadersOfALongAnswerComeFirst(t *testing.T) {
	t.Parallel()
	b := open(t)
	status, rest := b.begin(t.Context(), "POST", "/v1/terminals", object{"command": "read x; echo got $x", "cwd": b.cwd, "wait_for_text": "got it", "wait_ms": 300000})
	b.waiting("t1", "text")
	if w := b.entry("t1").Waiting; status != 201 || w.Text != "got it" {
		t.Fatalf("%d %+v", status, w)
	}
	b.send("t1", object{"text": "it\n", "wait_ms": 0})
	if text, err := rest(); err != nil || as[api.Result](t, reply{body: text}).SettledBy != api.SettledByText {
		t.Errorf("%v %s", err, text)
	}
}

// A look, whatever its form and however long, takes nothing from the agent that reads later.
func TestLooksTakeNothingFromWhoReads(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "echo first; read x; seq 100; read x", "wait_for_text": "first", "log": true}, session("agent")).ID
	before := b.entry(id)
	b.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "99\n100"}) // by a person
	person := b.entry(id).LastReadAt
	for _, o := range operations() {
		if o.method != "GET" || !strings.Contains(o.path, "{id}") || strings.Contains(o.path, "{n}") ||
			o.OperationID == "getJob" || o.OperationID == "followLog" { // it is none; that one goes on
			continue
		}
		for _, who := range []string{"", "agent"} {
			for _, media := range []string{"text/plain", "application/json", "text/html", "text/x-ansi", "image/svg+xml"} {
				b.call(200, "GET", o.at(id, ""), nil, accept(media), session(who))
			}
		}
	}
	b.call(200, "GET", "/v1/terminals/"+id+"/screen?wait=change&wait_ms=10", nil, session("agent"))
	b.call(200, "GET", "/v1/entries?scope=all", nil, session("agent"))
	b.call(200, "GET", "/v1/entries/"+id+"?wait=exit&wait_ms=10", nil, session("agent"))
	if e := b.entry(id); e.LastReadAt != person || !person.After(before.LastReadAt.Time) || e.LastInputAt.IsZero() {
		t.Errorf("a look counts as read: %+v", e)
	}
	res := b.send(id, nil, session("agent"))
	if got := strings.Join(res.ScrolledOff, " ") + " " + strings.ReplaceAll(res.Screen, "\n", " "); !res.Changed || !strings.HasPrefix(got, "first  1 2 3 ") || !strings.HasSuffix(got, " 99 100") {
		t.Errorf("%+v", res)
	}
}

// leave sends a request, waits for the headers of its answer, and goes.
func (b *bay) leave(path string, body object, headers string) {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	text := body.String()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s", path, token, len(text), headers, text)
	if head, err := io.ReadAll(io.LimitReader(conn, 11)); !strings.HasPrefix(string(head), "HTTP/1.1 20") {
		b.Fatalf("%q %v", head, err)
	}
}

// O-H3: who leaves in the middle of a wait leaves nothing behind and takes nothing away.
func TestWhoLeavesTakesNothingAlong(t *testing.T) {
	const clients = 200
	b := open(t)
	id := b.start(object{"command": "stty -echo; echo up; exec cat", "wait_for_text": "up"}, session("agent")).ID
	read, before := b.entry(id).LastReadAt, runtime.NumGoroutine()
	path := "/v1/terminals/" + id + "/input"
	for range clients {
		b.leave(path, object{"wait_ms": 300000, "wait_for_text": never}, "Termbay-Session: agent\r\n")
	}
	b.leave(path, object{"text": "once\n", "wait_ms": 300000, "wait_for_text": never}, "Termbay-Session: agent\r\n")
	eventually(t, "the input to have its effect", func() bool { return b.call(200, "GET", "/v1/terminals/"+id+"/screen", nil).body == "up\nonce\n" })
	eventually(t, "the waiters to be gone", func() bool { return b.entry(id).Waiting == nil })
	eventually(t, "their goroutines to be gone", func() bool { return runtime.NumGoroutine() <= before })
	if e := b.entry(id); e.LastReadAt != read || e.State != core.Running {
		t.Errorf("something was read: %+v", e)
	}
	res := b.send(id, object{"wait_ms": 0}, session("agent"))
	if !res.Changed || res.Screen != "up\nonce" {
		t.Errorf("%+v", res)
	}
	if res = b.send(id, object{"wait_ms": 0}, session("agent")); res.Changed {
		t.Errorf("what was delivered comes again: %+v", res)
	}
	timeline := b.call(200, "GET", "/v1/entries/"+id+"/timeline", nil).body
	if n := strings.Count(timeline, `"kind":"input"`); n != 1 {
		t.Errorf("%d inputs: %s", n, timeline)
	}
}

// What a client that was lost has begun is done once, and its repeat gets the answer.
func TestARepeatGetsWhatTheLostClientBegan(t *testing.T) {
	t.Parallel()
	b := open(t)
	log := filepath.Join(b.cwd, "log")
	begin := object{"command": "echo started >> log; stty -echo; echo up; while read x; do echo $x >> log; echo done $x; done", "cwd": b.cwd, "wait_for_text": "done one", "wait_ms": 20000}
	b.leave("/v1/terminals", begin, "Idempotency-Key: start\r\n")
	b.waiting("t1", "text")
	input := object{"text": "one\n", "wait_for_text": "done two", "wait_ms": 20000}
	b.leave("/v1/terminals/t1/input", input, "Idempotency-Key: input\r\n")
	again := b.later("POST", "/v1/terminals/t1/input", input.String(), header("Idempotency-Key", "input")) // while the first still waits
	started := as[api.Result](t, b.call(201, "POST", "/v1/terminals", begin, header("Idempotency-Key", "start")))
	if started.ID != "t1" || started.SettledBy != api.SettledByText || !strings.Contains(started.Screen, "done one") {
		t.Errorf("%+v", started)
	}
	b.send("t1", object{"text": "two\n", "wait_ms": 0})
	first := <-again
	if res := as[api.Result](t, first); res.SettledBy != api.SettledByText || !strings.Contains(res.Screen, "done two") {
		t.Errorf("%+v", res)
	}
	if late := b.call(200, "POST", "/v1/terminals/t1/input", input, header("Idempotency-Key", "input")); strings.TrimSpace(late.body) != strings.TrimSpace(first.body) {
		t.Errorf("%s\nis not %s", late.body, first.body)
	}
	b.refused(422, "idempotency_mismatch", "", b.do("POST", "/v1/terminals/t1/input", `{"text":"other\n"}`, header("Idempotency-Key", "input")))
	b.refused(422, "idempotency_mismatch", "", b.do("POST", "/v1/terminals", `{"command":"other"}`, header("Idempotency-Key", "start")))
	if text, err := os.ReadFile(log); string(text) != "started\none\ntwo\n" {
		t.Errorf("%v: it did\n%s", err, text)
	}
	if list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries", nil)); len(list.Terminals) != 1 {
		t.Errorf("%+v", list)
	}
}

// The program outlives the client that started it.
func TestAProgramOutlivesWhoStartedIt(t *testing.T) {
	t.Parallel()
	b := open(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	status, _ := b.begin(ctx, "POST", "/v1/terminals", object{"command": "exec cat", "cwd": b.cwd, "wait_for_text": never, "wait_ms": 300000})
	leave()
	eventually(t, "its wait to end", func() bool { return b.entry("t1").Waiting == nil })
	if e := b.entry("t1"); status != http.StatusCreated || e.State != core.Running || !e.LastReadAt.IsZero() {
		t.Errorf("%d %+v", status, e)
	}
}
