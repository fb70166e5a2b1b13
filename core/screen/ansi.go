package screen

import (
	"fmt"
	"strconv"
	"strings"
)

// ANSI is the screen as text with SGR (text/x-ansi): CR LF between rows, every row ends in the default style. Written
// to a blank screen of the same size it draws the same cells, without their links.
func (s Snapshot) ANSI() string {
	var b strings.Builder
	for y, runs := range s.Rows {
		if y > 0 {
			b.WriteString("\r\n")
		}
		plain, last := Style{}, Style{}
		for _, r := range runs {
			style := r.Style
			style.Link = ""
			if style != last {
				b.WriteString(style.sgr())
			}
			b.WriteString(r.Text)
			last = style
		}
		if last != plain {
			b.WriteString(plain.sgr())
		}
	}
	return b.String()
}

// sgr is the sequence that makes any style this one.
func (s Style) sgr() string {
	p := []string{"0"}
	for i, on := range [...]bool{s.Bold, s.Faint, s.Italic, s.Underline, s.Blink, false, s.Reverse, s.Conceal, s.Strike} {
		if on {
			p = append(p, strconv.Itoa(i+1))
		}
	}
	p = s.Bg.sgr(s.Fg.sgr(p, 30), 40)
	return "\x1b[" + strings.Join(p, ";") + "m"
}

// sgr appends the parameters of a color; base is 30 for text, 40 for the background.
func (c Color) sgr(p []string, base int) []string {
	n, ok := c.Index()
	switch {
	case c == 0:
		return p
	case !ok:
		return append(p, fmt.Sprintf("%d;2;%d;%d;%d", base+8, uint8(c>>16), uint8(c>>8), uint8(c)))
	case n < 8:
		return append(p, strconv.Itoa(base+int(n)))
	case n < 16:
		return append(p, strconv.Itoa(base+52+int(n)))
	}
	return append(p, fmt.Sprintf("%d;5;%d", base+8, n))
}
