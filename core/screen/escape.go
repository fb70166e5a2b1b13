package screen

import uv "github.com/charmbracelet/ultraviolet"

// control obeys a C0 control.
func (f *front) control(b byte) {
	f.last = cluster{}
	switch b {
	case '\b':
		if f.x == 0 && f.y > 0 && f.modes&modeReverseWrap != 0 && f.rows[f.y-1].wrapAt > 0 {
			f.x, f.y = f.w, f.y-1
		}
		f.to(f.x-1, f.y)
	case '\t':
		if !f.wrap {
			f.tab(1)
		}
	case '\n', '\v', '\f':
		f.lineFeed()
		if f.modes&modeNewLine != 0 {
			f.x = 0
		}
	case '\r':
		f.x, f.wrap = 0, false
	case 14, 15: // SO, SI
		f.charset = int(15 - b)
	}
}

// escape obeys ESC and a letter.
func (f *front) escape(b byte) {
	if b != '[' { // REP may follow the character that it repeats
		f.last = cluster{}
	}
	switch b {
	case '[':
		f.state, f.params, f.number, f.prefix, f.inter, f.bad = sequence, f.params[:0], -1, 0, 0, false
	case ']', 'P', 'X', '^', '_':
		f.begin(b)
	case '7':
		f.saved = f.cursor
	case '8':
		f.restore(f.saved)
	case 'c':
		f.countClear()
		f.clearRing()
		f.reset()
	case 'D':
		f.lineFeed()
	case 'E':
		f.lineFeed()
		f.x = 0
	case 'H':
		f.tabs[f.x] = true
	case 'M':
		f.reverseIndex()
	case 'n', 'o': // LS2, LS3
		f.charset = int(b-'n') + 2
	case '=':
		f.modes |= modeKeypad
	case '>':
		f.modes &^= modeKeypad
	}
}

// escapeInter obeys ESC, an intermediate byte and a letter: charsets and DECALN.
func (f *front) escapeInter(b byte) {
	f.last = cluster{}
	switch f.inter {
	case '(', ')', '*', '+':
		f.drawing[f.inter-'('] = b == '0'
	case '#':
		if b == '8' {
			f.align()
		}
	}
}

// align fills the screen with E (DECALN).
func (f *front) align() {
	f.top, f.bot, f.x, f.y, f.wrap = 0, f.h, 0, 0, false
	f.pen, f.link = uv.Style{}, uv.Link{}
	for y, r := range f.rows {
		f.erase(y, 0, f.w)
		r.rest.Content = "E"
	}
}
