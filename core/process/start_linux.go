package process

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// fork starts the shell, in a cgroup of its own where that works.
func (h *Host) fork(s Spec, fds [3]*os.File, sys *syscall.SysProcAttr) (*os.Process, *cgroup, error) {
	argv, script := compose(s.Shell, s.Command, maxArgument)
	files := fds[:]
	if script != "" {
		f, err := memory(script)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		files = append(files, f)
	}
	attr := &os.ProcAttr{Dir: s.Cwd, Env: s.Env, Files: files, Sys: sys}
	if attr.Env == nil {
		attr.Env = []string{} // nil means the environment of the service
	}

	var caged *cgroup
	process, err := h.start(func() (process *os.Process, err error) {
		unblocked(func() {
			if caged = h.cgroups.create(s.Tag); caged != nil {
				if process, err = caged.start(s.Shell.Path, argv, attr); err == nil {
					return
				}
				h.cgroups.discard(caged) // clone3 may be forbidden, or something else: go on without
				caged = nil
			}
			process, err = os.StartProcess(s.Shell.Path, argv, attr)
		})
		return process, err
	})
	return process, caged, err
}

// start forks right into the cgroup, so that no thread of the service is ever in it.
func (g *cgroup) start(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	fd, err := unix.Open(g.dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	sys := *attr.Sys
	sys.UseCgroupFD, sys.CgroupFD = true, fd
	into := *attr
	into.Sys = &sys
	return os.StartProcess(path, argv, &into)
}

// unblocked runs f on a thread that blocks no signal. A program starts with the signal mask of the thread that forks
// it, which Go leaves as the service inherited it (O-I2).
func unblocked(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var none, before unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &none, &before); err == nil {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) }()
	}
	f()
}

// memory is a file in memory that holds text, at its beginning.
func memory(text string) (*os.File, error) {
	fd, err := unix.MemfdCreate("command", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "command")
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// pipeSize is how much a pipe of output holds, where the system lets us say so: fewer and larger reads.
const pipeSize = 256 << 10

// enlarge makes a pipe hold pipeSize bytes. Beyond what a user may have in pipes it stays as it is.
func enlarge(pipe *os.File) {
	_ = control(pipe, func(fd int) error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize)
		return err
	})
}

// buffered is how much lies in a pipe; nothing when it is closed.
func buffered(pipe *os.File) (n int) {
	_ = control(pipe, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ)
		return err
	})
	return n
}
