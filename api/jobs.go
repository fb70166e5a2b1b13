package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"termbay/api/stream"
	"termbay/core"
	"termbay/core/registry"
)

// CreateJob runs a command and answers when its call is over, as JSON or, all the while, as events.
func (s Service) CreateJob(ctx context.Context, q CreateJobRequestObject) (CreateJobResponseObject, error) {
	b := q.Body
	live := negotiate(ctx, asJSON, asEvents) == asEvents
	if live && q.Params.IdempotencyKey != "" {
		return nil, invalid("Idempotency-Key", "does not go with an event stream, which cannot be repeated; leave it out or accept application/json")
	}
	env, err := environment(b.Env)
	if err != nil {
		return nil, err
	}
	call, err := s.Registry.Run(caller(q.Params.TermbaySession), registry.Run{
		Command: b.Command, DisplayCommand: b.DisplayCommand, CommandPrefix: b.CommandPrefix, Label: b.Label,
		Cwd: b.Cwd, Env: env, Shell: b.Shell, Viewport: viewportOf(b.Viewport), Notify: b.Notify, ToolCallID: b.ToolCallID,
		Timeout: timeoutOf(b.TimeoutMS), OnTimeout: string(b.OnTimeout), TimeoutAlways: b.TimeoutScope == JobRequestTimeoutScopeAlways,
		Background: b.Background, Yield: milliseconds(b.YieldMS), TTY: b.Tty, Stdin: b.Stdin == JobRequestStdinOpen,
		Persist: !b.AbortOnDisconnect, KeepRecord: b.KeepRecord,
	})
	switch {
	case err != nil:
		return nil, err
	case live:
		return Events{Context: ctx, Pump: told(call), Over: call.Leave}, nil
	}
	return callAnswer(ctx, call), nil
}

func timeoutOf(ms *int) *time.Duration {
	if ms == nil {
		return nil
	}
	d := milliseconds(*ms)
	return &d
}

// callAnswer is the end of a call as JSON.
func callAnswer(ctx context.Context, call *registry.Call) Answer {
	var res registry.CallResult
	return Answer{
		Context: ctx,
		Value: func() (_ any, _ func(), err error) {
			if res, err = call.Await(ctx); err != nil {
				return nil, nil, err
			}
			return jobResultOf(call.ID(), res), nil, nil
		},
		Late: func() (int, http.Header) {
			if res.Moved == nil {
				return http.StatusOK, nil
			}
			return http.StatusAccepted, http.Header{"Location": {"/v1/jobs/" + res.Moved.ID}}
		},
	}
}

// started is the data of the first event of a call.
type started struct {
	CallID string `json:"call_id"`
	PID    int    `json:"pid"`
}

