package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"termbay/core"
)

const (
	replayFor   = 10 * time.Minute // how long an answer is remembered
	replayCount = 1000             // how many answers are remembered at most
	replayBytes = 16 << 20         // how many bytes of them at most
)

// replays remembers the answers to requests with an Idempotency-Key, so that a client that lost one may ask again
// without doing it again. It is bounded: the oldest answers go first, those in flight never.
type replays struct {
	mu      sync.Mutex // guards below
	records map[slot]*record
	settled []slot // of those answered, oldest first
	bytes   int    // of their bodies
}

// slot is what a key is unique in.
type slot struct{ session, operation, path, key string }

// record is one request with a key. The request that came first writes a field before it closes the channel that the
// field is read after.
type record struct {
	digest string

	begun   chan struct{} // closed when the handler has returned
	answer  Answer        // its answer, unless
	refusal error         // it refused

	done      chan struct{} // closed when the body is known
	body      json.RawMessage
	delivered func() // does something once, whoever gets the body first
	err       error
	at        time.Time
}

func newReplays() *replays { return &replays{records: map[slot]*record{}} }

// middleware gives a request with a key to the handler once, and its repeats the same answer. The work is cut off from
// the client that came first: when that one leaves the work goes on, so that the repeat finds it done.
func (s *replays) middleware(next StrictHandlerFunc, operation string) StrictHandlerFunc {
	if !slices.Contains([]string{"CreateTerminal", "SendInput", "CreateJob", "SendJobInput"}, operation) {
		return next
	}
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		key := r.Header.Get("Idempotency-Key")
		if key == "" {
			return next(ctx, w, r, request)
		}
		digest, err := digestOf(r)
		if err != nil {
			return nil, err
		}
		at := slot{r.Header.Get(sessionHeader), operation, r.URL.Path, key}
		rec, first := s.claim(at, digest)
		switch {
		case rec.digest != digest:
			return nil, &core.Error{Code: idempotencyMismatch, Detail: "This Idempotency-Key was used with another body; use a new one."}
		case !first:
			return rec.repeat(ctx)
		}
		return s.begin(ctx, at, rec, func(ctx context.Context) (any, error) { return next(ctx, w, r, request) })
	}
}

// digestOf is the digest of a body, defaults filled in.
func digestOf(r *http.Request) (string, error) {
	body, err := r.GetBody()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, body); err != nil {
		return "", err
	}
	return string(sum.Sum(nil)), nil
}

// claim is the record in a slot, and whether the caller is the first to ask for it.
func (s *replays) claim(at slot, digest string) (rec *record, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.settled) > 0 && time.Since(s.records[s.settled[0]].at) >= replayFor {
		s.dropOldest()
	}
	if rec, ok := s.records[at]; ok {
		return rec, false
	}
	rec = &record{digest: digest, begun: make(chan struct{}), done: make(chan struct{})}
	s.records[at] = rec
	return rec, true
}

// begin runs the handler for the first request. What it leaves unsaid, because it panicked, stays an error.
func (s *replays) begin(ctx context.Context, at slot, rec *record, handle func(context.Context) (any, error)) (any, error) {
	rec.refusal = errors.New("the first request with this key failed")
	defer func() {
		if rec.refusal != nil {
			s.settle(at, rec)
		}
		close(rec.begun)
	}()
	response, err := handle(context.WithoutCancel(ctx))
	answer, ok := response.(Answer)
	switch {
	case err != nil:
		rec.refusal = err
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%s: an answer of type %T cannot be repeated", at.operation, response)
	}
	rec.answer, rec.refusal = answer, nil
	answer.Context = ctx
	answer.Value = func() (any, func(), error) { return s.finish(at, rec) }
	return answer, nil
}

// finish waits for the body on behalf of everybody who asks for it.
func (s *replays) finish(at slot, rec *record) (any, func(), error) {
	rec.err = errors.New("the first request with this key failed")
	defer func() {
		s.settle(at, rec)
		close(rec.done)
	}()
	value, delivered, err := rec.answer.Value()
	if err != nil {
		rec.err = err
		return nil, nil, err
	}
	if delivered == nil {
		delivered = func() {}
	}
	rec.delivered = sync.OnceFunc(delivered)
	rec.body, rec.err = encode(value)
	return rec.body, rec.delivered, rec.err
}

// repeat is the first answer again, for another client.
func (rec *record) repeat(ctx context.Context) (any, error) {
	select {
	case <-rec.begun:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if rec.refusal != nil {
		return nil, rec.refusal
	}
	answer := rec.answer
	answer.Context = ctx
	answer.Value = func() (any, func(), error) {
		select {
		case <-rec.done:
			return rec.body, rec.delivered, rec.err
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return answer, nil
}

// settle remembers what came of a request. A problem that the caller can mend means that nothing was done: it is
// forgotten, so that the request may be tried again with its key.
func (s *replays) settle(at slot, rec *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var known *core.Error
	if errors.As(rec.refusal, &known) || errors.As(rec.err, &known) {
		delete(s.records, at)
		return
	}
	rec.at = time.Now()
	s.settled = append(s.settled, at)
	s.bytes += len(rec.body)
	for len(s.settled) > replayCount || s.bytes > replayBytes {
		s.dropOldest()
	}
}

func (s *replays) dropOldest() {
	at := s.settled[0]
	s.bytes -= len(s.records[at].body)
	delete(s.records, at)
	s.settled = slices.Delete(s.settled, 0, 1)
}
