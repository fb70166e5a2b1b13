//go:build unix

package api_test

import (
	"slices"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

// raw starts a program that shows the next n bytes it reads in hexadecimal and ends.
func (b *bay) raw(n, setup string) (id string) {
	b.Helper()
	return b.start(object{"command": setup + "stty raw -echo; echo up; head -c " + n + " | od -An -v -w64 -tx1; stty sane", "wait_for_text": "up"}).ID
}

func TestWhatIsTypedArrivesInOrder(t *testing.T) {
	t.Parallel()
	b := open(t)
	for name, c := range map[string]struct {
		setup, n string
		body     object
		want     string
	}{
		"all at once":  {"", "8", object{"keys": []string{"tab", "CONTROL+A"}, "bytes_base64": "AP8=", "paste": "p\n", "text": "t\n"}, "74 0d 70 0d 00 ff 09 01"},
		"a paste":      {`printf "\033[?2004h";`, "14", object{"paste": "a\nb"}, "1b 5b 32 30 30 7e 61 0d 62 1b 5b 32 30 31"},
		"a mouse":      {`printf "\033[?1000h\033[?1006h";`, "9", object{"mouse": object{"action": "press", "row": 3, "col": 5}}, "1b 5b 3c 30 3b 36 3b 34 4d"},
		"right button": {`printf "\033[?1000h\033[?1006h";`, "9", object{"mouse": object{"action": "press", "button": 3, "row": 0, "col": 0}}, "1b 5b 3c 32 3b 31 3b 31 4d"},
		"a NUL":        {"", "3", object{"text": "a\x00b"}, "61 00 62"},
	} {
		c.body["wait_for_text"] = never
		res := b.send(b.raw(c.n, c.setup), c.body)
		if !strings.Contains(res.Screen, c.want) {
			t.Errorf("%s: %s, want %s", name, res.Screen, c.want)
		}
	}
}

// L57: what is refused types nothing, not even the part of it that is right.
func TestInputsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	for name, c := range map[string]struct {
		set    object
		code   string
		field  string
		detail string
	}{
		"an unknown key":     {object{"keys": []string{"Enter", "CtrlC"}}, "invalid", "keys", `"CtrlC" is not a key. Did you mean "Control+C"?`},
		"an empty key":       {object{"keys": []string{""}}, "invalid", "keys.0", "may not be empty"},
		"a bad pattern":      {object{"wait_for_text": `/(a)\1/`}, "bad_pattern", "wait_for_text", ""},
		"no base64":          {object{"bytes_base64": "YQ"}, "invalid", "bytes_base64", ""},
		"a mouse unasked":    {object{"mouse": object{"action": "press", "row": 1, "col": 1}}, "invalid", "mouse", "mouse"},
		"a mouse outside":    {object{"mouse": object{"action": "press", "row": 1000, "col": 1}}, "invalid", "mouse.row", "from 0 to 999"},
		"a button":           {object{"mouse": object{"action": "press", "row": 1, "col": 1, "button": 4}}, "invalid", "mouse.button", "from 1 to 3"},
		"a mouse that flies": {object{"mouse": object{"action": "fly", "row": 1, "col": 1}}, "invalid", "mouse.action", "one of press, release, move, wheel_up, wheel_down"},
	} {
		c.set["text"] = "typed"
		p := b.refused(422, c.code, c.field, b.do("POST", "/v1/terminals/"+id+"/input", c.set.String()))
		if !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %s", name, p.Detail)
		}
		if name == "an unknown key" && !slices.Contains(p.Valid, "Shift+Tab") {
			t.Errorf("%s: valid %v", name, p.Valid)
		}
	}
	if res := b.send(id, object{"text": "end\n", "wait_for_text": "end\nend"}); res.Screen != "end\nend" {
		t.Errorf("something was typed: %q", res.Screen)
	}
	if e := b.entry(id); e.LastInputAt.IsZero() || e.LastReadAt.IsZero() {
		t.Errorf("%+v", e)
	}
}

func TestAnExitedTerminalTakesNoInput(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.run("echo out; exit 3").ID
	p := b.refused(409, "not_running", "", b.do("POST", "/v1/terminals/"+id+"/input", `{"text":"x"}`))
	if p.State != core.Exited || p.Entry == nil || *p.Entry.ExitCode != 3 || p.Detail != "t1 has exited (code 3); it takes no more input. Stop it to forget it." {
		t.Errorf("%+v", p)
	}
	b.refused(409, "not_running", "", b.do("POST", "/v1/terminals/"+id+"/resize", `{"cols":1,"rows":1}`))
	b.refused(409, "not_running", "", b.do("POST", "/v1/entries/"+id+"/signal", `{"signal":"TERM"}`))
	if res := b.send(id, nil); res.Screen != "out" || res.Changed || *res.ExitCode != 3 || res.Status != core.StatusFailed || res.SettledBy != api.SettledByExit {
		t.Errorf("a poll: %+v", res)
	}
}

// A program that does not read holds an input up for seconds, and no answer may be silent for so long.
func TestTheAnswerToAnInputBeginsBeforeItIsTaken(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "stty raw -echo; echo up; exec sleep 1000", "wait_for_text": "up"}).ID
	status, rest := b.begin(t.Context(), "POST", "/v1/terminals/"+id+"/input", object{"text": strings.Repeat("x", 100_000), "wait_ms": 0})
	if e := b.entry(id); status != 200 || !e.LastReadAt.Before(e.LastInputAt.Time) {
		t.Errorf("%d: the headers came with the result", status)
	}
	b.call(200, "POST", "/v1/entries/"+id+"/signal", object{"signal": "SIGKILL"})
	text, err := rest()
	if err != nil || !strings.Contains(text, " of 100000 bytes were taken: ") {
		t.Errorf("%v: %s", err, text)
	}
}
