package screen

import "time"

// mode is a set of the modes that are on. Only modes that we obey are kept: x/vt keeps every number it is told.
type mode uint16

const (
	modeInsert      mode = 1 << iota // 4
	modeNewLine                      // 20
	modeCursorKeys                   // ?1
	modeWrap                         // ?7
	modeBlink                        // ?12
	modeVisible                      // ?25
	modeReverseWrap                  // ?45
	modeKeypad                       // ?66
	modeMouseSGR                     // ?1006
	modePaste                        // ?2004
)

// Modes is what the program has asked of the keyboard and the mouse.
type Modes struct {
	CursorKeys     bool // DECCKM: arrows, Home and End as ESC O
	Keypad         bool // DECNKM: no key that we know of depends on it
	BracketedPaste bool // 2004
	Mouse          int  // what is reported: 0 nothing, 9 presses, 1000 clicks, 1002 drags too, 1003 every move
	MouseSGR       bool // 1006: reports without a limit of 223 columns
}

func (f *front) inputModes() Modes {
	return Modes{
		CursorKeys:     f.modes&modeCursorKeys != 0,
		Keypad:         f.modes&modeKeypad != 0,
		BracketedPaste: f.modes&modePaste != 0,
		Mouse:          f.mouse,
		MouseSGR:       f.modes&modeMouseSGR != 0,
	}
}

// flag returns the mode that is nothing but a flag, or 0.
func flag(private bool, n int) mode {
	if !private {
		switch n {
		case 4:
			return modeInsert
		case 20:
			return modeNewLine
		}
		return 0
	}
	switch n {
	case 1:
		return modeCursorKeys
	case 7:
		return modeWrap
	case 12:
		return modeBlink
	case 25:
		return modeVisible
	case 45:
		return modeReverseWrap
	case 66:
		return modeKeypad
	case 1006:
		return modeMouseSGR
	case 2004:
		return modePaste
	}
	return 0
}

// mode says whether a mode is on, and whether we know it at all (DECRQM).
func (f *front) mode(private bool, n int) (on, known bool) {
	if m := flag(private, n); m != 0 {
		return f.modes&m != 0, true
	}
	if !private {
		return false, false
	}
	switch n {
	case 6:
		return f.origin, true
	case 9, 1000, 1002, 1003:
		return f.mouse == n, true
	case 47, 1047, 1049:
		return f.shown == alternate, true
	case 1048: // there is always a saved cursor
		return true, true
	case 2026:
		return !f.opened.IsZero(), true
	}
	return false, false
}

func (f *front) setMode(private bool, n int, on bool) {
	if m := flag(private, n); m != 0 {
		f.modes &^= m
		if on {
			f.modes |= m
		}
		f.wrap = f.wrap && f.modes&modeWrap != 0
		return
	}
	if !private {
		return
	}
	switch n {
	case 6:
		f.origin = on
		f.place(0, 0)
	case 9, 1000, 1002, 1003: // the last one counts, and any of them switches the mouse off
		f.mouse = 0
		if on {
			f.mouse = n
		}
	case 47, 1047, 1049:
		f.setAlternate(on, n == 1049)
	case 1048:
		if on {
			f.saved = f.cursor
		} else {
			f.restore(f.saved)
		}
	case 2026:
		if !on {
			f.opened = time.Time{}
		} else if f.opened.IsZero() {
			f.opened = time.Now()
		}
	}
}

// setAlternate switches the screen. The cursor goes along; with 1049 it is saved before and restored after, even when
// that screen is shown already, as xterm and xterm.js do.
func (f *front) setAlternate(on, save bool) {
	if on && save {
		f.saved = f.cursor
	}
	switch {
	case on && f.shown == mainScreen:
		f.left = f.y
		f.show(alternate)
		f.top, f.bot = 0, f.h
		for y := range f.rows {
			f.erase(y, 0, f.w)
		}
	case !on:
		f.show(mainScreen)
	}
	if !on && save {
		f.restore(f.saved)
	}
}

// softReset is DECSTR.
func (f *front) softReset() {
	f.top, f.bot, f.saved = 0, f.h, cursor{}
	f.cursor = cursor{x: f.x, y: f.y, wrap: f.wrap}
	f.modes = f.modes&^(modeInsert|modeCursorKeys|modeKeypad) | modeVisible | modeWrap
}
