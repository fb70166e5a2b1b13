package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/screen"
)

func size(cols, rows int) core.Viewport { return core.Viewport{Cols: cols, Rows: rows} }

// show makes a screen and prints to it.
func show(t testing.TB, v core.Viewport, in ...string) *screen.Screen {
	t.Helper()
	s := screen.New(v)
	for _, p := range in {
		write(t, s, p)
	}
	return s
}

func write(t testing.TB, s *screen.Screen, p string) {
	t.Helper()
	if n, err := s.Write([]byte(p)); n != len(p) || err != nil {
		t.Fatalf("Write took %d of %d bytes: %v", n, len(p), err)
	}
	if n, why := s.Faults(); n > 0 {
		t.Fatalf("%.80q: %s", p, why)
	}
}

// rows are the rows of the screen without the blank ones at the end.
func rows(s *screen.Screen) string {
	var all []string
	for _, r := range s.View(0).Rows {
		all = append(all, strings.TrimRight(r.Text, " "))
	}
	return strings.TrimRight(strings.Join(all, "\n"), "\n")
}

// ring is every line that scrolled off; \ marks one that goes on.
func ring(s *screen.Screen) string {
	var all []string
	for _, l := range s.View(0).Lines {
		if l.Wrapped {
			l.Text += `\`
		}
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}

// dump is everything that can be seen.
func dump(s *screen.Screen) string {
	var b strings.Builder
	n, v := s.Snapshot(), s.View(0)
	fmt.Fprintf(&b, "%v %+v col=%d title=%q alt=%v %+v %+v lines %d–%d\n",
		n.Viewport, n.Cursor, s.Place().Col, n.Title, n.Alt, s.Modes(), v.Clears, v.First, v.Next)
	for y, runs := range n.Rows {
		fmt.Fprintf(&b, "%2d %v %q %+v\n", y, v.Rows[y].Wrapped, v.Rows[y].Text, runs)
	}
	for _, l := range v.Lines {
		fmt.Fprintf(&b, "%v %q\n", l.Wrapped, l.Text)
	}
	return b.String()
}

// difference shows the first line in which two dumps differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d of %d\nwant %s\n got %s", i, len(w), w[i], g[min(i, len(g)-1)])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(g), len(w))
}
