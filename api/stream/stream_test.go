package stream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"termbay/api/stream"
)

const patience = 30 * time.Second // how long a test waits for what must happen

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pump is what sends the events of a test.
type pump func(context.Context, stream.Send) error

// serve serves a pump over real HTTP. How each stream ended is told by the channel.
func serve(t *testing.T, p pump) (url string, ended <-chan error) {
	t.Helper()
	ends := make(chan error, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ends <- stream.Serve(r.Context(), hurried{w}, p)
	}))
	t.Cleanup(server.Close)
	return server.URL, ends
}

// hurried limits how long a client may take nothing.
type hurried struct{ http.ResponseWriter }

func (w hurried) Write(b []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(2 * time.Second))
	return w.ResponseWriter.Write(b)
}

func (w hurried) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// get opens a stream.
func get(t *testing.T, ctx context.Context, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// frame is an event as it is on the wire, read as the standard says.
type frame struct{ id, name, data string }

// frames reads a text to its end; every end of a line that a client may know counts.
func frames(text string) (all []frame) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for block := range strings.SplitSeq(text, "\n\n") {
		var f frame
		var data []string
		for line := range strings.SplitSeq(block, "\n") {
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "id":
				f.id = value
			case "event":
				f.name = value
			case "data":
				data = append(data, value)
			}
		}
		if len(data) > 0 {
			f.data = strings.Join(data, "\n")
			all = append(all, f)
		}
	}
	return all
}

func end(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		t.Fatal("the stream does not end")
		return nil
	}
}

func TestEventsArriveInOrderAndTheStreamEndsWithThePump(t *testing.T) {
	const count = 2000
	url, ended := serve(t, func(_ context.Context, send stream.Send) error {
		for i := range count {
			if err := send(stream.Event{ID: strconv.Itoa(i), Name: "output", Data: map[string]int{"n": i}}); err != nil {
				return err
			}
		}
		return nil
	})
	resp := get(t, t.Context(), url)
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || end(t, ended) != nil {
		t.Fatal(resp.StatusCode, err)
	}
	got := frames(string(text))
	if len(got) != count {
		t.Fatalf("%d events of %d", len(got), count)
	}
	for i, f := range got {
		if want := (frame{strconv.Itoa(i), "output", fmt.Sprintf(`{"n":%d}`, i)}); f != want {
			t.Fatalf("%+v, want %+v", f, want)
		}
	}
}

// r3labs/sse v2.10.0 splits data at \n only, while clients end a line at \r, too.
func TestTextCannotForgeAField(t *testing.T) {
	for name, text := range map[string]string{
		"line feeds": "a\n\nevent: forged\ndata: b\n\n", "carriage returns": "a\r\revent: forged\rdata: b\r\r", "both": "a\r\n\r\nid: 9\r\n",
		"a comment": ":b", "other ends of a line": "a\u2028b\u2029c\u0085d\x00", "markup": "<&>", "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := serve(t, func(_ context.Context, send stream.Send) error {
				return send(stream.Event{ID: "1", Name: "output", Data: text})
			})
			body, err := io.ReadAll(get(t, t.Context(), url).Body)
			got := frames(string(body))
			if err != nil || len(got) != 1 || got[0].id != "1" || got[0].name != "output" {
				t.Fatalf("%v %q", err, body)
			}
			if back, err := strconv.Unquote(got[0].data); name != "other ends of a line" && (err != nil || back != text) {
				t.Errorf("%q, %v", got[0].data, err)
			}
		})
	}
}

// In r3labs/sse v2.10.0 one reader that stalls holds up everybody on the same stream.
func TestAReaderThatStallsHoldsNobodyUpAndIsGivenUp(t *testing.T) {
	big, sent := strings.Repeat("x", 64<<10), atomic.Int64{}
	flood := func(ctx context.Context, send stream.Send) error {
		for {
			if err := send(stream.Event{ID: "1", Name: "output", Data: big}); err != nil {
				return err
			}
			sent.Add(1)
		}
	}
	url, ended := serve(t, flood)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") // and reads nothing
	live := bufio.NewReader(get(t, t.Context(), url).Body)
	if n, err := io.CopyN(io.Discard, live, 64<<20); err != nil {
		t.Errorf("the other reader got %d bytes: %v", n, err)
	}
	if err := end(t, ended); err == nil {
		t.Error("it was not given up")
	}
}

