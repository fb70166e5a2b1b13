package screen

import (
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"

	"termbay/core"
)

// Snapshot is one consistent look with styles, for JSON, ANSI, HTML and SVG.
type Snapshot struct {
	Revision uint64
	Viewport core.Viewport
	Rows     [][]Run // all rows, top first; trailing blanks in the default style are left out
	Cursor   Cursor
	Title    string
	Alt      bool
}

// Run is neighbouring cells of one style. A cluster that is two columns wide, or of several code points, is a run by
// itself. So when Text is one grapheme cluster it fills Width columns, otherwise each code point fills one.
type Run struct {
	Text  string
	Width int // columns
	Style Style
}

// Snapshot looks at the cells.
func (s *Screen) Snapshot() (n Snapshot) {
	s.look(func() { n = s.snapshot() })
	return n
}

func (s *Screen) snapshot() Snapshot {
	f := s.front
	n := Snapshot{Revision: s.revise(), Viewport: s.viewport, Cursor: f.where(), Title: f.title, Alt: f.shown == alternate}
	n.Rows = make([][]Run, f.h)
	for y, r := range f.rows {
		n.Rows[y] = f.runs(r)
	}
	return n
}

func (f *front) runs(r *row) (runs []Run) {
	cells := r.visible()
	f.line = f.line[:0]
	var look uv.Cell // style and link of the run so far
	flush := func() {
		if len(f.line) > 0 {
			t := string(f.line)
			runs = append(runs, Run{Text: t, Width: utf8.RuneCountInString(t), Style: newStyle(&look)})
			f.line = f.line[:0]
		}
	}
	for i := range cells {
		c := &cells[i]
		if c.Width == 0 {
			continue
		}
		if c.Style != look.Style || c.Link != look.Link {
			if newStyle(c) != newStyle(&look) {
				flush()
			}
			look.Style, look.Link = c.Style, c.Link
		}
		if c.Width == 1 && f.simple(c.Content) {
			f.line = append(f.line, c.Content...)
			continue
		}
		flush()
		runs = append(runs, Run{Text: c.Content, Width: c.Width, Style: newStyle(&look)})
	}
	flush()
	return runs
}

// simple says whether a cluster is one code point that never joins its neighbours.
func (f *front) simple(s string) bool {
	if len(s) == 1 {
		return true
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) {
		return false
	}
	g := f.glyph(r)
	return g.joins == never && !g.opens
}

// visible returns the cells of a row without trailing blanks in the default style.
func (r *row) visible() []uv.Cell {
	if r.rest.Style.Bg != nil || r.rest.Content != " " {
		r.fill(len(r.cells))
	}
	n := r.used
	for n > 0 && r.cells[n-1].Content == " " && newStyle(&r.cells[n-1]) == (Style{}) {
		n--
	}
	return r.cells[:n]
}
