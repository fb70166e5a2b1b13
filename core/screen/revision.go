package screen

import (
	"encoding/binary"
	"hash/maphash"

	uv "github.com/charmbracelet/ultraviolet"
)

// revision numbers what is seen. Nothing is compared while the program prints: the screen is hashed when somebody
// looks, so an erase and the same text again is no change (L22).
type revision struct {
	number uint64
	sum    uint64 // of the screen that has this number
	stale  bool   // something was written since
	seed   maphash.Seed
	bytes  []byte // scratch: the screen in the form that is hashed
}

func newRevision() revision { return revision{seed: maphash.MakeSeed()} }

// Revision is 0 for the blank screen of New. It grows only when visible cells, the cursor's place or visibility, the
// title, the size or the alternate screen differ from what they were when somebody last looked.
func (s *Screen) Revision() (n uint64) {
	s.look(func() { n = s.revise() })
	return n
}

func (s *Screen) revise() uint64 {
	r := &s.revision
	if r.stale {
		if sum := s.front.sum(r); sum != r.sum {
			r.sum = sum
			r.number++
		}
		r.stale = false
	}
	return r.number
}

// sum hashes what is seen, written down so that equal screens, however stored, and only they are equal bytes.
func (f *front) sum(r *revision) uint64 {
	b := r.bytes[:0]
	state := uint64(f.w)<<32 | uint64(f.h)<<8 | uint64(f.shown)<<1
	if f.modes&modeVisible != 0 {
		state |= 1
	}
	b = binary.LittleEndian.AppendUint64(b, state)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.x)<<32|uint64(f.y))
	b = appendString(b, f.title)
	for _, row := range f.rows {
		b = appendCells(b, row.visible())
	}
	r.bytes = b
	return maphash.Bytes(r.seed, b)
}

const ( // below any printable character
	endOfRow   = 0
	newLook    = 1 // a style and a link follow
	bigCluster = 2 // a width and a string follow
)

func appendCells(b []byte, cells []uv.Cell) []byte {
	var look uv.Cell
	for i := range cells {
		c := &cells[i]
		if c.Style != look.Style || c.Link != look.Link {
			if style := newStyle(c); style != newStyle(&look) {
				b = appendStyle(append(b, newLook), style)
			}
			look.Style, look.Link = c.Style, c.Link
		}
		if len(c.Content) == 1 {
			b = append(b, c.Content[0])
		} else if c.Width > 0 {
			b = appendString(append(b, bigCluster, byte(c.Width)), c.Content)
		}
	}
	return append(b, endOfRow)
}

func appendStyle(b []byte, s Style) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Fg))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Bg))
	for _, on := range [...]bool{s.Bold, s.Faint, s.Italic, s.Underline, s.Blink, s.Reverse, s.Conceal, s.Strike} {
		flag := byte(0)
		if on {
			flag = 1
		}
		b = append(b, flag)
	}
	return appendString(b, s.Link)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
