package screen

import (
	"unsafe"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// row is a row of the screen: a header that moves, over cells that stay. A scroll moves headers only, and erasing
// writes no cells: those from used on are stale memory that stands for copies of rest.
//
// A cell is 112 bytes, so plain text writes only its content where it can: fancy says where it cannot.
type row struct {
	cells  []uv.Cell
	rest   uv.Cell
	used   int
	fancy  int  // memory below this column may hold styles, links or widths other than 1
	wrapAt int  // columns of it before the text went on in the next row; 0: it did not
	ghost  bool // already in the ring (flood)
}

// newPage makes rows of the shown screen's cells, which are blank. Column 0 leads to the others: x/vt keeps the cells of
// a row side by side.
func newPage(e *vt.Emulator, w, h int) *page {
	p := &page{rows: make([]*row, h), bot: h}
	for y := range p.rows {
		p.rows[y] = &row{cells: unsafe.Slice(e.CellAt(0, y), w), rest: uv.EmptyCell}
	}
	return p
}

// fill makes the stale cells below x real.
func (r *row) fill(x int) {
	if x <= r.used {
		return
	}
	i, plain := r.used, r.rest.Style.Bg == nil
	if !plain {
		r.fancy = max(r.fancy, x)
	}
	for ; i < x && (!plain || i < r.fancy); i++ {
		r.cells[i] = r.rest
	}
	for ; i < x; i++ {
		r.cells[i].Content = r.rest.Content
	}
	r.used = x
}

// split blanks a two-column cluster that a change at x would cut in half.
func (r *row) split(x int) {
	if x <= 0 || x >= r.used || r.cells[x].Width != 0 {
		return
	}
	r.cells[x-1].Empty()
	r.cells[x] = r.cells[x-1]
}

// erase makes [from, to) blank.
func (r *row) erase(from, to int, blank *uv.Cell) {
	if from >= to {
		return
	}
	r.fill(from)
	r.split(from)
	if to == len(r.cells) {
		r.used, r.rest, r.wrapAt = from, *blank, 0
		return
	}
	r.split(to)
	r.fill(to)
	for x := from; x < to; x++ {
		r.cells[x] = *blank
	}
	if blank.Style.Bg != nil {
		r.fancy = max(r.fancy, to)
	}
}

// write puts ASCII at x, in the style of cell.
func (r *row) write(x int, p []byte, cell *uv.Cell) {
	r.fill(x)
	end := x + len(p)
	plain := cell.Style.IsZero() && cell.Link.IsZero()
	if r.fancy > 0 {
		r.split(x)
		r.split(end)
	}
	c, i, whole := r.cells[x:end], 0, len(p)
	if plain {
		whole = min(max(r.fancy-x, 0), len(p))
	} else {
		r.fancy = max(r.fancy, end)
	}
	for ; i < whole; i++ {
		cell.Content = ascii(p[i])
		c[i] = *cell
	}
	for ; i < len(p); i++ {
		c[i].Content = ascii(p[i])
	}
	if plain && x == 0 && end >= r.fancy {
		r.fancy = 0
	}
	r.used = max(r.used, end)
}

// put puts one cluster at x. x/vt would leave the right half of another behind it.
func (r *row) put(x int, cell *uv.Cell) {
	end := x + cell.Width
	r.fill(x)
	r.split(x)
	r.split(end)
	r.cells[x] = *cell
	if cell.Width == 2 {
		r.cells[x+1] = uv.Cell{}
	}
	r.used, r.fancy = max(r.used, end), max(r.fancy, end)
}

// shift moves the cells from x on by n to the right, or to the left.
func (r *row) shift(x, n int, blank *uv.Cell) {
	w := len(r.cells)
	k := min(max(n, -n), w-x)
	r.fill(w)
	c := r.cells[x:]
	gap := c[:k]
	if n > 0 {
		copy(c[k:], c)
	} else {
		copy(c, c[k:])
		gap = c[len(c)-k:]
	}
	for i := range gap {
		gap[i] = *blank
	}
	if r.fancy > 0 || blank.Style.Bg != nil {
		r.fancy = w
	}
	r.mend()
}

// mend blanks halves of two-column clusters that were cut. x/vt leaves them behind.
func (r *row) mend() {
	for x := range r.cells[:min(r.fancy, r.used)] {
		c := &r.cells[x]
		switch {
		case c.Width == 2 && (x+1 == len(r.cells) || r.cells[x+1].Width != 0):
			c.Empty()
		case c.Width == 0 && (x == 0 || r.cells[x-1].Width != 2):
			*c = uv.EmptyCell
		}
	}
}

// hasText says whether anything but blanks stands in it.
func (r *row) hasText() bool {
	if r.rest.Content != " " && r.used < len(r.cells) {
		return true
	}
	for i := range r.cells[:r.used] {
		if c := &r.cells[i]; c.Content != " " && c.Width > 0 {
			return true
		}
	}
	return false
}

// appendText appends its text without trailing blanks, but with those of the first keep columns and those before the
// text goes on in the next row.
func (r *row) appendText(b []byte, keep int) []byte {
	if r.rest.Content != " " { // DECALN
		keep = len(r.cells)
	}
	keep = max(keep, r.wrapAt)
	r.fill(keep)
	kept := len(b)
	for i := range r.cells[:r.used] {
		if s := r.cells[i].Content; len(s) == 1 {
			b = append(b, s[0])
		} else {
			b = append(b, s...)
		}
		if i+1 == keep {
			kept = len(b)
		}
	}
	for len(b) > kept && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
