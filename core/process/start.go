package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"termbay/core"
)

// Spec says what to start.
type Spec struct {
	Shell    core.Shell
	Command  string        // for the shell, of any length
	Cwd      string        // absolute
	Env      []string      // the complete environment, as Environment makes it; nil is an empty one
	Tag      string        // unique name of the entry, as in Environment
	Viewport core.Viewport // of a PTY; zero: core.DefaultViewport
	Stdin    bool          // keep the standard input of Pipes open
}

// StartPTY starts a command in a shell on a new PTY, as the leader of a new session, with descriptors 0, 1 and 2 only.
// The caller reads its output, and Closes the PTY when it is done with it.
//
// *core.Error: Invalid (cwd not absolute, a NUL byte in the command, viewport out of range), CwdMissing,
// ShellUnavailable (a shell that takes its command on standard input), PTYUnavailable, CommandFailedToStart,
// ShuttingDown (the Host is closed). Then nothing was started.
func (h *Host) StartPTY(s Spec) (*PTY, error) {
	if err := s.checkPTY(); err != nil {
		return nil, err
	}
	master, tty, err := openPTY(s.Viewport)
	if err != nil {
		return nil, &core.Error{
			Code: core.PTYUnavailable, Err: err,
			Detail: fmt.Sprintf("No PTY could be opened (%v); use a background job instead.", err),
		}
	}
	defer tty.Close()
	slave, err := tty.Stat()
	if err != nil {
		master.Close()
		return nil, fmt.Errorf("start terminal: %w", err)
	}
	l, err := h.lead(s, [3]*os.File{tty, tty, tty}, newSession())
	if err != nil {
		master.Close()
		return nil, err
	}
	l.tree.output, l.tree.opened, l.hangup = tty.Name(), slave, true
	p := &PTY{leader: l, master: master, backlog: drainBytes}
	l.foreground = p.foreground
	go l.wait(p.drain) // joined by Wait
	return p, nil
}

// lead starts the shell with these descriptors. The caller must wait for it.
func (h *Host) lead(s Spec, files [3]*os.File, sys *syscall.SysProcAttr) (*leader, error) {
	process, cgroup, err := h.fork(s, files, sys)
	if err != nil {
		return nil, s.failed(err)
	}
	l := &leader{host: h, process: process, done: make(chan struct{})}
	// Until it is reaped, /proc shows it, even when it ended at once.
	first, err := readProcess(process.Pid)
	if err != nil {
		h.log.Warn("a process is not listed: only its process group is reached", "pid", process.Pid, "error", err)
		first.pid = process.Pid
	}
	l.tree = newTree(h, first, s.Tag)
	l.tree.cgroup = cgroup
	return l, nil
}

// checkPTY is check for what needs a PTY.
func (s *Spec) checkPTY() error {
	if s.Viewport == (core.Viewport{}) {
		s.Viewport = core.DefaultViewport()
	}
	switch {
	case !Available():
		return &core.Error{Code: core.PTYUnavailable, Detail: "Terminals need PTY support, which this platform lacks; use a background job instead."}
	case s.Shell.Transport == core.ByStdin:
		return &core.Error{Code: core.ShellUnavailable, Detail: fmt.Sprintf(
			"%s takes its command on standard input, so it cannot run a Terminal; choose another shell.", s.Shell.Path)} // L308
	}
	if err := checkViewport(s.Viewport); err != nil {
		return err
	}
	return s.check()
}

// check refuses what cannot be started, before anything is.
func (s *Spec) check() error {
	if strings.ContainsRune(s.Command, 0) {
		return &core.Error{Code: core.Invalid, Field: "command", Detail: "The command holds a NUL byte, which no shell accepts; leave it out."}
	}
	return CheckCwd(s.Cwd, s.Shell.Kind)
}

// failed explains why the shell did not start. The system's own error does not say whether it means the shell or the
// working directory, which may be gone since it was checked (O-I1).
func (s Spec) failed(err error) error {
	var known *core.Error
	if errors.As(err, &known) {
		return err
	}
	if err := CheckCwd(s.Cwd, s.Shell.Kind); err != nil {
		return err
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) { // without the name of a call, which tells nobody anything
		err = errno
	}
	if _, missing := os.Stat(s.Shell.Path); errors.Is(missing, fs.ErrNotExist) {
		return &core.Error{Code: core.ShellUnavailable, Detail: "Custom shell path not found: " + s.Shell.Path, Err: err}
	}
	return &core.Error{Code: core.CommandFailedToStart, Err: err, Detail: fmt.Sprintf("%s could not be started: %v.", s.Shell.Path, err)}
}
