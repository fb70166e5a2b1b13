package screen

import (
	"bytes"

	uv "github.com/charmbracelet/ultraviolet"
)

const (
	maxCluster = 64   // bytes in one cell: no combining bombs
	maxRepeat  = 4096 // of one character by REP; other clusters a quarter
)

// print prints printable ASCII.
func (f *front) print(p []byte) {
	if f.drawing[f.charset] {
		for _, b := range p {
			f.put(lineDrawing(b), 1)
		}
		return
	}
	cell := uv.Cell{Style: f.pen, Link: f.link, Width: 1}
	for len(p) > 0 {
		if f.wrap {
			f.nextRow()
		}
		n := min(len(p), f.w-f.x)
		if f.modes&modeInsert != 0 {
			f.insert(n)
		}
		f.rows[f.y].write(f.x, p[:n], &cell)
		f.last = cluster{text: ascii(p[n-1]), width: 1}
		f.advance(n)
		if p = p[n:]; f.modes&modeWrap == 0 && len(p) > 1 {
			p = p[len(p)-1:] // all of them at the last column: the last one stays
		}
	}
}

// char prints any other character.
func (f *front) char(r rune) {
	g := f.glyph(r)
	switch {
	case r == 0xfeff: // BOM
	case g.joins == always,
		g.joins == ifOpen && f.last.open && isCluster(f.last.text+g.text):
		f.attach(g.text)
	default:
		f.put(g.text, g.width)
		f.last.open = g.opens
	}
}

// attach adds to the cluster left of the cursor. It never gets wider: neither xterm.js nor tmux let VS16 do that. At
// column 0 there is none, and the mark is dropped, as tmux does.
func (f *front) attach(s string) {
	x, r := f.x, f.rows[f.y]
	if !f.wrap {
		x--
	}
	if x < 0 {
		return
	}
	r.fill(x + 1)
	if r.cells[x].Width == 0 && x > 0 {
		x--
	}
	c := &r.cells[x]
	if len(c.Content)+len(s) > maxCluster {
		return
	}
	c.Content += s
	if f.last.text != "" {
		f.last.text, f.last.open = c.Content, true
	}
}

// put prints one cluster.
func (f *front) put(s string, width int) {
	if width > f.w {
		return
	}
	if f.wrap {
		f.nextRow()
	}
	if f.x+width > f.w {
		if f.modes&modeWrap == 0 {
			return
		}
		f.erase(f.y, f.x, f.w) // the column that is too narrow
		f.nextRow()
	}
	if f.modes&modeInsert != 0 {
		f.insert(width)
	}
	f.rows[f.y].put(f.x, &uv.Cell{Content: s, Style: f.pen, Link: f.link, Width: width})
	f.last = cluster{text: s, width: width}
	f.advance(width)
}

func (f *front) advance(n int) {
	if f.x += n; f.x >= f.w {
		f.x, f.wrap = f.w-1, f.modes&modeWrap != 0
	}
}

// nextRow is what an automatic wrap does.
func (f *front) nextRow() {
	r := f.rows[f.y]
	r.wrapAt = f.x
	if f.wrap {
		r.wrapAt = f.w
	}
	r.fill(r.wrapAt)
	f.lineFeed()
	f.x = 0
}

// repeat prints a cluster n times (REP). A count beyond the screen would show nothing else.
func (f *front) repeat(c cluster, n int) {
	n = min(n, f.w*f.h, maxRepeat)
	if len(c.text) == 1 {
		f.print(bytes.Repeat([]byte(c.text), n))
		n = 0
	}
	for n = min(n, maxRepeat/4); n > 0 && c.text != ""; {
		k := min(n, max((f.w-f.x)/c.width, 1))
		inserts := f.modes & modeInsert
		if f.wrap {
			k = 1
		} else if inserts != 0 {
			f.insert(k * c.width) // once, not k times: that would take seconds
			f.modes &^= modeInsert
		}
		for n -= k; k > 0; k-- {
			f.put(c.text, c.width)
		}
		f.modes |= inserts
	}
	f.last = cluster{}
}
