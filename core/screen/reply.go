package screen

import (
	"fmt"
	"strconv"
	"strings"
)

const maxReplies = 4 << 10 // bytes of answers that nobody has taken yet

// reply answers a query, or drops the answer when too many wait. x/vt would block until somebody reads.
func (f *front) reply(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); len(f.replies)+len(s) <= maxReplies {
		f.replies = append(f.replies, s...)
	}
}

// query answers what a program may ask with a control sequence.
func (f *front) query(final byte) {
	n := f.arg(0, 0)
	row, col := f.y+1, f.x+1
	if f.origin {
		row -= f.top
	}
	switch int(f.prefix)<<16 | int(f.inter)<<8 | int(final) {
	case 'c': // DA1: a VT220 with colours
		if n == 0 {
			f.reply("\x1b[?62;22c")
		}
	case '>'<<16 | 'c': // DA2
		if n == 0 {
			f.reply("\x1b[>1;10;0c")
		}
	case '>'<<16 | 'q': // XTVERSION
		if n == 0 {
			f.reply("\x1bP>|termbay\x1b\\")
		}
	case 'n': // DSR
		switch n {
		case 5:
			f.reply("\x1b[0n")
		case 6:
			f.reply("\x1b[%d;%dR", row, col)
		}
	case '?'<<16 | 'n':
		if n == 6 {
			f.reply("\x1b[?%d;%dR", row, col)
		}
	case '$'<<8 | 'p':
		f.replyMode("", n)
	case '?'<<16 | '$'<<8 | 'p':
		f.replyMode("?", n)
	case 't':
		if n == 18 {
			f.reply("\x1b[8;%d;%dt", f.h, f.w)
		}
	}
}

// replyMode is DECRQM: 0 not known, 1 set, 2 reset.
func (f *front) replyMode(prefix string, n int) {
	v := 0
	if on, known := f.mode(prefix == "?", n); on {
		v = 1
	} else if known {
		v = 2
	}
	f.reply("\x1b[%s%d;%d$y", prefix, n, v)
}

// replySetting is DECRQSS.
func (f *front) replySetting(q string) {
	switch q {
	case "m":
		sgr := "0"
		if !f.pen.IsZero() {
			sgr += ";" + strings.TrimSuffix(strings.TrimPrefix(f.pen.String(), "\x1b["), "m")
		}
		f.reply("\x1bP1$r%sm\x1b\\", sgr)
	case "r":
		f.reply("\x1bP1$r%d;%dr\x1b\\", f.top+1, f.bot)
	default:
		f.reply("\x1bP0$r\x1b\\")
	}
}

// replyColors answers OSC 4 (pairs of index and ?) and OSC 10, 11, 12: white on black, white cursor. Setting colours
// changes nothing.
func (f *front) replyColors(n int, arg, end string) {
	if n != 4 {
		if arg == "?" {
			level := [...]string{"ffff", "0000", "ffff"}[n-10]
			f.reply("\x1b]%d;rgb:%s/%[2]s/%[2]s%s", n, level, end)
		}
		return
	}
	fields := strings.Split(arg, ";")
	for ; len(fields) >= 2; fields = fields[2:] {
		i, err := strconv.Atoi(fields[0])
		if err != nil || i < 0 || i > 255 || fields[1] != "?" {
			continue
		}
		r, g, b, _ := f.emulator.IndexedColor(i).RGBA()
		f.reply("\x1b]4;%d;rgb:%04x/%04x/%04x%s", i, r, g, b, end)
	}
}
