package screen

import uv "github.com/charmbracelet/ultraviolet"

// csi obeys a complete control sequence.
func (f *front) csi(final byte) {
	last := f.last
	f.last = cluster{}
	switch int(f.prefix)<<16 | int(f.inter)<<8 | int(final) {
	case 'm':
		uv.ReadStyle(f.params, &f.pen)
	case 'b':
		f.repeat(last, f.arg(0, 1))
	case '?'<<16 | 'J':
		f.eraseDisplay(f.arg(0, 0))
	case '?'<<16 | 'K':
		f.eraseLine(f.arg(0, 0))
	case 'h', 'l', '?'<<16 | 'h', '?'<<16 | 'l':
		for _, p := range f.params {
			f.setMode(f.prefix == '?', p.Param(0), final == 'h')
		}
	case '!'<<8 | 'p':
		f.softReset()
	default:
		if f.prefix|f.inter != 0 || !f.move(final) && !f.edit(final) {
			f.query(final)
		}
	}
}

// move obeys a sequence that only moves the cursor.
func (f *front) move(final byte) bool {
	n := f.arg(0, 1)
	switch final {
	case 'A', 'F':
		f.up(n)
	case 'B', 'E':
		f.down(n)
	case 'C', 'a':
		f.to(f.x+n, f.y)
	case 'D':
		f.to(f.x-n, f.y)
	case 'e':
		f.to(f.x, f.y+n)
	case 'G', '`':
		f.to(n-1, f.y)
	case 'd':
		f.place(n-1, f.x)
	case 'H', 'f':
		f.place(n-1, f.arg(1, 1)-1)
	case 'I':
		if !f.wrap {
			f.tab(n)
		}
	case 'Z':
		f.tab(-n)
	case 's':
		f.saved = f.cursor
	case 'u':
		f.restore(f.saved)
	default:
		return false
	}
	if final == 'E' || final == 'F' {
		f.x = 0
	}
	return true
}

// edit obeys a sequence that changes cells, margins or tab stops.
func (f *front) edit(final byte) bool {
	n := f.arg(0, 1)
	switch final {
	case '@':
		f.insert(n)
	case 'P':
		f.insert(-n)
	case 'X':
		f.wrap = false
		f.erase(f.y, f.x, min(f.x+n, f.w))
	case 'J':
		f.eraseDisplay(f.arg(0, 0))
	case 'K':
		f.eraseLine(f.arg(0, 0))
	case 'L':
		f.insertRows(n)
	case 'M':
		f.insertRows(-n)
	case 'S':
		n = min(n, f.bot-f.top)
		f.scrollOff(n)
		f.scroll(f.top, f.bot, n)
	case 'T':
		f.scroll(f.top, f.bot, -n)
	case 'g':
		switch f.arg(0, 0) {
		case 0:
			f.tabs[f.x] = false
		case 3:
			clear(f.tabs)
		}
	case 'r':
		if bot := min(f.arg(1, f.h), f.h); n < bot { // a region of one row is refused, as in xterm
			f.top, f.bot = n-1, bot
			f.place(0, 0)
		}
	default:
		return false
	}
	return true
}
