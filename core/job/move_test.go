package job_test

import (
	"errors"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/spool"
)

// moved moves the call to the background under an id.
func (c call) moved(t testing.TB, id string) *spool.Log {
	t.Helper()
	log := c.spool.Log(id, 0)
	if err := c.Move(func() (*spool.Log, error) { return log, nil }); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestAMoveTakesAllOutputAlong(t *testing.T) {
	call := start(t)
	call.prints("before \xe6\x9c") // in the midst of a character (L118)
	log := call.moved(t, "b1")
	if got := all(t, call.tape); got != "before \xe6\x9c" {
		t.Errorf("streamed until the move: %q", got)
	}
	call.prints("\xac after\n")
	call.program.ends(3)
	end := call.end(t)
	if end.Fate != job.Moved || *end.Exit.Code != 3 || end.Record != nil {
		t.Errorf("end: %+v", end)
	}
	<-call.Dry()
	if got := contents(t, log); got != "before 本 after\n"[:7]+"\xe6\x9c\xac after\n" {
		t.Errorf("log %q", got)
	}
	if output, truncated := call.Recent(); output != "before \xe6\x9c\xac after\n" || truncated {
		t.Errorf("recent output %q, cut %v", output, truncated)
	}
}

func TestAMoveThatFailsChangesNothing(t *testing.T) {
	call := start(t)
	full := &core.Error{Code: core.CapReached}
	if err := call.Move(func() (*spool.Log, error) { return nil, full }); !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	call.prints("still here\n")
	log := call.moved(t, "b1")
	if got := contents(t, log); got != "still here\n" {
		t.Errorf("log %q", got)
	}
	call.program.ends(0)
	call.end(t)
}

func TestWhatCannotBeMovedSaysWhy(t *testing.T) {
	code := 0
	for want, prepare := range map[string]func(c call){
		"is in the background already": func(c call) { c.moved(t, "b7") },
		"has finished":                 func(c call) { c.program.exits(core.Exit{Code: &code}) }, // also within the grace
		"was aborted or timed out":     func(c call) { c.End(job.Why{Cause: core.CauseTimeout}) },
	} {
		call := start(t)
		prepare(call)
		err := call.Move(func() (*spool.Log, error) { t.Errorf("%s: moved", want); return nil, nil })
		problem := (*core.Error)(nil)
		if !errors.As(err, &problem) || problem.Code != core.NotBackgroundable || !strings.Contains(problem.Detail, want) {
			t.Errorf("want %q, got %v", want, err)
		}
		call.program.ends(0)
		call.end(t)
		call.Close()
	}
}

func TestAnEndReachesOnlyACallInTheForeground(t *testing.T) {
	call := start(t)
	call.moved(t, "b1")
	call.End(job.Why{Cause: core.CauseStopped, By: core.ByAgent})
	call.program.ends(0)
	if end := call.end(t); end.Fate != job.Moved || end.Exit.Signal != "" {
		t.Errorf("end: %+v", end)
	}

	call = start(t)
	why := job.Why{Cause: core.CauseTimeout, By: core.ByService}
	call.End(why)
	if end := call.end(t); end.Fate != job.Ended || end.Why != why || end.Exit.Signal != "SIGKILL" {
		t.Errorf("end: %+v", end)
	}
}

func TestTheRecordOfACallHoldsAllItPrinted(t *testing.T) {
	s := openSpool(t)
	log := s.Log("b1", 0)
	j := job.New(job.Spec{OnEnd: func(e job.End) { e.Record(log) }, Log: quiet()})
	p := newProgram()
	j.Run(p)
	p.prints("one\n")
	p.prints("two\n")
	p.ends(0)
	<-j.Done()
	if got := contents(t, log); got != "one\ntwo\n" {
		t.Errorf("log %q", got)
	}
}
