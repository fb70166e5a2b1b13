package screen

import (
	"strings"
	"unicode"
)

// EncodeText is text as typed keys: a line end is Enter, everything else goes as it is. It is never bracketed, whatever
// the program asked for (O-C3).
func EncodeText(s string) []byte {
	return []byte(strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(s))
}

// EncodePaste is text as a paste: line ends become CR. When the program asked for brackets (mode 2004) it gets them, and
// control characters but tab and CR are removed, so that nothing in the text can end the paste early (O-C3).
func EncodePaste(s string, m Modes) []byte {
	b := EncodeText(s)
	if !m.BracketedPaste {
		return b
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\r' {
			return -1
		}
		return r
	}, string(b))
	return []byte("\x1b[200~" + s + "\x1b[201~")
}
