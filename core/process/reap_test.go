//go:build linux

package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"termbay/core"
	"termbay/core/process"
)

// The reaper takes orphans and nothing else: wait statuses of children that somebody else started arrive.
func TestReaperSparesOtherChildren(t *testing.T) {
	var others sync.WaitGroup
	for i := range 4 {
		others.Go(func() {
			for range 50 {
				err := exec.Command("sh", "-c", fmt.Sprintf("exit %d", i+1)).Run()
				if want := fmt.Sprintf("exit status %d", i+1); err == nil || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
			}
		})
	}
	for range 20 {
		if text, exit := start(t, "(setsid true &); (true &); exit 3").ends(); ended(exit) != "3" {
			t.Errorf("%q, exit %+v", text, exit)
		}
	}
	others.Wait()
	eventually(t, "orphans are reaped", func() bool { return len(zombies()) == 0 })
}

// Children of somebody else that nobody waits for do not stand in the way. They are started on several threads, because
// the kernel lists the children of each thread by themselves.
func TestReaperSeesOrphansBehindOtherChildren(t *testing.T) {
	others := make([]*exec.Cmd, 16)
	var started sync.WaitGroup
	for i := range others {
		others[i] = exec.Command("true")
		started.Go(func() {
			if err := others[i].Start(); err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
	eventually(t, "they ended", func() bool { return len(zombies()) == len(others) })
	start(t, "(setsid true &); (true &)").ends()
	eventually(t, "orphans are reaped", func() bool { return len(zombies()) == len(others) })
	for _, other := range others {
		if err := other.Wait(); err != nil {
			t.Errorf("its wait status is gone: %v", err)
		}
	}
}

// zombies are the children of this process that ended and were not reaped.
func zombies() (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, _ := os.ReadFile(file)
		if strings.Contains(string(stat), fmt.Sprintf(") Z %d ", os.Getpid())) {
			found = append(found, string(stat))
		}
	}
	return found
}

// Many starts and stops leave no descriptor, goroutine, process or cgroup behind.
func TestNothingIsLeaked(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	count := func() (fds, goroutines int) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries), runtime.NumGoroutine()
	}
	once := func(i int) {
		pty, err := host.StartPTY(spec("sleep 600"))
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			pty.Resize(core.DefaultViewport())
		}
		if err := pty.Stop(t.Context(), process.Stop{Signal: "KILL"}); err != nil {
			t.Fatal(err)
		}
		pty.Close()
	}
	once(0)
	fds, goroutines := count()
	for i := range rounds {
		once(i)
	}
	eventually(t, "descriptors and goroutines are as before", func() bool {
		f, g := count()
		return f <= fds && g <= goroutines
	})
	eventually(t, "nothing is left unreaped", func() bool { return len(zombies()) == 0 })
	eventually(t, "no cgroup is left", func() bool { return len(host.Cgroups(tagPrefix())) == 0 })
}

func BenchmarkStartAndStop(b *testing.B) {
	for b.Loop() {
		pty, err := host.StartPTY(spec("sleep 600 & sleep 600"))
		if err != nil {
			b.Fatal(err)
		}
		if err := pty.Stop(b.Context(), process.Stop{Escalate: true}); err != nil {
			b.Fatal(err)
		}
		pty.Close()
	}
}
