package screen

import (
	"strings"
	"unicode/utf8"
)

const (
	maxName     = 32 // characters of a wrong name that are repeated and compared
	maxDistance = 2  // typing errors that a suggestion forgives

	keySummary = `Enter, Escape, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Tab, Shift+Tab, Backspace, Delete, Home, End, ` +
		`PageUp, PageDown, Space, Insert, F1–F12, Control+A–Control+Z, Control+Space, Control+[, Control+\, Control+], ` +
		`Control+_, Alt+<key>, and Shift+ or Control+ with arrows, Home, End, PageUp, PageDown, Insert, Delete and F1–F12.`
)

// keyNames are all names but those with Alt or with several modifiers.
func keyNames() []string {
	var names, modified []string
	for _, k := range keys() {
		names = append(names, k.name)
		if k.final != 0 {
			modified = append(modified, "Shift+"+k.name, "Control+"+k.name)
		}
	}
	names = append(names, "Shift+Tab")
	for c := 'A'; c <= 'Z'; c++ {
		names = append(names, "Control+"+string(c))
	}
	return append(append(names, "Control+Space", "Control+[", `Control+\`, "Control+]", "Control+_"), modified...)
}

// suggest guesses the key that was meant: CtrlC, Ctrl+C, ^C, C-c, Up, Esc, Return, pgdn, Entre. It returns "" when it
// cannot. Aliases are not accepted as names, because what is typed shall be exact.
func suggest(name string) string {
	if len(name) > maxName {
		return ""
	}
	held, base := modifier(0), strings.TrimSpace(name)
	for {
		m, rest := cutModifier(base)
		if m == 0 {
			break
		}
		held, base = held|m, strings.TrimLeft(rest, "+-_ ")
	}
	guess := canonical(base)
	if held&control != 0 && len(base) == 1 {
		guess = strings.ToUpper(base)
	}
	for _, m := range []struct {
		bit  modifier
		name string
	}{{shift, "Shift+"}, {alt, "Alt+"}, {control, "Control+"}} {
		if held&m.bit != 0 {
			guess = m.name + guess
		}
	}
	if _, ok := encode(guess, Modes{}); ok {
		return guess
	}
	if utf8.RuneCountInString(base) <= 1 {
		return ""
	}
	best, at := "", min(maxDistance, len(name)/3)+1
	for _, n := range keyNames() {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < at {
			best, at = n, d
		}
	}
	return best
}

func cutModifier(s string) (modifier, string) {
	for _, p := range []struct {
		prefix string
		bit    modifier
	}{
		{"control", control}, {"ctrl", control}, {"ctl", control}, {"^", control}, {"c-", control},
		{"shift", shift}, {"s-", shift},
		{"alt", alt}, {"meta", alt}, {"option", alt}, {"m-", alt}, {"a-", alt},
	} {
		if n := len(p.prefix); len(s) >= n && strings.EqualFold(s[:n], p.prefix) {
			return p.bit, s[n:]
		}
	}
	return 0, s
}

// canonical returns the name of the key that others call so, or what it was given.
func canonical(base string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(base))
	switch plain {
	case "return", "cr", "ret", "newline", "linefeed":
		return "Enter"
	case "esc":
		return "Escape"
	case "up", "uparrow":
		return "ArrowUp"
	case "down", "downarrow":
		return "ArrowDown"
	case "left", "leftarrow":
		return "ArrowLeft"
	case "right", "rightarrow":
		return "ArrowRight"
	case "del":
		return "Delete"
	case "ins":
		return "Insert"
	case "bs", "bksp", "bspace":
		return "Backspace"
	case "pgup", "prior":
		return "PageUp"
	case "pgdn", "pgdown", "pagedn", "next":
		return "PageDown"
	case "spacebar", "spc":
		return "Space"
	}
	for _, k := range keys() {
		if strings.EqualFold(k.name, plain) {
			return k.name
		}
	}
	return base
}

// distance is the number of single changes between two names: insert, delete, replace, swap neighbours.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[2] {
		rows[2][j] = j
	}
	for i := range len(a) {
		before, above, row := rows[1], rows[2], rows[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j]+cost, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		rows = [3][]int{before, above, row}
	}
	return rows[2][len(b)]
}
