//go:build unix

package terminal_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/settle"
	"termbay/core/terminal"
)

// patience is the outer limit of a wait for something that must happen.
const patience = 20 * time.Second

// host starts the programs of all tests.
var host *process.Host

// tags counts the programs of the package.
var tags atomic.Int64

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	var err error
	if host, err = process.NewHost(slog.New(slog.DiscardHandler)); err != nil {
		panic(err)
	}
	code = m.Run()
	if err := host.Close(); err != nil {
		panic(err)
	}
	if err := goleak.Find(goleak.IgnoreTopFunction("os/signal.loop")); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	if open := terminals(); len(open) > 0 && code == 0 {
		fmt.Println("descriptors left:", open)
		code = 1
	}
	return code
}

// terminals are the descriptors of this process that are one end of a PTY.
func terminals() (open []string) {
	all, _ := filepath.Glob("/dev/fd/*")
	for _, fd := range all {
		if to, err := os.Readlink(fd); err == nil && (strings.HasPrefix(to, "/dev/pt") || strings.HasPrefix(to, "/dev/tty")) {
			open = append(open, to)
		}
	}
	return open
}

// program is a Terminal of a test.
type program struct {
	*terminal.Terminal
	t      *testing.T
	dir    string           // its working directory
	ending chan core.Ending // receives what OnExit got
}

type starter func(*process.Host, terminal.Spec) (*terminal.Terminal, error)

// start runs a command in bash; it is killed at the end of the test.
func start(t *testing.T, command string) program {
	t.Helper()
	return startWith(t, terminal.Start, command, core.Viewport{})
}

func startWith(t *testing.T, starts starter, command string, v core.Viewport) program {
	t.Helper()
	p := program{t: t, dir: t.TempDir(), ending: make(chan core.Ending, 2)}
	tag := fmt.Sprintf("terminal-test-%d-%d", os.Getpid(), tags.Add(1))
	if v == (core.Viewport{}) {
		v = core.DefaultViewport()
	}
	var err error
	p.Terminal, err = starts(host, terminal.Spec{
		Process: process.Spec{
			Shell:   core.Shell{Kind: "bash", Path: "/bin/bash", Args: []string{"-c"}, Transport: core.ByArgument},
			Command: command, Cwd: p.dir, Env: process.Environment(nil, tag, true), Tag: tag, Viewport: v,
		},
		Log:    slog.New(slog.DiscardHandler),
		OnExit: func(e core.Ending) { p.ending <- e },
	})
	if err != nil {
		t.Fatalf("start %q: %v", command, err)
	}
	t.Cleanup(func() { p.stop(process.Stop{Signal: "SIGKILL"}) })
	return p
}

// stop ends the program with a deadline.
func (p program) stop(how process.Stop) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.Stop(ctx, how); err != nil {
		p.t.Errorf("stop: %v", err)
	}
}

// ends waits for the exit.
func (p program) ends() core.Ending {
	p.t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		p.t.Fatalf("no exit; the screen: %q", p.Match(0).Text)
	}
	return <-p.ending
}

// shows waits until a text, or /a regular expression/, is on the screen or scrolled off.
func (p program) shows(text string) {
	p.t.Helper()
	pattern, err := settle.Parse(text)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.Await(p.t.Context(), "text", pattern, 0, patience); err != nil {
		p.t.Fatal(err)
	}
	if m := p.Match(0).Text; !pattern.In(m, nil) {
		p.t.Fatalf("no %s in %q", pattern, m)
	}
}

// types types an input and waits until it was taken whole.
func (p program) types(in terminal.Input) *terminal.Typing {
	p.t.Helper()
	y, err := p.Type(in)
	if err != nil {
		p.t.Fatal(err)
	}
	if taken, of := y.Wait(); taken != of {
		p.t.Fatalf("%d of %d bytes were taken", taken, of)
	}
	return y
}

// file is a path in the program's working directory.
func (p program) file(name string) string { return filepath.Join(p.dir, name) }

// within runs f and fails the test when it takes longer than a limit.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { // joined below; a test that failed may leave it
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s takes longer than %v", what, limit)
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }
