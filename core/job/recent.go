package job

import "unicode/utf8"

const (
	// RecentLimit is how many characters of the newest output are kept for previews and for the end (L119).
	RecentLimit = 64 << 10
	// recentRoom is how many bytes may pile up before the oldest go.
	recentRoom = RecentLimit * utf8.UTFMax
)

// recent is the newest output.
type recent struct{ bytes []byte }

func (r *recent) add(p []byte) {
	if len(p) >= recentRoom { // as many characters as are kept
		r.bytes = append(r.bytes[:0], p[len(p)-recentRoom:]...)
		return
	}
	if len(r.bytes)+len(p) > recentRoom {
		r.bytes = append(r.bytes[:0], newest(r.bytes)...)
	}
	r.bytes = append(r.bytes, p...)
}

// tail is a copy of what is kept.
func (r *recent) tail() []byte { return append([]byte(nil), newest(r.bytes)...) }

// newest is the end of p from its RecentLimit-last character on.
func newest(p []byte) []byte {
	p = p[max(0, len(p)-recentRoom):] // as many characters as are kept, unless it is no UTF-8
	n := 0
	for i := len(p) - 1; i >= 0; i-- {
		if utf8.RuneStart(p[i]) {
			if n++; n == RecentLimit {
				return p[i:]
			}
		}
	}
	return p
}
