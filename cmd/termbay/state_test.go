package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func mustState(t *testing.T, dir string) *stateDir {
	t.Helper()
	s, err := openState(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestAStateDirectoryHasOneService(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "state")
	first := mustState(t, dir)
	refused := func(want string) {
		t.Helper()
		if s, err := openState(dir); err == nil {
			s.Close()
			t.Fatal("a second service may use it")
		} else if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), first.path) {
			t.Errorf("error: %v, wanted %q", err, want)
		}
	}
	refused("another termbay already runs on")
	if err := first.publish(serverInfo{URL: "http://127.0.0.1:9", PID: 42}); err != nil {
		t.Fatal(err)
	}
	refused("termbay at http://127.0.0.1:9 (pid 42) already runs on")
	if err := first.publish(serverInfo{Socket: "/run/s", PID: 42}); err != nil {
		t.Fatal(err)
	}
	refused("termbay at unix:/run/s (pid 42) already runs on")
	first.Close()
	mustState(t, dir)
}

func TestServerJSONIsWholeAndPrivate(t *testing.T) {
	s := mustState(t, filepath.Join(t.TempDir(), "state"))
	info := serverInfo{URL: "http://127.0.0.1:9", PID: 42, InstanceID: "i", Version: "v"}
	if err := s.publish(info); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.path, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	if _, has := fields["socket"]; has || len(fields) != 4 || fields["url"] != info.URL || fields["pid"] != 42.0 {
		t.Errorf("server.json: %s", text)
	}
	if got, err := readServerInfo(s.path); err != nil || got != info {
		t.Errorf("read back: %+v %v", got, err)
	}
	files, err := os.ReadDir(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
	}
	if len(files) != 2 {
		t.Errorf("beside the lock and server.json: %v", files)
	}
	if err := s.withdraw(); err != nil {
		t.Error(err)
	}
}
