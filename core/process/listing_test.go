//go:build linux

package process_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"termbay/core/process"
)

// Looks at the same time share a listing, which was begun after each of them had asked.
func TestLooksAtTheSameTimeShareAListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken atomic.Int64
		goOn := make(chan struct{})
		look := process.NewLister(func() {
			taken.Add(1)
			<-goOn
		})
		var looks sync.WaitGroup
		looks.Go(look)
		synctest.Wait() // too late to be part of it
		for range 50 {
			looks.Go(look)
		}
		synctest.Wait()
		close(goOn)
		looks.Wait()
		if n := taken.Load(); n != 2 {
			t.Errorf("%d listings for 51 looks", n)
		}
	})
}
