//go:build linux

package process_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/process"
)

// pipes starts a command on pipes; the test ends it.
func pipes(t testing.TB, s process.Spec) *process.Pipes {
	t.Helper()
	s.Env = process.Environment(nil, s.Tag, false)
	p, err := host.StartPipes(s)
	if err != nil {
		t.Fatalf("start %q: %v", s.Command, err)
	}
	late := time.AfterFunc(limit, func() { // ends what blocks, so that the test fails
		p.Signal("KILL")
		p.Close()
	})
	t.Cleanup(func() {
		late.Stop()
		if err := p.Stop(context.Background(), process.Stop{Signal: "KILL"}); err != nil {
			t.Errorf("clean up: %v", err)
		}
		p.Close()
	})
	return p
}

// all is the output until nobody holds the pipe.
func all(t testing.TB, p *process.Pipes) string {
	t.Helper()
	b, err := io.ReadAll(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPipesCarryBothStreamsInOrder(t *testing.T) { // O-A4, L302
	var want strings.Builder
	for i := 1; i <= 300; i++ {
		fmt.Fprintf(&want, "o%d\ne%d\n", i, i)
	}
	p := pipes(t, spec("for i in $(seq 300); do echo o$i; echo e$i >&2; done; exit 3"))
	if got := all(t, p); got != want.String() {
		t.Errorf("%.200q", got)
	}
	if exit := p.Wait(); ended(exit) != "3" {
		t.Errorf("exit %s", ended(exit))
	}
}

func TestPipesHaveNoTerminal(t *testing.T) { // O-A3
	p := pipes(t, spec("cat; echo eof; (read x </dev/tty) 2>&1 | grep -o 'No such device'; test -t 1 || echo notty; ps -o sid=,pgid=,pid= -p $$ | tr -s ' '"))
	id := fmt.Sprint(" ", p.PID())
	if got, want := all(t, p), "eof\nNo such device\nnotty\n"+strings.TrimPrefix(id+id+id, " ")+"\n"; strings.ReplaceAll(got, "\n ", "\n") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPipesGiveDescriptors0To2Only(t *testing.T) { // O-I2
	for _, filler := range []string{"", "\n# " + strings.Repeat("w", 1<<20)} { // also when the command does not fit into an argument
		s := spec("ls /proc/self/fd | tr '\\n' ' '; readlink /proc/self/fd/0 | cut -d: -f1; echo $0 $#; exit 5" + filler)
		p := pipes(t, s)
		if got := all(t, p); got != "0 1 2 3 /dev/null\n/bin/bash 0\n" || ended(p.Wait()) != "5" {
			t.Errorf("%q", got)
		}
		s.Stdin = true
		s.Tag += "-open"
		if got := all(t, pipes(t, s)); got != "0 1 2 3 pipe\n/bin/bash 0\n" {
			t.Errorf("%q", got)
		}
	}
}

func TestAnOpenStandardInputTakesBytesUntilItsEnd(t *testing.T) {
	s := spec("od -An -c")
	s.Stdin = true
	p := pipes(t, s)
	for _, b := range []string{"a", "\x00\n"} {
		if n, err := p.Write([]byte(b)); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := p.CloseInput(); err != nil {
		t.Fatal(err)
	}
	if got := all(t, p); got != "   a  \\0  \\n\n" {
		t.Errorf("%q", got)
	}
	s = spec("exec <&-; echo closed; exec sleep 1000")
	s.Stdin = true
	p = pipes(t, s)
	line := make([]byte, 7)
	if _, err := io.ReadFull(p, line); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a standard input that the program closed: %v", err)
	}
	if err := p.CloseInput(); err != nil {
		t.Error(err)
	}
	if _, err := p.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a standard input that was ended: %v", err)
	}
}

func TestAWriteNobodyReadsEndsAtItsDeadline(t *testing.T) {
	s := spec("exec sleep 1000")
	s.Stdin = true
	p := pipes(t, s)
	if err := p.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Write(make([]byte, 1<<20)); n == 0 || n == 1<<20 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("took %d bytes, %v", n, err)
	}
	if err := p.SetWriteDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error, 1)
	go func() { _, err := p.Write(make([]byte, 1<<20)); wrote <- err }() // joined below
	p.CloseInput()
	if err := <-wrote; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write when the input was ended: %v", err)
	}
}

func TestAShellMayTakeItsCommandOnStandardInput(t *testing.T) { // L259
	for _, command := range []string{"echo got it $#; exit 4", "exit 4 # never read: " + strings.Repeat("w", 1<<20)} {
		s := spec(command)
		s.Shell.Args, s.Shell.Transport = []string{"-s"}, core.ByStdin
		p := pipes(t, s)
		if got := all(t, p); ended(p.Wait()) != "4" || strings.HasPrefix(command, "echo") && got != "got it 0\n" {
			t.Errorf("%q, exit %s", got, ended(p.Wait()))
		}
	}
}

