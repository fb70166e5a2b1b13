//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServeSaysWhereItListensAndWhereTheTokenIs(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	p := start(t, dir, nil, "--listen=127.0.0.1:0", "--listen=unix:"+socket)
	want := []string{
		"termbay " + version + " listens on " + p.info.URL,
		"termbay " + version + " listens on unix:" + socket,
		"token: " + filepath.Join(p.state, "token"),
	}
	if strings.Join(p.said, "\n") != strings.Join(want, "\n") {
		t.Errorf("said %q, wanted %q", p.said, want)
	}
	if p.info.Socket != socket || p.info.PID != p.Process.Pid || p.info.InstanceID == "" || p.info.Version != version {
		t.Errorf("server.json: %+v", p.info)
	}
	if got := mode(t, filepath.Join(p.state, "token")); got != 0o600 {
		t.Errorf("the token has mode %v", got)
	}
	for _, path := range []string{"/healthz", "/docs", "/openapi.yaml", "/v1/capabilities"} {
		if code := p.call(t, http.MethodGet, path, "", nil); code != http.StatusOK {
			t.Errorf("%s answers %d", path, code)
		}
	}
}

func TestASignalEndsTheServiceAndAllThatRunsInIt(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			p := start(t, t.TempDir(), nil)
			pid := p.terminal(t, `{"command":"sleep 1000","wait_ms":0}`)
			if code := p.end(t, s); code != 0 {
				t.Errorf("exit code %d: %s", code, p.stderr.String())
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the program is still there: %v", err)
			}
			for _, gone := range []string{filepath.Join(p.state, "server.json"), filepath.Join(p.logs, p.info.InstanceID)} {
				if _, err := os.Stat(gone); !os.IsNotExist(err) {
					t.Errorf("%s is still there: %v", gone, err)
				}
			}
		})
	}
}

func TestASecondSignalLeavesNothingBehindEither(t *testing.T) {
	p := start(t, t.TempDir(), nil)
	pid := p.terminal(t, `{"command":"trap '' TERM HUP; echo deaf; while :; do sleep 1; done","wait_for_text":"deaf","wait_ms":20000}`)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// It has begun to stop once nobody can find it any more.
	for begun := time.Now(); time.Since(begun) < patience; {
		if _, err := readServerInfo(p.state); os.IsNotExist(err) {
			break
		}
	}
	if code := p.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the program is still there: %v", err)
	}
}

