//go:build unix

package api_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"termbay/api"
	"termbay/core"
)

// deaf starts a program that ends with SIGKILL only.
func (b *bay) deaf() (id string) {
	b.Helper()
	return b.start(object{"command": "trap '' TERM HUP INT; echo up; while :; do sleep 0.05; done", "wait_for_text": "up"}).ID
}

func TestAStopAnswersWithTheFinalResultAndForgets(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "trap 'echo bye; exit 4' TERM; trap '' HUP; echo up; while :; do sleep 0.02; done", "wait_for_text": "up"}).ID
	res := b.stop(id, nil)
	o := res.Outcome
	if res.State != core.Exited || res.Status != core.StatusKilled || res.SettledBy != api.SettledByExit || res.WaitMS != 3000 || o == nil || o.Cause != core.CauseStopped || o.By != core.ByAgent {
		t.Errorf("%+v", res)
	}
	if !strings.HasSuffix(res.Screen, "\nbye") || res.ExitCode == nil || *res.ExitCode != 4 || res.Signal != "" {
		t.Errorf("%+v", res)
	}
	b.refused(410, "gone", "", b.do("POST", "/v1/entries/"+id+"/stop", ""))
}

func TestAStopMayKeepTheEntry(t *testing.T) {
	t.Parallel()
	b := open(t)
	for name, c := range map[string]struct {
		body  object
		by    core.Actor
		words string
	}{
		"a user's":        {object{"by": "user"}, core.ByUser, " was stopped by the user (SIGKILL) after "},
		"a user's, too":   {object{"by": "user", "forget": true}, core.ByUser, " was stopped by the user (SIGKILL) after "},
		"forget is false": {object{"forget": false}, core.ByAgent, " was stopped (SIGKILL) after "},
	} {
		id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
		c.body["signal"] = "kill"
		res := b.stop(id, c.body)
		e := b.entry(id)
		if res.Signal != "SIGKILL" || !strings.Contains(res.Text, "["+id+c.words) || e.State != core.Exited || e.Outcome.By != c.by || e.Signal != "SIGKILL" {
			t.Errorf("%s: %+v\n%+v", name, res, e)
		}
		if again := b.stop(id, object{"forget": false}); again.Outcome.By != c.by {
			t.Errorf("%s, again: %+v", name, again)
		}
		b.call(204, "DELETE", "/v1/entries/"+id, nil)
	}
}

func TestAStopEscalatesAfterItsGrace(t *testing.T) {
	t.Parallel()
	b := open(t)
	for grace, wait := range map[int]int64{0: 0, 300: 300} {
		begun := time.Now()
		res := b.stop(b.deaf(), object{"grace_ms": grace})
		if took := time.Since(begun); res.Signal != "SIGKILL" || res.WaitMS != wait || took < time.Duration(grace)*time.Millisecond || grace == 0 && res.WaitedMS >= 3000 {
			t.Errorf("a grace of %d ms: %v, %+v", grace, took, res)
		}
	}
	if res := b.stop(b.start(object{"command": "exec cat", "wait_ms": 0}).ID, object{"grace_ms": 2147483647}); res.WaitMS != 60000 {
		t.Errorf("a long grace: %+v", res)
	}
}

func TestAStopWithoutEscalationLeavesWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.deaf()
	for _, grace := range []int{0, 50, 1100} {
		p := b.refused(409, "still_running", "", b.do("POST", "/v1/entries/"+id+"/stop", object{"escalate": false, "grace_ms": grace, "signal": "INT"}.String()))
		if !strings.Contains(p.Detail, "SIGINT; it is still running") {
			t.Errorf("%s", p.Detail)
		}
	}
	if e := b.entry(id); e.State != core.Running {
		t.Fatalf("%+v", e)
	}
	if res := b.stop(id, object{"escalate": false, "signal": "KILL"}); res.Signal != "SIGKILL" || res.Outcome.Cause != core.CauseStopped {
		t.Errorf("%+v", res)
	}
}

func TestStopsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.start(object{"command": "exec cat", "wait_ms": 0}).ID
	for body, field := range map[string]string{
		`{"signal":"NOPE"}`: "signal", `{"signal":""}`: "signal", `{"grace_ms":-1}`: "grace_ms", `{"by":"service"}`: "by", `{"escalate":1}`: "escalate",
	} {
		b.refused(422, "invalid", field, b.do("POST", "/v1/entries/"+id+"/stop", body))
	}
	if e := b.entry(id); e.State != core.Running {
		t.Errorf("%+v", e)
	}
}

// A stop may take long: it begins to answer at once, and goes on when nobody waits for it any more.
func TestAStopGoesOnWithoutItsCaller(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.deaf()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	status, _ := b.begin(ctx, "POST", "/v1/entries/"+id+"/stop", object{"grace_ms": 1500})
	if e := b.entry(id); status != 200 || e.State != core.Running {
		t.Errorf("%d: the headers came with the result: %+v", status, e)
	}
	leave()
	e := as[api.Entry](t, b.call(200, "GET", "/v1/entries/"+id+"?wait=exit", nil))
	if e.Signal != "SIGKILL" || e.Outcome.Cause != core.CauseStopped {
		t.Errorf("%+v", e)
	}
	if res := b.stop(id, nil); res.Signal != "SIGKILL" { // nobody got it before, so that it was kept
		t.Errorf("%+v", res)
	}
	b.call(410, "GET", "/v1/entries/"+id, nil)
}

func TestManyStopsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	b := open(t)
	id := b.deaf()
	var answers []<-chan reply
	for range 8 {
		answers = append(answers, b.later("POST", "/v1/entries/"+id+"/stop", `{"grace_ms":300}`))
	}
	ended := 0
	for _, answer := range answers {
		switch got := <-answer; got.status {
		case 200:
			if res := as[api.Result](t, got); res.Signal != "SIGKILL" {
				t.Errorf("%+v", res)
			}
			ended++
		case 410: // it came when all was over
		default:
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if ended == 0 {
		t.Error("nobody got the final result")
	}
}
