package process

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// prepare makes the process a subreaper and keeps what it inherited away from programs.
func (h *Host) prepare() error {
	if _, err := readProcess(os.Getpid()); err != nil {
		return fmt.Errorf("prepare to start programs: /proc shows no processes: %w", err)
	}
	closeOnExec("/proc/self/fd")
	for _, s := range inheritedIgnored() {
		if s < firstRealTime {
			signal.Notify(h.ignored, s)
		} else {
			resetSignal(s)
		}
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

// firstRealTime begins the signals that Go gives no handler. The C library keeps the first two for itself, and its
// posix_spawn, which make uses, hands them on ignored.
const firstRealTime = 32

// resetSignal gives a signal its default disposition, which programs inherit.
func resetSignal(s syscall.Signal) {
	var byDefault [4]uintptr // struct sigaction of the kernel: handler, flags, restorer, mask
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
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
