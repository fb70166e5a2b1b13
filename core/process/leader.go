package process

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"termbay/core"
)

// leader is the first process of a program: it leads a session and a process group of its own, and is the root of the
// tree. A PTY embeds one, and so do Pipes.
type leader struct {
	host    *Host
	process *os.Process
	tree    *tree
	// foreground is the foreground process group of the program's terminal, 0 when there is none.
	foreground func() int
	hangup     bool          // a stop also hangs up: it has a terminal
	done       chan struct{} // closed last, by wait
	exit       core.Exit     // once done is closed

	mu       sync.Mutex // guards below; held while a group is signalled, so that nothing is once it was reaped
	reaped   bool
	stopping *stopping // the stop in flight
}

// PID is the process id of the program, which is also the id of its session and of its process group.
func (l *leader) PID() int { return l.process.Pid }

// Done is closed once the program was reaped. Its output may not all be read by then.
func (l *leader) Done() <-chan struct{} { return l.done }

// Wait blocks until the program was reaped and says how it ended; any number of callers may wait. An exit that is not
// Known means that somebody else took the wait status.
func (l *leader) Wait() core.Exit {
	<-l.done
	return l.exit
}

// Descendants counts the living processes of the tree besides the program itself, also after its exit. A process that
// ended and was not reaped does not count.
func (l *leader) Descendants() int {
	if l.isReaped() && l.host.childless() { // else it would cost a look at every process for each command that ends
		return 0
	}
	n := 0
	for _, p := range l.tree.look() {
		if p.pid != l.PID() {
			n++
		}
	}
	return n
}

// Signal sends a signal, named as CheckSignal takes it, to the program's process group and to the foreground group of
// its terminal. Once the program was reaped it sends nothing and returns nil. An unknown name is *core.Error Invalid.
func (l *leader) Signal(name string) error {
	canonical, err := CheckSignal(name)
	if err != nil {
		return err
	}
	_, err = l.signal(canonical)
	return err
}

// signal sends to the process group and the foreground group, and says whether the program was there to get it: until
// it was reaped both ids are its own. The kernel keeps the foreground group within the program's session.
func (l *leader) signal(name string) (sent bool, err error) {
	foreground := l.foreground()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reaped {
		return false, nil
	}
	err = signalGroup(l.PID(), name)
	if foreground > 1 && foreground != l.PID() {
		// Its processes may have ended since; the program's own group is what counts.
		_ = signalGroup(foreground, name)
	}
	if err != nil {
		return true, fmt.Errorf("send %s to process %d: %w", name, l.PID(), err)
	}
	return true, nil
}

// wait is the goroutine of the leader: it reaps it, then tells everybody. It ends with the process; Wait joins it.
func (l *leader) wait(atExit func()) {
	state, at, err := l.reap()
	l.exit = exitOf(state, err, at)
	l.host.reaped(l.PID())
	l.host.cgroups.discard(l.tree.cgroup)
	atExit()
	close(l.done)
}

// exitOf translates a wait status.
func exitOf(state *os.ProcessState, err error, at time.Time) core.Exit {
	if err != nil {
		return core.Exit{At: at}
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return core.ExitSignal(signalName(status.Signal()), at)
	}
	return core.ExitCode(state.ExitCode(), at)
}

// signals are the names that can be sent, in the order in which they are shown.
func signals() []string {
	return strings.Fields(`SIGTERM SIGKILL SIGINT SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGSTOP SIGTSTP SIGCONT SIGWINCH
		SIGABRT SIGALRM SIGCHLD SIGPIPE SIGTTIN SIGTTOU SIGURG SIGIO SIGPROF SIGVTALRM SIGXCPU SIGXFSZ
		SIGBUS SIGFPE SIGILL SIGSEGV SIGSYS SIGTRAP`)
}

// CheckSignal takes the name of a signal, with or without SIG and in any case, and returns it as "SIGTERM". An unknown
// one is *core.Error Invalid with field "signal" and the names that are valid.
func CheckSignal(name string) (string, error) {
	canonical := strings.ToUpper(strings.TrimSpace(name))
	if !strings.HasPrefix(canonical, "SIG") {
		canonical = "SIG" + canonical
	}
	valid := signals()
	for _, s := range valid {
		if s == canonical {
			return canonical, nil
		}
	}
	return "", &core.Error{
		Code: core.Invalid, Field: "signal", Valid: valid,
		Detail: fmt.Sprintf("%q is not a signal. Signals: %s.", name, strings.Join(valid, ", ")),
	}
}
