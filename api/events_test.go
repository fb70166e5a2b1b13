//go:build unix

package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"termbay/api"
	"termbay/core"
)

// story is an event stream that is being read.
type story struct {
	*testing.T
	lines *bufio.Scanner
	leave func()
}

// event is one event of a stream.
type event struct {
	id, name string
	data     string
}

// listen begins a stream.
func (b *bay) listen(method, path string, body object, options ...func(*http.Request)) *story {
	b.Helper()
	ctx, leave := context.WithCancel(b.Context())
	req := b.request(method, path, body.String(), append(options, accept("text/event-stream"))...).WithContext(ctx)
	resp, err := b.http.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		leave()
		resp.Body.Close()
	})
	if problem := b.contract.check(req, resp, nil); problem != "" || resp.StatusCode != 200 {
		b.Fatalf("%d %s", resp.StatusCode, problem)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"} {
		if got := resp.Header.Get(name); got != want {
			b.Errorf("%s: %q", name, got)
		}
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return &story{b.T, lines, leave}
}

// next is the next event; one without a name when the stream is over.
func (s *story) next() (e event) {
	s.Helper()
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch {
		case field == "id":
			e.id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data = value
		case field == "" && e.name != "":
			return e
		}
	}
	return event{}
}

// piece is an output event; Text, or B64 where it is no UTF-8.
type piece struct {
	Offset *int64
	Text   *string
	B64    []byte
}

func (e event) piece(t *testing.T) (p piece) {
	t.Helper()
	if err := json.Unmarshal([]byte(e.data), &p); err != nil || (p.Text == nil) == (p.B64 == nil) {
		t.Errorf("%v %+v", err, e)
	}
	return p
}

// bytes are what was printed.
func (p piece) bytes() string {
	if p.Text != nil {
		return *p.Text
	}
	return string(p.B64)
}

// outputs reads output until an event of another kind, which is returned, or until all of a text was there.
func (s *story) outputs(until string) (text string, pieces []piece, last event) {
	s.Helper()
	for {
		e := s.next()
		if e.name != "output" {
			return text, pieces, e
		}
		p := e.piece(s.T)
		text += p.bytes()
		pieces = append(pieces, p)
		if until != "" && strings.HasSuffix(text, until) {
			return text, pieces, e
		}
	}
}

func TestEventsTellOfACommandWhileItRuns(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.listen("POST", "/v1/jobs", b.inCwd(object{"command": "echo a; read x; echo $x >&2; exit 3", "stdin": "open"}))
	begun := s.next()
	call := b.calls("", 1)[0]
	if want := (event{"0", "started", fmt.Sprintf(`{"call_id":"c1","pid":%d}`, call.PID)}); begun != want || call.CallID != "c1" {
		t.Errorf("%+v, want %+v", begun, want)
	}
	text, _, last := s.outputs("a\n")
	if text != "a\n" || last.id != "2" {
		t.Errorf("%q, %+v", text, last)
	}
	b.feed("c1", object{"text": "b\n"})
	text, _, last = s.outputs("")
	if text != "b\n" || last.id != "4" || last.name != "exit" {
		t.Errorf("%q, %+v", text, last)
	}
	res := as[api.JobResult](t, reply{body: last.data})
	if *res.ExitCode != 3 || res.Status != core.StatusFailed || res.Outcome.Cause != core.CauseExit || strings.Contains(last.data, `"output":`) {
		t.Errorf("%s", last.data)
	}
	if after := s.next(); after != (event{}) || s.lines.Err() != nil {
		t.Errorf("it goes on: %+v, %v", after, s.lines.Err())
	}
}

func TestEventsEndWhenTheCommandIsMoved(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.listen("POST", "/v1/jobs", b.inCwd(object{"command": "echo a; cat # " + strings.Repeat("x", 100000), "stdin": "open"}))
	s.next()
	s.outputs("a\n")
	b.call(200, "POST", "/v1/jobs/c1/background", nil)
	text, _, last := s.outputs("")
	res := as[api.JobResult](t, reply{body: last.data})
	if text != "" || last.name != "backgrounded" || res.Background.ID != "b1" || res.Background.PromotedBy != core.ByAPI || res.Status != "" || len(last.data) > 64<<10 {
		t.Errorf("%q %.500s", text, last.data)
	}
	if after := s.next(); after != (event{}) {
		t.Errorf("it goes on: %+v", after)
	}
	s.leave() // which no longer reaches it (L108)
	b.feed("b1", object{"text": "b\n", "eof": true})
	if e := b.exit("b1"); *e.ExitCode != 0 || b.call(200, "GET", "/v1/entries/b1/log", nil).body != "a\nb\n" {
		t.Errorf("%+v", e)
	}
}

