package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// EarlyAfter is how long an answer may stay silent. A call that may take longer sends its headers at once.
	EarlyAfter = time.Second
	// heartbeat keeps such an answer alive: clients cut silent ones. Something is sent at least every 10 s.
	heartbeat = 8 * time.Second
)

// Answer is a JSON answer that may take long, or that counts as read only when it was delivered whole. A handler does
// what can fail first, returns the problem as an error, and leaves only the wait to Value.
type Answer struct {
	// Context is the context that the handler got.
	Context context.Context
	// Status is the HTTP status, 200 when it is 0.
	Status int
	// Header is sent besides the Content-Type.
	Header http.Header
	// Early sends status and headers at once and white space until the body follows. After that a failing Value
	// can only end the connection.
	Early bool
	// Value waits and returns what becomes the JSON body. Delivered, which may be nil, is called once the body was
	// written whole to a client that is still there, and not otherwise: then the next read repeats it.
	Value func() (body any, delivered func(), err error)
}

// VisitCreateTerminalResponse delivers the answer.
func (a Answer) VisitCreateTerminalResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitSendInputResponse delivers the answer.
func (a Answer) VisitSendInputResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitStopEntryResponse delivers the answer.
func (a Answer) VisitStopEntryResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitGetEntryResponse delivers the answer.
func (a Answer) VisitGetEntryResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitGetScreenResponse delivers the answer.
func (a Answer) VisitGetScreenResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitEndSessionResponse delivers the answer.
func (a Answer) VisitEndSessionResponse(w http.ResponseWriter) error { return a.deliver(w) }

func (a Answer) deliver(w http.ResponseWriter) error {
	out := output{w, http.NewResponseController(w)}
	if a.Early {
		a.head(w)
		_ = out.flush() // a client that left is noticed below
	}
	value, delivered, err := a.await(out)
	if err != nil {
		return err
	}
	body, err := encode(value)
	if err != nil {
		return err
	}
	if err := a.Context.Err(); err != nil { // asked before: a client that has all it wants may leave at once
		return err
	}
	if !a.Early {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		a.head(w)
	}
	if err := out.send(body); err != nil {
		return err
	}
	if delivered != nil {
		delivered()
	}
	return nil
}

// encode is a value as JSON with a line feed. Text stays as it is: what an agent reads, a prompt or a diff, is full of
// angle brackets, which only pages need escaped.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}

// await runs Value; when the headers are out, with a goroutine beside it that sends white space until it is done.
func (a Answer) await(out output) (any, func(), error) {
	if !a.Early {
		return a.Value()
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		out.beat(done)
	}()
	defer func() { // also when Value panics
		close(done)
		<-stopped
	}()
	return a.Value()
}

func (a Answer) head(w http.ResponseWriter) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/json")
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
}

// output is the way to the client; one goroutine at a time writes.
type output struct {
	io.Writer
	*http.ResponseController
}

// send writes and flushes. What it returns without an error was given to the network whole.
func (out output) send(b []byte) error {
	if _, err := out.Write(b); err != nil {
		return err
	}
	return out.flush()
}

func (out output) flush() error {
	if err := out.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// beat sends white space, which JSON allows before a value, until done is closed or the client is gone.
func (out output) beat(done <-chan struct{}) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if out.send([]byte(" ")) != nil {
				return
			}
		}
	}
}
