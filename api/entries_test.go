//go:build unix

package api_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

func TestAListIsNarrowedByWhoWhatAndHow(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.call(201, "PUT", "/v1/sessions/mate", object{"group": "g"})
	b.call(201, "PUT", "/v1/sessions/me", object{"group": "g"})
	for _, s := range []string{"me", "mate", "stranger"} {
		b.start(object{"command": "exec cat", "wait_ms": 0}, session(s))
	}
	b.start(object{"command": "exit 3", "wait_for_text": never}, session("me"))
	b.start(object{"command": "exit 0", "wait_for_text": never}, session("me"))
	b.start(object{"command": "exec cat", "wait_ms": 0}, session("me"))
	for query, want := range map[string]string{
		"":                                       "t6 t1 t5 t4",
		"?scope=session":                         "t6 t1 t5 t4",
		"?scope=group":                           "t6 t2 t1 t5 t4",
		"?scope=all":                             "t6 t3 t2 t1 t5 t4",
		"?status=failed":                         "t4",
		"?status=completed&scope=all":            "t5",
		"?status=running&scope=group":            "t6 t2 t1",
		"?status=killed":                         "",
		"?kind=terminal":                         "t6 t1 t5 t4",
		"?kind=background_job&scope=all":         "",
		"?kind=terminal&status=running":          "t6 t1",
		"?kind=terminal&status=unknown":          "",
		"?scope=all&status=failed&kind=terminal": "t4",
	} {
		got := b.call(200, "GET", "/v1/entries"+query, nil, session("me"))
		list := as[api.EntryList](t, got)
		var ids []string
		running := 0
		for _, e := range list.Terminals {
			ids = append(ids, e.ID)
			if e.State == core.Running {
				running++
			}
		}
		if strings.Join(ids, " ") != want || list.Running != running || list.Exited != len(ids)-running {
			t.Errorf("%s: %v, %d running, %d exited, want %s", query, ids, list.Running, list.Exited, want)
		}
		if !strings.Contains(got.body, `"background_jobs":[]`) || !strings.Contains(got.body, `"calls":[]`) || strings.Contains(got.body, "null") {
			t.Errorf("%s: %s", query, got.body)
		}
	}
	if list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries", nil)); len(list.Terminals) > 0 {
		t.Errorf("a person has started nothing: %+v", list)
	}
}

func TestAnExitIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "read x; exit 3", "wait_ms": 0}).ID
	if e := as[api.Entry](t, b.call(200, "GET", "/v1/entries/"+id+"?wait=exit&wait_ms=20", nil)); e.State != core.Running || e.ExitCode != nil || e.Outcome != nil || !e.ExitedAt.IsZero() {
		t.Errorf("it runs: %+v", e)
	}
	status, rest := b.begin(t.Context(), "GET", "/v1/entries/"+id+"?wait=exit&wait_ms=2147483647", nil)
	b.waiting(id, "exit")
	if w := b.entry(id).Waiting; w.By != core.ByUser || w.Until.Sub(w.Since.Time).Seconds() != 300 {
		t.Errorf("waiting: %+v", w)
	}
	short := b.later("GET", "/v1/entries/"+id+"?wait=exit&wait_ms=900", "")
	b.send(id, object{"keys": []string{"Enter"}, "wait_ms": 0})
	text, err := rest()
	e := as[api.Entry](t, reply{body: text})
	if err != nil || status != 200 || *e.ExitCode != 3 || e.Status != core.StatusFailed || e.Outcome.Cause != core.CauseExit || e.ExitedAt.IsZero() || e.Waiting != nil {
		t.Errorf("%d %v: %s", status, err, text)
	}
	if got := <-short; got.status != 200 {
		t.Errorf("a short wait: %d", got.status)
	}
	if again := b.call(200, "GET", "/v1/terminals/"+id, nil).body; again != b.call(200, "GET", "/v1/entries/"+id+"?wait=exit", nil).body {
		t.Errorf("it has exited: %s", again)
	}
}

