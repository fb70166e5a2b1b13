package terminal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/clip"
)

// numbered is lines from first to last, of so many characters.
func numbered(first, last, width int) []string {
	var lines []string
	for i := first; i <= last; i++ {
		line := fmt.Sprintf("line %d ", i)
		lines = append(lines, line+strings.Repeat("x", max(width-len(line), 1)))
	}
	return lines
}

func TestACutKeepsTheScreenAndThenTheNewestLines(t *testing.T) {
	for name, c := range map[string]struct {
		size         core.Viewport
		lines, width int
		screen, off  int // how many lines of each are kept
	}{
		"nothing is cut":                {core.Viewport{Cols: 40, Rows: 10}, 2000, 20, 10, 1990},
		"one line too many":             {core.Viewport{Cols: 40, Rows: 10}, 2001, 20, 10, 1990},
		"many lines too many":           {core.Viewport{Cols: 40, Rows: 10}, 9000, 20, 10, 1990},
		"bytes of lines":                {core.Viewport{Cols: 120, Rows: 10}, 1000, 99, 10, 502},
		"bytes of the screen":           {core.Viewport{Cols: 200, Rows: 400}, 500, 199, 256, 0},
		"a screen of exactly the limit": {core.Viewport{Cols: 200, Rows: 256}, 300, 199, 256, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all := numbered(1, c.lines, c.width)
			var file string
			r := quiet()
			r.Spill = func(text string) (string, int, error) {
				file = text
				return "/spool/t1-output-7.log", 7, nil
			}
			res := resultOn(c.size, r, strings.Join(all, "\n"))
			kept := all[len(all)-c.screen-c.off:]
			if !slices.Equal(res.ScrolledOff, kept[:c.off]) || res.Screen != strings.Join(kept[c.off:], "\n") {
				t.Errorf("%d lines and %d rows were kept, want %d and %d", len(res.ScrolledOff), strings.Count(res.Screen, "\n")+1, c.off, c.screen)
			}
			if size := len(strings.Join(kept, "\n")); len(kept) > clip.MaxLines || size > clip.MaxBytes {
				t.Fatalf("the test wants too much: %d lines, %d bytes", len(kept), size)
			}
			cut := len(kept) < len(all)
			if res.Truncated != cut || cut != (res.FullOutput == "/spool/t1-output-7.log" && res.FullOutputNo == 7) {
				t.Errorf("truncated %v, file %q, %d", res.Truncated, res.FullOutput, res.FullOutputNo)
			}
			if cut && file != strings.Join(all, "\n")+"\n" {
				t.Errorf("the file has %d bytes, not every line", len(file))
			}
		})
	}
}

func TestACutWhoseFileFailsSaysSo(t *testing.T) {
	r := quiet()
	r.Spill = func(string) (string, int, error) { return "", 3, errors.New("disk full") }
	res := resultOn(core.Viewport{Cols: 40, Rows: 10}, r, strings.Join(numbered(1, 3000, 20), "\n"))
	if !res.Truncated || res.FullOutput != "" || len(res.ScrolledOff) != 1990 || !strings.Contains(res.Notice, "disk full") {
		t.Errorf("%v %q %d %q", res.Truncated, res.FullOutput, len(res.ScrolledOff), res.Notice)
	}
}

// The end of a line that is too long by itself is kept, and the session has received the screen all the same.
func TestACutInsideALineKeepsItsEnd(t *testing.T) {
	marks := "e" + strings.Repeat("\u0301", 30)
	r := quiet()
	r.Spill = func(text string) (string, int, error) { return "file", 1, nil }
	res := resultOn(core.Viewport{Cols: 1000, Rows: 1}, r, strings.Repeat(marks, 1000), "")
	whole := strings.Repeat(marks, 1000)
	if !strings.HasSuffix(whole, res.Screen) || len(res.Screen) > clip.MaxBytes || len(res.Screen) < clip.MaxBytes-4 {
		t.Errorf("%d bytes were kept", len(res.Screen))
	}
	if res.Changed {
		t.Error("a screen that was cut counts as changed for ever")
	}
}
