package screen

import (
	"iter"

	uv "github.com/charmbracelet/ultraviolet"
)

// Eager makes everything real that is done lazily: erased cells, and what is known of the memory under plain text.
func (s *Screen) Eager() {
	for _, p := range s.front.pages {
		for _, r := range p.rows {
			r.fill(len(r.cells))
			r.fancy = len(r.cells)
		}
	}
}

// Break makes the next character panic.
func (s *Screen) Break() { s.front.rows[s.front.y].cells = nil }

// StyleOf is a cell of the emulator as a snapshot shows it.
func StyleOf(c *uv.Cell) Style { return newStyle(c) }

// SameGlyph says whether the shortcuts for a character are right.
func SameGlyph(r rune) bool { return newGlyph(r) == measure(r) }

// Ring is the ring with limits of the test's choice.
type Ring struct{ *ring }

func NewRing(lines, bytes int) Ring { return Ring{newRing(lines, bytes)} }

func (r Ring) Push(line string, wrapped bool)     { r.push([]byte(line), wrapped) }
func (r Ring) Clear() bool                        { return r.clear() }
func (r Ring) Bounds() (first, next int)          { return r.bounds() }
func (r Ring) Copy(from, to int) []Line           { return r.copy(from, to) }
func (r Ring) From(n int) iter.Seq2[[]byte, bool] { return r.from(n) }
func (r Ring) Bytes() int                         { return r.bytes }

const (
	MaxReplies = maxReplies
	MaxCluster = maxCluster
	MaxTitle   = maxTitle
)
