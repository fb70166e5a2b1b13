package clip

import "unicode/utf8"

// Whole is the length of p without a character that it begins and does not end. What is no UTF-8 is whole.
func Whole(p []byte) int {
	for i := len(p) - 1; i >= max(0, len(p)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return i
			}
			break
		}
	}
	return len(p)
}

// Rest is how many bytes at the beginning of p belong to a character that began before it, at most three.
func Rest(p []byte) (n int) {
	for n < min(len(p), utf8.UTFMax-1) && !utf8.RuneStart(p[n]) {
		n++
	}
	return n
}
