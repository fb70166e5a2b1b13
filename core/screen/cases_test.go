package screen_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"termbay/core/screen"
)

// vtCase is a screen as xterm.js 6.0.0 and tmux 3.3a draw it.
type vtCase struct {
	Name       string
	Cols, Rows int
	Chunks     [][]byte `json:"chunks_b64"`
	Agree      bool
	Xterm      struct {
		Screen      []string
		ScrolledOff []string `json:"scrolled_off"`
		Cursor      [2]int
		Title       string
	}
	Tmux struct {
		Screen []string
		Cursor [2]int
	}
}

// exceptions are the cases in which the references differ and we do not draw what xterm.js draws.
var exceptions = map[string]string{
	"DECOM-DECRC": "DECRC restores origin mode on a DEC terminal, on a real xterm and in tmux",
	"DECIC":       "it would copy the whole screen for four bytes; tmux has none, and no terminfo entry names it",
}

func TestCasesOfOtherEmulators(t *testing.T) {
	b, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []vtCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := screen.New(size(c.Cols, c.Rows))
			for _, p := range c.Chunks {
				write(t, s, string(p))
			}
			same := true
			check := func(what, want, got string) {
				if want != got {
					same = false
					if exceptions[c.Name] == "" {
						t.Errorf("%s\nwant %q\n got %q", what, want, got)
					}
				}
			}
			check("screen", trimmed(c.Xterm.Screen), rows(s))
			check("scrolled off", trimmed(c.Xterm.ScrolledOff), strings.TrimRight(ring(s), "\n"))
			check("title", c.Xterm.Title, s.View(0).Title)
			at := [2]int{s.Place().Col, s.View(0).Cursor.Row}
			if same && at != c.Xterm.Cursor && at != c.Tmux.Cursor {
				t.Errorf("cursor is %v; xterm.js %v, tmux %v", at, c.Xterm.Cursor, c.Tmux.Cursor)
			}
			if why := exceptions[c.Name]; why != "" && (same || c.Agree) {
				t.Errorf("no exception any more: %s", why)
			}
		})
	}
}

func trimmed(s []string) string {
	for i := range s {
		s[i] = strings.TrimRight(s[i], " ")
	}
	return strings.TrimRight(strings.Join(s, "\n"), "\n")
}
