package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// typist counts what was typed, and how often an answer was delivered.
type typist struct {
	typed, delivered atomic.Int32
	hold             chan struct{} // when set, an answer waits until it is closed
	refuse           error         // when set, the next inputs fail
}

func (y *typist) handlers() stub {
	return stub{sendInput: func(ctx context.Context, _ api.SendInputRequestObject) (api.SendInputResponseObject, error) {
		n := y.typed.Add(1)
		if y.refuse != nil {
			return nil, y.refuse
		}
		return api.Answer{Context: ctx, Header: http.Header{"X-Turn": {fmt.Sprint(n)}}, Early: y.hold != nil, Value: func() (any, func(), error) {
			if y.hold != nil {
				select {
				case <-y.hold:
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				}
			}
			r := someResult()
			r.Text = fmt.Sprintf("<turn %d>", n)
			return r, func() { y.delivered.Add(1) }, nil
		}}, nil
	}}
}

func key(k string) func(*http.Request) { return header("Idempotency-Key", k) }

func TestARepeatGetsTheFirstAnswerAndDoesNothing(t *testing.T) {
	y := &typist{}
	c := plumbed(t, y.handlers())
	first := c.do("POST", "/v1/terminals/t1/input", `{"text":"a"}`, key("k"))
	again := c.do("POST", "/v1/terminals/t1/input", `{"text":"a"}`, key("k"))
	if again.body != first.body || again.status != first.status || again.header.Get("X-Turn") != "1" {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if y.typed.Load() != 1 || y.delivered.Load() != 1 {
		t.Errorf("typed %d times, delivered %d times", y.typed.Load(), y.delivered.Load())
	}
}

func TestWhatMakesAnotherRequest(t *testing.T) {
	session := func(s string) func(*http.Request) { return header("Termbay-Session", s) }
	for name, c := range map[string]struct {
		path, body string
		options    []func(*http.Request)
		status     int
		typed      int32
	}{
		"same":            {"/v1/terminals/t1/input", `{"text":"a"}`, []func(*http.Request){key("k")}, 200, 1},
		"another body":    {"/v1/terminals/t1/input", `{"text":"b"}`, []func(*http.Request){key("k")}, 422, 1},
		"no body":         {"/v1/terminals/t1/input", ``, []func(*http.Request){key("k")}, 422, 1},
		"another key":     {"/v1/terminals/t1/input", `{"text":"a"}`, []func(*http.Request){key("K")}, 200, 2},
		"no key":          {"/v1/terminals/t1/input", `{"text":"a"}`, nil, 200, 2},
		"another path":    {"/v1/terminals/t2/input", `{"text":"a"}`, []func(*http.Request){key("k")}, 200, 2},
		"another session": {"/v1/terminals/t1/input", `{"text":"a"}`, []func(*http.Request){key("k"), session("s")}, 200, 2},
		"empty key":       {"/v1/terminals/t1/input", `{"text":"a"}`, []func(*http.Request){func(r *http.Request) { r.Header["Idempotency-Key"] = []string{""} }}, 422, 1},
		"long key":        {"/v1/terminals/t1/input", `{"text":"a"}`, []func(*http.Request){key(strings.Repeat("k", 256))}, 422, 1},
	} {
		t.Run(name, func(t *testing.T) {
			y := &typist{}
			client := plumbed(t, y.handlers())
			client.do("POST", "/v1/terminals/t1/input", `{"text":"a"}`, key("k"))
			got := client.do("POST", c.path, c.body, c.options...)
			if got.status != c.status || y.typed.Load() != c.typed {
				t.Errorf("status %d, want %d; typed %d times, want %d", got.status, c.status, y.typed.Load(), c.typed)
			}
			if c.status == 422 && len(c.options) == 1 && !strings.Contains(got.body, "dempotency") {
				t.Errorf("body %s", got.body)
			}
		})
	}
}

func TestARefusalIsForgottenAndAFaultIsNot(t *testing.T) {
	for name, c := range map[string]struct {
		refuse error
		status int
		typed  int32
	}{
		"refused": {&core.Error{Code: core.NotRunning, Detail: "t1 has exited."}, 200, 2},
		"failed":  {errors.New("it broke on the way"), 500, 1},
	} {
		t.Run(name, func(t *testing.T) {
			y := &typist{refuse: c.refuse}
			client := plumbed(t, y.handlers())
			client.do("POST", "/v1/terminals/t1/input", "", key("k"))
			y.refuse = nil
			if got := client.do("POST", "/v1/terminals/t1/input", "", key("k")); got.status != c.status || y.typed.Load() != c.typed {
				t.Errorf("status %d, want %d; tried %d times, want %d", got.status, c.status, y.typed.Load(), c.typed)
			}
		})
	}
}

func TestRepeatsInFlightWaitForTheFirst(t *testing.T) {
	const repeats = 20
	y := &typist{hold: make(chan struct{})}
	c := plumbed(t, y.handlers())
	bodies := make([]string, repeats)
	var answers, started sync.WaitGroup
	for i := range repeats {
		started.Add(1)
		answers.Go(func() {
			req, _ := http.NewRequest("POST", c.url+"/v1/terminals/t1/input", strings.NewReader(`{"text":"a"}`))
			req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Idempotency-Key": {"k"}}
			resp, err := c.http.Do(req) // returns with the headers, which come at once
			started.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			bodies[i] = strings.TrimLeft(string(body), " ")
		})
	}
	started.Wait()
	close(y.hold)
	answers.Wait()
	for _, body := range bodies {
		if body != bodies[0] || !strings.Contains(body, "turn 1") {
			t.Errorf("got %q and %q", body, bodies[0])
		}
	}
	if y.typed.Load() != 1 || y.delivered.Load() != 1 {
		t.Errorf("typed %d times, delivered %d times", y.typed.Load(), y.delivered.Load())
	}
}

func TestTheRepeatOfAClientThatLeftGetsItsAnswer(t *testing.T) {
	y := &typist{hold: make(chan struct{})}
	cfg, left := configured(t, y.handlers()), make(chan struct{})
	handler := api.New(cfg)
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-First") != "" {
			go func() {
				<-r.Context().Done()
				close(left)
			}()
		}
		handler.ServeHTTP(w, r)
	}))
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", c.url+"/v1/terminals/t1/input", strings.NewReader(`{"text":"a"}`))
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Idempotency-Key": {"k"}, "X-First": {"1"}}
	resp, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	resp.Body.Close()
	<-left
	close(y.hold)
	if got := c.do("POST", "/v1/terminals/t1/input", `{"text":"a"}`, key("k")); !strings.Contains(got.body, "turn 1") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if y.typed.Load() != 1 || y.delivered.Load() != 1 {
		t.Errorf("typed %d times, delivered %d times", y.typed.Load(), y.delivered.Load())
	}
}

func TestAnswersAreRememberedForTenMinutesAndNotWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := &typist{}
		handler := api.New(configured(t, y.handlers()))
		send := func(k string) {
			r, _ := http.NewRequestWithContext(t.Context(), "POST", "http://localhost/v1/terminals/t1/input", http.NoBody)
			r.Header = http.Header{"Authorization": {"Bearer " + token}, "Idempotency-Key": {k}}
			w := newWire()
			if handler.ServeHTTP(w, r); w.status != 200 {
				t.Fatalf("%d %s", w.status, &w.buffer)
			}
		}
		typed := func(what string, want int32) {
			t.Helper()
			if got := y.typed.Load(); got != want {
				t.Errorf("%s: typed %d times, want %d", what, got, want)
			}
		}
		send("a")
		time.Sleep(10*time.Minute - time.Second)
		send("a")
		typed("before ten minutes", 1)
		time.Sleep(time.Second)
		send("a")
		typed("after ten minutes", 2)
		for i := range 1000 {
			send(fmt.Sprint("filler ", i))
		}
		typed("a thousand others", 1002)
		send("a")
		typed("pushed out", 1003)
		send("filler 999")
		typed("still there", 1003)
	})
}
