package screen

import (
	"bytes"
	"unicode/utf8"
)

// minFlood is how many lines must gain by a flood for it to be worth its look-ahead.
const minFlood = 4

// cut is a line of a flood.
type cut struct {
	end   int  // after its CR LF
	cols  int  // at most
	plain bool // printable ASCII only
}

// flood takes lines that will have scrolled off by the end of p from the bytes to the ring. It wants the cursor at the
// start of the blank bottom row and lines of nothing but text and SGR. It returns how many bytes it took, or minus the
// number of bytes in which there is nothing to gain.
//
// The lines that stay on the screen are then printed as usual; the rows they scroll off are marked as ghosts, because
// the ring has what stood there.
func (f *front) flood(p []byte) int {
	if !f.canFlood() {
		return 0
	}
	if bytes.Count(p, []byte{'\n'}) < f.h-1+f.h/4 { // counting is cheap, looking ahead is not
		return -len(p)
	}
	seen := f.survey(p)
	gone := len(f.cuts) - (f.h - 1) // so many lines leave the screen before the end of what was seen
	if gone < minFlood {
		return -max(seen, 1)
	}
	f.push(f.page, f.h-1)
	start := 0
	for _, c := range f.cuts[:gone] {
		f.pushLine(p[start:c.end-2], c)
		start = c.end
	}
	blank := f.blank()
	for y, r := range f.rows {
		r.erase(0, f.w, blank)
		r.ghost = y < f.h-1
	}
	return start
}

func (f *front) canFlood() bool {
	bottom := f.rows[f.y]
	return f.shown == mainScreen && f.top == 0 && f.bot == f.h && f.w > 1 && !f.wrap && !f.drawing[f.charset] &&
		f.modes&(modeWrap|modeInsert) == modeWrap && bottom.used == 0 && bottom.rest.Content == " "
}

// survey finds the lines at the start of p and returns where it stopped looking.
func (f *front) survey(p []byte) int {
	f.cuts = f.cuts[:0]
	c := cut{plain: true}
	joins, run := false, 0 // in this line; bytes of the cluster so far
	for i := 0; ; {
		n := printable(p[i:])
		i, c.cols = i+n, c.cols+n
		if n > 0 {
			run = 0
		}
		if i == len(p) {
			return i
		}
		switch b := p[i]; {
		case b == '\r' && i+1 < len(p) && p[i+1] == '\n':
			if joins && c.cols > f.w { // where such a line wraps is for print to say
				return i
			}
			i += 2
			c.end = i
			f.cuts = append(f.cuts, c)
			c, joins, run = cut{plain: true}, false, 0
		case b == 0x1b:
			n := styleLen(p[i:])
			if n == 0 {
				return i
			}
			i, c.plain = i+n, false
		case b >= 0x80:
			r, n := utf8.DecodeRune(p[i:])
			if r < 0xa0 || r == utf8.RuneError && n == 1 || r == 0xfeff {
				return i
			}
			g := f.glyph(r)
			if g.joins == always && c.cols == 0 || run > maxCluster/2 {
				return i
			}
			c.cols, c.plain = c.cols+max(g.width, 1), false
			if run += n; g.joins == never {
				run = n
			} else {
				joins = true
			}
			i += n
		default:
			return i
		}
	}
}

// pushLine puts a line of a flood into the ring, in rows.
func (f *front) pushLine(line []byte, c cut) {
	if !c.plain {
		line = f.strip(line)
	}
	for c.cols > f.w {
		n, cols := f.w, f.w
		if !c.plain {
			n, cols = f.fit(line)
		}
		if n == len(line) {
			break
		}
		f.ring.push(line[:n], true)
		line, c.cols = line[n:], c.cols-cols
	}
	f.ring.push(bytes.TrimRight(line, " "), false)
}

// fit returns how many bytes of a line fit into a row, and their columns.
func (f *front) fit(line []byte) (n, cols int) {
	for n < len(line) {
		w, size := 1, 1
		if line[n] >= 0x80 {
			var r rune
			r, size = utf8.DecodeRune(line[n:])
			w = f.glyph(r).width
		}
		if cols+w > f.w {
			break
		}
		n, cols = n+size, cols+w
	}
	return n, cols
}

// strip applies the SGR of a line to the pen and returns the text.
func (f *front) strip(line []byte) []byte {
	t := f.line[:0]
	for i := 0; i < len(line); {
		if line[i] == 0x1b {
			n := styleLen(line[i:])
			f.state = escape
			f.parse(line[i+1 : i+n])
			i += n
			continue
		}
		n := bytes.IndexByte(line[i:], 0x1b)
		if n < 0 {
			n = len(line) - i
		}
		t = append(t, line[i:i+n]...)
		i += n
	}
	f.line = t
	return t
}

// styleLen returns the length of the SGR sequence at the start of p, or 0.
func styleLen(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	for i, b := range p[2:] {
		switch {
		case b == 'm':
			return i + 3
		case b < '0' || b > ';':
			return 0
		}
	}
	return 0
}
