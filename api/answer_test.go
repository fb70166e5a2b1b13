package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"termbay/api"
	"termbay/core"
)

const patience = 20 * time.Second // how long a test waits for what must happen

// wire is a client in memory; what it got is known only once it was flushed.
type wire struct {
	mu      sync.Mutex // guards below
	head    http.Header
	status  int
	buffer  bytes.Buffer
	got     string
	times   []time.Duration // of every flush, since start
	start   time.Time
	failing bool // the connection is dead
}

func newWire() *wire { return &wire{head: http.Header{}, start: time.Now()} }

func (w *wire) Header() http.Header { return w.head }

func (w *wire) WriteHeader(status int) { w.status = status }

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buffer.Write(b)
}

func (w *wire) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing {
		return errors.New("broken pipe")
	}
	w.got += w.buffer.String()
	w.buffer.Reset()
	w.times = append(w.times, time.Since(w.start))
	return nil
}

func (w *wire) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failing = true
}

func (w *wire) flushes() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.times
}

// after is a value that takes a time.
func after(d time.Duration, value any, delivered func()) func() (any, func(), error) {
	return func() (any, func(), error) {
		time.Sleep(d)
		return value, delivered, nil
	}
}

func TestALongAnswerStartsAtOnceAndIsNeverSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, delivered := newWire(), false
		err := api.Answer{
			Context: t.Context(), Status: 201, Header: http.Header{"Location": {"/v1/terminals/t1"}}, Early: true,
			Value: after(5*time.Minute, map[string]int{"a": 1}, func() { delivered = true }),
		}.VisitCreateTerminalResponse(w)
		if err != nil || !delivered {
			t.Fatalf("%v, delivered %v", err, delivered)
		}
		if w.status != 201 || w.head.Get("Location") != "/v1/terminals/t1" || w.head.Get("Content-Type") != "application/json" {
			t.Errorf("head: %d %v", w.status, w.head)
		}
		times := w.flushes()
		if times[0] != 0 {
			t.Errorf("headers after %v", times[0])
		}
		for i := 1; i < len(times); i++ {
			if silent := times[i] - times[i-1]; silent > 10*time.Second {
				t.Errorf("silent for %v", silent)
			}
		}
		if body := strings.TrimLeft(w.got, " "); body != "{\"a\":1}\n" || !json.Valid([]byte(w.got)) || len(body) == len(w.got) {
			t.Errorf("body %q", w.got)
		}
	})
}

func TestAShortAnswerIsSentInOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, delivered := newWire(), false
		err := api.Answer{Context: t.Context(), Value: after(time.Second, "x", func() { delivered = true })}.VisitSendInputResponse(w)
		if err != nil || !delivered || w.status != 200 || w.got != "\"x\"\n" || w.head.Get("Content-Length") != "4" {
			t.Errorf("%v, delivered %v, %d %q %v", err, delivered, w.status, w.got, w.head)
		}
	})
}

// tooLate is a Late that must not be asked, because the headers are out.
func tooLate(t *testing.T) func() (int, http.Header) {
	return func() (int, http.Header) {
		t.Error("asked for headers that are out")
		return 0, nil
	}
}

func TestHeadersWaitForALateAnswerButNotForLong(t *testing.T) {
	location := http.Header{"Location": {"/v1/jobs/b1"}}
	for name, c := range map[string]struct {
		takes  time.Duration
		late   func() (int, http.Header)
		status int
		header string
		body   string
		first  time.Duration // when the first byte is sent
	}{
		"at once":          {0, func() (int, http.Header) { return 202, location }, 202, "/v1/jobs/b1", "\"x\"\n", 0},
		"within 8 seconds": {7900 * time.Millisecond, func() (int, http.Header) { return 202, location }, 202, "/v1/jobs/b1", "\"x\"\n", 7900 * time.Millisecond},
		"later":            {20 * time.Second, tooLate(t), 200, "", "  \"x\"\n", 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, delivered := newWire(), false
				err := api.Answer{Context: t.Context(), Late: c.late, Value: after(c.takes, "x", func() { delivered = true })}.VisitCreateJobResponse(w)
				if err != nil || !delivered || w.status != c.status || w.head.Get("Location") != c.header || w.got != c.body {
					t.Errorf("%v, delivered %v, %d %v %q", err, delivered, w.status, w.head, w.got)
				}
				if first := w.flushes()[0]; first != c.first {
					t.Errorf("silent for %v", first)
				}
			})
		})
	}
}