func TestPipesRefuseWhatCannotBe(t *testing.T) {
	byStdin := spec("true") // L308
	byStdin.Stdin, byStdin.Shell.Transport = true, core.ByStdin
	nul := spec("a\x00b")
	cwd := spec("true")
	cwd.Cwd = "/no/such"
	shell := spec("true")
	shell.Shell.Path = "/no/bash"
	for want, s := range map[string]process.Spec{
		"choose another shell": byStdin, "NUL byte": nul,
		"Working directory does not exist: /no/such\nCannot execute bash commands.": cwd,
		"Custom shell path not found: /no/bash":                                     shell,
	} {
		p, err := host.StartPipes(s)
		var problem *core.Error
		if p != nil || !errors.As(err, &problem) || !strings.Contains(problem.Detail, want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestTheEndOfAPipeIsNotTheExit(t *testing.T) {
	p := pipes(t, spec("sleep 1000 & echo ready; exit 2"))
	b := make([]byte, 6)
	if _, err := io.ReadFull(p, b); err != nil {
		t.Fatal(err)
	}
	if exit := p.Wait(); ended(exit) != "2" || p.Descendants() != 1 {
		t.Errorf("exit %s, %d descendants", ended(exit), p.Descendants())
	}
	read := make(chan error, 1)
	go func() { _, err := p.Read(b); read <- err }()
	left := p.Tree()
	if len(left) != 1 {
		t.Fatalf("left: %v", left)
	}
	if err := syscall.Kill(left[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != io.EOF {
		t.Errorf("once nobody holds it: %v", err)
	}

	p = pipes(t, spec("exec >&- 2>&-; exec sleep 1000"))
	if got := all(t, p); got != "" {
		t.Errorf("%q", got)
	}
	select {
	case <-p.Done():
		t.Error("a closed pipe counts as an exit")
	default:
	}
}

func TestCloseEndsAReadOfAPipe(t *testing.T) {
	p := pipes(t, spec("exec sleep 1000"))
	read := make(chan error, 1)
	go func() { _, err := p.Read(make([]byte, 1)); read <- err }()
	p.Close()
	if err := <-read; !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestAStopOfPipesTakesEveryEscapeeAndHangsNobodyUp(t *testing.T) {
	dir := t.TempDir()
	s := spec("trap 'echo HUP > " + dir + "/hup' HUP; trap 'sleep 0.3; exit 9' TERM; setsid sleep 4801 & set -m; sleep 4801 & echo up; while :; do sleep 0.05; done")
	p := pipes(t, s)
	if _, err := io.ReadFull(p, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(t.Context(), process.Stop{Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if exit := p.Wait(); ended(exit) != "9" || p.Descendants() != 0 {
		t.Errorf("exit %s, %d descendants", ended(exit), p.Descendants())
	}
	if _, err := os.Stat(filepath.Join(dir, "hup")); err == nil { // only a terminal hangs up
		t.Error("it got SIGHUP")
	}
}

func TestPipesAreGivenBack(t *testing.T) {
	once := func(i int) {
		s := spec("echo out")
		s.Stdin = i%2 == 0
		if i%4 == 1 {
			s.Shell.Args, s.Shell.Transport = []string{"-s"}, core.ByStdin
		}
		p, err := host.StartPipes(s)
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 0 {
			p.CloseInput()
		}
		if got := all(t, p); got != "out\n" {
			t.Errorf("%q", got)
		}
		p.Wait()
		p.Close()
	}
	once(0)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would close what was forgotten
	fds, goroutines := descriptors(t), runtime.NumGoroutine()
	for i := range 200 {
		once(i)
	}
	eventually(t, "descriptors and goroutines are as before", func() bool {
		return descriptors(t) <= fds && runtime.NumGoroutine() <= goroutines
	})
	eventually(t, "nothing is left unreaped", func() bool { return len(zombies()) == 0 })
	eventually(t, "no cgroup is left", func() bool { return len(host.Cgroups(tagPrefix())) == 0 })
}

// BenchmarkStartPipes compares a command on pipes with one that os/exec runs, by their medians: single runs differ too much.
// They take turns of 50, because a child that is none of ours makes the reaper look closely.
func BenchmarkStartPipes(b *testing.B) {
	var ours, plain []time.Duration
	for n := 0; b.Loop(); n++ {
		begun := time.Now()
		if n/50%2 == 0 {
			runOnPipes(b)
			ours = append(ours, time.Since(begun))
		} else {
			runPlain(b)
			plain = append(plain, time.Since(begun))
		}
	}
	if len(ours) == 0 || len(plain) == 0 {
		return // too few to compare
	}
	slices.Sort(ours)
	slices.Sort(plain)
	a, e := ours[len(ours)/2], plain[len(plain)/2]
	b.ReportMetric(float64(a.Microseconds()), "µs/pipes")
	b.ReportMetric(float64(e.Microseconds()), "µs/exec")
	b.ReportMetric(float64(a)/float64(e), "ratio")
}

func runOnPipes(b *testing.B) {
	p, err := host.StartPipes(spec("true"))
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, p)
	p.Wait()
	if n := p.Descendants(); n != 0 {
		b.Errorf("%d descendants", n)
	}
	p.Close()
}

func runPlain(b *testing.B) {
	out, stdout, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	command := exec.Command("/bin/bash", "-c", "true")
	command.Env = spec("true").Env
	command.Stdout, command.Stderr = stdout, stdout
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	stdout.Close()
	_, _ = io.Copy(io.Discard, out)
	if err := command.Wait(); err != nil {
		b.Error(err)
	}
}
