//go:build linux

package process_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/process"
)

// standIn is a shell called pwsh that is none: there is no PowerShell to be had everywhere.
func standIn(t *testing.T, script string) core.Shell {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pwsh"), []byte("#!/bin/bash\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	shell, err := process.Resolver{Getenv: func(name string) string { return map[string]string{"PATH": dir}[name] }}.Resolve("powershell")
	if err != nil {
		t.Fatal(err)
	}
	return shell
}

// L254–L257, L312: the arguments, the prefix that makes it write UTF-8, and both streams as one.
func TestPowerShellIsCalledAsItHasToBe(t *testing.T) {
	s := spec("Get-Item x | Out-String")
	s.Shell = standIn(t, "printf '<%s>\\n' \"$@\"\necho err >&2\necho out\nexit 6\n")
	p := pipes(t, s)
	want := "<-NoProfile>\n<-NonInteractive>\n<-ExecutionPolicy>\n<Bypass>\n<-Command>\n" +
		"<try { [Console]::OutputEncoding=[System.Text.Encoding]::UTF8 } catch {}\nGet-Item x | Out-String>\nerr\nout\n"
	if got := all(t, p); got != want || ended(p.Wait()) != "6" {
		t.Errorf("%q, exit %s", got, ended(p.Wait()))
	}
	if s.Shell.Edition != core.EditionCore {
		t.Errorf("edition %q", s.Shell.Edition)
	}
}

// A long command, prefix and all, stands on descriptor 3, whence the argument tells PowerShell to read it.
func TestPowerShellReadsALongCommandFromAFile(t *testing.T) {
	s := spec("Write-Output ö # " + strings.Repeat("w", 1<<17))
	s.Shell = standIn(t, "echo ${!#}\ncat /proc/self/fd/3\n")
	want := ". ([scriptblock]::Create([IO.File]::ReadAllText('/proc/self/fd/3')))\n" +
		"try { [Console]::OutputEncoding=[System.Text.Encoding]::UTF8 } catch {}\n" + s.Command
	if got := all(t, pipes(t, s)); got != want {
		t.Errorf("%d bytes, %.200q", len(got), got)
	}
}

// Where there is a PowerShell, it does what bash does.
func TestPowerShell(t *testing.T) {
	shell, err := process.Resolver{}.Resolve("powershell")
	if code(err) == core.ShellUnavailable {
		return // the stand-in has to do
	}
	for _, filler := range []string{"", " # " + strings.Repeat("w", 1<<17)} {
		s := spec("Write-Output ö; [Console]::Error.WriteLine('err'); exit 6" + filler)
		s.Shell = shell
		p := pipes(t, s)
		if got := all(t, p); got != "ö\nerr\n" || ended(p.Wait()) != "6" {
			t.Errorf("%q, exit %s", got, ended(p.Wait()))
		}
	}
}
