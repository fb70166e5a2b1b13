package screen

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

const maxTitle = 1 << 10 // bytes

// finish obeys a string that is complete. Nothing of it reaches x/vt, which keeps titles of any length and splits links
// at every ';'. A reply ends as the query did.
func (f *front) finish(end string) {
	switch f.kind {
	case 'P':
		if q, ok := bytes.CutPrefix(f.str, []byte("$q")); ok && !f.long {
			f.replySetting(string(q))
		}
	case ']':
		cmd, arg, _ := bytes.Cut(f.str, []byte{';'})
		n, err := strconv.Atoi(string(cmd))
		switch {
		case err != nil:
		case n == 0 || n == 2:
			f.title = clean(arg, maxTitle)
		case f.long: // only a title is worth its beginning
		case n == 8:
			f.setLink(arg)
		case n == 4 || n >= 10 && n <= 12:
			f.replyColors(n, string(arg), end)
		}
	}
}

// setLink is OSC 8: parameters, ';' and an address that may hold further ';'. An empty address ends the link.
func (f *front) setLink(arg []byte) {
	params, url, ok := bytes.Cut(arg, []byte{';'})
	if !ok {
		return
	}
	f.link = uv.Link{}
	if len(url) > 0 {
		f.link = uv.Link{URL: clean(url, maxString), Params: clean(params, maxString)}
	}
}

// clean makes the program's text harmless: valid UTF-8 without controls, at most so many bytes, cut between characters.
func clean(b []byte, most int) string {
	s := strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == utf8.RuneError {
			return -1
		}
		return r
	}, string(b))
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	return s
}
