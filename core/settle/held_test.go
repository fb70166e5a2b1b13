package settle_test

import (
	"testing"
	"time"

	"termbay/core/settle"
)

func TestAHalfPaintedScreenIsNotReported(t *testing.T) {
	const open, shut = "\x1b[?2026h", "\x1b[?2026l"
	short := func(r func(*program) settle.Rule) func(*program) settle.Rule {
		return func(p *program) settle.Rule {
			r := r(p)
			r.Wait = 400 * ms
			return r
		}
	}
	// A program that begins the next frame in the moment the last one ends.
	frames := writes(30*ms, 3*time.Second, shut+"\rx"+open, shut+"\ry"+open)
	runWaits(t, []waitCase{
		{
			name: "quiet waits for the end of the frame", before: "$ ", rule: short(input),
			steps: []step{write(200*ms, open), write(300*ms, shut)},
			want:  end{settle.Quiet, 300 * ms},
		},
		{
			name: "text waits for the end of the frame", rule: forText("DONE"),
			steps: []step{write(200*ms, open+"DONE"), write(290*ms, shut)},
			want:  end{settle.Text, 290 * ms},
		},
		{
			name: "text that the frame takes back never was there", rule: short(forText("DONE")),
			steps: []step{write(200*ms, open+"DONE"), write(290*ms, "\r    "+shut)},
			want:  end{settle.Timeout, 400 * ms},
		},
		{
			name: "each answer is held up anew", rule: forText("DONE"),
			steps: []step{write(200*ms, open+"DONE"), write(290*ms, "\r    "+shut), write(500*ms, open+"DONE"), write(590*ms, shut)},
			want:  end{settle.Text, 590 * ms},
		},
		{
			name: "the end of the time waits for the end of the frame", rule: short(start),
			steps: []step{write(300*ms, open), write(450*ms-1, shut)},
			want:  end{settle.Timeout, 450*ms - 1},
		},
		{
			name: "a frame that never ends holds quiet up for 150 ms", before: "$ ", rule: short(input),
			steps: []step{write(200*ms, open)},
			want:  end{settle.Quiet, 350 * ms},
		},
		{
			name: "a frame that never ends holds text up for 150 ms", rule: forText("DONE"),
			steps: []step{write(200*ms, open+"DONE")},
			want:  end{settle.Text, 350 * ms},
		},
		{
			name: "a frame that never ends holds the end of the time up for 150 ms", rule: short(start),
			steps: []step{write(390*ms, open)},
			want:  end{settle.Timeout, 540 * ms},
		},
		{
			name: "a frame that was open for long holds nothing up", before: open + "$ ", rule: short(input),
			want: end{settle.Quiet, 250 * ms},
		},
		{
			name: "frame after frame hold up the end of the time for 150 ms", before: open, rule: short(start), steps: frames,
			want: end{settle.Timeout, 550 * ms},
		},
	})
}
