package screen_test

import (
	"math/rand"
	"testing"
	"unicode/utf8"

	"termbay/core/screen"
)

// FuzzScreen: any bytes at any size, cut anywhere, with resizes in between.
func FuzzScreen(f *testing.F) {
	f.Add([]byte("hello\r\nworld"), uint16(80), uint16(24), uint16(3))
	f.Add([]byte("\x1b[1;99r\x1bM\x1b[?69h\x1b[1;200s\x1b[@世\x1b[999b"), uint16(1), uint16(1), uint16(1))
	f.Add([]byte("\x1b]0;\xe2\x9c\xb3\a\x1b#8\x1b[?1049h\x1b[6n\x1bP$qm\x1b\\"), uint16(3), uint16(2), uint16(1000))
	for seed := range 20 {
		r := rand.New(rand.NewSource(int64(seed)))
		w, h := 1+r.Intn(40), 1+r.Intn(20)
		f.Add(stream(r, 1000, w, h), uint16(w), uint16(h), uint16(1+r.Intn(500)))
	}
	f.Fuzz(func(t *testing.T, out []byte, cols, rows, piece uint16) {
		v := size(1+int(cols)%300, 1+int(rows)%100)
		s := screen.New(v)
		for i := 0; len(out) > 0; i++ {
			n := min(len(out), 1+int(piece))
			_, _ = s.Write(out[:n])
			out = out[n:]
			if i%8 == 7 && i < 64 {
				s.Resize(size(1+(v.Cols*i)%90, 1+(v.Rows*i)%30))
			}
		}
		checkLooks(t, s)
	})
}

// checkLooks checks what every look promises.
func checkLooks(t *testing.T, s *screen.Screen) {
	t.Helper()
	v, m, n, p := s.View(0), s.Match(0), s.Snapshot(), s.Place()
	if count, why := s.Faults(); count > 0 {
		t.Fatal(why)
	}
	if v.Revision != s.Revision() || n.Revision != v.Revision || p.Revision != v.Revision {
		t.Error("a look changed the revision")
	}
	if len(v.Rows) != v.Viewport.Rows || len(v.Lines) != v.Next-v.First || len(v.Lines) > screen.MaxLines {
		t.Errorf("%d rows, %d lines of %d–%d", len(v.Rows), len(v.Lines), v.First, v.Next)
	}
	if c := v.Cursor; c.Row < 0 || c.Row >= v.Viewport.Rows || c.Col < 0 || c.Col >= v.Viewport.Cols {
		t.Errorf("cursor %+v in %v", c, v.Viewport)
	}
	if at := m.Offset(p.Line, p.Col); at < 0 || at > len(m.Text) || !utf8.ValidString(m.Text) {
		t.Errorf("offset %d in %q", at, m.Text)
	}
	for y, runs := range n.Rows {
		width := 0
		for _, r := range runs {
			width += r.Width
			if r.Text == "" || r.Width < 1 || r.Width > 2 && r.Width != utf8.RuneCountInString(r.Text) {
				t.Errorf("row %d: run %+v", y, r)
			}
		}
		if width > v.Viewport.Cols {
			t.Errorf("row %d has %d columns of %d", y, width, v.Viewport.Cols)
		}
	}
	if len(s.Replies()) > screen.MaxReplies || len(v.Title) > screen.MaxTitle || !utf8.ValidString(v.Title) {
		t.Errorf("title %q", v.Title)
	}
}
