package screen_test

import (
	"strings"
	"testing"

	"termbay/core/screen"
)

func TestRevisionGrowsOnlyWhenSomethingVisibleChanged(t *testing.T) {
	s := screen.New(size(80, 24))
	if r := s.Revision(); r != 0 {
		t.Fatalf("a blank screen has revision %d", r)
	}
	write(t, s, "hello\r\n\x1b[31mred\x1b[m")
	last := s.Revision()
	for _, c := range []struct {
		in      string
		changed bool
	}{
		{"", false},
		{"\x1b[?2004h\x1b[?1h\x1b=\x1b[?1000h\x1b[?12l", false},
		{"\x1b[32m\x1b[m", false},
		{"\a\x00\x7f", false},
		{"\x1b7\x1b[5;5H\x1b8", false},
		{"\x1b[1;1H\x1b[Khello\r\n\x1b[31mred\x1b[m", false}, // the same again
		{"\x1b[2J\x1b[1;1Hhello\r\n\x1b[38;5;1mred\x1b[m", false},
		{"\x1b7\x1b[9;1H\x1b[44mblue\x1b[m\x1b[1K\x1b8", false}, // gone before anybody looked
		{"\x1b7\x1b[9;1Hplain\x1b[9;1H     \x1b8", false},       // blanks are blanks
		{"\x1b7\x1b[9;1H\x1b[58;5;1m     \x1b[m\x1b8", false},   // with a color for underlines too
		{"\x1b[?1049h\x1b[?1049l", false},
		{"\x1b[?2026h", false},
		{"x", true},
		{"y", true},
		{"\b", true},
		{"\x1b[?25l", true},
		{"\x1b[?25l", false},
		{"\x1b]0;title\a", true},
		{"\x1b]2;title\a", false},
		{"\x1b]0;\a", true},
		{"\x1b[1;1H", true},
		{"\x1b[1mhello\x1b[m\x1b[1;1H", true},
		{"\x1b[4mhello\x1b[m\x1b[1;1H", true},
		{"\x1b[31mhello\x1b[m\x1b[1;1H", true},
		{"\x1b[38;2;1;2;3mhello\x1b[m\x1b[1;1H", true},
		{"\x1b]8;;http://a\ahello\x1b]8;;\a\x1b[1;1H", true},
		{"\x1b]8;;http://b\ahello\x1b]8;;\a\x1b[1;1H", true},
		{"e\u0301\x1b[1;1H", true},
		{"世\x1b[1;1H", true},
		{"\x1b[44m\x1b[K\x1b[m", true},
		{"\x1b[2J", true},
		{"\x1b[?1049h", true},
		{"\x1b[?1049l", true},
		{strings.Repeat("x", 80) + "\x1b[1;80H", true},
		{"x", false}, // the wrap is pending, which nobody sees
	} {
		write(t, s, c.in)
		if r := s.Revision(); (r > last) != c.changed || r < last || r > last+1 {
			t.Errorf("%q: revision %d after %d", c.in, r, last)
		} else {
			last = r
		}
	}
	s.Resize(size(80, 24))
	if s.Revision() != last {
		t.Error("the same size is a change")
	}
	s.Resize(size(81, 24))
	if s.Revision() != last+1 {
		t.Error("another size is no change")
	}
}

// Every look names the revision of what it shows.
func TestLooksNameTheRevision(t *testing.T) {
	s := screen.New(size(10, 3))
	for i, in := range []string{"a", "b", "c", "d"} {
		write(t, s, in)
		got := [...]uint64{s.View(0).Revision, s.Snapshot().Revision, s.Place().Revision, s.Revision()}[i]
		if got != uint64(i+1) {
			t.Errorf("look %d has revision %d", i, got)
		}
	}
}
