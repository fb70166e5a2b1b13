package web

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"termbay/core/screen"
	"termbay/templates"
)

// ScreenHTML writes a screen as an HTML page of its own.
func ScreenHTML(ctx context.Context, w io.Writer, shot screen.Snapshot) error {
	return templates.ScreenPage(picture(shot)).Render(ctx, w)
}

// ScreenSVG writes a screen as an SVG image.
func ScreenSVG(ctx context.Context, w io.Writer, shot screen.Snapshot) error {
	return templates.ScreenImage(picture(shot)).Render(ctx, w)
}

// picture is what the templates draw of a screen.
func picture(shot screen.Snapshot) templates.Screen {
	s := templates.Screen{Title: cmp.Or(inXML(shot.Title), "Screen"), Cols: shot.Viewport.Cols, Rows: shot.Viewport.Rows}
	for y, row := range shot.Rows {
		line := templates.ScreenLine{Row: y}
		col := 0
		for _, run := range row {
			line.Spans = append(line.Spans, spanOf(run, col))
			col += run.Width
		}
		if c := shot.Cursor; c.Visible && c.Row == y {
			line.Spans = withCursor(line.Spans, c.Col, col)
		}
		if line.Spans != nil {
			s.Lines = append(s.Lines, line)
		}
	}
	return s
}

func spanOf(run screen.Run, col int) templates.ScreenSpan {
	st := run.Style
	fg, bg := hex(st.Fg), hex(st.Bg)
	if st.Reverse {
		fg, bg = cmp.Or(bg, templates.ScreenBg), cmp.Or(fg, templates.ScreenFg)
	}
	text := inXML(run.Text)
	if st.Conceal {
		text = strings.Repeat(" ", run.Width)
	}
	return templates.ScreenSpan{
		Col: col, Width: run.Width, Text: text, Fg: cmp.Or(fg, templates.ScreenFg), Bg: bg,
		Bold: st.Bold, Italic: st.Italic, Underline: st.Underline, Strike: st.Strike,
	}
}

// inXML is text without the two characters that a program can print and XML does not have.
func inXML(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\ufffe' || r == '\uffff' {
			return utf8.RuneError
		}
		return r
	}, text)
}

// withCursor marks the cell of the cursor, which may stand beyond the text of its row.
func withCursor(spans []templates.ScreenSpan, at, end int) []templates.ScreenSpan {
	blank := templates.ScreenSpan{Width: 1, Text: " ", Fg: templates.ScreenFg, Cursor: true}
	if at >= end {
		if at > end {
			spans = append(spans, templates.ScreenSpan{Col: end, Width: at - end, Text: strings.Repeat(" ", at-end), Fg: templates.ScreenFg})
		}
		blank.Col = at
		return append(spans, blank)
	}
	var marked []templates.ScreenSpan
	for _, s := range spans {
		runes := []rune(s.Text)
		if at < s.Col || at >= s.Col+s.Width || len(runes) != s.Width { // elsewhere, or one wide cluster
			s.Cursor = s.Cursor || at >= s.Col && at < s.Col+s.Width
			marked = append(marked, s)
			continue
		}
		for _, part := range [][2]int{{0, at - s.Col}, {at - s.Col, at - s.Col + 1}, {at - s.Col + 1, s.Width}} {
			if part[0] == part[1] {
				continue
			}
			p := s
			p.Col, p.Width, p.Text = s.Col+part[0], part[1]-part[0], string(runes[part[0]:part[1]])
			p.Cursor = p.Col == at
			marked = append(marked, p)
		}
	}
	return marked
}

// hex is a colour as #rrggbb; empty for the screen's own.
func hex(c screen.Color) string {
	r, g, b, ok := c.RGB()
	if !ok {
		return ""
	}
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}
