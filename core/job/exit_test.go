package job_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/job"
)

func TestACallEndsOnceItsPipesAreIdleAfterTheExit(t *testing.T) {
	code := 0
	for _, c := range []struct {
		what string
		then func(p *program) // after the exit
		want time.Duration
	}{
		{"nobody holds the pipe", func(p *program) { p.pipe.Close() }, 0},
		{"a silent holder", func(p *program) {}, job.IdleGrace},
		{"a holder that prints once", func(p *program) { time.Sleep(60 * time.Millisecond); p.prints("late\n") }, 160 * time.Millisecond},
		{"a holder that closes it", func(p *program) { time.Sleep(30 * time.Millisecond); p.pipe.Close() }, 30 * time.Millisecond},
		{"a chattering holder", func(p *program) {
			for range 40 {
				p.prints("tick\n")
				time.Sleep(50 * time.Millisecond)
			}
		}, job.ExitLimit},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				call := start(t)
				call.program.prints("out\n")
				time.Sleep(time.Second)
				call.program.exits(core.Exit{Code: &code})
				began := time.Now()
				var after sync.WaitGroup
				after.Go(func() { c.then(call.program) })
				end := call.end(t)
				if took := time.Since(began); took != c.want {
					t.Errorf("it ended %v after the exit, want %v", took, c.want)
				}
				if end.Fate != job.Finished || *end.Exit.Code != 0 {
					t.Errorf("end: %+v", end)
				}
				call.Close()
				call.program.pipe.Close()
				after.Wait()
			})
		})
	}
}

// What was printed before the exit is part of the result, also when the service is too slow to read it within the grace.
func TestWhatLiesInThePipeAtTheExitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code := 0
		call := start(t)
		call.program.buffered.Store(5)
		call.program.exits(core.Exit{Code: &code})
		time.Sleep(3 * time.Second) // longer than any grace
		synctest.Wait()
		select {
		case <-call.Job.Done():
			t.Fatal("it ended without what lay in the pipe")
		default:
		}
		call.program.buffered.Store(0)
		call.prints("late\n")
		if call.end(t); call.Report().Output != "late\n" {
			t.Errorf("output %q", call.Report().Output)
		}
		call.Close()
	})
}

func TestWhatComesAfterTheEndOfACallIsNobodys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code := 0
		call := start(t)
		call.prints("mine\n")
		call.program.exits(core.Exit{Code: &code})
		call.end(t)
		call.program.prints("late\n") // is read all the same: who holds the pipe must not be ended by it
		call.program.pipe.Close()
		<-call.Dry()
		if got := call.Report().Output; got != "mine\n" {
			t.Errorf("output %q", got)
		}
	})
}

func TestWhatComesAfterTheExitOfAJobGoesToItsLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code := 0
		call := start(t)
		log := call.moved(t, "b1")
		call.program.exits(core.Exit{Code: &code})
		call.end(t)
		call.program.prints("late\n")
		call.program.pipe.Close()
		<-call.Dry()
		if got := contents(t, log); got != "late\n" {
			t.Errorf("log %q", got)
		}
	})
}
