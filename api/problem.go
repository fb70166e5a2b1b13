package api

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"termbay/api/guard"
	"termbay/core"
)

// The problems that only HTTP knows, besides those of guard.
const (
	malformed            core.Code = "malformed"
	methodNotAllowed     core.Code = "method_not_allowed"
	tooLarge             core.Code = "too_large"
	unsupportedMediaType core.Code = "unsupported_media_type"
	rangeNotSatisfiable  core.Code = "range_not_satisfiable"
	idempotencyMismatch  core.Code = "idempotency_mismatch"
	internal             core.Code = "internal"
)

// problemOf is the one table of problems: the status and the title of a code, 0 for one that is not in it.
func problemOf(code core.Code) (status int, title string) {
	switch code {
	case malformed:
		return http.StatusBadRequest, "The body is not JSON"
	case guard.Unauthorized:
		return http.StatusUnauthorized, "No valid token"
	case guard.ForbiddenOrigin:
		return http.StatusForbidden, "Not from this origin"
	case core.NotFound:
		return http.StatusNotFound, "Not found"
	case methodNotAllowed:
		return http.StatusMethodNotAllowed, "Method not allowed"
	case core.CapReached:
		return http.StatusConflict, "Too many are running"
	case core.NotRunning:
		return http.StatusConflict, "Not running"
	case core.StillRunning:
		return http.StatusConflict, "Still running"
	case core.StdinClosed:
		return http.StatusConflict, "No open standard input"
	case core.NotBackgroundable:
		return http.StatusConflict, "Cannot be moved to the background"
	case core.Gone:
		return http.StatusGone, "Forgotten"
	case tooLarge:
		return http.StatusRequestEntityTooLarge, "Body too large"
	case unsupportedMediaType:
		return http.StatusUnsupportedMediaType, "Unsupported media type"
	case rangeNotSatisfiable:
		return http.StatusRequestedRangeNotSatisfiable, "No such bytes"
	case guard.HostNotAllowed:
		return http.StatusMisdirectedRequest, "Host not allowed"
	case core.Invalid:
		return http.StatusUnprocessableEntity, "Invalid request"
	case idempotencyMismatch:
		return http.StatusUnprocessableEntity, "Idempotency key used with another body"
	case core.BadPattern:
		return http.StatusUnprocessableEntity, "Bad pattern"
	case core.CwdMissing:
		return http.StatusUnprocessableEntity, "No such working directory"
	case core.ShellUnavailable:
		return http.StatusUnprocessableEntity, "Shell not available"
	case core.PTYUnavailable:
		return http.StatusUnprocessableEntity, "No PTY available"
	case core.CommandFailedToStart:
		return http.StatusUnprocessableEntity, "Command failed to start"
	case internal:
		return http.StatusInternalServerError, "Internal error"
	case core.ShuttingDown:
		return http.StatusServiceUnavailable, "Shutting down"
	}
	return 0, ""
}

// problems answers requests that failed. What is not a *core.Error is not the caller's to mend: it is logged once and
// answered as internal, with the request id to find it by and none of its text.
type problems struct{ log *slog.Logger }

// write answers with the problem that err is. When the answer has begun it cannot change any more: the connection is
// ended, so that nobody takes half an answer for a whole one.
func (p problems) write(w http.ResponseWriter, r *http.Request, err error) {
	if begun(w) {
		if r.Context().Err() == nil {
			p.log.Error("answer broken off", "request", requestID(r.Context()), "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	p.send(w, r, p.known(r, err))
}

// known is the problem in the table that err is.
func (p problems) known(r *http.Request, err error) *core.Error {
	var problem *core.Error
	if errors.As(err, &problem) {
		if status, _ := problemOf(problem.Code); status != 0 {
			return problem
		}
	}
	if r.Context().Err() != nil { // the service ends, or nobody is there to read it
		return &core.Error{Code: core.ShuttingDown, Detail: "The service is shutting down; start it again with: termbay serve"}
	}
	p.log.Error("request failed", "request", requestID(r.Context()), "error", err)
	return unknown(r)
}

// survive answers a panic in a handler as internal. The service lives on; only this request is lost.
func (p problems) survive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			p.log.Error("handler panicked", "request", requestID(r.Context()), "panic", fault, "stack", string(debug.Stack()))
			if begun(w) {
				panic(http.ErrAbortHandler)
			}
			p.send(w, r, unknown(r))
		}()
		next.ServeHTTP(w, r)
	})
}

func unknown(r *http.Request) *core.Error {
	return &core.Error{Code: internal, Detail: "Something failed inside the service; its log says more about request " + requestID(r.Context()) + "."}
}

func (p problems) send(w http.ResponseWriter, r *http.Request, e *core.Error) {
	problem := problemWire(e, time.Now())
	body, err := encode(problem)
	if err != nil {
		panic(err) // strings and numbers only
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(problem.Status)
	w.Write(body) // the client that this fails for reads nothing more
}

// problemWire is a problem in the table as callers see it at a moment.
func problemWire(e *core.Error, now time.Time) Problem {
	status, title := problemOf(e.Code)
	problem := Problem{
		Type: "/problems/" + string(e.Code), Title: title, Status: status, Detail: e.Detail, Code: e.Code,
		Field: e.Field, Valid: e.Valid,
	}
	if len(e.Entries) > 0 {
		problem.Entries = entriesOf(e.Entries, now)
	}
	if e.Entry != nil {
		entry := entryOf(*e.Entry, now)
		problem.Entry, problem.State = &entry, entry.State
	}
	return problem
}
