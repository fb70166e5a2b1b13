package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestASocketThatIsTooBusyToAnswerIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil { // one connection waits, more are turned away
		t.Fatal(err)
	}
	waiting, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close()
	if _, err := openEndpoints([]string{"unix:" + path}, "", ""); err == nil || !strings.Contains(err.Error(), "cannot tell") {
		t.Errorf("error: %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}
