//go:build unix

package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

func accept(media string) func(*http.Request) { return header("Accept", media) }

// painted starts a program that has drawn a line in red, a wide character and a title.
func (b *bay) painted() (id string) {
	b.Helper()
	return b.start(object{
		"command": `printf '\033]0;a <title>\a\033[1;31mred & <b>\033[0m 漢\033[48;2;1;2;255m!\033[0m\n'; echo up; exec cat`, "viewport": object{"cols": 40, "rows": 5}, "wait_for_text": "up",
	}).ID
}

func TestAScreenHasFiveForms(t *testing.T) {
	t.Parallel()
	b := open(t)
	path := "/v1/terminals/" + b.painted() + "/screen"
	for name, c := range map[string]struct{ accept, media, has string }{
		"none":            {"", "text/plain; charset=utf-8", "red & <b> 漢!\nup\n"},
		"curl":            {"*/*", "text/plain; charset=utf-8", "red & <b> 漢!\nup\n"},
		"text":            {"text/plain", "text/plain; charset=utf-8", "red & <b> 漢!\nup\n"},
		"no form of ours": {"image/png", "text/plain; charset=utf-8", "red & <b> 漢!\nup\n"},
		"JSON":            {"application/json", "application/json", `"title":"a `},
		"a browser":       {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8", "red &amp; &lt;b&gt;"},
		"ANSI":            {"text/x-ansi", "text/x-ansi; charset=utf-8", "\x1b[0;1;31mred & <b>\x1b[0m 漢\x1b[0;48;2;1;2;255m!\x1b[0m\r\nup"},
		"SVG":             {"image/*", "image/svg+xml", "<title>a &lt;title&gt;</title>"},
		"the best of two": {"text/html;q=0.5, application/json;q=0.9", "application/json", `"rows":[[{`},
	} {
		got := b.call(200, "GET", path, nil, accept(c.accept))
		if media := got.header.Get("Content-Type"); media != c.media || !strings.Contains(got.body, c.has) {
			t.Errorf("%s: %s, want %s with %q:\n%q", name, media, c.media, c.has, got.body)
		}
		if got.header.Get("ETag") == "" {
			t.Errorf("%s: %v", name, got.header)
		}
		policy := got.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %s", name, policy)
		}
	}
}

func TestTheJSONOfAScreenHasItsColours(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.painted()
	s := as[api.Screen](t, b.call(200, "GET", "/v1/terminals/"+id+"/screen", nil, accept("application/json")))
	if s.ID != id || s.State != core.Running || s.Revision == 0 || s.Viewport != (api.Viewport{Cols: 40, Rows: 5}) || s.Title != "a <title>" || s.AltScreen {
		t.Errorf("%+v", s)
	}
	if s.Cursor != (api.Cursor{Row: 2, Col: 0, Visible: true}) || len(s.Rows) != 5 || len(s.Rows[2]) != 0 {
		t.Errorf("cursor %+v, rows %v", s.Cursor, s.Rows)
	}
	want := []api.Run{{Text: "red & <b>", Width: 9, Fg: "1", Bold: true}, {Text: " ", Width: 1}, {Text: "漢", Width: 2}, {Text: "!", Width: 1, Bg: "#0102ff"}}
	if !slices.Equal(s.Rows[0], want) {
		t.Errorf("%+v, want %+v", s.Rows[0], want)
	}
}

