package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is the outer limit of every wait for an event; no test is meant to need it.
const patience = 30 * time.Second

// service is a running termbay.
type service struct {
	t       testing.TB
	args    []string
	prepare func(*exec.Cmd) // before each start; may be nil
	cmd     *exec.Cmd
	url     string
	token   string
	state   string
	logs    string
	err     *bytes.Buffer
	ended   chan struct{}
}

// serve starts termbay on a free port; it is stopped and must leave nothing when the test ends.
func serve(t testing.TB, flags ...string) *service {
	t.Helper()
	return servePrepared(t, nil, flags...)
}

// servePrepared is serve with a say in how the process is started.
func servePrepared(t testing.TB, prepare func(*exec.Cmd), flags ...string) *service {
	t.Helper()
	dir := t.TempDir()
	s := &service{t: t, prepare: prepare, state: filepath.Join(dir, "state"), logs: filepath.Join(dir, "log")}
	s.args = append([]string{"serve", "--listen", "127.0.0.1:0", "--state-dir", s.state, "--log-dir", s.logs}, flags...)
	s.begin()
	return s
}

// begin starts the process, for the first time or again.
func (s *service) begin() {
	s.t.Helper()
	cmd, ended := exec.Command(binary, s.args...), make(chan struct{})
	s.cmd, s.err, s.ended = cmd, &bytes.Buffer{}, ended
	s.cmd.Stderr = s.err
	if s.prepare != nil {
		s.prepare(s.cmd)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { _ = cmd.Wait(); close(ended) }()
	s.t.Cleanup(s.stop)
	s.find()
}

// find waits for server.json of this process and reads where the service is.
func (s *service) find() {
	s.t.Helper()
	eventually(s.t, "termbay to write server.json", func() bool {
		select {
		case <-s.ended:
			s.t.Fatalf("termbay ended: %s", s.err)
		default:
		}
		var found struct {
			URL string
			PID int
		}
		b, err := os.ReadFile(filepath.Join(s.state, "server.json"))
		if err != nil || json.Unmarshal(b, &found) != nil || found.PID != s.cmd.Process.Pid {
			return false
		}
		s.url = found.URL
		return true
	})
	b, err := os.ReadFile(filepath.Join(s.state, "token"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(b))
}

// stop ends the service as a person would, with SIGTERM.
func (s *service) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		<-s.ended
		s.t.Errorf("termbay did not end after SIGTERM: %s", s.err)
	}
}

// object is a JSON object.
type object = map[string]any

// answer is what came back from a call.
type answer struct {
	status int
	header http.Header
	raw    []byte
	json   object
}

func (a answer) text(field string) string { s, _ := a.json[field].(string); return s }
func (a answer) number(field string) int  { n, _ := a.json[field].(float64); return int(n) }
func (a answer) lines(field string) []string {
	var all []string
	list, _ := a.json[field].([]any)
	for _, l := range list {
		s, _ := l.(string)
		all = append(all, s)
	}
	return all
}

// try sends a request in a session ("" for none) and returns whatever comes back.
func (s *service) try(session, method, path string, body any) (answer, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		in = bytes.NewReader(b)
	}
	q, err := http.NewRequest(method, s.url+path, in)
	if err != nil {
		return answer{}, err
	}
	q.Header.Set("Authorization", "Bearer "+s.token)
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	if session != "" {
		q.Header.Set("Termbay-Session", session)
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.raw, err = io.ReadAll(res.Body); err != nil {
		return answer{}, err
	}
	if strings.Contains(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(a.raw, &a.json); err != nil {
			return answer{}, fmt.Errorf("%w in %s", err, a.raw)
		}
	}
	return a, nil
}

// call is try without a session, and fails the test unless the status is the wanted one.
func (s *service) call(want int, method, path string, body any) answer {
	s.t.Helper()
	return s.as("", want, method, path, body)
}

// as is call in a session.
func (s *service) as(session string, want int, method, path string, body any) answer {
	s.t.Helper()
	a, err := s.try(session, method, path, body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	if a.status != want {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, a.status, want, a.raw)
	}
	return a
}

// start starts a Terminal and returns its id and first result.
func (s *service) start(body object) (id string, a answer) {
	s.t.Helper()
	if _, given := body["cwd"]; !given {
		body["cwd"] = s.t.TempDir()
	}
	a = s.call(http.StatusCreated, "POST", "/v1/terminals", body)
	s.found(a, body)
	return a.text("id"), a
}

// found fails the test when a text that was waited for did not appear.
func (s *service) found(a answer, body object) {
	s.t.Helper()
	if text, given := body["wait_for_text"]; given && text != never && a.text("settled_by") != "text" {
		s.t.Fatalf("%q did not appear: %s", text, a.raw)
	}
}

// send types into a Terminal, or polls it.
func (s *service) send(id string, body object) answer {
	s.t.Helper()
	a := s.call(http.StatusOK, "POST", "/v1/terminals/"+id+"/input", body)
	s.found(a, body)
	return a
}

// never is a text that no program shows: a wait for it ends with the exit.
const never = "no program prints this"

// halt stops an entry and returns its final result.
func (s *service) halt(id string) answer {
	s.t.Helper()
	return s.call(http.StatusOK, "POST", "/v1/entries/"+id+"/stop", object{})
}

// eventually waits for something that must come true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// need fails the test when a program is missing: a skipped case is no passed case.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatalf("this test needs %s; make setup installs it", p)
		}
	}
}
