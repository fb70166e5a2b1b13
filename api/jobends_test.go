//go:build unix

package api_test

import (
	"os"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

func TestJobsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	for fields, field := range map[string]string{
		`"display_command":"\u0000"`:     "display_command",
		`"label":[]`:                     "label",
		`"cwd":""`:                       "cwd",
		`"cwd":"not/absolute"`:           "cwd",
		`"env":{"A":1}`:                  "env.A",
		`"env":{"A=B":"1"}`:              "env.A=B",
		`"env":{"":"1"}`:                 "env",
		`"shell":""`:                     "shell",
		`"shell":"fish"`:                 "shell",
		`"command_prefix":"\u0000"`:      "command_prefix",
		`"timeout_ms":-1`:                "timeout_ms",
		`"timeout_ms":0`:                 "timeout_ms",
		`"timeout_ms":2147483648`:        "timeout_ms",
		`"timeout_ms":1.5`:               "timeout_ms",
		`"on_timeout":"wait"`:            "on_timeout",
		`"timeout_scope":"background"`:   "timeout_scope",
		`"background":1`:                 "background",
		`"yield_ms":-1`:                  "yield_ms",
		`"yield_ms":"2000"`:              "yield_ms",
		`"tty":"yes"`:                    "tty",
		`"stdin":"closed"`:               "stdin",
		`"viewport":{"cols":0,"rows":1}`: "viewport.cols",
		`"notify":null`:                  "notify",
		`"abort_on_disconnect":0`:        "abort_on_disconnect",
		`"tool_call_id":""`:              "tool_call_id",
		`"keep_record":"no"`:             "keep_record",
		`"stdin_open":true`:              "stdin_open",
	} {
		b.refused(422, "invalid", field, b.do("POST", "/v1/jobs", `{"command":"touch never",`+fields+"}"))
	}
	for _, body := range []string{`{}`, `{"command":""}`, `{"command":1}`, `{"command":"a\u0000b"}`} {
		b.refused(422, "invalid", "command", b.do("POST", "/v1/jobs", body))
	}
	for code, body := range map[string]string{
		"cwd_missing": `{"command":"touch never","cwd":"/no/such"}`, "shell_unavailable": `{"command":"touch never","shell":"/no/such"}`,
	} {
		b.refused(422, code, "", b.do("POST", "/v1/jobs", body))
	}
	for body, field := range map[string]string{
		`{"text":1}`: "text", `{"bytes_base64":"?"}`: "bytes_base64", `{"text":"","bytes_base64":""}`: "bytes_base64", `{"eof":"yes"}`: "eof", `{"keys":["Enter"]}`: "keys",
	} {
		b.refused(422, "invalid", field, b.do("POST", "/v1/jobs/b1/input", body))
	}
	if e := as[api.EntryList](t, b.call(200, "GET", "/v1/entries?scope=all", nil)); len(e.BackgroundJobs)+len(e.Calls) > 0 {
		t.Errorf("a refused call did something: %+v", e)
	}
}

func TestAnOutputThatWasCutHasAFile(t *testing.T) {
	t.Parallel()
	b := open(t)
	want := func(res api.JobResult, url string) {
		t.Helper()
		got := b.call(200, "GET", res.FullOutputURL, nil)
		onDisk, err := os.ReadFile(res.FullOutputPath)
		if !res.Truncated || !strings.Contains(res.Notice, res.FullOutputPath) || !strings.HasSuffix(res.Output, "\n4999\n5000") || strings.Count(res.Output, "\n") != 1999 {
			t.Errorf("%d bytes, %s", len(res.Output), res.Notice)
		}
		if res.FullOutputURL != url || err != nil || got.body != string(onDisk) || !strings.HasPrefix(got.body, "1\n2\n") || !strings.HasSuffix(got.body, "\n4999\n5000\n") {
			t.Errorf("%s, want %s: %v, %.50q", res.FullOutputURL, url, err, got.body)
		}
	}
	want(b.job(object{"command": "seq 5000"}), "/v1/entries/c1/outputs/1")
	answer := b.later("POST", "/v1/jobs", `{"command":"seq 5000; exec cat","stdin":"open"}`)
	call := b.calls("", 1)[0].CallID
	eventually(t, "its output", func() bool { return strings.HasSuffix(b.feed(call, nil).Output, "5000") })
	b.call(200, "POST", "/v1/jobs/"+call+"/background", nil)
	want(as[api.JobResult](t, <-answer), "/v1/entries/b1/log")
}

