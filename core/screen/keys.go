package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"termbay/core"
)

// modifier is what is held while a key is pressed. The bits are those that xterm counts with.
type modifier int

const (
	shift modifier = 1 << iota
	alt
	control
)

// key is a key with a name. It sends plain text, or a sequence made of number and final.
type key struct {
	name   string
	plain  string
	number int
	final  byte // '~': CSI number ~, F1–F4 (P–S): SS3 final, others: CSI final; modified: CSI number ; modifier final
}

// keys are those of terminfo's xterm-256color.
func keys() []key {
	return []key{
		{name: "Enter", plain: "\r"}, {name: "Escape", plain: "\x1b"},
		{name: "ArrowUp", number: 1, final: 'A'}, {name: "ArrowDown", number: 1, final: 'B'},
		{name: "ArrowLeft", number: 1, final: 'D'}, {name: "ArrowRight", number: 1, final: 'C'},
		{name: "Tab", plain: "\t"}, {name: "Backspace", plain: "\x7f"}, {name: "Delete", number: 3, final: '~'},
		{name: "Home", number: 1, final: 'H'}, {name: "End", number: 1, final: 'F'},
		{name: "PageUp", number: 5, final: '~'}, {name: "PageDown", number: 6, final: '~'},
		{name: "Space", plain: " "}, {name: "Insert", number: 2, final: '~'},
		{name: "F1", number: 1, final: 'P'}, {name: "F2", number: 1, final: 'Q'},
		{name: "F3", number: 1, final: 'R'}, {name: "F4", number: 1, final: 'S'},
		{name: "F5", number: 15, final: '~'}, {name: "F6", number: 17, final: '~'}, {name: "F7", number: 18, final: '~'},
		{name: "F8", number: 19, final: '~'}, {name: "F9", number: 20, final: '~'}, {name: "F10", number: 21, final: '~'},
		{name: "F11", number: 23, final: '~'}, {name: "F12", number: 24, final: '~'},
	}
}

// EncodeKey returns what a key sends under the program's modes (L55–L59). Names are matched without case, modifiers
// come in any order: Control+Shift+ArrowUp. Alt+x takes any single printable character as it is written.
// An unknown name is a *core.Error Invalid in field keys, with every name and perhaps a suggestion.
func EncodeKey(name string, m Modes) ([]byte, error) {
	if s, ok := encode(name, m); ok {
		return []byte(s), nil
	}
	shown := name
	if utf8.RuneCountInString(shown) > maxName {
		shown = string([]rune(shown)[:maxName]) + "…"
	}
	detail := fmt.Sprintf("%q is not a key.", shown)
	if s := suggest(name); s != "" {
		detail += fmt.Sprintf(" Did you mean %q?", s)
	}
	return nil, &core.Error{Code: core.Invalid, Field: "keys", Valid: keyNames(), Detail: detail + " Keys: " + keySummary}
}

// CheckKey says whether EncodeKey knows the name, with the same error, before anything is typed (L57).
func CheckKey(name string) error {
	_, err := EncodeKey(name, Modes{})
	return err
}

func encode(name string, m Modes) (string, bool) {
	held, base, ok := splitKey(name)
	if !ok {
		return "", false
	}
	for _, k := range keys() {
		if strings.EqualFold(k.name, base) {
			if k.final == 0 {
				return k.encodePlain(held)
			}
			return k.encode(held, m), true
		}
	}
	return encodeChar(held, base)
}

// splitKey takes the modifiers off a name; each may stand there once.
func splitKey(name string) (held modifier, base string, ok bool) {
	for {
		word, rest, found := strings.Cut(name, "+")
		if !found || rest == "" { // Alt++ is Alt and the plus sign
			return held, name, true
		}
		m := modifier(0)
		switch strings.ToLower(word) {
		case "shift":
			m = shift
		case "alt":
			m = alt
		case "control":
			m = control
		}
		if m == 0 || held&m != 0 {
			return 0, "", false
		}
		held, name = held|m, rest
	}
}

// encode is for keys that send a sequence: modified ones say so in it, others follow DECCKM when they move the cursor.
func (k key) encode(held modifier, m Modes) string {
	switch {
	case held != 0:
		return fmt.Sprintf("\x1b[%d;%d%c", k.number, 1+held, k.final)
	case k.final == '~':
		return fmt.Sprintf("\x1b[%d~", k.number)
	case k.final >= 'P' || m.CursorKeys:
		return "\x1bO" + string(k.final)
	}
	return "\x1b[" + string(k.final)
}

// encodePlain is for keys that send text: only Alt goes with them, Shift with Tab, and Control with Space.
func (k key) encodePlain(held modifier) (string, bool) {
	s := k.plain
	switch {
	case held&^alt == 0:
	case held&^alt == shift && k.name == "Tab":
		s = "\x1b[Z"
	case held&^alt == control && k.name == "Space":
		s = "\x00"
	default:
		return "", false
	}
	return withAlt(s, held), true
}

// encodeChar is for Control with a letter or one of [ \ ] _, and for Alt with any printable character.
func encodeChar(held modifier, base string) (string, bool) {
	r, n := utf8.DecodeRuneInString(base)
	if n != len(base) || r == utf8.RuneError {
		return "", false
	}
	switch {
	case held&^alt == control && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(`[\]_`, r)):
		return withAlt(string(r&0x1f), held), true
	case held == alt && unicode.IsPrint(r):
		return withAlt(base, held), true
	}
	return "", false
}

func withAlt(s string, held modifier) string {
	if held&alt != 0 {
		return "\x1b" + s
	}
	return s
}
