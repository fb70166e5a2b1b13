package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// serverInfo is server.json: how clients find the service.
type serverInfo struct {
	URL        string `json:"url,omitempty"`    // of the first TCP address; absent when there is none
	Socket     string `json:"socket,omitempty"` // absolute path of the first unix socket
	PID        int    `json:"pid"`
	InstanceID string `json:"instance_id"` // new with every start
	Version    string `json:"version"`
}

// stateDir is the state directory in the hands of the one service that may use it.
type stateDir struct {
	path string
	lock *os.File
}

// makeState makes the state directory if it is missing, checks that it is ours alone, and gives its real path, so that
// paths compare equal (L236).
func makeState(dir string) (string, error) {
	if dir == "" {
		return "", usage("no home directory is known; choose a folder with --state-dir")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the state directory: %w", err)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return dir, ours(dir)
}

// openState makes the state directory and locks it. The lock is the kernel's, so a service that was killed leaves
// none behind.
func openState(dir string) (*stateDir, error) {
	dir, err := makeState(dir)
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if errors.Is(err, errLocked) {
		return nil, alreadyRuns(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the state directory: %w", err)
	}
	return &stateDir{path: dir, lock: lock}, nil
}

func alreadyRuns(dir string) error {
	first := "another termbay"
	if info, err := readServerInfo(dir); err == nil {
		first = fmt.Sprintf("termbay at %s (pid %d)", info.address(), info.PID)
	}
	return fmt.Errorf("%s already runs on %s; stop it, or choose another folder with --state-dir", first, dir)
}

// publish writes server.json, whole or not at all.
func (s *stateDir) publish(info serverInfo) error {
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return fmt.Errorf("encode server.json: %w", err)
	}
	temp, err := os.CreateTemp(s.path, "server-*.json") // 0600
	if err != nil {
		return fmt.Errorf("write server.json: %w", err)
	}
	_, err = temp.Write(append(text, '\n'))
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), serverFile(s.path))
	}
	if err != nil {
		return fmt.Errorf("write server.json: %w", errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}

// withdraw removes server.json.
func (s *stateDir) withdraw() error { return os.Remove(serverFile(s.path)) }

// Close gives the directory free.
func (s *stateDir) Close() error { return s.lock.Close() }

func serverFile(dir string) string { return filepath.Join(dir, "server.json") }

// readServerInfo finds the service that runs on a state directory.
func readServerInfo(dir string) (serverInfo, error) {
	var info serverInfo
	text, err := os.ReadFile(serverFile(dir))
	if err != nil {
		return info, err
	}
	return info, json.Unmarshal(text, &info)
}

// address is the one to show to a person.
func (i serverInfo) address() string {
	if i.URL != "" {
		return i.URL
	}
	return "unix:" + i.Socket
}
