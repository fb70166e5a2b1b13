//go:build unix

package spool_test

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestCounterTellsNoNumberThatTheDiskDoesNotKnow(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "counters.json")
	c := counter(t, path)
	for range 64 {
		next(t, c, "t")
	}
	t.Run("while the disk is full", func(t *testing.T) {
		limitFiles(t, 0)
		if n, err := c.Next("t"); err == nil {
			t.Errorf("%d was handed out", n)
		}
		if got := files(t, dir); !slices.Equal(got, []string{"counters.json"}) {
			t.Errorf("files: %v", got)
		}
	})
	if c.Last("t") != 64 {
		t.Errorf("last is %d", c.Last("t"))
	}
	if again := counter(t, path); again.Last("t") != 64 {
		t.Errorf("the file says %d", again.Last("t"))
	}
	if n := next(t, c, "t"); n != 65 {
		t.Errorf("the next number is %d", n)
	}
}