func TestAFailureOfALateAnswerIsAProblemWithItsOwnStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		err := api.Answer{Context: t.Context(), Late: tooLate(t), Value: func() (any, func(), error) {
			time.Sleep(5 * time.Second)
			return nil, nil, &core.Error{Code: core.StdinClosed}
		}}.VisitSendJobInputResponse(w)
		if err == nil || w.status != 0 || w.got != "" {
			t.Errorf("%v, %d %q", err, w.status, w.got)
		}
	})
}

func TestAnAnswerThatDidNotArriveIsNotDelivered(t *testing.T) {
	for name, lose := range map[string]func(w *wire, cancel func()){
		"the connection broke before the end": func(w *wire, _ func()) { w.fail() },
		"the client left":                     func(_ *wire, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				_ = api.Answer{Context: ctx, Early: true, Value: func() (any, func(), error) {
					time.Sleep(time.Minute)
					lose(w, cancel)
					return "x", func() { t.Error("delivered") }, nil
				}}.VisitSendInputResponse(w)
			})
		})
	}
}

func TestAFailureBeforeTheHeadersIsAProblem(t *testing.T) {
	c := plumbed(t, stub{sendInput: func(ctx context.Context, _ api.SendInputRequestObject) (api.SendInputResponseObject, error) {
		return api.Answer{Context: ctx, Value: func() (any, func(), error) {
			return nil, nil, &core.Error{Code: core.Gone, Detail: "t1 was stopped and forgotten."}
		}}, nil
	}})
	if p := c.do("POST", "/v1/terminals/t1/input", "").problem(t); p.Code != core.Gone {
		t.Errorf("%+v", p)
	}
}

func TestAFailureAfterTheHeadersEndsTheConnection(t *testing.T) {
	for name, fail := range map[string]func() (any, func(), error){
		"error": func() (any, func(), error) { return nil, nil, errors.New("it broke") },
		"panic": func() (any, func(), error) { panic("it broke") },
		"value": func() (any, func(), error) { return make(chan int), nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var log journal
			cfg := configured(t, stub{sendInput: func(ctx context.Context, _ api.SendInputRequestObject) (api.SendInputResponseObject, error) {
				return api.Answer{Context: ctx, Early: true, Value: fail}, nil
			}})
			cfg.Log = log.logger()
			c := newClient(t, api.New(cfg))
			req, _ := http.NewRequest("POST", c.url+"/v1/terminals/t1/input", nil)
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := c.http.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); err == nil {
				t.Errorf("a whole answer: %q", body)
			}
			c.http.CloseIdleConnections()
			if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
				t.Errorf("%d errors logged:\n%s", n, &log)
			}
		})
	}
}

// A client that leaves in the middle of a wait ends it, and nothing counts as delivered (O-H3).
func TestWaitersOfClientsThatLeftAreGone(t *testing.T) {
	const clients = 50
	var waiting, delivered atomic.Int32
	left := make(chan struct{}, clients)
	c := plumbed(t, stub{sendInput: func(ctx context.Context, _ api.SendInputRequestObject) (api.SendInputResponseObject, error) {
		return api.Answer{Context: ctx, Early: true, Value: func() (any, func(), error) {
			waiting.Add(1)
			<-ctx.Done()
			left <- struct{}{}
			return someResult(), func() { delivered.Add(1) }, nil
		}}, nil
	}})
	for range clients {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, "POST /v1/terminals/t1/input HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+
			"\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"wait_ms\":300000}")
		if err != nil {
			t.Fatal(err)
		}
		if head, err := io.ReadAll(io.LimitReader(conn, 15)); string(head) != "HTTP/1.1 200 OK" {
			t.Fatalf("%q %v", head, err)
		}
		conn.Close()
	}
	for range clients {
		select {
		case <-left:
		case <-time.After(patience):
			t.Fatalf("only some of %d waiters are gone", waiting.Load())
		}
	}
	if n := delivered.Load(); n > 0 {
		t.Errorf("%d answers count as delivered", n)
	}
}
