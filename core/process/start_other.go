//go:build !linux

package process

import (
	"os"
	"syscall"
)

// fork starts the shell. Only Linux limits the length of one argument.
func (h *Host) fork(s Spec, files [3]*os.File, sys *syscall.SysProcAttr) (*os.Process, *cgroup, error) {
	argv, _ := compose(s.Shell, s.Command, len(s.Command))
	env := s.Env
	if env == nil {
		env = []string{} // nil means the environment of the service
	}
	process, err := h.start(func() (*os.Process, error) {
		return os.StartProcess(s.Shell.Path, argv, &os.ProcAttr{
			Dir: s.Cwd, Env: env, Files: files[:], Sys: sys,
		})
	})
	return process, nil, err
}

func enlarge(*os.File) {}

func buffered(*os.File) int { return 0 }
