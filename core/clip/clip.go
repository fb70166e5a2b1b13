// Package clip cuts text: it keeps the newest part of it within limits, counted as Pi counts (L47, L52), and finds the
// borders of characters in bytes. Pure: no goroutines, no I/O.
package clip

import (
	"slices"
	"unicode/utf8"
)

// What Pi lets an agent read at once (L47).
const (
	MaxLines = 2000
	MaxBytes = 50 << 10
)

// Cut says at which limit something was cut.
type Cut string

// The cuts.
const (
	NotCut  Cut = ""      // nothing was cut
	ByLines Cut = "lines" // there were more lines
	ByBytes Cut = "bytes" // there were more bytes
)

// Tail keeps the newest of the lines: whole ones, from the end, at most maxLines of them and at most maxBytes with the
// line feeds between them. Only when the last line alone is longer than maxBytes its end is kept, cut on a character
// border, and partial is true (L52). A line feed that ends the text is no further, empty line: leave it out.
// Neither limit may be negative. kept shares memory with lines unless it is partial.
func Tail(lines []string, maxLines, maxBytes int) (kept []string, cut Cut, partial bool) {
	size := -1 // the first line has no line feed before it
	for i, line := range slices.Backward(lines) {
		if len(lines)-i > maxLines {
			return lines[i+1:], ByLines, false
		}
		size += 1 + len(line)
		switch {
		case size <= maxBytes:
		case i == len(lines)-1:
			return []string{end(line, maxBytes)}, ByBytes, true
		default:
			return lines[i+1:], ByBytes, false
		}
	}
	return lines, NotCut, false
}

// end is the longest end of s that has at most limit bytes and does not begin inside a character.
func end(s string, limit int) string {
	s = s[len(s)-limit:]
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}
