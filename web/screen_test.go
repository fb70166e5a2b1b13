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
	if got, want := tags.ReplaceAllString(pre, ""), "one\n\n  two 漢 x\nred plain"; got != want {
		t.Errorf("the page reads %q, want %q\n%s", got, want, html)
	}
	if strings.HasPrefix(pre, "\n") { // which HTML drops
		t.Errorf("a line feed is lost: %s", html)
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
