package guard

import (
	"net/http"
	"strings"
)

// foreign says whether a page of another origin made a request that it may not make (O-H2): anything that may change
// something, and every read under /v1. Following a link from elsewhere to a page of ours is allowed.
func foreign(r *http.Request) bool {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if read && !strings.HasPrefix(r.URL.Path, "/v1/") {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return true
	}
	origins := r.Header.Values("Origin")
	return len(origins) > 1 || len(origins) == 1 && origins[0] != ownOrigin(r)
}

// ownOrigin is what a browser calls a page of ours. Host is allowed by now, so it is safe to compare with.
func ownOrigin(r *http.Request) string {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + strings.ToLower(r.Host)
}
