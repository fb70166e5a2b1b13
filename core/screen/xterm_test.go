package screen_test

import (
	"strings"
	"testing"

	"termbay/core/screen"
)

// What xterm does where programs rely on it and terminals often differ.
func TestDrawsAsXterm(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"REP of a wide character", "世\x1b[2b|", "世世世|"},
		{"REP of a cluster", "e\u0301\x1b[2b|", "e\u0301e\u0301e\u0301|"},
		{"REP of line drawing", "\x1b(0q\x1b[3b\x1b(B|", "────|"},
		{"REP of nothing", "a\r\n\x1b[3b|", "a\n|"},
		{"IRM before wide characters", "世界\r\x1b[4hX", "X世界"},
		{"IRM pushes half a character out", "12345678世\r\x1b[4hX", "X12345678"},
		{"IRM with a wide character", "abc\r\x1b[4h世", "世abc"},
		{"ICH inside a wide character", "a世b\x1b[1;3H\x1b[@X", "a X b"},
		{"a character over the right half", "世\x1b[1;2Hx", " x"},
		{"a character over the left half", "世\rx|", "x|"},
		{"ECH of the right half", "世a\x1b[1;2H\x1b[X", "  a"},
		{"two flags", "🇯🇵🇩🇪|", "🇯🇵🇩🇪|"},
		{"half a flag", "🇯\x1b[1;9Hx\x1b[2;1H🇵", "🇯      x\n🇵"},
		{"a mark at the edge", "123456789e\u0301x", "123456789e\u0301\nx"},
		{"a mark in the first column", "\u0301x", "x"},
		{"a mark after the cursor moved", "ab\x1b[1;2H\u0301", "a\u0301b"},
		{"no autowrap", "\x1b[?7l123456789012X", "123456789X"},
		{"no autowrap for wide characters", "\x1b[?7l123456789世", "123456789"},
		{"no autowrap any more while a wrap is pending", "1234567890\x1b[?7lX", "123456789X"},
		{"reverse wrap over a soft wrap", "\x1b[?45h12345678901\b\bX", "123456789X\n1"},
		{"no reverse wrap over a line end", "\x1b[?45habc\r\n\b\bX", "abc\nX"},
		{"tab stops: set, next, back", "\x1b[1;4H\x1bH\r\tX\x1b[ZY", "   Y"},
		{"tab stops: clear one", "\x1b[1;9H\x1b[g\r\tX", "         X"},
		{"tab stops: clear all", "\x1b[3g\r\tX", "         X"},
		{"tab stops at the edge", "\t\t\tX\tY", "         X\nY"},
		{"DECSTR resets modes", "\x1b[4h\x1b[?7l\x1b[?6h\x1b[2;3r\x1b(0\x1b[!p\x1b[Hab\rcq", "cq"},
		{"DECSTR resets the saved cursor", "\x1b[3;3H\x1b7\x1b[!p\x1b8X", "X"},
		{"DECSTR keeps the screen and the cursor", "ab\x1b[!pc", "abc"},
		{"?1048 saves", "\x1b[2;3H\x1b[?1048h\x1b[H\x1b[?1048lX", "\n  X"},
		{"?1048 saves on each screen", "\x1b[2;3H\x1b[?1048h\x1b[?1047h\x1b[4;5H\x1b[?1048h\x1b[?1047l\x1b[?1048lX", "\n  X"},
		{"?1049 twice, and back", "ab\x1b[?1049h\x1b[3;3H\x1b[?1049hc\x1b[?1049lX", "abX"},
		{"the alternate screen starts blank", "\x1b[?1049hab\x1b[?1049l\x1b[?1049h\x1b[2;1HX", "\nX"},
		{"the alternate screen starts without a region", "\x1b[?1049h\x1b[2;3r\x1b[?1049l\x1b[?1049h\x1b[5;1Ha\r\nb", "\n\n\na\nb"},
		{"a column too narrow for a wide character is erased", "1234567890\x1b[1;10H世", "123456789\n世"},
		{"each screen has its region", "\x1b[2;3r\x1b[?1049h\x1b[5;1Ha\r\nb\x1b[?1049l\x1b[3;1Hc\r\nd", "\nc\nd"},
		{"CSI s whatever ?69 says", "ab\x1b[?69h\x1b[1;5s\x1b[3;3H\x1b[uX", "abX"},
		{"DECOM keeps the cursor in the region", "\x1b[2;3r\x1b[?6h\x1b[9;1HX", "\n\nX"},
		{"a region of one row is refused", "\x1b[2;2r\x1b[5;1Ha\r\nb", "\n\n\na\nb"},
		{"IL and DL outside of the region", "a\r\nb\r\nc\x1b[2;3r\x1b[1;1H\x1b[L\x1b[M", "a\nb\nc"},
		{"DECALN", "\x1b[2;3r\x1b#8\x1b[2J\x1b[5;1Ha\r\nb", "\n\n\na\nb"},
		{"LNM", "\x1b[20habc\nd\x1b[20l\ne", "abc\nd\n e"},
		{"SUB and CAN end a sequence", "\x1b[3\x1aA\x1b]0;t\x18B", "AB"},
		{"ESC ends a sequence", "\x1b[3\x1b[2CA", "  A"},
		{"a prefix in the middle of it is malformed", "\x1b[3?25lA", "A"},
		{"selective erase erases", "abc\x1b[?2Kd\x1b[?2J", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rows(show(t, size(10, 5), c.in)); got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

// The shortcut for ideographs says what the long way says.
func TestGlyphsAreKnownRight(t *testing.T) {
	for r := rune(0xa0); r < 0x20000; r++ {
		if !screen.SameGlyph(r) {
			t.Fatalf("%U", r)
		}
	}
	var all strings.Builder
	for r := rune(0x4e00); r < 0x4e00+4000; r++ { // more than the table of glyphs holds
		all.WriteRune(r)
	}
	if got := strings.ReplaceAll(rows(show(t, size(100, 100), all.String())), "\n", ""); got != all.String() {
		t.Errorf("%q", got)
	}
}
