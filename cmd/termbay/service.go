package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"termbay"
	"termbay/api"
	"termbay/api/guard"
	"termbay/core/process"
	"termbay/core/registry"
	"termbay/core/spool"
	"termbay/static"
	"termbay/web"
)

const (
	// headerTimeout is how long a client may take to send the headers of a request.
	headerTimeout = 10 * time.Second
	// idleTimeout is how long a connection without a request stays open.
	idleTimeout = 2 * time.Minute
	// maxHeaderBytes bounds the headers of a request.
	maxHeaderBytes = 64 << 10
	// goodbye is how long answers that are under way may take once everything was stopped.
	goodbye = 5 * time.Second
)

// service is what one start of termbay builds. It is closed in the reverse order of its building.
type service struct {
	log      *slog.Logger
	info     serverInfo
	token    string // path of the token's file
	open     endpoints
	registry *registry.Registry
	server   *http.Server
	undo     []func(context.Context) error
}

// build starts everything but the serving; on an error it leaves nothing behind.
func build(c *serveCommand, log *slog.Logger) (*service, error) {
	s := &service{log: log}
	if err := s.start(c); err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	return s, nil
}

func (s *service) start(c *serveCommand) error {
	state, err := openState(c.StateDir)
	if err != nil {
		return err
	}
	s.later(state.Close)
	c.StateDir = state.path
	s.token = c.tokenPath()
	token, err := guard.LoadToken(s.token)
	if err != nil {
		return err
	}
	if s.open, err = openEndpoints(c.Listen, c.TLSCert, c.TLSKey); err != nil {
		return err
	}
	s.later(s.open.Close)
	s.info = serverInfo{
		URL: s.open.url(), Socket: s.open.socket(), PID: os.Getpid(), InstanceID: rand.Text(), Version: version,
	}
	if err := s.startCore(c); err != nil {
		return err
	}
	if err := s.startServer(c, token); err != nil {
		return err
	}
	if err := state.publish(s.info); err != nil {
		return err
	}
	s.later(state.withdraw)
	return nil
}

// startCore builds what knows nothing of HTTP.
func (s *service) startCore(c *serveCommand) error {
	host, err := process.NewHost(s.log)
	if err != nil {
		return err
	}
	s.later(host.Close)
	files, err := spool.Open(c.LogDir, s.info.InstanceID)
	if err != nil {
		return err
	}
	s.later(files.Close)
	counter, err := spool.OpenCounter(filepath.Join(c.StateDir, "counters.json"))
	if err != nil {
		return err
	}
	s.later(counter.Close)
	s.registry = registry.New(registry.Config{
		Host: host, Spool: files, Counter: counter,
		MaxRunning: c.MaxRunning, MaxRunningTotal: c.MaxRunningTotal, MaxLogBytes: c.MaxLogBytes,
		Log: s.log,
	})
	return nil
}

// startServer builds the HTTP server. Its undoing begins with the entries: their ends end the waits, so that the
// requests under way are answered before the listeners close.
func (s *service) startServer(c *serveCommand, token string) error {
	handler, err := s.handler(c, token)
	if err != nil {
		return err
	}
	s.server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, // and no limit for writing: waits last minutes
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       guard.ConnContext,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.undo = append(s.undo, s.closeServer, s.stopEntries)
	return nil
}

func (s *service) handler(c *serveCommand, token string) (http.Handler, error) {
	files := static.New()
	docs, err := web.Docs(termbay.OpenAPI, files.Path("docs.css"))
	if err != nil {
		return nil, err
	}
	calls := api.Service{
		Registry: s.registry, Version: version, InstanceID: s.info.InstanceID, StateDir: c.StateDir,
		HTML: web.ScreenHTML, SVG: web.ScreenSVG,
	}
	return api.New(api.Config{
		Handlers: calls, Measures: calls.Measures(), Enter: s.enter,
		AllowedHosts: c.AllowedHost, Token: token,
		Docs: docs, Static: files, Log: s.log,
	}), nil
}

// enter keeps a session's lease while a request of it is under way.
func (s *service) enter(session string) (leave func(), err error) {
	return s.registry.Enter(registry.Caller{Session: session})
}

func (s *service) stopEntries(ctx context.Context) error {
	s.registry.Shutdown(ctx)
	return nil
}

func (s *service) closeServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, goodbye)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		return s.server.Close()
	}
	return nil
}

// later remembers how to undo what was just done.
func (s *service) later(undo func() error) {
	s.undo = append(s.undo, func(context.Context) error { return undo() })
}

// Close stops every entry, waits for the requests under way, and undoes the start. Once ctx has ended it waits for
// nobody.
func (s *service) Close(ctx context.Context) error {
	var failed error
	for _, undo := range slices.Backward(s.undo) {
		failed = errors.Join(failed, undo(ctx))
	}
	return failed
}
