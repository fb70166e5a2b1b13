package clip_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"termbay/core/clip"
)

func TestTailKeepsTheNewestLinesWithinPisLimits(t *testing.T) {
	repeat := func(line string, n int) []string { return slices.Repeat([]string{line}, n) }
	long := strings.Repeat("x", 10_000_000) + "END-MARKER"
	for _, c := range []struct {
		name    string
		lines   []string
		kept    []string
		cut     clip.Cut
		partial bool
	}{
		{"nothing", nil, nil, clip.NotCut, false},
		{"one empty line", []string{""}, []string{""}, clip.NotCut, false},
		{"exactly 2000 lines", repeat("a", 2000), repeat("a", 2000), clip.NotCut, false},
		{"2001 lines", append([]string{"old"}, repeat("a", 2000)...), repeat("a", 2000), clip.ByLines, false},
		{"exactly 50 KiB in one line", repeat(strings.Repeat("a", 50<<10), 1), repeat(strings.Repeat("a", 50<<10), 1), clip.NotCut, false},
		{"exactly 50 KiB with its line feeds", repeat(strings.Repeat("a", 1023), 50), repeat(strings.Repeat("a", 1023), 50), clip.NotCut, false},
		{"one byte more", append([]string{""}, repeat(strings.Repeat("a", 1024), 50)...), repeat(strings.Repeat("a", 1024), 49), clip.ByBytes, false},
		{"an empty line costs its line feed", []string{"", strings.Repeat("a", 50<<10)}, repeat(strings.Repeat("a", 50<<10), 1), clip.ByBytes, false},
		{"a long line before a short one is left out whole", []string{long, "end"}, []string{"end"}, clip.ByBytes, false},
		{"a last line of 10 MB keeps its end", []string{"old", long}, []string{long[len(long)-50<<10:]}, clip.ByBytes, true},
		{"both limits at once", append([]string{strings.Repeat("a", 50<<10)}, repeat("a", 2000)...), repeat("a", 2000), clip.ByLines, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, cut, partial := clip.Tail(c.lines, clip.MaxLines, clip.MaxBytes)
			if !slices.Equal(kept, c.kept) || cut != c.cut || partial != c.partial {
				t.Errorf("kept %d lines (wanted %d), cut %q (%q), partial %v (%v)", len(kept), len(c.kept), cut, c.cut, partial, c.partial)
			}
		})
	}
}

func TestTailCutsOnACharacterBorder(t *testing.T) {
	for _, c := range []struct {
		line  string
		limit int
		want  string
	}{
		{"日本語", 9, "日本語"},
		{"日本語", 8, "本語"},
		{"日本語", 6, "本語"},
		{"日本語", 4, "語"},
		{"a😀", 3, ""},
		{"a😀", 4, "😀"},
		{"aé", 1, ""},
		{"abc", 0, ""},
	} {
		kept, _, _ := clip.Tail([]string{c.line}, 1, c.limit)
		if kept[0] != c.want {
			t.Errorf("the last %d bytes of %q: %q, wanted %q", c.limit, c.line, kept[0], c.want)
		}
	}
}

func TestTailIsTheLongestEndThatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.StringOfN(rapid.RuneFrom([]rune("aé日😀 ")), 0, 12, -1)).Draw(t, "lines")
		maxLines := rapid.IntRange(0, 12).Draw(t, "maxLines")
		maxBytes := rapid.IntRange(0, 60).Draw(t, "maxBytes")
		kept, cut, partial := clip.Tail(lines, maxLines, maxBytes)

		text := strings.Join(kept, "\n")
		if len(kept) > maxLines || len(text) > maxBytes {
			t.Fatalf("%d lines, %d bytes are beyond the limits", len(kept), len(text))
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%q is cut inside a character", text)
		}
		if !strings.HasSuffix(strings.Join(lines, "\n"), text) {
			t.Fatalf("%q is not the end of the text", text)
		}
		if (cut == clip.NotCut) != slices.Equal(kept, lines) {
			t.Fatalf("cut is %q", cut)
		}
		if partial {
			if last := lines[len(lines)-1]; len(kept) != 1 || len(last) <= maxBytes {
				t.Fatalf("%q was cut although the last line fits", last)
			}
			return
		}
		if !slices.Equal(kept, lines[len(lines)-len(kept):]) {
			t.Fatal("a line is not whole")
		}
		if more := len(lines) - len(kept) - 1; more >= 0 && len(kept) < maxLines {
			if len(strings.Join(lines[more:], "\n")) <= maxBytes {
				t.Fatalf("one more line would have fitted: %q", lines[more:])
			}
		}
	})
}