func TestNohupKeepsItUp(t *testing.T) {
	p := start(t, t.TempDir(), []string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`})
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := p.end(t, syscall.SIGTERM); code != 0 || !strings.Contains(p.stderr.String(), "terminated signal") {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
}

func TestIdsAndTheTokenOutliveTheService(t *testing.T) {
	dir := t.TempDir()
	terminal := func(p *program) string {
		var started struct{ ID string }
		p.call(t, http.MethodPost, "/v1/terminals", `{"command":"true","wait_ms":0}`, &started)
		return started.ID
	}
	first := start(t, dir, nil)
	if id := terminal(first); id != "t1" {
		t.Errorf("the first is %s", id)
	}
	token := execute(t, nil, "token", "--state-dir="+first.state).stdout
	first.end(t, syscall.SIGTERM)
	second := start(t, dir, nil)
	if id := terminal(second); id != "t2" {
		t.Errorf("the second is %s", id)
	}
	if again := execute(t, nil, "token", "--state-dir="+first.state).stdout; again != token || len(token) < 40 {
		t.Errorf("the token was %q and is %q", token, again)
	}
	if first.info.InstanceID == second.info.InstanceID {
		t.Error("both starts have the same instance id")
	}
}

func TestASecondServiceIsRefusedAndNamesTheFirst(t *testing.T) {
	p := start(t, t.TempDir(), nil)
	got := execute(t, nil, "serve", "--state-dir="+p.state, "--log-dir="+p.logs, "--listen=127.0.0.1:0")
	if got.code != exitFailure || !strings.Contains(got.stderr, p.info.URL) || !strings.Contains(got.stderr, "already runs") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	if info, err := readServerInfo(p.state); err != nil || info != p.info {
		t.Errorf("server.json is now %+v %v", info, err)
	}
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	p := start(t, filepath.Join(dir, "first"), nil)
	state, socket, file := filepath.Join(dir, "state"), filepath.Join(dir, "s"), filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ listen, logs, want string }{
		{strings.TrimPrefix(p.info.URL, "http://"), filepath.Join(dir, "logs"), "address already in use"},
		{"127.0.0.1:0", file, "is not a folder"},
		{"127.0.0.1:0", file, "is not a folder"}, // and not refused for the lock of the one before
	}
	for _, tt := range tests {
		got := execute(t, nil, "serve", "--state-dir="+state, "--listen=unix:"+socket, "--listen="+tt.listen, "--log-dir="+tt.logs)
		if got.code != exitFailure || !strings.Contains(got.stderr, tt.want) || got.stdout != "" {
			t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
		}
	}
	for _, gone := range []string{socket, filepath.Join(state, "server.json")} {
		if _, err := os.Lstat(gone); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", gone, err)
		}
	}
}

func TestAServiceThatWasKilledIsNoObstacle(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--listen=127.0.0.1:0", "--listen=unix:" + filepath.Join(dir, "s")}
	first := start(t, dir, nil, args...)
	first.end(t, syscall.SIGKILL)
	second := start(t, dir, nil, args...)
	if code := second.call(t, http.MethodGet, "/healthz", "", nil); code != http.StatusOK {
		t.Errorf("healthz answers %d", code)
	}
	if _, err := os.Stat(filepath.Join(first.logs, first.info.InstanceID)); !os.IsNotExist(err) {
		t.Errorf("the files of the first are still there: %v", err)
	}
}

func TestAnIdleServiceEndsByItself(t *testing.T) {
	p := start(t, t.TempDir(), nil, "--listen=127.0.0.1:0", "--exit-when-idle=1ms")
	if code := p.exit(t); code != 0 || !strings.Contains(p.stderr.String(), "nothing to do") {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
}

func TestChildrenGetTheUmaskOfTheService(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, []string{"sh", "-c", `umask 027; exec "$0" "$@"`}, "--listen=127.0.0.1:0", "--listen=unix:"+filepath.Join(dir, "s"))
	var result struct{ Screen string }
	p.call(t, http.MethodPost, "/v1/terminals", `{"command":"umask","wait_for_text":"0","wait_ms":20000}`, &result)
	if result.Screen != "0027" {
		t.Errorf("umask says %q", result.Screen)
	}
}

func TestStatusShowsWhatRuns(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil)
	p.call(t, http.MethodPost, "/v1/terminals", `{"command":"sleep 1000\n","wait_ms":0}`, nil)
	got := execute(t, nil, "status", "--state-dir="+p.state)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 0 || len(lines) != 3 {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if !strings.Contains(lines[0], p.info.URL) || !strings.Contains(lines[0], "1 running, 0 exited") {
		t.Errorf("first line: %s", lines[0])
	}
	if fields := strings.Fields(lines[2]); len(fields) != 5 || fields[0] != "t1" || fields[1] != "running" || fields[4] != "1000" {
		t.Errorf("line of the Terminal: %s", lines[2])
	}
	var raw struct {
		Server       serverInfo
		Capabilities struct {
			InstanceID string `json:"instance_id"`
		}
		Entries struct{ Running int }
	}
	got = execute(t, nil, "status", "--json", "--state-dir="+p.state)
	if err := json.Unmarshal([]byte(got.stdout), &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Server != p.info || raw.Capabilities.InstanceID != p.info.InstanceID || raw.Entries.Running != 1 {
		t.Errorf("raw: %s", got.stdout)
	}
}

func TestStatusSaysWhyItCannotTell(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	wrong := filepath.Join(dir, "wrong")
	if err := os.WriteFile(wrong, []byte("wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	living, killed := start(t, filepath.Join(dir, "living"), nil), start(t, filepath.Join(dir, "killed"), nil)
	killed.end(t, syscall.SIGKILL)
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"never started", []string{"--state-dir=" + none}, exitUnreachable,
			"termbay is not reachable at " + none + ": no service has left its address there. Start it with: termbay serve\n"},
		{"killed", []string{"--state-dir=" + killed.state}, exitUnreachable,
			"termbay is not reachable at " + killed.info.URL + ": dial tcp " + strings.TrimPrefix(killed.info.URL, "http://") +
				": connect: connection refused. Start it with: termbay serve\n"},
		{"another token", []string{"--state-dir=" + living.state, "--token-file=" + wrong}, exitFailure,
			"the token was refused; it is read from " + wrong + "\n"},
		{"no token", []string{"--state-dir=" + living.state, "--token-file=" + none}, exitFailure,
			"read the token: open " + none + ": no such file or directory\n"},
	}
	for _, tt := range tests {
		got := execute(t, nil, append([]string{"status"}, tt.args...)...)
		if got.code != tt.code || got.stderr != tt.want || got.stdout != "" {
			t.Errorf("%s: exit code %d, %q, wanted %d, %q", tt.name, got.code, got.stderr, tt.code, tt.want)
		}
	}
}

func TestASocketNeedsNoToken(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil, "--listen=unix:"+filepath.Join(dir, "s"))
	if p.info.URL != "" || p.info.Socket == "" {
		t.Errorf("server.json: %+v", p.info)
	}
	got := execute(t, nil, "status", "--state-dir="+p.state, "--token-file=/nonexistent")
	if got.code != 0 || !strings.Contains(got.stdout, "0 running, 0 exited") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

func TestTheTokenIsMadeOnDemand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	got := execute(t, nil, "token", "--token-file="+file)
	text, err := os.ReadFile(file)
	if err != nil || got.code != 0 || strings.TrimSpace(string(text)) != strings.TrimSpace(got.stdout) {
		t.Errorf("exit code %d, printed %q, the file holds %q %v", got.code, got.stdout, text, err)
	}
}

func TestTheProgramExitsWithTheCode(t *testing.T) {
	cmd := exec.Command(os.Args[0], "frob")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitUsage {
		t.Errorf("%v: %s", err, stderr.String())
	}
}
