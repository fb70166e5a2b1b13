package process

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare makes the process a subreaper and keeps what it inherited away from programs.
func (h *Host) prepare() error {
	closeOnExec("/proc/self/fd")
	for _, s := range inheritedIgnored() {
		signal.Notify(h.ignored, s)
	}
	h.adopter = os.Getpid()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		h.log.Warn("orphans are not adopted: a process that leaves its session may survive a stop", "error", err)
		h.adopter = 1
	}
	h.cgroups = findCgroups()
	h.log.Debug("process host", "cgroup", h.cgroups.root)

	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	h.reaper.Go(func() { // joined by Close
		defer signal.Stop(ended)
		for {
			select {
			case <-h.quit:
				return
			case <-ended:
			case <-h.kick:
			}
			h.reapOrphans()
			h.cgroups.sweep()
		}
	})
	return nil
}

// restore undoes prepare, as far as it lasts.
func (h *Host) restore() {
	signal.Stop(h.ignored)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil {
		h.log.Debug("subreaper", "error", err)
	}
	h.cgroups.sweep()
}

// inheritedIgnored are the signals that this process ignores. Go itself ignores none, so they were inherited, such as
// SIGHUP under nohup; Go hands them on to children unless they have a handler (O-I2).
func inheritedIgnored() []syscall.Signal {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	_, rest, _ := bytes.Cut(status, []byte("\nSigIgn:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, err := strconv.ParseUint(strings.TrimSpace(string(line)), 16, 64)
	if err != nil {
		return nil
	}
	var signals []syscall.Signal
	for n := 1; n <= 64; n++ {
		if mask&(1<<(n-1)) != 0 {
			signals = append(signals, syscall.Signal(n))
		}
	}
	return signals
}
