package screen_test

import (
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"termbay/core/screen"
)

func TestRuns(t *testing.T) {
	red, blue := screen.Style{Fg: screen.Indexed(1)}, screen.Style{Bg: screen.Indexed(12)}
	for _, c := range []struct {
		name, in string
		want     []screen.Run // of the first row
	}{
		{"nothing", "", nil},
		{"blanks", "   ", nil},
		{"text", "ab c  ", []screen.Run{{Text: "ab c", Width: 4}}},
		{"two styles", "ab\x1b[31mcd\x1b[m", []screen.Run{{Text: "ab", Width: 2}, {Text: "cd", Width: 2, Style: red}}},
		{"the same style again", "\x1b[31ma\x1b[1m\x1b[22mb\x1b[m\x1b[31mc", []screen.Run{{Text: "abc", Width: 3, Style: red}}},
		{"only the colour of underlines differs", "a\x1b[58;5;1mb\x1b[59mc", []screen.Run{{Text: "abc", Width: 3}}},
		{"wide characters stand alone", "a世b", []screen.Run{{Text: "a", Width: 1}, {Text: "世", Width: 2}, {Text: "b", Width: 1}}},
		{"so do clusters", "xe\u0301é", []screen.Run{{Text: "x", Width: 1}, {Text: "e\u0301", Width: 1}, {Text: "é", Width: 1}}},
		{"coloured blanks", "\x1b[104m  \x1b[m", []screen.Run{{Text: "  ", Width: 2, Style: blue}}},
		{"an erased row", "\x1b[104m\x1b[K", []screen.Run{{Text: strings.Repeat(" ", 12), Width: 12, Style: blue}}},
		{"plain blanks before a style", "\x1b[1;4H\x1b[31mx", []screen.Run{{Text: "   ", Width: 3}, {Text: "x", Width: 1, Style: red}}},
		{"every attribute", "\x1b[1;2;3;4;5;7;8;9mx", []screen.Run{{Text: "x", Width: 1, Style: screen.Style{
			Bold: true, Faint: true, Italic: true, Underline: true, Blink: true, Reverse: true, Conceal: true, Strike: true}}}},
		{"and none of them again", "\x1b[1;2;3;4;5;7;8;9m\x1b[22;23;24;25;27;28;29mx", []screen.Run{{Text: "x", Width: 1}}},
		{"256 colours", "\x1b[38;5;200;48;5;17mx", []screen.Run{{Text: "x", Width: 1, Style: screen.Style{Fg: screen.Indexed(200), Bg: screen.Indexed(17)}}}},
		{"direct colours", "\x1b[38;2;1;2;3m\x1b[48:2::4:5:6mx", []screen.Run{{Text: "x", Width: 1, Style: screen.Style{Fg: screen.RGB(1, 2, 3), Bg: screen.RGB(4, 5, 6)}}}},
		{"black is not the default", "\x1b[30;40mx", []screen.Run{{Text: "x", Width: 1, Style: screen.Style{Fg: screen.Indexed(0), Bg: screen.Indexed(0)}}}},
		{"links", "\x1b]8;id=1;http://a\abc\x1b]8;;\ad", []screen.Run{{Text: "bc", Width: 2, Style: screen.Style{Link: "http://a"}}, {Text: "d", Width: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := show(t, size(12, 2), c.in).Snapshot()
			if d := cmp.Diff(c.want, n.Rows[0]); d != "" || len(n.Rows) != 2 {
				t.Error(d)
			}
		})
	}
}

func TestColors(t *testing.T) {
	for _, c := range []struct {
		color   screen.Color
		r, g, b uint8
		index   bool
		ok      bool
	}{
		{screen.Color(0), 0, 0, 0, false, false},
		{screen.RGB(0, 0, 0), 0, 0, 0, false, true},
		{screen.RGB(1, 2, 3), 1, 2, 3, false, true},
		{screen.Indexed(0), 0, 0, 0, true, true},
		{screen.Indexed(196), 255, 0, 0, true, true},
		{screen.Indexed(255), 238, 238, 238, true, true},
	} {
		r, g, b, ok := c.color.RGB()
		if _, index := c.color.Index(); r != c.r || g != c.g || b != c.b || ok != c.ok || index != c.index {
			t.Errorf("%x is %d %d %d, %v, indexed %v", uint32(c.color), r, g, b, ok, index)
		}
	}
}

// gallery shows one of everything.
const gallery = "\x1b]0;gallery\aplain  text\r\n" +
	"\x1b[1mbold\x1b[m \x1b[2mfaint\x1b[m \x1b[3mitalic\x1b[m \x1b[4mline\x1b[m \x1b[7mreverse\x1b[m \x1b[9mstrike\x1b[m\r\n" +
	"\x1b[31;44mred on blue\x1b[m\x1b[92;103m bright \x1b[38;5;208;48;5;236m 256 \x1b[38;2;1;2;3;48;2;250;251;252m direct \x1b[m\r\n" +
	"\r\n\x1b[42m\x1b[K\x1b[m\r\n世界 e\u0301 👩\u200d💻|\r\n\x1b]8;;http://a/b;c\alink\x1b]8;;\a\r\n" +
	"\x1b[1;35mthis row is as wide as the screen is, and wraps"

func TestANSI(t *testing.T) {
	want, err := os.ReadFile("testdata/gallery.ansi")
	if err != nil {
		t.Fatal(err)
	}
	if got := show(t, size(40, 10), gallery).Snapshot().ANSI(); got != string(want) {
		t.Errorf("want %q\n got %q", want, got)
	}
}

// The ANSI of a screen draws the same cells on another, but for their links.
func TestANSIDrawsTheSameScreen(t *testing.T) {
	check := func(s *screen.Screen) {
		t.Helper()
		n := s.Snapshot()
		again := show(t, n.Viewport, n.ANSI()).Snapshot()
		for _, runs := range n.Rows {
			for i := range runs {
				runs[i].Style.Link = ""
			}
		}
		if d := cmp.Diff(joined(n.Rows), joined(again.Rows)); d != "" {
			t.Fatalf("%v: %q\n%s", n.Viewport, n.ANSI(), d)
		}
	}
	check(show(t, size(40, 10), gallery))
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		w, h := 2+r.Intn(40), 1+r.Intn(20)
		check(show(t, size(w, h), string(stream(r, 1000, w, h))))
	}
}

