package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The cases of kind h: whatever a client or a page sends, only what was meant is done.

// dial opens a connection to the service, for requests that no HTTP client would send.
func (s *service) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

// raw sends a request as it is and returns the answer to it.
func (s *service) raw(request string) (status int, header http.Header, body string) {
	s.t.Helper()
	conn := s.dial()
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		s.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatalf("%q: %v", request, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%q: %v", request, err)
	}
	return res.StatusCode, res.Header, string(text)
}

// styles is the path of the style sheet that /docs names.
func (s *service) styles() string {
	s.t.Helper()
	_, rest, _ := strings.Cut(string(s.call(http.StatusOK, "GET", "/docs", nil).raw), `rel="stylesheet" href="`)
	path, _, _ := strings.Cut(rest, `"`)
	return path
}

func TestAReboundNameReachesNothing(t *testing.T) { // O-H1
	s := serve(t, "--allowed-host", "box.example")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	paths := []string{"/v1/entries", "/v1/capabilities", "/metrics", "/healthz", "/openapi.yaml", "/docs", s.styles()}
	for host, allowed := range map[string]bool{
		"localhost:" + port: true, "127.0.0.1:" + port: true, "[::1]:" + port: true, "localhost": true, "LOCALHOST:" + port: true, "box.example:" + port: true,
		"attacker.example:" + port: false, "attacker.example": false, "127.0.0.1.nip.io": false, "127.0.0.1.nip.io:" + port: false, "localhost.": false,
		"localhost.:" + port: false, "localhost.attacker.example": false, "box.example.attacker.example": false, "0.0.0.0:" + port: false, "127.0.0.2:" + port: false,
		"[::]:" + port: false, "[::ffff:127.0.0.1]:" + port: false, "": false, ":" + port: false,
	} {
		for _, path := range append(paths, "/nowhere") {
			status, header, body := s.raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + s.token + "\r\n\r\n")
			want := http.StatusOK
			switch {
			case !allowed:
				want = http.StatusMisdirectedRequest
			case path == "/nowhere":
				want = http.StatusNotFound
			}
			if status != want || !allowed && (!strings.Contains(body, `"code":"host_not_allowed"`) || strings.Contains(body, "t1")) {
				t.Errorf("Host %q, %s: %d, want %d: %.200s", host, path, status, want, body)
			}
			if header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("Host %q, %s has a CORS header", host, path)
			}
		}
	}
	for request, want := range map[string]int{
		"GET /v1/entries HTTP/1.0\r\n\r\n":                                              http.StatusMisdirectedRequest, // no Host at all
		"GET /v1/entries HTTP/1.1\r\n\r\n":                                              http.StatusBadRequest,
		"GET /v1/entries HTTP/1.1\r\nHost: localhost\r\nHost: attacker.example\r\n\r\n": http.StatusBadRequest,
		"GET http://attacker.example/v1/entries HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token + "\r\n\r\n": http.StatusMisdirectedRequest,
	} {
		if status, _, body := s.raw(request); status != want {
			t.Errorf("%q: %d, want %d: %s", request, status, want, body)
		}
	}
}