// Pieces are cut between characters only, whatever the pieces were in which the command wrote them (L118).
func TestEventsAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	b := open(t)
	const text = "añ漢🙂"
	s := b.listen("POST", "/v1/jobs", b.inCwd(object{"command": `while IFS= read -r x; do printf "$x"; done`, "stdin": "open"}))
	s.next()
	var want, got string
	for i := range len(text) { // byte by byte, each seen before the next one is written
		b.feed("c1", object{"text": fmt.Sprintf("\\x%02x\n", text[i])})
		want += text[i : i+1]
		if whole := strings.ToValidUTF8(want, ""); whole == want {
			piece, _, _ := s.outputs(want[len(got):])
			got += piece
		}
	}
	if got != text {
		t.Errorf("%q", got)
	}
	b.feed("c1", object{"text": "\\xff\\xe6\n"})
	b.feed("c1", object{"eof": true})
	rest, pieces, last := s.outputs("")
	if rest != "\xff\xe6" || pieces[0].B64 == nil || last.name != "exit" {
		t.Errorf("%q %+v %+v", rest, pieces, last)
	}
	s = b.listen("POST", "/v1/jobs", b.inCwd(object{"command": "for i in $(seq 60000); do printf 漢字かな; done"}))
	s.next()
	long, pieces, last := s.outputs("")
	if long != strings.Repeat("漢字かな", 60000) || last.name != "exit" || last.id != "720000" {
		t.Errorf("%d bytes, %+v", len(long), last)
	}
	for _, p := range pieces {
		if p.Text == nil || len(*p.Text) > 32<<10 {
			t.Fatalf("%+v", p)
		}
	}
}

// In the foreground a client that leaves ends the command with its whole tree, unless it was told not to; in the
// background it does not (L108).
func TestWhoLeavesEndsWhatRunsInTheForeground(t *testing.T) {
	t.Parallel()
	const tree = `setsid sh -c 'echo $$ > far; sleep 1000' & echo $$ > near; sleep 1000`
	for name, c := range map[string]struct {
		set    object
		events bool
		stays  bool
	}{
		"JSON":                    {object{}, false, false},
		"events":                  {object{}, true, false},
		"JSON, in its yield":      {object{"background": true, "yield_ms": 300000}, false, false},
		"JSON, told to persist":   {object{"abort_on_disconnect": false}, false, true},
		"events, told to persist": {object{"abort_on_disconnect": false}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			c.set["command"] = tree
			begin := b.beginLater
			if c.events {
				begin = b.listenLater
			}
			leave := begin(b.inCwd(c.set))
			b.calls("", 1)
			near, far := pidIn(t, b.cwd+"/near"), pidIn(t, b.cwd+"/far")
			leave()
			if c.stays {
				b.call(200, "POST", "/v1/jobs/c1/background", nil) // which a killed one refuses
				if !alive(near) || !alive(far) {
					t.Error("it was killed")
				}
				return
			}
			eventually(t, "the tree to be gone", func() bool { return !alive(near) && !alive(far) })
			b.calls("", 0)
			b.refused(409, "not_backgroundable", "", b.do("POST", "/v1/jobs/c1/background", ""))
		})
	}
}

// pidIn is the process id in a file, once it is there.
func pidIn(t *testing.T, path string) (pid int) {
	t.Helper()
	eventually(t, "a process id in "+path, func() bool {
		text, err := os.ReadFile(path)
		line, _, whole := strings.Cut(string(text), "\n")
		pid, _ = strconv.Atoi(line)
		return err == nil && whole
	})
	return pid
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// beginLater runs a command; leave is its client's leaving.
func (b *bay) beginLater(body object) (leave func()) {
	ctx, leave := context.WithCancel(b.Context())
	go func() {
		if resp, err := b.http.Do(b.request("POST", "/v1/jobs", body.String()).WithContext(ctx)); err == nil {
			resp.Body.Close()
		}
	}()
	return leave
}

// listenLater is beginLater with a client that listens to events.
func (b *bay) listenLater(body object) (leave func()) {
	return b.listen("POST", "/v1/jobs", body).leave
}

func TestWhoLeavesDoesNotEndAJobNorWhatHasAKey(t *testing.T) {
	t.Parallel()
	b := open(t)
	ctx, leave := context.WithCancel(t.Context())
	status, _ := b.begin(ctx, "POST", "/v1/jobs", b.inCwd(object{"command": "exec cat", "stdin": "open", "background": true, "yield_ms": 0}))
	leave()
	if status != 202 || b.feed("b1", object{"text": "x"}).Entry.State != core.Running {
		t.Errorf("%d", status)
	}
	body := b.inCwd(object{"command": "echo run >> runs; read x; echo got $x", "stdin": "open"})
	ctx, leave = context.WithCancel(t.Context())
	lost := make(chan struct{})
	go func() {
		defer close(lost)
		if resp, err := b.http.Do(b.request("POST", "/v1/jobs", body.String(), key("k")).WithContext(ctx)); err == nil {
			resp.Body.Close()
		}
	}()
	b.calls("", 1)
	leave()
	<-lost
	again := b.later("POST", "/v1/jobs", body.String(), key("k"))
	b.feed("c2", object{"text": "it\n"})
	if res := as[api.JobResult](t, <-again); res.Output != "got it\n" {
		t.Errorf("%+v", res)
	}
	if runs, err := os.ReadFile(filepath.Join(b.cwd, "runs")); string(runs) != "run\n" {
		t.Errorf("%v: it ran %q", err, runs)
	}
}

// A call that takes long begins to answer after 8 seconds, and its body tells what became of it.
func TestALongCallBeginsToAnswer(t *testing.T) {
	t.Parallel()
	b := open(t)
	status, rest := b.begin(t.Context(), "POST", "/v1/jobs", b.inCwd(object{"command": "exec cat", "stdin": "open"}))
	if calls := b.calls("", 1); status != 200 || calls[0].CallID != "c1" {
		t.Errorf("%d %+v", status, calls)
	}
	b.call(200, "POST", "/v1/jobs/c1/background", nil)
	text, err := rest()
	if res := as[api.JobResult](t, reply{body: text}); err != nil || !strings.HasPrefix(text, " ") || res.Background == nil || res.Background.ID != "b1" {
		t.Errorf("%v %q", err, text)
	}
}
