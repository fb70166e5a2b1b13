// Package registry is the one door to all entries: it gives out ids, keeps the caps, knows which session owns what and
// who may reach it, and ends sessions whose client is gone.
//
// It promises that ids are never used twice, that a start that fails leaves nothing, that a session's reading position
// moves only when a result was delivered, and that Shutdown leaves nothing running. It starts one timer for each session
// with a lease, two for a call at most, and one goroutine for each call that is over while something still holds its
// pipe; all else runs in the callers' goroutines, in the Terminals' and in the jobs'.
package registry

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/process"
	"termbay/core/spool"
)

const (
	// DefaultMaxRunning is how many entries of one group may run (L64).
	DefaultMaxRunning = 16
	// DefaultMaxRunningTotal is how many entries may run in all.
	DefaultMaxRunningTotal = 256
)

// Config is what a Registry is made of.
type Config struct {
	Host     *process.Host
	Spool    *spool.Spool
	Counter  *spool.Counter
	Resolver process.Resolver

	MaxRunning      int   // per group; 0: DefaultMaxRunning
	MaxRunningTotal int   // 0: DefaultMaxRunningTotal
	MaxLogBytes     int64 // of one log; 0: spool.DefaultLogLimit
	Log             *slog.Logger
}

// Registry holds all sessions and entries. Its methods may be called from any goroutine.
type Registry struct {
	cfg    Config
	relief relief

	mu        sync.Mutex // guards below
	over      *sync.Cond // a start, or the end of a session, is over
	sessions  map[string]*session
	ended     []string // the sessions that ended last, until they are opened again
	entries   map[string]*record
	kept      map[string]*session // entries that were forgotten and whose full outputs are kept, with their owners
	calls     map[string]*call    // in the foreground
	left      map[*job.Job]bool   // calls that are over, and something still holds their pipes
	starting  map[*record]bool    // starts under way, and whether they count in the caps
	ending    int                 // ends of sessions under way
	closing   bool
	idleSince time.Time
	totals    Totals
}

// Totals are counts since the start of the service.
type Totals struct {
	Started map[core.Kind]int64
	Calls   int64 // commands that began in the foreground
	Output  int64 // bytes of entries that were forgotten, and of calls that are over
	Faults  int64 // emulator faults of Terminals that were forgotten
}

// New makes an empty Registry.
func New(cfg Config) *Registry {
	if cfg.MaxRunning == 0 {
		cfg.MaxRunning = DefaultMaxRunning
	}
	if cfg.MaxRunningTotal == 0 {
		cfg.MaxRunningTotal = DefaultMaxRunningTotal
	}
	if cfg.MaxLogBytes == 0 {
		cfg.MaxLogBytes = spool.DefaultLogLimit
	}
	r := &Registry{
		cfg:       cfg,
		sessions:  map[string]*session{},
		entries:   map[string]*record{},
		kept:      map[string]*session{},
		calls:     map[string]*call{},
		left:      map[*job.Job]bool{},
		starting:  map[*record]bool{},
		idleSince: time.Now(),
		totals:    Totals{Started: map[core.Kind]int64{}},
	}
	r.over = sync.NewCond(&r.mu)
	return r
}

// Limits are the caps in force.
func (r *Registry) Limits() (perGroup, total int) { return r.cfg.MaxRunning, r.cfg.MaxRunningTotal }

// LogLimit is how large one log may become, in bytes.
func (r *Registry) LogLimit() int64 { return r.cfg.MaxLogBytes }

// Shells are the shells that commands may run in, and what is wrong with the settings that choose them.
func (r *Registry) Shells() ([]core.Shell, []string) { return r.cfg.Resolver.Shells() }

// Stats are the numbers of this moment and since the start.
func (r *Registry) Stats() (running, exited, sessions int, totals Totals) {
	r.mu.Lock()
	totals, sessions = r.totals, len(r.sessions)
	totals.Started = maps.Clone(totals.Started)
	all := slices.Collect(maps.Values(r.entries))
	for _, e := range all {
		if e.outcome == nil {
			running++
		} else {
			exited++
		}
	}
	r.mu.Unlock()
	for _, e := range all { // a screen that is being drawn holds up whoever looks at it
		totals.add(e)
	}
	return running, exited, sessions, totals
}

func (t *Totals) add(e *record) {
	t.Output += e.machine.Bytes()
	if e.terminal != nil {
		faults, _ := e.terminal.Screen().Faults()
		t.Faults += int64(faults)
	}
}

// Idle says whether nothing runs and no session with a lease is open, and since when.
func (r *Registry) Idle() (since time.Time, idle bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.idleSince, r.idle()
}

func (r *Registry) idle() bool {
	for _, s := range r.sessions {
		if s.lease > 0 {
			return false
		}
	}
	for _, e := range r.entries {
		if e.outcome == nil {
			return false
		}
	}
	return len(r.starting) == 0 && len(r.calls) == 0
}

// busy notes that something may have ended or begun; r.mu is held.
func (r *Registry) busy() { r.idleSince = time.Now() }

// Shutdown refuses what is new, stops every entry and returns when nothing is left, nothing is being started and no
// session is being ended. Once ctx is done nothing is asked any more: what still runs is killed.
func (r *Registry) Shutdown(ctx context.Context) {
	r.mu.Lock()
	r.closing = true
	all, calls := slices.Collect(maps.Values(r.entries)), slices.Collect(maps.Values(r.calls))
	for _, s := range r.sessions {
		s.stopTimer()
	}
	r.mu.Unlock()
	r.relief.stop()
	r.endCalls(calls, job.Why{Cause: core.CauseStopped, By: core.ByService})
	r.stopAll(ctx, all, stopping{cause: core.CauseStopped, by: core.ByService})
	if ctx.Err() != nil {
		var kills sync.WaitGroup // nobody waits any longer, but nothing may be left running
		for _, e := range all {
			kills.Go(func() { r.kill(e) })
		}
		kills.Wait()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.starting) > 0 || len(r.calls) > 0 || r.ending > 0 {
		r.over.Wait()
	}
	left := slices.Collect(maps.Keys(r.left))
	r.mu.Unlock()
	for _, e := range all {
		e.close()
	}
	for _, j := range left {
		j.Close()
	}
	r.mu.Lock()
	for len(r.left) > 0 {
		r.over.Wait()
	}
}
