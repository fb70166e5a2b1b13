package screen

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

const (
	glyphSlots = 512
	softHyphen = 0xad // a column in xterm.js and tmux, none in x/ansi
)

// cluster is a character with what joins it, as one cell shows it.
type cluster struct {
	text  string
	width int
	open  bool // a character that is wide by itself may still join it
}

// glyph is what is known of a character.
type glyph struct {
	char  rune
	text  string
	width int
	joins joining
	opens bool // a following character may join it
}

type joining uint8

const (
	never  joining = iota
	always         // width 0, marks
	ifOpen         // when the cluster before is open
)

// glyph looks a character up; a small table makes repeated ones cheap. Each has two places in it, so that no two
// characters drive each other out. The result is valid until the next call.
func (f *front) glyph(r rune) *glyph {
	if f.glyphs == nil {
		f.glyphs = new([glyphSlots]glyph)
	}
	i := uint32(r) * 0x9e3779b1 >> 23 // 9 bits: glyphSlots
	g, other := &f.glyphs[i], &f.glyphs[i^1]
	switch r {
	case g.char:
	case other.char:
		g = other
	default:
		*other, *g = *g, newGlyph(r)
	}
	return g
}

func newGlyph(r rune) glyph {
	if ideograph(r) {
		return glyph{char: r, text: string(r), width: 2}
	}
	return measure(r)
}

func measure(r rune) glyph {
	g := glyph{char: r, text: string(r), width: columns(r)}
	follows := func(before string) bool { return isCluster(before + g.text) }
	switch {
	case r == softHyphen:
	case g.width == 0 || follows("a"):
		g.joins = always
	case follows("\u200d\u200d") || follows("👩\u200d") || follows("🇫") || follows("ᄀ") || follows("가") || follows("क्"):
		g.joins = ifOpen
	}
	g.opens = g.joins == always || // regional indicators and the leading consonants of Hangul
		r >= 0x1f1e6 && r <= 0x1f1ff || r >= 0x1100 && r < 0x1200 || r >= 0xa960 && r < 0xa980
	return g
}

// ideograph says whether a character is one of the many that are always two columns and never join. A Chinese or
// Japanese text has more of them than the table holds, and to find out about a character is slow.
func ideograph(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa
}

// columns returns the columns of a character by itself.
func columns(r rune) int {
	if r == softHyphen {
		return 1
	}
	_, w := ansi.FirstGraphemeCluster(string(r), ansi.GraphemeWidth)
	return w
}

// isCluster says whether s is a single cluster.
func isCluster(s string) bool {
	c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(c) == len(s)
}

// nextCluster returns the length of the first cluster of s and its columns: those of its first character, because a
// cluster never gets wider while it grows.
func nextCluster(s string) (length, width int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1, 1
	}
	c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	for _, r := range c {
		return len(c), columns(r)
	}
	return 1, 0
}

// ascii is a printable byte as a string, without an allocation.
func ascii(b byte) string {
	const all = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	return all[b-' ' : b-' '+1]
}

// lineDrawing is the DEC line drawing set. x/vt has unusual signs for two of them (TestTraps).
func lineDrawing(b byte) string {
	switch b {
	case 'y':
		return "≤"
	case 'z':
		return "≥"
	}
	if s, ok := vt.SpecialDrawing[b]; ok {
		return s
	}
	return ascii(b)
}
