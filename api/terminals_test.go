//go:build unix

package api_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core"
)

func TestAStartAnswersWithTheFirstScreen(t *testing.T) {
	t.Parallel()
	b := open(t)
	got := b.call(201, "POST", "/v1/terminals", object{"command": "echo hello; exec cat", "cwd": b.cwd, "wait_for_text": "hello", "wait_ms": 20000})
	res := as[api.Result](t, got)
	want := api.Result{
		ID: "t1", Kind: core.KindTerminal, State: core.Running, Status: core.StatusRunning, SettledBy: api.SettledByText,
		WaitMS: 20000, WaitedMS: res.WaitedMS, Revision: res.Revision, Viewport: api.Viewport{Cols: 120, Rows: 40},
		Cursor: api.Cursor{Row: 1, Visible: true}, Changed: true, Screen: "hello", ScrolledOff: []string{}, Text: res.Text,
	}
	if got, want := fmt.Sprintf("%+v", res), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got.header.Get("Location") != "/v1/terminals/t1" || !strings.HasPrefix(res.Text, "hello\n[t1 running. Settled: \"hello\" appeared after ") {
		t.Errorf("Location %q, text %q", got.header.Get("Location"), res.Text)
	}
	if found := b.call(200, "GET", got.header.Get("Location"), nil); as[api.Entry](t, found).ID != "t1" {
		t.Errorf("its Location: %s", found.body)
	}
}

func TestTimesThatAreLeftOutOrTooLong(t *testing.T) {
	t.Parallel()
	b := open(t)
	if res := b.start(object{"command": "exec cat"}); res.WaitMS != 2000 || res.SettledBy != api.SettledByTimeout || res.WaitedMS < 2000 {
		t.Errorf("a start that prints nothing: %+v", res)
	}
	if res := b.start(object{"command": "true", "wait_ms": 600000, "wait_for_text": never}); res.WaitMS != 300000 {
		t.Errorf("a long start: %d", res.WaitMS)
	}
	if res := b.send("t1", object{"text": "x"}); res.WaitMS != 500 || res.SettledBy != api.SettledByQuiet || res.WaitedMS < 250 {
		t.Errorf("an input: %+v", res)
	}
	if res := b.send("t1", object{"text": "x", "quiet_ms": 1, "wait_ms": 20000}); res.WaitMS != 20000 || res.SettledBy != api.SettledByQuiet {
		t.Errorf("an input with a short quiet: %+v", res)
	}
	if res := b.send("t1", object{"text": "x", "quiet_ms": 60000, "wait_ms": 300}); res.SettledBy != api.SettledByTimeout || res.WaitedMS < 300 {
		t.Errorf("an input with a long quiet: %+v", res)
	}
	if res := b.send("t1", object{"text": "x", "wait_ms": 0}); res.WaitMS != 0 || res.SettledBy != api.SettledByTimeout {
		t.Errorf("no wait: %+v", res)
	}
	for body, want := range map[string]int64{`{}`: 30000, `{"wait_ms":2147483647}`: 300000, ``: 30000} {
		res := as[api.Result](t, b.do("POST", "/v1/terminals/t2/input", body))
		if res.WaitMS != want || res.SettledBy != api.SettledByExit || res.State != core.Exited || *res.ExitCode != 0 {
			t.Errorf("a poll %q of an exited one: %+v", body, res)
		}
	}
}

func TestWhatAStartSaysIsWhatRuns(t *testing.T) {
	t.Parallel()
	b := open(t)
	long := strings.Repeat("w", 300)
	res := b.start(object{
		"command": "echo $MARK $0; stty size", "command_prefix": "MARK=prefix", "display_command": "a secret\nthing", "label": "my\n" + long,
		"notify": false, "viewport": object{"cols": 33, "rows": 7}, "shell": "sh", "wait_for_text": never,
	})
	if res.Screen != "prefix /bin/sh\n7 33" || res.Viewport != (api.Viewport{Cols: 33, Rows: 7}) {
		t.Errorf("screen %q of %v", res.Screen, res.Viewport)
	}
	e := b.entry(res.ID)
	if e.Command != "a secret\nthing" || e.Notify || e.Shell != "/bin/sh" || e.Cwd != b.cwd || *e.Viewport != res.Viewport {
		t.Errorf("%+v", e)
	}
	if strings.Contains(e.Label, "\n") || len([]rune(e.Label)) != 201 || !strings.HasPrefix(e.Label, "my w") || !strings.HasSuffix(e.Label, "…") {
		t.Errorf("label %q", e.Label)
	}
	if e.UID == "" || e.PID == 0 || e.Session != "default" || e.Group != "default" || e.Owner != core.OwnerRoot || e.StartedAt.IsZero() {
		t.Errorf("%+v", e)
	}
	list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries", nil))
	if list.Terminals[0].Command != "a secret thing" {
		t.Errorf("a command in a list is one line: %q", list.Terminals[0].Command)
	}
}

