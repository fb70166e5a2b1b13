package screen_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"termbay/core/screen"
)

// The traps of charmbracelet/x/vt v0.1.0. Each test shows that bare x/vt has it and that a Screen has not. When an
// upgrade makes the first half fail, the front may have less to do: see ADR 0002.

// bare is an emulator to which a program prints directly, and what became of it.
func bare(w, h int, in string) (e *vt.Emulator, panicked any) {
	e = vt.NewEmulator(w, h)
	defer func() { panicked = recover() }()
	_, _ = e.Write([]byte(in))
	return e, nil
}

func TestTrapPanics(t *testing.T) {
	for _, in := range []string{
		"\x1b[1;99r\x1bM", "\x1b[1;99r\x1b[M", "\x1b[1;99r\x1b[T", "\x1b[1;99r\x1b[99B\n", "\x1b[?69h\x1b[1;200s\x1b[@",
	} {
		if _, p := bare(80, 24, in); p == nil {
			t.Errorf("x/vt survives %q", in)
		}
		write(t, screen.New(size(80, 24)), in)
	}
	in := "\x1b[24;80H\x1b7"
	e, _ := bare(80, 24, in)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("x/vt survives DECRC and HTS after it shrank")
			}
		}()
		e.Resize(35, 1)
		_, _ = e.Write([]byte("\x1b8\x1bH"))
	}()
	s := show(t, size(80, 24), in)
	s.Resize(size(35, 1))
	write(t, s, "\x1b8\x1bH")
}

func TestTrapWriteBlocksOnAQuery(t *testing.T) {
	for _, q := range []string{"\x1b[c", "\x1b[6n", "\x1b[?7$p", "\x1b]11;?\a"} {
		synctest.Test(t, func(t *testing.T) {
			e, wrote := vt.NewEmulator(80, 24), false
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = e.Write([]byte(q))
				wrote = true
			}()
			synctest.Wait()
			if wrote {
				t.Errorf("x/vt answers %q without a reader", q)
			}
			for buf := make([]byte, 64); ; { // the join: read until the write is over
				synctest.Wait()
				select {
				case <-done:
					return
				default:
					_, _ = e.Read(buf)
				}
			}
		})
		if s := show(t, size(80, 24), q); len(s.Replies()) == 0 {
			t.Errorf("no answer to %q", q)
		}
	}
}

func TestTrapCountsWithoutALimit(t *testing.T) {
	if e, _ := bare(10, 2, "a\x1b[5000b"); e.ScrollbackLen() < 400 {
		t.Errorf("x/vt limits REP: %d lines", e.ScrollbackLen())
	}
	// these would run x/vt for minutes
	s := screen.New(size(80, 24))
	for _, in := range []string{"a\x1b[2147483646b", "\x1b[2147483646I", "\x1b[2147483646X", "\x1b[2147483646Z", "\x1b[?69h\x1b[1;2147483646s\x1b[99S"} {
		write(t, s, in)
	}
}

func TestTrapGrowth(t *testing.T) {
	bomb := "e" + strings.Repeat("\u0301", 10_000)
	if e, _ := bare(80, 24, bomb); len(e.CellAt(0, 0).Content) < 10_000 {
		t.Errorf("x/vt limits a cell: %d bytes", len(e.CellAt(0, 0).Content))
	}
	if n := len(show(t, size(80, 24), bomb).View(0).Rows[0].Text); n > screen.MaxCluster {
		t.Errorf("a cell holds %d bytes", n)
	}
	long := "\x1b]0;" + strings.Repeat("t", 100_000) + "\a"
	e, kept := vt.NewEmulator(80, 24), ""
	e.SetCallbacks(vt.Callbacks{Title: func(s string) { kept = s }})
	_, _ = e.Write([]byte(long))
	if len(kept) < 100_000 {
		t.Errorf("x/vt limits a title: %d bytes", len(kept))
	}
	if n := len(show(t, size(80, 24), long).View(0).Title); n != screen.MaxTitle {
		t.Errorf("a title holds %d bytes", n)
	}
}

// The scrollback of x/vt takes what no terminal keeps, so the ring is ours.
func TestTrapScrollback(t *testing.T) {
	for _, in := range []string{"one\r\ntwo\x1b[2J", "a\r\nb\r\nc\x1b[2;3r\x1b[3;1H\n\n"} {
		if e, _ := bare(10, 3, in); e.ScrollbackLen() == 0 {
			t.Errorf("x/vt keeps nothing of %q", in)
		}
		if got := ring(show(t, size(10, 3), in)); got != "" {
			t.Errorf("%q put %q into the ring", in, got)
		}
	}
}

