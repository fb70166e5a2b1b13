package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"sync"
)

// reserve is how many numbers are taken from the disk at once: so many are lost when a service dies.
const reserve = 64

// Counter hands out the numbers of ids, t1, t2, b1: each once, also across restarts and crashes (L63), because the disk
// knows a number before anybody does. Every method may be called from any goroutine.
type Counter struct {
	path string

	// mu guards below, and the order in which the file is written. Next therefore waits for the disk while it holds mu,
	// once in 64 numbers: a number may not be told before the disk has it.
	mu       sync.Mutex
	last     map[string]int // highest number handed out, or reserved by an earlier run
	reserved map[string]int // what the file says
}

// OpenCounter reads the numbers from a file such as <state_dir>/counters.json, which need not exist yet. One that cannot
// be understood is an error that says what to do: guessing would give an id a second meaning.
func OpenCounter(path string) (*Counter, error) {
	c := &Counter{path: path, reserved: map[string]int{}}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read the counters of the ids: %w", err)
	default:
		if err := json.Unmarshal(data, &c.reserved); err != nil || !sane(c.reserved) {
			return nil, fmt.Errorf("%s is damaged: it should hold the highest ids in use, such as {\"b\":12,\"t\":40}; mend it, or remove it to count from 1 again", path)
		}
	}
	c.last = maps.Clone(c.reserved)
	return c, nil
}

func sane(numbers map[string]int) bool {
	for _, n := range numbers {
		if n < 0 || n > math.MaxInt32 {
			return false
		}
	}
	return numbers != nil
}

// Next is the next number of a kind, t or b, from 1. None is used up when it cannot be kept on disk.
func (c *Counter) Next(kind string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.last[kind] + 1
	if n > c.reserved[kind] {
		more := maps.Clone(c.reserved)
		more[kind] = n - 1 + reserve
		if err := c.save(more); err != nil {
			return 0, err
		}
	}
	c.last[kind] = n
	return n, nil
}

// Last is the highest number of a kind that was handed out, or may have been before a crash: ids above it never existed.
func (c *Counter) Last(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last[kind]
}

// Close gives the numbers back that were reserved and not used.
func (c *Counter) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.save(maps.Clone(c.last))
}

// save replaces the file; the caller holds mu. A reader, and a crash, find the old one or the new one, never a part.
func (c *Counter) save(numbers map[string]int) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("keep the counters of the ids: %w", err)
		}
	}()
	data, err := json.Marshal(numbers)
	if err != nil {
		return err
	}
	dir := filepath.Dir(c.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, filepath.Base(c.path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), c.path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	syncDir(dir)
	c.reserved = numbers
	return nil
}

// syncDir makes a rename survive the loss of power, where the system can do that for a folder.
func syncDir(dir string) {
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
