package screen

// Match is the text that a wait for text looks at, with what is needed to find a place in it again.
type Match struct {
	Text   string
	Start  int   // number of the line that Text begins with
	starts []int // where each line of the ring, then each row, begins in Text
}

// Place is where typed text would be echoed.
type Place struct {
	Line     int    // absolute number of the cursor's row: Next + row
	Col      int    // from 0; the number of columns while a wrap is pending
	Revision uint64 // of the screen at that moment
	Next     int    // number of the next line to scroll off
}

// Place looks at the cursor.
func (s *Screen) Place() (p Place) {
	s.look(func() {
		f, next := s.front, s.ring.next
		p = Place{Line: next + f.y, Col: f.x, Revision: s.revise(), Next: next}
		if f.wrap {
			p.Col = f.w
		}
	})
	return p
}

// Match returns the scrolled-off lines from number from on and the rows of the screen as one text: '\n' between lines,
// soft-wrapped rows joined, blank rows at the end removed. In the cursor's row blanks up to the cursor are kept, so
// that a prompt ending in a blank is found. On the alternate screen it is the rows only.
func (s *Screen) Match(from int) (m Match) {
	s.look(func() { m = s.front.match(from) })
	return m
}

func (f *front) match(from int) Match {
	first, next := f.ring.bounds()
	m := Match{Start: min(max(from, first), next)}
	if f.shown == alternate {
		m.Start = next
	}
	m.starts = make([]int, 0, next-m.Start+f.h)
	b, joined := f.line[:0], true
	begin := func() {
		if !joined {
			b = append(b, '\n')
		}
		m.starts = append(m.starts, len(b))
	}
	if m.Start < next {
		for line, wrapped := range f.ring.from(m.Start) {
			begin()
			b, joined = append(b, line...), wrapped
		}
	}
	end := len(b) // of the last line that is not blank
	for y, r := range f.rows {
		begin()
		keep := 0
		if y == f.y {
			keep = f.x
		}
		b, joined = r.appendText(b, keep), r.wrapAt > 0
		if r.hasText() {
			end = len(b)
		}
	}
	if m.Text = string(b[:end]); len(b) <= maxPiece { // else too much to hold on to
		f.line = b
	}
	return m
}

// Offset returns the byte offset in Text of a column of a line, both as Place counts them. Outside of the text it is
// the nearest one; in the right half of a character of two columns it is the character's beginning.
func (m Match) Offset(line, col int) int {
	i := line - m.Start
	if i < 0 {
		return 0
	}
	if i >= len(m.starts) {
		return len(m.Text)
	}
	at := min(m.starts[i], len(m.Text))
	for at < len(m.Text) && m.Text[at] != '\n' && (i+1 == len(m.starts) || at < m.starts[i+1]) {
		n, w := nextCluster(m.Text[at:])
		if col -= w; col < 0 {
			break
		}
		at += n
	}
	return at
}
