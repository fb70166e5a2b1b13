//go:build unix

package spool_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"termbay/core/spool"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestFilesAndFoldersArePrivate(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s, dir := open(t)
	path := mustOutput(t, s, "t1", 1, "x")
	for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, path: 0o600} {
		if got := mode(t, path); got != want {
			t.Errorf("%s has mode %o, wanted %o", path, got, want)
		}
	}
}

func TestOutputIsWrittenBesideWhateverWasPlanted(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		plant func(path string) error
	}{
		{"link", func(path string) error { return os.Symlink(victim, path) }},
		{"dangling link", func(path string) error { return os.Symlink(victim+"-2", path) }},
		{"hard link", func(path string) error { return os.Link(victim, path) }},
		{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"file", func(path string) error { return os.WriteFile(path, []byte("old"), 0o600) }},
		{"folder", func(path string) error { return os.Mkdir(path, 0o700) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			s, dir := open(t)
			if err := c.plant(filepath.Join(dir, "t1-output-1.log")); err != nil {
				t.Fatal(err)
			}
			path := mustOutput(t, s, "t1", 1, "secret")
			if filepath.Base(path) != "t1-output-1-2.log" {
				t.Errorf("written to %s", path)
			}
			if data, _ := os.ReadFile(path); string(data) != "secret" {
				t.Errorf("the file holds %q", data)
			}
			if data, _ := os.ReadFile(victim); string(data) != "precious" {
				t.Errorf("the victim holds %q", data)
			}
			if _, err := os.Lstat(victim + "-2"); err == nil {
				t.Error("a file was made through the link")
			}
			s.Remove("t1")
			if left := files(t, dir); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestOpenOutputServesNothingThatWasPutInItsPlace(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, put := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(outside, path) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(what, func(t *testing.T) {
			s, _ := open(t)
			path := mustOutput(t, s, "t1", 1, "x")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if file, err := s.OpenOutput("t1", 1); err == nil {
				file.Close()
				t.Error("it was opened")
			}
		})
	}
}

func TestOutputOnAFullDiskIsAnErrorAndLeavesNothing(t *testing.T) {
	s, dir := open(t)
	limitFiles(t, 1000)
	if _, err := s.Output("t1", 1, strings.Repeat("x", 5000)); err == nil {
		t.Error("no error although the file could not grow")
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// limitFiles lets no file grow beyond size until the test ends: writing then fails half way, as on a full disk.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) })
}

func TestOpenRefusesAFolderThatIsNotItsOwn(t *testing.T) {
	foreign := func(dir string) string { // a folder of another user
		if os.Getuid() != 0 {
			return "/usr"
		}
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what string
		make func(dir string) string
		want string
	}{
		{"a link", func(dir string) string { do(os.Symlink(t.TempDir(), dir)); return dir }, "is a link, which is not followed; remove it"},
		{"a dangling link", func(dir string) string { do(os.Symlink(dir+"-2", dir)); return dir }, "is a link"},
		{"a file", func(dir string) string { do(os.WriteFile(dir, nil, 0o600)); return dir }, "is not a folder; remove it"},
		{"a pipe", func(dir string) string { do(syscall.Mkfifo(dir, 0o600)); return dir }, "is not a folder"},
		{"open to others", func(dir string) string { do(os.Mkdir(dir, 0o700)); do(os.Chmod(dir, 0o711)); return dir }, "chmod 700"},
		{"of another user", foreign, "belongs to another user"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := c.make(filepath.Join(t.TempDir(), "logs"))
			s, err := spool.Open(dir, "i1")
			if err == nil {
				s.Close()
				t.Fatal("it was used")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "choose another log folder") {
				t.Errorf("the error does not say what to do: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "i1")); err == nil {
				t.Error("something was written there")
			}
		})
	}
}

func TestOpenRefusesAnInstanceThatIsAlreadyThere(t *testing.T) {
	for what, plant := range map[string]func(path, elsewhere string) error{
		"link":   func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"file":   func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
		"folder": func(path, _ string) error { return os.Mkdir(path, 0o777) },
	} {
		t.Run(what, func(t *testing.T) {
			logs, elsewhere := t.TempDir(), t.TempDir()
			if err := os.Chmod(logs, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := plant(filepath.Join(logs, "i1"), elsewhere); err != nil {
				t.Fatal(err)
			}
			s, err := spool.Open(logs, "i1")
			if err == nil {
				s.Close()
				t.Fatal("it was used")
			}
			if !strings.Contains(err.Error(), "i1 is already there; remove it, or choose another log folder") {
				t.Errorf("the error does not say what to do: %v", err)
			}
			if entries, _ := os.ReadDir(elsewhere); len(entries) != 0 {
				t.Errorf("written through the link: %v", entries)
			}
		})
	}
}

func TestDefaultDirIsTheRealPath(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", link)
	if dir := spool.DefaultDir(); filepath.Dir(dir) != real || !strings.HasPrefix(filepath.Base(dir), "termbay-") {
		t.Errorf("the default folder is %s, wanted it in %s", dir, real)
	}
	s, err := spool.Open(filepath.Join(link, "new", "logs"), "i1")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := filepath.Join(real, "new", "logs", "i1", "t1-output-1.log")
	if path := mustOutput(t, s, "t1", 1, "x"); path != want {
		t.Errorf("the path of an output is %s, wanted %s", path, want)
	}
	if got := files(t, real); !slices.Equal(got, []string{"new"}) {
		t.Errorf("in the temporary folder: %v", got)
	}
}
