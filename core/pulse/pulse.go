// Package pulse tells everybody who waits that something changed: come and look. It carries no value, so the latest
// state wins and nothing queues up. It starts no goroutines.
package pulse

import "sync"

// Pulse wakes its waiters. The zero value is ready; it must not be copied. Every method may be called from any goroutine.
type Pulse struct {
	mu      sync.Mutex    // guards below
	changed chan struct{} // closed by the next Beat; nil while nobody waits, so that a Beat then allocates nothing
}

// Beat wakes everybody who waits.
func (p *Pulse) Beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// Changed is closed by the next Beat. Take it before looking at the state: a change after the look is then not missed.
func (p *Pulse) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}
