package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
)

type requestKey struct{}

// identify gives every request an id, by which a problem is found in the log.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strings.ToLower(rand.Text()[:12])
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, id)))
	})
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// recorder remembers what was answered. It passes Flush and deadlines on through Unwrap.
type recorder struct {
	http.ResponseWriter
	status int // 0 until the answer began
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	return rec.ResponseWriter.Write(b)
}

func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// begun says whether an answer can no longer change.
func begun(w http.ResponseWriter) bool {
	rec, ok := w.(*recorder)
	return ok && rec.status != 0
}

// observer logs and counts every request once it is over, refused ones too. It names the route and never the query,
// a body, an environment or a token.
type observer struct {
	log      *slog.Logger
	contract *contract
	metrics  *metrics
}

func (o observer) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		began := time.Now()
		defer func() { // also when the connection is ended by a panic
			took := time.Since(began)
			o.metrics.count(o.contract.of(r).id, rec.status, took)
			// An agent that polls must not fill the log; a client that left was told nothing.
			level := slog.LevelDebug
			if rec.status >= http.StatusInternalServerError && r.Context().Err() == nil {
				level = slog.LevelWarn
			}
			o.log.Log(r.Context(), level, "request", "request", requestID(r.Context()), "method", r.Method,
				"route", chi.RouteContext(r.Context()).RoutePattern(), "status", rec.status, "ms", took.Milliseconds())
		}()
		next.ServeHTTP(rec, r)
	})
}
