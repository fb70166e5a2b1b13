package screen_test

import (
	"errors"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/screen"
)

func TestMouseReports(t *testing.T) {
	const no = "" // refused
	for _, c := range []struct {
		name  string
		mouse screen.Mouse
		mode  int
		sgr   string
		old   string
	}{
		{"press in the corner", screen.Mouse{Action: "press"}, 1000, "\x1b[<0;1;1M", "\x1b[M !!"},
		{"press", screen.Mouse{Action: "press", Button: 1, Row: 4, Col: 9}, 1000, "\x1b[<0;10;5M", "\x1b[M *%"},
		{"press of the middle button", screen.Mouse{Action: "press", Button: 2, Row: 4, Col: 9}, 1002, "\x1b[<1;10;5M", "\x1b[M!*%"},
		{"press of the right button", screen.Mouse{Action: "press", Button: 3, Row: 4, Col: 9}, 1003, "\x1b[<2;10;5M", "\x1b[M\"*%"},
		{"press for X10", screen.Mouse{Action: "press", Button: 1, Row: 4, Col: 9}, 9, "\x1b[<0;10;5M", "\x1b[M *%"},
		{"press in the last cell", screen.Mouse{Action: "press", Row: 23, Col: 79}, 1000, "\x1b[<0;80;24M", "\x1b[M p8"},
		{"release", screen.Mouse{Action: "release", Button: 3, Row: 4, Col: 9}, 1000, "\x1b[<2;10;5m", "\x1b[M#*%"},
		{"release for X10", screen.Mouse{Action: "release", Button: 1}, 9, no, no},
		{"drag", screen.Mouse{Action: "move", Button: 1, Row: 4, Col: 9}, 1002, "\x1b[<32;10;5M", "\x1b[M@*%"},
		{"drag with the right button", screen.Mouse{Action: "move", Button: 3, Row: 4, Col: 9}, 1003, "\x1b[<34;10;5M", "\x1b[MB*%"},
		{"drag for clicks only", screen.Mouse{Action: "move", Button: 1}, 1000, no, no},
		{"move", screen.Mouse{Action: "move", Row: 4, Col: 9}, 1003, "\x1b[<35;10;5M", "\x1b[MC*%"},
		{"move for drags only", screen.Mouse{Action: "move"}, 1002, no, no},
		{"wheel up", screen.Mouse{Action: "wheel_up", Row: 4, Col: 9}, 1000, "\x1b[<64;10;5M", "\x1b[M`*%"},
		{"wheel down", screen.Mouse{Action: "wheel_down", Row: 4, Col: 9}, 1003, "\x1b[<65;10;5M", "\x1b[Ma*%"},
		{"wheel for X10", screen.Mouse{Action: "wheel_up"}, 9, no, no},
		{"nobody asked", screen.Mouse{Action: "press"}, 0, no, no},
		{"above", screen.Mouse{Action: "press", Row: -1}, 1000, no, no},
		{"below", screen.Mouse{Action: "press", Row: 24}, 1000, no, no},
		{"left of it", screen.Mouse{Action: "press", Col: -1}, 1000, no, no},
		{"right of it", screen.Mouse{Action: "press", Col: 80}, 1000, no, no},
		{"no such button", screen.Mouse{Action: "press", Button: 4}, 1000, no, no},
		{"no such action", screen.Mouse{Action: "click"}, 1003, no, no},
	} {
		t.Run(c.name, func(t *testing.T) {
			for sgr, want := range map[bool]string{true: c.sgr, false: c.old} {
				got, err := screen.EncodeMouse(c.mouse, size(80, 24), screen.Modes{Mouse: c.mode, MouseSGR: sgr})
				var e *core.Error
				switch {
				case string(got) != want || (want == no) != (err != nil):
					t.Errorf("SGR %v: want %q, got %q, %v", sgr, want, got, err)
				case err != nil && (!errors.As(err, &e) || e.Code != core.Invalid || e.Field != "mouse"):
					t.Errorf("%#v", err)
				}
			}
		})
	}
}

// Reports in single bytes end at column 223.
func TestMouseBeyondTheOldReports(t *testing.T) {
	v, old := size(500, 500), screen.Modes{Mouse: 1000}
	got, err := screen.EncodeMouse(screen.Mouse{Action: "press", Row: 222, Col: 222}, v, old)
	if string(got) != "\x1b[M \xff\xff" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, m := range []screen.Mouse{{Action: "press", Row: 223}, {Action: "press", Col: 223}} {
		if _, err := screen.EncodeMouse(m, v, old); err == nil || !strings.Contains(err.Error(), "up to row and column 222") {
			t.Errorf("%+v: %v", m, err)
		}
		if _, err := screen.EncodeMouse(m, v, screen.Modes{Mouse: 1000, MouseSGR: true}); err != nil {
			t.Error(err)
		}
	}
}

func TestMouseRefusalsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		mouse screen.Mouse
		mode  int
		want  string
	}{
		{screen.Mouse{Action: "press", Row: 24, Col: 3}, 1000, "Row 24, column 3 is outside of the screen; rows are 0–23, columns 0–79."},
		{screen.Mouse{Action: "press"}, 0, "The program did not ask for the mouse; use the keyboard."},
		{screen.Mouse{Action: "move"}, 1000, "The program did not ask for a move of the mouse; use the keyboard."},
		{screen.Mouse{Action: "press", Button: 9}, 1000, "Button 9 does not exist; it is 1 (left), 2 (middle) or 3 (right)."},
		{screen.Mouse{Action: "tap"}, 1000, `"tap" is not a mouse action; use press, release, move, wheel_up or wheel_down.`},
	} {
		if _, err := screen.EncodeMouse(c.mouse, size(80, 24), screen.Modes{Mouse: c.mode}); err == nil || err.Error() != c.want {
			t.Errorf("want %q\n got %v", c.want, err)
		}
	}
}
