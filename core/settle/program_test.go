package settle_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/pulse"
	"termbay/core/screen"
	"termbay/core/settle"
)

// program is a Subject with a real screen; only its output is made up.
type program struct {
	*screen.Screen
	pulse.Pulse
	done    chan struct{}
	matches int // how often its text was asked for
	longest int // bytes of the longest
	cancel  context.CancelFunc
}

func newProgram(v core.Viewport, before string) *program {
	p := &program{Screen: screen.New(v), done: make(chan struct{})}
	p.write(before)
	return p
}

func (p *program) Done() <-chan struct{} { return p.done }

func (p *program) Match(from int) screen.Match {
	m := p.Screen.Match(from)
	p.matches, p.longest = p.matches+1, max(p.longest, len(m.Text))
	return m
}

func (p *program) write(output string) {
	p.Screen.Write([]byte(output))
	p.Beat()
}

// known is what a session knows that has just received a result.
func (p *program) known() settle.Rule {
	place := p.Place()
	return settle.Rule{Quiet: settle.DefaultQuiet, Wait: 30 * time.Second, Seen: place.Revision, From: place.Next}
}

// step is what a program does at a time after the wait began.
type step struct {
	at time.Duration
	do func(*program)
}

func write(at time.Duration, output string) step {
	return step{at, func(p *program) { p.write(output) }}
}

func exit(at time.Duration) step {
	return step{at, func(p *program) { close(p.done) }}
}

func leave(at time.Duration) step {
	return step{at, func(p *program) { p.cancel() }}
}

// writes is the same output again and again.
func writes(every, until time.Duration, outputs ...string) (steps []step) {
	for i, at := 0, every; at < until; i, at = i+1, at+every {
		steps = append(steps, write(at, outputs[i%len(outputs)]))
	}
	return steps
}

// end is how a wait ended.
type end struct {
	reason settle.Reason
	after  time.Duration
}

// settles plays the steps while it waits. Call it inside a bubble.
func settles(t *testing.T, p *program, r settle.Rule, steps ...step) end {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.cancel = cancel
	begin, over, played := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(played)
		for _, s := range steps {
			select {
			case <-time.After(time.Until(begin.Add(s.at))):
				s.do(p)
			case <-over:
				return
			}
		}
	}()
	reason := settle.Until(ctx, p, r)
	after := time.Since(begin)
	close(over)
	<-played
	return end{reason, after}
}

// waitCase is one wait, from what stood on the screen before to how it ended.
type waitCase struct {
	name   string
	size   core.Viewport // default 40×6
	before string
	rule   func(*program) settle.Rule
	steps  []step
	want   end
}

func runWaits(t *testing.T, cases []waitCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if !c.size.Valid() {
					c.size = core.Viewport{Cols: 40, Rows: 6}
				}
				p := newProgram(c.size, c.before)
				if got := settles(t, p, c.rule(p), c.steps...); got != c.want {
					t.Errorf("%s after %v, wanted %s after %v", got.reason, got.after, c.want.reason, c.want.after)
				}
			})
		})
	}
}

// The calls that wait.

func start(p *program) settle.Rule {
	r := p.known()
	r.Wait = 2 * time.Second
	return r
}

func poll(p *program) settle.Rule { return p.known() }

func input(p *program) settle.Rule {
	r := p.known()
	r.Armed, r.Wait = true, 500*time.Millisecond
	return r
}

func pattern(text string) *settle.Pattern {
	p, err := settle.Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

// forText is a poll for a text.
func forText(text string) func(*program) settle.Rule {
	return func(p *program) settle.Rule {
		r := p.known()
		r.Text = pattern(text)
		return r
	}
}

// typing is an input that waits for a text.
func typing(typed, text string) func(*program) settle.Rule {
	return func(p *program) settle.Rule {
		r := forText(text)(p)
		r.Armed, r.Echo = true, settle.Echo{Text: typed, Place: p.Place()}
		return r
	}
}
