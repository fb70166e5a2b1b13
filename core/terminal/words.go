package terminal

import (
	"fmt"
	"strings"

	"termbay/core"
	"termbay/core/clip"
	"termbay/core/settle"
)

// notices are the bracketed lines of a Result that say what is missing from it.
type notices struct {
	result   *Result
	report   Report
	cleared  string
	cut      clip.Cut
	all      int
	spillErr error
}

// String is the notices, a line each.
func (n notices) String() string {
	var s []string
	add := func(format string, a ...any) { s = append(s, "["+fmt.Sprintf(format, a...)+"]") }
	if k := n.result.MissingLines; k > 0 {
		add("Earlier output is missing: %s.", core.Count(k, "line was dropped before you read it", "lines were dropped before you read them"))
	}
	if n.cleared != "" && n.result.OutputMissing {
		add("The %s cleared since your last result; lines that stood there before may be missing.", n.cleared)
	}
	if n.cut != "" {
		limit := fmt.Sprintf("%d lines", clip.MaxLines)
		if n.cut == clip.ByBytes {
			limit = "50 KB"
		}
		switch {
		case n.spillErr != nil:
			add("Cut to the newest %s of %s. The rest could not be written to a file: %v.", limit, core.Count(n.all, "line", "lines"), n.spillErr)
		case n.all == 1:
			add("Cut to the newest %s. The whole line: %s", limit, n.result.FullOutput)
		default:
			add("Cut to the newest %s. All %d lines: %s", limit, n.all, n.result.FullOutput)
		}
	}
	if n.report.Taken < n.report.Of {
		why := "the program is not reading"
		if n.report.Outcome != nil {
			why = "the program has ended"
		}
		add("Only %d of %d bytes were taken: %s.", n.report.Taken, n.report.Of, why)
	}
	return strings.Join(s, "\n")
}

// words is the Result as the agent reads it.
func (res *Result) words(r Report) string {
	var b strings.Builder
	if n := len(res.ScrolledOff); n > 0 {
		fmt.Fprintf(&b, "[%s scrolled off since your last result]\n%s\n[Screen %v]\n", core.Count(n, "line", "lines"), strings.Join(res.ScrolledOff, "\n"), res.Viewport)
	}
	if res.Screen == "" {
		b.WriteString("(blank screen)\n")
	} else {
		b.WriteString(res.Screen + "\n")
	}
	if res.Notice != "" {
		b.WriteString(res.Notice + "\n")
	}
	if !res.Changed {
		b.WriteString("[Screen unchanged since your last result.]\n")
	}
	if r.Outcome != nil {
		fmt.Fprintf(&b, "[%s %s]", res.ID, r.Outcome.Since(r.StartedAt))
		return b.String()
	}
	full := ""
	if res.Alt {
		full = ", full-screen program"
	}
	fmt.Fprintf(&b, "[%s running%s. %s]", res.ID, full, settled(r))
	return b.String()
}

// settled says what ended the wait.
func settled(r Report) string {
	switch {
	case r.Reason == settle.Quiet:
		return fmt.Sprintf("Settled: quiet after %s.", core.Duration(r.Waited))
	case r.Reason == settle.Text:
		return fmt.Sprintf("Settled: %s appeared after %s.", r.Pattern, core.Duration(r.Waited))
	case r.Pattern != nil:
		return fmt.Sprintf("%s did not appear within %s; still running.", r.Pattern, core.Duration(r.Wait))
	default:
		return fmt.Sprintf("Not settled within %s; still running.", core.Duration(r.Wait))
	}
}