func TestAPageOfAnotherSiteStartsNothing(t *testing.T) { // O-H2
	s := serve(t)
	pwned := filepath.Join(t.TempDir(), "pwned")
	body := fmt.Sprintf(`{"command":"touch %s","wait_for_text":"%s","wait_ms":60000}`, pwned, never)
	send := func(method, headers string) (int, http.Header) {
		status, header, _ := s.raw(fmt.Sprintf("%s /v1/terminals HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n%s\r\n%s",
			method, strings.TrimPrefix(s.url, "http://"), s.token, len(body), headers, body))
		return status, header
	}
	const asJSON = "Content-Type: application/json\r\n"
	for headers, want := range map[string]int{
		"Origin: http://evil.example\r\nContent-Type: text/plain\r\n":     403,
		"Origin: http://evil.example\r\n" + asJSON:                        403,
		"Origin: null\r\n" + asJSON:                                       403,
		"Origin: http://localhost:1\r\n" + asJSON:                         403,
		"Origin: " + s.url + ".evil.example\r\n" + asJSON:                 403,
		"Origin: " + s.url + "\r\nSec-Fetch-Site: same-site\r\n" + asJSON: 403,
		"Sec-Fetch-Site: cross-site\r\n" + asJSON:                         403,
		"Content-Type: text/plain\r\n":                                    415,
		"Content-Type: application/x-www-form-urlencoded\r\n":             415,
		"Content-Type: multipart/form-data; boundary=x\r\n":               415,
		"":                   415,
		"Content-Type: \r\n": 415,
		"Content-Type: text/plain; a=application/json\r\n":             415,
		"Content-Type: application/json\r\nContent-Encoding: gzip\r\n": 415,
	} {
		status, header := send("POST", headers)
		if status != want {
			t.Errorf("%q: %d, want %d", headers, status, want)
		}
		for name := range header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%q: %s", headers, name)
			}
		}
	}
	status, header := send("OPTIONS", "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n")
	if status != http.StatusMethodNotAllowed || header.Get("Access-Control-Allow-Origin") != "" || header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("a preflight: %d %v", status, header)
	}
	if a := s.call(http.StatusOK, "GET", "/v1/entries?scope=all", nil); len(a.json["terminals"].([]any)) > 0 {
		t.Errorf("something was started: %s", a.raw)
	}
	if _, err := os.Stat(pwned); err == nil {
		t.Fatal("a command ran")
	}
	for _, headers := range []string{asJSON, "Origin: " + s.url + "\r\nSec-Fetch-Site: same-origin\r\n" + asJSON} {
		if status, _ := send("POST", headers); status != http.StatusCreated {
			t.Errorf("%q: %d", headers, status)
		}
		if err := os.Remove(pwned); err != nil {
			t.Errorf("%q: %v", headers, err)
		}
	}
}

