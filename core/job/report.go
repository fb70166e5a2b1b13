package job

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"termbay/core"
	"termbay/core/clip"
	"termbay/core/spool"
)

// Report is what a call printed, as Pi tells it (L47, L52, L53).
type Report struct {
	Output     string // all of it as it came, or its newest lines without the last line feed
	Truncated  bool   // it was cut to the newest lines
	Notice     string // which part of it Output is, and where all of it is; empty when nothing was cut
	FullOutput string // file with all of it, when it was cut
	InLog      bool   // that file is the log of the job
}

// report tells of what is on the tape. log is the log of a job in the background, nil for a call that has ended. The
// writer calls it.
func (t *Tape) report(log *spool.Log) Report {
	t.tally.finish()
	tail := t.tail(clip.MaxBytes + spare)
	text := decode(tail, int64(len(tail)) < t.end)
	if t.tally.lines() <= clip.MaxLines && t.tally.bytes <= clip.MaxBytes {
		return Report{Output: text}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	kept, cut, partial := clip.Tail(lines, clip.MaxLines, clip.MaxBytes)
	r := Report{Output: strings.Join(kept, "\n"), Truncated: true, InLog: log != nil}
	file := log
	if file == nil {
		file = t.save()
	}
	state := file.State()
	r.FullOutput = state.Path
	where := "Full output: " + state.Path
	switch {
	case state.Error != "":
		where += " (incomplete: " + state.Error + ")"
	case state.Truncated:
		where += " (without its middle: it is larger than a log may be)"
	}
	last := t.tally.lines()
	which := fmt.Sprintf("lines %d-%d of %d", last-len(kept)+1, last, last)
	switch {
	case partial:
		which = fmt.Sprintf("last %s of line %d (line is %s)", core.Size(int64(len(r.Output))), last, core.Size(t.tally.lastLine))
	case log != nil:
		which += fmt.Sprintf(" (%s or %d line limit)", core.Size(clip.MaxBytes), clip.MaxLines) // L54
	case cut == clip.ByBytes:
		which += fmt.Sprintf(" (%s limit)", core.Size(clip.MaxBytes))
	}
	r.Notice = fmt.Sprintf("[Showing %s. %s]", which, where)
	return r
}

// spare is how much more than the limit is looked at, so that what is cut shows.
const spare = 16

// recently is the newest output within Pi's limits, and whether there was more, out of a tail of all bytes.
func recently(tail []byte, all int64) (output string, truncated bool) {
	truncated = int64(len(tail)) < all
	if len(tail) > clip.MaxBytes+spare {
		tail, truncated = tail[len(tail)-clip.MaxBytes-spare:], true
	}
	text := decode(tail, truncated)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	kept, cut, _ := clip.Tail(lines, clip.MaxLines, clip.MaxBytes)
	if cut == clip.NotCut {
		return text, truncated
	}
	return strings.Join(kept, "\n"), true
}

const byteOrderMark = "\ufeff"

// decode makes text of output: what is no UTF-8 becomes U+FFFD, as the Encoding Standard says and Pi does, and a byte
// order mark at the beginning is dropped. Of output whose beginning was cut off, so is half a character.
func decode(p []byte, cut bool) string {
	if cut {
		p = p[clip.Rest(p):]
	} else {
		p = bytes.TrimPrefix(p, []byte(byteOrderMark))
	}
	return string(wellFormed(p))
}

func wellFormed(p []byte) []byte {
	if utf8.Valid(p) {
		return p
	}
	p, _ = unicode.UTF8.NewDecoder().Bytes(p) // never fails
	return p
}

// tally counts output as Pi does: decoded, in lines that a line feed ends, the last one also without (L47).
type tally struct {
	bytes    int64 // decoded, without a byte order mark at the beginning
	feeds    int
	line     int64 // bytes of the line that is open
	lastLine int64 // bytes of the newest line, open or not
	begun    bool
	carry    []byte // a character that is not whole yet
}

// lines is how many there are.
func (t *tally) lines() int {
	if t.line > 0 {
		return t.feeds + 1
	}
	return t.feeds
}

func (t *tally) add(p []byte) {
	if len(t.carry) > 0 {
		p = append(t.carry, p...)
		t.carry = nil
	}
	whole := clip.Whole(p)
	if whole < len(p) {
		t.carry = bytes.Clone(p[whole:])
	}
	t.count(p[:whole])
}

// finish counts what never became whole.
func (t *tally) finish() {
	t.count(t.carry)
	t.carry = nil
}

func (t *tally) count(p []byte) {
	if len(p) == 0 {
		return
	}
	if !t.begun {
		t.begun = true
		p = bytes.TrimPrefix(p, []byte(byteOrderMark))
	}
	p = wellFormed(p)
	t.bytes += int64(len(p))
	t.feeds += bytes.Count(p, []byte{'\n'})
	if last := bytes.LastIndexByte(p, '\n'); last >= 0 {
		before := bytes.LastIndexByte(p[:last], '\n')
		if t.lastLine = int64(last - before - 1); before < 0 {
			t.lastLine += t.line
		}
		t.line, p = 0, p[last+1:]
	}
	if len(p) > 0 {
		t.line += int64(len(p))
		t.lastLine = t.line
	}
}
