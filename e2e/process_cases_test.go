package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The cases of kinds a and b that concern Terminals: lifetime, process trees, signals.

// run starts a command and waits for its exit.
func (s *service) run(body object) (id string, a answer) {
	s.t.Helper()
	body["wait_for_text"], body["wait_ms"] = never, 60000
	return s.start(body)
}

func TestNothingPrintedBeforeAnExitIsLost(t *testing.T) { // O-A5
	s := serve(t)
	for range 30 {
		id, a := s.run(object{"command": `head -c 60000 /dev/zero | tr "\0" z; echo; echo TAIL-MARK; exit 3`})
		a.exited(t, 3)
		a.sees(t, "TAIL-MARK")
		if got := strings.Count(strings.Join(a.lines("scrolled_off"), "")+a.text("screen"), "z"); a.json["truncated"] == nil && got != 60000 {
			t.Errorf("%d of 60000 bytes arrived", got)
		}
		if strings.Contains(a.text("text"), "input/output error") {
			t.Error(a.text("text"))
		}
		s.halt(id)
	}
}

func TestAClosedTTYIsNoExit(t *testing.T) { // O-A6
	need(t, "python3")
	s := serve(t)
	before := cpu(t, s)
	id, a := s.start(object{"wait_ms": 300, "command": `exec python3 -c "import os,time
for i in (0,1,2): os.close(i)
time.sleep(1)
f=os.open('/dev/tty',os.O_RDWR); os.write(f,b'BACK\n'); time.sleep(1); os._exit(5)"`})
	if a.text("state") != "running" {
		t.Fatalf("a program that closed its descriptors counts as exited: %s", a.raw)
	}
	a = s.send(id, object{"wait_for_text": never, "wait_ms": 60000})
	a.exited(t, 5)
	a.sees(t, "BACK")
	if used := cpu(t, s) - before; used > 500*time.Millisecond {
		t.Errorf("the service spun for %v", used)
	}
}

// cpu is how much processor time the service has used.
func cpu(t *testing.T, s *service) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+2:]))
	var ticks int64
	for _, n := range f[11:13] {
		var k int64
		fmt.Sscan(n, &k)
		ticks += k
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// survivors are the processes whose command line or environment holds a tag.
func survivors(tag string) (pids []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		for _, f := range []string{"cmdline", "environ"} {
			if b, err := os.ReadFile(d + "/" + f); err == nil && strings.Contains(string(b), tag) {
				pids = append(pids, filepath.Base(d))
				break
			}
		}
	}
	return pids
}

