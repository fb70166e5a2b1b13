package api_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

// typing is handlers that count what got through to them.
func typing(t *testing.T, calls *int) *client {
	return plumbed(t, stub{
		createTerminal: func(ctx context.Context, r api.CreateTerminalRequestObject) (api.CreateTerminalResponseObject, error) {
			*calls++
			return api.CreateTerminal201JSONResponse{Body: someResult(), Headers: api.CreateTerminal201ResponseHeaders{Location: "/v1/terminals/t1"}}, nil
		},
		sendInput: func(ctx context.Context, r api.SendInputRequestObject) (api.SendInputResponseObject, error) {
			*calls++
			return api.SendInput200JSONResponse(someResult()), nil
		},
	})
}

func TestOnlyStrictJSONGetsThrough(t *testing.T) {
	calls := 0
	client := typing(t, &calls)
	wait := func(n string) string { return `{"command":"ls","wait_ms":` + n + `}` }
	for name, c := range map[string]struct {
		body   string
		status int
		code   core.Code
		field  string
	}{
		"plain":               {`{"command":"ls"}`, 201, "", ""},
		"spaces around":       {" \r\n{\"command\":\"ls\"}\t ", 201, "", ""},
		"surrogate pair":      {`{"command":"echo \ud83d\ude00 \\ud83d"}`, 201, "", ""},
		"unicode":             {`{"command":"echo 日本"}`, 201, "", ""},
		"clamped wait":        {wait("600000"), 201, "", ""},
		"no wait":             {wait("0"), 201, "", ""},
		"garbage after it":    {`{"command":"ls"}x`, 400, "malformed", ""},
		"two values":          {`{"command":"ls"}{"command":"ls"}`, 400, "malformed", ""},
		"truncated":           {`{"command":"ls"`, 400, "malformed", ""},
		"empty":               {"", 400, "malformed", ""},
		"only blanks":         {"  ", 400, "malformed", ""},
		"not JSON":            {"command=ls", 400, "malformed", ""},
		"byte order mark":     {"\xef\xbb\xbf{}", 400, "malformed", ""},
		"not UTF-8":           {"{\"command\":\"\xff\"}", 400, "malformed", ""},
		"high surrogate":      {`{"command":"\ud83d"}`, 400, "malformed", ""},
		"low surrogate":       {`{"command":"\ude00"}`, 400, "malformed", ""},
		"two high surrogates": {`{"command":"\ud83d\ud83d\ude00"}`, 400, "malformed", ""},
		"20000 brackets":      {strings.Repeat("[", 20000), 400, "malformed", ""},
		"deep":                {`{"env":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40) + "}", 422, "invalid", "env" + strings.Repeat(".a", 31)},
		"null":                {"null", 422, "invalid", ""},
		"list":                {"[]", 422, "invalid", ""},
		"text":                {`"ls"`, 422, "invalid", ""},
		"number":              {"1", 422, "invalid", ""},
		"nothing in it":       {"{}", 422, "invalid", "command"},
		"empty command":       {`{"command":""}`, 422, "invalid", "command"},
		"NUL":                 {`{"command":"a\u0000b"}`, 422, "invalid", "command"},
		"NUL in env":          {`{"command":"ls","env":{"A":"\u0000"}}`, 422, "invalid", "env.A"},
		"twice":               {`{"command":"a","command":"b"}`, 422, "invalid", "command"},
		"twice, deeper":       {`{"command":"a","env":{"A":"1","A":"2"}}`, 422, "invalid", "env.A"},
		"null field":          {`{"command":"a","cwd":null}`, 422, "invalid", "cwd"},
		"null with a default": {`{"command":"a","notify":null}`, 422, "invalid", "notify"},
		"null in a list":      {`{"command":"a","viewport":{"cols":[1,null]}}`, 422, "invalid", "viewport.cols.1"},
		"unknown":             {`{"command":"ls","colour":"red"}`, 422, "invalid", "colour"},
		"other case":          {`{"COMMAND":"ls"}`, 422, "invalid", "COMMAND"},
		"unknown, deeper":     {`{"command":"ls","viewport":{"cols":1,"rows":1,"depth":1}}`, 422, "invalid", "viewport.depth"},
		"missing, deeper":     {`{"command":"ls","viewport":{"cols":1}}`, 422, "invalid", "viewport.rows"},
		"too many columns":    {`{"command":"ls","viewport":{"cols":1001,"rows":1}}`, 422, "invalid", "viewport.cols"},
		"negative":            {wait("-1"), 422, "invalid", "wait_ms"},
		"fraction":            {wait("1.5"), 422, "invalid", "wait_ms"},
		"whole fraction":      {wait("1.0"), 422, "invalid", "wait_ms"},
		"exponent":            {wait("1e3"), 422, "invalid", "wait_ms"},
		"text for a number":   {wait(`"500"`), 422, "invalid", "wait_ms"},
		"huge":                {wait("99999999999999999999"), 422, "invalid", "wait_ms"},
		"number for a text":   {`{"command":1}`, 422, "invalid", "command"},
		"text for a bool":     {`{"command":"ls","notify":"yes"}`, 422, "invalid", "notify"},
		"empty pattern":       {`{"command":"ls","wait_for_text":""}`, 422, "invalid", "wait_for_text"},
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			got := client.do("POST", "/v1/terminals", c.body, header("Content-Type", "application/json"))
			if got.status != c.status {
				t.Fatalf("status %d, want %d: %s", got.status, c.status, got.body)
			}
			if started := calls == 1; started != (c.status == 201) {
				t.Errorf("the handler was called %d times", calls)
			}
			if c.status == 201 {
				return
			}
			p := got.problem(t)
			if p.Code != c.code || p.Field != c.field {
				t.Errorf("problem %s of %q, want %s of %q: %s", p.Code, p.Field, c.code, c.field, p.Detail)
			}
			if strings.Contains(p.Detail, "\n") || len(p.Detail) > 300 {
				t.Errorf("not one sentence: %s", p.Detail)
			}
		})
	}
}

func TestAListNamesTheItemThatIsWrong(t *testing.T) {
	calls := 0
	p := typing(t, &calls).do("POST", "/v1/terminals/t1/input", `{"keys":["Enter",7]}`).problem(t)
	if p.Field != "keys.1" || calls != 0 {
		t.Errorf("field %q, %d calls", p.Field, calls)
	}
}

func TestBytesAreBase64(t *testing.T) {
	calls := 0
	client := typing(t, &calls)
	for text, valid := range map[string]bool{"": true, "YQ==": true, "/+8=": true, "YQ": false, "_-8=": false, "Y": false, "YQ==YQ==": false, "é": false} {
		calls = 0
		got := client.do("POST", "/v1/terminals/t1/input", `{"bytes_base64":"`+text+`"}`)
		if valid && calls != 1 || !valid && (calls != 0 || got.problem(t).Field != "bytes_base64") {
			t.Errorf("%q: %d calls, %s", text, calls, got.body)
		}
	}
}

func TestOnlyJSONIsABody(t *testing.T) {
	calls := 0
	client := typing(t, &calls)
	for contentType, want := range map[string]int{
		"application/json":                   201,
		"application/json; charset=utf-8":    201,
		"Application/JSON;charset=UTF-8":     201,
		"":                                   415,
		"text/plain":                         415,
		"text/plain; a=application/json":     415,
		"application/x-www-form-urlencoded":  415,
		"multipart/form-data; boundary=x":    415,
		"application/json; charset=latin-1":  415,
		"application/json, text/plain":       415,
		"application/jsonp":                  415,
		"application/problem+json":           415,
		"application/json; charset=utf-8; a": 415,
	} {
		t.Run(contentType, func(t *testing.T) {
			calls = 0
			got := client.do("POST", "/v1/terminals", `{"command":"touch /tmp/pwned"}`, header("Content-Type", contentType))
			if got.status != want || (calls == 1) != (want == 201) {
				t.Errorf("status %d, want %d; %d calls", got.status, want, calls)
			}
		})
	}
}

func TestABodyIsNotCompressed(t *testing.T) {
	calls := 0
	got := typing(t, &calls).do("POST", "/v1/terminals", `{"command":"ls"}`, header("Content-Encoding", "gzip"))
	if p := got.problem(t); p.Code != "unsupported_media_type" || calls != 0 {
		t.Errorf("%+v, %d calls", p, calls)
	}
}

func TestAPollNeedsNoBody(t *testing.T) {
	calls := 0
	client := typing(t, &calls)
	for name, c := range map[string]struct {
		body, contentType string
		want              int
	}{
		"nothing":                     {"", "", 200},
		"nothing, as JSON":            {"", "application/json", 200},
		"empty object":                {"{}", "application/json", 200},
		"nothing, from a page's form": {"", "application/x-www-form-urlencoded", 415},
		"untyped":                     {"{}", "", 415},
	} {
		t.Run(name, func(t *testing.T) {
			got := client.do("POST", "/v1/terminals/t1/input", c.body, header("Content-Type", c.contentType))
			if got.status != c.want {
				t.Errorf("status %d, want %d: %s", got.status, c.want, got.body)
			}
		})
	}
}

func TestAGetTakesNoBody(t *testing.T) {
	c := plumbed(t, failing(func(string) error { return &core.Error{Code: core.NotFound, Detail: "No entry <t1> & no other."} }))
	unannounced := func(body string) func(*http.Request) {
		return func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), -1 }
	}
	for name, got := range map[string]reply{
		"announced":   c.do("GET", "/v1/entries/t1", "{}"),
		"unannounced": c.do("GET", "/v1/entries/t1", "", unannounced("{}")),
	} {
		if p := got.problem(t); p.Code != core.Invalid || p.Status != 422 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if got := c.do("GET", "/v1/entries/t1", "", unannounced("")); got.status != 404 || !strings.Contains(got.body, "No entry <t1> & no other.") {
		t.Errorf("empty: %+v", got)
	}
}

func TestAHugeBodyIsRefusedUnread(t *testing.T) {
	const size = 300 << 20
	calls := 0
	c := typing(t, &calls)
	for _, length := range []string{fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d", size), "Transfer-Encoding: chunked"} {
		t.Run(length, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST /v1/terminals HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s\r\n\r\n", token, length)
			sent := make(chan int)
			go func() { sent <- flood(conn, size) }()
			answer, _ := io.ReadAll(conn)
			if n := <-sent; n > 32<<20 {
				t.Errorf("%d MiB were taken", n>>20)
			}
			if !strings.HasPrefix(string(answer), "HTTP/1.1 413 ") || !strings.Contains(string(answer), `"too_large"`) || calls != 0 {
				t.Errorf("%d calls, answer %q", calls, answer)
			}
		})
	}
}

// flood sends up to size bytes, as one chunk, and returns how many the other side took.
func flood(w io.Writer, size int) int {
	chunk, total := []byte(strings.Repeat(" ", 64<<10)), 0
	fmt.Fprintf(w, "%x\r\n", size)
	for total < size {
		n, err := w.Write(chunk)
		total += n
		if err != nil {
			break
		}
	}
	return total
}

func TestABodyOfFourMiBIsTaken(t *testing.T) {
	calls := 0
	client := typing(t, &calls)
	for extra, want := range map[int]int{0: 201, 1: 413} {
		body := `{"command":"x"` + strings.Repeat(" ", 4<<20-len(`{"command":"x"}`)+extra) + `}`
		if got := client.do("POST", "/v1/terminals", body); got.status != want {
			t.Errorf("%d bytes: status %d, want %d", len(body), got.status, want)
		}
	}
}

func TestQueriesAreStrict(t *testing.T) {
	c := plumbed(t, stub{getEntry: func(_ context.Context, r api.GetEntryRequestObject) (api.GetEntryResponseObject, error) {
		return nil, &core.Error{Code: core.NotFound, Detail: fmt.Sprint(r.ID, r.Params.Wait, r.Params.WaitMS)}
	}})
	for query, field := range map[string]string{
		"?wait=exit&wait_ms=10":  "",
		"":                       "",
		"?wait=quiet":            "wait",
		"?wait=":                 "wait",
		"?wait=exit&wait=exit":   "wait",
		"?Wait=exit":             "Wait",
		"?wait_ms=1.5":           "wait_ms",
		"?wait_ms=1e3":           "wait_ms",
		"?wait_ms=-1":            "wait_ms",
		"?wait_ms=":              "wait_ms",
		"?wait_ms=x":             "wait_ms",
		"?wait_ms=9999999999999": "wait_ms",
		"?scope=all":             "scope",
	} {
		p := c.do("GET", "/v1/entries/t1"+query, "").problem(t)
		switch {
		case field == "" && p.Code != core.NotFound:
			t.Errorf("%s: %s", query, p.Detail)
		case field != "" && (p.Code != core.Invalid || p.Field != field):
			t.Errorf("%s: %s of %q: %s", query, p.Code, p.Field, p.Detail)
		}
	}
	for _, query := range []string{"?wait=%zz", "?a;b"} {
		if p := c.do("GET", "/v1/entries/t1"+query, "").problem(t); p.Code != core.Invalid {
			t.Errorf("%s: %+v", query, p)
		}
	}
}

func TestSessionHeaders(t *testing.T) {
	c := plumbed(t, stub{getEntry: func(_ context.Context, r api.GetEntryRequestObject) (api.GetEntryResponseObject, error) {
		return nil, &core.Error{Code: core.NotFound, Detail: "session " + r.Params.TermbaySession}
	}})
	for session, valid := range map[string]bool{
		"default": true, "A-Z.a_z~0:9": true, strings.Repeat("x", 128): true,
		strings.Repeat("x", 129): false, "a b": false, "a/b": false, "日本": false,
	} {
		p := c.do("GET", "/v1/entries/t1", "", header("Termbay-Session", session)).problem(t)
		if valid && p.Detail != "session "+session || !valid && (p.Code != core.Invalid || p.Field != "Termbay-Session") {
			t.Errorf("%q: %+v", session, p)
		}
	}
	twice := func(r *http.Request) { r.Header["Termbay-Session"] = []string{"a", "b"} }
	if p := c.do("GET", "/v1/entries/t1", "", twice).problem(t); p.Code != core.Invalid || p.Field != "Termbay-Session" {
		t.Errorf("two sessions: %+v", p)
	}
}
