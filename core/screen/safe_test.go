package screen_test

import (
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"testing"

	"termbay/core/screen"
)

// Nothing that a program prints may panic, hang or grow: write fails at the first fault, a hang ends the test run.
func TestNothingHarms(t *testing.T) {
	s := screen.New(size(80, 24))
	for _, p := range []string{
		"\x1b[1;99r\x1bM\x1b[M\x1b[T\x1b[B", "\x1b[?69h\x1b[1;200s\x1b[@", "\x1b[2147483646b", "a\x1b[2147483646b",
		"\x1b[2147483646I", "\x1b[2147483646X", "\x1b[2147483646Z", "\x1b[99999999999999999999C",
		"世\x1b[2147483646b", "\x1b[4ha\x1b[2147483646b\x1b[4l", "\x1b[2147483647;2147483647H",
		strings.Repeat("\x1b[6n\x1b[c\x1b]11;?\a\x1b[?6$p", 20_000),
		"e" + strings.Repeat("\u0301", 1<<20),
		"\x1b]0;" + strings.Repeat("t", 8<<20) + "\a",
		"\x1bP" + strings.Repeat("x", 8<<20) + "\x1b\\",
		strings.Repeat("\x1b[?99999h\x1b[?12345l", 10_000),
		strings.Repeat("\x1b[", 1<<20), strings.Repeat("1;", 1<<20) + "m", "\x1b[" + strings.Repeat(":", 1<<16) + "m",
		strings.Repeat("\x1b]8;;http://"+strings.Repeat("a", 1900)+"\a.", 1000),
		strings.Repeat("\x1b[?1049h\x1b[?1049l\x1bc\x1b#8\x1b[2J", 1000), strings.Repeat("\x1b]4;1;?;2;?\a\x1bP$qm\x1b\\", 1000),
	} {
		write(t, s, p)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 40<<20 {
		t.Errorf("%d MB are held", m.HeapAlloc>>20)
	}
	if n := len(s.Replies()); n > screen.MaxReplies {
		t.Errorf("%d bytes of replies wait", n)
	}
	if n := len(s.View(0).Title); n > screen.MaxTitle {
		t.Errorf("the title has %d bytes", n)
	}
}

// A panic under the lock, x/vt's or ours, costs the screen and not the service.
func TestAFaultIsSurvived(t *testing.T) {
	s := show(t, size(80, 24), strings.Repeat("line\r\n", 30)+"before")
	before := s.Revision()
	s.Break()
	if n, err := s.Write([]byte("boom\r\nlost")); n != 10 || err != nil {
		t.Errorf("Write returned %d, %v", n, err)
	}
	n, why := s.Faults()
	if n != 1 || !strings.Contains(why, "out of range") || !strings.Contains(why, "screen.(*front)") || len(why) > 4<<10 {
		t.Errorf("%d faults, reason %q", n, why)
	}
	v := s.View(0)
	if v.Clears != (screen.Clears{Screen: 1}) || v.Next != 7 || len(v.Lines) != 7 || v.Revision <= before {
		t.Errorf("%+v", v)
	}
	_, _ = s.Write([]byte("after"))
	if n, _ := s.Faults(); rows(s) != "after" || n != 1 {
		t.Errorf("%d faults, screen %q", n, rows(s))
	}
}

// What went on on a screen that was lost ends where the scrolled-off lines do.
func TestAFaultEndsTheLineBeforeIt(t *testing.T) {
	s := show(t, size(3, 2), "1\r\n2345678")
	s.Break()
	_, _ = s.Write([]byte("boom"))
	_, _ = s.Write([]byte("after"))
	if got := ring(s); got != "1\n234" || s.Match(0).Text != "1\n234\nafter" {
		t.Errorf("%q, %q", got, s.Match(0).Text)
	}
}

// A look that finds the fault first shows the screen made anew, whole.
func TestAFaultThatALookFinds(t *testing.T) {
	broken := func() *screen.Screen {
		s := show(t, size(80, 24), strings.Repeat("line\r\n", 30)+"before")
		s.Break()
		return s
	}
	for name, good := range map[string]func(s *screen.Screen) bool{
		"View": func(s *screen.Screen) bool {
			v := s.View(0)
			return len(v.Rows) == 24 && v.Next == 7 && len(v.Lines) == 7 && v.Clears.Screen == 1
		},
		"Snapshot": func(s *screen.Screen) bool { n := s.Snapshot(); return len(n.Rows) == 24 && n.Viewport == size(80, 24) },
		"Match":    func(s *screen.Screen) bool { return s.Match(6).Text == "line" },
		"Place":    func(s *screen.Screen) bool { p := s.Place(); return p.Line == 7 && p.Next == 7 },
		"Head":     func(s *screen.Screen) bool { return s.Head().Viewport == size(80, 24) },
		"Revision": func(s *screen.Screen) bool { return s.Revision() == 0 }, // blank, as it was when last looked at
	} {
		s := broken()
		if !good(s) {
			t.Errorf("%s shows something else", name)
		}
		if n, _ := s.Faults(); n != 1 {
			t.Errorf("%s: %d faults", name, n)
		}
		_, _ = s.Write([]byte("after"))
		if n, _ := s.Faults(); rows(s) != "after" || n != 1 {
			t.Errorf("%s: %d faults, screen %q", name, n, rows(s))
		}
	}
}

// Sizes outside of 1–1000 become the nearest that exists.
func TestAnySize(t *testing.T) {
	for in, want := range map[[2]int][2]int{{0, 0}: {1, 1}, {-5, 3}: {1, 3}, {1, 1}: {1, 1}, {2000, 2}: {1000, 2}} {
		s := show(t, size(in[0], in[1]), "世界 abc\r\n\t\x1b[5;5Hx\x1b[?1049hé\x1b[?1049l")
		if v := s.View(0); v.Viewport != size(want[0], want[1]) || len(v.Rows) != want[1] {
			t.Errorf("%v became %v with %d rows", in, v.Viewport, len(v.Rows))
		}
		s.Resize(size(in[1], in[0]))
		write(t, s, "more\x1b8")
	}
}

// Every method may be called from any goroutine; what it returns is consistent.
func TestManyLookAtOnce(t *testing.T) {
	s := screen.New(size(40, 10))
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			r := rand.New(rand.NewSource(int64(i)))
			for range 100 {
				switch i {
				case 0:
					_, _ = s.Write(stream(r, 500, 40, 10))
				case 1:
					v := s.View(0)
					if len(v.Rows) != v.Viewport.Rows || len(v.Lines) != v.Next-v.First {
						t.Errorf("%d rows of %v, %d lines of %d–%d", len(v.Rows), v.Viewport, len(v.Lines), v.First, v.Next)
					}
				case 2:
					m, p := s.Match(0), s.Place()
					m.Offset(p.Line, p.Col)
					s.Snapshot()
				case 3:
					s.Revision()
					s.Replies()
					s.Modes()
					s.Synchronized()
					s.Lines(0, 10)
					s.Resize(size(20+r.Intn(30), 5+r.Intn(10)))
				}
			}
		})
	}
	group.Wait()
	if n, why := s.Faults(); n > 0 {
		t.Error(why)
	}
}