func TestTheEnvironmentIsReplacedWhole(t *testing.T) {
	t.Setenv("OF_THE_SERVICE", "1")
	t.Setenv("TERMBAY_TOKEN", "secret")
	b := open(t)
	res := b.start(object{"command": "/usr/bin/env | sort", "env": object{"A": "1=2", "EMPTY": "", "LC_ALL": "C", "TERM": "dumb", "LINES": "3", "TERMBAY_TOKEN": "x"}, "wait_for_text": never})
	var names []string
	for line := range strings.SplitSeq(res.Screen, "\n") {
		if line == "A=1=2" || line == "TERMBAY_ENTRY="+b.entry(res.ID).UID || line == "TERM=xterm-256color" {
			line += " as it should be"
		}
		name, value, _ := strings.Cut(line, "=")
		if strings.HasSuffix(value, " as it should be") {
			name += "!"
		}
		names = append(names, name)
	}
	if want := []string{"A!", "COLORTERM", "EMPTY", "LC_ALL", "PWD", "SHLVL", "TERM!", "TERMBAY_ENTRY!", "_"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v:\n%s", names, want, res.Screen)
	}
	if res = b.run("echo $OF_THE_SERVICE-$TERMBAY_TOKEN-$TERM"); res.Screen != "1--xterm-256color" {
		t.Errorf("left out: %s", res.Screen)
	}
	if res = b.start(object{"command": "/usr/bin/env", "env": object{}, "wait_for_text": never}); strings.Contains(res.Screen, "OF_THE_SERVICE") {
		t.Errorf("empty: %s", res.Screen)
	}
}

// What cannot start is refused in words, and leaves neither an entry nor a gap in the ids.
func TestStartsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	file := filepath.Join(b.cwd, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set    object
		code   string
		field  string
		detail string
	}{
		"no folder":          {object{"cwd": "/no/such"}, "cwd_missing", "", "Working directory does not exist: /no/such"},
		"a file as folder":   {object{"cwd": file}, "cwd_missing", "", "Working directory is not a directory: " + file},
		"a relative folder":  {object{"cwd": "sub/folder"}, "invalid", "cwd", `"sub/folder" is not an absolute path`},
		"no shell":           {object{"shell": "/no/bash"}, "shell_unavailable", "", "/no/bash"},
		"a folder as shell":  {object{"shell": b.cwd}, "shell_unavailable", "", b.cwd},
		"no kind of shell":   {object{"shell": "bsh"}, "invalid", "shell", `"bsh" is neither a kind of shell`},
		"not executable":     {object{"shell": file}, "command_failed_to_start", "", file},
		"a bad pattern":      {object{"wait_for_text": "/(?=x)/"}, "bad_pattern", "wait_for_text", "lookahead"},
		"an empty regex":     {object{"wait_for_text": "//"}, "invalid", "wait_for_text", ""},
		"an empty name":      {object{"env": object{"": "x"}}, "invalid", "env", "name"},
		"a name with =":      {object{"env": object{"A=B": "x"}}, "invalid", "env.A=B", "="},
		"a name with NUL":    {object{"env": object{"A\x00": "x"}}, "invalid", "env", "NUL"},
		"no columns":         {object{"viewport": object{"cols": 0, "rows": 1}}, "invalid", "viewport.cols", "from 1 to 1000"},
		"nothing to run":     {object{"command": ""}, "invalid", "command", "may not be empty"},
		"shell before cwd":   {object{"cwd": "/no/such", "shell": "/no/bash"}, "shell_unavailable", "", "/no/bash"},
		"pattern before all": {object{"cwd": "/no/such", "wait_for_text": "/[/"}, "bad_pattern", "wait_for_text", ""},
	} {
		body := object{"command": "echo ran > " + filepath.Join(b.cwd, "ran"), "cwd": b.cwd}
		maps.Copy(body, c.set)
		p := b.refused(422, c.code, c.field, b.do("POST", "/v1/terminals", body.String()))
		if !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: detail %q", name, p.Detail)
		}
	}
	if p := b.do("POST", "/v1/terminals", `{"command":"true","shell":"bsh"}`).problem(t); !slices.Equal(p.Valid, []string{"bash", "sh", "powershell"}) {
		t.Errorf("valid: %v", p.Valid)
	}
	if list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries?scope=all", nil)); len(list.Terminals) > 0 {
		t.Errorf("ghosts: %+v", list.Terminals)
	}
	if res := b.run("true"); res.ID != "t1" {
		t.Errorf("the first that runs is %s", res.ID)
	}
	if _, err := os.Stat(filepath.Join(b.cwd, "ran")); err == nil {
		t.Error("something ran")
	}
}

