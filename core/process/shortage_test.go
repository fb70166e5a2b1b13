//go:build linux

package process_test

import (
	"context"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"termbay/core"
	"termbay/core/process"
)

// Wherever a start runs out of descriptors, it says so and leaves none behind; the next one works.
func TestAStartWithoutDescriptorsLeavesNothing(t *testing.T) {
	s := spec("exit 3 # " + strings.Repeat("w", 1<<17)) // the longest way: also a file with the command
	s.Stdin = true
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would close what was forgotten
	for fill(t) < descriptors(t)-1 {                 // the limit is about numbers, so there must be no gaps
	}
	failed, started := 0, 0
	for more := 0; started == 0; more++ {
		before := descriptors(t)
		var p *process.Pipes
		var err error
		withDescriptors(t, before+more, func() { p, err = host.StartPipes(s) })
		switch {
		case err == nil:
			started++
			all(t, p)
			if exit := p.Wait(); ended(exit) != "3" {
				t.Errorf("with %d descriptors: exit %s", more, ended(exit))
			}
			p.Stop(context.Background(), process.Stop{})
			p.Close()
		case code(err) == core.CommandFailedToStart && strings.Contains(err.Error(), "/bin/bash could not be started: too many open files."):
			failed++
		default:
			t.Errorf("with %d descriptors: %v", more, err)
		}
		eventually(t, "descriptors are as before", func() bool { return descriptors(t) <= before })
	}
	if failed < 5 {
		t.Errorf("failed at %d places only", failed)
	}
	eventually(t, "no cgroup is left", func() bool { return len(host.Cgroups(tagPrefix())) == 0 })
}

// descriptors counts those of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) - 1 // the one that reads the folder
}

// fill opens a file until the end of the test, and returns its number.
func fill(t *testing.T) int {
	t.Helper()
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// withDescriptors runs f while this process may have so many. The system call, unlike unix.Setrlimit, is nothing that Go
// takes for what programs are to get.
func withDescriptors(t *testing.T, n int, f func()) {
	t.Helper()
	var before unix.Rlimit
	set := func(limit, old *unix.Rlimit) {
		if _, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE,
			uintptr(unsafe.Pointer(limit)), uintptr(unsafe.Pointer(old)), 0, 0); errno != 0 {
			t.Fatal(errno)
		}
	}
	set(nil, &before)
	limit := before
	limit.Cur = uint64(n)
	set(&limit, nil)
	defer set(&before, nil)
	f()
}
