package api

import (
	"context"
	"testing"
)

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]string{
		"":                 "text/plain",
		"*/*":              "text/plain",
		"text/*":           "text/plain",
		"application/json": "application/json",
		"APPLICATION/JSON": "application/json",
		"application/*":    "application/json",
		"text/html,application/xml;q=0.9,*/*;q=0.8": "text/html",
		"text/plain;q=0.5, text/html":               "text/html",
		"text/plain;q=0, */*":                       "text/html",
		"text/*;q=0.3, application/json;q=0.5":      "application/json",
		"image/png":                                 "text/plain",
		"image/svg+xml":                             "image/svg+xml",
		"nonsense, application/json":                "application/json",
		"application/json;q=x, text/html":           "text/html",
		",,":                                        "text/plain",
	} {
		ctx := context.WithValue(context.Background(), acceptKey{}, accept)
		if got := negotiate(ctx, "text/plain", "text/html", "application/json", "image/svg+xml"); got != want {
			t.Errorf("Accept %q: %s, want %s", accept, got, want)
		}
	}
}
