package terminal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"termbay/core"
	"termbay/core/screen"
	"termbay/core/settle"
	"termbay/core/terminal"
)

// reader is a session as the laws see it: how many scrolled-off lines it was delivered or told to be missing.
type reader struct {
	cursor terminal.Cursor
	lines  int
	screen string
}

// world is a screen, everything that ever scrolled off it, and two sessions that read it.
type world struct {
	screen   *screen.Screen
	terminal *terminal.Terminal
	off      []string
	printed  int
	readers  [2]reader
}

// output draws p and remembers what scrolled off; it must be less than the ring holds.
func (w *world) output(p string) {
	_, _ = w.screen.Write([]byte(p))
	w.remember()
}

func (w *world) remember() {
	lines, _, _ := w.screen.Lines(len(w.off), screen.MaxLines)
	for _, l := range lines {
		w.off = append(w.off, l.Text)
	}
}

func (w *world) print(n int) {
	var b strings.Builder
	for range n {
		w.printed++
		fmt.Fprintf(&b, "line %d\r\n", w.printed)
	}
	w.output(b.String())
}

// result reads what session i gets next, and checks it against what scrolled off.
func (w *world) result(t *rapid.T, i int, outcome *core.Outcome) (next reader) {
	s := w.readers[i]
	var spilled []string
	res, cursor := w.terminal.Result(s.cursor, terminal.Report{
		ID: "t1", Reason: settle.Quiet, Outcome: outcome,
		Spill: func(text string) (string, int, error) {
			spilled = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			return "file", 1, nil
		},
	})
	next = reader{cursor, s.lines, cursor.Screen}
	if res.Changed != (!s.cursor.Any || cursor.Screen != s.screen) {
		t.Fatalf("changed is %v; the screen %q, before %q", res.Changed, cursor.Screen, s.screen)
	}
	if res.Alt && outcome == nil {
		if len(res.ScrolledOff) > 0 || res.OutputMissing || res.MissingLines > 0 {
			t.Fatalf("on the alternate screen: %d lines, missing %v %d", len(res.ScrolledOff), res.OutputMissing, res.MissingLines)
		}
		return next
	}
	got := res.ScrolledOff
	if res.Truncated {
		rows := 0
		if cursor.Screen != "" {
			rows = strings.Count(cursor.Screen, "\n") + 1
		}
		got = spilled[:len(spilled)-rows]
		if !slices.Equal(res.ScrolledOff, got[len(got)-len(res.ScrolledOff):]) {
			t.Fatal("what was kept of a cut is not its newest part")
		}
	}
	_, first, _ := w.screen.Lines(0, 0)
	if res.MissingLines != max(first-s.lines, 0) || res.MissingLines > 0 && !res.OutputMissing {
		t.Fatalf("%d lines are called missing (%v); read up to %d, kept from %d", res.MissingLines, res.OutputMissing, s.lines, first)
	}
	if want := w.off[s.lines+res.MissingLines:]; !slices.Equal(got, want) {
		t.Fatalf("lines %.200q, want %.200q", got, want)
	}
	next.lines = len(w.off)
	return next
}

// Whatever happens, each session is delivered every line that scrolled off once, in order, or told that it is missing
// (L33, L40–L44); what was not delivered comes again.
func TestEachSessionReceivesEveryScrolledOffLineOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{screen: screen.New(core.Viewport{Cols: 12, Rows: 4})}
		w.terminal = terminal.Around(w.screen)
		session := rapid.IntRange(0, 1)
		t.Repeat(map[string]func(*rapid.T){
			"print":  func(t *rapid.T) { w.print(rapid.IntRange(1, 30).Draw(t, "lines")) },
			"wrap":   func(*rapid.T) { w.output(strings.Repeat("wide ", 12) + "\r\n") },
			"part":   func(*rapid.T) { w.output("part") },
			"redraw": func(*rapid.T) { w.output("\x1b[2J\x1b[Hredrawn\r\n") },
			"forget": func(*rapid.T) { w.output("\x1b[3J") },
			"reset":  func(*rapid.T) { w.output("\x1bc") },
			"full":   func(*rapid.T) { w.output("\x1b[?1049h\x1b[H") },
			"back":   func(*rapid.T) { w.output("\x1b[?1049l") },
			"resize": func(t *rapid.T) {
				w.screen.Resize(core.Viewport{Cols: rapid.IntRange(6, 20).Draw(t, "cols"), Rows: rapid.IntRange(1, 6).Draw(t, "rows")})
				w.remember()
			},
			"flood": func(t *rapid.T) {
				for range rapid.SampledFrom([]int{1, 1, 2, 12}).Draw(t, "thousands") {
					w.print(1000)
				}
			},
			"delivered": func(t *rapid.T) {
				i := session.Draw(t, "session")
				next := w.result(t, i, nil)
				if w.readers[i].cursor.Merge(next.cursor) != next.cursor {
					t.Fatal("a result that was delivered does not count")
				}
				w.readers[i] = next
			},
			"lost": func(t *rapid.T) { w.result(t, session.Draw(t, "session"), nil) },
			"at once": func(t *rapid.T) { // a result that was made first and delivered last moves nothing back
				i := session.Draw(t, "session")
				early := w.result(t, i, nil)
				w.print(rapid.IntRange(0, 6).Draw(t, "between"))
				if rapid.Bool().Draw(t, "forget") {
					w.output("\x1b[3J")
				}
				late := w.result(t, i, nil)
				w.readers[i] = late
				if late.cursor.Merge(early.cursor) != late.cursor || early.cursor.Merge(late.cursor) != late.cursor {
					t.Fatal("of two results at once the later look does not count")
				}
			},
		})
		exit := core.ExitCode(0, began)
		for i := range w.readers {
			if s := w.result(t, i, &core.Outcome{Cause: core.CauseExit, Exit: exit}); s.lines != len(w.off) {
				t.Fatalf("after the final result session %d has %d of %d lines", i, s.lines, len(w.off))
			}
		}
	})
}
