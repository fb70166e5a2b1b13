//go:build unix

package api_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
	"termbay/core/registry"
)

func TestACommandAnswersWithItsOutputAndItsEnd(t *testing.T) {
	t.Parallel()
	b := open(t)
	zero, three := 0, 3
	for name, c := range map[string]struct {
		set    object
		output string
		code   *int
		signal string
		status core.Status
		cause  core.Cause
	}{
		"success":            {object{"command": "printf hi"}, "hi", &zero, "", core.StatusCompleted, core.CauseExit},
		"nothing":            {object{"command": "true"}, "", &zero, "", core.StatusCompleted, core.CauseExit},
		"failure":            {object{"command": "exit 3"}, "", &three, "", core.StatusFailed, core.CauseExit},
		"both streams":       {object{"command": "echo a; echo b >&2; echo c"}, "a\nb\nc\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"a signal":           {object{"command": "kill -KILL $$"}, "", nil, "SIGKILL", core.StatusKilled, core.CauseSignal},
		"where":              {object{"command": "pwd -P", "cwd": "/"}, "/\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"an environment":     {object{"command": "echo $A$HOME", "env": object{"A": "x"}}, "x\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"a prefix":           {object{"command": "echo $A", "command_prefix": "A=y"}, "y\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"a shell":            {object{"command": "echo $0", "shell": "/bin/sh"}, "/bin/sh\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"no standard input":  {object{"command": "cat; echo end"}, "end\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"no terminal":        {object{"command": "test -t 1 || echo none"}, "none\n", &zero, "", core.StatusCompleted, core.CauseExit},
		"within its yield":   {object{"command": "echo a", "background": true, "yield_ms": 300000}, "a\n", &zero, "", core.StatusCompleted, core.CauseExit}, // L98
		"within its timeout": {object{"command": "echo a", "timeout_ms": 20000}, "a\n", &zero, "", core.StatusCompleted, core.CauseExit},
	} {
		got := b.call(200, "POST", "/v1/jobs", b.inCwd(c.set))
		res := as[api.JobResult](t, got)
		if res.Output != c.output || res.Truncated || res.Signal != c.signal || res.Status != c.status || res.Outcome.Cause != c.cause {
			t.Errorf("%s: %s", name, got.body)
		}
		if (res.ExitCode == nil) != (c.code == nil) || c.code != nil && *res.ExitCode != *c.code {
			t.Errorf("%s: %s", name, got.body)
		}
		if res.Background != nil || res.Entry != nil || got.header.Get("Location") != "" || res.WallTimeMS < 0 || res.WallTimeSeconds*1000 > float64(res.WallTimeMS+50) {
			t.Errorf("%s: %s %v", name, got.body, got.header)
		}
	}
	if list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries?scope=all", nil)); len(list.BackgroundJobs)+len(list.Calls) > 0 {
		t.Errorf("something is left: %+v", list)
	}
}

func TestWhatMovesACommandToTheBackground(t *testing.T) {
	t.Parallel()
	b := open(t)
	for name, c := range map[string]struct {
		set object
		by  core.Promotion
	}{
		"its flag, at once":         {object{"background": true, "yield_ms": 0}, core.ByFlag},
		"its flag, after the yield": {object{"background": true, "yield_ms": 30}, core.ByFlag},
		"its timeout":               {object{"on_timeout": "background", "timeout_ms": 30}, core.ByTimeout},
		"no time at all":            {object{"on_timeout": "background", "timeout_ms": 0}, core.ByTimeout},
	} {
		maps.Copy(c.set, object{"command": "echo early; cat; echo late", "stdin": "open", "label": "mine", "tool_call_id": "call_7"})
		got := b.call(202, "POST", "/v1/jobs", b.inCwd(c.set))
		res := as[api.JobResult](t, got)
		e := res.Entry
		if got.header.Get("Location") != "/v1/jobs/"+e.ID || *res.Background != (api.Background{ID: e.ID, LogPath: e.LogPath, PromotedBy: c.by}) {
			t.Errorf("%s: %v %s", name, got.header, got.body)
		}
		if res.Status != "" || res.Outcome != nil || res.ExitCode != nil || res.Signal != "" || res.Truncated {
			t.Errorf("%s: it has no end yet: %s", name, got.body)
		}
		if e.Kind != core.KindJob || e.State != core.Running || e.Label != "mine" || e.ToolCallID != "call_7" || e.BackgroundedAt.Before(e.StartedAt.Time) || e.LogBytes == nil || e.Viewport != nil {
			t.Errorf("%s: %+v", name, e)
		}
		b.feed(e.ID, object{"text": "x\n", "eof": true})
		exited := b.exit(e.ID)
		if text, err := os.ReadFile(e.LogPath); string(text) != "early\nx\nlate\n" || *exited.LogBytes != 13 || *exited.ExitCode != 0 {
			t.Errorf("%s: %v, the log is %q: %+v", name, err, text, exited)
		}
	}
	list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries?kind=background_job", nil))
	if len(list.BackgroundJobs) != 4 || list.Exited != 4 || len(list.Terminals) > 0 {
		t.Errorf("%+v", list)
	}
}

func TestATimeoutKills(t *testing.T) {
	t.Parallel()
	b := open(t)
	res := b.job(object{"command": "echo a; sleep 1000", "timeout_ms": 100})
	if res.Output != "a\n" || res.Signal != "SIGKILL" || res.Status != core.StatusFailed || res.Outcome.Cause != core.CauseTimeout || res.Outcome.By != core.ByService {
		t.Errorf("%+v", res)
	}
	id := b.background(object{"command": "sleep 1000", "timeout_ms": 2000, "timeout_scope": "always"}).ID
	if e := b.exit(id); e.Outcome.Cause != core.CauseTimeout || e.Status != core.StatusFailed {
		t.Errorf("in the background: %+v", e)
	}
}

func TestACallIsMovedByItsIDOrWithItsSession(t *testing.T) {
	t.Parallel()
	b := open(t)
	var answers []<-chan reply
	for _, s := range []string{"a", "a", "b"} {
		answers = append(answers, b.later("POST", "/v1/jobs", object{"command": "echo up; sleep 1000", "label": s, "timeout_ms": 100000, "cwd": b.cwd}.String(), session(s)))
	}
	calls := b.calls("", 3)
	for _, c := range calls {
		if c.Session != c.Label || c.Group != c.Session || c.Command != "echo up; sleep 1000" || c.Cwd != b.cwd || c.PID == 0 || c.StartedAt.IsZero() || *c.TimeoutMS != 100000 {
			t.Errorf("%+v", c)
		}
	}
	of := func(s string) api.Call {
		return calls[slices.IndexFunc(calls, func(c api.Call) bool { return c.Session == s })]
	}
	b.refused(404, "not_found", "", b.do("POST", "/v1/jobs/"+of("b").CallID+"/background", "", session("a")))
	one := as[api.JobMove](t, b.call(200, "POST", "/v1/jobs/"+of("b").CallID+"/background", nil, session("b")))
	if one.Background.PromotedBy != core.ByAPI || one.Background.ID != one.Entry.ID || one.Entry.PID != of("b").PID {
		t.Errorf("%+v", one)
	}
	all := as[api.SessionMove](t, b.call(200, "POST", "/v1/sessions/a/background", nil))
	if len(all.Moved) != 2 || len(all.Failed) != 0 {
		t.Errorf("%+v", all)
	}
	by := map[core.Promotion]int{}
	for _, answer := range answers {
		res := as[api.JobResult](t, <-answer)
		by[res.Background.PromotedBy]++
	}
	if by[core.ByAPI] != 1 || by[core.ByKey] != 2 {
		t.Errorf("%v", by)
	}
	b.refused(409, "not_backgroundable", "", b.do("POST", "/v1/jobs/"+of("b").CallID+"/background", ""))
	b.refused(409, "not_backgroundable", "", b.do("POST", "/v1/jobs/"+one.Entry.ID+"/background", ""))
	b.stop(one.Entry.ID, object{"forget": false, "signal": "KILL"})
	if p := b.refused(409, "not_running", "", b.do("POST", "/v1/jobs/"+one.Entry.ID+"/background", "")); p.Entry == nil || p.State != core.Exited {
		t.Errorf("%+v", p)
	}
	b.refused(404, "not_found", "", b.do("POST", "/v1/sessions/never/background", ""))
	b.call(200, "DELETE", "/v1/sessions/b", nil)
	b.refused(410, "gone", "", b.do("POST", "/v1/sessions/b/background", ""))
	if again := b.call(200, "POST", "/v1/sessions/a/background", nil); again.body != `{"moved":[],"failed":[]}`+"\n" && again.body != `{"failed":[],"moved":[]}`+"\n" {
		t.Errorf("nothing to move: %s", again.body)
	}
}

// calls are the commands in the foreground, once there are n.
func (b *bay) calls(s string, n int) (calls []api.Call) {
	b.Helper()
	eventually(b.T, "calls in the foreground", func() bool {
		calls = as[api.EntryList](b.T, b.call(200, "GET", "/v1/entries?scope=all", nil, session(s))).Calls
		return len(calls) == n
	})
	return calls
}

func TestAFullHouseTakesNoJobs(t *testing.T) {
	t.Parallel()
	b := open(t, func(cfg *registry.Config) { cfg.MaxRunning = 1 })
	running := b.background(object{"command": "sleep 1000"}, session("a"))
	p := b.refused(409, "cap_reached", "", b.do("POST", "/v1/jobs", `{"command":"true","background":true}`, session("a"))) // L66
	if len(p.Entries) != 1 || p.Entries[0].ID != running.ID {
		t.Errorf("%+v", p)
	}
	answer := b.later("POST", "/v1/jobs", `{"command":"read x; echo $x","stdin":"open"}`, session("a"))
	call := b.calls("a", 1)[0].CallID
	b.refused(409, "cap_reached", "", b.do("POST", "/v1/jobs/"+call+"/background", "", session("a")))
	all := as[api.SessionMove](t, b.call(200, "POST", "/v1/sessions/a/background", nil))
	if len(all.Moved) != 0 || len(all.Failed) != 1 || all.Failed[0].CallID != call || all.Failed[0].Problem.Code != core.CapReached || all.Failed[0].Problem.Status != 409 {
		t.Errorf("%+v", all)
	}
	b.feed(call, object{"text": "x\n"})
	if res := as[api.JobResult](t, <-answer); res.Output != "x\n" || res.Background != nil {
		t.Errorf("%+v", res)
	}
}

func TestInputOfAJobIsExact(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.background(object{"command": "cat > got; wc -c < got", "stdin": "open"}).ID
	for _, c := range []struct {
		body  object
		bytes int
	}{
		{object{"text": "a\x00\x1b[A ä\n"}, 9}, {object{"bytes_base64": "/wA="}, 2}, {object{"text": ""}, 0}, {nil, 0}, {object{"text": strings.Repeat("x", 300000)}, 300000},
	} {
		if res := b.feed(id, c.body); res.AcceptedBytes != c.bytes || res.Entry.ID != id {
			t.Errorf("%.50s: %+v", c.body, res)
		}
	}
	b.feed(id, object{"eof": true})
	e := b.exit(id)
	if text, err := os.ReadFile(filepath.Join(b.cwd, "got")); string(text) != "a\x00\x1b[A ä\n\xff\x00"+strings.Repeat("x", 300000) || *e.ExitCode != 0 {
		t.Errorf("%v: %.50q, %d bytes", err, text, len(text))
	}
	if p := b.refused(409, "not_running", "", b.do("POST", "/v1/jobs/"+id+"/input", `{"text":"x"}`)); p.Entry.ID != id {
		t.Errorf("%+v", p)
	}
	none := b.background(object{"command": "sleep 1000"}).ID
	for _, body := range []string{`{"text":"x"}`, `{"eof":true}`} {
		if p := b.refused(409, "stdin_closed", "", b.do("POST", "/v1/jobs/"+none+"/input", body)); !strings.Contains(p.Detail, `"stdin": "open"`) {
			t.Errorf("%+v", p)
		}
	}
}

func TestACallTakesInput(t *testing.T) {
	t.Parallel()
	b := open(t)
	answer := b.later("POST", "/v1/jobs", object{"command": "echo ready; read x; echo got $x", "stdin": "open", "cwd": b.cwd}.String())
	call := b.calls("", 1)[0].CallID
	if res := b.feed(call, object{"text": "it\n"}); res.AcceptedBytes != 3 || res.Entry != nil {
		t.Errorf("%+v", res)
	}
	if res := as[api.JobResult](t, <-answer); res.Output != "ready\ngot it\n" {
		t.Errorf("%+v", res)
	}
}

func TestAJobOnAPTYHasAScreen(t *testing.T) {
	t.Parallel()
	b := open(t)
	e := b.background(object{"command": "stty size; read x; echo got $x; exec cat", "tty": true, "viewport": object{"cols": 70, "rows": 20}})
	if e.Kind != core.KindJob || *e.Viewport != (api.Viewport{Cols: 70, Rows: 20}) {
		t.Errorf("%+v", e)
	}
	shows := func(text string) {
		t.Helper()
		eventually(t, text, func() bool { return b.call(200, "GET", "/v1/terminals/"+e.ID+"/screen", nil).body == text })
	}
	shows("20 70\n")
	b.feed(e.ID, object{"text": "it\n"})
	shows("20 70\nit\ngot it\n")
	for _, path := range []string{"/v1/terminals/", "/v1/jobs/", "/v1/entries/"} {
		if got := as[api.Entry](t, b.call(200, "GET", path+e.ID, nil)); got.ID != e.ID {
			t.Errorf("%s: %+v", path, got)
		}
	}
	end := as[api.JobEnd](t, b.call(200, "POST", "/v1/entries/"+e.ID+"/stop", nil))
	if end.Entry.State != core.Exited || end.Outcome.Cause != core.CauseStopped {
		t.Errorf("%+v", end)
	}
	if got := b.job(object{"command": "tty >/dev/null && echo one", "tty": true}); got.Output != "one\r\n" || *got.ExitCode != 0 {
		t.Errorf("in the foreground: %+v", got)
	}
}

func TestOnlyJobsAreJobs(t *testing.T) {
	t.Parallel()
	b := open(t)
	terminal := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	job := b.background(object{"command": "sleep 1000"}).ID
	answer := b.later("POST", "/v1/jobs", `{"command":"sleep 1000"}`)
	call := b.calls("", 1)[0].CallID
	for _, path := range []string{
		"GET /v1/jobs/" + terminal, "POST /v1/jobs/" + terminal + "/input", "GET /v1/jobs/" + call, "GET /v1/entries/" + call,
		"GET /v1/terminals/" + job, "GET /v1/terminals/" + job + "/screen", "GET /v1/terminals/" + job + "/scrollback", "POST /v1/terminals/" + job + "/input",
		"GET /v1/entries/" + terminal + "/log", "GET /v1/entries/" + call + "/log", "GET /v1/entries/" + terminal + "/log/events",
	} {
		method, path, _ := strings.Cut(path, " ")
		b.refused(404, "not_found", "", b.do(method, path, ""))
	}
	b.refused(409, "not_backgroundable", "", b.do("POST", "/v1/jobs/"+terminal+"/background", ""))
	b.call(200, "POST", "/v1/jobs/"+call+"/background", nil)
	<-answer
}
