package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// idleCheck is how often --exit-when-idle looks.
	idleCheck = time.Second
	// garbage is how much may pile up before it is collected, in per cent of what is in use, unless GOGC says otherwise.
	// A flood makes little but often, beside screens that are dear to look through (docs/benchmarks.md); what it leaves is
	// given back once it is calm.
	garbage = 300
)

// Run serves until ctx ends, a listener fails, or the service was idle for as long as --exit-when-idle says. It
// leaves nothing running; a signal that comes while it stops makes it hurry.
func (c *serveCommand) Run(ctx context.Context, w world) error {
	log, err := newLog(w.stderr, c.LogLevel)
	if err != nil {
		return err
	}
	if w.getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	s, err := build(c, log)
	if err != nil {
		return err
	}
	announce(w.stdout, s)
	return s.serve(ctx, c.ExitWhenIdle, w.endings)
}

// newLog is text for people: the service logs little, and never an environment or an input.
func newLog(w io.Writer, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, usage("--log-level %s: %w", level, err)
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})), nil
}

// announce says where the service listens and where the token is, never the token itself.
func announce(w io.Writer, s *service) {
	for _, e := range s.open {
		fmt.Fprintf(w, "termbay %s listens on %s\n", version, e)
	}
	fmt.Fprintf(w, "token: %s\n", s.token)
	if s.info.URL != "" {
		fmt.Fprintf(w, "API reference: %s/docs\n", s.info.URL)
	}
}

// serve answers requests until wait says that it is over, and closes the service; one of endings makes it hurry then.
func (s *service) serve(ctx context.Context, idle time.Duration, endings []os.Signal) error {
	failed := make(chan error, len(s.open))
	var serving sync.WaitGroup
	for _, e := range s.open {
		serving.Go(func() { failed <- fmt.Errorf("serve %s: %w", e, s.server.Serve(e.Listener)) })
	}
	over := s.wait(ctx, idle, failed)
	hurry, stop := signal.NotifyContext(context.Background(), endings...)
	defer stop()
	over = errors.Join(over, s.Close(hurry))
	serving.Wait()
	return over
}

// wait returns when the service shall end: nil when it was asked to, or had nothing to do for idle (0: never).
func (s *service) wait(ctx context.Context, idle time.Duration, failed <-chan error) error {
	var looks <-chan time.Time // none without a limit: a service that nobody calls does nothing
	if idle > 0 {
		tick := time.NewTicker(idleCheck)
		defer tick.Stop()
		looks = tick.C
	}
	for {
		select {
		case <-ctx.Done():
			s.log.Info("stopping", "reason", context.Cause(ctx))
			return nil
		case err := <-failed:
			return err
		case <-looks:
			if since, is := s.registry.Idle(); is && time.Since(since) >= idle {
				s.log.Info("stopping", "reason", "nothing to do for "+idle.String())
				return nil
			}
		}
	}
}
