package screen

// lineFeed moves down, scrolling at the bottom margin.
func (f *front) lineFeed() {
	f.wrap = false
	if f.y == f.bot-1 {
		f.scrollOff(1)
		f.scroll(f.top, f.bot, 1)
	} else if f.y < f.h-1 {
		f.y++
	}
}

// reverseIndex moves up, scrolling at the top margin.
func (f *front) reverseIndex() {
	f.wrap = false
	if f.y == f.top {
		f.scroll(f.top, f.bot, -1)
	} else if f.y > 0 {
		f.y--
	}
}

// scrollOff puts the n rows that are about to leave the region at its top into the ring: only those of the main screen
// that leave the screen too.
func (f *front) scrollOff(n int) {
	if f.shown == mainScreen && f.top == 0 {
		f.push(f.page, n)
	}
}

// push puts the first n rows of a page into the ring. Rows that a flood has put there already are not put twice.
func (f *front) push(p *page, n int) {
	for _, r := range p.rows[:n] {
		if !r.ghost {
			f.line = r.appendText(f.line[:0], 0)
			f.ring.push(f.line, r.wrapAt > 0)
		}
		r.ghost = false
	}
}

// scroll moves the rows of [top, bot) up by n, or down. It moves headers instead of cells; the rows that come in are
// blank without a write to memory. x/vt copies every cell of the screen: 23 µs for a line feed.
func (f *front) scroll(top, bot, n int) {
	if n < 0 || top > 0 {
		f.unwrap(top) // else the ring's newest line or the row above goes on there as before
	}
	rows := f.rows[top:bot]
	k := min(max(n, -n), len(rows))
	in := rows[len(rows)-k:]
	if n > 0 {
		f.moved = append(f.moved[:0], rows[:k]...)
		copy(rows, rows[k:])
	} else {
		f.moved = append(f.moved[:0], in...)
		copy(rows[k:], rows)
		in = rows[:k]
	}
	copy(in, f.moved)
	blank := f.blank()
	for _, r := range in {
		r.erase(0, f.w, blank)
	}
}
