package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The cases of kinds f and g that concern jobs: long lines, and logs.

func TestOneVeryLongLine(t *testing.T) { // O-F2
	s := serve(t)
	for _, end := range []string{"", "; echo"} {
		const command = `head -c 10000000 /dev/zero | tr "\0" x; printf END-MARKER`
		a := s.job(http.StatusOK, object{"command": command + end})
		output := a.text("output")
		if !strings.HasSuffix(output, "xEND-MARKER") || len(output) != 50<<10 || !strings.Contains(a.text("notice"), "of line 1 (line is 9.5MB)") {
			t.Errorf("%d bytes, notice %q", len(output), a.text("notice"))
		}
		if i, err := os.Stat(a.text("full_output_path")); err != nil || i.Size() != int64(10_000_010+len(end)/6) {
			t.Errorf("%v, %v", i, err)
		}
	}
}

func TestALogBeginsWithOneLineOfOmission(t *testing.T) { // O-G1
	s := serve(t)
	a := s.job(http.StatusAccepted, object{"command": `head -c 20000000 /dev/zero | tr "\0" x; echo; sleep 600`, "background": true, "yield_ms": 3000})
	b, _ := a.json["background"].(object)
	text, err := os.ReadFile(b["log_path"].(string))
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(first, "[termbay: 3.1MB of earlier output omitted") || len(rest) != 16<<20 || strings.Trim(rest, "x\n") != "" {
		t.Errorf("the log begins with %.100q, then come %d bytes", first, len(rest))
	}
}

func TestAnEndlessWriterIsBounded(t *testing.T) { // O-G1
	s := serve(t, "--max-log-bytes", "8388608")
	id, log := s.background("yes")
	var e answer
	eventually(t, "the log to pass its cap four times", func() bool {
		e = s.call(http.StatusOK, "GET", "/v1/jobs/"+id, nil)
		return e.number("log_bytes") > 32<<20
	})
	if i, err := os.Stat(log); err != nil || i.Size() > 8<<20 || e.json["log_truncated"] != true || e.number("dropped_bytes") < 16<<20 {
		t.Errorf("%v, %v, %s", i, err, e.raw)
	}
	if got := rss(t, s); got > 200<<20 {
		t.Errorf("the service has %d MB", got>>20)
	}
	s.halt(id)
	if _, err := os.Stat(log); !os.IsNotExist(err) {
		t.Errorf("the log is still there: %v", err)
	}
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
	for _, fd := range fds {
		if to, _ := os.Readlink(fd); strings.Contains(to, ".log") {
			t.Errorf("still open: %s", to)
		}
	}
}

// rss is the memory of the service.
func rss(t testing.TB, s *service) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int
	fmt.Sscan(string(b), &size, &resident)
	return resident * os.Getpagesize()
}

func TestALogMayBeDeletedOrCutByAnybody(t *testing.T) { // O-G2
	s := serve(t)
	for what, harm := range map[string]func(path string) error{
		"deleted": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 0) },
	} {
		id, log := s.background("for i in $(seq 30); do echo line $i; sleep 0.03; done")
		printed(t, log, "line 3\n")
		if err := harm(log); err != nil {
			t.Fatal(err)
		}
		a := s.exit(id)
		if a.number("exit_code") != 0 || a.text("log_error") == "" {
			t.Errorf("%s: %s", what, a.raw)
		}
		if b, _ := os.ReadFile(log); strings.ContainsRune(string(b), 0) || !strings.HasSuffix(string(b), "line 30\n") {
			t.Errorf("%s: the log holds %.200q", what, b)
		}
		end := s.halt(id)
		if !strings.HasPrefix(end.text("output"), "line 1\nline 2\n") || !strings.HasSuffix(end.text("output"), "line 30\n") {
			t.Errorf("%s: recent output %.100q", what, end.text("output"))
		}
	}
}

func TestPlantedLogsAreNotWrittenThrough(t *testing.T) { // O-G3
	s := serve(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	instances, _ := filepath.Glob(filepath.Join(s.logs, "*", ".termbay.lock"))
	if len(instances) != 1 {
		t.Fatalf("instances: %v", instances)
	}
	dir := filepath.Dir(instances[0])
	for n := range 20 {
		plant := os.Symlink
		if n%2 == 1 {
			plant = func(_, path string) error { return exec.Command("mkfifo", path).Run() }
		}
		if err := plant(victim, filepath.Join(dir, fmt.Sprintf("b%d.log", n+1))); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		id, log := s.background("echo mine, too")
		s.exit(id)
		if i, err := os.Lstat(log); err != nil || !i.Mode().IsRegular() || i.Mode().Perm() != 0o600 || filepath.Base(log) == id+".log" {
			t.Errorf("%s: %v, %v", log, i, err)
		}
		if a := s.call(http.StatusOK, "GET", "/v1/entries/"+id+"/log", nil); string(a.raw) != "mine, too\n" {
			t.Errorf("log %q", a.raw)
		}
	}
	if b, _ := os.ReadFile(victim); string(b) != "mine" {
		t.Errorf("the victim holds %q", b)
	}
}

func TestAFileThatMayNotGrowStopsNothing(t *testing.T) { // O-G1
	s := servePrepared(t, func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"bash", "-c", `ulimit -f 200; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/bash"
	})
	id, _ := s.background("seq 100000")
	a := s.exit(id)
	if a.number("exit_code") != 0 || !strings.HasPrefix(a.text("log_error"), "file too large; ") || a.number("log_bytes") != 588895 || a.number("dropped_bytes") != 588895-200<<10 {
		t.Errorf("%s", a.raw)
	}
	if end := s.halt(id); !strings.HasSuffix(end.text("output"), "\n100000") {
		t.Errorf("recent output ends with %q", end.text("output")[max(0, len(end.text("output"))-20):])
	}
}
