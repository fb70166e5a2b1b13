package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// The cases of kinds a, b and i that concern jobs.

// job runs a command to its end in the foreground, or until it is in the background.
func (s *service) job(want int, body object) answer {
	s.t.Helper()
	if _, given := body["cwd"]; !given {
		body["cwd"] = s.t.TempDir()
	}
	return s.call(want, "POST", "/v1/jobs", body)
}

// background starts a job in the background and returns its id and the path of its log. The command begins once it is
// there, however fast it is.
func (s *service) background(command string) (id, log string) {
	s.t.Helper()
	a := s.job(http.StatusAccepted, object{"command": "read -r go\n" + command, "background": true, "yield_ms": 0, "stdin": "open"})
	b, _ := a.json["background"].(object)
	id, _ = b["id"].(string)
	log, _ = b["log_path"].(string)
	s.call(http.StatusOK, "POST", "/v1/jobs/"+id+"/input", object{"text": "\n", "eof": true})
	return id, log
}

// exit waits for the exit of an entry.
func (s *service) exit(id string) answer {
	s.t.Helper()
	a := s.call(http.StatusOK, "GET", "/v1/entries/"+id+"?wait=exit&wait_ms=60000", nil)
	if a.text("state") != "exited" {
		s.t.Fatalf("%s did not exit: %s", id, a.raw)
	}
	return a
}

// printed waits until a log holds a text.
func printed(t testing.TB, log, text string) {
	t.Helper()
	eventually(t, "the log to hold "+text, func() bool {
		b, _ := os.ReadFile(log)
		return strings.Contains(string(b), text)
	})
}

func TestWhatHoldsThePipeDoesNotHoldTheCall(t *testing.T) { // O-A1
	s := serve(t)
	for i, command := range []string{
		"echo ready; sleep 471%d0 &",
		"sleep 471%d0 </dev/null >/dev/null & echo ready",
		"nohup sleep 471%d0 & echo ready",
		"echo ready; setsid sleep 471%d0 &",
	} {
		command = fmt.Sprintf(command, i)
		tag := fmt.Sprintf("471%d0", i)
		began := time.Now()
		a := s.job(http.StatusOK, object{"command": command, "background": true, "yield_ms": 30000})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %v", command, took)
		}
		if _, known := a.json["exit_code"]; !known || a.number("exit_code") != 0 || !strings.Contains(a.text("output"), "ready\n") {
			t.Errorf("%s: %s", command, a.raw)
		}
		left := survivors(tag) // what was left behind is left alone
		if len(left) == 0 {
			t.Errorf("%s: nothing is left of it", command)
		}
		killAll(t, left)
	}
	id, _ := s.background("echo ready; sleep 4719 &")
	if a := s.exit(id); a.number("exit_code") != 0 || a.text("status") != "completed" {
		t.Errorf("%s", a.raw)
	}
	killAll(t, survivors("4719"))
}

// killAll ends what a test left behind on purpose.
func killAll(t testing.TB, pids []string) {
	t.Helper()
	for _, p := range pids {
		var pid int
		if _, err := fmt.Sscan(p, &pid); err != nil || pid < 2 {
			t.Fatalf("%q is no process", p)
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // it may have ended by itself
		}
	}
}

func TestAChatteringChildDoesNotHoldTheCall(t *testing.T) { // O-A2
	s := serve(t)
	s.call(http.StatusOK, "GET", "/v1/entries", nil) // the connection stays open
	before := descriptors(t, s)
	id, log := s.background("(while :; do echo tick; sleep 0.05; done) & echo fg-done; sleep 0.3")
	if a := s.exit(id); a.number("exit_code") != 0 {
		t.Errorf("%s", a.raw)
	}
	size := func() int64 {
		i, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return i.Size()
	}
	then := size()
	eventually(t, "what comes later to reach the log", func() bool { return size() > then })
	s.halt(id) // it had exited: nothing is signalled, and the pipe is let go, which ends the child at its next line
	eventually(t, "the descriptors to be given back", func() bool { return descriptors(t, s) <= before })
}

