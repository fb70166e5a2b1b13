//go:build linux

package job_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/job"
	"termbay/core/process"
	"termbay/core/spool"
)

// odd is a program that does some things in its own way.
type odd struct {
	*program
	stop   func()                    // in place of being killed
	read   func([]byte) (int, error) // nil: the program's
	closes atomic.Int32
}

func (o *odd) Stop(ctx context.Context, how process.Stop) error {
	if o.stop != nil {
		o.stop()
		return nil
	}
	return o.program.Stop(ctx, how)
}

func (o *odd) Read(b []byte) (int, error) {
	if o.read != nil {
		return o.read(b)
	}
	return o.program.Read(b)
}

func (o *odd) Close() error {
	o.closes.Add(1)
	return o.program.Close()
}

// serve is a job around a program, and what its OnEnd gets.
func serve(o *odd, spec job.Spec) (*job.Job, chan job.End) {
	ended := make(chan job.End, 2)
	spec.OnEnd, spec.Log = func(e job.End) { ended <- e }, quiet()
	j := job.New(spec)
	j.Run(o)
	return j, ended
}

func TestAnExitThatIsFasterThanTheKillCounts(t *testing.T) {
	p := &odd{program: newProgram()}
	p.stop = func() { p.ends(5) } // by itself, before the signal came
	j, ended := serve(p, job.Spec{})
	j.End(job.Why{Cause: core.CauseTimeout})
	if end := <-ended; end.Fate != job.Finished || end.Why != (job.Why{}) || *end.Exit.Code != 5 {
		t.Errorf("end: %+v", end)
	}
	<-j.Dry()
}

// Within the grace after the exit nothing is ended any more, whatever the exit was; End still waits.
func TestAnEndAfterTheExitDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &odd{program: newProgram()}
		p.stop = func() { t.Error("it was killed") }
		j, ended := serve(p, job.Spec{})
		p.exits(core.Exit{Signal: "SIGKILL"})
		j.End(job.Why{Cause: core.CauseTimeout})
		select {
		case end := <-ended:
			if end.Fate != job.Finished || end.Why != (job.Why{}) {
				t.Errorf("end: %+v", end)
			}
		default:
			t.Error("End did not wait for the end")
			<-ended
		}
		p.pipe.Close()
		<-j.Dry()
	})
}

// A command whose output cannot be taken in is ended, and its end says so.
func TestACommandThatCannotBeReadIsLost(t *testing.T) {
	for what, read := range map[string]func([]byte) (int, error){
		"a fault":  func([]byte) (int, error) { panic("a fault") },
		"an error": func([]byte) (int, error) { return 0, errors.New("an error") },
	} {
		t.Run(what, func(t *testing.T) {
			p := &odd{program: newProgram(), read: read}
			j, ended := serve(p, job.Spec{})
			select {
			case <-j.Done():
			case <-time.After(patience):
				t.Fatal("it goes on, unread")
			}
			if end := <-ended; !strings.Contains(end.Lost, "reading its output") || end.Exit.Signal != "SIGKILL" {
				t.Errorf("end: %+v", end)
			}
			<-j.Dry()
		})
	}
}

func TestAStopReturnsWhenTheEndIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &odd{program: newProgram()}
		p.stop = func() { p.exits(core.Exit{Signal: "SIGTERM"}) } // and the pipe is held on
		j, ended := serve(p, job.Spec{})
		if err := j.Stop(t.Context(), process.Stop{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-j.Done():
			<-ended
		default:
			t.Error("its end is not known yet")
			<-ended
		}
		p.pipe.Close()
		<-j.Dry()
	})
}

func TestAStopWaitsNoLongerThanItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &odd{program: newProgram()}
		p.stop = func() { p.exits(core.Exit{Signal: "SIGTERM"}) }
		j, ended := serve(p, job.Spec{})
		ctx, cancel := context.WithTimeout(t.Context(), job.IdleGrace/2)
		defer cancel()
		if err := j.Stop(ctx, process.Stop{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		<-ended
		p.pipe.Close()
		<-j.Dry()
	})
}

// Whoever closed it may rely on it that nothing is written any more.
func TestCloseReturnsWhenNothingIsReadAnyMore(t *testing.T) {
	call := start(t)
	code := 0
	call.program.exits(core.Exit{Code: &code})
	call.end(t)
	call.Close()
	select {
	case <-call.Dry():
	default:
		t.Error("it is read on")
		<-call.Dry()
	}
}

func TestWhatComesAfterTheEndOfACallDoesNotCount(t *testing.T) {
	call := start(t)
	code := 0
	call.prints("mine\n")
	call.program.exits(core.Exit{Code: &code})
	call.end(t)
	call.program.prints("late\n")
	call.program.pipe.Close()
	<-call.Dry()
	if output, _ := call.Recent(); output != "mine\n" || call.Bytes() != 5 {
		t.Errorf("%q, %d bytes", output, call.Bytes())
	}
}