func TestARecordIsKept(t *testing.T) {
	t.Parallel()
	b := open(t)
	e := b.job(object{"command": "echo a; exit 3", "keep_record": true}).Entry
	if e == nil || e.ID != "b1" || e.State != core.Exited || *e.ExitCode != 3 || !e.BackgroundedAt.IsZero() {
		t.Fatalf("%+v", e)
	}
	if got := b.call(200, "GET", "/v1/entries/b1/log", nil).body; got != "a\n" || b.entry("b1").UID != e.UID {
		t.Errorf("%q", got)
	}
}

func TestAStopOfAJobAnswersWithItsNewestOutputAndForgets(t *testing.T) {
	t.Parallel()
	b := open(t)
	stop := func(id string, body object) api.JobEnd {
		t.Helper()
		return as[api.JobEnd](t, b.call(200, "POST", "/v1/entries/"+id+"/stop", body))
	}
	polite := object{"command": "trap 'echo bye; exit 4' TERM; trap '' HUP; echo up; while :; do sleep 0.02; done"}
	id := b.logged(polite, "up\n")
	end := stop(id, nil)
	if !strings.HasPrefix(end.Output, "up\n") || !strings.HasSuffix(end.Output, "bye\n") || *end.ExitCode != 4 || end.Status != core.StatusKilled || end.Outcome.Cause != core.CauseStopped || end.Entry.State != core.Exited || !strings.Contains(end.Text, "bye\n["+id+" was stopped (code 4)") {
		t.Errorf("%+v", end)
	}
	b.refused(410, "gone", "", b.do("GET", "/v1/entries/"+id+"/log", ""))
	if _, err := os.Stat(end.LogPath); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", end.LogPath, err)
	}
	kept := stop(b.logged(object{"command": "echo a; sleep 1000"}, "a\n"), object{"keep_log": true})
	if text, err := os.ReadFile(kept.LogPath); err != nil || string(text) != "a\n" || kept.Signal != "SIGTERM" {
		t.Errorf("%q %v: %+v", text, err, kept)
	}
	id = b.background(object{"command": "read x; echo $x; exit 3", "stdin": "open"}).ID
	b.feed(id, object{"text": "a\n"})
	b.exit(id)
	for _, body := range []object{{"forget": false}, {"by": "user"}, nil} {
		if end = stop(id, body); end.Output != "a\n" || *end.ExitCode != 3 || end.Status != core.StatusFailed {
			t.Errorf("it has exited: %+v", end)
		}
	}
	b.call(410, "GET", "/v1/jobs/"+id, nil)
}

// A repeat with the same key runs nothing again and gets the same answer.
func TestAJobRunsOncePerKey(t *testing.T) {
	t.Parallel()
	b := open(t)
	body := object{"command": "echo run >> runs; echo done; exec cat", "background": true, "yield_ms": 0, "stdin": "open", "cwd": b.cwd}
	first := b.call(202, "POST", "/v1/jobs", body, key("start"))
	again := b.call(202, "POST", "/v1/jobs", body, key("start"))
	if again.body != first.body || again.header.Get("Location") != first.header.Get("Location") || first.header.Get("Location") == "" {
		t.Errorf("%s\nis not %s", again.body, first.body)
	}
	for range 2 {
		b.feed("b1", object{"text": "once\n"}, key("input"))
	}
	b.refused(422, "idempotency_mismatch", "", b.do("POST", "/v1/jobs", `{"command":"other"}`, key("start")))
	b.refused(422, "idempotency_mismatch", "", b.do("POST", "/v1/jobs/b1/input", `{"text":"other"}`, key("input")))
	b.refused(422, "invalid", "Idempotency-Key", b.do("POST", "/v1/jobs", `{"command":"true"}`, key("events"), accept("text/event-stream")))
	b.feed("b1", object{"eof": true}, key("end"))
	b.exit("b1")
	if got := b.call(200, "GET", "/v1/entries/b1/log", nil).body; got != "done\nonce\n" {
		t.Errorf("%q", got)
	}
	if runs, err := os.ReadFile(b.cwd + "/runs"); string(runs) != "run\n" {
		t.Errorf("%v: it ran %q", err, runs)
	}
}

// An input that was refused wrote nothing, and may be tried again with its key.
func TestARefusedInputMayBeTriedAgainWithItsKey(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.refused(404, "not_found", "", b.do("POST", "/v1/jobs/b1/input", `{"text":"x\n"}`, key("k")))
	b.background(object{"command": "read x; echo got $x", "stdin": "open"})
	if res := b.feed("b1", object{"text": "x\n"}, key("k")); res.AcceptedBytes != 2 {
		t.Errorf("%+v", res)
	}
}
