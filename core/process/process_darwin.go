package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// processes lists every process. Sessions have no numbers here; the group stands for them.
func processes() ([]process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]process, 0, len(list))
	for _, k := range list {
		all = append(all, fromKinfo(k))
	}
	return all, nil
}

func readProcess(pid int) (process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	return fromKinfo(*k), nil
}

func fromKinfo(k unix.KinfoProc) process {
	const zombie = 5 // SZOMB in sys/proc.h
	started := k.Proc.P_starttime
	return process{
		pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), session: int(k.Eproc.Pgid),
		start: uint64(started.Sec)*1e6 + uint64(started.Usec), zombie: k.Proc.P_stat == zombie,
	}
}

// signal sends to this very process, as far as its start time tells. A process that is gone is no error.
func (p process) signal(name string) error {
	if now, err := readProcess(p.pid); err != nil || now.identity() != p.identity() {
		return nil
	}
	if err := unix.Kill(p.pid, unix.SignalNum(name)); !errors.Is(err, unix.ESRCH) {
		return err
	}
	return nil
}
