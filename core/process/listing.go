package process

import "sync"

// listing is the processes of one moment. It serves everybody who asked before it was taken: many stops at once would
// otherwise each list the processes of the machine again and again.
type listing struct {
	children map[int][]process // by their parent

	mu   sync.Mutex // guards below
	tags map[int]string
}

// tag is the tag of a process of the listing.
func (l *listing) tag(pid int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	tag, known := l.tags[pid]
	if !known {
		tag = tagOf(pid)
		l.tags[pid] = tag
	}
	return tag
}

// lister takes listings, one at a time.
type lister struct {
	processes func() ([]process, error)
	taking    chan struct{} // holds one while one is taken

	mu   sync.Mutex // guards below
	next *pending   // the one to be taken next, for all who ask until then
}

func newLister(processes func() ([]process, error)) *lister {
	return &lister{processes: processes, taking: make(chan struct{}, 1)}
}

// pending is a listing to come.
type pending struct {
	done chan struct{} // closed once the others are set
	list *listing
	err  error
}

// list is a listing that was begun after the call was.
func (l *lister) list() (*listing, error) {
	l.mu.Lock()
	p, first := l.next, l.next == nil
	if first {
		p = &pending{done: make(chan struct{})}
		l.next = p
	}
	l.mu.Unlock()
	if first {
		l.take(p)
	}
	<-p.done
	return p.list, p.err
}

func (l *lister) take(p *pending) {
	defer close(p.done)
	l.taking <- struct{}{}
	defer func() { <-l.taking }()
	l.mu.Lock()
	l.next = nil // who asks from now on needs a newer one
	l.mu.Unlock()
	all, err := l.processes()
	if err != nil {
		p.err = err
		return
	}
	p.list = &listing{children: map[int][]process{}, tags: map[int]string{}}
	for _, o := range all {
		p.list.children[o.parent] = append(p.list.children[o.parent], o)
	}
}
