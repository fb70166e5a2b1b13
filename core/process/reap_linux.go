package process

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reapOrphans reaps every orphan that ended, each by its pid. wait4(-1) would steal the wait status of children that
// somebody else waits for.
//
// An orphan is told from a child that this process started by its session: whatever a program starts lives in the
// program's session or in a newer one, never in ours; what the service itself starts outside this package stays in ours.
// Our programs lead sessions of their own and are registered.
func (h *Host) reapOrphans() {
	for {
		pid := endedChild()
		if pid == 0 || h.leads(pid) || h.starts() {
			return // nothing there, or a leader: its own waiter, or its start, asks for another look
		}
		if p, err := readProcess(pid); err != nil || !p.zombie {
			continue // its waiter was faster
		} else if !h.reapOrphan(p) {
			break
		}
	}
	// Somebody else's child stands in front and hides what is behind it.
	all, err := processes()
	if err != nil {
		return
	}
	for _, p := range all {
		if p.parent == h.adopter && p.zombie {
			h.reapOrphan(p)
		}
	}
}

// childless says whether this process has no children but programs that it knows: what a program left behind is its
// child. False means that it does not know.
func (h *Host) childless() bool {
	if h.adopter != os.Getpid() || h.starts() {
		return false
	}
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); errors.Is(err, unix.ECHILD) {
		return true
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, t := range threads {
		children, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if err != nil {
			return false // a thread that just ended, or a kernel without these files
		}
		for _, child := range strings.Fields(string(children)) {
			if pid, err := strconv.Atoi(child); err != nil || !h.leads(pid) {
				return false
			}
		}
	}
	return true
}

// reapOrphan reaps a process that has ended if it is an orphan. Nothing else can take its pid meanwhile: a zombie keeps it.
func (h *Host) reapOrphan(p process) bool {
	if p.parent != os.Getpid() || p.session == ownSession() || !h.adopted(p.pid) {
		return false
	}
	reaped, err := unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
	return err == nil && reaped == p.pid
}

// endedChild is the pid of a child that ended and was not reaped, or 0.
func endedChild() int {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err != nil {
		return 0
	}
	// x/sys does not name the fields behind the code: a union, aligned as a pointer, that begins with the pid.
	type childInfo struct {
		_     [3]int32
		union struct {
			_   [0]uintptr
			pid int32
		}
	}
	return int((*childInfo)(unsafe.Pointer(&info)).union.pid)
}

// reap waits until the leader has ended and leaves it unreaped, so that its pid and its group still mean it and nobody
// else; then it reaps it under the lock that every signal takes. So nothing is signalled once it was reaped (O-B5).
func (l *leader) reap() (state *os.ProcessState, at time.Time, err error) {
	for {
		err := unix.Waitid(unix.P_PID, l.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	at = time.Now() // before anybody can see that it is gone
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reaped = true
	state, err = l.process.Wait() // returns at once
	return state, at, err
}
