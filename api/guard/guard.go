// Package guard decides who may call, before any handler runs: the Host header, the origin of a page, the token.
// It owns the token file, promises the security headers on every response, and starts nothing.
package guard

import (
	"net/http"

	"termbay/core"
)

// The problems that a guard answers with.
const (
	HostNotAllowed  core.Code = "host_not_allowed" // 421
	ForbiddenOrigin core.Code = "forbidden_origin" // 403
	Unauthorized    core.Code = "unauthorized"     // 401, with WWW-Authenticate
)

// Rules say who may call.
type Rules struct {
	// AllowedHosts are names, or name:port, that may stand in Host besides localhost, 127.0.0.1 and [::1].
	AllowedHosts []string
	// Token is what Authorization: Bearer must hold. Empty lets nobody in over TCP.
	Token string
	// Public says whether a path needs no token.
	Public func(path string) bool
	// Refuse writes a refusal as a problem; err is a *core.Error with one of the codes above.
	Refuse func(w http.ResponseWriter, r *http.Request, err error)
}

// New is the middleware that lets through what the rules allow. The Host comes first, so that a page that was
// re-bound to this address learns nothing, not even which paths exist (O-H1).
func New(rules Rules) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			protect(w.Header())
			if err := rules.check(r); err != nil {
				if err.Code == Unauthorized {
					w.Header().Set("WWW-Authenticate", `Bearer realm="termbay"`)
				}
				rules.Refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func (rules Rules) check(r *http.Request) *core.Error {
	local := overUnixSocket(r.Context())
	if !local && !rules.allowsHost(r.Host) {
		return &core.Error{Code: HostNotAllowed, Detail: "This Host is not allowed; use localhost, or add the name with --allowed-host."}
	}
	if r.Method == http.MethodOptions {
		return nil // does nothing anywhere: the router refuses it with 405
	}
	if foreign(r) {
		return &core.Error{Code: ForbiddenOrigin, Detail: "Pages of another origin may not call this service."}
	}
	if local || rules.Public(r.URL.Path) {
		return nil
	}
	return rules.checkToken(r.Header.Get("Authorization"))
}

// protect sets what every response carries; a handler that serves a page or a file may loosen it.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
}
