package screen

import "termbay/core"

// Head is what a list shows of a screen.
type Head struct {
	Revision uint64
	Viewport core.Viewport
	Title    string // at most 1 KiB, no control characters
}

// Head looks at what a list shows, without the rows.
func (s *Screen) Head() (h Head) {
	s.look(func() { h = Head{Revision: s.revise(), Viewport: s.viewport, Title: s.front.title} })
	return h
}
