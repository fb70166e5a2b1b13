package screen_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"unsafe"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"termbay/core/screen"
)

// The assumption under our rows, for x/vt v0.1.0: a row's cells lie side by side and stay where they are until a
// resize. When an upgrade breaks this test, reach the cells of a row through a table of pointers instead.
func TestRowsStay(t *testing.T) {
	e := vt.NewEmulator(20, 6)
	var base [2][6]*uv.Cell
	for i, s := range []string{"", "\x1b[?1047h", "\x1b[?1047l", "\n\n\n\n\n\n\n\n", "\x1bM\x1b[3L\x1b[2M\x1b[2S\x1b[T", "\x1b[2;4r\n\n\n\n\x1b[r",
		"\x1b[2J\x1b[1J\x1b[5@\x1b[3P\x1b[K", "\x1b[?1047h", "\x1bc", strings.Repeat("world 世界 ", 50), "\x1b[?1049h"} {
		_, _ = e.Write([]byte(s))
		b := &base[0]
		if e.IsAltScreen() {
			b = &base[1]
		}
		for y := range 6 {
			p := e.CellAt(0, y)
			if b[y] == nil {
				b[y] = p
			}
			if p != b[y] {
				t.Fatalf("step %d: row %d moved", i, y)
			}
			for x := range 20 {
				if e.CellAt(x, y) != (*uv.Cell)(unsafe.Add(unsafe.Pointer(p), uintptr(x)*unsafe.Sizeof(*p))) {
					t.Fatalf("step %d: cell %d,%d is not beside its neighbour", i, x, y)
				}
			}
		}
	}
}

// What x/vt gets right by itself it draws as we do, cell by cell with styles: our operations on cells are its.
func TestSameCellsAsTheEmulator(t *testing.T) {
	for seed := range seeds / 2 {
		r := rand.New(rand.NewSource(int64(seed)))
		w, h := 2+r.Intn(30), 2+r.Intn(14)
		e, s := vt.NewEmulator(w, h), screen.New(size(w, h))
		for range 40 {
			p := plain(r, w, h)
			_, _ = e.Write([]byte(p))
			write(t, s, p)
			if want, got := cells(e), runsOf(s); want != got {
				t.Fatalf("seed %d, after %q: %s", seed, p, difference(want, got))
			}
		}
	}
}

// plain is something that x/vt v0.1.0 draws right.
func plain(r *rand.Rand, w, h int) string {
	switch r.Intn(9) {
	case 0:
		return fmt.Sprintf("\x1b[%dm", []int{0, 1, 2, 3, 4, 5, 7, 9, 22, 24, 31, 39, 44, 49, 97, 103}[r.Intn(16)])
	case 1:
		return fmt.Sprintf("\x1b[38;5;%d;48;2;%d;2;3m", r.Intn(256), r.Intn(256))
	case 2:
		return fmt.Sprintf("\x1b[%d;%dH", 1+r.Intn(h), 1+r.Intn(w))
	case 3:
		return "\r" + pick(r, "\x1b[J", "\x1b[K", "\x1b[2K")
	case 4:
		return fmt.Sprintf("\x1b[%d%c", 1+r.Intn(6), "@PX"[r.Intn(3)])
	case 5, 6: // inside of a region; outside of it x/vt differs from xterm
		top := 1 + r.Intn(h-1)
		bot := top + 1 + r.Intn(h-top)
		return fmt.Sprintf("\x1b[%d;%dr\x1b[%d;1H", top, bot, top+r.Intn(bot-top+1)) +
			pick(r, "\n\n", "\x1bM\x1bM", fmt.Sprintf("\x1b[%d%c", 1+r.Intn(6), "LMST"[r.Intn(4)])) + "\x1b[r"
	default: // not over the edge: what erasing does to a pending wrap is one of the traps
		return strings.Repeat(string(rune('a'+r.Intn(26))), r.Intn(w)) + "\r\n"
	}
}

func cells(e *vt.Emulator) string {
	var b strings.Builder
	for y := range e.Height() {
		for x := range e.Width() {
			c := e.CellAt(x, y)
			fmt.Fprintf(&b, "%q%v ", c.Content, screen.StyleOf(c))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func runsOf(s *screen.Screen) string {
	var b strings.Builder
	n := s.Snapshot()
	for _, runs := range n.Rows {
		x := 0
		for _, r := range runs {
			for _, c := range r.Text {
				fmt.Fprintf(&b, "%q%v ", string(c), r.Style)
			}
			x += r.Width
		}
		for ; x < n.Viewport.Cols; x++ {
			fmt.Fprintf(&b, "%q%v ", " ", screen.Style{})
		}
		b.WriteByte('\n')
	}
	return b.String()
}
