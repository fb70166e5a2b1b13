package job

import "termbay/core/spool"

// Source is a program on pipes.
type Source = source

// Run serves a program that was started.
func (j *Job) Run(s Source) { j.run(s) }

// NewTape is the tape of a call; file makes the file of everything.
func NewTape(file func() *spool.Log) *Tape { return newTape(file) }

func (t *Tape) Write(p []byte)               { t.write(p) }
func (t *Tape) Close()                       { t.close() }
func (t *Tape) Move(log *spool.Log)          { t.move(log) }
func (t *Tape) Report(log *spool.Log) Report { return t.report(log) }

// Kept is how many bytes the memory holds, and how many it takes for them.
func (t *Tape) Kept() (kept, taken int) {
	for _, c := range t.chunks {
		taken += cap(c)
	}
	return int(t.end - t.first), taken
}