// joined makes one run of neighbours that differ in nothing.
func joined(rows [][]screen.Run) (all [][]screen.Run) {
	for _, runs := range rows {
		var row []screen.Run
		for _, r := range runs {
			if n := len(row); n > 0 && row[n-1].Style == r.Style {
				row[n-1].Text, row[n-1].Width = row[n-1].Text+r.Text, row[n-1].Width+r.Width
			} else {
				row = append(row, r)
			}
		}
		all = append(all, row)
	}
	return all
}

func TestTextOfASnapshot(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"blanks", "  \r\n\x1b[44m  \x1b[m", ""},
		{"trailing blanks", "a  \r\nb\x1b[44m \x1b[m", "a\nb\n"},
		{"blank rows between and at the end", "a\r\n\r\n\r\nb\r\n\r\n", "a\n\n\nb\n"},
		{"blank rows at the start", "\r\n\r\na", "\n\na\n"},
		{"styles", "\x1b[1mbo\x1b[mld 世 e\u0301", "bold 世 e\u0301\n"},
		{"a soft wrap stays", "12345678901234", "123456789012\n34\n"},
		{"the alternate screen", "main\x1b[?1049h\x1b[Halt", "alt\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(t, size(12, 6), c.in).Snapshot().Text(); got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

func TestHeadIsTheSameLookWithoutRows(t *testing.T) {
	s := show(t, size(20, 3), "\x1b]2;title\aa")
	if want := (screen.Head{Revision: 1, Viewport: size(20, 3), Title: "title"}); s.Head() != want {
		t.Errorf("want %+v, got %+v", want, s.Head())
	}
	s.Resize(size(30, 3))
	write(t, s, "b\x1b]2;\a")
	if h, v := s.Head(), s.View(0); h != (screen.Head{Revision: 2, Viewport: size(30, 3)}) || h.Revision != v.Revision {
		t.Errorf("%+v, revision %d", h, v.Revision)
	}
}
