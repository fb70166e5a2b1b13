package pulse_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"termbay/core/pulse"
)

func beaten(changed <-chan struct{}) bool {
	select {
	case <-changed:
		return true
	default:
		return false
	}
}

func TestEveryBeatWakesEverybodyWhoWaits(t *testing.T) {
	var p pulse.Pulse
	for range 3 {
		first, second := p.Changed(), p.Changed()
		if beaten(first) || beaten(second) {
			t.Fatal("woken before the beat")
		}
		p.Beat()
		if !beaten(first) || !beaten(second) {
			t.Fatal("a waiter still sleeps after the beat")
		}
	}
}

func TestBeatIsNotKeptForThoseWhoComeLater(t *testing.T) {
	var p pulse.Pulse
	p.Beat()
	changed := p.Changed()
	if beaten(changed) {
		t.Fatal("an old beat woke a new waiter")
	}
	p.Beat()
	if !beaten(changed) {
		t.Fatal("the next beat did not wake it")
	}
}

func TestWaitersNeverMissTheLastState(t *testing.T) {
	const last = 2000
	var (
		p       pulse.Pulse
		state   atomic.Int64
		waiters sync.WaitGroup
		ready   sync.WaitGroup
	)
	for range 4 {
		ready.Add(1)
		waiters.Go(func() {
			p.Changed()
			ready.Done()
			for {
				changed := p.Changed() // before looking
				if state.Load() == last {
					return
				}
				<-changed // hangs for ever if the last beat was missed
			}
		})
	}
	ready.Wait()
	for range last {
		state.Add(1)
		p.Beat()
	}
	waiters.Wait()
}

func TestBeatAllocatesNothingWhenNobodyWaits(t *testing.T) {
	var p pulse.Pulse
	if n := testing.AllocsPerRun(1000, p.Beat); n != 0 {
		t.Fatalf("%v allocations per beat", n)
	}
}
