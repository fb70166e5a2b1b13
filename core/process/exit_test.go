//go:build linux

package process_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/process"
)

// O-B4: exactly one of code and signal, and the right one.
func TestExit(t *testing.T) {
	for command, want := range map[string]string{
		"kill -9 $$":         "SIGKILL",
		"kill -SEGV $$":      "SIGSEGV",
		"kill -40 $$":        "signal 40",
		"exit 137":           "137",
		"exit 300":           "44",
		"exec /no/such/prog": "127",
		"true":               "0",
	} {
		t.Run(command, func(t *testing.T) {
			text, exit := start(t, command).ends()
			if ended(exit) != want || (exit.Code == nil) == (exit.Signal == "") || exit.At.IsZero() {
				t.Errorf("%+v, want %s", exit, want)
			}
			if want == "127" && !strings.Contains(text, "/no/such/prog: No such file or directory") {
				t.Errorf("output %q", text)
			}
		})
	}
}

func TestSignalReachesGroup(t *testing.T) {
	p := start(t, `trap 'echo got; exit 9' USR1; echo up; while :; do read x; done`)
	p.shows("up")
	if err := p.Signal("usr1"); err != nil {
		t.Fatal(err)
	}
	if text, exit := p.ends(); ended(exit) != "9" || !strings.Contains(text, "got") {
		t.Errorf("%q, exit %s", text, ended(exit))
	}
	if err := p.Signal("KILL"); err != nil {
		t.Errorf("a signal after the exit: %v", err)
	}
}

// A job of an interactive shell has a group of its own, in the foreground of the terminal.
func TestSignalReachesForegroundGroup(t *testing.T) {
	mark := marker(t)
	p := start(t, "bash --norc -i")
	p.Write([]byte("sleep " + mark + "; echo rc=$?\n"))
	eventually(t, "the job runs", func() bool { return len(survivors(mark)) == 1 })
	if err := p.Signal("SIGTERM"); err != nil { // a shell at its prompt ignores it
		t.Fatal(err)
	}
	p.shows(`rc=143`)
}

func TestCheckSignal(t *testing.T) {
	for name, want := range map[string]string{
		"TERM": "SIGTERM", "sigterm": "SIGTERM", " Kill ": "SIGKILL", "SIGWINCH": "SIGWINCH", "usr2": "SIGUSR2",
		"": "", "SIG": "", "9": "", "NOPE": "", "SIGSIGTERM": "",
	} {
		got, err := process.CheckSignal(name)
		if got != want || (want == "") != (err != nil) {
			t.Errorf("CheckSignal(%q) = %q, %v", name, got, err)
		}
	}
	_, err := process.CheckSignal("NOPE")
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.Invalid || e.Field != "signal" {
		t.Fatalf("%#v", err)
	}
	for _, name := range strings.Fields("SIGHUP SIGINT SIGQUIT SIGKILL SIGTERM SIGUSR1 SIGUSR2 SIGCONT SIGSTOP SIGTSTP SIGWINCH") {
		if !slices.Contains(e.Valid, name) || !strings.Contains(e.Detail, name) {
			t.Errorf("%s is not listed as valid", name)
		}
	}
	if !strings.HasPrefix(e.Detail, `"NOPE" is not a signal.`) {
		t.Error(e.Detail)
	}
}

func TestStartFails(t *testing.T) {
	gone := t.TempDir() + "/gone"
	script := t.TempDir() + "/script"
	if err := os.WriteFile(script, []byte("neither a program nor #!"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*process.Spec)
		code   core.Code
		detail string
	}{
		"no such cwd":  {func(s *process.Spec) { s.Cwd = gone }, core.CwdMissing, "Working directory does not exist: " + gone + "\nCannot execute bash commands."},
		"relative cwd": {func(s *process.Spec) { s.Cwd = "x" }, core.Invalid, `"x" is not an absolute path; give the working directory as one.`},
		"no shell":     {func(s *process.Spec) { s.Shell.Path = gone }, core.ShellUnavailable, "Custom shell path not found: " + gone},
		"no program":   {func(s *process.Spec) { s.Shell.Path = script }, core.CommandFailedToStart, script + " could not be started: permission denied."},
		"NUL":          {func(s *process.Spec) { s.Command = "a\x00b" }, core.Invalid, "The command holds a NUL byte, which no shell accepts; leave it out."},
		"stdin":        {func(s *process.Spec) { s.Shell.Transport = core.ByStdin }, core.ShellUnavailable, "/bin/bash takes its command on standard input, so it cannot run a Terminal; choose another shell."},
		"environment":  {func(s *process.Spec) { s.Env = []string{"BIG=" + strings.Repeat("x", 200000)} }, core.CommandFailedToStart, "/bin/bash could not be started: argument list too long."},
	} {
		t.Run(name, func(t *testing.T) {
			if err := startFails(t, c.change); err.Code != c.code || err.Detail != c.detail {
				t.Errorf("%s: %s", err.Code, err.Detail)
			}
		})
	}
	if text, exit := start(t, "echo fine").ends(); text != "fine\n" || ended(exit) != "0" {
		t.Errorf("the next start: %q %s", text, ended(exit))
	}
}

// startFails starts what cannot be started and returns why.
func startFails(t *testing.T, change func(*process.Spec)) *core.Error {
	t.Helper()
	s := spec("true")
	s.Viewport = core.DefaultViewport()
	change(&s)
	pty, err := host.StartPTY(s)
	var e *core.Error
	if pty != nil || !errors.As(err, &e) {
		t.Fatalf("StartPTY(%+v) = %v, %v", s, pty, err)
	}
	return e
}

// code is the code of a problem.
func code(err error) core.Code {
	var e *core.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return core.Code(fmt.Sprint(err))
}
