//go:build linux

package process

import "path/filepath"

// DrainBytes is how much is read after the drain grace.
const DrainBytes = drainBytes

// SetCgroups says whether programs started from now on get cgroups where the machine has them, and whether they do.
func (h *Host) SetCgroups(on bool) bool {
	h.cgroups.root = ""
	if on {
		h.cgroups.root = findCgroups().root
	}
	g := h.cgroups.create("probe")
	h.cgroups.discard(g)
	return g != nil
}

// Cgroups are the cgroups of programs whose tag begins with prefix; none when they are off.
func (h *Host) Cgroups(prefix string) []string {
	if h.cgroups.root == "" {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(h.cgroups.root, cgroupPrefix+prefix+"*"))
	return found
}

// Tree are the living processes of the program besides itself.
func (p *Pipes) Tree() []int {
	var left []int
	for _, m := range p.tree.look() {
		if m.pid != p.PID() {
			left = append(left, m.pid)
		}
	}
	return left
}

// NewLister is what looks at processes, which take stands for.
func NewLister(take func()) (look func()) {
	l := newLister(func() ([]process, error) {
		take()
		return nil, nil
	})
	return func() { _, _ = l.list() }
}
