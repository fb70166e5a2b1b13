//go:build unix

package guard_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"termbay/api/guard"
)

func TestATokenIsMadeOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	first, err := guard.LoadToken(path)
	if err != nil {
		t.Fatal(err)
	}
	if secret, err := base64.RawURLEncoding.DecodeString(first); err != nil || len(secret) != 32 {
		t.Errorf("%q: %d bytes, %v", first, len(secret), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if again, err := guard.LoadToken(path); again != first || err != nil {
		t.Errorf("again %q, first %q, %v", again, first, err)
	}
	if other, _ := guard.LoadToken(filepath.Join(t.TempDir(), "token")); other == first {
		t.Error("two tokens are equal")
	}
}

func TestATokenOfOnesOwnIsTrimmed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("\n my-own-token \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := guard.LoadToken(path); got != "my-own-token" || err != nil {
		t.Errorf("%q %v", got, err)
	}
}

func TestTokenFilesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		says string
	}{
		"readable by others": {func(p string) error { return os.WriteFile(p, []byte("token"), 0o644) }, "chmod 600"},
		"readable by group":  {func(p string) error { return os.WriteFile(p, []byte("token"), 0o640) }, "chmod 600"},
		"empty":              {func(p string) error { return os.WriteFile(p, []byte("\n"), 0o600) }, "holds no token"},
		"two words":          {func(p string) error { return os.WriteFile(p, []byte("a b"), 0o600) }, "holds no token"},
		"binary":             {func(p string) error { return os.WriteFile(p, []byte("a\x00b"), 0o600) }, "holds no token"},
		"folder":             {func(p string) error { return os.Mkdir(p, 0o700) }, "not a regular file"},
		"pipe":               {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "not a regular file"},
		"link": {func(p string) error {
			if err := os.WriteFile(p+".target", []byte("token"), 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".target", p)
		}, "is a link"},
		"link to nothing": {func(p string) error { return os.Symlink(p+".nothing", p) }, "is a link"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			token, err := guard.LoadToken(path)
			if token != "" || err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("%q, %v", token, err)
			}
			if _, err := os.Stat(path + ".nothing"); err == nil {
				t.Error("the link was followed")
			}
		})
	}
}
