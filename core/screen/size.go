package screen

import uv "github.com/charmbracelet/ultraviolet"

// resize takes new cells and copies what still fits: no reflow. The row of the cursor stays on the screen, as in xterm
// and tmux: rows above it go to the ring. x/vt's own Resize would cut them off at the bottom.
func (f *front) resize(w, h int) {
	old, cur := f.pages, f.cursor
	f.w, f.h = w, h
	f.makePages()
	for i, p := range f.pages {
		o := old[i]
		p.saved, p.left = o.saved, o.left
		y := &p.left
		if i == f.shown {
			y = &cur.y
		}
		if n := *y - h + 1; n > 0 {
			if i == mainScreen {
				f.push(o, n)
			}
			o.rows = o.rows[n:]
			*y -= n
			p.saved.y -= n // perhaps above the screen: restore moves it in
		}
		p.copyRows(o)
	}
	f.show(f.shown)
	f.resizeTabs()
	f.last = cluster{}
	f.restore(cur)
	f.wrap = cur.wrap && f.x == cur.x && f.x == w-1
}

// copyRows copies the cells that fit from the top left corner.
func (p *page) copyRows(old *page) {
	for y, r := range p.rows[:min(len(p.rows), len(old.rows))] {
		o := old.rows[y]
		o.fill(len(o.cells))
		n := copy(r.cells, o.cells)
		r.used, r.fancy, r.wrapAt = n, min(o.fancy, n), min(o.wrapAt, n)
		r.rest = uv.EmptyCell
		r.mend() // a cluster of two columns may have lost its right half
	}
}
