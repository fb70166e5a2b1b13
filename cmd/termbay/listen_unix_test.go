//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestASocketIsForItsOwnerAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	path := filepath.Join(t.TempDir(), "s")
	open := mustOpen(t, "", "", "unix:"+path)
	if got := mode(t, path); got != os.ModeSocket|0o600 {
		t.Errorf("the socket has mode %v", got)
	}
	if open.socket() != path || open.url() != "" || open[0].String() != "unix:"+path {
		t.Errorf("socket %s, url %s, shown as %s", open.socket(), open.url(), open[0])
	}
	if restored := syscall.Umask(0); restored != 0 {
		t.Errorf("the umask is %#o afterwards", restored)
	}
	open.Close()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket outlives its listener: %v", err)
	}
}

func TestASocketIsReplacedOnlyIfNobodyAnswersOnIt(t *testing.T) {
	tests := []struct {
		name string
		prep func(t *testing.T, path string)
		want string // of the error; empty: it is replaced
	}{
		{"left behind", func(t *testing.T, path string) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			l.Close()
		}, ""},
		{"in use", func(t *testing.T, path string) { mustOpen(t, "", "", "unix:"+path) }, "somebody already listens on"},
		{"a file", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "exists and is no socket"},
		{"a link to a socket", func(t *testing.T, path string) {
			other := path + "-other"
			mustOpen(t, "", "", "unix:"+other)
			if err := os.Symlink(other, path); err != nil {
				t.Fatal(err)
			}
		}, "exists and is no socket"},
		{"no folder", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, "no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			tt.prep(t, path)
			before, _ := os.Lstat(path)
			open, err := openEndpoints([]string{"unix:" + path}, "", "")
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				defer open.Close()
				conn, err := net.Dial("unix", path)
				if err != nil {
					t.Fatal(err)
				}
				conn.Close()
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error: %v, wanted %q", err, tt.want)
			}
			if after, _ := os.Lstat(path); before != nil && !os.SameFile(before, after) {
				t.Error("it was replaced")
			}
		})
	}
}
