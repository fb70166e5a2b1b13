//go:build linux

package process_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/process"
)

// O-A5: what a program printed before it exited is read to the end.
func TestReadLosesNothing(t *testing.T) {
	want := strings.Repeat("z", 60000) + "\nTAIL-MARK\n"
	for i := range 30 {
		p := start(t, `head -c 60000 /dev/zero | tr "\0" z; echo; echo TAIL-MARK; exit 3`)
		text, exit := p.ends()
		if text != want || ended(exit) != "3" {
			t.Fatalf("run %d: %d bytes, exit %s; want %d bytes, exit 3", i, len(text), ended(exit), len(want))
		}
	}
}

// O-A5: also when nobody reads before the drain grace is over, and somebody else holds the terminal.
func TestReadLosesNothingWhenLate(t *testing.T) {
	for name, holder := range map[string]string{"alone": "", "held": "trap '' HUP; sleep %s & "} {
		t.Run(name, func(t *testing.T) {
			mark := marker(t)
			if holder != "" {
				holder = fmt.Sprintf(holder, mark)
			}
			pty, err := host.StartPTY(spec(holder + `head -c 3000 /dev/zero | tr "\0" z; exit 3`))
			if err != nil {
				t.Fatal(err)
			}
			defer pty.Close()
			pty.Wait()
			<-time.After(2 * process.DrainGrace)
			output, err := io.ReadAll(pty)
			if len(output) != 3000 || err != nil {
				t.Errorf("read %d bytes, %v; want 3000", len(output), err)
			}
		})
	}
}

// O-A6: that nobody has the terminal open is no exit, and no reason to spin.
func TestReadWaitsForTerminalToBeOpenedAgain(t *testing.T) {
	before := cpu(t)
	p := start(t, `exec python3 -c "
import os,time
for i in (0,1,2): os.close(i)
time.sleep(1)
f=os.open('/dev/tty',os.O_RDWR)
os.write(f,b'BACK\n')
os.read(f,1)
os._exit(5)"`)
	p.shows("BACK")
	if used := cpu(t) - before; used > 200*time.Millisecond {
		t.Errorf("waiting for the terminal took %v of CPU", used)
	}
	select {
	case <-p.Done():
		t.Error("exited before the program was reaped")
	default:
	}
	if _, err := p.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if _, exit := p.ends(); ended(exit) != "5" {
		t.Errorf("exit %s, want 5", ended(exit))
	}
}

// cpu is the time that this process has used.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A process that was left behind and holds the terminal does not hold the reader, whether it is silent or chats.
func TestReadEndsAfterDrainGrace(t *testing.T) {
	for name, holder := range map[string]string{
		"silent":  "sleep %s",
		"chatty":  "while sleep 0.01; do echo tick %s; done",
		"flooded": "yes %s",
	} {
		t.Run(name, func(t *testing.T) {
			mark := marker(t)
			p := start(t, fmt.Sprintf("trap '' HUP; { %s; } & echo hi; exit 4", fmt.Sprintf(holder, mark)))
			text, exit := p.ends()
			if !strings.Contains(text, "hi") || ended(exit) != "4" {
				t.Errorf("output %.80q, exit %s", text, ended(exit))
			}
			if p.Descendants() == 0 || len(survivors(mark)) == 0 {
				t.Error("what was left behind is not alive or not counted")
			}
		})
	}
}

// What a late reader gets is bounded, however much is printed by what was left behind.
func TestReadEndsThoughFlooded(t *testing.T) {
	mark := marker(t)
	pty, err := host.StartPTY(spec("trap '' HUP; for i in 1 2 3 4 5 6; do yes " + mark + " & done; exit"))
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	pty.Wait()
	<-time.After(2 * process.DrainGrace)
	if output, err := io.ReadAll(pty); err != nil || len(output) > process.DrainBytes {
		t.Errorf("read %d bytes, %v", len(output), err)
	}
}

func TestDeadlineEndsWrite(t *testing.T) {
	p := start(t, "stty raw -echo; echo up; sleep 600")
	p.shows("up")
	writeUntilDeadline(t, p)
}

