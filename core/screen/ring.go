package screen

import (
	"iter"
	"sort"
)

const (
	segmentBytes = 32 << 10
	segmentLines = 4096
)

// ring keeps the newest scrolled-off lines as text. They are numbered from 0, and numbers are never used again.
type ring struct {
	segments []*segment
	first    int // no line below it is kept
	next     int // number of the next line
	lines    int // at most so many are kept
	limit    int // at most so many bytes are
	bytes    int // capacity of the segments
}

type segment struct {
	first int
	data  []byte
	ends  []uint32 // end in data <<1 | goes on in the next line
}

func newRing(lines, bytes int) *ring { return &ring{lines: lines, limit: bytes} }

// push adds a line; wrapped: its text goes on in the next one.
func (r *ring) push(line []byte, wrapped bool) {
	var s *segment
	if n := len(r.segments); n > 0 {
		s = r.segments[n-1]
	}
	if s == nil || len(s.data)+len(line) > cap(s.data) || len(s.ends) >= segmentLines {
		s = r.grow(len(line))
	}
	s.data = append(s.data, line...)
	end := uint32(len(s.data)) << 1
	if wrapped {
		end |= 1
	}
	s.ends = append(s.ends, end)
	r.next++
}

// grow adds a segment with room for n bytes. Segments that are not needed any more are used again.
func (r *ring) grow(n int) *segment {
	size := segmentBytes
	if len(r.segments) < 3 {
		size = 2048 << (2 * len(r.segments)) // a short history costs little
	}
	size = max(size, n)
	s := &segment{}
	for len(r.segments) > 1 && (r.next-r.segments[1].first >= r.lines || r.bytes+size > r.limit) {
		s = r.segments[0]
		r.bytes -= cap(s.data)
		r.segments = append(r.segments[:0], r.segments[1:]...)
	}
	if cap(s.data) != size {
		s.data = make([]byte, 0, size)
	}
	s.first, s.data, s.ends = r.next, s.data[:0], s.ends[:0]
	r.segments = append(r.segments, s)
	r.bytes += cap(s.data)
	return s
}

// bounds returns the numbers of the oldest line kept and of the next one to come.
func (r *ring) bounds() (first, next int) {
	first = max(r.first, r.next-r.lines)
	if len(r.segments) > 0 {
		first = max(first, r.segments[0].first)
	}
	return first, r.next
}

// clear forgets every line and says whether there was one. The numbers go on.
func (r *ring) clear() bool {
	first, next := r.bounds()
	r.segments, r.first, r.bytes = nil, next, 0
	return first < next
}

// unwrap makes the newest line end where it ends.
func (r *ring) unwrap() {
	if n := len(r.segments); n > 0 {
		ends := r.segments[n-1].ends
		ends[len(ends)-1] &^= 1
	}
}

// from returns the lines kept from number n on: their text, valid until the next push, and whether it goes on.
func (r *ring) from(n int) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		i := max(sort.Search(len(r.segments), func(i int) bool { return r.segments[i].first > n })-1, 0)
		for ; i < len(r.segments); i++ {
			s := r.segments[i]
			for j := max(n-s.first, 0); j < len(s.ends); j++ {
				start := uint32(0)
				if j > 0 {
					start = s.ends[j-1] >> 1
				}
				if !yield(s.data[start:s.ends[j]>>1], s.ends[j]&1 != 0) {
					return
				}
			}
		}
	}
}

// copy returns lines [from, to) of those kept.
func (r *ring) copy(from, to int) []Line {
	first, next := r.bounds()
	from, to = max(from, first), min(to, next)
	if from >= to {
		return nil
	}
	lines, ends, text := make([]Line, 0, to-from), make([]int, 0, to-from), []byte(nil)
	for line, wrapped := range r.from(from) {
		text = append(text, line...)
		lines, ends = append(lines, Line{Wrapped: wrapped}), append(ends, len(text))
		if len(lines) == cap(lines) {
			break
		}
	}
	all, start := string(text), 0 // one string for all of them
	for i, end := range ends {
		lines[i].Text, start = all[start:end], end
	}
	return lines
}
