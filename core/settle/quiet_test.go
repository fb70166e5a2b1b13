package settle_test

import (
	"testing"
	"testing/synctest"
	"time"

	"termbay/core/settle"
)

const ms = time.Millisecond

func TestQuietEndsAWait(t *testing.T) {
	runWaits(t, []waitCase{
		{
			name: "a start is armed by the first output", rule: start,
			steps: []step{write(300*ms, "ready")},
			want:  end{settle.Quiet, 550 * ms},
		},
		{
			name: "a start without output is over in time", rule: start,
			want: end{settle.Timeout, 2 * time.Second},
		},
		{
			name: "every change begins the quiet anew", rule: start,
			steps: []step{write(100*ms, "a"), write(300*ms, "b"), write(549*ms, "c"), write(900*ms, "d")},
			want:  end{settle.Quiet, 799 * ms},
		},
		{
			name: "an input is armed at once", before: "$ ", rule: input,
			want: end{settle.Quiet, 250 * ms},
		},
		{
			name: "an echo disturbs the quiet", before: "$ ", rule: input,
			steps: []step{write(10*ms, "l"), write(20*ms, "s"), write(30*ms, "\r\nfile\r\n$ ")},
			want:  end{settle.Quiet, 280 * ms},
		},
		{
			name: "a poll is not armed by what stands there", before: "$ ", rule: poll,
			want: end{settle.Timeout, 30 * time.Second},
		},
		{
			name: "a poll is armed by new output", before: "$ ", rule: poll,
			steps: []step{write(12*time.Second, "done")},
			want:  end{settle.Quiet, 12*time.Second + 250*ms},
		},
		{
			name: "a poll is armed by output since the last result", before: "$ ",
			rule: func(p *program) settle.Rule {
				r := poll(p)
				p.write("done")
				return r
			},
			want: end{settle.Quiet, 250 * ms},
		},
		{
			name: "bytes that change nothing do not disturb", before: "same\x1b[H", rule: input,
			steps: writes(50*ms, time.Second, "same\x1b[H", "\x1b[?25h", "\x1b[1m\x1b[0m"),
			want:  end{settle.Quiet, 250 * ms},
		},
		{
			name: "bytes that change nothing do not arm", before: "same\x1b[H", rule: start,
			steps: writes(100*ms, 3*time.Second, "same\x1b[H"),
			want:  end{settle.Timeout, 2 * time.Second},
		},
		{
			name: "the cursor's place is part of the screen", before: "$ ", rule: input,
			steps: []step{write(100*ms, "\x1b[3;3H")},
			want:  end{settle.Quiet, 350 * ms},
		},
		{
			name: "a spinner never is quiet", rule: start,
			steps: writes(50*ms, 5*time.Second, "\r|", "\r/", "\r-", "\r\\"),
			want:  end{settle.Timeout, 2 * time.Second},
		},
		{
			name: "a flood is over in time, to the millisecond", rule: start,
			steps: writes(100*time.Microsecond, 3*time.Second, "a\r\n", "b\r\n"),
			want:  end{settle.Timeout, 2 * time.Second},
		},
		{
			name: "steps of 300 ms settle after each", rule: start,
			steps: writes(300*ms, 2*time.Second, "step\r\n"),
			want:  end{settle.Quiet, 550 * ms},
		},
		{
			name: "quiet and the end of the time at once are quiet", before: "$ ",
			rule: func(p *program) settle.Rule {
				r := input(p)
				r.Wait = settle.DefaultQuiet
				return r
			},
			want: end{settle.Quiet, 250 * ms},
		},
		{
			name: "a quiet of no time ends at the first change", before: "$ ",
			rule: func(p *program) settle.Rule {
				r := poll(p)
				r.Quiet = 0
				return r
			},
			steps: []step{write(70*ms, "x"), write(80*ms, "y")},
			want:  end{settle.Quiet, 70 * ms},
		},
		{
			name: "no time to wait", before: "$ ",
			rule: func(p *program) settle.Rule {
				r := input(p)
				r.Wait = 0
				return r
			},
			want: end{settle.Timeout, 0},
		},
		{
			name: "a wait is at most five minutes", before: "$ ",
			rule: func(p *program) settle.Rule {
				r := poll(p)
				r.Wait = time.Hour
				return r
			},
			want: end{settle.Timeout, 5 * time.Minute},
		},
	})
}

func TestExitAndLeavingEndAnyWaitAtOnce(t *testing.T) {
	cases := []waitCase{
		{name: "quiet", before: "$ ", rule: poll},
		{name: "text", before: "$ ", rule: forText("NEVER")},
		{name: "synchronized output", before: "$ \x1b[?2026h", rule: input},
	}
	for _, c := range cases {
		c.want = end{settle.Exit, 100 * ms}
		c.steps = []step{{100 * ms, func(p *program) { p.write("bye"); close(p.done) }}, leave(200 * ms)}
		runWaits(t, []waitCase{c})
	}
	for _, c := range cases {
		c.want = end{settle.Canceled, 100 * ms}
		c.steps = []step{leave(100 * ms), exit(200 * ms)}
		runWaits(t, []waitCase{c})
	}
}

func TestAWaitThatBeginsAfterTheExitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(wide, "bye")
		close(p.done)
		if got := settles(t, p, forText("bye")(p)); got != (end{settle.Exit, 0}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAWaitInAFloodEndsAtOnceWithTheExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(wide, "")
		steps := append(writes(ms, 100*ms, "x\r\n"), exit(100*ms))
		if got := settles(t, p, start(p), steps...); got != (end{settle.Exit, 100 * ms}) {
			t.Errorf("%+v", got)
		}
	})
}
