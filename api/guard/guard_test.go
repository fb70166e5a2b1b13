package guard_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"termbay/api/guard"
	"termbay/core"
)

const token = "a-token-for-tests"

// request is what a guard looks at; zero fields are those of a good request.
type request struct {
	method, path, host, auth string
	header                   http.Header
	tls, socket              bool
}

// ask is the status of a request, 200 when it was let through.
func ask(t *testing.T, rules guard.Rules, q request) (int, http.Header) {
	t.Helper()
	rules.Token = token
	rules.Public = func(path string) bool { return path == "/docs" }
	rules.Refuse = func(w http.ResponseWriter, _ *http.Request, err error) {
		var e *core.Error
		if !errors.As(err, &e) || e.Detail == "" {
			t.Errorf("refused with %v", err)
		}
		w.WriteHeader(map[core.Code]int{guard.HostNotAllowed: 421, guard.ForbiddenOrigin: 403, guard.Unauthorized: 401}[e.Code])
	}
	r := httptest.NewRequest(q.method, "http://localhost:7717"+q.path, nil)
	r.Host = q.host
	if q.header != nil {
		r.Header = q.header
	}
	if q.auth != "" {
		r.Header.Set("Authorization", q.auth)
	}
	if q.tls {
		r.TLS = &tls.ConnectionState{}
	}
	if q.socket {
		r = r.WithContext(guard.ConnContext(r.Context(), socket(t)))
	}
	w := httptest.NewRecorder()
	guard.New(rules)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {})).ServeHTTP(w, r)
	return w.Code, w.Header()
}

