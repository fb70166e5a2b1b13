//go:build linux

package process_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"termbay/core/process"
)

// O-A1, O-A2: the exit is told while somebody else still holds the pipe, silent or not; the end of the output only when
// nobody does. What holds it is counted and left alone.
func TestWhoHoldsAPipeDoesNotHoldTheExit(t *testing.T) {
	for name, holder := range map[string]string{
		"silent":         "exec sleep MARK",
		"standard error": "exec sleep MARK </dev/null >/dev/null",
		"nohup":          "exec nohup sleep MARK",
		"own session":    "exec setsid sleep MARK",
		"chatty":         "while :; do echo tick; sleep 0.01; done # MARK",
		"flooding":       "exec yes MARK",
	} {
		t.Run(name, func(t *testing.T) {
			mark := marker(t)
			p := pipes(t, spec("bash -c '"+strings.ReplaceAll(holder, "MARK", mark)+"' & exit 3"))
			over := make(chan error, 1)
			go func() { // joined below
				_, err := io.Copy(io.Discard, p)
				over <- err
			}()
			if exit := p.Wait(); ended(exit) != "3" {
				t.Errorf("exit %s", ended(exit))
			}
			if n := p.Descendants(); n == 0 {
				t.Error("what holds the pipe is not counted")
			}
			select {
			case err := <-over:
				t.Fatalf("the output ended: %v", err)
			default:
			}
			for _, pid := range p.Tree() {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
			if err := <-over; err != nil {
				t.Errorf("once nobody holds it: %v", err)
			}
			eventually(t, "nothing is counted any more", func() bool { return p.Descendants() == 0 })
		})
	}
}

// O-B1, O-B2: on pipes as on a PTY, a stop takes whatever came from the command.
func TestAStopOfPipesTakesEveryEscapee(t *testing.T) {
	defer host.SetCgroups(true)
	for _, cgroups := range []bool{true, false} {
		for name, c := range escapees {
			t.Run(fmt.Sprintf("%s/cgroups=%v", name, cgroups), func(t *testing.T) {
				host.SetCgroups(cgroups)
				mark := marker(t)
				s := spec(strings.NewReplacer("SLEEP", "sleep "+mark, "MARK", mark).Replace(c.command))
				s.Stdin = true // or read x would not wait
				p := pipes(t, s)
				eventually(t, "everything runs", func() bool {
					all := survivors(mark)
					return len(all) == c.shells+c.sleeps && len(sleeping(all)) == c.sleeps
				})
				if err := p.Stop(t.Context(), process.Stop{Grace: 300 * time.Millisecond, Escalate: true}); err != nil {
					t.Fatal(err)
				}
				if left := survivors(mark); len(left) > 0 || p.Descendants() != 0 {
					t.Errorf("survivors: %v, %d descendants are counted", left, p.Descendants())
				}
			})
		}
	}
}

// Only who may write into a pipe holds it. The service reads from all of them, and so does, until its exec, whoever it
// forks; here it is a stranger who looks like one.
func TestAStopOfPipesSparesWhoOnlyReads(t *testing.T) {
	host.SetCgroups(false)
	defer host.SetCgroups(true)
	mark := marker(t)
	p := pipes(t, spec("exec sleep 600"))
	other := pipes(t, spec(fmt.Sprintf("env -i setsid sleep %s </proc/%d/fd/1 >/dev/null 2>&1 & exit", mark, p.PID())))
	all(t, other)
	other.Wait()
	eventually(t, "the reader is an orphan", func() bool { return len(sleeping(survivors(mark))) == 1 })
	if err := p.Stop(t.Context(), process.Stop{Escalate: true}); err != nil {
		t.Fatal(err)
	}
	if left := survivors(mark); len(left) != 1 {
		t.Errorf("who only reads was ended: %v", left)
	}
}

// A command that prints less than a pipe holds does not wait for a reader.
func TestAPipeHoldsALotBeforeItIsRead(t *testing.T) {
	p := pipes(t, spec("head -c 262144 /dev/zero; exit 3"))
	if exit := p.Wait(); ended(exit) != "3" {
		t.Errorf("exit %s", ended(exit))
	}
	if output := all(t, p); output != string(make([]byte, 262144)) {
		t.Errorf("%d bytes", len(output))
	}
}

func TestFloodsArriveWhole(t *testing.T) {
	const size = 50 << 20
	p := pipes(t, spec(fmt.Sprintf("yes 0123456789abcde | head -c %d; exit 3", size)))
	buf, n, line := make([]byte, 256<<10), 0, []byte("0123456789abcde\n")
	want := bytes.Repeat(line, len(buf)/len(line)+1)
	for {
		got, err := p.Read(buf)
		if at := n % len(line); !bytes.Equal(buf[:got], want[at:at+got]) {
			t.Fatalf("wrong bytes after %d", n)
		}
		if n += got; err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if exit := p.Wait(); n != size || ended(exit) != "3" {
		t.Errorf("%d bytes, exit %s", n, ended(exit))
	}
}

// Who writes into a pipe that was closed gets SIGPIPE, and what is left does not hang.
func TestWhoWritesIntoAClosedPipeEnds(t *testing.T) {
	p := pipes(t, spec("exec yes"))
	if _, err := io.ReadFull(p, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if exit := p.Wait(); ended(exit) != "SIGPIPE" {
		t.Errorf("exit %s", ended(exit))
	}
}
