package screen

import (
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Style is how a cell looks. The zero value is plain text.
type Style struct {
	Fg, Bg                                                          Color
	Bold, Faint, Italic, Underline, Blink, Reverse, Conceal, Strike bool
	Link                                                            string // address of an OSC 8 link: attacker text
}

// Color is the terminal's own colour (the zero value), one of its 256, or RGB. Colours compare with ==.
type Color uint32

const (
	indexed Color = 1 << 24
	direct  Color = 2 << 24
)

// Indexed is color n of the terminal's 256: 0–7, bright 8–15, cube 16–231, grey 232–255.
func Indexed(n uint8) Color { return indexed | Color(n) }

// RGB is a direct color.
func RGB(r, g, b uint8) Color { return direct | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Index returns the number of an indexed color; ok is false for any other.
func (c Color) Index() (n uint8, ok bool) { return uint8(c), c&^0xff == indexed }

// RGB returns the components: of an indexed color those of xterm's palette. ok is false for the terminal's own color.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	if n, ok := c.Index(); ok {
		r, g, b, _ := ansi.IndexedColor(n).RGBA()
		return uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), true
	}
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c != 0
}

func newColor(c color.Color) Color {
	switch c := c.(type) {
	case nil:
		return 0
	case ansi.BasicColor:
		return Indexed(uint8(c))
	case ansi.IndexedColor:
		return Indexed(uint8(c))
	}
	r, g, b, a := c.RGBA()
	if a == 0 {
		return 0
	}
	return RGB(uint8(r>>8), uint8(g>>8), uint8(b>>8))
}

func newStyle(c *uv.Cell) Style {
	a := c.Style.Attrs
	return Style{
		Fg: newColor(c.Style.Fg), Bg: newColor(c.Style.Bg),
		Bold: a&uv.AttrBold != 0, Faint: a&uv.AttrFaint != 0, Italic: a&uv.AttrItalic != 0,
		Underline: c.Style.Underline != uv.UnderlineNone, Blink: a&(uv.AttrBlink|uv.AttrRapidBlink) != 0,
		Reverse: a&uv.AttrReverse != 0, Conceal: a&uv.AttrConceal != 0, Strike: a&uv.AttrStrikethrough != 0,
		Link: c.Link.URL,
	}
}
