package api

import (
	"time"

	"termbay/core"
)

// Time is a moment on the wire: RFC 3339 in UTC with milliseconds. The zero Time is left out.
type Time struct{ time.Time }

// MarshalJSON is the moment as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// entryOf is an entry as callers see it at a moment.
func entryOf(e core.Entry, now time.Time) Entry {
	wire := Entry{
		ID: e.ID, UID: e.UID, Kind: e.Kind, Session: e.Session, Group: e.Group, Owner: e.Owner,
		Command: e.Command, Label: core.OneLine(e.Label), Cwd: e.Cwd, Shell: e.Shell,
		State: e.State, Status: e.Status(), PID: e.PID,
		StartedAt: Time{e.StartedAt}, BackgroundedAt: Time{e.BackgroundedAt}, ExitedAt: Time{e.ExitedAt}, DurationMS: e.Duration(now).Milliseconds(),
		Notify: e.Notify, Title: e.Title, Revision: e.Revision,
		LastReadAt: Time{e.LastReadAt}, LastInputAt: Time{e.LastInputAt}, ToolCallID: e.ToolCallID,
	}
	if e.Viewport != (core.Viewport{}) {
		wire.Viewport = &Viewport{Cols: e.Viewport.Cols, Rows: e.Viewport.Rows}
	}
	if log := e.Log; log != nil {
		wire.LogPath, wire.LogBytes, wire.DroppedBytes = log.Path, &log.Bytes, log.Dropped
		wire.LogTruncated, wire.LogError = log.Truncated, log.Error
	}
	if e.Outcome != nil {
		wire.Outcome = outcomeOf(*e.Outcome)
		wire.ExitCode, wire.Signal = wire.Outcome.ExitCode, wire.Outcome.Signal
	}
	if e.Waiting != nil {
		wire.Waiting = &Waiting{
			For: e.Waiting.For, Text: e.Waiting.Text, By: e.Waiting.By,
			Since: Time{e.Waiting.Since}, Until: Time{e.Waiting.Until},
		}
	}
	return wire
}

// entriesOf is a list of entries as callers see it, with commands cut to one short line; never nil, as an empty list is
// [] on the wire.
func entriesOf(entries []core.Entry, now time.Time) []Entry {
	wire := make([]Entry, 0, len(entries))
	for _, e := range entries {
		e.Command = core.OneLine(e.Command)
		wire = append(wire, entryOf(e, now))
	}
	return wire
}

// callsOf is a list of calls as callers see it; never nil.
func callsOf(calls []core.Call) []Call {
	wire := make([]Call, 0, len(calls))
	for _, c := range calls {
		w := Call{
			CallID: c.ID, Session: c.Session, Group: c.Group, Owner: c.Owner,
			Command: core.OneLine(c.Command), Label: core.OneLine(c.Label), Cwd: c.Cwd, PID: c.PID, StartedAt: Time{c.StartedAt},
		}
		if c.Timeout != nil {
			ms := c.Timeout.Milliseconds()
			w.TimeoutMS = &ms
		}
		wire = append(wire, w)
	}
	return wire
}

func outcomeOf(o core.Outcome) *Outcome {
	return &Outcome{
		Cause: o.Cause, By: o.By, ExitCode: o.Exit.Code, Signal: o.Exit.Signal,
		Detail: o.Detail, DescendantsAlive: o.DescendantsAlive,
	}
}
