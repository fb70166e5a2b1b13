package api

import (
	"context"
	"io"
	"strconv"
	"time"

	"termbay/core"
	"termbay/core/registry"
)

// ListEntries lists what was started.
func (s Service) ListEntries(_ context.Context, q ListEntriesRequestObject) (ListEntriesResponseObject, error) {
	p := q.Params
	list, err := s.Registry.Entries(caller(p.TermbaySession), registry.Scope(p.Scope), p.Kind, p.Status)
	if err != nil {
		return nil, err
	}
	return ListEntries200JSONResponse{
		Terminals: entriesOf(list.Terminals, time.Now()), BackgroundJobs: entriesOf(list.Jobs, time.Now()), Calls: callsOf(list.Calls),
		Running: list.Running, Exited: list.Exited,
	}, nil
}

// GetEntry is one entry, now or once it has exited.
func (s Service) GetEntry(ctx context.Context, q GetEntryRequestObject) (GetEntryResponseObject, error) {
	who, p := caller(q.Params.TermbaySession), q.Params
	e, err := s.Registry.Entry(who, q.ID)
	if err != nil {
		return nil, err
	}
	if p.Wait == "" || e.State == core.Exited {
		return GetEntry200JSONResponse(entryOf(e, time.Now())), nil
	}
	wait := milliseconds(p.WaitMS)
	return Answer{
		Context: ctx,
		Early:   wait > EarlyAfter,
		Value: func() (any, func(), error) {
			e, err := s.Registry.AwaitExit(ctx, who, q.ID, wait)
			if err != nil {
				return nil, nil, err
			}
			return entryOf(e, time.Now()), nil, nil
		},
	}, nil
}

// StopEntry ends an entry and answers with its final Result.
func (s Service) StopEntry(ctx context.Context, q StopEntryRequestObject) (StopEntryResponseObject, error) {
	b := q.Body
	grace := milliseconds(b.GraceMS)
	turn, err := s.Registry.Stop(caller(q.Params.TermbaySession), q.ID, registry.Stop{
		Signal: b.Signal, Grace: &grace, Escalate: b.Escalate, Forget: b.Forget, KeepLog: b.KeepLog, By: b.By,
	})
	if err != nil {
		return nil, err
	}
	a := turnAnswer(ctx, turn)
	if turn.OfJob() {
		a.Value = func() (any, func(), error) {
			end, delivered, err := turn.End(ctx)
			if err != nil {
				return nil, nil, err
			}
			return jobEndOf(end), delivered, nil
		}
	}
	a.Early = a.Early && b.Escalate // without escalation the status depends on how it ends
	return a, nil
}

// SignalEntry sends a signal.
func (s Service) SignalEntry(_ context.Context, q SignalEntryRequestObject) (SignalEntryResponseObject, error) {
	e, err := s.Registry.Signal(caller(q.Params.TermbaySession), q.ID, q.Body.Signal)
	if err != nil {
		return nil, err
	}
	return SignalEntry200JSONResponse(entryOf(e, time.Now())), nil
}

// ForgetEntry drops an exited entry.
func (s Service) ForgetEntry(_ context.Context, q ForgetEntryRequestObject) (ForgetEntryResponseObject, error) {
	if err := s.Registry.Forget(caller(q.Params.TermbaySession), q.ID); err != nil {
		return nil, err
	}
	return ForgetEntry204Response{}, nil
}

// GetTimeline is what happened to an entry.
func (s Service) GetTimeline(_ context.Context, q GetTimelineRequestObject) (GetTimelineResponseObject, error) {
	events, err := s.Registry.Timeline(caller(q.Params.TermbaySession), q.ID)
	if err != nil {
		return nil, err
	}
	wire := make([]Event, 0, len(events))
	for _, e := range events {
		wire = append(wire, Event{At: Time{e.At}, Kind: e.Kind, By: e.By, Detail: e.Detail})
	}
	return GetTimeline200JSONResponse{Events: wire}, nil
}

// GetOutput is a full-output file.
func (s Service) GetOutput(_ context.Context, q GetOutputRequestObject) (GetOutputResponseObject, error) {
	n, err := strconv.Atoi(q.N)
	if err != nil || strconv.Itoa(n) != q.N {
		n = 0 // no output has this number
	}
	f, err := s.Registry.Output(caller(q.Params.TermbaySession), q.ID, n)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return GetOutput200TextPlainCharsetUTF8Response{Body: f, ContentLength: size}, nil
}
