package screen

import uv "github.com/charmbracelet/ultraviolet"

// cursor is what DECSC saves.
type cursor struct {
	x, y    int
	wrap    bool    // the next character wraps first; x is the last column
	origin  bool    // rows count from the top of the region
	charset int     // which of G0–G3 characters are taken from
	drawing [4]bool // which of them are the line drawing set
	pen     uv.Style
	link    uv.Link
}

// restore is DECRC: origin mode comes back with the cursor, as on a DEC terminal and xterm (xterm.js forgets it).
func (f *front) restore(c cursor) {
	f.cursor = c
	f.to(c.x, c.y)
}

// to moves the cursor, inside the screen; a pending wrap is forgotten.
func (f *front) to(x, y int) {
	f.x, f.y, f.wrap = min(max(x, 0), f.w-1), min(max(y, 0), f.h-1), false
}

// place moves to a position that origin mode makes relative to the region.
func (f *front) place(y, x int) {
	if f.origin {
		y = min(y+f.top, f.bot-1)
	}
	f.to(x, y)
}

// up stops at the top margin when it starts below it.
func (f *front) up(n int) {
	limit := 0
	if f.y >= f.top {
		limit = f.top
	}
	f.to(f.x, max(f.y-n, limit))
}

// down stops at the bottom margin when it starts above it.
func (f *front) down(n int) {
	limit := f.h - 1
	if f.y < f.bot {
		limit = f.bot - 1
	}
	f.to(f.x, min(f.y+n, limit))
}

// tab moves over n tab stops, to the left when n is negative.
func (f *front) tab(n int) {
	x := f.x
	for ; n > 0 && x < f.w-1; n-- {
		for x++; x < f.w-1 && !f.tabs[x]; x++ {
		}
	}
	for ; n < 0 && x > 0; n++ {
		for x--; x > 0 && !f.tabs[x]; x-- {
		}
	}
	f.to(x, f.y)
}

func (f *front) resizeTabs() {
	for x := len(f.tabs); x < f.w; x++ {
		f.tabs = append(f.tabs, x%8 == 0)
	}
	f.tabs = f.tabs[:f.w]
}
