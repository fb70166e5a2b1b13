//go:build unix

package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/registry"
)

// logged runs a command in the background and waits until its log holds a text.
func (b *bay) logged(body object, text string) (id string) {
	b.Helper()
	id = b.background(body).ID
	eventually(b.T, "its log", func() bool { return b.call(200, "GET", "/v1/entries/"+id+"/log", nil).body == text })
	return id
}

// within is an option that asks for a range.
func within(set string) func(*http.Request) { return header("Range", set) }

func TestALogIsReadWholeOrInRanges(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.logged(object{"command": `printf 'abc\r\n\377\0j'; exec cat`, "stdin": "open"}, "abc\r\n\xff\x00j")
	for set, want := range map[string]struct {
		status int
		body   string
		header string // Content-Range
	}{
		"":                     {200, "abc\r\n\xff\x00j", ""},
		"bytes=0-":             {206, "abc\r\n\xff\x00j", "bytes 0-7/8"},
		"bytes=0-0":            {206, "a", "bytes 0-0/8"},
		"bytes=1-3":            {206, "bc\r", "bytes 1-3/8"},
		"Bytes=5-100":          {206, "\xff\x00j", "bytes 5-7/8"},
		"bytes=-2":             {206, "\x00j", "bytes 6-7/8"},
		"bytes=-100":           {206, "abc\r\n\xff\x00j", "bytes 0-7/8"},
		"bytes=7-":             {206, "j", "bytes 7-7/8"},
		"bytes=8-":             {416, "", "bytes */8"},
		"bytes=8-9":            {416, "", "bytes */8"},
		"bytes=-0":             {416, "", "bytes */8"},
		"bytes=" + nines + "-": {416, "", "bytes */8"},
		"bytes=0-" + nines:     {206, "abc\r\n\xff\x00j", "bytes 0-7/8"},
		"bytes=3-1":            {200, "abc\r\n\xff\x00j", ""}, // what means nothing is as if it were not there
		"bytes=0-1,3-4":        {200, "abc\r\n\xff\x00j", ""},
		"bytes=a-b":            {200, "abc\r\n\xff\x00j", ""},
		"bytes=-":              {200, "abc\r\n\xff\x00j", ""},
		"bytes=+1-2":           {200, "abc\r\n\xff\x00j", ""},
		"bytes=1":              {200, "abc\r\n\xff\x00j", ""},
		"lines=0-1":            {200, "abc\r\n\xff\x00j", ""},
	} {
		got := b.call(want.status, "GET", "/v1/entries/"+id+"/log", nil, within(set))
		if got.status == 416 {
			b.refused(416, "range_not_satisfiable", "", got)
			got.body = ""
		} else if length := got.header.Get("Content-Length"); length != fmt.Sprint(len(want.body)) || got.header.Get("Content-Type") != "text/plain; charset=utf-8" || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", set, got.header)
		}
		if got.body != want.body || got.header.Get("Content-Range") != want.header || got.status == 200 && got.header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%s: %q %v", set, got.body, got.header)
		}
	}
	if got := b.do("HEAD", "/v1/entries/"+id+"/log", ""); got.status != 200 || got.header.Get("Content-Length") != "8" {
		t.Errorf("HEAD: %+v", got)
	}
}

// nines is a number that no machine counts to.
const nines = "99999999999999999999"

func TestAnEmptyLogIsNoMistake(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.background(object{"command": "exec cat", "stdin": "open"}).ID
	for _, query := range []string{"", "?tail=5", "?offset=0"} {
		if got := b.call(200, "GET", "/v1/entries/"+id+"/log"+query, nil); got.body != "" {
			t.Errorf("%s: %q", query, got.body)
		}
	}
	b.call(416, "GET", "/v1/entries/"+id+"/log", nil, within("bytes=0-"))
	if e := b.entry(id); *e.LogBytes != 0 || e.LogTruncated || e.DroppedBytes != 0 || e.LogError != "" {
		t.Errorf("%+v", e)
	}
}

