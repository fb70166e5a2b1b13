package web_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/screen"
	"termbay/web"
)

func shot(t *testing.T, cols, rows int, bytes string) screen.Snapshot {
	t.Helper()
	s := screen.New(core.Viewport{Cols: cols, Rows: rows})
	if _, err := s.Write([]byte(bytes)); err != nil {
		t.Fatal(err)
	}
	return s.Snapshot()
}

type renderer = func(context.Context, io.Writer, screen.Snapshot) error

func render(t *testing.T, r renderer, s screen.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	if err := r(t.Context(), &b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tags = regexp.MustCompile(`<[^>]*>`)

func TestTheHTMLOfAScreenReadsAsTheScreen(t *testing.T) {
	s := shot(t, 20, 6, "one\r\n\r\n  two 漢 x\r\n\x1b[31;44mred\x1b[0m plain\x1b[?25l")
	html := render(t, web.ScreenHTML, s)
	_, pre, _ := strings.Cut(html, "<pre aria-label=\"Screen\">")
	pre, _, _ = strings.Cut(pre, "</pre>")
	if got, want := tags.ReplaceAllString(pre, ""), "\none\n\n  two 漢 x\nred plain"; got != want {
		t.Errorf("the page reads %q, want %q\n%s", got, want, html)
	}
	if !strings.HasPrefix(pre, "\n<span") || strings.Contains(pre, "\">\n") {
		t.Errorf("HTML drops a line feed right behind the pre and no other, and the outline of a cursor is around it: %s", html)
	}
	if !strings.Contains(html, `<span style="color:#800000;background:#000080`) {
		t.Errorf("the colours are missing: %s", html)
	}
}

func TestWhatAProgramPrintsIsTextOnly(t *testing.T) {
	s := shot(t, 80, 4, "\x1b]0;<img src=x onerror=alert(1)>\a<script>alert(1)</script> \"&amp;")
	for name, r := range map[string]renderer{"HTML": web.ScreenHTML, "SVG": web.ScreenSVG} {
		out := render(t, r, s)
		if strings.Contains(out, "<script") || strings.Contains(out, "<img") || !strings.Contains(out, "&lt;script&gt;") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestTheCursorStandsInItsCell(t *testing.T) {
	marked := regexp.MustCompile(`<span style="[^"]*outline[^"]*">([^<]*)</span>`)
	rect := regexp.MustCompile(`<rect x="(\d+)" y="17" width="8" height="17" fill="none"`)
	for move, want := range map[string]struct{ cell, x, row string }{
		"\x1b[2;1H":          {"a", "0", "abc漢d"},
		"\x1b[2;2H":          {"b", "8", "abc漢d"},
		"\x1b[2;3H":          {"c", "16", "abc漢d"},
		"\x1b[2;4H":          {"漢", "24", "abc漢d"},
		"\x1b[2;6H":          {"d", "40", "abc漢d"},
		"\x1b[2;7H":          {" ", "48", "abc漢d "},
		"\x1b[2;10H":         {" ", "72", "abc漢d    "},
		"\x1b[2;2H\x1b[?25l": {"", "", "abc漢d"},
	} {
		s := shot(t, 20, 3, "\r\nabc漢d"+move)
		html, svg := render(t, web.ScreenHTML, s), render(t, web.ScreenSVG, s)
		cell, x := marked.FindStringSubmatch(html), rect.FindStringSubmatch(svg)
		if got := append(cell, ""); want.cell != "" && got[1] != want.cell || want.cell == "" && cell != nil {
			t.Errorf("%q: the page marks %q, want %q", move, cell, want.cell)
		}
		if got := append(x, ""); want.x != "" && got[1] != want.x || want.x == "" && x != nil {
			t.Errorf("%q: the image marks %v, want %s", move, x, want.x)
		}
		_, pre, _ := strings.Cut(html, `<pre aria-label="Screen">`)
		pre, _, _ = strings.Cut(pre, "</pre>")
		if got := tags.ReplaceAllString(pre, ""); got != "\n\n"+want.row {
			t.Errorf("%q: the row reads %q", move, got)
		}
	}
}

func TestTheSVGOfAScreenIsWellFormed(t *testing.T) {
	out := render(t, web.ScreenSVG, shot(t, 20, 3, "\x1b]0;a\uffff\x01 title\aa\x1b[7mb\x1b[0m漢<&\ufffe\r\n\x1b[1;3;4;9mx"))
	d := xml.NewDecoder(strings.NewReader(out))
	var text strings.Builder
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if c, ok := token.(xml.CharData); ok {
			text.Write(c)
		}
	}
	if got := strings.Join(strings.Fields(text.String()), ""); got != "a\ufffdtitleab漢<&\ufffdx" {
		t.Errorf("the image reads %q: %s", got, out)
	}
}