func TestCurlNeedsATokenAndAType(t *testing.T) { // O-H2
	need(t, "curl")
	s := serve(t)
	out, err := exec.Command("curl", "-sS", "-H", "Authorization: Bearer "+s.token, "-H", "Content-Type: application/json",
		s.url+"/v1/terminals", "-d", `{"command":"echo from curl","cwd":"/","wait_for_text":"from curl","wait_ms":60000}`).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"screen":"from curl"`) {
		t.Errorf("%v: %s", err, out)
	}
}

// goroutines is how many goroutines the service has, besides those of the connection that asks.
func (s *service) goroutines() string {
	s.t.Helper()
	_, _, body := s.raw("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " + s.token + "\r\n\r\n")
	_, rest, _ := strings.Cut(body, "\ngo_goroutines ")
	n, _, _ := strings.Cut(rest, "\n")
	return n
}

func TestClientsThatLeaveLeaveNothing(t *testing.T) { // O-H3
	s := serve(t)
	id := s.as("agent", http.StatusCreated, "POST", "/v1/terminals", object{"command": "stty -echo; echo up; exec cat", "cwd": "/", "wait_for_text": "up", "wait_ms": 60000}).text("id")
	http.DefaultClient.CloseIdleConnections()
	var before string
	eventually(t, "the service to come to rest", func() bool { // the connections of the start are gone
		last := before
		before = s.goroutines()
		return before == last
	})
	leave := func(body string) {
		conn := s.dial()
		fmt.Fprintf(conn, "POST /v1/terminals/%s/input HTTP/1.1\r\nHost: localhost\r\nTermbay-Session: agent\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", id, s.token, len(body), body)
		if head, err := io.ReadAll(io.LimitReader(conn, 15)); string(head) != "HTTP/1.1 200 OK" {
			t.Fatalf("%q %v", head, err)
		}
		conn.Close()
	}
	for range 200 {
		leave(`{"wait_ms":300000}`)
	}
	leave(`{"text":"once\n","wait_ms":300000,"wait_for_text":"` + never + `"}`)
	eventually(t, "the waiters to be gone", func() bool { return s.goroutines() == before })
	eventually(t, "the input to be echoed", func() bool {
		return strings.Contains(string(s.call(http.StatusOK, "GET", "/v1/terminals/"+id+"/screen", nil).raw), "once")
	})
	poll := func() answer {
		return s.as("agent", http.StatusOK, "POST", "/v1/terminals/"+id+"/input", object{"wait_ms": 0})
	}
	if a := poll(); a.text("state") != "running" || a.text("screen") != "up\nonce" || a.json["changed"] != true {
		t.Errorf("after them: %s", a.raw)
	}
	if a := poll(); a.json["changed"] != false {
		t.Errorf("what was delivered comes again: %s", a.raw)
	}
}

func TestLenientJSONIsRefused(t *testing.T) { // O-H4
	s := serve(t)
	id, _ := s.start(object{"command": "exec cat", "wait_ms": 0})
	list := func() string {
		return string(s.call(http.StatusOK, "GET", "/v1/entries/"+id, nil).text("uid")) + fmt.Sprint(s.call(http.StatusOK, "GET", "/v1/entries?scope=all", nil).number("running"))
	}
	before := list()
	wait := func(n string) string { return `{"command":"ls","wait_ms":` + n + `}` }
	for body, want := range map[string]int{
		`{"command":"ls"}x`: 400, `{"command":"a","command":"b"}`: 422, `null`: 422, `[]`: 422, ``: 400, `{}`: 422, `{"command":""}`: 422, `{"command":"a\u0000b"}`: 422,
		`{"COMMAND":"ls"}`: 422, `{"command":null}`: 422, `{"command":["ls"]}`: 422, `{"command":"ls","cwd":7}`: 422, `{"command":"ls","nope":1}`: 422,
		wait("-1"): 422, wait("1.5"): 422, wait("1e3"): 422, wait(`"500"`): 422, wait("99999999999999999999"): 422, wait("NaN"): 400, wait("01"): 400,
		strings.Repeat("[", 20000): 400, strings.Repeat("[", 20000) + strings.Repeat("]", 20000): 400, `{"command":`: 400, `{"command":"ls"`: 400, "\xff": 400, `"ls"`: 422, `{"command":"\ud800"}`: 400,
	} {
		status, _, answer := s.raw(fmt.Sprintf("POST /v1/terminals HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.token, len(body), body))
		if status != want || strings.Count(strings.TrimSpace(answer), "\n") > 0 || !strings.Contains(answer, `"detail":"`) {
			t.Errorf("%.60q: %d, want %d: %.300s", body, status, want, answer)
		}
	}
	for _, id := range []string{"t01", "T1", "t1%2f..%2fb1", "t1%00", "t0", "t-1", "t99999999999999999999", "t2", "b1", "%74%31x", "..", "%2e%2e%2fv1", "t1%0a"} {
		for method, path := range map[string]string{"GET": "/v1/entries/" + id, "POST": "/v1/entries/" + id + "/stop", "DELETE": "/v1/entries/" + id} {
			if status, _, answer := s.raw(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token + "\r\n\r\n"); status != 404 {
				t.Errorf("%s %s: %d: %s", method, path, status, answer)
			}
		}
	}
	if after := list(); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
	_, a := s.start(object{"command": "exit 0", "wait_ms": 600000, "wait_for_text": never})
	if a.number("wait_ms") != 300000 {
		t.Errorf("wait_ms 600000 became %d", a.number("wait_ms"))
	}
}

func TestAHugeBodyIsRefusedEarly(t *testing.T) { // O-H4
	s := serve(t)
	conn := s.dial()
	const size = 300 << 20
	fmt.Fprintf(conn, "POST /v1/terminals HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.token, size)
	taken := make(chan int)
	go func() {
		n := 0
		for chunk := slices.Repeat([]byte(" "), 64<<10); n < size; {
			m, err := conn.Write(chunk)
			if n += m; err != nil {
				break
			}
		}
		taken <- n
	}()
	head, _ := io.ReadAll(io.LimitReader(conn, 12)) // a reset may cut the rest off
	if string(head) != "HTTP/1.1 413" {
		t.Errorf("%q", head)
	}
	if n := <-taken; n > 32<<20 {
		t.Errorf("%d MiB were taken", n>>20)
	}
}
