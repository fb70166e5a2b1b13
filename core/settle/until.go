package settle

import (
	"context"
	"time"

	"termbay/core"
	"termbay/core/screen"
)

// Until waits until the subject has settled, and says why. When several reasons are there at once the first of these
// counts: Canceled, Text, Exit, Quiet, Timeout. Once the program has exited, or nobody waits, synchronized output holds
// nothing back.
func Until(ctx context.Context, s Subject, r Rule) Reason {
	now := time.Now()
	w := wait{
		subject:   s,
		rule:      r,
		deadline:  now.Add(min(max(r.Wait, 0), MaxWait)),
		revision:  s.Revision(),
		changedAt: now,
		from:      r.From,
		echo:      newEcho(r.Echo),
	}
	if r.Text != nil && w.revision <= r.Seen {
		w.known = s.Match(r.From).Text
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		changed := s.Changed() // before the look: no change after it is missed
		reason, next, rest := w.look(ctx)
		if reason != "" {
			return reason
		}
		timer.Reset(time.Until(next))
		select {
		case <-ctx.Done():
		case <-s.Done():
		case <-timer.C:
		case <-changed:
			timer.Reset(time.Until(earlier(next, rest)))
			select {
			case <-ctx.Done():
			case <-s.Done():
			case <-timer.C:
			}
		}
	}
}

// wait is one wait under way.
type wait struct {
	subject  Subject
	rule     Rule
	deadline time.Time

	lookedAt time.Time // when the last look ended
	hurried  int       // looks since the last calm

	revision  uint64    // as of the last look
	changedAt time.Time // when it was seen to change; at first the beginning of the wait
	heldFrom  time.Time // since when there is an answer that is held back

	known string // what was there when the wait began, if the caller knows it
	from  int    // the first line that is still looked at
	echo  echo
}

// look says whether the wait is over. If not, it is time for another look at next, or after a change, but not before
// rest: in a flood the latest state is what counts, and dear looks must leave time for other things.
func (w *wait) look(ctx context.Context) (reason Reason, next, rest time.Time) {
	if ctx.Err() != nil {
		return Canceled, next, rest
	}
	if closed(w.subject.Done()) { // text that a program prints before it exits came first, however soon the exit follows
		w.revision = w.subject.Revision()
		if w.rule.Text != nil && w.found() {
			return Text, next, rest
		}
		return Exit, next, rest
	}
	now := time.Now()
	if revision := w.subject.Revision(); revision != w.revision {
		w.revision, w.changedAt = revision, now
	}
	reason, next = w.reason(now)
	if reason == "" {
		w.heldFrom = time.Time{}
	} else if until := w.heldUntil(now); now.Before(until) {
		reason, next = "", until
	}
	return reason, next, w.rest(now)
}

// rest is when the next look may be taken, after one that began at start.
func (w *wait) rest(start time.Time) time.Time {
	if start.Sub(w.lookedAt) > calm {
		w.hurried = 0
	}
	w.hurried++
	w.lookedAt = time.Now()
	pause := lookShare * w.lookedAt.Sub(start)
	if w.hurried > burst {
		pause = max(pause, lookEvery)
	}
	return w.lookedAt.Add(pause)
}

// reason is the answer as of now, and when there will be one if nothing changes.
func (w *wait) reason(now time.Time) (reason Reason, next time.Time) {
	next = w.deadline
	if w.rule.Text != nil {
		if w.found() {
			return Text, next
		}
	} else if w.rule.Armed || w.revision > w.rule.Seen {
		quiet := w.changedAt.Add(w.rule.Quiet)
		if !now.Before(quiet) {
			return Quiet, next
		}
		next = earlier(next, quiet)
	}
	if !now.Before(w.deadline) {
		return Timeout, next
	}
	return "", next
}

// heldUntil is until when an answer waits for the program to finish painting; the zero time when it does not paint.
func (w *wait) heldUntil(now time.Time) time.Time {
	painting, since := w.subject.Synchronized()
	if !painting {
		return time.Time{}
	}
	if w.heldFrom.IsZero() {
		w.heldFrom = now
	}
	return earlier(since, w.heldFrom).Add(MaxHalfPainted) // a program that paints all the time holds it back once
}

// found says whether the text has appeared.
func (w *wait) found() bool {
	m := w.subject.Match(w.from)
	if w.revision <= w.rule.Seen && m.Text == w.known {
		return false
	}
	there := w.rule.Text.In(m.Text, nil)
	if there && len(w.echo.lines) > 0 {
		w.echo.look(m)
		there = w.rule.Text.In(m.Text, func(from, to int) bool { return w.echo.covers(m.Text, from, to) })
	}
	if !there {
		w.advance(m)
	}
	return there
}

// advance leaves out what was looked at in vain and cannot change any more: whole lines with more lines after them than
// a screen can have. A match may thus span the newest core.MaxSide lines at least.
func (w *wait) advance(m screen.Match) {
	if w.rule.Text.anchored {
		return
	}
	from := max(w.from, m.Start)
	cut := from
	for m.Offset(cut+stride+core.MaxSide, 0) < len(m.Text) {
		cut += stride
	}
	offset := m.Offset(cut, 0)
	for offset > 0 && m.Text[offset-1] != '\n' { // a soft-wrapped line is one line
		cut--
		offset = m.Offset(cut, 0)
	}
	if cut <= from {
		return
	}
	w.from = cut
	if len(w.echo.lines) > 0 {
		w.echo.look(m)
		w.echo.pass(offset)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
