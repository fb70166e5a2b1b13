package terminal_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/screen"
	"termbay/core/settle"
	"termbay/core/terminal"
)

// began is when the Terminals of the texts were started.
var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// pattern is a text to wait for.
func pattern(t *testing.T, text string) *settle.Pattern {
	t.Helper()
	p, err := settle.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// quiet is the report of a wait that ended by quiet.
func quiet() terminal.Report {
	return terminal.Report{ID: "t1", StartedAt: began, Reason: settle.Quiet, Waited: 400 * time.Millisecond, Wait: 30 * time.Second}
}

// result is what a session receives last of a screen of 20×3 that showed these outputs, with a result after each.
func result(r terminal.Report, outputs ...string) terminal.Result {
	return resultOn(core.Viewport{Cols: 20, Rows: 3}, r, outputs...)
}

func resultOn(v core.Viewport, r terminal.Report, outputs ...string) terminal.Result {
	s := screen.New(v)
	t := terminal.Around(s)
	var res terminal.Result
	var c terminal.Cursor
	for _, output := range outputs {
		_, _ = s.Write([]byte(strings.ReplaceAll(output, "\n", "\r\n")))
		res, c = t.Result(c, r)
	}
	return res
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextsOfAScreen(t *testing.T) {
	const settled = "[t1 running. Settled: quiet after 0.4 s.]"
	for name, c := range map[string]struct {
		outputs []string
		want    string
	}{
		"a screen":      {[]string{"a  \n\n b"}, "a\n\n b\n" + settled},
		"blank":         {[]string{""}, "(blank screen)\n" + settled},
		"a blank end":   {[]string{"a\n"}, "a\n" + settled},
		"only blanks":   {[]string{"  \n  "}, "(blank screen)\n" + settled},
		"unchanged":     {[]string{"a", "\ra"}, "a\n[Screen unchanged since your last result.]\n" + settled},
		"still blank":   {[]string{"", ""}, "(blank screen)\n[Screen unchanged since your last result.]\n" + settled},
		"one line":      {[]string{"1\n2\n3\n4"}, "[1 line scrolled off since your last result]\n1\n[Screen 20×3]\n2\n3\n4\n" + settled},
		"more lines":    {[]string{"1\n2\n3\n4", "\n5\n6"}, "[2 lines scrolled off since your last result]\n2\n3\n[Screen 20×3]\n4\n5\n6\n" + settled},
		"a blank below": {[]string{"1\n\n\n\n\n"}, "[3 lines scrolled off since your last result]\n1\n\n\n[Screen 20×3]\n(blank screen)\n" + settled},
		"cleared screen": {[]string{"a", "\x1b[2J\x1b[Hb"}, "b\n" +
			"[The screen was cleared since your last result; lines that stood there before may be missing.]\n" + settled},
		"cleared scrollback": {[]string{"1\n2\n3\n4", "\x1b[3J"}, "2\n3\n4\n" +
			"[The scrollback was cleared since your last result; lines that stood there before may be missing.]\n" +
			"[Screen unchanged since your last result.]\n" + settled},
		"cleared both": {[]string{"1\n2\n3\n4", "\x1bc5"}, "5\n" +
			"[The screen and the scrollback were cleared since your last result; lines that stood there before may be missing.]\n" + settled},
		"a cleared line that was never read": {[]string{"1\n2\n3\n4\x1b[3J"}, "2\n3\n4\n" +
			"[Earlier output is missing: 1 line was dropped before you read it.]\n" +
			"[The scrollback was cleared since your last result; lines that stood there before may be missing.]\n" + settled},
		"cleared lines that were never read": {[]string{"1\n2\n3\n4\n5\x1b[3J"}, "3\n4\n5\n" +
			"[Earlier output is missing: 2 lines were dropped before you read them.]\n" +
			"[The scrollback was cleared since your last result; lines that stood there before may be missing.]\n" + settled},
		"nothing to clear":   {[]string{"", "\x1b[2J\x1b[3J"}, "(blank screen)\n[Screen unchanged since your last result.]\n" + settled},
		"a full-screen view": {[]string{"1\n2\n3\n4\x1b[?1049h\x1b[Htop"}, "top\n[t1 running, full-screen program. Settled: quiet after 0.4 s.]"},
		"cleared full-screen view": {[]string{"1\x1b[?1049h\x1b[Htop", "\x1b[2J\x1b[Hnext"},
			"next\n[t1 running, full-screen program. Settled: quiet after 0.4 s.]"},
		"back from it": {[]string{"1\n2\n3\n4\x1b[?1049htop", "\x1b[?1049l"},
			"[1 line scrolled off since your last result]\n1\n[Screen 20×3]\n2\n3\n4\n" + settled},
	} {
		t.Run(name, func(t *testing.T) { expect(t, result(quiet(), c.outputs...).Text, c.want) })
	}
}

func TestTextsOfAWait(t *testing.T) {
	long := strings.Repeat("x", 300)
	for want, r := range map[string]terminal.Report{
		"[t1 running. Settled: quiet after 2m 14s.]":                                      {Reason: settle.Quiet, Waited: 134 * time.Second},
		`[t1 running. Settled: "ready" appeared after 2.1 s.]`:                            {Reason: settle.Text, Pattern: pattern(t, "ready"), Waited: 2100 * time.Millisecond},
		`[t1 running. Settled: /build (ok|bad)/i appeared after 0 s.]`:                    {Reason: settle.Text, Pattern: pattern(t, "/build (ok|bad)/i")},
		`[t1 running. "/tmp/log" did not appear within 30 s; still running.]`:             {Reason: settle.Timeout, Pattern: pattern(t, "/tmp/log"), Wait: 30 * time.Second},
		`[t1 running. "a\nb" did not appear within 1m 00s; still running.]`:               {Reason: settle.Timeout, Pattern: pattern(t, "a\nb"), Wait: time.Minute},
		`[t1 running. "` + long[:200] + `…" did not appear within 0.5 s; still running.]`: {Reason: settle.Timeout, Pattern: pattern(t, long), Wait: 500 * time.Millisecond},
		"[t1 running. Not settled within 30 s; still running.]":                           {Reason: settle.Timeout, Wait: 30 * time.Second},
	} {
		r.ID, r.StartedAt = "t1", began
		expect(t, result(r, "").Text, "(blank screen)\n"+want)
	}
}

func TestTextsOfAnEnd(t *testing.T) {
	at := func(d time.Duration) time.Time { return began.Add(d) }
	code, signal := core.ExitCode(3, at(12400*time.Millisecond)), core.ExitSignal("SIGTERM", at(252*time.Second))
	for want, o := range map[string]core.Outcome{
		"[t1 exited with code 3 after 12.4 s.]":                                           {Cause: core.CauseExit, Exit: code},
		"[t1 exited with code 0 after 1h 03m.]":                                           {Cause: core.CauseExit, Exit: core.ExitCode(0, at(63*time.Minute))},
		"[t1 was killed by SIGSEGV after 2 s.]":                                           {Cause: core.CauseSignal, Exit: core.ExitSignal("SIGSEGV", at(2*time.Second))},
		"[t1 ended after 2 s; how is not known.]":                                         {Cause: core.CauseExit, Exit: core.Exit{At: at(2 * time.Second)}},
		"[t1 was stopped by the user (SIGTERM) after 4m 12s.]":                            {Cause: core.CauseStopped, By: core.ByUser, Exit: signal},
		"[t1 was stopped (SIGTERM) after 4m 12s.]":                                        {Cause: core.CauseStopped, By: core.ByAgent, Exit: signal},
		"[t1 was stopped (code 3) after 12.4 s.]":                                         {Cause: core.CauseStopped, By: core.ByAgent, Exit: code},
		"[t1 was stopped (exit not known) after 1 s.]":                                    {Cause: core.CauseStopped, By: core.ByAgent, Exit: core.Exit{At: at(time.Second)}},
		"[t1 was stopped because the service shuts down (SIGTERM) after 4m 12s.]":         {Cause: core.CauseStopped, By: core.ByService, Exit: signal},
		"[t1 ended with its session.]":                                                    {Cause: core.CauseSessionEnded, By: core.BySession, Exit: signal},
		"[t1 was lost: the service's painter for it failed.]":                             {Cause: core.CauseLost, Detail: "the service's painter for it failed", Exit: signal},
		"[t1 exited with code 3 after 12.4 s. 1 process it started is still running.]":    {Cause: core.CauseExit, Exit: code, DescendantsAlive: 1},
		"[t1 exited with code 3 after 12.4 s. 2 processes it started are still running.]": {Cause: core.CauseExit, Exit: code, DescendantsAlive: 2},
	} {
		r := quiet()
		r.Reason, r.Outcome = settle.Exit, &o
		expect(t, result(r, "bye").Text, "bye\n"+want)
	}
}

func TestTextsOfACut(t *testing.T) {
	const file = "/spool/t1-output-1.log"
	lines := func(n, width int) string { return strings.Repeat(strings.Repeat("x", width)+"\n", n-1) + "x" }
	marks := "e" + strings.Repeat("\u0301", 30) // 61 bytes in one column
	for name, c := range map[string]struct {
		size   core.Viewport
		output string
		failed error
		want   string
	}{
		"by lines":         {core.Viewport{Cols: 20, Rows: 3}, lines(5120, 1), nil, "[Cut to the newest 2000 lines. All 5120 lines: " + file + "]"},
		"by bytes":         {core.Viewport{Cols: 200, Rows: 3}, lines(600, 100), nil, "[Cut to the newest 50 KB. All 600 lines: " + file + "]"},
		"one line":         {core.Viewport{Cols: 1000, Rows: 1}, strings.Repeat(marks, 1000), nil, "[Cut to the newest 50 KB. The whole line: " + file + "]"},
		"without its file": {core.Viewport{Cols: 20, Rows: 3}, lines(5120, 1), errors.New("disk full"), "[Cut to the newest 2000 lines of 5120 lines. The rest could not be written to a file: disk full.]"},
		"without the file of one line": {core.Viewport{Cols: 1000, Rows: 1}, strings.Repeat(marks, 1000), errors.New("disk full"),
			"[Cut to the newest 50 KB of 1 line. The rest could not be written to a file: disk full.]"},
		"after lines were dropped": {core.Viewport{Cols: 20, Rows: 3}, lines(10_515, 1), nil,
			"[Earlier output is missing: 512 lines were dropped before you read them.]\n[Cut to the newest 2000 lines. All 10003 lines: " + file + "]"},
		"after one line was dropped": {core.Viewport{Cols: 20, Rows: 3}, lines(10_004, 1), nil,
			"[Earlier output is missing: 1 line was dropped before you read it.]\n[Cut to the newest 2000 lines. All 10003 lines: " + file + "]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := quiet()
			r.Spill = func(string) (string, int, error) { return file, 1, c.failed }
			res := resultOn(c.size, r, c.output)
			expect(t, res.Notice, c.want)
			if end := "\n" + c.want + "\n[t1 running. Settled: quiet after 0.4 s.]"; !strings.HasSuffix(res.Text, end) {
				t.Errorf("the text ends in %q", res.Text[max(len(res.Text)-400, 0):])
			}
		})
	}
}

func TestTextsOfAnInputThatWasNotTaken(t *testing.T) {
	r := quiet()
	r.Taken, r.Of = 11776, 70000
	expect(t, result(r, "a").Text, "a\n[Only 11776 of 70000 bytes were taken: the program is not reading.]\n[t1 running. Settled: quiet after 0.4 s.]")
	r.Reason, r.Outcome = settle.Exit, &core.Outcome{Cause: core.CauseSignal, Exit: core.ExitSignal("SIGHUP", began.Add(time.Second))}
	expect(t, result(r, "a").Text, "a\n[Only 11776 of 70000 bytes were taken: the program has ended.]\n[t1 was killed by SIGHUP after 1 s.]")
	r.Taken = r.Of
	expect(t, result(r, "a").Text, "a\n[t1 was killed by SIGHUP after 1 s.]")
}
