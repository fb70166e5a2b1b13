package screen

import "termbay/core"

// Line is a line of text, as wide as the screen was: one that scrolled off, or a row of the screen.
type Line struct {
	Text    string // without trailing blanks, except those before the text goes on
	Wrapped bool   // the text goes on in the next line (soft wrap)
}

// Row is a line that still stands on the screen.
type Row = Line

// Cursor is where the next character goes.
type Cursor struct {
	Row, Col int // from 0; Col stays at the last column while a wrap is pending
	Visible  bool
}

// View is one consistent look.
type View struct {
	Revision    uint64
	Viewport    core.Viewport
	Rows        []Row // all rows, top first
	Cursor      Cursor
	Title       string // at most 1 KiB, no control characters
	Alt         bool   // the alternate screen is shown: a full-screen program
	First, Next int    // oldest scrolled-off line kept, and number of the next one; numbers start at 0 and go on (L44)
	Lines       []Line // lines max(from, First) … Next-1, of the main screen only (L46)
	Clears      Clears
}

// View looks at everything, with the scrolled-off lines from number from on.
func (s *Screen) View(from int) (v View) {
	s.look(func() { v = s.view(from) })
	return v
}

func (s *Screen) view(from int) View {
	f := s.front
	v := View{Revision: s.revise(), Viewport: s.viewport, Cursor: f.where(), Title: f.title, Alt: f.shown == alternate, Clears: s.clears}
	v.First, v.Next = s.ring.bounds()
	v.Lines = s.ring.copy(from, v.Next)
	v.Rows = make([]Row, f.h)
	for y, r := range f.rows {
		f.line = r.appendText(f.line[:0], 0)
		v.Rows[y] = Row{string(f.line), r.wrapAt > 0}
	}
	return v
}

// Lines returns at most limit scrolled-off lines from number max(from, first) on, the number of the oldest line kept
// and that of the next line to scroll off.
func (s *Screen) Lines(from, limit int) (lines []Line, first, next int) {
	s.mu.Lock()
	defer s.unlock()
	first, next = s.ring.bounds()
	from = max(from, first)
	return s.ring.copy(from, from+min(limit, MaxLines)), first, next
}

// where returns the cursor as it is seen.
func (f *front) where() Cursor {
	return Cursor{Row: f.y, Col: f.x, Visible: f.modes&modeVisible != 0}
}
