package screen

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	ansiparser "github.com/charmbracelet/x/ansi/parser"
)

const (
	maxString = 2 << 10 // bytes of an OSC or DCS that are kept
	maxParams = 32
	maxNumber = 0xffff // the largest parameter
)

type state uint8

const (
	ground     state = iota
	escape           // after ESC
	escapeMore       // after ESC and an intermediate byte
	sequence         // in CSI
	text             // in OSC, DCS, APC, PM or SOS
)

// parser holds what a write may leave unfinished.
type parser struct {
	state   state
	partial []byte // the beginning of a UTF-8 character

	params        ansi.Params // as uv.ReadStyle wants them
	number        int         // the parameter so far; -1: no digit yet
	prefix, inter byte
	bad           bool // malformed: ends without effect

	kind byte   // which string: ] P X ^ _
	str  []byte // at most maxString of it
	long bool   // it was longer
}

// decode prints one character, or keeps what there is of it. Malformed bytes, raw C1 among them, are dropped, as
// xterm.js and tmux do. It returns how many bytes it took.
func (f *front) decode(p []byte) int {
	had, q := len(f.partial), p
	if had > 0 {
		f.partial = append(f.partial, p[:min(len(p), utf8.UTFMax)]...)
		q = f.partial
	}
	r, n := utf8.DecodeRune(q)
	f.partial = f.partial[:0]
	switch {
	case r == utf8.RuneError && n <= 1 && !utf8.FullRune(q):
		f.partial = append(f.partial, q...)
		return len(p)
	case r == utf8.RuneError && n <= 1: // what was kept is dropped, and p read again from its start
		return max(1-had, 0)
	case r < 0xa0: // C1 in UTF-8: the same as ESC and its letter
		f.state = escape
		f.inEscape(byte(r - 0x40))
	default:
		f.char(r)
	}
	return n - had
}

// parse takes bytes of a sequence until it is complete. It returns how many.
func (f *front) parse(p []byte) int {
	for i, b := range p {
		switch f.state {
		case text:
			f.inText(b)
		case sequence:
			f.inSequence(b)
		default:
			f.inEscape(b)
		}
		if f.state == ground {
			return i + 1
		}
	}
	return len(p)
}

// interrupt handles the bytes that mean the same within every sequence but a string.
func (f *front) interrupt(b byte) {
	switch b {
	case 0x1b:
		f.state = escape
	case 0x18, 0x1a: // CAN, SUB
		f.state = ground
	default:
		f.control(b)
	}
}

func (f *front) inEscape(b byte) {
	switch {
	case b < 0x20:
		f.interrupt(b)
	case b == 0x7f:
	case b > 0x7f:
		f.state = ground
	case b < 0x30:
		f.state, f.inter = escapeMore, b
	case f.state == escapeMore:
		f.state = ground
		f.escapeInter(b)
	default:
		f.state = ground
		f.escape(b)
	}
}

func (f *front) inSequence(b byte) {
	switch {
	case b <= '9' && b >= '0':
		f.number = min(max(f.number, 0)*10+int(b-'0'), maxNumber)
	case b == ';' || b == ':':
		f.param(b == ':')
	case b >= '<' && b <= '?':
		f.bad = f.bad || f.prefix != 0 || f.number >= 0 || len(f.params) > 0
		f.prefix = b
	case b < 0x20:
		f.interrupt(b)
	case b < 0x30:
		f.inter = b
	case b < 0x7f:
		f.state = ground
		if f.number >= 0 || len(f.params) > 0 {
			f.param(false)
		}
		if !f.bad {
			f.csi(b)
		}
	}
}

// param ends a parameter; more: sub-parameters of it follow.
func (f *front) param(more bool) {
	v := f.number
	if v < 0 {
		v = ansiparser.MissingParam
	}
	if more {
		v |= ansiparser.HasMoreFlag
	}
	if len(f.params) < maxParams {
		f.params = append(f.params, ansi.Param(v))
	}
	f.number = -1
}

// arg returns parameter i, or d when it is missing or 0.
func (f *front) arg(i, d int) int {
	if i < len(f.params) {
		if v := f.params[i].Param(0); v != 0 {
			return v
		}
	}
	return d
}

func (f *front) begin(kind byte) {
	f.state, f.kind, f.str, f.long = text, kind, f.str[:0], false
}

// inText ends a string at BEL, ESC (ST begins with it) and U+009C in UTF-8, but not at a byte 9C inside a character.
func (f *front) inText(b byte) {
	n := len(f.str)
	switch {
	case b == 0x07:
		f.state = ground
		f.finish("\a")
	case b == 0x1b:
		f.state = escape
		f.finish("\x1b\\")
	case b == 0x9c && n > 0 && f.str[n-1] == 0xc2 && !f.long:
		f.state, f.str = ground, f.str[:n-1]
		f.finish("\x1b\\")
	case b == 0x18 || b == 0x1a:
		f.state = ground
	case n < maxString:
		f.str = append(f.str, b)
	default:
		f.long = true
	}
}