// socket is a connection over a unix socket.
func socket(t *testing.T) net.Conn {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// O-H1: a page that re-bound its name to this address reaches nothing.
func TestHosts(t *testing.T) {
	rules := guard.Rules{AllowedHosts: []string{"Box.example", "other.example:8080"}}
	for host, want := range map[string]int{
		"localhost": 200, "localhost:7717": 200, "LocalHost:7717": 200, "127.0.0.1": 200, "127.0.0.1:7717": 200, "[::1]": 200, "[::1]:7717": 200,
		"box.example": 200, "box.example:7717": 200, "BOX.EXAMPLE:1": 200, "other.example:8080": 200,
		"": 421, ":7717": 421, "attacker.example": 421, "attacker.example:7717": 421, "127.0.0.1.nip.io": 421, "localhost.": 421,
		"localhost.:7717": 421, "localhost.attacker.example": 421, "xlocalhost": 421, "127.0.0.2": 421, "127.1": 421, "2130706433": 421,
		"0.0.0.0:7717": 421, "[::]:7717": 421, "[::ffff:127.0.0.1]": 421, "::1": 421, "[::1": 421, "localhost:": 421, "localhost:x": 421,
		"localhost:7717:7717": 421, "localhost:99999": 421, "localhost:-1": 421, "user@localhost": 421, "other.example": 421,
		"other.example:80": 421, "evil.box.example": 421, "localhost, attacker.example": 421,
	} {
		for _, path := range []string{"/v1/entries", "/docs", "/nowhere"} {
			if got, _ := ask(t, rules, request{"GET", path, host, "Bearer " + token, nil, false, false}); got != want {
				t.Errorf("Host %q, %s: %d, want %d", host, path, got, want)
			}
		}
	}
}

// O-H2: a page of another site can neither change nor read anything.
func TestOrigins(t *testing.T) {
	own := http.Header{"Origin": {"http://localhost:7717"}}
	for name, c := range map[string]struct {
		header http.Header
		tls    bool
		change int // POST /v1/terminals
		read   int // GET /v1/entries
		page   int // GET /docs
	}{
		"no browser":       {nil, false, 200, 200, 200},
		"own page":         {own, false, 200, 200, 200},
		"own page, typed":  {http.Header{"Sec-Fetch-Site": {"none"}}, false, 200, 200, 200},
		"own page, fetch":  {http.Header{"Origin": own["Origin"], "Sec-Fetch-Site": {"same-origin"}}, false, 200, 200, 200},
		"own page, TLS":    {http.Header{"Origin": {"https://localhost:7717"}}, true, 200, 200, 200},
		"other scheme":     {own, true, 403, 403, 200},
		"other site":       {http.Header{"Origin": {"http://evil.example"}}, false, 403, 403, 200},
		"other port":       {http.Header{"Origin": {"http://localhost:8080"}}, false, 403, 403, 200},
		"other name":       {http.Header{"Origin": {"http://127.0.0.1:7717"}}, false, 403, 403, 200},
		"prefix":           {http.Header{"Origin": {"http://localhost:77170"}}, false, 403, 403, 200},
		"null":             {http.Header{"Origin": {"null"}}, false, 403, 403, 200},
		"empty":            {http.Header{"Origin": {""}}, false, 403, 403, 200},
		"two":              {http.Header{"Origin": {"http://localhost:7717", "http://evil.example"}}, false, 403, 403, 200},
		"cross-site":       {http.Header{"Sec-Fetch-Site": {"cross-site"}}, false, 403, 403, 200},
		"same-site":        {http.Header{"Sec-Fetch-Site": {"same-site"}}, false, 403, 403, 200},
		"cross-site, null": {http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"null"}}, false, 403, 403, 200},
	} {
		t.Run(name, func(t *testing.T) {
			for _, q := range []struct {
				method, path string
				want         int
			}{{"POST", "/v1/terminals", c.change}, {"PUT", "/v1/sessions/a", c.change}, {"GET", "/v1/entries", c.read}, {"HEAD", "/v1/entries", c.read}, {"GET", "/docs", c.page}} {
				got, header := ask(t, guard.Rules{}, request{q.method, q.path, "localhost:7717", "Bearer " + token, c.header.Clone(), c.tls, false})
				if got != q.want {
					t.Errorf("%s %s: %d, want %d", q.method, q.path, got, q.want)
				}
				if header.Get("Access-Control-Allow-Origin") != "" {
					t.Error("a CORS header")
				}
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for auth, want := range map[string]int{
		"Bearer " + token: 200, "bearer " + token: 200, "BEARER  " + token: 200,
		"": 401, "Bearer": 401, "Bearer ": 401, "Bearer x": 401, "Bearer " + token + "x": 401, "Bearer " + token[1:]: 401,
		"Basic " + token: 401, token: 401, "Bearer " + token + ", Bearer x": 401,
	} {
		got, header := ask(t, guard.Rules{}, request{"GET", "/v1/entries", "localhost", auth, nil, false, false})
		if got != want {
			t.Errorf("%q: %d, want %d", auth, got, want)
		}
		if challenge := header.Get("WWW-Authenticate"); (challenge == `Bearer realm="termbay"`) != (got == 401) {
			t.Errorf("%q: %d with challenge %q", auth, got, challenge)
		}
	}
	for path, want := range map[string]int{"/docs": 200, "/docs/": 401, "/": 401, "/nowhere": 401} {
		if got, _ := ask(t, guard.Rules{}, request{"GET", path, "localhost", "", nil, false, false}); got != want {
			t.Errorf("%s without token: %d, want %d", path, got, want)
		}
	}
}

func TestAnEmptyTokenOpensNothing(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://localhost/v1/entries", nil)
	r.Header.Set("Authorization", "Bearer ")
	refused := false
	guard.New(guard.Rules{
		Public: func(string) bool { return false },
		Refuse: func(http.ResponseWriter, *http.Request, error) { refused = true },
	})(http.NotFoundHandler()).ServeHTTP(w, r)
	if !refused {
		t.Error("let through")
	}
}

func TestAUnixSocketNeedsNeitherHostNorToken(t *testing.T) {
	for _, host := range []string{"", "localhost", "whatever"} {
		if got, _ := ask(t, guard.Rules{}, request{"GET", "/v1/entries", host, "", nil, false, true}); got != 200 {
			t.Errorf("Host %q: %d", host, got)
		}
	}
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	if ctx := guard.ConnContext(context.Background(), near); ctx != context.Background() {
		t.Error("a pipe is no unix socket")
	}
}

func TestEveryResponseIsProtected(t *testing.T) {
	for _, host := range []string{"localhost", "attacker.example"} {
		_, header := ask(t, guard.Rules{}, request{"GET", "/docs", host, "", nil, false, false})
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cache-Control": "no-store",
		} {
			if header.Get(name) != want {
				t.Errorf("%s: %q", name, header.Get(name))
			}
		}
	}
}

func TestAnOptionsRequestReachesTheRouterOnly(t *testing.T) {
	if got, _ := ask(t, guard.Rules{}, request{"OPTIONS", "/v1/terminals", "localhost", "", http.Header{"Origin": {"http://evil.example"}}, false, false}); got != 200 {
		t.Errorf("%d", got)
	}
	if got, _ := ask(t, guard.Rules{}, request{"OPTIONS", "/v1/terminals", "evil.example", "", nil, false, false}); got != 421 {
		t.Errorf("re-bound: %d", got)
	}
}
