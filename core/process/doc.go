// Package process starts programs on PTYs and on pipes, and ends whole process trees.
//
// It owns the descriptors, the wait status and the tree of every program that was started, and promises:
// a program gets descriptors 0, 1 and 2 and nothing else of the service (no ignored or blocked signal, no raised
// limit); every byte it printed is read before io.EOF; a process counts as ended only once it was reaped; a stop of a
// running program reaches every process that came from it, and nothing else is ever signalled (ADR 0003).
//
// It starts one goroutine per Host (the reaper, joined by Close), one per program (it waits for the exit, joined by
// Wait), one while a shell takes its command on standard input (joined by Close) and one per stop in flight (joined by
// the callers of Stop). It knows creack/pty and prometheus/procfs; nobody else does.
package process
