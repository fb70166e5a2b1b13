package api

import (
	"fmt"
	"strings"
)

// maxTypos is how many letters may differ for a word to be taken for another.
const maxTypos = 2

// didYouMean is a sentence that names the known word nearest to an unknown one, or nothing when none is near.
func didYouMean(word string, known []string) string {
	best, fewest := "", maxTypos+1
	for _, k := range known {
		if typos := apart(strings.ToLower(word), strings.ToLower(k)); typos < fewest {
			best, fewest = k, typos
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// apart is how many letters two words differ in; a part of a word, such as wait of wait_ms, is as near as can be
// suggested.
func apart(a, b string) int {
	switch {
	case len(a) > 2 && strings.Contains(b, a):
		return maxTypos
	case len(a) < 2 || len(a) > len(b)+maxTypos:
		return maxTypos + 1
	}
	return distance(a, b)
}

// distance is how many bytes must be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal, row[j+1] = row[j+1], min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
