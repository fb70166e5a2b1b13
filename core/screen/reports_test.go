package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/screen"
)

// Screens that people reported other programs to draw wrong, as a PTY delivers them: LF as CR LF. Pieces are separate
// writes; the cursor is row, column.
func TestReportedScreens(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	layers := strings.Repeat("layer: waiting\n", 3)
	for _, p := range []int{10, 50, 100} {
		layers += "\x1b[3A"
		for i := range 3 {
			layers += fmt.Sprintf("\x1b[2Klayer%d: %d%%\n", i+1, p)
		}
	}
	for _, c := range []struct {
		name   string
		size   core.Viewport
		in     []string
		want   string
		cursor [2]int
	}{
		{"O-D1 9C in a title, BEL", size(120, 40), []string{"\x1b]0;\xe2\x9c\xb3 Claude done\ashown\n"}, "shown", [2]int{1, 0}},
		{"O-D1 9C in a title, ST", size(120, 40), []string{"\x1b]2;\xe6\x9c\xac\xe6\x97\xa5\x1b\\L2\n"}, "L2", [2]int{1, 0}},
		{"O-D2 wide beyond the edge", size(120, 40), []string{zeros(119) + "漢z\n"}, zeros(119) + "\n漢z", [2]int{2, 0}},
		{"O-D2 wide at the edge", size(120, 40), []string{zeros(118) + "漢z\n"}, zeros(118) + "漢\nz", [2]int{2, 0}},
		{"O-D2 pending wrap", size(120, 40), []string{zeros(118) + "漢"}, zeros(118) + "漢", [2]int{0, 119}},
		{"O-D3 region beyond the screen", size(120, 40), []string{"\x1b[1;999r", "top\x1b[H\x1bM", "ok\n", "alive\n"}, "ok\nalive", [2]int{2, 0}},
		{"O-D4 ED 3 keeps the screen", size(20, 4), []string{numbers(1, 50), "\x1b[3J", "after\n"}, "49\n50\nafter", [2]int{3, 0}},
		{"O-D5 CSI s and u", size(120, 40), []string{"10%\x1b[s\x1b[8;1Hstatus\x1b[u 20%\n"}, "10% 20%\n\n\n\n\n\n\nstatus", [2]int{1, 0}},
		{"O-D5 redraw with CSI A", size(120, 40), []string{layers}, "layer1: 100%\nlayer2: 100%\nlayer3: 100%", [2]int{3, 0}},
		{"O-D6 ?1049", size(120, 40), []string{"main1\nmain2\nmain3\n\x1b[?1049h\x1b[H" + numbers(1, 200) + "\x1b[?1049l", "back\n"}, "main1\nmain2\nmain3\nback", [2]int{4, 0}},
		{"O-D6 ?1047", size(120, 40), []string{"main1\n\x1b[?1047h\x1b[Halt\x1b[?1047l\x1b[3;1Hback"}, "main1\n\nback", [2]int{2, 4}},
		{"O-D6 ?47", size(120, 40), []string{"main1\n\x1b[?47h\x1b[Halt\x1b[?47l\x1b[3;1Hback"}, "main1\n\nback", [2]int{2, 4}},
		{"O-D7 line drawing, G0", size(120, 40), []string{"\x1b(0lqk\x1b(B\n\x1b(0x\x1b(B \x1b(0x\x1b(B\n\x1b(0mqj\x1b(B\n"}, "┌─┐\n│ │\n└─┘", [2]int{3, 0}},
		{"O-D7 line drawing, SO and SI", size(120, 40), []string{"\x1b)0\x0elqk\x0f txt\n"}, "┌─┐ txt", [2]int{1, 0}},
		{"O-D9 REP", size(120, 40), []string{"a\x1b[5b|\n"}, "aaaaaa|", [2]int{1, 0}},
		{"O-D9 REP over the edge", size(120, 40), []string{"=\x1b[150b|\n"}, strings.Repeat("=", 120) + "\n" + strings.Repeat("=", 31) + "|", [2]int{2, 0}},
		{"O-D10 split characters", size(120, 40), []string{"\xe6", "\xbc\xa2|", "\xf0\x9f", "\x98\x80|\n", "\x1b[", "31mred\x1b", "[0m|\n"}, "漢|😀|\nred|", [2]int{2, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := screen.New(c.size)
			for _, p := range c.in {
				write(t, s, strings.ReplaceAll(p, "\n", "\r\n"))
			}
			v := s.View(0)
			if got := rows(s); got != c.want {
				t.Errorf("screen\nwant %q\n got %q", c.want, got)
			}
			if at := [2]int{v.Cursor.Row, v.Cursor.Col}; at != c.cursor {
				t.Errorf("cursor is %v, not %v", at, c.cursor)
			}
			if strings.Contains(c.name, "O-D6") && v.Next != 0 {
				t.Errorf("%d lines of the alternate screen scrolled off", v.Next)
			}
		})
	}
}