// What a client is told once its call is over is there by then.
func TestTheReportIsThereOnceTheCallIsOver(t *testing.T) {
	for _, move := range []bool{true, false} {
		call := start(t)
		var ended atomic.Bool
		call.prints("text\n")
		seen := make(chan bool, 1)
		go func() { // ends with the call
			<-call.tape.Over()
			seen <- move || closedNow(call.Done())
		}()
		if move {
			call.moved(t, "b1")
		}
		if !move {
			call.program.ends(0)
		}
		ended.Store(<-seen)
		if got := call.Report().Output; got != "text\n" || !ended.Load() {
			t.Errorf("moved %v: %q, its end known: %v", move, got, ended.Load())
		}
		call.program.ends(0)
		call.end(t)
	}
}

func closedNow(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestNothingIsKeptOpenOnceACommandIsOver(t *testing.T) {
	open := func(s *spool.Spool, log *spool.Log) bool {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); filepath.Base(to) == filepath.Base(log.State().Path) {
				return true
			}
		}
		return false
	}
	s := openSpool(t)
	call := startIn(s)
	log := call.moved(t, "b1")
	call.program.ends(0)
	call.end(t)
	<-call.Dry()
	for began := time.Now(); open(s, log); { // the last of two goroutines closes it
		if time.Since(began) > patience {
			t.Fatal("the log of a job is still open")
		}
	}
	all := s.Log("c1-output-1", 0)
	tape := job.NewTape(func() *spool.Log { return all })
	tape.Write([]byte(seq(1, 3000)))
	tape.Report(nil)
	tape.Close()
	if open(s, all) {
		t.Error("the file of a call is still open")
	}
}

func TestAReaderThatWaitsIsToldOfTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := job.NewTape(noFile)
		var waits sync.WaitGroup
		waits.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, _, err := tape.Next(ctx, 0); !isEOF(err) {
				t.Error(err)
			}
		})
		synctest.Wait()
		tape.Close()
		waits.Wait()
	})
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// What is not in the file any more is skipped, not asked for again and again.
func TestAReaderGoesOnBehindWhatTheFileLost(t *testing.T) {
	s := openSpool(t)
	tape := job.NewTape(func() *spool.Log { return s.Log("c1-output-1", 1<<20) }) // most of it does not fit
	line := strings.Repeat("x", 1023) + "\n"
	text := strings.Repeat(line, 20<<10) // 20 MiB
	for p := text; p != ""; p = p[64<<10:] {
		tape.Write([]byte(p[:64<<10]))
	}
	tape.Close()
	got, at := int64(0), int64(0)
	for {
		p, next, err := tape.Next(t.Context(), at)
		if isEOF(err) {
			break
		}
		if err != nil || next-int64(len(p)) < at || string(p) != text[next-int64(len(p)):next] {
			t.Fatalf("at %d: %d bytes, next %d, %v", at, len(p), next, err)
		}
		got, at = got+int64(len(p)), next
	}
	if at != int64(len(text)) || got < job.MemoryLimit || got == at {
		t.Errorf("got %d bytes, up to %d of %d", got, at, len(text))
	}
}

// Most commands print little.
func TestAShortOutputTakesLittleMemory(t *testing.T) {
	tape := job.NewTape(noFile)
	tape.Write([]byte("ok\n"))
	if _, taken := tape.Kept(); taken > 64 {
		t.Errorf("%d bytes for 3", taken)
	}
	tape.Close()
}

func TestANoticeSaysWhatTheFileLacks(t *testing.T) {
	s := openSpool(t)
	tape := job.NewTape(func() *spool.Log { return s.Log("c1-output-1", 1<<16) })
	tape.Write([]byte(strings.Repeat("a line\n", 100_000)))
	if r := tape.Report(nil); !strings.HasSuffix(r.Notice, " (without its middle: it is larger than a log may be)]") {
		t.Error(r.Notice)
	}
	tape.Close()

	if err := s.Close(); err != nil { // no file can be made
		t.Fatal(err)
	}
	tape = job.NewTape(func() *spool.Log { return s.Log("c2-output-1", 0) })
	tape.Write([]byte(seq(1, 3000)))
	if r := tape.Report(nil); !strings.Contains(r.Notice, " (incomplete: ") {
		t.Error(r.Notice)
	}
	tape.Close()
}

// Only the first of all counts as none; another one is text.
func TestOnlyAByteOrderMarkAtTheBeginningIsNoText(t *testing.T) {
	s := openSpool(t)
	tape := job.NewTape(func() *spool.Log { return s.Log("c1-output-1", 0) })
	limit := strings.Repeat("x", 50<<10-3)
	tape.Write([]byte(limit))
	tape.Write([]byte("\ufeff")) // fits exactly
	if r := tape.Report(nil); r.Truncated || r.Output != limit+"\ufeff" {
		t.Errorf("%d bytes, %s", len(r.Output), r.Notice)
	}
	tape.Write([]byte("\ufeff"))
	if r := tape.Report(nil); !r.Truncated {
		t.Error("three bytes more do not count")
	}
	tape.Close()
}
