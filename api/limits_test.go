package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"termbay/api"
	"termbay/api/stream"
)

// pipes is a listener whose connections are in memory, so that time can be faked.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	close(p.closed)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dialled serves handlers in a bubble and returns a connection to them.
func dialled(t *testing.T, handlers api.StrictServerInterface) net.Conn {
	p := pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: api.New(configured(t, handlers))}
	go server.Serve(p)
	near, far := net.Pipe()
	p.connections <- far
	t.Cleanup(func() {
		near.Close()
		server.Close()
	})
	return near
}

const head = "POST /v1/terminals/t1/input HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nAuthorization: Bearer %s\r\n\r\n%s"

func TestABodyThatDoesNotComeIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		status  string
	}{
		"half a body":               {fmt.Sprintf(head, 10, token, "{"), "400"},
		"no body":                   {fmt.Sprintf(head, 10, token, ""), "400"},
		"nobody we know":            {fmt.Sprintf(head, 10, "x", "{"), "401"},
		"broken where none belongs": {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "422"},
		"where none belongs":        {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n", "422"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, conn := time.Now(), dialled(t, stub{})
				io.WriteString(conn, c.request)
				answer, err := io.ReadAll(conn) // until the connection is closed
				if took := time.Since(begun); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+c.status) || took > time.Minute {
					t.Errorf("%v after %v: %s", err, took, answer)
				}
			})
		})
	}
}

func TestALimitOfABodyIsNoneOfItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := dialled(t, stub{sendInput: func(ctx context.Context, _ api.SendInputRequestObject) (api.SendInputResponseObject, error) {
			return api.Answer{Context: ctx, Early: true, Value: after(5*time.Minute, someResult(), nil)}, nil
		}})
		expecting := strings.Replace(head, "\r\n", "\r\nExpect: 100-continue\r\n", 1)
		for range 2 { // nor of the next request
			fmt.Fprintf(conn, expecting, 2, token, "{}")
			answers := bufio.NewReader(conn)
			if resp, err := http.ReadResponse(answers, nil); err != nil || resp.StatusCode != 100 {
				t.Fatal(resp, err)
			}
			resp, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"id":"t1"`) {
				t.Errorf("%v: %s", err, body)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestAnAnswerThatNobodyTakesIsGivenUp(t *testing.T) {
	for name, request := range map[string]string{
		"at once":    "GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"waited for": fmt.Sprintf(head, 2, token, "{}"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left := make(chan struct{})
				conn := dialled(t, stub{sendInput: func(ctx context.Context, _ api.SendInputRequestObject) (api.SendInputResponseObject, error) {
					return api.Answer{Context: ctx, Early: true, Value: func() (any, func(), error) {
						<-ctx.Done()
						close(left)
						return nil, nil, ctx.Err()
					}}, nil
				}})
				begun := time.Now()
				io.WriteString(conn, request)
				if name == "waited for" {
					<-left
				}
				time.Sleep(time.Minute - time.Since(begun))
				if n, err := io.Copy(io.Discard, conn); n > 4096 || err != nil {
					t.Errorf("%d bytes were still sent, %v", n, err)
				}
			})
		})
	}
}

func TestEventsThatNobodyTakesAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, sent := make(chan struct{}), 0
		conn := dialled(t, stub{followLog: func(ctx context.Context, _ api.FollowLogRequestObject) (api.FollowLogResponseObject, error) {
			return api.Events{Context: ctx, Over: func() { close(over) }, Pump: func(_ context.Context, send stream.Send) error {
				for {
					if err := send(stream.Event{ID: "1", Name: "output", Data: strings.Repeat("x", 1000)}); err != nil {
						return err
					}
					sent++
				}
			}}, nil
		}})
		begun := time.Now()
		io.WriteString(conn, "GET /v1/entries/b1/log/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\n\r\n")
		<-over
		if took := time.Since(begun); took > time.Minute || sent > 10 {
			t.Errorf("given up after %v, with %d events", took, sent)
		}
	})
}
