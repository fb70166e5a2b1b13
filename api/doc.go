// Package api is the HTTP contract at work: openapi.yaml becomes types and routes (api.gen.go), the plumbing here makes
// sure that handlers see only requests that keep the contract, and that callers see only answers that keep it.
//
// The way of a request: limits → identify → observe (log, metrics) → survive (panics) → guard (host, origin, token) →
// route → bodies (strict JSON) → validate (openapi.yaml) → replay (Idempotency-Key) → handler → Answer.
//
// Handlers return errors; problem.go makes every problem of them. The package starts one goroutine per long answer,
// joined in answer.go; streams of events are api/stream's.
package api
