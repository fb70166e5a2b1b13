package screen_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/screen"
)

func TestViewIsOneConsistentLook(t *testing.T) {
	s := show(t, size(10, 3), "one\r\ntwo  \r\n12345678901\r\n\x1b]0;T\a\x1b[?25lend")
	v := s.View(1)
	want := screen.View{
		Revision: 1, Viewport: size(10, 3), Title: "T", First: 0, Next: 2,
		Rows:   []screen.Row{{Text: "1234567890", Wrapped: true}, {Text: "1"}, {Text: "end"}},
		Cursor: screen.Cursor{Row: 2, Col: 3},
		Lines:  []screen.Line{{Text: "two"}},
	}
	if got := fmt.Sprintf("%+v", v); got != fmt.Sprintf("%+v", want) {
		t.Errorf("\nwant %+v\n got %+v", want, v)
	}
	if v := s.View(99); len(v.Lines) != 0 || v.Next != 2 {
		t.Errorf("%+v", v)
	}
}

// The lines of the main screen stay under the alternate one, which has none of its own (L46).
func TestViewOfTheAlternateScreen(t *testing.T) {
	s := show(t, size(10, 2), "a\r\nb\r\nc\x1b[?1049h\x1b[Hedit\r\n\r\n\r\n")
	if v := s.View(0); !v.Alt || rows(s) != "" || v.Next != 1 || v.Lines[0].Text != "a" {
		t.Errorf("%+v", v)
	}
	write(t, s, "\x1b[?1049l")
	if v := s.View(0); v.Alt || rows(s) != "b\nc" {
		t.Errorf("%+v", v)
	}
}

func TestCursorStaysOnTheScreenWhileAWrapIsPending(t *testing.T) {
	s := show(t, size(5, 2), "12345")
	if c, p := s.View(0).Cursor, s.Place(); c.Col != 4 || p.Col != 5 {
		t.Errorf("cursor %+v, place %+v", c, p)
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"OSC 0", "\x1b]0;a;b\a", "a;b"},
		{"OSC 2", "\x1b]2;t\x1b\\", "t"},
		{"OSC 1 is the icon's", "\x1b]1;icon\a", ""},
		{"ended by U+009C", "\x1b]2;✳ t\u009c", "✳ t"},
		{"cancelled", "\x1b]0;t\x18", ""},
		{"controls and bad bytes", "\x1b]0;a\x01b\xffc\u0085d\a", "abcd"},
		{"too long, cut after a character", "\x1b]0;" + strings.Repeat("aé", 2000) + "\a", strings.Repeat("aé", 2000)[:screen.MaxTitle]},
		{"too long, cut before a character that would not fit whole", "\x1b]0;é" + strings.Repeat("aé", 2000) + "\a", ("é" + strings.Repeat("aé", 2000))[:screen.MaxTitle-1]},
		{"RIS", "\x1b]0;t\a\x1bc", ""},
	} {
		if got := show(t, size(9, 2), c.in).View(0).Title; got != c.want {
			t.Errorf("%s: want %q\n got %q", c.name, c.want, got)
		}
	}
}

func TestModesThatTheKeyboardAndTheMouseFollow(t *testing.T) {
	for _, c := range []struct {
		in   string
		want screen.Modes
	}{
		{"", screen.Modes{}},
		{"\x1b[?1h\x1b=\x1b[?2004h", screen.Modes{CursorKeys: true, Keypad: true, BracketedPaste: true}},
		{"\x1b[?1;2004h\x1b[?1;2004l", screen.Modes{}},
		{"\x1b=\x1b>", screen.Modes{}},
		{"\x1b[?66h", screen.Modes{Keypad: true}},
		{"\x1b[?1000h\x1b[?1006h", screen.Modes{Mouse: 1000, MouseSGR: true}},
		{"\x1b[?1000h\x1b[?1003h", screen.Modes{Mouse: 1003}},
		{"\x1b[?1003h\x1b[?1000l", screen.Modes{}},
		{"\x1b[?9h", screen.Modes{Mouse: 9}},
		{"\x1b[?1h\x1b=\x1b[?2004h\x1b[!p", screen.Modes{BracketedPaste: true}},
		{"\x1b[?1h\x1b[?1003;1006;2004h\x1bc", screen.Modes{}},
	} {
		if got := show(t, size(9, 2), c.in).Modes(); got != c.want {
			t.Errorf("%q: want %+v, got %+v", c.in, c.want, got)
		}
	}
}

func TestSynchronizedOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := screen.New(size(9, 2))
		if open, _ := s.Synchronized(); open {
			t.Error("open from the start")
		}
		start := time.Now()
		write(t, s, "\x1b[?2026hhalf")
		time.Sleep(time.Second)
		write(t, s, "\x1b[?2026h painted") // again: it is open since the first time
		if open, since := s.Synchronized(); !open || !since.Equal(start) {
			t.Errorf("open %v since %v, started %v", open, since, start)
		}
		for _, in := range []string{"\x1b[?2026l", "\x1b[?2026h\x1bc"} {
			write(t, s, in)
			if open, _ := s.Synchronized(); open {
				t.Errorf("open after %q", in)
			}
		}
	})
}

func TestResize(t *testing.T) {
	const five = "a\r\nb\r\nc\r\nd\r\ne"
	for _, c := range []struct {
		name, in   string
		from, to   core.Viewport
		then       string
		screen     string
		scrolled   string
		row, place int
	}{
		{"lower: the cursor's row stays", five, size(9, 5), size(9, 2), "X", "d\neX", "a\nb\nc", 1, 2},
		{"lower: rows below the cursor go first", five + "\x1b[2;2H", size(9, 5), size(9, 2), "X", "a\nbX", "", 1, 2},
		{"higher", five, size(9, 5), size(9, 8), "X", "a\nb\nc\nd\neX", "", 4, 2},
		{"narrower: no reflow", "123456789\r\nx", size(9, 3), size(4, 3), "X", "1234\nxX", "", 1, 2},
		{"wider: no reflow", "123456789", size(5, 3), size(9, 3), "X", "12345\n6789X", "", 1, 5},
		{"narrower: half a wide character is none", "abc世", size(5, 1), size(4, 1), "", "abc", "", 0, 3},
		{"a region is forgotten", "\x1b[1;2r" + five, size(9, 5), size(9, 4), "\x1b[4;1H\r\nX", "e\n\n\nX", "a\nb\nc\nd", 3, 1},
		{"under the alternate screen", five + "\x1b[?1049h\x1b[Halt", size(9, 5), size(9, 2), "\x1b[?1049lX", "d\neX", "a\nb\nc", 1, 2},
		{"a saved cursor goes with its row", five + "\x1b[3;2H\x1b7\x1b[5;1H", size(9, 5), size(9, 3), "\x1b8X", "cX\nd\ne", "a\nb", 0, 2},
		{"under the alternate screen, cursor not saved", five + "\x1b[?1047h\x1b[Halt", size(9, 5), size(9, 2), "\x1b[?1047lX", "d  X\ne", "a\nb\nc", 0, 4},
		{"of the alternate screen", "\x1b[?1049h\x1b[H" + five, size(9, 5), size(9, 2), "X", "d\neX", "", 1, 2},
		{"a pending wrap stays pending", "12345", size(5, 2), size(5, 3), "X", "12345\nX", "", 1, 1},
		{"tab stops come with the columns", "", size(4, 1), size(20, 1), "\t\tX", "                X", "", 0, 17},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := show(t, c.from, c.in)
			s.Resize(c.to)
			write(t, s, c.then)
			v := s.View(0)
			if rows(s) != c.screen || ring(s) != c.scrolled || v.Viewport != c.to || v.Cursor.Row != c.row || s.Place().Col != c.place {
				t.Errorf("screen %q, scrolled off %q, cursor %+v, place %+v", rows(s), ring(s), v.Cursor, s.Place())
			}
		})
	}
}
