package api

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

type acceptKey struct{}

// withAccept lets handlers see the Accept header, which OpenAPI keeps out of a call's parameters.
func withAccept(next StrictHandlerFunc, _ string) StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		accept := strings.Join(r.Header.Values("Accept"), ",")
		return next(context.WithValue(ctx, acceptKey{}, accept), w, r, request)
	}
}

// negotiate is the offer that the request's Accept header likes best, the first one when it likes none or all the same.
func negotiate(ctx context.Context, offers ...string) string {
	accept, _ := ctx.Value(acceptKey{}).(string)
	best, most := offers[0], 0.0
	for _, offer := range offers {
		if q := quality(accept, offer); q > most {
			best, most = offer, q
		}
	}
	return best
}

// quality is how much an Accept header likes a media type, by the most specific of its ranges, from 0 to 1.
func quality(accept, offer string) float64 {
	kind, _, _ := strings.Cut(offer, "/")
	q, specific := 0.0, -1
	for part := range strings.SplitSeq(accept, ",") {
		mediaRange, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		rank := -1
		switch mediaRange {
		case offer:
			rank = 2
		case kind + "/*":
			rank = 1
		case "*/*":
			rank = 0
		}
		if rank > specific {
			specific, q = rank, weight(params)
		}
	}
	return q
}

func weight(params map[string]string) float64 {
	text, ok := params["q"]
	if !ok {
		return 1
	}
	q, _ := strconv.ParseFloat(text, 64)
	return q
}
