//go:build linux

package process_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"termbay/core/process"
)

func TestEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		base     []string
		terminal bool
		want     string
	}{
		"a job gets what was given, and a tag": {
			[]string{"B=2", "A=1", "TERM=dumb", "LINES=7"}, false,
			"A=1 B=2 LINES=7 TERM=dumb TERMBAY_ENTRY=tag",
		},
		"an empty one is not the service's": {
			[]string{}, false, "TERMBAY_ENTRY=tag",
		},
		"a terminal is described": {
			[]string{"TERM=dumb", "COLUMNS=33", "LINES=7"}, true,
			"COLORTERM=truecolor LANG=C.UTF-8 TERM=xterm-256color TERMBAY_ENTRY=tag",
		},
		"a locale is kept, whatever it is": {
			[]string{"LC_CTYPE=C"}, true,
			"COLORTERM=truecolor LC_CTYPE=C TERM=xterm-256color TERMBAY_ENTRY=tag",
		},
		"a blank locale is none": {
			[]string{"LANG=", "LC_ALL="}, true,
			"COLORTERM=truecolor LANG=C.UTF-8 LC_ALL= TERM=xterm-256color TERMBAY_ENTRY=tag",
		},
		"the last one counts": {
			[]string{"A=1", "A=2=3", "TERMBAY_ENTRY=other"}, false,
			"A=2=3 TERMBAY_ENTRY=tag",
		},
		"the token is removed, its file is not": {
			[]string{"TERMBAY_TOKEN=secret", "TERMBAY_TOKEN_FILE=/f", "nonsense", "=C:=x"}, false,
			"TERMBAY_ENTRY=tag TERMBAY_TOKEN_FILE=/f",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, strings.Join(process.Environment(c.base, "tag", c.terminal), " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

// O-I3: what the service was started with does not reach a Terminal.
func TestEnvironmentOfService(t *testing.T) {
	for name, value := range map[string]string{
		"TERM": "dumb", "COLUMNS": "33", "LINES": "7", "LANG": "", "LC_ALL": "", "LC_CTYPE": "", "TERMBAY_TOKEN": "secret", "OTHER": "kept",
	} {
		t.Setenv(name, value)
	}
	text := printed(t, `echo $TERM $OTHER [$TERMBAY_TOKEN]; stty size; tput cols; locale charmap
		python3 -c "import shutil; print(*shutil.get_terminal_size())"`)
	if want := "xterm-256color kept []\n40 120\n120\nUTF-8\n120 40\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestEmptyEnvironmentIsEmpty(t *testing.T) {
	s := spec("/usr/bin/env | grep -v ^_= | sort | tr '\\n' ' '")
	s.Env = nil
	if text, _ := startSpec(t, s).ends(); text != "PWD=/ SHLVL=0 " && text != "PWD=/ SHLVL=1 " {
		t.Errorf("%q", text)
	}
}
