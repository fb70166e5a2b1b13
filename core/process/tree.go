package process

import (
	"os"
	"slices"
	"sync"
)

// tree finds the processes that came from one program. Its members are the program and, as long as they live: every
// descendant; whatever was a member once; orphans (children of the adopter) and their descendants that are in a session
// or process group of a member, that carry the program's tag in their environment, that hold its PTY or the pipe of its
// output, or that are in its cgroup. See ADR 0003 for what each of these catches.
type tree struct {
	host   *Host
	leader process
	tag    string
	output string      // name of the PTY or of the pipe of its output, such as /dev/pts/3 or pipe:[1234]; empty without one
	opened os.FileInfo // what output was when it was opened
	cgroup *cgroup     // nil without one

	mu       sync.Mutex // guards below
	members  map[identity]bool
	sessions map[int]bool // sessions and process groups of members
}

func newTree(h *Host, leader process, tag string) *tree {
	return &tree{
		host: h, leader: leader, tag: tag,
		members:  map[identity]bool{leader.identity(): true},
		sessions: map[int]bool{leader.pid: true},
	}
}

// look lists the living members. It remembers them with their sessions and groups, so that it finds again what one of
// them leaves behind. Without a list of processes there is nothing to see: then only the group is reached.
func (t *tree) look() []process {
	caged := t.cgroup.pids()
	list, err := t.host.lister.list()
	if err != nil {
		return nil
	}
	var found []process
	visited := map[int]bool{} // a list that changed while it was read may hold a circle
	var visit func(p process, member bool)
	visit = func(p process, member bool) {
		if visited[p.pid] {
			return
		}
		visited[p.pid] = true
		if member = member || caged[p.pid] || t.owns(p, list); member {
			found = append(found, p)
		}
		for _, child := range list.children[p.pid] {
			visit(child, member)
		}
	}
	service, own := os.Getpid(), ownSession()
	visited[service], visited[t.host.adopter] = true, true
	for _, parent := range slices.Compact([]int{service, t.host.adopter}) {
		for _, p := range list.children[parent] {
			switch {
			case p.identity() == t.leader.identity():
				visit(p, true)
			case p.session == own, t.host.leads(p.pid): // the service's own, another program
			default:
				visit(p, false)
			}
		}
	}
	return t.remember(found)
}

// owns says whether an orphan, or a process below one, belongs to this tree. The tag decides where there is one: the
// number of a session may be used again once all its processes are gone.
func (t *tree) owns(p process, list *listing) bool {
	if t.knows(p) {
		return true
	}
	if tag := list.tag(p.pid); tag != "" {
		return tag == t.tag
	}
	return t.shares(p) || t.output != "" && holds(p.pid, t.output, t.opened)
}

func (t *tree) knows(p process) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.members[p.identity()]
}

// shares says whether p is in a session or group that was a member's.
func (t *tree) shares(p process) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sessions[p.session] || t.sessions[p.group]
}

// remember keeps what was found and returns the living.
func (t *tree) remember(found []process) (alive []process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range found {
		t.members[p.identity()] = true
		t.sessions[p.session] = true
		t.sessions[p.group] = true
		if !p.zombie {
			alive = append(alive, p)
		}
	}
	return alive
}
