//go:build linux

package registry_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"termbay/core"
	"termbay/core/registry"
)

// Moves at the same time never pass the cap, and each call is in the end either a job or still a call.
func TestParallelMovesNeverPassTheCap(t *testing.T) {
	const limit, all = 5, 24
	f := open(t, registry.Config{MaxRunning: limit})
	calls := make([]*registry.Call, all)
	for i := range calls {
		calls[i] = f.run(agent, registry.Run{Command: "exec sleep 1000"})
	}
	var moved, refused atomic.Int32
	var moves sync.WaitGroup
	for _, c := range calls {
		for range 2 { // each twice
			moves.Go(func() {
				_, _, err := f.Background(agent, c.ID(), core.ByAPI)
				problem := (*core.Error)(nil)
				switch {
				case err == nil:
					moved.Add(1)
				case errors.As(err, &problem) && (problem.Code == core.CapReached || problem.Code == core.NotBackgroundable):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
	}
	moves.Wait()
	list, err := f.Entries(agent, registry.OfSession, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if moved.Load() != limit || refused.Load() != 2*all-limit || len(list.Jobs) != limit || len(list.Calls) != all-limit || list.Running != limit {
		t.Errorf("moved %d, refused %d; %d jobs, %d calls, %d running", moved.Load(), refused.Load(), len(list.Jobs), len(list.Calls), list.Running)
	}
}

// A session that ends while its calls are being moved leaves none of them, wherever they are.
func TestASessionThatEndsDuringMovesLeavesNothing(t *testing.T) {
	for round := range 10 {
		f := open(t, registry.Config{MaxRunning: 100})
		var calls []*registry.Call
		for range 6 {
			calls = append(calls, f.run(agent, registry.Run{Command: "exec sleep 4715.1"}))
		}
		var race sync.WaitGroup
		for _, c := range calls {
			race.Go(func() { _, _, _ = f.Background(agent, c.ID(), core.ByAPI) })
		}
		if _, _, err := f.End(t.Context(), "agent", registry.ReasonQuit); err != nil {
			t.Fatal(err)
		}
		race.Wait()
		for _, c := range calls {
			f.result(c)
		}
		list, err := f.Entries(person, registry.OfAll, "", "")
		if left := alive("4715.1"); err != nil || len(left) > 0 || len(list.Jobs)+len(list.Calls) > 0 {
			t.Fatalf("round %d: alive %v, listed %+v, %v", round, left, list, err)
		}
	}
}