func TestTrapScreens(t *testing.T) {
	full := strings.Repeat("a", 10)
	for _, c := range []struct{ name, in, want string }{
		{"wide at the edge is lost", strings.Repeat("0", 9) + "漢z", strings.Repeat("0", 9) + "\n漢z"},
		{"cluster split by SGR", "e\x1b[m\u0301x", "e\u0301x"},
		{"cluster split by ZWJ and a write", "👨\x1b[m\u200d👩x", "👨\u200d👩x"},
		{"truncated UTF-8 swallows ESC", "a\xe4\xb8\x1b[31mb", "ab"},
		{"9C in a title ends it", "\x1b]0;✳ done\ashown", "shown"},
		{"C1 in bytes is obeyed", "a\x9b31mb", "a31mb"},
		{"NEL is missing", "abc\x1bEdef", "abc\ndef"},
		{"IRM is missing", "abc\r\x1b[4hX", "Xabc"},
		{"DECALN is missing", "\x1b#8", strings.TrimRight(strings.Repeat("EEEEEEEEEE\n", 5), "\n")},
		{"CSI u is missing", "ab\x1b[s\x1b[3;3H\x1b[uX", "abX"},
		{"?47 is missing", "ab\x1b[?47hcd\x1b[?47l", "ab"},
		{"SO and SI are missing", "\x1b)0\x0eq\x0fq", "─q"},
		{"DECSTR is missing", "\x1b[2;4r\x1b[?6h\x1b[!p\x1b[1;1HX", "X"},
		{"zero parameters do nothing, C", "\x1b[0CX", " X"},
		{"zero parameters do nothing, P", "abc\r\x1b[0P", "bc"},
		{"zero parameters do nothing, @", "abc\r\x1b[0@", " abc"},
		{"ED 1 takes the whole row", "abcdef\x1b[1;3H\x1b[1J", "   def"},
		{"ED 3 takes the screen", "abc\x1b[3J", "abc"},
		{"EL with a pending wrap", full + "\x1b[K", full},
		{"REP after another sequence", "a\x1b[2;1H\x1b[3bX", "a\nX"},
		{"?1049l on the main screen restores the cursor", "\x1b[2;2H\x1b[?1049h\x1b[?1049l\x1b[5;5H\x1b[?1049lX", "\n X"},
		{"DCH breaks wide characters that it shifts", "a世界\r\x1b[P", "世界"},
		{"⩽ and ⩾ for line drawing y and z", "\x1b(0yz", "≤≥"},
		{"soft hyphen has no column", "a\u00adb\x1b[1;3HX", "a\u00adX"},
		{"VS16 widens", "❤\ufe0fx\x1b[1;2Hy", "❤\ufe0fy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if e, p := bare(10, 5, c.in); p == nil && trimmed(strings.Split(e.String(), "\n")) == c.want {
				t.Error("x/vt is right by itself")
			}
			if got := rows(show(t, size(10, 5), c.in)); got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

func TestTrapTitlesAndLinks(t *testing.T) {
	e, title := vt.NewEmulator(80, 24), ""
	e.SetCallbacks(vt.Callbacks{Title: func(s string) { title = s }})
	in := "\x1b]2;a;b\a\x1b]8;;http://a.b/c;d\x1b\\link\x1b]8;;\x1b\\"
	_, _ = e.Write([]byte(in))
	if title == "a;b" || e.CellAt(0, 0).Link.URL == "http://a.b/c;d" {
		t.Errorf("x/vt understands ;: title %q, link %q", title, e.CellAt(0, 0).Link.URL)
	}
	n := show(t, size(80, 24), in).Snapshot()
	if n.Title != "a;b" || fmt.Sprint(n.Rows[0]) != fmt.Sprint([]screen.Run{{Text: "link", Width: 4, Style: screen.Style{Link: "http://a.b/c;d"}}}) {
		t.Errorf("title %q, %+v", n.Title, n.Rows[0])
	}
}

// Erasing everything leaves the pen's background (BCE), which x/vt forgets for ED 2.
func TestTrapEraseForgetsTheBackground(t *testing.T) {
	in := "\x1b[41m\x1b[2J"
	if e, _ := bare(3, 1, in); e.CellAt(0, 0).Style != (uv.Style{}) {
		t.Error("x/vt erases in the pen's background")
	}
	n := show(t, size(3, 1), in).Snapshot()
	if got, want := fmt.Sprint(n.Rows[0]), fmt.Sprint([]screen.Run{{Text: "   ", Width: 3, Style: screen.Style{Bg: screen.Indexed(1)}}}); got != want {
		t.Errorf("got %v", got)
	}
}

// The answers that x/vt has wrong or not at all.
func TestTrapAnswers(t *testing.T) {
	for _, q := range []string{"\x1b[5n", "\x1b[>q", "\x1bP$qm\x1b\\", "\x1b]4;1;?\a", "\x1b[18t"} {
		e, done := vt.NewEmulator(80, 24), make(chan struct{})
		go func() {
			defer close(done)
			_, _ = e.Write([]byte(q + "\x1b[6n")) // the cursor's place comes last in any case
		}()
		got := ""
		for buf := make([]byte, 64); !strings.HasSuffix(got, "R"); {
			n, err := e.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got += string(buf[:n])
		}
		<-done
		want := string(show(t, size(80, 24), q+"\x1b[6n").Replies())
		if got == want {
			t.Errorf("x/vt answers %q as we do: %q", q, got)
		}
	}
}

// Keys that x/vt encodes wrong are encoded by us.
func TestTrapKeys(t *testing.T) {
	e := vt.NewEmulator(80, 24)
	_, _ = e.Write([]byte("\x1b[?1h"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.SendKey(vt.KeyPressEvent{Code: vt.KeyHome})
	}()
	buf := make([]byte, 16)
	n, err := e.Read(buf)
	<-done
	if want, _ := screen.EncodeKey("Home", screen.Modes{CursorKeys: true}); err != nil || string(buf[:n]) == string(want) {
		t.Errorf("x/vt sends Home as we do: %q", buf[:n])
	}
}