func TestAnETagStandsUntilTheScreenChangesOrTheProgramEnds(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.painted()
	look := func(tag, media string) reply {
		return b.do("GET", "/v1/terminals/"+id+"/screen", "", accept(media), header("If-None-Match", tag))
	}
	first := look("", "application/json")
	tag := first.header.Get("ETag")
	for _, same := range []string{tag, "W/" + tag} {
		if got := look(same, "application/json"); got.status != 304 || got.body != "" || got.header.Get("ETag") != tag {
			t.Errorf("unchanged: %d %v", got.status, got.header)
		}
	}
	for _, other := range []string{`"r999999"`, `"x"`, "r1", ""} {
		if got := look(other, "application/json"); got.status != 200 || got.body != first.body {
			t.Errorf("%s: %d", other, got.status)
		}
	}
	b.send(id, object{"text": "x\n", "wait_for_text": "x\nx"})
	changed := look(tag, "application/json")
	if changed.status != 200 || changed.header.Get("ETag") == tag {
		t.Errorf("changed: %d %v", changed.status, changed.header)
	}
	tag = changed.header.Get("ETag")
	b.stop(id, object{"forget": false, "signal": "KILL"})
	ended := look(tag, "application/json")
	if ended.status != 200 || as[api.Screen](t, ended).State != core.Exited || as[api.Screen](t, ended).Revision != as[api.Screen](t, changed).Revision {
		t.Errorf("the end of the program is not seen: %d %s", ended.status, ended.body)
	}
	if got := look(ended.header.Get("ETag"), "text/plain"); got.status != 304 {
		t.Errorf("ended, again: %d", got.status)
	}
}

// waiting waits until somebody waits for an entry.
func (b *bay) waiting(id, what string) {
	b.Helper()
	eventually(b.T, "somebody to wait for "+what, func() bool {
		w := b.entry(id).Waiting
		return w != nil && w.For == what
	})
}

func TestALookWaitsForWhatItIsAskedTo(t *testing.T) {
	t.Parallel()
	typed := func(text string) func(*bay, string) {
		return func(b *bay, id string) { b.send(id, object{"text": text, "wait_ms": 0}) }
	}
	killed := func(b *bay, id string) { b.call(200, "POST", "/v1/entries/"+id+"/signal", object{"signal": "SIGKILL"}) }
	for name, c := range map[string]struct {
		what, more string
		cause      func(b *bay, id string) // what the wait is for; nil when nothing happens
		shows      string
	}{
		"a change":                {"change", "&wait_ms=20000", typed("!"), "up\n!"},
		"a text":                  {"text", "&wait_ms=20000&text=pong", typed("pong"), "pong"},
		"the exit":                {"exit", "&wait_ms=20000", killed, "up"},
		"an exit, clamped to 300": {"exit", "&wait_ms=2147483647", killed, "up"},
		"a text that is there":    {"text", "&text=%2FU.%2Fi", nil, "up"},
		"quiet":                   {"quiet", "", nil, "up"},
		"a change that never is":  {"change", "&wait_ms=50", nil, "up"},
		"a text that never is":    {"text", "&wait_ms=1100&text=never", nil, "up"},
		"no time for an exit":     {"exit", "&wait_ms=0", nil, "up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			for _, media := range []string{"text/plain", "application/json"} {
				id := b.start(object{"command": "echo up; exec cat", "wait_for_text": "up"}).ID
				answer := b.later("GET", "/v1/terminals/"+id+"/screen?wait="+c.what+c.more, "", accept(media))
				if c.cause != nil {
					b.waiting(id, c.what)
					c.cause(b, id)
				}
				got := <-answer
				text := got.body
				if media == "application/json" {
					text = joined(as[api.Screen](t, got))
				}
				if got.status != 200 || !strings.Contains(text, c.shows) {
					t.Errorf("%s: %d %q", media, got.status, got.body)
				}
			}
		})
	}
}

