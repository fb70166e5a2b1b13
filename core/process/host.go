package process

import (
	"log/slog"
	"os"
	"sync"

	"termbay/core"
)

// Host is what every program of the service has in common: it adopts and reaps orphans, gives every program a cgroup
// where that is possible, and keeps what the service inherited away from them. There is one in a process: a second
// one would reap the programs of the first.
type Host struct {
	log     *slog.Logger
	adopter int            // pid of the process that orphans go to
	cgroups *cgroups       // where programs get cgroups of their own
	ignored chan os.Signal // signals that the service was started with ignored; never read
	kick    chan struct{}  // asks the reaper to look again
	quit    chan struct{}  // closed by Close
	lister  *lister
	reaper  sync.WaitGroup

	mu       sync.Mutex // guards below
	closed   bool
	starting int          // starts between fork and registration
	leaders  map[int]bool // pids of our programs that were not reaped yet
}

// NewHost makes the process ready to start programs: on Linux it becomes the subreaper of its descendants, marks the
// descriptors it inherited close-on-exec, gives signals that it inherited as ignored a handler (exec then resets them
// in programs; the service goes on ignoring them) and starts to reap orphans. What the platform refuses is logged and
// done without; only without /proc there is an error, because then no tree would be found.
func NewHost(log *slog.Logger) (*Host, error) {
	h := &Host{
		log:     log,
		ignored: make(chan os.Signal, 1),
		kick:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		leaders: map[int]bool{},
		lister:  newLister(processes),
	}
	if err := h.prepare(); err != nil {
		return nil, err
	}
	return h, nil
}

// Close ends the reaping. Programs that still run are left alone: stop them first.
func (h *Host) Close() error {
	h.mu.Lock()
	again := h.closed
	h.closed = true
	h.mu.Unlock()
	if again {
		return nil
	}
	close(h.quit)
	h.reaper.Wait()
	h.restore()
	return nil
}

// start runs fork and, when it succeeded, registers the new leader. The reaper keeps still from before the fork until
// the registration, so that it never takes a leader for an orphan.
func (h *Host) start(fork func() (*os.Process, error)) (*os.Process, error) {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil, &core.Error{Code: core.ShuttingDown, Detail: "The service is shutting down; nothing new is started."}
	}
	h.starting++
	h.mu.Unlock()

	process, err := fork()

	h.mu.Lock()
	h.starting--
	if err == nil {
		h.leaders[process.Pid] = true
	}
	h.mu.Unlock()
	h.look()
	return process, err
}

// reaped removes a leader that was reaped.
func (h *Host) reaped(pid int) {
	h.mu.Lock()
	delete(h.leaders, pid)
	h.mu.Unlock()
	h.look()
}

// leads says whether pid is the leader of a program that was not reaped yet.
func (h *Host) leads(pid int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leaders[pid]
}

// adopted says whether pid, a child that ended, can only be an orphan.
func (h *Host) adopted(pid int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.starting == 0 && !h.leaders[pid]
}

// starts says whether a start is under way.
func (h *Host) starts() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.starting > 0
}

// look asks the reaper to look for orphans that ended.
func (h *Host) look() {
	select {
	case h.kick <- struct{}{}:
	default:
	}
}
