package process

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// cgroupPrefix begins the name of every cgroup of ours; the tag of the program follows.
const cgroupPrefix = "termbay-"

// cgroups is the cgroup (version 2) below which every program may get one of its own: ours. Nobody can leave a cgroup
// by forking, so with it a tree is known exactly. It is a bonus: where it is missing or refuses, programs start without.
type cgroups struct {
	root string // directory of our own cgroup; empty when there is none

	mu   sync.Mutex      // guards below
	left map[string]bool // directories to be removed once the last process in them is gone
}

// findCgroups looks for our own cgroup and removes what a service that died left in it. An empty cgroup that another
// service just made may go with it; that one then starts its program without.
func findCgroups() *cgroups {
	c := &cgroups{left: map[string]bool{}}
	self, err := procfs.Self()
	if err != nil {
		return c
	}
	mounts, err := self.MountInfo()
	if err != nil {
		return c
	}
	groups, err := self.Cgroups()
	if err != nil {
		return c
	}
	for _, mount := range mounts {
		for _, group := range groups {
			below, err := filepath.Rel(mount.Root, group.Path)
			if mount.FSType == "cgroup2" && group.HierarchyID == 0 && err == nil && filepath.IsLocal(below) {
				c.root = filepath.Join(mount.MountPoint, below)
			}
		}
	}
	if c.root != "" {
		old, _ := filepath.Glob(filepath.Join(c.root, cgroupPrefix+"*"))
		for _, dir := range old {
			_ = removeCgroup(dir) // fails while a process is in it, which is as it should be
		}
	}
	return c
}

// create makes a cgroup for a program, or returns nil.
func (c *cgroups) create(tag string) *cgroup {
	if c.root == "" || tag == "" || filepath.Base(tag) != tag {
		return nil
	}
	dir := filepath.Join(c.root, cgroupPrefix+tag)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil
	}
	return &cgroup{dir: dir}
}

// discard removes the cgroup as soon as no process is left in it.
func (c *cgroups) discard(g *cgroup) {
	if g == nil {
		return
	}
	c.mu.Lock()
	c.left[g.dir] = true
	c.mu.Unlock()
	c.sweep()
}

// sweep removes the discarded cgroups that are empty by now.
func (c *cgroups) sweep() {
	c.mu.Lock()
	var dirs []string
	for dir := range c.left {
		dirs = append(dirs, dir)
	}
	c.mu.Unlock()
	for _, dir := range dirs {
		if err := removeCgroup(dir); err == nil || errors.Is(err, os.ErrNotExist) {
			c.mu.Lock()
			delete(c.left, dir)
			c.mu.Unlock()
		}
	}
}

// cgroup holds one program and everything that came from it. A nil one holds nothing.
type cgroup struct {
	dir string
}

// pids are the processes in the cgroup and in cgroups that were made below it.
func (g *cgroup) pids() map[int]bool {
	if g == nil {
		return nil
	}
	pids := map[int]bool{}
	for _, dir := range subgroups(g.dir) {
		list, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for _, line := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(line); err == nil {
				pids[pid] = true
			}
		}
	}
	return pids
}

// kill ends everything in the cgroup at one stroke (Linux 5.14); before, its processes are killed one by one.
func (g *cgroup) kill() {
	if g == nil {
		return
	}
	fd, err := unix.Open(filepath.Join(g.dir, "cgroup.kill"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	_, _ = unix.Write(fd, []byte("1"))
}

// subgroups are the cgroups below dir and dir itself, the deepest first.
func subgroups(dir string) []string {
	var all []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, subgroups(filepath.Join(dir, e.Name()))...)
		}
	}
	return append(all, dir)
}

// removeCgroup removes a cgroup with those that a program made below it. It fails while a process is in one of them.
func removeCgroup(dir string) (err error) {
	for _, d := range subgroups(dir) {
		err = os.Remove(d)
	}
	return err
}
