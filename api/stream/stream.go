// Package stream sends server-sent events to one client. It is the door of github.com/r3labs/sse.
//
// Each client has a stream of its own, so that one that stalls holds nobody up. It promises that an event is sent only
// once the one before it was given to the network, that text cannot forge a field, that no stream is silent for longer
// than Heartbeat, and that nothing is left of it when Serve returns. Serve joins the goroutines that it starts: the one
// that writes, the one that beats, and those of the library.
package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/r3labs/sse/v2"
)

// Heartbeat is how often a comment is sent, whatever else is: clients and proxies cut what is silent for 10 s.
const Heartbeat = 8 * time.Second

// name is that of the only stream of a server.
const name = "events"

// Event is one event.
type Event struct {
	ID   string // what a client that reconnects sends as Last-Event-ID; without control characters
	Name string // without control characters
	Data any    // sent as one line of JSON
}

// Send sends an event and returns once it was given to the network. Its error says that the client is gone.
type Send func(Event) error

// Serve answers with the events that pump sends, until pump returns, and returns its error. The context that pump gets
// ends with the client, or with ctx. Deadlines of writes are the ResponseWriter's own.
func Serve(ctx context.Context, w http.ResponseWriter, pump func(context.Context, Send) error) error {
	ctx, leave := context.WithCancel(ctx)
	s := newStream(ctx, w)
	var work sync.WaitGroup
	defer func() { // also when pump panics
		leave()
		<-s.closed
		work.Wait()
	}()
	work.Go(s.write)
	if err := <-s.out.flushed; err != nil { // the headers
		return err
	}
	work.Go(func() {
		if s.beat() != nil {
			leave()
		}
	})
	return pump(ctx, s.send)
}

// stream is the way to one client.
type stream struct {
	ctx    context.Context // of the client
	server *sse.Server
	out    *output
	closed chan struct{} // closed when the library has let go of it

	mu sync.Mutex // held while one event is on its way
}

func newStream(ctx context.Context, w http.ResponseWriter) *stream {
	s := &stream{
		ctx: ctx, server: sse.New(), closed: make(chan struct{}),
		out: &output{ResponseWriter: w, control: http.NewResponseController(w), flushed: make(chan error, 1)},
	}
	s.server.AutoReplay = false // else it would keep every event
	s.server.SplitData = true   // else data could begin a field
	s.server.BufferSize = 0     // an event is on its way or it is not
	s.server.Headers = map[string]string{"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
	s.server.OnUnsubscribe = func(string, *sse.Subscriber) {
		s.server.RemoveStream(name) // not before: whoever unsubscribes later would wait for ever
		close(s.closed)
	}
	s.server.CreateStream(name)
	return s
}

// write lets the library write what is sent, until the context ends.
func (s *stream) write() {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, "/?stream="+name, nil)
	if err != nil {
		panic(err) // a constant
	}
	s.server.ServeHTTP(s.out, r)
}

func (s *stream) send(e Event) error {
	var data bytes.Buffer
	text := json.NewEncoder(&data) // which writes line ends as escapes
	text.SetEscapeHTML(false)
	if err := text.Encode(e.Data); err != nil {
		return fmt.Errorf("encode event %s: %w", e.Name, err)
	}
	return s.publish(&sse.Event{ID: []byte(e.ID), Event: []byte(e.Name), Data: bytes.TrimRight(data.Bytes(), "\n")})
}

// beat sends comments until the client is gone.
func (s *stream) beat() error {
	tick := time.NewTicker(Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return nil
		case <-tick.C:
			if err := s.publish(&sse.Event{Comment: []byte("alive")}); err != nil {
				return err
			}
		}
	}
}

// publish hands an event to the library and waits until it was flushed.
func (s *stream) publish(e *sse.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ctx.Err(); err != nil { // the library may have let go of the stream, and would drop the event
		return err
	}
	s.server.Publish(name, e)
	select {
	case err := <-s.out.flushed:
		return err
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// output is where the library writes. It looks at no error; output remembers the first and tells it with the flush.
type output struct {
	http.ResponseWriter
	control *http.ResponseController
	flushed chan error // gets one error, or nil, after each event and after the headers
	err     error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.ResponseWriter.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Flush ends an event.
func (o *output) Flush() {
	if err := o.control.Flush(); o.err == nil {
		o.err = err
	}
	o.flushed <- o.err
}
