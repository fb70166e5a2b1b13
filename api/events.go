package api

import (
	"context"
	"net/http"
	"unicode/utf8"

	"termbay/api/stream"
)

// asEvents is the form of what is told while it happens.
const asEvents = "text/event-stream"

// Events is an answer of server-sent events.
type Events struct {
	// Context is the context that the handler got.
	Context context.Context
	// Pump sends the events; the answer ends when it returns, or breaks off when it fails.
	Pump func(context.Context, stream.Send) error
	// Over, which may be nil, is called at the end, whatever it was.
	Over func()
}

// VisitCreateJobResponse sends the events.
func (e Events) VisitCreateJobResponse(w http.ResponseWriter) error { return e.serve(w) }

// VisitFollowLogResponse sends the events.
func (e Events) VisitFollowLogResponse(w http.ResponseWriter) error { return e.serve(w) }

func (e Events) serve(w http.ResponseWriter) error {
	if e.Over != nil {
		defer e.Over()
	}
	if isHead(e.Context) { // it has all that it wants, and would hold up what comes after it on its connection
		e.Pump = func(context.Context, stream.Send) error { return nil }
	}
	return stream.Serve(e.Context, w, e.Pump)
}

// piece is output on its way: text, or the bytes as they are where they are not UTF-8.
type piece struct {
	Text string `json:"text,omitempty"`
	B64  []byte `json:"b64,omitempty"`
}

func pieceOf(p []byte) piece {
	if utf8.Valid(p) {
		return piece{Text: string(p)}
	}
	return piece{B64: p}
}
