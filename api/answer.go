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
	// Late, which may be nil, lets status and headers wait for Value, and says them then in place of Status and Header.
	// They do not wait for longer than a heartbeat: then Status and Header are sent, and white space follows.
	Late func() (status int, header http.Header)
	// Value waits and returns what becomes the JSON body. Delivered, which may be nil, is called once the body was
	// written whole to a client that is still there, and not otherwise: then the next read repeats it.
	Value func() (body any, delivered func(), err error)
}

// VisitCreateTerminalResponse delivers the answer.
func (a Answer) VisitCreateTerminalResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitSendInputResponse delivers the answer.
func (a Answer) VisitSendInputResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitCreateJobResponse delivers the answer.
func (a Answer) VisitCreateJobResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitSendJobInputResponse delivers the answer.
func (a Answer) VisitSendJobInputResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitStopEntryResponse delivers the answer.
func (a Answer) VisitStopEntryResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitGetEntryResponse delivers the answer.
func (a Answer) VisitGetEntryResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitGetScreenResponse delivers the answer.
func (a Answer) VisitGetScreenResponse(w http.ResponseWriter) error { return a.deliver(w) }

// VisitEndSessionResponse delivers the answer.
func (a Answer) VisitEndSessionResponse(w http.ResponseWriter) error { return a.deliver(w) }

func (a Answer) deliver(w http.ResponseWriter) error {
	out, begun := output{w, http.NewResponseController(w)}, a.Early
	if begun {
		a.head(w)
		_ = out.flush() // a client that left is noticed below
	}
	value, delivered, err := a.await(func() error {
		if !begun {
			begun = true
			a.head(w)
		}
		return out.send([]byte(" ")) // white space, which JSON allows before a value
	})
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
	if !begun {
		if a.Late != nil {
			a.Status, a.Header = a.Late()
		}
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

// await runs Value; when that may take long, with a goroutine beside it that beats until it is done.
func (a Answer) await(send func() error) (any, func(), error) {
	if !a.Early && a.Late == nil {
		return a.Value()
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		beat(done, send)
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

// beat sends something once in a heartbeat, until done is closed or the client is gone.
func beat(done <-chan struct{}, send func() error) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if send() != nil {
				return
			}
		}
	}
}
