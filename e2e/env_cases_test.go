package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The cases of kind i: what a program finds around it, wherever and however the service was started.

func TestABadCwdIsBlamedOnTheCwd(t *testing.T) { // O-I1
	own := t.TempDir()
	s := servePrepared(t, func(cmd *exec.Cmd) { cmd.Dir = own })
	gone, file := filepath.Join(t.TempDir(), "gone"), filepath.Join(t.TempDir(), "file")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	_, a := s.run(object{"command": "pwd", "cwd": gone, "viewport": object{"cols": 300, "rows": 5}})
	a.sees(t, gone)
	for _, dir := range []string{gone, own} { // while the service runs
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
	}
	before := string(s.call(http.StatusOK, "GET", "/v1/entries?scope=all", nil).raw)
	for _, c := range []struct {
		set          object
		code, detail string
	}{
		{object{"cwd": "/no/such"}, "cwd_missing", "Working directory does not exist: /no/such"},
		{object{"cwd": gone}, "cwd_missing", "Working directory does not exist: " + gone},
		{object{"cwd": own}, "cwd_missing", "Working directory does not exist: " + own},
		{object{"cwd": file}, "cwd_missing", "Working directory is not a directory: " + file},
		{object{"cwd": file + "/sub"}, "cwd_missing", "Working directory does not exist: " + file + "/sub"},
		{object{"cwd": "."}, "invalid", `"." is not an absolute path`},
		{object{"cwd": "relative/dir"}, "invalid", `"relative/dir" is not an absolute path`},
		{object{"cwd": "/", "shell": "/no/bash"}, "shell_unavailable", "/no/bash"},
		{object{"cwd": "/no/such", "shell": "/no/bash"}, "shell_unavailable", "/no/bash"},
	} {
		c.set["command"] = "echo never"
		a := s.call(http.StatusUnprocessableEntity, "POST", "/v1/terminals", c.set)
		if a.text("code") != c.code || !strings.Contains(a.text("detail"), c.detail) || strings.Contains(a.text("detail"), "fork/exec") {
			t.Errorf("%v: %s", c.set, a.raw)
		}
	}
	if after := string(s.call(http.StatusOK, "GET", "/v1/entries?scope=all", nil).raw); after != before {
		t.Errorf("ghosts: %s", after)
	}
	id, a := s.run(object{"command": "pwd", "cwd": "/"})
	if a.exited(t, 0); id != "t2" || a.text("screen") != "/" {
		t.Errorf("the next start is %s: %s", id, a.raw)
	}
	a = s.call(http.StatusCreated, "POST", "/v1/terminals", object{"command": "pwd", "wait_for_text": never, "wait_ms": 60000})
	if home, err := os.UserHomeDir(); err != nil || a.text("screen") != home {
		t.Errorf("without a cwd: %v %s", err, a.raw)
	}
}

// nohup starts the service as somebody would who wants it to last, with a descriptor of its own open.
func nohup(cmd *exec.Cmd) {
	cmd.Args = append([]string{"nohup", "bash", "-c", `exec 9</etc/passwd; exec "$0" "$@"`}, cmd.Args...)
	cmd.Path, cmd.Err = exec.LookPath("nohup")
}