func TestATailIsTheLastLines(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.background(object{"command": "yes ä | head -c 200001 | tr -d '\\n'; read x; echo; echo end; exec cat", "stdin": "open"}).ID
	tail := func(n int) string {
		return b.call(200, "GET", fmt.Sprintf("/v1/entries/%s/log?tail=%d", id, n), nil).body
	}
	eventually(t, "a long line", func() bool { return *b.entry(id).LogBytes == 133_334 })
	long := tail(1)
	if len(long) > 128<<10 || len(long) < 127<<10 || strings.Trim(long, "ä") != "" {
		t.Errorf("a line that is too long: %d bytes, %q", len(long), strings.Trim(long, "ä"))
	}
	b.feed(id, object{"text": "\n"})
	eventually(t, "the end", func() bool { return tail(1) == "end\n" })
	if got := tail(1000); got != "end\n" { // the line before has no room as a whole
		t.Errorf("%d bytes", len(got))
	}
	wide := b.background(object{"command": "printf '%0199d\\n' $(seq 1000); exec cat", "stdin": "open"}).ID
	eventually(t, "all lines", func() bool { return *b.entry(wide).LogBytes == 200_000 })
	if got := b.call(200, "GET", "/v1/entries/"+wide+"/log?tail=1000", nil).body; len(got)%200 != 0 || len(got) > 128<<10 || len(got) < 127<<10 || !strings.HasSuffix(got, "01000\n") {
		t.Errorf("%d bytes: %.50q", len(got), got)
	}
	short := b.logged(object{"command": "printf '1\\n2\\n3'; exec cat", "stdin": "open"}, "1\n2\n3")
	for n, want := range map[string]string{"1": "3", "2": "2\n3", "3": "1\n2\n3", "1000": "1\n2\n3"} {
		if got := b.call(200, "GET", "/v1/entries/"+short+"/log?tail="+n, nil).body; got != want {
			t.Errorf("%s: %q", n, got)
		}
	}
}

func TestALogIsReadFromAnOffsetOn(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.logged(object{"command": "printf 0123456789; exec cat", "stdin": "open"}, "0123456789")
	for query, want := range map[string]struct {
		body     string
		at, next string
	}{
		"offset=0":                    {"0123456789", "0", "10"},
		"offset=4":                    {"456789", "4", "10"},
		"offset=4&limit=3":            {"456", "4", "7"},
		"limit=3":                     {"012", "0", "3"},
		"wait_ms=0":                   {"0123456789", "0", "10"},
		"offset=10":                   {"", "10", "10"},
		"offset=10&wait_ms=20":        {"", "10", "10"},
		"offset=9007199254740991":     {"", "10", "10"},
		"offset=9&wait_ms=2147483647": {"9", "9", "10"},
	} {
		got := b.call(200, "GET", "/v1/entries/"+id+"/log?"+query, nil, within("bytes=1-1")) // which is of no use here
		if got.body != want.body || got.header.Get("Termbay-Offset") != want.at || got.header.Get("Termbay-Next-Offset") != want.next {
			t.Errorf("%s: %q %v", query, got.body, got.header)
		}
	}
	for query, field := range map[string]string{
		"offset=-1": "offset", "offset=x": "offset", "offset=9007199254740992": "offset", "limit=0": "limit", "limit=1048577": "limit", "wait_ms=-1": "wait_ms",
		"tail=0": "tail", "tail=1001": "tail", "tail=-1": "tail", "tail=": "tail",
		"tail=1&offset=0": "tail", "tail=1&limit=1": "tail", "tail=1&wait_ms=0": "tail", "from=1": "from",
	} {
		b.refused(422, "invalid", field, b.do("GET", "/v1/entries/"+id+"/log?"+query, ""))
	}
}

