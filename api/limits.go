package api

import (
	"net/http"
	"time"
)

const (
	// bodyLimit is how long a client may take to send a body. It is less than writeLimit because net/http reads the
	// rest of a body that was refused before it sends the refusal.
	bodyLimit = 20 * time.Second
	// writeLimit is how long a client may take to take a piece of an answer.
	writeLimit = 30 * time.Second
)

// bounded limits how long a client that stalls holds a connection, while it sends a body and while it is answered.
// The limits of http.Server bound the waits of a call too, which may last minutes.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)  // what it returns says that a transport has no deadlines
		_ = control.SetWriteDeadline(time.Time{}) // the last answer on this connection left one
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(bodyLimit)) // until readBody has it
		}
		next.ServeHTTP(boundedWriter{w, control}, r)
	})
}

// unbound lifts the limit of a body that was read whole: after it net/http reads on to notice a client that leaves.
func unbound(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// boundedWriter gives every piece of an answer its limit.
type boundedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w boundedWriter) hurry() { _ = w.control.SetWriteDeadline(time.Now().Add(writeLimit)) }

func (w boundedWriter) WriteHeader(status int) {
	w.hurry()
	w.ResponseWriter.WriteHeader(status)
}

func (w boundedWriter) Write(b []byte) (int, error) {
	w.hurry()
	return w.ResponseWriter.Write(b)
}

// FlushError sends what was written so far.
func (w boundedWriter) FlushError() error {
	w.hurry()
	return w.control.Flush()
}

// Unwrap is for http.ResponseController.
func (w boundedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