func TestATimelineTellsWhatHappened(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	b.send(id, object{"text": "secret", "keys": []string{"Enter"}, "wait_ms": 0})
	b.call(200, "POST", "/v1/terminals/"+id+"/resize", object{"cols": 90, "rows": 20})
	b.call(200, "POST", "/v1/entries/"+id+"/signal", object{"signal": "urg"})
	b.stop(id, object{"forget": false, "by": "user"})
	got := b.call(200, "GET", "/v1/entries/"+id+"/timeline", nil)
	var kinds []string
	for _, e := range as[api.Timeline](t, got).Events {
		kinds = append(kinds, e.Kind)
		if e.At.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	if want := []string{"started", "read", "input", "read", "resized", "signalled", "stop_requested", "exited", "read"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
	if strings.Contains(got.body, "secret") || !strings.Contains(got.body, "6 bytes Enter") || !strings.Contains(got.body, "SIGURG") {
		t.Errorf("%s", got.body)
	}
}

func TestSignalsHaveNames(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "trap 'echo got' USR1; echo up; while :; do sleep 0.02; done", "wait_for_text": "up"}).ID
	for _, signal := range []string{"SIGUSR1", "usr1", "Usr1"} {
		before := b.entry(id).Revision
		if e := as[api.Entry](t, b.call(200, "POST", "/v1/entries/"+id+"/signal", object{"signal": signal})); e.State != core.Running {
			t.Errorf("%s: %+v", signal, e)
		}
		eventually(t, "the program to get "+signal, func() bool { return b.entry(id).Revision > before })
	}
	for _, signal := range []string{"NOPE", "", "9", "SIGSIGTERM", "SIGRTMIN"} {
		b.refused(422, "invalid", "signal", b.do("POST", "/v1/entries/"+id+"/signal", object{"signal": signal}.String()))
	}
}

func TestOnlyWhatHasExitedIsForgotten(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	b.refused(409, "still_running", "", b.do("DELETE", "/v1/entries/"+id, ""))
	b.stop(id, object{"forget": false})
	if got := b.call(204, "DELETE", "/v1/entries/"+id, nil); got.body != "" {
		t.Errorf("%q", got.body)
	}
	b.refused(410, "gone", "", b.do("DELETE", "/v1/entries/"+id, ""))
}

// cut starts a Terminal in session s and returns its id and a result that was too long.
func (b *bay) cut(body object) (res api.Result) {
	b.Helper()
	id := b.start(object{"command": "read x; seq 5000; exec cat", "wait_ms": 0}, session("s")).ID
	b.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "4999\n5000"}) // read by a person, not by s
	res = b.stop(id, body, session("s"))
	if !res.Truncated || !strings.HasPrefix(res.FullOutputURL, "/v1/entries/"+id+"/outputs/") || !strings.Contains(res.Notice, res.FullOutputPath) {
		b.Fatalf("%+v", res)
	}
	return res
}

func TestAResultThatWasCutHasAFile(t *testing.T) {
	t.Parallel()
	b := open(t)
	res := b.cut(object{"forget": false})
	got := b.call(200, "GET", res.FullOutputURL, nil, session("s"))
	onDisk, err := os.ReadFile(res.FullOutputPath)
	if err != nil || got.body != string(onDisk) || strings.Count(got.body, "\n") != 5001 || !strings.HasSuffix(got.body, "\n4999\n5000\n") {
		t.Errorf("%d bytes, %d on disk, %v", len(got.body), len(onDisk), err)
	}
	folder := strings.TrimRight(res.FullOutputURL, "0123456789")
	for _, n := range []string{"3", "0", "-1", "02", "+2", "2.0", "x", "99999999999999999999"} {
		b.refused(404, "not_found", "", b.do("GET", folder+n, ""))
	}
	if err := os.Remove(res.FullOutputPath); err != nil {
		t.Fatal(err)
	}
	b.refused(404, "not_found", "", b.do("GET", res.FullOutputURL, ""))
}

// A full output stays readable after its Terminal was forgotten, so that the result of a stop can name one (L51).
func TestAFullOutputOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	b := open(t)
	res := b.cut(nil)
	b.refused(410, "gone", "", b.do("GET", "/v1/entries/"+res.ID, ""))
	if got := b.call(200, "GET", res.FullOutputURL, nil, session("s")); !strings.HasSuffix(got.body, "\n4999\n5000\n") {
		t.Errorf("%d bytes", len(got.body))
	}
	deleted := b.cut(object{"forget": false})
	b.call(204, "DELETE", "/v1/entries/"+deleted.ID, nil)
	b.refused(410, "gone", "", b.do("GET", deleted.FullOutputURL, ""))
	b.call(200, "DELETE", "/v1/sessions/s", nil)
	b.refused(410, "gone", "", b.do("GET", res.FullOutputURL, ""))
	for _, path := range []string{res.FullOutputPath, deleted.FullOutputPath} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("it is still there: %v", err)
		}
	}
}