func TestAStopLeavesNoEscapee(t *testing.T) { // O-B1, O-B2, O-B3
	need(t, "python3", "setsid", "nohup")
	s := serve(t)
	for name, command := range map[string]string{
		"setsid":         `setsid sleep 300.TAG & echo up; wait`,
		"nohup":          `nohup sleep 300.TAG >/dev/null & echo up; wait`,
		"job control":    `set -m; sleep 300.TAG & echo up; wait`,
		"double fork":    `python3 -c "import os,time; x='TAG'` + "\n" + `if os.fork()==0:` + "\n" + ` os.setsid()` + "\n" + ` if os.fork()==0: time.sleep(300)` + "\n" + ` os._exit(0)` + "\n" + `os.wait(); print('up',flush=True); time.sleep(300)"`,
		"deep tree":      `bash -c "bash -c \"sleep 301.TAG & sleep 302.TAG\" & echo up; wait" & wait`,
		"ignores":        `trap '' TERM HUP; echo up TAG; while :; do sleep 1; done`,
		"ignores inside": `setsid bash -c "trap '' TERM HUP INT; while :; do sleep 1; done # TAG" & echo up; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			tag := fmt.Sprintf("%d", time.Now().UnixNano())
			id, _ := s.start(object{"command": strings.ReplaceAll(command, "TAG", tag), "wait_for_text": "up", "wait_ms": 60000})
			begun := time.Now()
			a := s.halt(id)
			if a.text("state") != "exited" || !strings.Contains(a.text("screen"), "up") {
				t.Errorf("final result: %s", a.raw)
			}
			if took := time.Since(begun); took > 15*time.Second {
				t.Errorf("the stop took %v", took)
			}
			if left := survivors(tag); len(left) > 0 {
				t.Errorf("processes %v survived", left)
			}
		})
	}
}

func TestAStopFreesThePort(t *testing.T) { // O-B2
	need(t, "python3")
	s := serve(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	id, _ := s.start(object{"command": "sh -c 'python3 -u -m http.server --bind 127.0.0.1 " + port + "' & wait", "wait_for_text": "Serving HTTP", "wait_ms": 60000})
	s.halt(id)
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("the port is still open")
	}
}

func TestAStopHoldsUpNobodyElse(t *testing.T) { // O-B3
	s := serve(t)
	id, _ := s.start(object{"command": `trap '' TERM HUP; echo up; while :; do sleep 1; done`, "wait_for_text": "up", "wait_ms": 60000})
	other, _ := s.start(object{"command": "exec cat", "wait_ms": 0})
	var stop sync.WaitGroup
	begun := time.Now()
	stop.Go(func() { s.call(http.StatusOK, "POST", "/v1/entries/"+id+"/stop", object{"grace_ms": 3000}) })
	served := 0
	for time.Since(begun) < 2*time.Second {
		s.call(http.StatusOK, "GET", "/v1/entries", nil)
		s.send(other, object{"text": "x", "wait_ms": 0})
		served++
	}
	stop.Wait()
	if took := time.Since(begun); served < 3 || took < 3*time.Second {
		t.Errorf("%d rounds were served while a stop took %v", served, took)
	}
	s.call(http.StatusGone, "GET", "/v1/entries/"+id, nil)
}

func TestCodeAndSignalAreNeverMixedUp(t *testing.T) { // O-B4
	s := serve(t)
	for command, want := range map[string]any{
		"kill -9 $$": "SIGKILL", "kill -SEGV $$": "SIGSEGV", "exit 137": 137, "exit 300": 44, "exec /no/such/prog": 127, "exit 0": 0,
	} {
		id, a := s.run(object{"command": command})
		entry := s.call(http.StatusOK, "GET", "/v1/entries/"+id, nil)
		for where, got := range map[string]answer{"result": a, "entry": entry} {
			code, hasCode := got.json["exit_code"]
			signal, hasSignal := got.json["signal"]
			if hasCode == hasSignal {
				t.Errorf("%s: %s has both or neither: %s", command, where, got.raw)
			}
			if code == nil {
				code = signal
			}
			if fmt.Sprint(code) != fmt.Sprint(want) {
				t.Errorf("%s: %s says %v", command, where, code)
			}
		}
		if command == "exec /no/such/prog" {
			a.sees(t, "No such file or directory")
		}
	}
}

func TestAStopAfterTheExitSignalsNothing(t *testing.T) { // O-B5
	s := serve(t)
	id, a := s.run(object{"command": "exit 3"})
	a.exited(t, 3)
	a = s.halt(id)
	a.exited(t, 3)
	if o, _ := a.json["outcome"].(object); o["cause"] != "exit" {
		t.Errorf("outcome: %v", o)
	}
	s.call(http.StatusGone, "POST", "/v1/entries/"+id+"/stop", object{})
}

func TestDescendantsOfANaturalExitAreLeftAloneAndCounted(t *testing.T) {
	s := serve(t)
	tag := fmt.Sprint(time.Now().UnixNano())
	_, a := s.run(object{"command": "setsid sleep 300." + tag + " </dev/null >/dev/null 2>&1 & sleep 0.5; exit 0"})
	a.exited(t, 0)
	if o, _ := a.json["outcome"].(object); o["descendants_alive"] != 1.0 {
		t.Errorf("outcome: %v", o)
	}
	if !strings.Contains(a.text("text"), "1 process it started is still running.") {
		t.Errorf("text: %q", a.text("text"))
	}
	left := survivors("300." + tag)
	if len(left) != 1 {
		t.Fatalf("left: %v", left)
	}
	var pid int
	fmt.Sscan(left[0], &pid)
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
