package screen

import (
	"fmt"

	"termbay/core"
)

// maxOldMouse is the last row or column, from 0, that a report in single bytes can name.
const maxOldMouse = 222

// Mouse is something done with the mouse.
type Mouse struct {
	Action string // press, release, move, wheel_up or wheel_down
	Button int    // 1 left, 2 middle, 3 right; 0 means left, and for a move none
	Row    int    // from 0 at the top, as Cursor counts
	Col    int    // from 0 at the left
}

// EncodeMouse returns the report of it that the program asked for. It is a *core.Error Invalid in field mouse when it
// is outside of the screen, unknown, or nothing that the program wants to hear of.
func EncodeMouse(m Mouse, v core.Viewport, modes Modes) ([]byte, error) {
	code, err := m.code(modes.Mouse)
	switch {
	case err != nil:
		return nil, err
	case m.Row < 0 || m.Row >= v.Rows || m.Col < 0 || m.Col >= v.Cols:
		return nil, badMouse("Row %d, column %d is outside of the screen; rows are 0–%d, columns 0–%d.", m.Row, m.Col, v.Rows-1, v.Cols-1)
	case modes.MouseSGR:
		final := 'M'
		if m.Action == "release" {
			final = 'm'
		}
		return fmt.Appendf(nil, "\x1b[<%d;%d;%d%c", code, m.Col+1, m.Row+1, final), nil
	case m.Row > maxOldMouse || m.Col > maxOldMouse:
		return nil, badMouse("The program understands mouse positions up to row and column %d only; use the keyboard or a smaller viewport.", maxOldMouse)
	}
	if m.Action == "release" { // which button is not told
		code = 3
	}
	return []byte{0x1b, '[', 'M', byte(32 + code), byte(33 + m.Col), byte(33 + m.Row)}, nil
}

// code returns the number of the action, when the program's tracking mode has it.
func (m Mouse) code(mode int) (int, error) {
	if m.Button < 0 || m.Button > 3 {
		return 0, badMouse("Button %d does not exist; it is 1 (left), 2 (middle) or 3 (right).", m.Button)
	}
	code, least := max(m.Button, 1)-1, 1000
	switch m.Action {
	case "press":
		least = 9
	case "release":
	case "move":
		code, least = code+32, 1002
		if m.Button == 0 {
			code, least = 35, 1003
		}
	case "wheel_up":
		code = 64
	case "wheel_down":
		code = 65
	default:
		err := badMouse("%q is not a mouse action; use press, release, move, wheel_up or wheel_down.", m.Action)
		err.Valid = []string{"press", "release", "move", "wheel_up", "wheel_down"}
		return 0, err
	}
	switch {
	case mode == 0:
		return 0, badMouse("The program did not ask for the mouse; use the keyboard.")
	case mode < least:
		return 0, badMouse("The program did not ask for a %s of the mouse; use the keyboard.", m.Action)
	}
	return code, nil
}

func badMouse(format string, args ...any) *core.Error {
	return &core.Error{Code: core.Invalid, Field: "mouse", Detail: fmt.Sprintf(format, args...)}
}