func TestAProgramInheritsNoDescriptorsAndNoSignals(t *testing.T) { // O-I2
	need(t, "nohup", "bash")
	s := servePrepared(t, nohup)
	if links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/9", s.cmd.Process.Pid)); err != nil || len(links) == 0 {
		t.Fatalf("the service has no descriptor 9, so that nothing is proven: %v", err)
	}
	var others []string
	for range 3 {
		id, _ := s.start(object{"command": "echo up; exec sleep 1000", "wait_for_text": "up", "wait_ms": 60000})
		others = append(others, id)
	}
	_, a := s.run(object{"command": `ls -l /proc/self/fd; grep -E "Sig(Blk|Ign)" /proc/self/status; yes | head -1; echo ${PIPESTATUS[*]}`})
	a.exited(t, 0)
	var fds []string
	for _, line := range strings.Split(a.text("screen"), "\n") {
		if name, target, is := strings.Cut(line, " -> "); is {
			f := strings.Fields(name)
			fds = append(fds, f[len(f)-1])
			if strings.Contains(target, "ptmx") || strings.Contains(target, "socket") || strings.Contains(target, "passwd") {
				t.Errorf("a descriptor of the service: %s", line)
			}
		}
	}
	if got := strings.Join(fds, " "); got != "0 1 2 3" { // 3 is the folder that ls reads
		t.Errorf("descriptors %s:\n%s", got, a.text("screen"))
	}
	for _, want := range []string{"SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"} {
		a.sees(t, strings.ReplaceAll(want, "\t", " "))
	}
	a.sees(t, "\ny\n141 0")
	for _, id := range others {
		if a := s.halt(id); a.text("signal") == "SIGKILL" || a.text("state") != "exited" {
			t.Errorf("a stop needed force: %s", a.raw)
		}
	}
}

// poor gives the service an environment that is no good for a Terminal.
func poor(cmd *exec.Cmd) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "LANG" && name != "LANGUAGE" && !strings.HasPrefix(name, "LC_") && !strings.HasPrefix(name, "LESS") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TERM=dumb", "COLUMNS=33", "LINES=7", "TERMBAY_TOKEN=a-secret", "NO_COLOR=kept")
}

func TestATerminalDescribesItself(t *testing.T) { // O-I3
	need(t, "tput", "python3", "less", "locale")
	s := servePrepared(t, poor)
	_, a := s.run(object{"command": `echo $TERM $COLORTERM $NO_COLOR; stty size; tput cols; python3 -c "import shutil,sys;print(tuple(shutil.get_terminal_size()),sys.stdout.encoding)"; locale charmap`})
	a.sees(t, "xterm-256color truecolor kept\n40 120\n120\n(120, 40) utf-8\nUTF-8")
	id, a := s.start(object{"command": `printf '漢 is shown\n' > u; exec less u`, "wait_for_text": "漢 is shown", "wait_ms": 60000})
	if strings.Contains(a.text("screen"), "not fully functional") || strings.Contains(a.text("screen"), "binary") || a.json["alt_screen"] != true {
		t.Errorf("less: %s", a.raw)
	}
	s.send(id, object{"text": "q", "wait_for_text": never, "wait_ms": 60000}).exited(t, 0)
}

func TestAProgramLearnsItsEntryAndNotTheToken(t *testing.T) {
	s := servePrepared(t, poor)
	for _, env := range []object{nil, {"PATH": os.Getenv("PATH"), "TERMBAY_TOKEN": "another"}} {
		body := object{"command": "env | grep ^TERMBAY; env | grep -c " + s.token}
		if env != nil {
			body["env"] = env
		}
		id, a := s.run(body)
		uid := s.call(http.StatusOK, "GET", "/v1/entries/"+id, nil).text("uid")
		if got := a.text("screen"); uid == "" || got != "TERMBAY_ENTRY="+uid+"\n0" {
			t.Errorf("%v: %s", env, got)
		}
	}
	if contract := s.call(http.StatusOK, "GET", "/openapi.yaml", nil); !bytes.Contains(contract.raw, []byte("`TERMBAY_ENTRY`")) {
		t.Error("the contract does not tell of TERMBAY_ENTRY")
	}
}

