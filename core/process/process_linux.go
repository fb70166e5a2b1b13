package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// processes lists every process. It reads /proc/<pid>/stat by itself: procfs takes more than twice as long, and two
// such lists are what a stop costs (ADR 0003).
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]process, 0, len(names))
	buf := make([]byte, 1024)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readStat(pid, buf); err == nil { // else it ended meanwhile
			all = append(all, p)
		}
	}
	return all, nil
}

// readProcess is one process.
func readProcess(pid int) (process, error) {
	return readStat(pid, make([]byte, 1024))
}

// readStat reads /proc/<pid>/stat into buf, which holds at least the first 22 fields.
func readStat(pid int, buf []byte) (process, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return process{}, err
	}
	n, err := unix.Read(fd, buf)
	unix.Close(fd)
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, buf[:n])
}

// parseStat reads one line of proc_pid_stat(5). The name of the program stands in parentheses and may hold anything,
// also parentheses and blanks.
func parseStat(pid int, line []byte) (process, error) {
	end := bytes.LastIndexByte(line, ')')
	fields := bytes.Fields(line[end+1:])
	const state, parent, group, session, threads, start = 0, 1, 2, 3, 17, 19
	if end < 0 || len(fields) <= start {
		return process{}, fmt.Errorf("stat of process %d: unexpected form %q", pid, line)
	}
	number := func(field int) int {
		n, _ := strconv.Atoi(string(fields[field]))
		return n
	}
	since, err := strconv.ParseUint(string(fields[start]), 10, 64)
	if err != nil {
		return process{}, fmt.Errorf("stat of process %d: %w", pid, err)
	}
	return process{
		pid: pid, parent: number(parent), group: number(group), session: number(session), start: since,
		// A process whose first thread ended shows Z as well, as long as another thread runs.
		zombie: (fields[state][0] == 'Z' || fields[state][0] == 'X') && number(threads) <= 1,
	}, nil
}

// ownSession is the session of this process.
func ownSession() int {
	sid, _ := unix.Getsid(0)
	return sid
}

// tagOf is the tag in the environment that the process was started with; empty when there is none or it may not be read.
func tagOf(pid int) string {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return ""
	}
	env, err := proc.Environ()
	if err != nil {
		return ""
	}
	for _, entry := range env {
		if tag, ok := strings.CutPrefix(entry, TagVariable+"="); ok {
			return tag
		}
	}
	return ""
}

// holds says whether the process has the file open. Only descriptors whose name matches are looked at closely: stat
// on any other could wait for a dead file server. A program that is about to start is still ourselves until its exec,
// with every file that we have open, and holds nothing. Of a pipe only the end that is written to counts: we read from
// the other.
func holds(pid int, name string, file os.FileInfo) bool {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	its, err := proc.Executable()
	if own, ownErr := os.Readlink("/proc/self/exe"); err != nil || ownErr != nil || its == own {
		return false
	}
	fds, err := proc.FileDescriptors()
	if err != nil {
		return false
	}
	isPipe := file.Mode()&os.ModeNamedPipe != 0
	for _, fd := range fds {
		path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
		if target, err := os.Readlink(path); err != nil || target != name {
			continue
		}
		if link, err := os.Lstat(path); err != nil || isPipe && link.Mode()&0o200 == 0 {
			continue
		}
		if open, err := os.Stat(path); err == nil && os.SameFile(open, file) {
			return true
		}
	}
	return false
}

// pipeName is the name of a pipe in /proc/<pid>/fd.
func pipeName(pipe os.FileInfo) string {
	return fmt.Sprintf("pipe:[%d]", pipe.Sys().(*syscall.Stat_t).Ino)
}

// signal sends to this very process: the pidfd pins whoever has the pid now, the start time says whether that is the
// one we mean. A process that is gone is no error.
func (p process) signal(name string) error {
	sig := unix.SignalNum(name)
	fd, err := unix.PidfdOpen(p.pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case err == nil:
		defer unix.Close(fd)
	}
	if now, statErr := readProcess(p.pid); statErr != nil || now.identity() != p.identity() {
		return nil
	}
	if err == nil {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	} else { // no pidfd: Linux before 5.3, or forbidden
		err = unix.Kill(p.pid, sig)
	}
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
