package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"termbay/core/screen"
)

// Whatever is pushed, the newest lines are kept, under the numbers they always had, within both limits.
func TestRingKeepsTheNewestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.IntRange(1, 300).Draw(t, "lines")
		limit := rapid.SampledFrom([]int{64 << 10, 200 << 10}).Draw(t, "bytes")
		r, first := screen.NewRing(lines, limit), 0
		var all []screen.Line // every line that ever was
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				n := rapid.IntRange(1, 400).Draw(t, "n")
				width := rapid.SampledFrom([]int{0, 3, 80, 1000}).Draw(t, "width")
				wrapped := rapid.Bool().Draw(t, "wrapped")
				for range n {
					l := screen.Line{Text: strings.Repeat("x", width) + fmt.Sprint(len(all)), Wrapped: wrapped}
					r.Push(l.Text, l.Wrapped)
					all = append(all, l)
				}
			},
			"clear": func(t *rapid.T) {
				a, b := r.Bounds()
				if held := r.Clear(); held != (a < b) {
					t.Fatalf("clear says %v of %d–%d", held, a, b)
				}
				first = len(all)
			},
			"": func(t *rapid.T) {
				a, b := r.Bounds()
				if b != len(all) || a < first || b-a > lines || a == b && first < b {
					t.Fatalf("%d–%d of %d lines, the last clear at %d", a, b, len(all), first)
				}
				if r.Bytes() > limit {
					t.Fatalf("%d bytes", r.Bytes())
				}
				from := rapid.IntRange(-3, len(all)+3).Draw(t, "from")
				to := rapid.IntRange(-3, len(all)+3).Draw(t, "to")
				got, want := r.Copy(from, to), all[a:b][max(min(from, b)-a, 0):]
				if to = min(to, b); to <= max(from, a) {
					want = nil
				} else {
					want = want[:to-max(from, a)]
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("lines %d–%d are %v, not %v", from, to, got, want)
				}
			},
		})
	})
}

func TestRingIsBoundedInBytes(t *testing.T) {
	s := show(t, size(1000, 3), strings.Repeat(strings.Repeat("x", 1000)+"\r\n", 9000))
	v := s.View(0)
	held := 0
	for _, l := range v.Lines {
		held += len(l.Text)
	}
	if v.Next != 8998 || v.First == 0 || held > screen.MaxBytes || held < screen.MaxBytes*9/10 {
		t.Errorf("lines %d–%d hold %d bytes", v.First, v.Next, held)
	}
}

func TestLinesArePaged(t *testing.T) {
	s := show(t, size(10, 2), strings.ReplaceAll(numbers(0, 99), "\n", "\r\n")) // 0–98 scroll off
	for _, c := range []struct {
		from, limit int
		want        string
	}{
		{0, 3, "0 1 2"}, {-5, 2, "0 1"}, {50, 2, "50 51"}, {97, 10, "97 98"}, {99, 10, ""}, {1000, 10, ""}, {5, 0, ""}, {5, -1, ""},
	} {
		lines, first, next := s.Lines(c.from, c.limit)
		var got []string
		for _, l := range lines {
			got = append(got, l.Text)
		}
		if strings.Join(got, " ") != c.want || first != 0 || next != 99 {
			t.Errorf("%d lines from %d: %v of %d–%d", c.limit, c.from, got, first, next)
		}
	}
}

func TestWhatFeedsTheRing(t *testing.T) {
	const three = "a\r\nb\r\nc"
	for _, c := range []struct{ name, in, want string }{
		{"line feeds at the bottom", three + "\r\n\r\n", "a\nb"},
		{"a soft wrap", "123456789012345\r\n\r\n\r\n", "1234567890\\\n12345"},
		{"blanks before a soft wrap", "12345678  12345\r\n\r\n\r\n", "12345678  \\\n12345"},
		{"SU", three + "\x1b[2S", "a\nb"},
		{"SU by more than there is", three + "\x1b[99S", "a\nb\nc"},
		{"IND", three + "\x1bD\x1bD", "a\nb"},
		{"a region at the top", three + "\x1b[1;2r\x1b[2;1H\n", "a"},
		{"a region further down", three + "\x1b[2;3r\x1b[3;1H\n\n\x1b[2S", ""},
		{"DL", three + "\x1b[H\x1b[2M", ""},
		{"RI and SD", three + "\x1b[H\x1bM\x1b[T", ""},
		{"ED 2", three + "\x1b[2J", ""},
		{"the alternate screen", three + "\x1b[?1049h" + three + "\r\n\r\n\r\n\x1b[2S", ""},
		{"a rewritten line in its last form", "10%\r100%\r\n\r\n\r\n", "100%"},
		{"lines of a flood", strings.Repeat("\x1b[31mred\x1b[m 世界\r\n", 40), strings.TrimSuffix(strings.Repeat("red 世界\n", 38), "\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ring(show(t, size(10, 3), c.in)); got != c.want {
				t.Errorf("want %q\n got %q", c.want, got)
			}
		})
	}
}
