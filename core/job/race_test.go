package job_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/spool"
)

// TestExactlyOneDecidesWhatBecomesOfACall lets an exit, moves that find a place and moves that find none, an abort and a
// timeout race for one call, thousands of times.
func TestExactlyOneDecidesWhatBecomesOfACall(t *testing.T) {
	s := openSpool(t)
	fates := map[job.Fate]int{}
	const rounds = 4000
	for round := range rounds {
		call := startIn(s)
		var moves, refused atomic.Int32
		var log atomic.Pointer[spool.Log]
		abort := job.Why{Cause: core.CauseStopped, By: core.ByAgent}
		timeout := job.Why{Cause: core.CauseTimeout, By: core.ByService}
		racers := []func(){
			func() { call.program.prints("a"); call.program.prints("b\n"); call.program.ends(7) },
			func() { call.End(abort) },
			func() { call.End(timeout) },
		}
		for range 2 {
			racers = append(racers, func() {
				err := call.Move(func() (*spool.Log, error) {
					moves.Add(1)
					l := s.Log(fmt.Sprintf("b%d", round), 0)
					log.Store(l)
					return l, nil
				})
				if problem := (*core.Error)(nil); errors.As(err, &problem) && problem.Code == core.NotBackgroundable {
					refused.Add(1)
				}
			}, func() {
				_ = call.Move(func() (*spool.Log, error) { runtime.Gosched(); return nil, &core.Error{Code: core.CapReached} })
			})
		}
		rand.Shuffle(len(racers), func(i, k int) { racers[i], racers[k] = racers[k], racers[i] })
		var race sync.WaitGroup
		for _, r := range racers {
			race.Go(func() {
				for range rand.IntN(20) {
					runtime.Gosched()
				}
				r()
			})
		}
		race.Wait()
		end := call.end(t)
		<-call.tape.Over()
		<-call.Dry()
		fates[end.Fate]++

		switch end.Fate {
		case job.Moved:
			if moves.Load() != 1 || refused.Load() != 1 || end.Exit.Code == nil || *end.Exit.Code != 7 {
				t.Fatalf("moved %d times, refused %d, end %+v", moves.Load(), refused.Load(), end)
			}
			if got := contents(t, log.Load()); got != "ab\n" {
				t.Fatalf("log %q", got)
			}
		case job.Finished:
			if moves.Load() != 0 || refused.Load() != 2 || end.Exit.Code == nil || call.Report().Output != "ab\n" {
				t.Fatalf("finished, yet moved %d times, end %+v, report %+v", moves.Load(), end, call.Report())
			}
		case job.Ended:
			if moves.Load() != 0 || end.Exit.Signal != "SIGKILL" || end.Why != abort && end.Why != timeout {
				t.Fatalf("ended, yet moved %d times, end %+v", moves.Load(), end)
			}
		default:
			t.Fatalf("fate %q", end.Fate)
		}
		select {
		case again := <-call.ended:
			t.Fatalf("it ended twice: %+v", again)
		default:
		}
		s.Remove(fmt.Sprintf("b%d", round))
	}
	t.Log(fates)
	if len(fates) != 3 {
		t.Errorf("%d rounds saw only %v", rounds, fates)
	}
}
