package templates

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// breaks are the line feeds before a span: before the first one of a line as many as there are rows since the line
// before it.
func breaks(lines []ScreenLine, line, span int) string {
	switch {
	case span > 0:
		return ""
	case line == 0:
		return strings.Repeat("\n", lines[0].Row+1) // HTML drops one right behind the pre
	}
	return strings.Repeat("\n", lines[line].Row-lines[line-1].Row)
}

func units(cells, size int) string { return strconv.Itoa(cells * size) }

// spanStyle holds nothing of a program but colours, which are numbers.
func spanStyle(p ScreenSpan) templ.SafeCSS {
	css := "color:" + p.Fg
	if p.Bg != "" {
		css += ";background:" + p.Bg
	}
	if p.Bold {
		css += ";font-weight:bold"
	}
	if p.Italic {
		css += ";font-style:italic"
	}
	if d := decoration(p); d != "none" {
		css += ";text-decoration:" + d
	}
	if p.Cursor {
		css += ";outline:1px solid " + ScreenFg
	}
	return templ.SafeCSS(css)
}

func weight(p ScreenSpan) string {
	if p.Bold {
		return "bold"
	}
	return "normal"
}

func slant(p ScreenSpan) string {
	if p.Italic {
		return "italic"
	}
	return "normal"
}

func decoration(p ScreenSpan) string {
	var d []string
	if p.Underline {
		d = append(d, "underline")
	}
	if p.Strike {
		d = append(d, "line-through")
	}
	if d == nil {
		return "none"
	}
	return strings.Join(d, " ")
}
