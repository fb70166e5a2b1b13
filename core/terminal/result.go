package terminal

import (
	"cmp"
	"strings"
	"time"

	"termbay/core"
	"termbay/core/clip"
	"termbay/core/screen"
	"termbay/core/settle"
)

// Cursor is what one session has received of a Terminal. The zero Cursor has received nothing, so that lines dropped
// before the first result are counted too (L44, D33).
type Cursor struct {
	Line     int    // the next scrolled-off line to receive
	Revision uint64 // of the screen received
	Clears   screen.Clears
	Screen   string
	Any      bool // whether a result was received at all
}

// Merge is where a session stands that received the Results of both Cursors: where the later look was. That of the
// alternate screen leaves lines for later.
func (c Cursor) Merge(o Cursor) Cursor {
	if cmp.Or(cmp.Compare(c.Line, o.Line), cmp.Compare(c.Revision, o.Revision),
		cmp.Compare(c.Clears.Screen, o.Clears.Screen), cmp.Compare(c.Clears.History, o.Clears.History)) > 0 {
		return c
	}
	return o
}

// Result is what one call tells the agent (L32–L54).
type Result struct {
	ID       string
	Reason   settle.Reason
	Waited   time.Duration
	Wait     time.Duration
	Outcome  *core.Outcome // nil while it runs
	Revision uint64
	Viewport core.Viewport
	Title    string
	Alt      bool
	Cursor   screen.Cursor

	Changed       bool
	Screen        string   // visible rows, the blank end removed
	ScrolledOff   []string // lines that left the top since this session's previous result
	OutputMissing bool
	MissingLines  int // lines dropped from the ring that this session never received
	Truncated     bool
	FullOutput    string // file with every line, when truncated
	FullOutputNo  int    // its number

	Notice string
	Text   string // all of it as the agent should read it
}

// Report says what a Result is made for.
type Report struct {
	ID        string
	StartedAt time.Time
	Outcome   *core.Outcome // nil while it runs
	Reason    settle.Reason
	Pattern   *settle.Pattern // what was waited for, or nil
	Waited    time.Duration
	Wait      time.Duration
	Taken, Of int // bytes of input that the PTY took
	// Spill writes every line of a result that was cut, and returns the file and its number.
	Spill func(text string) (path string, number int, err error)
}

// Result builds a Result for the session that stands at c, and the Cursor to give it once the Result was delivered.
func (t *Terminal) Result(c Cursor, r Report) (Result, Cursor) {
	v := t.screen.View(c.Line)
	rows := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		rows[i] = strings.TrimRight(row.Text, " ")
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	next := Cursor{Line: v.Next, Revision: v.Revision, Clears: v.Clears, Screen: strings.Join(rows, "\n"), Any: true}
	res := Result{
		ID: r.ID, Reason: r.Reason, Waited: r.Waited, Wait: r.Wait, Outcome: r.Outcome,
		Revision: v.Revision, Viewport: v.Viewport, Title: v.Title, Alt: v.Alt, Cursor: v.Cursor,
		Changed: !c.Any || next.Screen != c.Screen,
	}
	var lines []string
	if v.Alt && r.Outcome == nil { // they wait until the main screen is back, or the end (L46)
		next.Line, next.Clears = c.Line, c.Clears
	} else {
		lines = make([]string, len(v.Lines))
		for i, l := range v.Lines {
			lines[i] = l.Text
		}
		res.MissingLines = max(v.First-c.Line, 0)
		res.OutputMissing = res.MissingLines > 0 || v.Clears != c.Clears
	}
	n := notices{result: &res, report: r, cleared: clearedSince(c.Clears, next.Clears)}
	res.clip(lines, rows, r.Spill, &n)
	res.Notice = n.String()
	res.Text = res.words(r)
	return res, next
}

// clip keeps the screen from its bottom and then the newest lines, within Pi's limits (L47, L48); what was cut goes to
// a file whole (L49).
func (res *Result) clip(lines, rows []string, spill func(string) (string, int, error), n *notices) {
	all := append(lines, rows...)
	kept, cut, _ := clip.Tail(all, clip.MaxLines, clip.MaxBytes)
	if cut != "" {
		res.Truncated = true
		n.cut, n.all = cut, len(all)
		res.FullOutput, res.FullOutputNo, n.spillErr = spill(strings.Join(all, "\n") + "\n")
	}
	ofScreen := min(len(rows), len(kept))
	res.ScrolledOff = kept[:len(kept)-ofScreen]
	res.Screen = strings.Join(kept[len(kept)-ofScreen:], "\n")
}

// clearedSince says what was cleared between two results: the screen, the scrollback, both or nothing.
func clearedSince(before, now screen.Clears) string {
	screen, history := before.Screen != now.Screen, before.History != now.History
	switch {
	case screen && history:
		return "screen and the scrollback were"
	case screen:
		return "screen was"
	case history:
		return "scrollback was"
	}
	return ""
}