func TestTheEndOfTheServiceLeavesNothing(t *testing.T) {
	need(t, "setsid", "nohup")
	s := serve(t)
	tag := "300." + fmt.Sprint(os.Getpid()) + "7717"
	for _, command := range []string{
		"setsid sleep TAG & echo up; wait", "nohup sleep TAG >/dev/null 2>&1 & echo up; wait", "set -m; sleep TAG & echo up; wait",
		"trap '' TERM HUP; echo up; while :; do sleep 1; done # TAG",
	} {
		s.start(object{"command": strings.ReplaceAll(command, "TAG", tag), "wait_for_text": "up", "wait_ms": 60000})
	}
	if len(survivors(tag)) < 4 {
		t.Fatalf("too few processes: %v", survivors(tag))
	}
	instance := s.call(http.StatusOK, "GET", "/v1/capabilities", nil).text("instance_id")
	if _, err := os.Stat(filepath.Join(s.logs, instance)); err != nil {
		t.Fatal(err)
	}
	waited := make(chan answer, 1)
	go func() {
		a, _ := s.try("", "POST", "/v1/terminals/t1/input", object{"wait_ms": 300000})
		waited <- a
	}()
	eventually(t, "a wait to begin", func() bool { return s.call(http.StatusOK, "GET", "/v1/entries/t1", nil).json["waiting"] != nil })
	s.stop()
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.err)
	}
	if left := survivors(tag); len(left) > 0 {
		t.Errorf("processes %v survived", left)
	}
	if a := <-waited; a.text("state") != "exited" || !strings.Contains(a.text("text"), "was stopped because the service shuts down") {
		t.Errorf("who waited got %s", a.raw)
	}
	for _, path := range []string{filepath.Join(s.state, "server.json"), filepath.Join(s.logs, instance)} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

func TestAKilledServiceIsFollowedByAnother(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	s := serve(t, "--listen", "unix:"+socket)
	tag := "300." + fmt.Sprint(os.Getpid()) + "9"
	_, a := s.start(object{"command": "seq 3000; echo up; exec sleep " + tag, "wait_for_text": "up", "wait_ms": 60000})
	output := a.text("full_output_path")
	if _, err := os.Stat(output); err != nil || !strings.HasPrefix(output, s.logs) {
		t.Errorf("full output %q: %v", output, err)
	}
	token, instance := s.token, s.call(http.StatusOK, "GET", "/v1/capabilities", nil).text("instance_id")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	eventually(t, "the kernel to hang up", func() bool { return len(survivors(tag)) == 0 })
	s.begin()
	if _, err := os.Stat(filepath.Join(s.logs, instance)); !os.IsNotExist(err) {
		t.Errorf("the files of the one before are still there: %v", err)
	}
	var n int
	id, _ := s.start(object{"command": "true", "wait_ms": 0})
	if _, err := fmt.Sscanf(id, "t%d", &n); err != nil || n < 2 || s.token != token { // it may leave some ids out
		t.Errorf("id %s, and the token is the same: %v", id, s.token == token)
	}
	s.call(http.StatusGone, "GET", "/v1/entries/t1", nil)
	if now := s.call(http.StatusOK, "GET", "/v1/capabilities", nil).text("instance_id"); now == instance || now == "" {
		t.Errorf("instance %q", now)
	}
}

func TestTheFileOfASocketIsItsKey(t *testing.T) {
	need(t, "curl")
	socket := filepath.Join(t.TempDir(), "s")
	s := serve(t, "--listen", "unix:"+socket)
	if info, err := os.Stat(socket); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	curl := func(args ...string) (a answer) {
		out, err := exec.Command("curl", append([]string{"-sS", "--unix-socket", socket}, args...)...).Output()
		if err != nil || json.Unmarshal(out, &a.json) != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		a.raw = out
		return a
	}
	a := curl("-H", "Content-Type: application/json", "http://any.host.name/v1/terminals", "-d", `{"command":"echo over the socket","cwd":"/","wait_for_text":"`+never+`","wait_ms":60000}`)
	a.sees(t, "over the socket")
	if a = curl("http://localhost/v1/entries/t1"); a.text("state") != "exited" {
		t.Errorf("%s", a.raw)
	}
	if a = curl("-H", "Origin: http://evil.example", "http://localhost/v1/entries"); a.text("code") != "forbidden_origin" {
		t.Errorf("%s", a.raw)
	}
	var found struct{ Socket string }
	if b, err := os.ReadFile(filepath.Join(s.state, "server.json")); err != nil || json.Unmarshal(b, &found) != nil || found.Socket != socket {
		t.Errorf("server.json: %v %s", err, b)
	}
	s.stop()
	if _, err := os.Lstat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