func TestAReaderWaitsForOutputAndForTheEnd(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.background(object{"command": "read x; echo $x; read x", "stdin": "open"}).ID
	read := func(offset string) <-chan reply {
		return b.later("GET", "/v1/entries/"+id+"/log?offset="+offset+"&wait_ms=300000", "")
	}
	first := read("0")
	b.feed(id, object{"text": "a\n"})
	if got := <-first; got.body != "a\n" || got.header.Get("Termbay-Next-Offset") != "2" {
		t.Errorf("%q %v", got.body, got.header)
	}
	second := read("2")
	b.feed(id, object{"text": "\n"})
	if got := <-second; got.status != 200 || got.body != "" || got.header.Get("Termbay-Next-Offset") != "2" {
		t.Errorf("at the end: %+v", got)
	}
	b.exit(id)
	if got := <-read("2"); got.status != 200 || got.body != "" {
		t.Errorf("after the end: %+v", got)
	}
}

func TestALogIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.logged(object{"command": "echo früher; while read x; do printf \"$x\"; done", "stdin": "open"}, "früher\n")
	s := b.listen("GET", "/v1/entries/"+id+"/log/events", nil)
	if text, pieces, last := s.outputs("früher\n"); text != "früher\n" || *pieces[0].Offset != 0 || last.id != "8" {
		t.Errorf("%q %+v %+v", text, pieces, last)
	}
	late := b.listen("GET", "/v1/entries/"+id+"/log/events?offset=3", nil)
	again := b.listen("GET", "/v1/entries/"+id+"/log/events?offset=3", nil, header("Last-Event-ID", "8"))
	end := b.listen("GET", "/v1/entries/"+id+"/log/events?offset=1000", nil)
	for i, c := range []string{`\xc3`, `\xa4`, `\xff`, `b`, `\xe6\xbc`} { // ä in two, no UTF-8, and half a character at the end
		b.feed(id, object{"text": strings.ReplaceAll(c, `\`, `\\`) + "\n"})
		eventually(t, "it to be written", func() bool { return *b.entry(id).LogBytes == []int64{9, 10, 11, 12, 14}[i] })
	}
	b.feed(id, object{"eof": true})
	for name, c := range map[string]struct {
		s    *story
		from int64
		text string
	}{
		"from where it was":         {s, 8, "ä\xffb\xe6\xbc"},
		"from an offset":            {late, 3, "\xbcher\nä\xffb\xe6\xbc"},
		"from the last event's id":  {again, 8, "ä\xffb\xe6\xbc"},
		"from the end, so to speak": {end, 8, "ä\xffb\xe6\xbc"},
	} {
		text, pieces, last := c.s.outputs("")
		if text != c.text || last != (event{"14", "end", "{}"}) || c.s.next() != (event{}) {
			t.Errorf("%s: %q, %+v", name, text, last)
		}
		for at := c.from; len(pieces) > 0; pieces = pieces[1:] {
			if *pieces[0].Offset != at {
				t.Errorf("%s: a piece at %d, want %d", name, *pieces[0].Offset, at)
			}
			at += int64(len(pieces[0].bytes()))
		}
	}
	if text, _, last := b.listen("GET", "/v1/entries/"+id+"/log/events?offset=12", nil).outputs(""); text != "\xe6\xbc" || last.name != "end" {
		t.Errorf("after the end: %q %+v", text, last)
	}
	if head := b.do("HEAD", "/v1/entries/"+id+"/log/events", ""); head.status != 200 {
		t.Errorf("%+v", head)
	}
	for _, wrong := range []string{"x", "-1", "1.5", nines} {
		b.refused(422, "invalid", "Last-Event-ID", b.do("GET", "/v1/entries/"+id+"/log/events", "", header("Last-Event-ID", wrong)))
		b.refused(422, "invalid", "offset", b.do("GET", "/v1/entries/"+id+"/log/events?offset="+wrong, ""))
	}
}

func TestAFollowedLogIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	b := open(t)
	long := strings.Repeat("漢字かな", 10000)
	id := b.logged(object{"command": `for i in $(seq 10000); do printf 漢字かな; done; while read x; do printf "$x"; done`, "stdin": "open"}, long)
	s := b.listen("GET", "/v1/entries/"+id+"/log/events", nil)
	_, pieces, _ := s.outputs(long)
	for _, p := range pieces {
		if p.Text == nil || len(*p.Text) > 32<<10 {
			t.Fatalf("%+v", p)
		}
	}
	b.feed(id, object{"text": `.\\xc3` + "\n"})
	if text, _, _ := s.outputs("."); text != "." { // half a character is held back
		t.Errorf("%q", text)
	}
	b.feed(id, object{"text": `\\xa4` + "\n"})
	if text, pieces, last := s.outputs("ä"); len(pieces) != 1 || pieces[0].Text == nil || last.id != "120003" {
		t.Errorf("%q %+v", text, last)
	}
}

// HEAD has its answer with the headers, and the connection is free for what comes next.
func TestAHeadOfAStreamEndsAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.background(object{"command": "exec cat", "stdin": "open"}).ID
	if got := b.do("HEAD", "/v1/entries/"+id+"/log/events", ""); got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%+v", got)
	}
	b.call(200, "GET", "/v1/entries/"+id, nil)
}

func TestATerminalHasALogWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "printf '\\033[31mred\\033[0m'; read x; exit 3", "wait_for_text": "red", "log": true}).ID
	if e := b.entry(id); e.LogPath == "" || *e.LogBytes == 0 {
		t.Errorf("%+v", e)
	}
	if got := b.call(200, "GET", "/v1/entries/"+id+"/log", nil).body; got != "\x1b[31mred\x1b[0m" {
		t.Errorf("%q", got)
	}
	s := b.listen("GET", "/v1/entries/"+id+"/log/events?offset=12", nil)
	b.send(id, object{"text": "x\n", "wait_for_text": never})
	if text, _, last := s.outputs(""); text != "x\r\n" || last.name != "end" {
		t.Errorf("%q %+v", text, last)
	}
	if other := b.start(object{"command": "exec cat", "wait_ms": 0}); b.entry(other.ID).LogPath != "" {
		t.Error("a log that nobody asked for")
	}
}

// What is not kept of a log that reached its cap is skipped, and offsets stay what they were.
func TestALogWithAGapIsReadByItsOffsets(t *testing.T) {
	t.Parallel()
	const limit, count = 64 << 10, 40000
	b := open(t, func(cfg *registry.Config) { cfg.MaxLogBytes = limit })
	var all strings.Builder
	for i := range count {
		fmt.Fprintf(&all, "%d\n", i+1)
	}
	printed, size := all.String(), int64(all.Len())
	id := b.background(object{"command": fmt.Sprintf("read x; seq %d", count), "stdin": "open"}).ID
	b.feed(id, object{"text": "\n"})
	eventually(t, "all of it", func() bool { return *b.entry(id).LogBytes == size })
	e := b.exit(id)
	if !e.LogTruncated || e.DroppedBytes == 0 || e.LogError != "" {
		t.Fatalf("%+v", e)
	}
	path := "/v1/entries/" + id + "/log"
	whole := b.call(200, "GET", path, nil).body
	head, tail, cut := strings.Cut(whole, "[termbay: ")
	if !cut || len(whole) > limit || !strings.HasPrefix(printed, head) || !strings.HasSuffix(tail, "\n40000\n") {
		t.Errorf("%d bytes: %.100q", len(whole), whole)
	}
	read := 0
	for at := int64(0); at < size; {
		got := b.call(200, "GET", fmt.Sprintf("%s?offset=%d&limit=10000", path, at), nil)
		from, _ := strconv.ParseInt(got.header.Get("Termbay-Offset"), 10, 64)
		next, _ := strconv.ParseInt(got.header.Get("Termbay-Next-Offset"), 10, 64)
		if from < at || next <= from || got.body != printed[from:next] {
			t.Fatalf("at %d: %d to %d, %.50q", at, from, next, got.body)
		}
		read, at = read+len(got.body), next
	}
	if int64(read)+e.DroppedBytes != size {
		t.Errorf("%d bytes are there and %d are not, of %d", read, e.DroppedBytes, size)
	}
	gap := int64(len(head)) + e.DroppedBytes/2
	for set, want := range map[string][2]int64{
		"bytes=0-9": {0, 10}, "bytes=-10": {size - 10, size}, fmt.Sprintf("bytes=%d-", size-5): {size - 5, size},
		fmt.Sprintf("bytes=%d-%d", len(head)-5, gap): {int64(len(head)) - 5, int64(len(head))},
		fmt.Sprintf("bytes=%d-", gap):                {int64(len(head)) + e.DroppedBytes, size},
	} {
		got := b.call(206, "GET", path, nil, within(set))
		if got.body != printed[want[0]:want[1]] || got.header.Get("Content-Range") != fmt.Sprintf("bytes %d-%d/%d", want[0], want[1]-1, size) {
			t.Errorf("%s: %v %.50q", set, got.header, got.body)
		}
	}
	for _, set := range []string{fmt.Sprintf("bytes=%d-%d", gap, gap+5), fmt.Sprintf("bytes=%d-", size)} {
		if got := b.call(416, "GET", path, nil, within(set)); got.header.Get("Content-Range") != fmt.Sprintf("bytes */%d", size) {
			t.Errorf("%s: %v", set, got.header)
		}
	}
	text, pieces, last := b.listen("GET", path+"/events", nil).outputs("")
	if len(text) != read || last.name != "end" || last.id != fmt.Sprint(size) {
		t.Errorf("%d bytes of %d, %+v", len(text), read, last)
	}
	for _, p := range pieces {
		if from := *p.Offset; p.bytes() != printed[from:from+int64(len(p.bytes()))] {
			t.Errorf("a piece at %d: %.50q", from, p.bytes())
		}
	}
}

// A log that is forgotten while somebody follows it ends for him, too.
func TestWhoFollowsAJobThatIsForgottenIsToldOfTheEnd(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.background(object{"command": "echo a; exec sleep 1000"}).ID
	s := b.listen("GET", "/v1/entries/"+id+"/log/events", nil)
	s.outputs("a\n")
	b.call(200, "POST", "/v1/entries/"+id+"/stop", object{"signal": "KILL"})
	if text, _, last := s.outputs(""); text != "" || last.name != "end" {
		t.Errorf("%q %+v", text, last)
	}
}

func TestALogThatSomebodyDeletedIsNotFound(t *testing.T) {
	t.Parallel()
	b := open(t)
	e := *b.job(object{"command": "echo a", "keep_record": true}).Entry
	if err := os.Remove(e.LogPath); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/log", "/log?offset=0", "/log?tail=1", "/log/events"} {
		b.refused(404, "not_found", "", b.do("GET", "/v1/entries/"+e.ID+path, ""))
	}
	b.refused(404, "not_found", "", b.do("GET", "/v1/entries/"+e.ID+"/log", "", within("bytes=0-0")))
}

func TestAListTellsOfLogs(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.logged(object{"command": "printf abc; exec cat", "stdin": "open"}, "abc")
	var list struct {
		Jobs []map[string]any `json:"background_jobs"`
	}
	if err := json.Unmarshal([]byte(b.call(200, "GET", "/v1/entries", nil).body), &list); err != nil {
		t.Fatal(err)
	}
	if e := list.Jobs[0]; e["log_bytes"] != 3.0 || e["log_path"] != b.entry(id).LogPath || e["log_truncated"] != nil || e["kind"] != string(core.KindJob) || e["backgrounded_at"] == nil {
		t.Errorf("%+v", e)
	}
}
