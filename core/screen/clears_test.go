package screen_test

import (
	"testing"

	"termbay/core/screen"
)

func TestClearsAreCounted(t *testing.T) {
	const some = "a\r\nb\r\nc\r\nd" // one line of it scrolls off
	for _, c := range []struct {
		name, in        string
		screen, history uint64
	}{
		{"nothing", some, 0, 0},
		{"ED 2", some + "\x1b[2J", 1, 0},
		{"ED 2 on blanks", "\x1b[44m   \x1b[2J\x1b[2J", 0, 0},
		{"ED 0 from home", some + "\x1b[H\x1b[J", 1, 0},
		{"ED 0 from elsewhere", some + "\x1b[1;2H\x1b[J", 0, 0},
		{"ED 1", some + "\x1b[1J", 0, 0},
		{"ED 3", some + "\x1b[3J\x1b[3J", 0, 1},
		{"ED 3 without lines", "a\x1b[3J", 0, 0},
		{"clear", some + "\x1b[H\x1b[2J\x1b[3J", 1, 1},
		{"RIS", some + "\x1bc", 1, 1},
		{"RIS on a blank screen", "\x1bc", 0, 0},
		{"RIS under the alternate screen", some + "\x1b[?1049h\x1bc", 1, 1},
		{"ED 2 of the alternate screen", "a\x1b[?1049h" + some + "\x1b[2J\x1b[H\x1b[J\x1b[?1049l", 0, 0},
		{"ED 2 of E", "\x1b#8\x1b[2J", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := show(t, size(10, 3), c.in).View(0)
			if want := (screen.Clears{Screen: c.screen, History: c.history}); v.Clears != want {
				t.Errorf("want %+v, got %+v", want, v.Clears)
			}
			if c.history > 0 && (v.First != 1 || v.Next != 1) {
				t.Errorf("lines %d–%d after the ring was cleared", v.First, v.Next)
			}
		})
	}
}
