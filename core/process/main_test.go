//go:build linux

package process_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"termbay/core"
	"termbay/core/process"
)

// limit is how long a test waits for what has to happen. No test passes by waiting.
const limit = 20 * time.Second

// host is the one Host of the package: TestMain makes it and closes it.
var host *process.Host

// tags counts the programs of the package.
var tags atomic.Int64

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serviceArgument {
		os.Exit(service(os.Args[2], len(os.Args) > 3))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if host, err = process.NewHost(slog.New(slog.DiscardHandler)); err != nil {
		fmt.Println(err)
		return 1
	}
	code := m.Run()
	if err := host.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Println(err)
		return 1
	}
	return code
}

// bash is the shell of most tests.
func bash() core.Shell {
	return core.Shell{Kind: "bash", Path: "/bin/bash", Args: []string{"-c"}, Transport: core.ByArgument}
}

// spec is a command in bash with a tag of its own.
func spec(command string) process.Spec {
	tag := fmt.Sprint(tagPrefix(), tags.Add(1))
	return process.Spec{
		Shell: bash(), Command: command, Cwd: "/", Tag: tag, Env: process.Environment(nil, tag, true),
	}
}

// tagPrefix begins the tags of this run of the tests.
func tagPrefix() string { return fmt.Sprintf("test%d-", os.Getpid()) }

// program is a running command of a test, whose output is read all the time.
type program struct {
	*process.PTY
	t    *testing.T
	read chan struct{} // closed when Read has failed
	err  error         // once read is closed

	mu      sync.Mutex // guards below
	output  strings.Builder
	changed chan struct{}
}

// start runs a command; the test ends it.
func start(t *testing.T, command string) *program {
	t.Helper()
	return startSpec(t, spec(command))
}

func startSpec(t *testing.T, s process.Spec) *program {
	t.Helper()
	pty, err := host.StartPTY(s)
	if err != nil {
		t.Fatalf("start %q: %v", s.Command, err)
	}
	p := &program{PTY: pty, t: t, read: make(chan struct{}), changed: make(chan struct{})}
	go p.collect() // joined by the cleanup
	t.Cleanup(func() {
		if err := p.Stop(context.Background(), process.Stop{Signal: "KILL", Escalate: true}); err != nil {
			t.Errorf("clean up: %v", err)
		}
		p.Wait()
		p.Close()
		<-p.read
	})
	return p
}

func (p *program) collect() {
	defer close(p.read)
	buf := make([]byte, 4096)
	for {
		n, err := p.Read(buf)
		p.mu.Lock()
		p.output.Write(buf[:n])
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			p.err = err
			return
		}
	}
}

// text is the output so far, without carriage returns.
func (p *program) text() (string, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.ReplaceAll(p.output.String(), "\r", ""), p.changed
}

// shows waits until the output matches, and returns the submatches.
func (p *program) shows(pattern string) []string {
	p.t.Helper()
	re, timeout := regexp.MustCompile(pattern), time.After(limit)
	for {
		text, changed := p.text()
		if m := re.FindStringSubmatch(text); m != nil {
			return m
		}
		select {
		case <-changed:
		case <-p.read:
			if text, _ := p.text(); re.FindStringSubmatch(text) == nil {
				p.t.Fatalf("output ended without %q: %q", pattern, text)
			}
		case <-timeout:
			p.t.Fatalf("no %q in %q", pattern, text)
		}
	}
}

// ends waits for the end of the output and returns all of it, and how the program ended.
func (p *program) ends() (string, core.Exit) {
	p.t.Helper()
	select {
	case <-p.read:
	case <-time.After(limit):
		text, _ := p.text()
		p.t.Fatalf("the output does not end: %q", text)
	}
	if !errors.Is(p.err, io.EOF) {
		p.t.Fatalf("Read: %v, want io.EOF", p.err)
	}
	text, _ := p.text()
	return text, p.Wait()
}

// stop ends the program with a deadline.
func (p *program) stop(how process.Stop) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return p.Stop(ctx, how)
}

// eventually waits until what is true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(limit)
	for !is() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("never: %s", what)
		}
	}
}

// ended says how a program ended in one word: its code or its signal.
func ended(e core.Exit) string {
	if e.Code != nil {
		return fmt.Sprint(*e.Code)
	}
	return e.Signal
}