// Setting a size with creack/pty would make the master blocking.
func TestResizeKeepsDeadlines(t *testing.T) {
	p := start(t, "stty raw -echo; echo up; sleep 600")
	p.shows("up")
	if err := p.Resize(core.Viewport{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	writeUntilDeadline(t, p)
}

// writeUntilDeadline writes more than a deaf program takes.
func writeUntilDeadline(t *testing.T, p *program) {
	t.Helper()
	if err := p.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // joined below
		defer close(done)
		n, err := p.Write(make([]byte, 1<<20))
		if !errors.Is(err, os.ErrDeadlineExceeded) || n >= 1<<20 {
			t.Errorf("Write: %d, %v; want the deadline", n, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(limit):
		p.Signal("KILL") // lets the goroutine go
		t.Fatal("Write does not obey its deadline")
	}
}

func TestCloseEndsRead(t *testing.T) {
	pty, err := host.StartPTY(spec("trap '' HUP; echo up; read x; exit 6"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := pty.Read(make([]byte, 100)); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	failed := make(chan error)
	go func() { // joined below
		_, err := pty.Read(make([]byte, 100))
		failed <- err
	}()
	pty.Close()
	select {
	case err := <-failed:
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("Read after Close: %v", err)
		}
	case <-time.After(limit):
		t.Fatal("Close does not end a Read")
	}
	if !pty.Echoes() || pty.Cooked() {
		t.Error("a closed terminal hides input, or echoes replies")
	}
	if exit := pty.Wait(); ended(exit) != "6" { // read x failed: the terminal is gone
		t.Errorf("exit %s", ended(exit))
	}
}

func TestResizeIsSeenByProgram(t *testing.T) {
	s := spec("trap 'stty size' WINCH; stty size; echo up; while :; do sleep 600 & wait; done")
	s.Viewport = core.Viewport{Cols: 77, Rows: 11}
	p := startSpec(t, s)
	p.shows("11 77\nup")
	if err := p.Resize(core.Viewport{Cols: 1000, Rows: 1}); err != nil {
		t.Fatal(err)
	}
	p.shows("\n1 1000\n")
	if err := p.Resize(core.Viewport{}); code(err) != core.Invalid {
		t.Errorf("Resize to 0×0: %v", err)
	}
	if err := startFails(t, func(s *process.Spec) { s.Viewport.Cols = 1001 }); err.Code != core.Invalid {
		t.Error(err)
	}
}

func TestDefaultViewport(t *testing.T) {
	p := start(t, "stty size")
	if text, _ := p.ends(); text != "40 120\n" {
		t.Errorf("size %q", text)
	}
}

func TestLineDiscipline(t *testing.T) {
	for name, c := range map[string]struct {
		modes          string
		echoes, cooked bool
	}{
		"canonical with echo":     {"sane", true, true},
		"a password prompt":       {"-echo", false, false},
		"raw draws what it likes": {"raw -echo", true, false},
		"raw with echo":           {"raw echo", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "stty "+c.modes+"; echo up; sleep 600")
			p.shows("up")
			if p.Echoes() != c.echoes || p.Cooked() != c.cooked {
				t.Errorf("Echoes() = %v, Cooked() = %v", p.Echoes(), p.Cooked())
			}
		})
	}
}

// O-C4: keys reach the line discipline.
func TestControlKeys(t *testing.T) {
	p := start(t, "exec sleep 600")
	eventually(t, "sleep runs", func() bool { return comm(p.PID()) == "sleep" })
	p.Write([]byte{'C' - '@'})
	if text, exit := p.ends(); text != "^C" || ended(exit) != "SIGINT" {
		t.Errorf("after Control+C: %q, %s", text, ended(exit))
	}
	p = start(t, "cat; echo rc=$?")
	p.Write([]byte("abc\x04"))
	p.shows("abcabc")
	p.Write([]byte{'D' - '@'})
	if text, _ := p.ends(); text != "abcabcrc=0\n" {
		t.Errorf("after Control+D: %q", text)
	}
}
