//go:build linux

package process_test

import (
	"fmt"
	"strings"
	"testing"

	"termbay/core"
)

// A command of 128 KiB and more, which Linux refuses as an argument, runs as any other does.
func TestLongCommand(t *testing.T) {
	sh := core.Shell{Kind: "sh", Path: "/bin/sh", Args: []string{"-c"}, Transport: core.ByArgument}
	for _, shell := range []core.Shell{bash(), sh} {
		for _, n := range []int{10, 131_071 - 100, 131_072, 3 << 20} {
			t.Run(fmt.Sprintf("%s/%d", shell.Kind, n), func(t *testing.T) {
				s := spec(": " + strings.Repeat("w", n) + "; echo done-$?; echo $0 $#; ls /proc/self/fd | tr '\\n' ' '\n{ tty >/dev/null && echo tty; }\nread x; echo got $x; exit 7")
				s.Shell = shell
				p := startSpec(t, s)
				p.shows("done-0")
				p.Write([]byte("typed\n"))
				text, exit := p.ends()
				text = strings.Replace(text, "typed\n", "", 1) // its echo comes at any time
				want := "done-0\n" + shell.Path + " 0\n0 1 2 3 tty\ngot typed\n"
				if text != want || ended(exit) != "7" {
					t.Errorf("%q, exit %s; want %q", text, ended(exit), want)
				}
			})
		}
	}
}

func TestLongCommandEndsAsAnyOther(t *testing.T) {
	filler := "\n# " + strings.Repeat("w", 1<<17)
	for command, want := range map[string]string{
		"kill -TERM $$": "SIGTERM",
		"false":         "1",
		"if":            "2", // a syntax error
		"exit $LINENO":  "1",
		"cat <<E\nx\nE": "0",
	} {
		t.Run(command, func(t *testing.T) {
			_, short := start(t, command).ends()
			_, long := start(t, command+filler).ends()
			if ended(short) != want || ended(long) != want {
				t.Errorf("exit %s, and %s when long; want %s", ended(short), ended(long), want)
			}
		})
	}
}

// PATH does not have to lead anywhere.
func TestLongCommandNeedsNoPath(t *testing.T) {
	s := spec("# " + strings.Repeat("w", 1<<17) + "\necho fine")
	s.Env = []string{"PATH=/no/such"}
	if text, _ := startSpec(t, s).ends(); text != "fine\n" {
		t.Errorf("%q", text)
	}
}