// descriptors is how many the service has open.
func descriptors(t testing.TB, s *service) int {
	t.Helper()
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestAJobHasNoTerminal(t *testing.T) { // O-A3
	s := serve(t)
	a := s.job(http.StatusOK, object{"command": "cat; echo eof rc=$?; read x </dev/tty; echo rc=$?; test -t 1 || echo notty"})
	for _, want := range []string{"eof rc=0\n", "No such device or address", "\nrc=1\nnotty\n"} {
		if !strings.Contains(a.text("output"), want) {
			t.Errorf("no %q in %s", want, a.raw)
		}
	}
}

func TestOutputAndErrorsStayInOrder(t *testing.T) { // O-A4
	s := serve(t)
	var want strings.Builder
	for i := 1; i <= 300; i++ {
		fmt.Fprintf(&want, "o%d\ne%d\n", i, i)
	}
	const command = "for i in $(seq 300); do echo o$i; echo e$i >&2; done"
	if a := s.job(http.StatusOK, object{"command": command}); a.text("output") != want.String() {
		t.Errorf("output %.200q", a.text("output"))
	}
	id, log := s.background(command)
	s.exit(id)
	if b, err := os.ReadFile(log); err != nil || string(b) != want.String() {
		t.Errorf("log %.200q, %v", b, err)
	}
}

func TestAStopOfAJobReachesWhateverItStarted(t *testing.T) { // O-B1, O-B2
	need(t, "python3")
	s := serve(t)
	for i, command := range []string{
		"echo up; setsid sleep 472%d0 & wait",
		"echo up; bash -c \"bash -c \\\"sleep 472%d0 & sleep 472%d0\\\" & wait\" & wait",
		"set -m; sleep 472%d0 & echo up; wait",
		"python3 -c \"import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0: time.sleep(472%d0)\n os._exit(0)\nos.wait(); print('up',flush=True); time.sleep(472%d0)\"",
	} {
		tag := fmt.Sprintf("472%d0", i)
		command = strings.ReplaceAll(command, "472%d0", tag)
		id, log := s.background(command)
		printed(t, log, "up")
		s.halt(id)
		if left := survivors(tag); len(left) > 0 {
			t.Errorf("%s left %v", command, left)
		}
		s.call(http.StatusGone, "GET", "/v1/jobs/"+id, nil)
	}
}

func TestAStoppedServerLeavesItsPortFree(t *testing.T) { // O-B2
	need(t, "python3")
	s := serve(t)
	id, log := s.background("bash -c 'python3 -u -c \"import http.server;s=http.server.HTTPServer((\\\"127.0.0.1\\\",0),http.server.SimpleHTTPRequestHandler);print(\\\"port\\\",s.server_port,flush=True);s.serve_forever()\" & wait' & wait")
	printed(t, log, "port ")
	b, _ := os.ReadFile(log)
	var port int
	fmt.Sscanf(string(b), "port %d", &port)
	at := fmt.Sprintf("127.0.0.1:%d", port)
	if c, err := net.Dial("tcp", at); err != nil {
		t.Fatal(err)
	} else {
		c.Close()
	}
	s.halt(id)
	if c, err := net.Dial("tcp", at); err == nil {
		c.Close()
		t.Error("somebody still listens")
	}
}

func TestCodesAndSignalsOfJobs(t *testing.T) { // O-B4
	s := serve(t)
	for command, want := range map[string]struct {
		signal string
		code   int
		status string
	}{
		"kill -9 $$":         {"SIGKILL", 0, "killed"},
		"kill -SEGV $$":      {"SIGSEGV", 0, "killed"},
		"exit 137":           {"", 137, "failed"},
		"exit 300":           {"", 44, "failed"},
		"exec /no/such/prog": {"", 127, "failed"},
		"true":               {"", 0, "completed"},
	} {
		id, _ := s.background(command)
		for _, a := range []answer{s.job(http.StatusOK, object{"command": command}), s.exit(id)} {
			_, hasCode := a.json["exit_code"]
			if a.text("signal") != want.signal || a.number("exit_code") != want.code || hasCode == (want.signal != "") || a.text("status") != want.status {
				t.Errorf("%s: %s", command, a.raw)
			}
		}
	}
}

func TestAStopOfAnExitedJobSignalsNobody(t *testing.T) { // O-B5
	s := serve(t)
	id, _ := s.background("sleep 47301 & exit 3")
	s.exit(id)
	a := s.halt(id)
	if e, _ := a.json["entry"].(object); e["exit_code"] != 3.0 {
		t.Errorf("%s", a.raw)
	}
	left := survivors("47301")
	if len(left) == 0 {
		t.Error("what it left behind was signalled")
	}
	killAll(t, left)
	s.call(http.StatusGone, "POST", "/v1/entries/"+id+"/stop", object{})
}

func TestABadFolderOfAJobIsBlamedOnTheFolder(t *testing.T) { // O-I1
	s := serve(t)
	for cwd, want := range map[string]string{
		"/no/such":    "Working directory does not exist: /no/such",
		"/etc/passwd": "Working directory is not a directory: /etc/passwd",
		"etc":         "not an absolute path",
	} {
		a := s.job(http.StatusUnprocessableEntity, object{"command": "touch /tmp/never", "cwd": cwd})
		if !strings.Contains(a.text("detail"), want) {
			t.Errorf("%s: %s", cwd, a.raw)
		}
	}
	if a := s.job(http.StatusUnprocessableEntity, object{"command": "true", "shell": "/no/bash"}); !strings.Contains(a.text("detail"), "Custom shell path not found: /no/bash") {
		t.Errorf("%s", a.raw)
	}
	id, _ := s.background("true")
	if id != "b1" {
		t.Errorf("a refused start took a number: %s", id)
	}
}

func TestAJobInheritsNothing(t *testing.T) { // O-I2
	s := serve(t)
	s.start(object{"command": "cat", "wait_ms": 0})
	a := s.job(http.StatusOK, object{"command": `ls /proc/self/fd | tr '\n' ' '; grep -E "Sig(Blk|Ign)" /proc/self/status; yes | head -1; echo ${PIPESTATUS[*]}`})
	for _, want := range []string{"0 1 2 3 ", "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", "y\n141 0\n"} {
		if !strings.Contains(a.text("output"), want) {
			t.Errorf("no %q in %s", want, a.raw)
		}
	}
}

func TestALongCommandRunsAsAJob(t *testing.T) { // O-J2
	s := serve(t)
	a := s.job(http.StatusOK, object{"command": ": " + strings.Repeat("w", 1_000_000) + "; echo $0 $# done"})
	if !strings.HasSuffix(strings.TrimSpace(a.text("output")), " 0 done") {
		t.Errorf("%.300s", a.raw)
	}
}
