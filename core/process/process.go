package process

// process is one process as the system lists it. Its pid and its start time together are its identity: a pid alone
// may be another process a moment later.
type process struct {
	pid     int
	parent  int
	group   int
	session int
	start   uint64 // when it was started, in a unit of the system
	zombie  bool   // ended, not reaped: does not count as alive
}

// identity is what stays true of a process for its whole life.
type identity struct {
	pid   int
	start uint64
}

func (p process) identity() identity { return identity{p.pid, p.start} }

// ask tells a process to end, also one that is stopped.
func (p process) ask() {
	_ = p.signal("SIGTERM") // what may not be signalled is found again, and reported in the end
	_ = p.signal("SIGCONT")
}

// kill ends a process.
func (p process) kill() { _ = p.signal("SIGKILL") }

func pids(processes []process) []int {
	var all []int
	for _, p := range processes {
		all = append(all, p.pid)
	}
	return all
}
