package spool_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"termbay/core"
	"termbay/core/spool"
)

// open makes a spool in a log folder of the test's own.
func open(t *testing.T) (s *spool.Spool, dir string) {
	t.Helper()
	logs := filepath.Join(t.TempDir(), "logs")
	s, err := spool.Open(logs, "i1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, filepath.Join(logs, "i1")
}

// files are the names of the files of a folder, without our own lock.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

func mustOutput(t *testing.T, s *spool.Spool, id string, n int, text string) (path string) {
	t.Helper()
	path, err := s.Output(id, n, text)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOutputIsWrittenWholeUnderItsName(t *testing.T) {
	s, _ := open(t)
	text := strings.Repeat("日本 line\n", 100_000)
	path := mustOutput(t, s, "t3", 2, text)
	if filepath.Base(path) != "t3-output-2.log" {
		t.Errorf("the file is %s", path)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("the file holds %d bytes of %d (%v)", len(data), len(text), err)
	}
	file, err := s.OpenOutput("t3", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if data, err := io.ReadAll(file); err != nil || string(data) != text {
		t.Errorf("served %d bytes of %d (%v)", len(data), len(text), err)
	}
}

func TestOpenOutputSaysThatThereIsNone(t *testing.T) {
	s, _ := open(t)
	path := mustOutput(t, s, "t1", 1, "text")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2} { // deleted by somebody, never written
		_, err := s.OpenOutput("t1", n)
		if problem := (*core.Error)(nil); !errors.As(err, &problem) || problem.Code != core.NotFound {
			t.Errorf("output %d: %v", n, err)
		}
	}
}

func TestRemoveTakesEveryFileOfOneEntryOnly(t *testing.T) {
	s, dir := open(t)
	for _, id := range []string{"t1", "t12", "b1"} {
		mustOutput(t, s, id, 1, "x")
		mustOutput(t, s, id, 2, "x")
		if err := os.WriteFile(filepath.Join(dir, id+".log"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Remove("t1")
	want := []string{"b1-output-1.log", "b1-output-2.log", "b1.log", "t12-output-1.log", "t12-output-2.log", "t12.log"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("left: %v", got)
	}
	if _, err := s.OpenOutput("t1", 1); err == nil {
		t.Error("a removed output is still served")
	}
	file, err := s.OpenOutput("t12", 1)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}

func TestCloseRemovesTheInstance(t *testing.T) {
	s, dir := open(t)
	mustOutput(t, s, "t1", 1, "x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there (%v)", err)
	}
	if _, err := s.Output("t1", 2, "x"); err == nil {
		t.Error("a closed spool still writes")
	}
}

func TestOutputSaysThatItCannotWrite(t *testing.T) {
	s, dir := open(t)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Output("t1", 1, "x"); err == nil || !strings.Contains(err.Error(), "full output 1 of t1") {
		t.Errorf("error: %v", err)
	}
	s.Remove("t1")
}

func TestOutputsOfManyCallersAreKeptApart(t *testing.T) {
	s, dir := open(t)
	var callers sync.WaitGroup
	for _, id := range []string{"t1", "t2", "t3", "t4"} {
		callers.Go(func() {
			for n := range 25 {
				if _, err := s.Output(id, n, id); err != nil {
					t.Error(err)
				}
				if file, err := s.OpenOutput(id, n); err != nil {
					t.Error(err)
				} else {
					file.Close()
				}
			}
			s.Remove(id)
		})
	}
	callers.Wait()
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
