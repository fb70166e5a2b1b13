package screen_test

import (
	"math/rand"
	"testing"

	"termbay/core"
	"termbay/core/screen"
)

// part is output at a size.
type part struct {
	size core.Viewport
	out  []byte
}

func parts(r *rand.Rand) (all []part) {
	for range 1 + r.Intn(4) {
		v := size(1+r.Intn(30), 1+r.Intn(14))
		all = append(all, part{v, stream(r, 300+r.Intn(1500), v.Cols, v.Rows)})
	}
	return all
}

// However a stream is cut, the screen, the lines that scrolled off and the replies are those of the reference: fed byte
// by byte, so that there are no runs and no floods, and with nothing left lazy after any of them.
func TestAnyCuttingDrawsTheSame(t *testing.T) {
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		all := parts(r)
		play := func(piece func(n int) int, eager bool) (string, string) {
			s, replies := screen.New(all[0].size), ""
			for _, p := range all {
				s.Resize(p.size)
				for q := p.out; len(q) > 0; {
					k := min(piece(len(q)), len(q))
					write(t, s, string(q[:k]))
					q = q[k:]
					if eager {
						s.Eager()
						replies += string(s.Replies())
					}
				}
				replies += string(s.Replies())
			}
			return dump(s), replies
		}
		want, replies := play(func(int) int { return 1 }, true)
		for name, piece := range map[string]func(int) int{
			"whole":  func(n int) int { return n },
			"pieces": func(int) int { return 1 + r.Intn(600) },
			"bytes":  func(int) int { return 1 },
		} {
			got, answers := play(piece, false)
			if got != want {
				t.Fatalf("seed %d, %s: %s", seed, name, difference(want, got))
			}
			if answers != replies[:min(len(answers), len(replies))] || len(answers) < min(len(replies), screen.MaxReplies/2) {
				t.Fatalf("seed %d, %s: replies\nwant %q\n got %q", seed, name, replies, answers)
			}
		}
	}
}
