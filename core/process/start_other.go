//go:build !linux

package process

import "os"

// fork starts the shell on the terminal. Only Linux limits the length of one argument.
func (h *Host) fork(s Spec, tty *os.File) (*os.Process, *cgroup, error) {
	argv, _ := compose(s.Shell, s.Command, len(s.Command))
	env := s.Env
	if env == nil {
		env = []string{} // nil means the environment of the service
	}
	process, err := h.start(func() (*os.Process, error) {
		return os.StartProcess(s.Shell.Path, argv, &os.ProcAttr{
			Dir: s.Cwd, Env: env, Files: []*os.File{tty, tty, tty}, Sys: newSession(),
		})
	})
	return process, nil, err
}
