//go:build linux

package process_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/process"
)

// serviceArgument makes the test binary a service that runs one command in a Terminal, or on pipes when another argument
// follows, and prints what that prints.
const serviceArgument = "run-as-service"

func service(command string, onPipes bool) int {
	own, err := process.NewHost(slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer own.Close()
	var program interface {
		io.ReadCloser
		Wait() core.Exit
	}
	if onPipes {
		program, err = own.StartPipes(spec(command))
	} else {
		program, err = own.StartPTY(spec(command))
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer program.Close()
	io.Copy(os.Stdout, program)
	program.Wait()
	return 0
}

// signalProbe shows which signals and limits a program got from the service.
const signalProbe = `echo signals; grep -E "Sig(Blk|Ign)" /proc/self/status; yes | head -1; echo ${PIPESTATUS[*]}
	echo limits; ulimit -Sn; umask
	`

// probe shows what a program got from the service.
const probe = `echo fds; ls /proc/self/fd | tr '\n' ' '; ls -l /proc/self/fd | grep -c ptmx
	echo modes; grep flags /proc/self/fdinfo/0
	` + signalProbe + `echo session; ps -o sid=,pgid=,tpgid= -p $$ | tr -d '\n' | tr -s ' ' '\n' | sort -u | grep -c .; tty | tr -d 0-9`

// O-I2: descriptors 0, 1 and 2, no ignored or blocked signal, the original limits, whatever the service was started with.
func TestProgramInheritsNothing(t *testing.T) {
	want := `fds
0 1 2 3 0
modes
flags:	0100002
signals
SigBlk:	0000000000000000
SigIgn:	0000000000000000
y
141 0
limits
%s
%s
session
1
/dev/pts/
`
	t.Run("from an ordinary service", func(t *testing.T) {
		for range 3 {
			start(t, "read x") // other Terminals are open
		}
		limits := strings.Fields(printed(t, "ulimit -Sn; umask"))
		if text, _ := start(t, probe).ends(); text != fmt.Sprintf(want, limits[0], limits[1]) {
			t.Errorf("got %s", text)
		}
	})
	t.Run("from a service that was started badly", func(t *testing.T) {
		if text := printedBadly(t, probe); text != fmt.Sprintf(want, "345", "0027") {
			t.Errorf("got %s", text)
		}
	})
}

// O-A3, O-I2: on pipes as well; the service here has a terminal, which is not for them either. No end of a pipe that a
// program gets is nonblocking.
func TestProgramOnPipesInheritsNothing(t *testing.T) {
	const pipesProbe = signalProbe + `echo fds; ls /proc/self/fd | tr '\n' ' '
	echo modes; for fd in 0 1 2; do grep flags /proc/self/fdinfo/$fd; done
	echo session; ps -o tpgid= -p $$; (: </dev/tty) 2>&1 | grep -o "No such device"`
	text := printedBadly(t, pipesProbe, "pipes")
	want := `signals
SigBlk:	0000000000000000
SigIgn:	0000000000000000
y
141 0
limits
345
0027
fds
0 1 2 3 modes
flags:	0100000
flags:	01
flags:	01
session
   -1
No such device
`
	if text != want {
		t.Errorf("got %s", text)
	}
}

// printedBadly is what a command prints that a service runs which was started badly; arguments are more of its arguments.
func printedBadly(t *testing.T, command string, arguments ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := spec(`trap '' HUP INT TSTP TTOU USR2; exec 9</etc/hostname; ulimit -Sn 345; umask 027
		exec python3 -c "
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execv(os.environ['SELF'], ['service', '` + serviceArgument + `', os.environ['COMMAND']] + os.environ['MORE'].split())"`)
	s.Env = append(s.Env, "SELF="+self, "COMMAND="+command, "MORE="+strings.Join(arguments, " "))
	text, _ := startSpec(t, s).ends()
	return text
}

// printed runs a command and returns what it prints.
func printed(t *testing.T, command string) string {
	t.Helper()
	text, _ := start(t, command).ends()
	return text
}

// The service goes on ignoring what it was started to ignore: nohup works.
func TestServiceUnderNohupSurvivesHangup(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := spec(`trap '' HUP; exec "$SELF" ` + serviceArgument + ` 'kill -HUP $PPID; read -t 0.2; kill -HUP $PPID && echo alive'`)
	s.Env = append(s.Env, "SELF="+self)
	if text, exit := startSpec(t, s).ends(); text != "alive\n" || ended(exit) != "0" {
		t.Errorf("%q, exit %s", text, ended(exit))
	}
}
