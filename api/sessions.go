package api

import (
	"context"
	"errors"

	"termbay/core"
	"termbay/core/registry"
)

// OpenSession opens a session or resumes it.
func (s Service) OpenSession(_ context.Context, q OpenSessionRequestObject) (OpenSessionResponseObject, error) {
	b := q.Body
	o := registry.Opening{Label: b.Label, Role: b.Role, Parent: b.Parent, Group: b.Group, Cwd: b.Cwd}
	if b.LeaseMS != nil {
		lease := milliseconds(*b.LeaseMS)
		o.Lease = &lease
	}
	if b.Client != nil {
		o.Client = &registry.Client{Name: b.Client.Name, PID: b.Client.PID}
	}
	if d := b.Defaults; d != nil {
		o.Defaults = &registry.Defaults{
			Viewport: viewportOf(d.Viewport), Shell: d.Shell, CommandPrefix: d.CommandPrefix,
			MaxRunning: d.MaxRunning, ExitTailLines: d.ExitTailLines,
		}
	}
	opened, created, err := s.Registry.Open(q.Session, o)
	switch {
	case err != nil:
		return nil, err
	case created:
		return OpenSession201JSONResponse{Body: sessionOf(opened), Headers: OpenSession201ResponseHeaders{Location: "/v1/sessions/" + opened.ID}}, nil
	}
	return OpenSession200JSONResponse(sessionOf(opened)), nil
}

// ListSessions lists the open sessions.
func (s Service) ListSessions(context.Context, ListSessionsRequestObject) (ListSessionsResponseObject, error) {
	wire := []Session{}
	for _, o := range s.Registry.Sessions() {
		wire = append(wire, sessionOf(o))
	}
	return ListSessions200JSONResponse{Sessions: wire}, nil
}

// GetSession is one session.
func (s Service) GetSession(_ context.Context, q GetSessionRequestObject) (GetSessionResponseObject, error) {
	o, err := s.Registry.Session(q.Session)
	if err != nil {
		return nil, err
	}
	return GetSession200JSONResponse(sessionOf(o)), nil
}

// EndSession ends a session and answers when nothing of it is left. What was begun is finished, also when the client
// has left.
func (s Service) EndSession(ctx context.Context, q EndSessionRequestObject) (EndSessionResponseObject, error) {
	if _, err := s.Registry.Session(q.Session); err != nil {
		return nil, err
	}
	return Answer{
		Context: ctx,
		Early:   true,
		Value: func() (any, func(), error) {
			stopped, removed, err := s.Registry.End(context.WithoutCancel(ctx), q.Session, registry.Reason(q.Params.Reason))
			var ended *core.Error
			if err != nil && !errors.As(err, &ended) { // ended: by somebody else meanwhile, which leaves nothing to do
				return nil, nil, err
			}
			return SessionEnd{Stopped: stopped, Removed: removed}, nil, nil
		},
	}, nil
}

func sessionOf(o registry.Session) Session {
	wire := Session{
		ID: o.ID, Label: o.Label, Role: o.Role, Parent: o.Parent, Group: o.Group, Cwd: o.Cwd,
		CreatedAt: Time{o.CreatedAt}, LeaseMS: o.Lease.Milliseconds(), Running: o.Running, Exited: o.Exited,
	}
	if o.Client != nil {
		wire.Client = &Client{Name: o.Client.Name, PID: o.Client.PID}
	}
	return wire
}