// numbers is what seq prints.
func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

// O-D9: a huge count neither hangs nor hides what follows.
func TestHugeRepeatEnds(t *testing.T) {
	s := show(t, size(120, 40), "x\x1b[999999999b\r\nDONE\r\n")
	if r := rows(s); !strings.HasSuffix(r, "\nDONE") {
		t.Errorf("screen %q", r)
	}
}

// O-F1: of a million lines the newest are there, in order, and the screen goes on where they end.
func TestAMillionLines(t *testing.T) {
	s := show(t, size(120, 40), strings.ReplaceAll(numbers(1, 1_000_000), "\n", "\r\n"))
	v := s.View(0)
	if v.Next != 1_000_000-39 || v.First != v.Next-screen.MaxLines || len(v.Lines) != screen.MaxLines {
		t.Fatalf("lines %d–%d, %d of them", v.First, v.Next, len(v.Lines))
	}
	for i, l := range v.Lines {
		if l.Text != fmt.Sprint(v.First+i+1) || l.Wrapped {
			t.Fatalf("line %d is %+v", v.First+i, l)
		}
	}
	if want := strings.TrimRight(numbers(v.Next+1, 1_000_000), "\n"); rows(s) != want {
		t.Errorf("screen %q", rows(s))
	}
}

// O-F2: of one line of 10 MB the end is on the screen, and its rows go on in each other.
func TestOneEndlessLine(t *testing.T) {
	s := show(t, size(120, 40), strings.Repeat("x", 10_000_000), "END-MARKER")
	v := s.View(0)
	if !strings.HasSuffix(rows(s), "xEND-MARKER") || !v.Lines[len(v.Lines)-1].Wrapped || v.Next != (10_000_010-1)/120-39 {
		t.Errorf("line %d, screen …%q", v.Next, rows(s)[4000:])
	}
}

// O-F3: numbers say what was missed, and that the screen was cleared.
func TestNothingRepeatedNothingSkipped(t *testing.T) {
	s := show(t, size(80, 24), strings.ReplaceAll(numbers(1, 100), "\n", "\r\n"))
	first := s.View(0)
	if got := first.Lines[0].Text + "…" + first.Lines[len(first.Lines)-1].Text; first.First != 0 || got != "1…77" {
		t.Errorf("first look %d, %s", first.First, got)
	}
	write(t, s, strings.ReplaceAll(numbers(101, 15000), "\n", "\r\n"))
	second := s.View(first.Next)
	if missed := second.First - first.Next; missed != 15000-23-screen.MaxLines-77 || second.Clears != first.Clears {
		t.Errorf("missed %d, %+v", missed, second.Clears)
	}
	write(t, s, "\x1b[H\x1b[2J\x1b[3JAFTER\r\n")
	third := s.View(second.Next)
	if len(third.Lines) != 0 || third.First != third.Next || third.Clears.Screen != 1 || third.Clears.History != 1 || rows(s) != "AFTER" {
		t.Errorf("after the clear: %+v", third)
	}
}
