//go:build linux

package process_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"termbay/core/process"
)

// marker is a number of seconds that nobody else sleeps. What still has it in its command line at the end is killed.
func marker(t *testing.T) string {
	mark := fmt.Sprintf("86400.%d%05d", os.Getpid(), tags.Add(1))
	t.Cleanup(func() {
		for _, pid := range survivors(mark) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return mark
}

// survivors are the living processes whose command line holds the marker.
func survivors(mark string) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, _ := os.ReadFile(path) // empty for a zombie
		if strings.Contains(string(line), mark) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// comm is the name of a program.
func comm(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}

// escapees are the ways to leave a shell's process group or to outlive it. SLEEP runs under the marker.
var escapees = map[string]struct {
	command        string
	shells, sleeps int // processes with the marker, once everything has settled
}{
	"child":                {"SLEEP & wait # MARK", 1, 1},
	"setsid":               {"setsid SLEEP & wait # MARK", 1, 1},
	"double fork":          {"(setsid sh -c 'SLEEP & exit' &); read x # MARK", 1, 1},
	"terminal closed":      {"(setsid sh -c 'SLEEP <&- >&- 2>&- & exit' &); read x # MARK", 1, 1},
	"job control":          {"set -m; SLEEP & SLEEP & wait # MARK", 1, 2},
	"session kept":         {"set -m; (env -i SLEEP <&- >&- 2>&- &); read x # MARK", 1, 1},
	"nohup":                {"nohup SLEEP & read x # MARK", 1, 1},
	"disowned":             {"SLEEP & disown; read x # MARK", 1, 1},
	"deaf":                 {"trap '' TERM HUP INT; SLEEP & wait # MARK", 1, 1},
	"stopped":              {"setsid sh -c 'kill -STOP $$; SLEEP' & wait # MARK", 2, 0},
	"env -i":               {"env -i setsid sh -c 'SLEEP & exit'; read x # MARK", 1, 1},
	"another tag":          {"TERMBAY_ENTRY=other setsid SLEEP & wait # MARK", 1, 1},
	"left by one who left": {"setsid sh -c 'setsid sh -c \"SLEEP & wait\" & wait' & wait # MARK", 3, 1},
	"interactive":          {"exec bash --norc -i -c 'SLEEP & SLEEP' # MARK", 1, 2},
}

func TestStopTakesEveryEscapee(t *testing.T) {
	for _, cgroups := range []bool{true, false} {
		host.SetCgroups(cgroups)
		for name, c := range escapees {
			t.Run(fmt.Sprintf("%s/cgroups=%v", name, cgroups), func(t *testing.T) {
				mark := marker(t)
				p := start(t, strings.NewReplacer("SLEEP", "sleep "+mark, "MARK", mark).Replace(c.command))
				eventually(t, "everything runs", func() bool {
					all := survivors(mark)
					return len(all) == c.shells+c.sleeps && len(sleeping(all)) == c.sleeps
				})
				if err := p.stop(process.Stop{Grace: 300 * time.Millisecond, Escalate: true}); err != nil {
					t.Fatal(err)
				}
				if left := survivors(mark); len(left) > 0 {
					t.Errorf("survivors: %v", left)
				}
				if n := p.Descendants(); n != 0 {
					t.Errorf("%d descendants are counted", n)
				}
			})
		}
	}
	host.SetCgroups(true)
}

// sleeping are the processes that became a sleep.
func sleeping(pids []int) (found []int) {
	for _, pid := range pids {
		if comm(pid) == "sleep" {
			found = append(found, pid)
		}
	}
	return found
}

// A process whose first thread ended looks like a zombie, and runs.
func TestStopTakesProcessWithoutFirstThread(t *testing.T) {
	p := start(t, `setsid python3 -c "
import ctypes,os,threading,time
threading.Thread(target=lambda: time.sleep(600)).start()
print('pid',os.getpid(),flush=True)
ctypes.CDLL(None).pthread_exit(None)" & wait`)
	pid, _ := strconv.Atoi(p.shows(`pid (\d+)\n`)[1])
	defer syscall.Kill(pid, syscall.SIGKILL)
	eventually(t, "its first thread ended", func() bool { return inState(pid, "Z") })
	if n := p.Descendants(); n != 1 {
		t.Errorf("%d descendants are counted", n)
	}
	if err := p.stop(process.Stop{Grace: forever}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is gone", func() bool { return comm(pid) == "" })
}

// A process that left its session, its parent, its environment and its terminal behind can only be told by its cgroup.
// Without one it survives: that is the limit that ADR 0003 states.
func TestOnlyCgroupCatchesWhatLeftNoTrace(t *testing.T) {
	for _, want := range []bool{true, false} {
		t.Run(fmt.Sprintf("cgroups=%v", want), func(t *testing.T) {
			caught := host.SetCgroups(want) // not every machine has them
			defer host.SetCgroups(true)
			mark := marker(t)
			p := start(t, "env -i setsid sh -c 'sleep "+mark+" <&- >&- 2>&- & exit'; echo up; read x # "+mark)
			p.shows("up")
			eventually(t, "it has closed everything", func() bool {
				return len(sleeping(survivors(mark))) == 1
			})
			if err := p.stop(process.Stop{Escalate: true}); err != nil {
				t.Fatal(err)
			}
			if left := len(survivors(mark)); left != map[bool]int{true: 0, false: 1}[caught] {
				t.Errorf("%d survivors, in a cgroup: %v", left, caught)
			}
		})
	}
}

// O-B2: a tree of five, with a server at its end, is gone and its port is free.
func TestStopFreesPort(t *testing.T) {
	mark := marker(t)
	p := start(t, `bash -c "bash -c \"sleep `+mark+` & python3 -u -c '
import http.server
s=http.server.ThreadingHTTPServer((\\\"127.0.0.1\\\",0),http.server.SimpleHTTPRequestHandler)
print(\\\"port\\\",s.server_port)
s.serve_forever()'\" & wait" & wait`)
	address := "127.0.0.1:" + p.shows(`port (\d+)\n`)[1]
	conn, err := net.DialTimeout("tcp", address, limit)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if n := p.Descendants(); n != 4 {
		t.Errorf("%d descendants, want 4", n)
	}
	if err := p.stop(process.Stop{Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("the port is still taken")
	}
	if left := survivors(mark); len(left) > 0 {
		t.Errorf("survivors: %v", left)
	}
}

// Processes of other programs and of the service are never touched.
func TestStopSparesOthers(t *testing.T) {
	mark := marker(t)
	own := exec.Command("sleep", mark)
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	left := start(t, "trap '' HUP; setsid sleep "+mark+" & exit")
	left.ends()
	other := start(t, "sleep "+mark+" & setsid sleep "+mark+" & wait")
	p := start(t, "sleep "+mark+" & setsid sleep "+mark+" & wait")
	eventually(t, "everything runs", func() bool { return len(survivors(mark)) == 8 })
	if err := p.stop(process.Stop{Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(survivors(mark)); n != 5 || other.Descendants() != 2 || left.Descendants() != 1 {
		t.Errorf("%d of 5 alive, %d of 2, %d of 1", n, other.Descendants(), left.Descendants())
	}
	own.Process.Kill()
	if err := own.Wait(); err.Error() != "signal: killed" {
		t.Errorf("the wait status of a child of the service: %v", err)
	}
}

// What a natural exit leaves behind is counted, left alone, and reaped when it ends.
func TestDescendantsAfterExit(t *testing.T) {
	for _, cgroups := range []bool{true, false} {
		t.Run(fmt.Sprintf("cgroups=%v", cgroups), func(t *testing.T) {
			host.SetCgroups(cgroups)
			defer host.SetCgroups(true)
			mark := marker(t)
			p := start(t, "trap '' HUP; sleep "+mark+" & setsid sleep "+mark+" & exit 3")
			if _, exit := p.ends(); ended(exit) != "3" {
				t.Errorf("exit %s", ended(exit))
			}
			eventually(t, "both run", func() bool { return len(survivors(mark)) == 2 && p.Descendants() == 2 })
			if err := p.stop(process.Stop{Signal: "KILL"}); err != nil {
				t.Fatal(err)
			}
			left := survivors(mark)
			if len(left) != 2 {
				t.Fatalf("a stop after the exit left %v", left)
			}
			for _, pid := range left {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			eventually(t, "both are reaped", func() bool { return comm(left[0])+comm(left[1]) == "" })
			if n := p.Descendants(); n != 0 {
				t.Errorf("%d descendants are counted", n)
			}
			eventually(t, "the cgroup is removed", func() bool { return len(host.Cgroups(tagPrefix())) == 0 })
		})
	}
}
