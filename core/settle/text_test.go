package settle_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/settle"
)

var wide = core.DefaultViewport()

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d\r\n", i)
	}
	return b.String()
}

func TestTextEndsAWait(t *testing.T) {
	timeout := end{settle.Timeout, 30 * time.Second}
	runWaits(t, []waitCase{
		{
			name: "when it appears, however quiet it was", rule: forText("ready"),
			steps: []step{write(10*ms, "booting\r\n"), write(2*time.Second, "ready\r\n")},
			want:  end{settle.Text, 2 * time.Second},
		},
		{
			name: "not when it stood there and nothing changes", before: "DONE\r\n$ ", rule: forText("DONE"),
			want: timeout,
		},
		{
			name: "not when it stood there and bytes change nothing", before: "DONE\x1b[H", rule: forText("DONE"),
			steps: writes(time.Second, 20*time.Second, "DONE\x1b[H"),
			want:  timeout,
		},
		{
			name: "when it stood there and the screen changes", before: "DONE\r\n$ ", rule: forText("DONE"),
			steps: []step{write(40*ms, "\r\n$ ")},
			want:  end{settle.Text, 40 * ms},
		},
		{
			name: "at once when it came since the last result",
			rule: func(p *program) settle.Rule {
				r := forText("DONE")(p)
				p.write("DONE")
				return r
			},
			want: end{settle.Text, 0},
		},
		{
			name: "even without time to wait",
			rule: func(p *program) settle.Rule {
				r := forText("DONE")(p)
				r.Wait = 0
				p.write("DONE")
				return r
			},
			want: end{settle.Text, 0},
		},
		{
			name: "in the midst of a flood even in the last moment", rule: forText("DONE"),
			steps: append(flood(30*time.Second-26*ms, 25), write(30*time.Second-ms/2, "DONE")),
			want:  end{settle.Text, 30 * time.Second},
		},
		{
			name: "in the last output before an exit", before: "$ ", rule: forText("bye"),
			steps: []step{{100 * ms, func(p *program) { p.write("bye"); close(p.done) }}},
			want:  end{settle.Text, 100 * ms},
		},
		{
			name: "when it flew past in one piece", before: "$ ", rule: forText("READY"),
			steps: []step{write(20*ms, "READY\r\n"+lines(0, 500))},
			want:  end{settle.Text, 20 * ms},
		},
		{
			name: "when it flew past and the screen is as before", before: strings.Repeat("y\r\n", 10), rule: forText("READY"),
			steps: []step{write(20*ms, "READY\r\n"+strings.Repeat("y\r\n", 10))},
			want:  end{settle.Text, 20 * ms},
		},
		{
			name: "not when it flew past before the last result", before: "READY\r\n" + lines(0, 50), rule: forText("READY"),
			steps: []step{write(20*ms, lines(50, 60))},
			want:  timeout,
		},
		{
			name: "over a soft-wrapped row", size: core.Viewport{Cols: 10, Rows: 4}, rule: forText("the answer is 42"),
			steps: []step{write(20*ms, "now: the answer is 42")},
			want:  end{settle.Text, 20 * ms},
		},
		{
			name: "over a soft wrap that has half scrolled off", size: core.Viewport{Cols: 10, Rows: 2}, rule: forText("the answer is 42"),
			steps: []step{write(20*ms, "now: the answer is 42\r\n\n")},
			want:  end{settle.Text, 20 * ms},
		},
		{
			name: "with the blank that ends a prompt", rule: forText(">>> "),
			steps: []step{write(20*ms, ">>>"), write(90*ms, " ")},
			want:  end{settle.Text, 90 * ms},
		},
		{
			name: "written at the top of a very tall screen that then scrolls", size: core.Viewport{Cols: 40, Rows: 900}, rule: forText("READY"),
			steps: []step{write(20*ms, lines(0, 890)), write(40*ms, "\x1b[10;1HREADY\x1b[900;1H"+lines(890, 1800))},
			want:  end{settle.Text, 40 * ms},
		},
		{
			name: "on the alternate screen", before: "$ ", rule: forText("~ VIM"),
			steps: []step{write(20*ms, "\x1b[?1049h\x1b[2J\x1b[3;1H~ VIM")},
			want:  end{settle.Text, 20 * ms},
		},
		{
			name: "on a line of its own", rule: forText(`/^ready$/m`),
			steps: []step{write(20*ms, "not ready\r\n"), write(40*ms, "ready\r\n")},
			want:  end{settle.Text, 40 * ms},
		},
		{
			name: "over several lines", rule: forText(`/fail.*\n.*line 7/i`),
			steps: []step{write(20*ms, "FAILED\r\n"), write(40*ms, "in line 7\r\n")},
			want:  end{settle.Text, 40 * ms},
		},
		{
			name: "not with a spinner beside it", rule: forText("NEVER"),
			steps: writes(50*ms, 40*time.Second, "\r|", "\r/", "\r-", "\r\\"),
			want:  timeout,
		},
	})
}

func TestAnIdleWaitForTextLooksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(wide, "$ ")
		settles(t, p, forText("NEVER")(p), write(time.Second, "x"))
		if p.matches > 4 {
			t.Errorf("the text was built %d times for one change", p.matches)
		}
	})
}

func TestAFloodIsLookedAtRarelyAndFromItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(wide, "")
		r := forText("NEVER")(p)
		r.Wait = time.Second
		var steps []step
		for i := range 9000 { // 90 lines a look
			steps = append(steps, write(time.Duration(i)*100*time.Microsecond, lines(2*i, 2*i+2)))
		}
		if got := settles(t, p, r, steps...); got != (end{settle.Timeout, time.Second}) {
			t.Errorf("%+v", got)
		}
		if p.matches > 210 {
			t.Errorf("the text was built %d times in a second", p.matches)
		}
		if most := 2000 * len("line 12345\n"); p.longest > most {
			t.Errorf("%d bytes were looked at, wanted at most %d", p.longest, most)
		}
	})
}

func TestTextInAFloodIsNeverMissed(t *testing.T) {
	for _, text := range []string{"line 12345", "/^line 12345$/m", "/^line 12345\nline 12346$/m", "/^line 12[0-9]45\\b/m", "line 14999"} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProgram(wide, "")
				var steps []step
				for i := range 150 {
					steps = append(steps, write(time.Duration(i)*700*time.Microsecond, lines(100*i, 100*i+100)))
				}
				if got := settles(t, p, forText(text)(p), steps...); got.reason != settle.Text || got.after > 110*ms {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

func TestASoftWrappedLineInAFloodIsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(core.Viewport{Cols: 10, Rows: 4}, "")
		long := strings.Repeat("0123456789abcdefghijABC\r\n", 100) // three rows each
		r := forText("/^(abc|ABC)/m")(p)
		r.Wait = time.Second
		if got := settles(t, p, r, writes(10*ms, time.Second, long)...); got.reason != settle.Timeout {
			t.Errorf("%+v: ^ matched inside a line", got)
		}
	})
}

func TestTheStartOfTheTextStaysWhereTheWaitBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(wide, "")
		var steps []step
		for i := range 50 {
			steps = append(steps, write(time.Duration(i)*10*ms, lines(100*i, 100*i+100)))
		}
		r := forText(`/^line [1-9]/`)(p) // the first line is line 0
		r.Wait = time.Second
		if got := settles(t, p, r, steps...); got.reason != settle.Timeout {
			t.Errorf("%+v: ^ matched at a line that is not the first", got)
		}
	})
}

// flood is n changes, one in a millisecond.
func flood(from time.Duration, n int) (steps []step) {
	for i := range n {
		steps = append(steps, write(from+time.Duration(i)*ms, "x"))
	}
	return steps
}
