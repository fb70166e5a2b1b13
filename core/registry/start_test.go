//go:build unix

package registry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/terminal"
)

func TestAnEnvironmentThatCannotBeIsRefused(t *testing.T) {
	f := open(t, registry.Config{})
	for _, v := range []string{"=secret", "name", "", "na\x00me=secret", "name=sec\x00ret"} {
		_, err := f.Start(person, registry.Start{Command: "touch started", Cwd: f.cwd, Env: []string{"PATH=/bin:/usr/bin", v}})
		if e := problem(t, err, core.Invalid, "environment"); e.Field != "env" || strings.Contains(e.Detail, "sec") {
			t.Errorf("%q: field %q, %s", v, e.Field, e.Detail)
		}
	}
	if _, err := os.Stat(f.cwd + "/started"); err == nil {
		t.Error("a refused start ran")
	}
	_, res := f.start(person, registry.Start{Command: `echo "$a.$b"`, Env: []string{"a=x=y", "b="}, Wait: untilExit()})
	if res.Screen != "x=y." {
		t.Errorf("screen %q", res.Screen)
	}
}

func TestTheTimelineOfAShortProgramIsInOrder(t *testing.T) {
	f := open(t, registry.Config{})
	for range 20 {
		id, _ := f.start(agent, registry.Start{Command: "exit 3", Wait: untilExit()})
		events, err := f.Timeline(agent, id)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Kind, e.By, e.Detail)))
		}
		if s := strings.Join(got, ", "); s != "started agent 120×40, exited  code 3, read agent" {
			t.Fatalf("timeline: %s", s)
		}
	}
}

func TestTheTimelineIsBounded(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "stty raw -echo; echo up; exec cat > /dev/null", Wait: up()})
	for range 300 {
		f.send(person, id, terminal.Input{Keys: strings.Fields(strings.Repeat("Enter ", 100))}, registry.Wait{For: 0})
	}
	events, err := f.Timeline(person, id)
	if err != nil || len(events) != 200 {
		t.Errorf("%d events, %v", len(events), err)
	}
	for _, e := range events {
		if n := len([]rune(e.Detail)); n > core.MaxDisplay+1 {
			t.Fatalf("a detail of %d characters", n)
		}
	}
}

func TestAStartWithoutANumberLeavesNothing(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 1})
	state := filepath.Join(f.cwd, "state")
	if err := os.WriteFile(state, nil, 0o600); err != nil { // where the folder of the counters should be
		t.Fatal(err)
	}
	_, err := f.Start(person, registry.Start{Command: "echo $$ > pid; exec sleep 1000", Cwd: f.cwd})
	if err == nil || !strings.Contains(err.Error(), "number a Terminal") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(f.cwd + "/pid"); err == nil {
		var pid int
		if _, err := fmt.Sscan(string(text), &pid); err == nil && !gone(pid) {
			t.Error("its program lives on")
		}
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if id, _ := f.start(person, registry.Start{Command: "true", Wait: untilExit()}); id != "t1" {
		t.Errorf("it took a number, or its place in the cap: %s", id)
	}
}

// A label and a command are a caller's text: a detail stays one short line.
func TestAFullCapNamesEntriesOnOneLine(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 1})
	f.start(person, registry.Start{Command: "exec sleep 1000", Label: "a\n\x1b[31m" + strings.Repeat("b", 5000), Wait: registry.Wait{For: 0}})
	_, err := f.Start(person, registry.Start{Command: "true", Cwd: f.cwd})
	if e := problem(t, err, core.CapReached, ": t1 a [31mbbb"); len(e.Detail) > 400 || strings.ContainsAny(e.Detail, "\n\x1b") {
		t.Errorf("%.500q", e.Detail)
	}
}

func TestASessionMayChangeItsGroupWhileItStarts(t *testing.T) {
	f := open(t, registry.Config{MaxRunning: 2})
	stop := make(chan struct{})
	var moving sync.WaitGroup
	defer moving.Wait()
	moving.Go(func() { // ends with stop
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if _, _, err := f.Open("agent", registry.Opening{Group: fmt.Sprint("g", i%2)}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	defer close(stop)
	for i := range 40 {
		if i%4 == 3 {
			_, err := f.Start(agent, registry.Start{Command: "true", Cwd: f.cwd, Shell: "/bin/false/no"})
			if err == nil {
				t.Error("a shell that does not exist")
			}
			continue
		}
		f.start(agent, registry.Start{Command: "true", Wait: untilExit()})
	}
	if _, idle := f.Idle(); !idle {
		t.Error("a place in the caps is taken for ever")
	}
}