// told sends what a call prints and how it ends. The id of an event is how much there was with it.
func told(call *registry.Call) func(context.Context, stream.Send) error {
	return func(ctx context.Context, send stream.Send) error {
		err := send(stream.Event{ID: "0", Name: "started", Data: started{call.ID(), call.PID()}})
		at := int64(0)
		for err == nil {
			var p []byte
			if p, at, err = call.Next(ctx, at); err == nil {
				err = send(stream.Event{ID: strconv.FormatInt(at, 10), Name: "output", Data: pieceOf(p)})
			}
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		res, err := call.Await(ctx)
		if err != nil {
			return err
		}
		end := lastWord{JobResult: jobResultOf(call.ID(), res)}
		name := "exit"
		if res.Moved != nil {
			name = "backgrounded"
		}
		if end.Entry != nil { // events stay short
			end.Entry.Command = core.OneLine(end.Entry.Command)
		}
		return send(stream.Event{ID: strconv.FormatInt(at, 10), Name: name, Data: end})
	}
}

// lastWord is a result without its output, which was told before.
type lastWord struct {
	JobResult
	Output *string `json:"output,omitempty"` // stands in the way of the result's
}

// jobResultOf is what became of a call.
func jobResultOf(id string, r registry.CallResult) JobResult {
	wire := JobResult{
		Output: r.Output, Truncated: r.Truncated, FullOutputPath: r.FullOutput, Notice: r.Notice,
		WallTimeSeconds: math.Round(r.Wall.Seconds()*10) / 10, WallTimeMS: r.Wall.Milliseconds(),
	}
	if r.Outcome != nil {
		wire.Status, wire.Outcome = r.Outcome.Status(), outcomeOf(*r.Outcome)
		wire.ExitCode, wire.Signal = wire.Outcome.ExitCode, wire.Outcome.Signal
	}
	if r.Moved != nil {
		wire.Background = backgroundOf(*r.Moved)
	}
	if r.Entry != nil {
		entry := entryOf(*r.Entry, time.Now())
		wire.Entry = &entry
	}
	switch {
	case r.InLog:
		wire.FullOutputURL = fmt.Sprintf("/v1/entries/%s/log", r.Entry.ID)
	case r.FullOutput != "":
		wire.FullOutputURL = fmt.Sprintf("/v1/entries/%s/outputs/1", id)
	}
	return wire
}

func backgroundOf(m registry.Moved) *Background {
	return &Background{ID: m.ID, LogPath: m.LogPath, PromotedBy: m.By}
}

// GetJob is the entry of a job.
func (s Service) GetJob(_ context.Context, q GetJobRequestObject) (GetJobResponseObject, error) {
	e, err := s.Registry.Job(caller(q.Params.TermbaySession), q.ID)
	if err != nil {
		return nil, err
	}
	return GetJob200JSONResponse(entryOf(e, time.Now())), nil
}

// MoveJob moves a call to the background.
func (s Service) MoveJob(_ context.Context, q MoveJobRequestObject) (MoveJobResponseObject, error) {
	to, e, err := s.Registry.Background(caller(q.Params.TermbaySession), q.ID, core.ByAPI)
	if err != nil {
		return nil, err
	}
	return MoveJob200JSONResponse{Background: *backgroundOf(to), Entry: entryOf(e, time.Now())}, nil
}

// MoveSession moves all calls of a session to the background (L100).
func (s Service) MoveSession(_ context.Context, q MoveSessionRequestObject) (MoveSessionResponseObject, error) {
	moved, failed, err := s.Registry.BackgroundAll(q.Session)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	wire := MoveSession200JSONResponse{Moved: entriesOf(moved, now), Failed: []MoveFailure{}}
	for _, f := range failed {
		wire.Failed = append(wire.Failed, MoveFailure{CallID: f.CallID, Problem: problemWire(f.Err, now)})
	}
	return wire, nil
}

// SendJobInput writes exact bytes to a standard input (L60).
func (s Service) SendJobInput(ctx context.Context, q SendJobInputRequestObject) (SendJobInputResponseObject, error) {
	b := q.Body
	var in []byte
	switch {
	case b.Text != nil && b.BytesBase64 != nil:
		return nil, invalid("bytes_base64", "does not go with text; send one of them")
	case b.Text != nil:
		in = []byte(*b.Text)
	case b.BytesBase64 != nil:
		in = *b.BytesBase64
	}
	return Answer{
		Context: ctx,
		Value: func() (any, func(), error) { // a command that does not read holds it up
			r, err := s.Registry.JobInput(caller(q.Params.TermbaySession), q.ID, in, b.EOF)
			if err != nil {
				return nil, nil, err
			}
			wire := JobInputResult{AcceptedBytes: r.Taken, Output: r.Output, Truncated: r.Truncated}
			if r.Entry != nil {
				entry := entryOf(*r.Entry, time.Now())
				wire.Entry = &entry
			}
			return wire, nil, nil
		},
		Late: func() (int, http.Header) { return http.StatusOK, nil },
	}, nil
}

// jobEndOf is what is left of a job that was stopped.
func jobEndOf(end registry.JobEnd) JobEnd {
	e := entryOf(end.Entry, time.Now())
	return JobEnd{
		Entry: e, Output: end.Output, Truncated: end.Truncated, LogPath: e.LogPath, Status: e.Status, Outcome: *e.Outcome,
		ExitCode: e.ExitCode, Signal: e.Signal, Text: end.Text,
	}
}
