package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/screen"
)

func TestMatchJoinsWhatIsOneLine(t *testing.T) {
	for _, c := range []struct {
		name string
		size core.Viewport
		in   string
		from int
		want string
	}{
		{"rows", size(10, 4), "a\r\n\r\nb", 0, "a\n\nb"},
		{"blank rows at the end", size(10, 4), "a\r\n\r\n", 0, "a"},
		{"nothing", size(10, 4), "\r\n\r\n", 0, ""},
		{"a prompt ends in a blank", size(10, 4), "out\r\n$ ", 0, "out\n$ "},
		{"blanks behind the cursor", size(10, 4), "$ \x1b[K    \x1b[1;3H", 0, "$ "},
		{"blanks of another row", size(10, 4), "a   \r\nb", 0, "a\nb"},
		{"blanks before the cursor only", size(10, 4), "a\r\n   ", 0, "a"},
		{"soft wrap", size(5, 4), "123456789\r\nx", 0, "123456789\nx"},
		{"soft wrap at a blank", size(5, 4), "abcd efgh", 0, "abcd efgh"},
		{"soft wrap before a wide character", size(5, 4), "abcd世x", 0, "abcd世x"},
		{"a full row without a wrap", size(5, 4), "12345\r\n678", 0, "12345\n678"},
		{"scrolled-off lines", size(9, 2), "a\r\nb\r\nc\r\nd", 0, "a\nb\nc\nd"},
		{"from a number on", size(9, 2), "a\r\nb\r\nc\r\nd", 1, "b\nc\nd"},
		{"from the screen on", size(9, 2), "a\r\nb\r\nc\r\nd", 2, "c\nd"},
		{"from a number to come", size(9, 2), "a\r\nb\r\nc\r\nd", 99, "c\nd"},
		{"from a number that never was", size(9, 2), "a\r\nb\r\nc\r\nd", -7, "a\nb\nc\nd"},
		{"a line over the border of the ring", size(5, 2), "1234567890123", 0, "1234567890123"},
		{"a line that a flood put there", size(5, 2), strings.Repeat("1234567\r\n", 50) + "end", 97, "67\n1234567\nend"},
		{"the line that went on is deleted", size(5, 3), "123456789012345678\x1b[H\x1b[Mx", 0, "12345\nx2345678"},
		{"scrolled-off lines without a screen", size(9, 2), "a\r\nb\r\nc\x1b[2J\x1b[H", 0, "a"},
		{"alternate screen", size(9, 2), "a\r\nb\r\nc\x1b[?1049h\x1b[Hedit", 0, "edit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(t, c.size, c.in).Match(c.from).Text; got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

// Where the cursor stood is found again in a later text, however far it scrolled and wrapped.
func TestAPlaceIsFoundAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   core.Viewport
		before string
		after  string
		want   string // the text from that place on
	}{
		{"a prompt", size(20, 4), "$ ", "echo hi\r\nhi\r\n$ ", "echo hi\nhi\n$ "},
		{"scrolled away", size(20, 3), "a\r\nb\r\nc\r\n$ ", "x\r\n1\r\n2\r\n3\r\n4\r\n5", "x\n1\n2\n3\n4\n5"},
		{"wrapped in the typed text", size(5, 3), "$ ", "echo hi\r\nhi", "echo hi\nhi"},
		{"scrolled away, a wrapped line before it", size(5, 2), "1234567 ", "x\r\n1\r\n2\r\n3", "x\n1\n2\n3"},
		{"a wrap is pending", size(5, 2), "12345", "678", "678"},
		{"behind wide characters", size(20, 2), "世界 é> ", "x", "x"},
		{"behind joined characters", size(20, 2), "👨\u200d👩> e\u0301 ", "x", "x"},
		{"before the text", size(20, 4), "", "x", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := show(t, c.size, c.before)
			p := s.Place()
			write(t, s, c.after)
			for _, m := range []screen.Match{s.Match(0), s.Match(p.Line)} {
				if got := m.Text[m.Offset(p.Line, p.Col):]; got != c.want {
					t.Errorf("want %q, got %q of %q", c.want, got, m.Text)
				}
			}
		})
	}
}

func TestOffsetStaysInItsLine(t *testing.T) {
	m := show(t, size(5, 3), "a\r\nb\r\n1234567\r\n世x\r\n").Match(1)
	for _, c := range []struct {
		line, col int
		want      string
	}{
		{0, 3, "b\n1234567\n世x"}, // not in the text any more
		{1, 0, "b\n1234567\n世x"},
		{1, 99, "\n1234567\n世x"},
		{2, 2, "34567\n世x"},
		{2, 99, "67\n世x"}, // its part of the line
		{3, 1, "7\n世x"},
		{4, 0, "世x"},
		{4, 1, "世x"},
		{4, 2, "x"},
		{5, 0, ""},
		{99, 0, ""},
	} {
		if at := m.Offset(c.line, c.col); m.Text[at:] != c.want {
			t.Errorf("line %d, column %d is before %q, not %q", c.line, c.col, m.Text[at:], c.want)
		}
	}
}

func TestPlaceNamesTheLineThatTheCursorIsIn(t *testing.T) {
	s := show(t, size(9, 3), "a\r\nb\r\nc\r\nd\r\n$ ")
	if got, want := fmt.Sprintf("%+v", s.Place()), fmt.Sprintf("%+v", screen.Place{Line: 4, Col: 2, Revision: 1, Next: 2}); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}