func TestWhoLeavesEndsHisStream(t *testing.T) {
	const clients = 200
	url, ended := serve(t, func(ctx context.Context, send stream.Send) error {
		if err := send(stream.Event{ID: "1", Name: "started", Data: 1}); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	before := goleak.IgnoreCurrent()
	for range clients {
		ctx, leave := context.WithCancel(t.Context())
		if line, err := bufio.NewReader(get(t, ctx, url).Body).ReadString('\n'); err != nil || line != "id: 1\n" {
			t.Fatalf("%q %v", line, err)
		}
		leave()
	}
	for range clients {
		if err := end(t, ended); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// fake is a client in memory.
type fake struct {
	head    http.Header
	text    strings.Builder
	flushes []time.Duration // since begun
	begun   time.Time
	fail    error         // when set, nothing more can be written
	gate    chan struct{} // when set, each flush waits for one of its values
}

func newFake() *fake { return &fake{head: http.Header{}, begun: time.Now()} }

func (f *fake) Header() http.Header { return f.head }

func (f *fake) WriteHeader(int) {}

func (f *fake) Write(b []byte) (int, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	return f.text.Write(b)
}

func (f *fake) FlushError() error {
	f.flushes = append(f.flushes, time.Since(f.begun))
	if f.gate != nil {
		<-f.gate
	}
	return nil
}

func TestASilentStreamBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		err := stream.Serve(t.Context(), f, func(_ context.Context, send stream.Send) error {
			time.Sleep(5 * time.Minute)
			return send(stream.Event{ID: "1", Name: "end", Data: struct{}{}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(f.text.String(), ": alive\n\n"); n != 37 || f.flushes[0] != 0 {
			t.Errorf("%d comments, headers after %v", n, f.flushes[0])
		}
		for i := 1; i < len(f.flushes); i++ {
			if silent := f.flushes[i] - f.flushes[i-1]; silent > 10*time.Second {
				t.Errorf("silent for %v", silent)
			}
		}
		if got := frames(f.text.String()); len(got) != 1 || got[0] != (frame{"1", "end", "{}"}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAnEventIsSentOnlyOnceTheOneBeforeWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.gate = make(chan struct{}, 1)
		f.gate <- struct{}{} // the headers
		sent, over := 0, make(chan struct{})
		go func() {
			defer close(over)
			_ = stream.Serve(t.Context(), f, func(_ context.Context, send stream.Send) error {
				for range 5 {
					if err := send(stream.Event{ID: "1", Name: "output", Data: 1}); err != nil {
						return err
					}
					sent++
				}
				return nil
			})
		}()
		for taken := range 5 {
			if synctest.Wait(); sent != taken {
				t.Errorf("%d were sent, %d taken", sent, taken)
			}
			f.gate <- struct{}{}
		}
		<-over
	})
}

func TestAnEventThatCannotBeSentIsAnError(t *testing.T) {
	broken := errors.New("broken pipe")
	for name, c := range map[string]struct {
		data any
		fail error
		want string
	}{
		"the connection is broken": {1, broken, "broken pipe"},
		"it is no JSON":            {make(chan int), nil, "encode event output"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.fail = c.fail
			err := stream.Serve(t.Context(), f, func(_ context.Context, send stream.Send) error {
				return send(stream.Event{ID: "1", Name: "output", Data: c.data})
			})
			if err == nil || !strings.Contains(err.Error(), c.want) || f.text.Len() > 0 {
				t.Errorf("%v, sent %q", err, f.text.String())
			}
		})
	}
}

func TestABeatThatFailsEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.fail = errors.New("broken pipe")
		err := stream.Serve(t.Context(), f, func(ctx context.Context, _ stream.Send) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if took := time.Since(f.begun); !errors.Is(err, context.Canceled) || took != stream.Heartbeat {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestAPanicIsThePumpsOwn(t *testing.T) {
	defer func() {
		if fault := recover(); fault != "broken" {
			t.Errorf("%v", fault)
		}
	}()
	_ = stream.Serve(t.Context(), newFake(), func(context.Context, stream.Send) error { panic("broken") })
}

func TestAClientThatHasLeftBeforeGetsNothing(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	f := newFake()
	err := stream.Serve(ctx, f, func(_ context.Context, send stream.Send) error {
		return send(stream.Event{ID: "1", Name: "output", Data: 1})
	})
	if !errors.Is(err, context.Canceled) || f.text.Len() > 0 {
		t.Errorf("%v, sent %q", err, f.text.String())
	}
}
