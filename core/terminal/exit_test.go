//go:build unix

package terminal_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/terminal"
)

// inParallel runs f n times as parallel tests and returns when all are done.
func inParallel(t *testing.T, n int, f func(t *testing.T, i int)) {
	t.Run("all", func(t *testing.T) {
		for i := range n {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				f(t, i)
			})
		}
	})
}

// A program may end long before its output was read: the kernel hands out a few KB at once (O-A5).
func TestNothingIsLostAtTheExit(t *testing.T) {
	const lines = 2000
	want := int64(len("TAIL"))
	for n := range lines {
		want += int64(len(fmt.Sprint(n+1))) + 2 // CR LF
	}
	inParallel(t, 200, func(t *testing.T, i int) {
		p := start(t, fmt.Sprintf("seq %d; printf TAIL; exit %d", lines, i%256))
		e := p.ends()
		switch {
		case p.Bytes() != want:
			t.Errorf("program %d: %d bytes, want %d", i, p.Bytes(), want)
		case !strings.HasSuffix(p.Match(0).Text, "\n1999\n2000\nTAIL"):
			t.Errorf("program %d: the screen is %q", i, p.Match(1900).Text)
		case e.Exit.Code == nil || *e.Exit.Code != i%256 || e.Lost != "" || e.Descendants != 0:
			t.Errorf("program %d ended as %+v", i, e)
		}
	})
}

func TestOnExitComesOnceBeforeDone(t *testing.T) {
	inParallel(t, 40, func(t *testing.T, i int) {
		var p program
		calls, doneFirst := 0, false
		ready := make(chan struct{})
		p = startWith(t, func(h *process.Host, s terminal.Spec) (*terminal.Terminal, error) {
			s.OnExit = func(core.Ending) {
				<-ready
				calls++
				doneFirst = p.Ended()
			}
			return terminal.Start(h, s)
		}, "echo out", core.Viewport{})
		close(ready)
		<-p.Done()
		p.stop(process.Stop{}) // after the exit: nothing
		if calls != 1 || doneFirst || !p.Ended() {
			t.Errorf("program %d: OnExit came %d times; Done was closed before: %v", i, calls, doneFirst)
		}
	})
}

func TestDescendantsThatAreLeftAreCounted(t *testing.T) {
	p := start(t, "trap '' HUP; sleep 1000 & echo $!; sleep 1000 & echo $!; exit 3")
	e := p.ends()
	var pids [2]int
	if _, err := fmt.Sscan(p.Match(0).Text, &pids[0], &pids[1]); err != nil {
		t.Fatal(err)
	}
	if e.Descendants != 2 || e.Exit.Code == nil || *e.Exit.Code != 3 || gone(pids[0]) || gone(pids[1]) {
		t.Errorf("%+v, want code 3 and 2 descendants left alone", e)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		eventually(t, "the end of a descendant", func() bool { return gone(pid) })
	}
}

func TestAStopReturnsWithTheFinalScreen(t *testing.T) {
	p := start(t, "trap '' HUP; trap 'seq 300; echo bye; exit 4' TERM; echo up; while :; do sleep 0.05; done")
	p.shows("up")
	p.stop(process.Stop{Escalate: true})
	if !p.Ended() || !strings.HasSuffix(p.Match(0).Text, "\n300\nbye") {
		t.Errorf("ended %v, screen %q", p.Ended(), p.Match(0).Text)
	}
	if e := p.ends(); !gone(p.PID()) {
		t.Errorf("it lives on: %+v", e)
	}
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	before := len(terminals())
	_, err := terminal.Start(host, terminal.Spec{Process: process.Spec{
		Shell: core.Shell{Kind: "sh", Path: "/no/such/shell", Args: []string{"-c"}}, Command: ":", Cwd: "/",
	}})
	if err == nil || len(terminals()) != before {
		t.Errorf("%v; %v", err, terminals())
	}
}

func TestManyTerminalsLeaveNothingBehind(t *testing.T) {
	descriptors := func() int {
		open, _ := filepath.Glob("/dev/fd/*")
		return len(open)
	}
	one := func(t *testing.T, _ int) { start(t, ":").ends() }
	inParallel(t, 8, one) // what is made once is made
	goroutines, open := runtime.NumGoroutine(), descriptors()
	inParallel(t, many, one)
	eventually(t, fmt.Sprintf("goroutines as before: %d", goroutines), func() bool { return runtime.NumGoroutine() <= goroutines })
	if now := descriptors(); now > open {
		t.Errorf("%d descriptors, %d before", now, open)
	}
}
