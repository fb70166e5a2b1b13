//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheStateDirectoryIsOursAlone(t *testing.T) {
	tests := []struct {
		mode os.FileMode // 0: it does not exist
		want string      // of the error; empty: it is used
	}{
		{0, ""},
		{0o700, ""},
		{0o750, "chmod 700"},
		{0o705, "chmod 700"},
		{0o777, "chmod 700"},
	}
	for _, tt := range tests {
		dir := filepath.Join(t.TempDir(), "state")
		if tt.mode != 0 {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, tt.mode); err != nil {
				t.Fatal(err)
			}
		}
		s, err := openState(dir)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%#o: %v, wanted %q", tt.mode, err, tt.want)
		}
		if err == nil {
			s.Close()
		}
		if got := mode(t, dir).Perm(); tt.mode == 0 && got != 0o700 {
			t.Errorf("it was made with mode %v", got)
		}
	}
}

func TestTheStateDirectoryOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		if err := ours("/"); err == nil {
			t.Error("root's folder passes for ours")
		}
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if err := ours(dir); err == nil || !strings.Contains(err.Error(), "user 12345") {
		t.Error(err)
	}
}

func TestTheStateDirectoryIsKnownByItsRealPath(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(real, "link")
	if err := os.Mkdir(filepath.Join(real, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("state", link); err != nil {
		t.Fatal(err)
	}
	if s := mustState(t, link); s.path != filepath.Join(real, "state") {
		t.Errorf("path %s", s.path)
	}
}

func TestALockThatIsALinkIsNotFollowed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(victim, filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := openState(dir); err == nil {
		t.Error("it was followed")
	}
	if _, err := os.Lstat(victim); !os.IsNotExist(err) {
		t.Errorf("the victim was made: %v", err)
	}
}
