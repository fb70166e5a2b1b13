package screen_test

import (
	"runtime"
	"strings"
	"testing"

	"termbay/core/screen"
)

// A screen with everything that it may hold behind it stays small. The emulator's own scrollback would take 100 MB.
func TestAFullHistoryIsSmall(t *testing.T) {
	const screens, most = 4, 4 << 20
	line := strings.Repeat("0123456789abcdef", 5) + "\r\n"
	var keep []*screen.Screen
	before := heap()
	for range screens {
		keep = append(keep, show(t, size(120, 40), strings.Repeat(line, screen.MaxLines+100)))
	}
	after := heap()
	if each := (after - before) / screens; each > most {
		t.Errorf("%.1f MB each", float64(each)/1e6)
	}
	for _, s := range keep {
		s.Match(0)
		s.View(0)
		s.Snapshot()
	}
	if looks := (heap() - after) / screens; looks > 200<<10 {
		t.Errorf("looks leave %d KB behind", looks>>10)
	}
	if v := keep[0].View(0); len(v.Lines) != screen.MaxLines {
		t.Errorf("%d lines", len(v.Lines))
	}
	runtime.KeepAlive(keep)
}

// What a program may make a screen keep besides lines: titles, links, clusters, modes, tab stops, replies.
func TestNothingElseIsKept(t *testing.T) {
	s := screen.New(size(80, 24))
	before := heap()
	for range 3 {
		write(t, s, "\x1b]0;"+strings.Repeat("t", 1<<20)+"\a\x1b]8;;http://"+strings.Repeat("a", 1<<20)+"\a.")
		write(t, s, "\x1bP"+strings.Repeat("x", 1<<20)+"\x1b\\\x1b_"+strings.Repeat("y", 1<<20)) // never ended
		write(t, s, "\x1b\\e"+strings.Repeat("\u0301", 1<<18)+"\x1b["+strings.Repeat("7;", 1<<18)+"m\x1b[6n\x1b[c")
		write(t, s, strings.Repeat("\r\n", 1<<10)+strings.Repeat("\x1bH\x1b[C", 100)+"\x1b[?98765h")
	}
	if grown := heap() - before; grown > 512<<10 {
		t.Errorf("grew by %d KB", grown>>10)
	}
	runtime.KeepAlive(s)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
