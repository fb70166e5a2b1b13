package api

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"termbay/core"
)

// MaxBody is the longest body of a request; base64 and a long command fit well.
const MaxBody = 4 << 20

// readBody reads the body of a request to its end and leaves the bytes in its place. It reads even where no body is
// expected: net/http notices a client that left only after the body was read (O-H3). What it lets through is one JSON
// object that means the same to every reader.
func readBody(w http.ResponseWriter, r *http.Request, op operation) error {
	if !op.takesBody {
		return refuseBody(w, r)
	}
	mediaType := r.Header.Get("Content-Type")
	if mediaType != "" && !isJSON(mediaType) {
		return notJSON()
	}
	if r.Header.Get("Content-Encoding") != "" {
		return &core.Error{Code: unsupportedMediaType, Detail: "Send the body as it is, without Content-Encoding."}
	}
	if r.ContentLength > MaxBody {
		return bodyTooLarge(w)
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return brokenBody(err)
	}
	if len(text) > MaxBody {
		return bodyTooLarge(w)
	}
	unbound(w)
	switch {
	case len(text) > 0 && mediaType == "":
		return notJSON()
	case len(text) == 0 && op.bodyRequired:
		return &core.Error{Code: malformed, Detail: "The request has no body; send a JSON object."}
	case len(text) == 0:
		text = []byte("{}")
		r.Header.Set("Content-Type", "application/json")
	}
	if err := checkJSON(text); err != nil {
		return err
	}
	r.ContentLength = int64(len(text))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	r.Body, err = r.GetBody()
	return err
}

// isJSON says whether a Content-Type is JSON in UTF-8. Forms and plain text are what a page of another site can send
// without asking (O-H2).
func isJSON(contentType string) bool {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != "application/json" {
		return false
	}
	charset, named := params["charset"]
	if named {
		delete(params, "charset")
	}
	return len(params) == 0 && (!named || strings.EqualFold(charset, "utf-8"))
}

// refuseBody refuses a body that is announced, and one that comes unannounced.
func refuseBody(w http.ResponseWriter, r *http.Request) error {
	refused := &core.Error{Code: core.Invalid, Detail: "This call takes no body; leave it out."}
	if r.ContentLength > 0 {
		return refused
	}
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != io.EOF {
		return refused
	}
	unbound(w)
	return nil
}

func brokenBody(err error) error {
	return &core.Error{Code: malformed, Detail: "The body broke off; send it whole.", Err: err}
}

// bodyTooLarge also gives up the connection, so that nobody has to read what the client goes on sending.
func bodyTooLarge(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close")
	return &core.Error{Code: tooLarge, Detail: fmt.Sprintf("The body is longer than %d MiB; send less at once.", MaxBody>>20)}
}

func notJSON() error {
	return &core.Error{Code: unsupportedMediaType, Detail: "Send the body as Content-Type: application/json."}
}
