//go:build linux

package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"termbay/core"
	"termbay/core/process"
)

// O-I1, L262: a bad working directory is blamed on the directory, not on the shell.
func TestCheckCwd(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file, closed := dir+"/file", dir+"/closed"
	if err := errors.Join(os.WriteFile(file, nil, 0o644), os.MkdirAll(closed+"/below", 0o700), os.Symlink(closed, dir+"/link"),
		os.Chmod(closed, 0)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700) // or it could not be removed
	for _, c := range []struct{ cwd, kind, want string }{
		{dir, "bash", ""},
		{"/", "powershell", ""},
		{dir + "/none", "bash", "Working directory does not exist: " + dir + "/none\nCannot execute bash commands."},
		{dir + "/none", "powershell", "Working directory does not exist: " + dir + "/none\nCannot execute PowerShell commands."},
		{file + "/below", "bash", "Working directory does not exist: " + file + "/below\nCannot execute bash commands."},
		{file, "custom", "Working directory is not a directory: " + file + "\nCannot execute bash commands."},
		{closed, "bash", "Working directory may not be entered: " + closed + "\nCannot execute bash commands."},
		{dir + "/link", "bash", "Working directory may not be entered: " + dir + "/link\nCannot execute bash commands."},
		{closed + "/below", "bash", "Working directory may not be entered: " + closed + "/below\nCannot execute bash commands."},
		{strings.Repeat("x", 10), "bash", `"xxxxxxxxxx" is not an absolute path; give the working directory as one.`},
		{"", "bash", `"" is not an absolute path; give the working directory as one.`},
	} {
		var err error
		asNobody(t, func() { err = process.CheckCwd(c.cwd, c.kind) })
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		var e *core.Error
		if !errors.As(err, &e) || e.Detail != c.want {
			t.Errorf("CheckCwd(%q): %v", c.cwd, err)
			continue
		}
		relative := !filepath.IsAbs(c.cwd)
		if relative != (e.Code == core.Invalid && e.Field == "cwd") || relative == (e.Code == core.CwdMissing) {
			t.Errorf("CheckCwd(%q): %s, field %q", c.cwd, e.Code, e.Field)
		}
	}
}

// asNobody runs f on a thread that is not root, whom nothing is forbidden.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The system call, unlike syscall.Setresuid, is about this thread alone. The saved id stays, to come back by.
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, 0); errno != 0 {
		t.Fatal(errno)
	}
	f()
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, 0, 0, 0); errno != 0 {
		panic(errno) // the thread is of no use any more
	}
}

func TestStartAfterOwnCwdIsGone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := spec(`mkdir gone; cd gone; rmdir ../gone; exec "$SELF" ` + serviceArgument + ` pwd`)
	s.Env, s.Cwd = append(s.Env, "SELF="+self), dir
	if text, exit := startSpec(t, s).ends(); text != "/\n" || ended(exit) != "0" {
		t.Errorf("%q, exit %s", text, ended(exit))
	}
}
