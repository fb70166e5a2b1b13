package screen

import uv "github.com/charmbracelet/ultraviolet"

// blank is what erasing leaves: the pen's background and nothing else.
func (f *front) blank() *uv.Cell {
	return &uv.Cell{Content: " ", Width: 1, Style: uv.Style{Bg: f.pen.Bg}}
}

// erase makes columns [from, to) of a row blank. Into a row that is erased whole no text goes on from the one above.
func (f *front) erase(y, from, to int) {
	f.rows[y].erase(from, to, f.blank())
	if from == 0 && to == f.w {
		f.unwrap(y)
	}
}

// unwrap makes row y begin a line of its own.
func (f *front) unwrap(y int) {
	if y > 0 {
		f.rows[y-1].wrapAt = 0
	} else if f.shown == mainScreen {
		f.ring.unwrap()
	}
}

// eraseLine is EL. With a pending wrap the cursor stands behind the last column (xterm.js and tmux).
func (f *front) eraseLine(n int) {
	x := f.x
	if f.wrap {
		x = f.w
	}
	switch n {
	case 0:
		f.erase(f.y, x, f.w)
	case 1:
		f.erase(f.y, 0, min(x+1, f.w))
	case 2:
		f.erase(f.y, 0, f.w)
	}
}

// eraseDisplay is ED.
func (f *front) eraseDisplay(n int) {
	from, to := 0, f.h
	switch n {
	case 0:
		if f.x == 0 && f.y == 0 && f.shown == mainScreen {
			f.countClear()
		}
		f.eraseLine(0)
		from = f.y + 1
	case 1:
		f.eraseLine(1)
		to = f.y
	case 2:
		if f.shown == mainScreen {
			f.countClear()
		}
	case 3:
		f.clearRing()
		return
	default:
		return
	}
	for y := from; y < to; y++ {
		f.erase(y, 0, f.w)
	}
}

// countClear counts that the text of the main screen is about to be lost.
func (f *front) countClear() {
	if f.pages[mainScreen].hasText() {
		f.clears.Screen++
	}
}

func (f *front) clearRing() {
	if f.ring.clear() {
		f.clears.History++
	}
}

func (p *page) hasText() bool {
	for _, r := range p.rows {
		if r.hasText() {
			return true
		}
	}
	return false
}

// mayHaveText is true as well when the screen is too broken to tell.
func (f *front) mayHaveText() (yes bool) {
	defer func() { yes = recover() != nil || yes }()
	return f.pages[mainScreen].hasText()
}

// insert shifts the row at the cursor by n cells to the right, or to the left.
func (f *front) insert(n int) {
	f.wrap = false
	f.rows[f.y].shift(f.x, n, f.blank())
}

// insertRows is IL, or DL when n is negative.
func (f *front) insertRows(n int) {
	if f.y < f.top || f.y >= f.bot {
		return
	}
	f.unwrap(f.y)
	f.x, f.wrap = 0, false
	f.scroll(f.y, f.bot, -n)
}