// joined is the text of a screen.
func joined(s api.Screen) string {
	var text strings.Builder
	for _, row := range s.Rows {
		for _, run := range row {
			text.WriteString(run.Text)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// A change since the screen that the caller has counts, also when it came before the call.
func TestAChangeThatTheCallerMissedIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.painted()
	path := "/v1/terminals/" + id + "/screen?wait=change&wait_ms=2147483647"
	tag := b.call(200, "GET", "/v1/terminals/"+id+"/screen", nil).header.Get("ETag")
	b.send(id, object{"text": "missed\n", "wait_for_text": "missed\nmissed"})
	for _, media := range []string{"text/plain", "application/json"} {
		got := b.call(200, "GET", path, nil, accept(media), header("If-None-Match", tag))
		if !strings.Contains(got.body, "missed") {
			t.Errorf("%s: %s", media, got.body)
		}
	}
	tag = b.call(200, "GET", "/v1/terminals/"+id+"/screen", nil).header.Get("ETag")
	if got := b.do("GET", "/v1/terminals/"+id+"/screen?wait=change&wait_ms=20", "", header("If-None-Match", tag)); got.status != 304 {
		t.Errorf("nothing changed: %d", got.status)
	}
}

func TestLooksThatAreRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	path := "/v1/terminals/" + b.painted() + "/screen"
	for query, c := range map[string]struct{ code, field string }{
		"?wait=text":                  {"invalid", "text"},
		"?wait=text&text=":            {"invalid", "text"},
		"?wait=text&text=%2F%2F":      {"invalid", "text"},
		"?wait=text&text=%2F(%3F=x)/": {"bad_pattern", "text"},
		"?wait=nothing":               {"invalid", "wait"},
		"?wait_ms=-1":                 {"invalid", "wait_ms"},
		"?text=up":                    {"invalid", "text"},
		"?wait=quiet&text=up":         {"invalid", "text"},
	} {
		b.refused(422, c.code, c.field, b.do("GET", path+query, ""))
	}
}

func TestScrollbackIsReadByLineNumbers(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "seq 0 999; exec cat", "viewport": object{"cols": 20, "rows": 10}, "wait_for_text": "999"}).ID
	for query, want := range map[string]struct{ from, next, n int64 }{
		"":                       {0, 991, 991},
		"?limit=5":               {0, 5, 5},
		"?from=5&limit=2":        {5, 7, 2},
		"?from=990":              {990, 991, 1},
		"?from=991":              {991, 991, 0},
		"?from=9007199254740991": {991, 991, 0},
		"?from=0&limit=10000":    {0, 991, 991},
	} {
		got := b.call(200, "GET", "/v1/terminals/"+id+"/scrollback"+query, nil)
		s := as[api.Scrollback](t, got)
		if s.From != want.from || s.Next != want.next || int64(len(s.Lines)) != want.n || s.First != 0 || !strings.Contains(got.body, `"lines":[`) {
			t.Errorf("%s: from %d next %d first %d, %d lines", query, s.From, s.Next, s.First, len(s.Lines))
		}
		for i, line := range s.Lines {
			if line != fmt.Sprint(s.From+int64(i)) {
				t.Fatalf("%s: line %d is %q", query, s.From+int64(i), line)
			}
		}
	}
	for query, field := range map[string]string{"?from=-1": "from", "?limit=0": "limit", "?limit=10001": "limit", "?from=9007199254740992": "from", "?from=1.5": "from"} {
		b.refused(422, "invalid", field, b.do("GET", "/v1/terminals/"+id+"/scrollback"+query, ""))
	}
}

func TestAResizeIsSeenByProgramAndCaller(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "echo up; while read x; do stty size; done", "wait_for_text": "up"}).ID
	e := as[api.Entry](t, b.call(200, "POST", "/v1/terminals/"+id+"/resize", object{"cols": 77, "rows": 11}))
	if *e.Viewport != (api.Viewport{Cols: 77, Rows: 11}) {
		t.Errorf("%+v", e)
	}
	if res := b.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "11 77"}); res.Viewport != *e.Viewport {
		t.Errorf("%+v", res)
	}
	for body, field := range map[string]string{`{"cols":77}`: "rows", `{"cols":0,"rows":1}`: "cols", `{"cols":1,"rows":1001}`: "rows"} {
		b.refused(422, "invalid", field, b.do("POST", "/v1/terminals/"+id+"/resize", body))
	}
}
