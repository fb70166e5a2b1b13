// Package registry is the one door to all entries: it gives out ids, keeps the caps, knows which session owns what and
// who may reach it, and ends sessions whose client is gone.
//
// It promises that ids are never used twice, that a start that fails leaves nothing, that a session's reading position
// moves only when a result was delivered, and that Shutdown leaves nothing running. It starts one timer per session
// with a lease; all else runs in the callers' goroutines and in the Terminals'.
package registry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"termbay/core"
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

	MaxRunning      int // per group; 0: DefaultMaxRunning
	MaxRunningTotal int // 0: DefaultMaxRunningTotal
	Log             *slog.Logger
}

// Registry holds all sessions and entries. Its methods may be called from any goroutine.
type Registry struct {
	cfg    Config
	relief relief

	mu        sync.Mutex // guards below
	sessions  map[string]*session
	ended     map[string]bool // sessions that ended, until they are opened again
	entries   map[string]*record
	starting  map[string]int // starts under way, by group; they count in the caps
	closing   bool
	idleSince time.Time
	totals    Totals
}

// Totals are counts since the start of the service.
type Totals struct {
	Started int64 // Terminals
	Output  int64 // bytes of Terminals that were forgotten
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
	return &Registry{
		cfg:       cfg,
		sessions:  map[string]*session{},
		ended:     map[string]bool{},
		entries:   map[string]*record{},
		starting:  map[string]int{},
		idleSince: time.Now(),
	}
}

// Limits are the caps in force.
func (r *Registry) Limits() (perGroup, total int) { return r.cfg.MaxRunning, r.cfg.MaxRunningTotal }

// Shells are the shells that commands may run in, and what is wrong with the settings that choose them.
func (r *Registry) Shells() ([]core.Shell, []string) { return r.cfg.Resolver.Shells() }

// Stats are the numbers of this moment and since the start.
func (r *Registry) Stats() (running, exited, sessions int, totals Totals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	totals = r.totals
	for _, e := range r.entries {
		if e.outcome == nil {
			running++
		} else {
			exited++
		}
		totals.add(e)
	}
	return running, exited, len(r.sessions), totals
}

func (t *Totals) add(e *record) {
	t.Output += e.terminal.Bytes()
	faults, _ := e.terminal.Screen().Faults()
	t.Faults += int64(faults)
}

// Idle says whether no entry runs and no session with a lease is open, and since when.
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
	return len(r.starting) == 0
}

// busy notes that something may have ended or begun; r.mu is held.
func (r *Registry) busy() { r.idleSince = time.Now() }

// Shutdown refuses what is new, stops every entry and returns when nothing is left. Once ctx is done nothing is asked any
// more: what still runs is killed.
func (r *Registry) Shutdown(ctx context.Context) {
	r.mu.Lock()
	r.closing = true
	var all []*record
	for _, e := range r.entries {
		all = append(all, e)
	}
	for _, s := range r.sessions {
		s.stopTimer()
	}
	r.mu.Unlock()
	r.relief.stop()
	r.stopAll(ctx, all, stopping{cause: core.CauseStopped, by: core.ByService})
	if ctx.Err() == nil {
		return
	}
	var kills sync.WaitGroup // nobody waits any longer, but nothing may be left running
	for _, e := range all {
		kills.Go(func() { r.kill(e) })
	}
	kills.Wait()
}
