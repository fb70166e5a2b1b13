package spool_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"termbay/core/spool"
)

func counter(t *testing.T, path string) *spool.Counter {
	t.Helper()
	c, err := spool.OpenCounter(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func next(t *testing.T, c *spool.Counter, kind string) int {
	t.Helper()
	n, err := c.Next(kind)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCounterCountsEachKindFromOne(t *testing.T) {
	c := counter(t, filepath.Join(t.TempDir(), "state", "counters.json"))
	if c.Last("t") != 0 {
		t.Errorf("last before the first: %d", c.Last("t"))
	}
	if got := []int{next(t, c, "t"), next(t, c, "b"), next(t, c, "t")}; !slices.Equal(got, []int{1, 1, 2}) {
		t.Errorf("numbers: %v", got)
	}
	if c.Last("t") != 2 || c.Last("b") != 1 {
		t.Errorf("last: t %d, b %d", c.Last("t"), c.Last("b"))
	}
}

func TestCounterGoesOnWhereItWasClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counters.json")
	for want := 1; want <= 3; want++ {
		c := counter(t, path)
		if last := c.Last("t"); last != want-1 {
			t.Errorf("last is %d after the start, wanted %d", last, want-1)
		}
		if n := next(t, c, "t"); n != want {
			t.Errorf("number %d, wanted %d", n, want)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCounterNeverRepeatsAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counters.json")
	highest := 0
	for crash := range 5 {
		c := counter(t, path)
		if c.Last("t") < highest {
			t.Fatalf("%d may have existed, but the last is said to be %d", highest, c.Last("t"))
		}
		for range 1 + 40*crash {
			n := next(t, c, "t")
			if n <= highest {
				t.Fatalf("%d was handed out twice", n)
			}
			highest = n
		}
		next(t, c, "b")
	} // no Close: it crashed
}

func TestCounterGivesEachCallerItsOwnNumber(t *testing.T) {
	c := counter(t, filepath.Join(t.TempDir(), "counters.json"))
	var (
		callers sync.WaitGroup
		mu      sync.Mutex
		seen    = map[int]bool{}
	)
	for range 8 {
		callers.Go(func() {
			for range 50 {
				n, err := c.Next("t")
				mu.Lock()
				if err != nil || seen[n] {
					t.Errorf("number %d again (%v)", n, err)
				}
				seen[n] = true
				mu.Unlock()
				c.Last("t")
			}
		})
	}
	callers.Wait()
	if c.Last("t") != 400 {
		t.Errorf("last is %d", c.Last("t"))
	}
}

func TestCounterDoesNotGuessWhatADamagedFileSaid(t *testing.T) {
	for _, content := range []string{"", "null", "[]", "{", `{"t":-1}`, `{"t":"7"}`, `{"t":1.5}`, `{"t":99999999999}`, `{"t":1}x`, "\x00\x00"} {
		t.Run(content, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "counters.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := spool.OpenCounter(path)
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("error: %v", err)
			}
			if data, _ := os.ReadFile(path); string(data) != content {
				t.Errorf("the file was changed to %q", data)
			}
		})
	}
}

func TestCounterLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	c := counter(t, filepath.Join(dir, "counters.json"))
	for range 200 {
		next(t, c, "t")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"counters.json"}) {
		t.Errorf("files: %v", got)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "counters.json")); string(data) != `{"t":200}` {
		t.Errorf("the file says %s", data)
	}
}
