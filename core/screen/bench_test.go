package screen_test

import (
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"termbay/core/screen"
)

// BenchmarkFlood is output as fast as it is taken, beside the emulator alone.
func BenchmarkFlood(b *testing.B) {
	for _, p := range payloads() {
		b.Run(p.name+"/termbay", func(b *testing.B) { flood(b, screen.New(size(120, 40)), p.out) })
		b.Run(p.name+"/bare", func(b *testing.B) { flood(b, vt.NewEmulator(120, 40), p.out) })
	}
}

// flood writes out again and again, 64 KB at a time: as much as a reader of a PTY has when it is behind.
func flood(b *testing.B, w io.Writer, out string) {
	const piece = 64 << 10
	b.SetBytes(piece)
	pieces := len(out) / piece
	for i := 0; b.Loop(); i++ {
		at := i % pieces * piece
		_, _ = w.Write([]byte(out[at : at+piece]))
	}
}

type payload struct{ name, out string }

// payloads are what programs print when they print much, about 1 MB each.
func payloads() []payload {
	r := rand.New(rand.NewSource(1))
	fill := func(line func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < 1<<20; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	text := func(n int) string {
		p := make([]byte, n)
		for i := range p {
			p[i] = "abcdefghijklmnop qrstuvwxyz 0123456789 ./:-"[r.Intn(43)]
		}
		return string(p)
	}
	wide := []rune("世界漢字日本語한국어中文终端✅🚀📦😀")
	return []payload{
		{"seq", fill(func(i int) string { return fmt.Sprintf("%d\r\n", 100_000+i) })},
		{"plain", fill(func(int) string { return text(80) + "\r\n" })},
		{"sgr", fill(func(i int) string {
			return fmt.Sprintf("\x1b[2m%08d\x1b[0m \x1b[32mINFO\x1b[0m \x1b[1;36m%s\x1b[0m %s \x1b[38;5;208m%s\x1b[0m \x1b[4m%s\x1b[0m\r\n",
				i, text(8), text(20), text(12), text(16))
		})},
		{"wide", fill(func(int) string {
			line := text(4)
			for range 24 {
				line += string(wide[r.Intn(len(wide))])
			}
			return line + "\r\n"
		})},
		{"redraw", "\x1b[?1049h" + fill(func(int) string {
			frame := "\x1b[H"
			for y := range 40 {
				frame += fmt.Sprintf("\x1b[%d;1H\x1b[%dm%s\x1b[0m%s\x1b[K", y+1, 31+r.Intn(6), text(20), text(90))
			}
			return frame
		})},
	}
}

// BenchmarkRevision is what a look costs after a change.
func BenchmarkRevision(b *testing.B) {
	s := show(b, size(120, 40), payloads()[2].out)
	for b.Loop() {
		_, _ = s.Write([]byte("\x1b[20;20Hx"))
		s.Revision()
	}
}

// BenchmarkLook is how long a look holds the screen, with nothing and with everything that scrolled off.
func BenchmarkLook(b *testing.B) {
	s := show(b, size(120, 40), payloads()[1].out)
	_, first, next := s.Lines(0, 0)
	for _, c := range []struct {
		name string
		look func()
	}{
		{"match/screen", func() { s.Match(next) }},
		{"match/history", func() { s.Match(first) }},
		{"view/screen", func() { s.View(next) }},
		{"view/history", func() { s.View(first) }},
		{"snapshot", func() { s.Snapshot() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.look()
			}
		})
	}
}

// BenchmarkHistory is the heap of a screen with 10 000 lines of 80 columns behind it.
func BenchmarkHistory(b *testing.B) {
	out, s := payloads()[1].out, (*screen.Screen)(nil)
	for b.Loop() {
		s = nil
		before := heap()
		s = show(b, size(120, 40), out)
		b.ReportMetric(float64(heap()-before), "heap-B/screen")
	}
	runtime.KeepAlive(s)
}
