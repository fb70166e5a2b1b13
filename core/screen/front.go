package screen

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"termbay/core"
)

// The two screens of a terminal.
const (
	mainScreen = iota
	alternate
)

// front interprets a program's bytes and draws on the cells of x/vt, which never sees the bytes. Everything that x/vt
// has no getter for is here: cursor, pending wrap, pen, margins, modes, charsets, tab stops (ADR 0002).
type front struct {
	cursor // where and how the next character is drawn
	*page  // the shown one of pages
	parser
	emulator *vt.Emulator // owns the cells
	pages    [2]*page     // main, alternate
	shown    int          // which of them
	w, h     int
	modes    mode
	mouse    int       // the tracking mode that is on: 9, 1000, 1002, 1003, or 0
	opened   time.Time // when synchronized output began; zero: it is not open
	tabs     []bool
	title    string
	last     cluster // printed right before: repeating and joining need it
	replies  []byte
	ring     *ring
	clears   *Clears

	glyphs *[glyphSlots]glyph // what is known of characters; nil until the first that is not ASCII
	line   []byte             // scratch: the text of a row
	moved  []*row             // scratch: rows that a scroll takes out
	cuts   []cut              // scratch: the lines of a flood
}

// page is one of the two screens: rows, margins and the saved cursor.
type page struct {
	rows     []*row // top first
	saved    cursor
	left     int // the cursor's row when the other screen was shown
	top, bot int // scroll region [top, bot)
}

func newFront(v core.Viewport, r *ring, c *Clears) *front {
	f := &front{w: v.Cols, h: v.Rows, ring: r, clears: c}
	f.makePages()
	f.reset()
	return f
}

// makePages takes the cells of both screens from a new emulator. Its rows lie in memory one cell beside the other and
// stay where they are until it is resized, which we never do (TestRowsStay proves it for v0.1.0).
func (f *front) makePages() {
	f.emulator = vt.NewEmulator(f.w, f.h)
	slim(f.emulator)
	f.emulator.SetScrollbackSize(1)
	for i := range f.pages {
		if i == alternate {
			_, _ = f.emulator.Write([]byte("\x1b[?1047h")) // CellAt knows the cells of the shown screen only
		}
		f.pages[i] = newPage(f.emulator, f.w, f.h)
	}
}

// reset is what RIS does, but for the ring.
func (f *front) reset() {
	f.cursor, f.parser = cursor{}, parser{partial: f.partial[:0], params: f.params[:0], str: f.str[:0]}
	f.modes, f.mouse, f.opened = modeWrap|modeVisible, 0, time.Time{}
	f.title, f.last, f.tabs = "", cluster{}, nil
	f.resizeTabs()
	blank := uv.EmptyCell
	for _, p := range f.pages {
		p.saved, p.left, p.top, p.bot = cursor{}, 0, 0, f.h
		for _, r := range p.rows {
			r.erase(0, f.w, &blank)
		}
	}
	f.show(mainScreen)
}

func (f *front) show(i int) { f.page, f.shown = f.pages[i], i }

// feed takes bytes as they come, cut anywhere.
func (f *front) feed(p []byte) {
	dry := 0 // up to here a flood was sought in vain
	for i := 0; i < len(p); {
		b := p[i]
		switch {
		case f.state != ground:
			i += f.parse(p[i:])
		case len(f.partial) > 0 || b >= 0x80:
			i += f.decode(p[i:])
		case b >= 0x20 && b < 0x7f:
			if f.x == 0 && f.y == f.h-1 && i >= dry {
				n := f.flood(p[i:])
				if n > 0 {
					i += n
					continue
				}
				dry = i - n
			}
			n := printable(p[i:])
			f.print(p[i : i+n])
			i += n
		case b == 0x1b:
			f.state = escape
			i++
		default:
			f.control(b)
			i++
		}
	}
}

// printable returns the length of the printable ASCII at the start of p.
func printable(p []byte) int {
	const lo, hi = 0x2020202020202020, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 { // eight bytes at a time: none below 0x20, none above 0x7e
		v := uint64(p[i]) | uint64(p[i+1])<<8 | uint64(p[i+2])<<16 | uint64(p[i+3])<<24 |
			uint64(p[i+4])<<32 | uint64(p[i+5])<<40 | uint64(p[i+6])<<48 | uint64(p[i+7])<<56
		if (v|(v-lo)|(v+lo>>5))&hi != 0 {
			break
		}
	}
	for i < len(p) && p[i] >= 0x20 && p[i] < 0x7f {
		i++
	}
	return i
}
