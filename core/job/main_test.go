package job_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/process"
	"termbay/core/spool"
)

// patience is the outer limit of a wait for something that must happen.
const patience = 30 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// openSpool is a folder for logs that goes with the test.
func openSpool(t testing.TB) *spool.Spool {
	t.Helper()
	s, err := spool.Open(filepath.Join(t.TempDir(), "logs"), "i1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// contents is what stands in the file of a log.
func contents(t testing.TB, log *spool.Log) string {
	t.Helper()
	b, err := os.ReadFile(log.State().Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// program is a command on a pipe whose output and exit the test decides.
type program struct {
	out    *io.PipeReader
	pipe   *io.PipeWriter // held by the command, and by what it left behind
	reaped chan struct{}

	buffered atomic.Int64

	mu   sync.Mutex // guards below
	exit core.Exit
}

func newProgram() *program {
	p := &program{reaped: make(chan struct{})}
	p.out, p.pipe = io.Pipe()
	return p
}

// prints returns when the output was read.
func (p *program) prints(text string) { _, _ = io.WriteString(p.pipe, text) }

// exits is the exit of the shell; the pipe stays open.
func (p *program) exits(x core.Exit) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.reaped:
		return false
	default:
	}
	x.At = time.Now()
	p.exit = x
	close(p.reaped)
	return true
}

// ends is an exit after which nobody holds the pipe.
func (p *program) ends(code int) {
	p.exits(core.Exit{Code: &code})
	p.pipe.Close()
}

func (p *program) PID() int              { return 1 }
func (p *program) Done() <-chan struct{} { return p.reaped }
func (p *program) Descendants() int      { return 0 }
func (p *program) Signal(string) error   { return nil }
func (p *program) Close() error          { return p.out.Close() }
func (p *program) Buffered() int         { return int(p.buffered.Load()) }

func (p *program) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if errors.Is(err, io.ErrClosedPipe) {
		err = os.ErrClosed
	}
	return n, err
}

func (p *program) Wait() core.Exit {
	<-p.reaped
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

func (p *program) Stop(_ context.Context, how process.Stop) error {
	if p.exits(core.Exit{Signal: how.Signal}) {
		p.pipe.Close()
	}
	return nil
}

// call is a job around a program.
type call struct {
	*job.Job
	program *program
	spool   *spool.Spool
	tape    *job.Tape
	ended   chan job.End // receives what OnEnd got
}

func start(t testing.TB) call {
	t.Helper()
	s := openSpool(t)
	return startIn(s)
}

func startIn(s *spool.Spool) call {
	c := call{program: newProgram(), spool: s, ended: make(chan job.End, 2)}
	c.Job = job.New(job.Spec{
		File:  func() *spool.Log { return s.Log("c1-output-1", 0) },
		OnEnd: func(e job.End) { c.ended <- e },
		Log:   quiet(),
	})
	c.tape = c.Job.Tape()
	c.Run(c.program)
	return c
}

// prints prints and returns when that was taken in.
func (c call) prints(text string) {
	all := c.Bytes() + int64(len(text))
	c.program.prints(text)
	for c.Bytes() < all {
		runtime.Gosched()
	}
}

// end waits for the end.
func (c call) end(t testing.TB) job.End {
	t.Helper()
	select {
	case <-c.Job.Done():
		return <-c.ended
	case <-time.After(patience):
		t.Fatal("it did not end")
		panic("unreachable")
	}
}

// all is everything that Next gives, in one piece, until the call is over.
func all(t testing.TB, tape *job.Tape) string {
	t.Helper()
	var b strings.Builder
	for at := int64(0); ; {
		p, next, err := tape.Next(t.Context(), at)
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Write(p)
		at = next
	}
}
