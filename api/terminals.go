package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/screen"
	"termbay/core/terminal"
)

// CreateTerminal starts a program and waits until it has settled.
func (s Service) CreateTerminal(ctx context.Context, q CreateTerminalRequestObject) (CreateTerminalResponseObject, error) {
	b := q.Body
	env, err := environment(b.Env)
	if err != nil {
		return nil, err
	}
	turn, err := s.Registry.Start(caller(q.Params.TermbaySession), registry.Start{
		Command: b.Command, DisplayCommand: b.DisplayCommand, CommandPrefix: b.CommandPrefix, Label: b.Label,
		Cwd: b.Cwd, Env: env, Shell: b.Shell, Notify: b.Notify, Viewport: viewportOf(b.Viewport), Log: b.Log,
		Wait: waitFor(&b.WaitMS, b.WaitForText, b.QuietMS),
	})
	if err != nil {
		return nil, err
	}
	a := turnAnswer(ctx, turn)
	a.Status, a.Header = http.StatusCreated, http.Header{"Location": {"/v1/terminals/" + turn.ID()}}
	return a, nil
}

// SendInput types into a Terminal, or polls it.
func (s Service) SendInput(ctx context.Context, q SendInputRequestObject) (SendInputResponseObject, error) {
	b := q.Body
	in := terminal.Input{Text: b.Text, Paste: b.Paste, Bytes: b.BytesBase64, Keys: b.Keys}
	if m := b.Mouse; m != nil {
		in.Mouse = &screen.Mouse{Action: string(m.Action), Button: m.Button, Row: m.Row, Col: m.Col}
	}
	turn, err := s.Registry.Send(caller(q.Params.TermbaySession), q.ID, in, waitFor(b.WaitMS, b.WaitForText, b.QuietMS))
	if err != nil {
		return nil, err
	}
	a := turnAnswer(ctx, turn)
	a.Early = a.Early || !in.Empty() // a program that does not read holds an input up for longer than the wait
	return a, nil
}

// GetTerminal is the entry of a Terminal.
func (s Service) GetTerminal(_ context.Context, q GetTerminalRequestObject) (GetTerminalResponseObject, error) {
	who := caller(q.Params.TermbaySession)
	if _, err := s.Registry.Terminal(who, q.ID); err != nil {
		return nil, err
	}
	e, err := s.Registry.Entry(who, q.ID)
	if err != nil {
		return nil, err
	}
	return GetTerminal200JSONResponse(entryOf(e, time.Now())), nil
}

// ResizeTerminal changes the size of a Terminal.
func (s Service) ResizeTerminal(_ context.Context, q ResizeTerminalRequestObject) (ResizeTerminalResponseObject, error) {
	e, err := s.Registry.Resize(caller(q.Params.TermbaySession), q.ID, *viewportOf(q.Body))
	if err != nil {
		return nil, err
	}
	return ResizeTerminal200JSONResponse(entryOf(e, time.Now())), nil
}

// GetScrollback reads scrolled-off lines by their numbers.
func (s Service) GetScrollback(_ context.Context, q GetScrollbackRequestObject) (GetScrollbackResponseObject, error) {
	t, err := s.Registry.Terminal(caller(q.Params.TermbaySession), q.ID)
	if err != nil {
		return nil, err
	}
	lines, first, next := t.Screen().Lines(q.Params.From, q.Params.Limit)
	from := min(max(q.Params.From, first), next)
	wire := Scrollback{From: int64(from), Next: int64(from + len(lines)), First: int64(first), Lines: make([]string, len(lines))}
	for i, l := range lines {
		wire.Lines[i] = l.Text
	}
	return GetScrollback200JSONResponse(wire), nil
}

// caller is who asks: a session, or nobody in particular.
func caller(session TermbaySession) registry.Caller { return registry.Caller{Session: session} }

func viewportOf(v *Viewport) *core.Viewport {
	if v == nil {
		return nil
	}
	return &core.Viewport{Cols: v.Cols, Rows: v.Rows}
}

// environment is a complete environment as a process gets it, nil when there is none. A name with = in it would be
// another variable, which nobody can tell any more once it stands before its value.
func environment(env map[string]string) ([]string, error) {
	if env == nil {
		return nil, nil
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		if strings.Contains(name, "=") {
			return nil, invalid("env."+name, "may not have = in its name")
		}
		list = append(list, name+"="+value)
	}
	return list, nil
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// waitFor is what a caller waits for; a wait that was left out is the call's own default.
func waitFor(waitMS *int, text string, quietMS int) registry.Wait {
	quiet := milliseconds(quietMS)
	w := registry.Wait{For: -1, Text: text, Any: text != "", Quiet: &quiet}
	if waitMS != nil {
		w.For = milliseconds(*waitMS)
	}
	return w
}

// turnAnswer delivers a Turn's Result.
func turnAnswer(ctx context.Context, turn *registry.Turn) Answer {
	return Answer{
		Context: ctx,
		Early:   turn.Wait() > EarlyAfter,
		Value: func() (any, func(), error) {
			res, delivered, err := turn.Settle(ctx)
			if err != nil {
				return nil, nil, err
			}
			return resultOf(res), delivered, nil
		},
	}
}

func resultOf(r terminal.Result) Result {
	wire := Result{
		ID: r.ID, Kind: core.KindTerminal, State: core.Running, Status: core.StatusRunning,
		SettledBy: SettledBy(r.Reason), WaitedMS: r.Waited.Milliseconds(), WaitMS: r.Wait.Milliseconds(),
		Revision: r.Revision, Viewport: Viewport{Cols: r.Viewport.Cols, Rows: r.Viewport.Rows},
		Title: r.Title, AltScreen: r.Alt, Cursor: cursorOf(r.Cursor),
		Changed: r.Changed, Screen: r.Screen, ScrolledOff: append([]string{}, r.ScrolledOff...),
		OutputMissing: r.OutputMissing, MissingLines: int64(r.MissingLines),
		Truncated: r.Truncated, FullOutputPath: r.FullOutput, Notice: r.Notice, Text: r.Text,
	}
	if r.FullOutput != "" {
		wire.FullOutputURL = fmt.Sprintf("/v1/entries/%s/outputs/%d", r.ID, r.FullOutputNo)
	}
	if r.Outcome != nil {
		wire.State, wire.Status, wire.Outcome = core.Exited, r.Outcome.Status(), outcomeOf(*r.Outcome)
		wire.ExitCode, wire.Signal = wire.Outcome.ExitCode, wire.Outcome.Signal
	}
	return wire
}

func cursorOf(c screen.Cursor) Cursor { return Cursor{Row: c.Row, Col: c.Col, Visible: c.Visible} }
