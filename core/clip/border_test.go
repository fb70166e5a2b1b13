package clip_test

import (
	"testing"

	"termbay/core/clip"
)

func TestBordersOfCharacters(t *testing.T) {
	for p, want := range map[string][2]int{ // Whole, Rest
		"":                 {0, 0},
		"a":                {1, 0},
		"本":                {3, 0},
		"a\xe6":            {1, 0},
		"a\xe6\x9c":        {1, 0},
		"a\xf0\x9f\xa6":    {1, 0},
		"\xf0\x9f\xa6\x80": {4, 0},
		"\x9c\xaca":        {3, 2},
		"\x9f\xa6\x80":     {3, 3},
		"\x80\x80\x80\x80": {4, 3}, // no character is that long
		"a\xff":            {2, 0},
		"a\xe6b":           {3, 0},
	} {
		if whole, rest := clip.Whole([]byte(p)), clip.Rest([]byte(p)); whole != want[0] || rest != want[1] {
			t.Errorf("%q: whole %d, rest %d, want %v", p, whole, rest, want)
		}
	}
}
