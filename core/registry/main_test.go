//go:build unix

package registry_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/registry"
	"termbay/core/spool"
	"termbay/core/terminal"
)

// patience is the outer limit of a wait for something that must happen.
const patience = 20 * time.Second

// host starts the programs of all tests.
var host *process.Host

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	var err error
	if host, err = process.NewHost(quiet()); err != nil {
		panic(err)
	}
	code = m.Run()
	if err := host.Close(); err != nil {
		panic(err)
	}
	if err := goleak.Find(goleak.IgnoreTopFunction("os/signal.loop")); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error())
		code = 1
	}
	return code
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// fixture is a registry with folders of its own; it is shut down at the end of the test.
type fixture struct {
	*registry.Registry
	t   testing.TB
	cwd string
}

func open(t testing.TB, cfg registry.Config) fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Spool, err = spool.Open(filepath.Join(dir, "log"), "test"); err != nil {
		t.Fatal(err)
	}
	if cfg.Counter, err = spool.OpenCounter(filepath.Join(dir, "state", "counters.json")); err != nil {
		t.Fatal(err)
	}
	cfg.Host, cfg.Log = host, quiet()
	r := registry.New(cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		r.Shutdown(ctx)
		if running, _, _, _ := r.Stats(); running > 0 {
			t.Errorf("%d entries run after Shutdown", running)
		}
		if err := errors.Join(cfg.Spool.Close(), cfg.Counter.Close()); err != nil {
			t.Error(err)
		}
	})
	return fixture{r, t, dir}
}

var (
	person = registry.Caller{}
	agent  = registry.Caller{Session: "agent"}
)

// untilExit is a wait that does not end before the exit.
func untilExit() registry.Wait {
	return registry.Wait{For: patience, Text: "no program prints this", Any: true}
}

// start starts a command and returns its id and first result, which was delivered.
func (f fixture) start(c registry.Caller, s registry.Start) (string, terminal.Result) {
	f.t.Helper()
	if s.Cwd == "" {
		s.Cwd = f.cwd
	}
	turn, err := f.Start(c, s)
	if err != nil {
		f.t.Fatal(err)
	}
	return turn.ID(), f.settle(turn)
}

// settle waits for a turn's result and says that it was delivered.
func (f fixture) settle(turn *registry.Turn) terminal.Result {
	f.t.Helper()
	res, deliver, err := turn.Settle(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	deliver()
	return res
}

// send types into an entry and delivers the result.
func (f fixture) send(c registry.Caller, id string, in terminal.Input, w registry.Wait) terminal.Result {
	f.t.Helper()
	turn, err := f.Send(c, id, in, w)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.settle(turn)
}

// problem fails the test unless err is a problem with this code whose detail holds the text.
func problem(t testing.TB, err error, code core.Code, text string) *core.Error {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Detail, text) {
		t.Fatalf("got %v, want %s with %q", err, code, text)
	}
	return e
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
