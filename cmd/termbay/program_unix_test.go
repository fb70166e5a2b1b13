//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asProgram makes the test binary be the program itself.
const asProgram = "TERMBAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	// With a handler here the program starts as by hand, even if these tests run under nohup.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGHUP)
	os.Exit(m.Run())
}

// program is a running termbay serve.
type program struct {
	*exec.Cmd
	state, logs string   // its folders
	said        []string // lines of stdout
	stderr      bytes.Buffer
	info        serverInfo
}

// start runs termbay serve with folders of its own, below dir, and waits until it says where it listens. wrap, such as
// sh -c, comes before the program.
func start(t *testing.T, dir string, wrap []string, args ...string) *program {
	t.Helper()
	p := &program{state: filepath.Join(dir, "state"), logs: filepath.Join(dir, "logs")}
	line := append(wrap, os.Args[0], "serve", "--state-dir="+p.state, "--log-dir="+p.logs)
	if len(args) == 0 {
		args = []string{"--listen=127.0.0.1:0"}
	}
	line = append(line, args...)
	p.Cmd = exec.Command(line[0], line[1:]...)
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = &p.stderr
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { p.Process.Kill() })
	t.Cleanup(func() {
		stuck.Stop()
		p.Process.Kill()
		p.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		p.said = append(p.said, lines.Text())
		if strings.HasPrefix(lines.Text(), "token: ") {
			break
		}
	}
	if p.info, err = readServerInfo(p.state); err != nil {
		t.Fatalf("no server.json: %v; stdout %q", err, p.said)
	}
	return p
}

// end sends a signal and waits for the exit code.
func (p *program) end(t *testing.T, s os.Signal) int {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	return p.exit(t)
}

// exit waits for the exit code.
func (p *program) exit(t *testing.T) int {
	t.Helper()
	p.Wait()
	return p.ProcessState.ExitCode()
}

// call asks the service over TCP.
func (p *program) call(t *testing.T, method, path, body string, into any) int {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(p.state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.info.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s %s: %s %q: %v", method, path, resp.Status, text, err)
	}
	return resp.StatusCode
}

// terminal starts a Terminal and is the pid of its program, which lives.
func (p *program) terminal(t *testing.T, body string) (pid int) {
	t.Helper()
	var started struct{ ID string }
	if code := p.call(t, http.MethodPost, "/v1/terminals", body, &started); code != http.StatusCreated {
		t.Fatalf("start answers %d", code)
	}
	var entry struct{ PID int }
	p.call(t, http.MethodGet, "/v1/terminals/"+started.ID, "", &entry)
	if err := syscall.Kill(entry.PID, 0); entry.PID == 0 || err != nil {
		t.Fatalf("the program, pid %d: %v", entry.PID, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			syscall.Kill(entry.PID, syscall.SIGKILL)
		}
	})
	return entry.PID
}

// mode is the mode of a file, which must exist.
func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}
