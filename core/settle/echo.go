package settle

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"termbay/core/screen"
)

// maxUnseen is how many typed lines may be missing from the screen before those after them are not looked for any more:
// echoes come in the order of typing, so theirs cannot be there yet.
const maxUnseen = 16

// Echo is what a call typed and where the cursor stood then. The zero value: nothing was typed, or no echo is expected.
type Echo struct {
	Text  string
	Place screen.Place
}

// echo finds the echoes of the lines that were typed. Each line has one.
type echo struct {
	place screen.Place
	lines []typed
	spans []span // the echoes in the text looked at last
}

// typed is one line, and as much of it as is drawn where the cursor stood or after it.
type typed struct {
	text string
	at   span
}

// span is text[from:to).
type span struct{ from, to int }

func newEcho(e Echo) echo {
	var lines []typed
	for _, line := range strings.FieldsFunc(e.Text, unicode.IsControl) { // a control character is not echoed as itself
		if line = strings.TrimRight(line, " "); line != "" { // nor does a row of a screen end in blanks
			lines = append(lines, typed{text: line})
		}
	}
	return echo{place: e.Place, lines: lines}
}

// look finds the echoes in a text. A line is echoed where the cursor stood, or at the first place after it and after the
// echo of the line before. If more of it stands above, as in the input box of a full-screen program, then there too.
func (e *echo) look(m screen.Match) {
	cursor := m.Offset(e.place.Line, e.place.Col)
	next, unseen := cursor, 0
	e.spans = e.spans[:0]
	for i := range e.lines {
		line := &e.lines[i]
		line.at = span{}
		if unseen > maxUnseen {
			continue
		}
		n := drawn(m.Text[next:], line.text)
		from := next + strings.Index(m.Text[next:], line.text[:n])
		line.at = span{from, from + n}
		e.spans = append(e.spans, line.at)
		if line.whole() {
			next = line.at.to
			continue
		}
		unseen++
		if more := drawn(m.Text[:cursor], line.text); more > n {
			from := strings.LastIndex(m.Text[:cursor], line.text[:more])
			e.spans = append(e.spans, span{from, from + more})
		}
	}
}

// drawn is the length of the longest beginning of line that stands in text.
func drawn(text, line string) int {
	return sort.Search(len(line), func(n int) bool { return !strings.Contains(text, line[:n+1]) })
}

// whole says whether the line is drawn to its end.
func (t *typed) whole() bool { return t.at.to-t.at.from == len(t.text) }

// covers says whether text[from:to] is echo and nothing else. Blanks around it do not count: the end of the line is no
// output.
func (e *echo) covers(text string, from, to int) bool {
	if inner := strings.TrimSpace(text[from:to]); inner != "" {
		from += strings.Index(text[from:to], inner)
		to = from + len(inner)
	}
	return slices.ContainsFunc(e.spans, func(s span) bool { return s.from <= from && to <= s.to })
}

// pass says that text before offset will not be looked at again: what is echoed there is not to be expected later.
func (e *echo) pass(offset int) {
	e.lines = slices.DeleteFunc(e.lines, func(t typed) bool { return t.whole() && t.at.from < offset })
}