func TestShellsByKindAndByPath(t *testing.T) {
	t.Parallel()
	b := open(t)
	for shell, want := range map[string]string{"bash": "/bin/bash", "sh": "/bin/sh", "/bin/bash": "/bin/bash", "/usr/bin/env": "/usr/bin/env"} {
		command := "echo up"
		if shell == "/usr/bin/env" {
			command = "true" // env -c true: an error of the program, not of ours
		}
		res := b.start(object{"command": command, "shell": shell, "wait_for_text": never})
		if e := b.entry(res.ID); e.Shell != want || shell != "/usr/bin/env" && res.Screen != "up" {
			t.Errorf("%s: %s, %q", shell, e.Shell, res.Screen)
		}
	}
}

func TestASessionLendsItsDefaults(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.call(201, "PUT", "/v1/sessions/s", object{"cwd": b.cwd, "role": "child", "group": "g", "defaults": object{
		"viewport": object{"cols": 200, "rows": 9}, "shell": "sh", "command_prefix": "export FROM=session", "max_running": 1,
	}})
	res := as[api.Result](t, b.call(201, "POST", "/v1/terminals", object{"command": "echo $FROM $0 $PWD; exec cat", "wait_for_text": "session", "wait_ms": 20000}, session("s")))
	if res.Screen != "session /bin/sh "+b.cwd && res.Screen != "session sh "+b.cwd || res.Viewport != (api.Viewport{Cols: 200, Rows: 9}) {
		t.Errorf("%+v", res)
	}
	if e := b.entry(res.ID); e.Session != "s" || e.Group != "g" || e.Owner != core.OwnerChild {
		t.Errorf("%+v", e)
	}
	b.refused(409, "cap_reached", "", b.do("POST", "/v1/terminals", `{"command":"true"}`, session("s")))
	b.stop(res.ID, nil)
	res = as[api.Result](t, b.call(201, "POST", "/v1/terminals", object{
		"command": "echo $FROM-$0", "shell": "bash", "command_prefix": "", "viewport": object{"cols": 50, "rows": 5}, "wait_for_text": never, "wait_ms": 20000,
	}, session("s")))
	if res.Screen != "-/bin/bash" || res.Viewport.Cols != 50 {
		t.Errorf("a start's own wishes go before: %+v", res)
	}
}

func TestACommandTooLongForAnArgumentRuns(t *testing.T) {
	t.Parallel()
	b := open(t)
	res := b.run(": " + strings.Repeat("w", 200_000) + "; echo ran")
	if res.Screen != "ran" || *res.ExitCode != 0 {
		t.Errorf("%+v", res)
	}
	list := as[api.EntryList](t, b.call(200, "GET", "/v1/entries", nil))
	if n := len([]rune(list.Terminals[0].Command)); n != 201 {
		t.Errorf("it has %d characters in a list", n)
	}
	if n := len(b.entry(res.ID).Command); n < 200_000 {
		t.Errorf("it has %d characters by itself", n)
	}
}
