package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/screen"
	"termbay/core/settle"
	"termbay/core/terminal"
)

// The forms of a screen, the default first.
const (
	asText = "text/plain"
	asJSON = "application/json"
	asHTML = "text/html"
	asANSI = "text/x-ansi"
	asSVG  = "image/svg+xml"
)

// GetScreen is a screen in the form that the caller likes best, now or after what it waits for.
func (s Service) GetScreen(ctx context.Context, q GetScreenRequestObject) (GetScreenResponseObject, error) {
	who, p := caller(q.Params.TermbaySession), q.Params
	t, err := s.Registry.Terminal(who, q.ID)
	if err != nil {
		return nil, err
	}
	form := negotiate(ctx, asText, asJSON, asHTML, asANSI, asSVG)
	if p.Wait == "" {
		if err := t.Whole(ctx); err != nil {
			return nil, err
		}
		return s.screenAnswer(ctx, q.ID, t, form, p.IfNoneMatch)
	}
	watch, err := watchOf(p, t)
	if err != nil {
		return nil, err
	}
	if form == asJSON && watch.Wait > EarlyAfter {
		return Answer{Context: ctx, Early: true, Value: func() (any, func(), error) {
			if err := s.Registry.Await(ctx, who, q.ID, watch); err != nil {
				return nil, nil, err
			}
			return screenOf(q.ID, t), nil, nil
		}}, nil
	}
	if err := s.Registry.Await(ctx, who, q.ID, watch); err != nil {
		return nil, err
	}
	return s.screenAnswer(ctx, q.ID, t, form, p.IfNoneMatch)
}

// watchOf is what a caller waits for. A change is one since the screen that the caller has, if it says which.
func watchOf(p GetScreenParams, t *terminal.Terminal) (registry.Watch, error) {
	w := registry.Watch{For: string(p.Wait), Wait: milliseconds(p.WaitMS), Seen: t.Revision()}
	if seen, ok := revisionOf(p.IfNoneMatch); ok {
		w.Seen = seen
	}
	if p.Wait != "text" {
		return w, nil
	}
	if p.Text == "" {
		return w, &core.Error{Code: core.Invalid, Field: "text", Detail: "wait=text needs a text to wait for; give it as text."}
	}
	var err error
	w.Pattern, err = settle.Parse(p.Text)
	return w, err
}

// tagOf is the ETag of a revision; revisionOf is the way back.
func tagOf(revision uint64) string { return fmt.Sprintf("%q", "r"+strconv.FormatUint(revision, 10)) }

func revisionOf(tag string) (uint64, bool) {
	tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
	n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(tag, `"r`), `"`), 10, 64)
	return n, err == nil
}

// screenAnswer is the screen as it is now, or 304 when the caller has it.
func (s Service) screenAnswer(ctx context.Context, id string, t *terminal.Terminal, form, known string) (GetScreenResponseObject, error) {
	shot := t.Screen().Snapshot()
	tag := tagOf(shot.Revision)
	if seen, ok := revisionOf(known); ok && seen == shot.Revision {
		return GetScreen304Response{Headers: GetScreen304ResponseHeaders{ETag: tag}}, nil
	}
	headers := GetScreen200ResponseHeaders{ETag: tag}
	var b bytes.Buffer
	switch form {
	case asJSON:
		return GetScreen200JSONResponse{Body: screenOf(id, t), Headers: headers}, nil
	case asHTML:
		if err := s.HTML(ctx, &b, shot); err != nil {
			return nil, err
		}
		return styledPage{GetScreen200TextHTMLCharsetUTF8Response{Body: &b, Headers: headers, ContentLength: int64(b.Len())}}, nil
	case asSVG:
		if err := s.SVG(ctx, &b, shot); err != nil {
			return nil, err
		}
		return GetScreen200ImageSvgXMLResponse{Body: &b, Headers: headers, ContentLength: int64(b.Len())}, nil
	case asANSI:
		b.WriteString(shot.ANSI())
		return GetScreen200TextXAnsiCharsetUTF8Response{Body: &b, Headers: headers, ContentLength: int64(b.Len())}, nil
	}
	b.WriteString(shot.Text())
	return GetScreen200TextPlainCharsetUTF8Response{Body: &b, Headers: headers, ContentLength: int64(b.Len())}, nil
}

// styledPage is a screen as a page with its colours in style attributes, and with nothing else a browser would load.
type styledPage struct {
	GetScreen200TextHTMLCharsetUTF8Response
}

// VisitGetScreenResponse sends the page.
func (p styledPage) VisitGetScreenResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	return p.GetScreen200TextHTMLCharsetUTF8Response.VisitGetScreenResponse(w)
}

// screenOf is the screen with its colours.
func screenOf(id string, t *terminal.Terminal) Screen {
	state := core.Running
	if t.Ended() {
		state = core.Exited
	}
	shot := t.Screen().Snapshot()
	wire := Screen{
		ID: id, State: state, Revision: shot.Revision, Viewport: Viewport{Cols: shot.Viewport.Cols, Rows: shot.Viewport.Rows},
		Title: shot.Title, AltScreen: shot.Alt, Cursor: cursorOf(shot.Cursor), Rows: make([][]Run, len(shot.Rows)),
	}
	for y, row := range shot.Rows {
		wire.Rows[y] = make([]Run, len(row))
		for x, run := range row {
			wire.Rows[y][x] = runOf(run)
		}
	}
	return wire
}

func runOf(r screen.Run) Run {
	s := r.Style
	return Run{
		Text: r.Text, Width: r.Width, Fg: colorOf(s.Fg), Bg: colorOf(s.Bg), Link: s.Link,
		Bold: s.Bold, Faint: s.Faint, Italic: s.Italic, Underline: s.Underline, Blink: s.Blink,
		Reverse: s.Reverse, Conceal: s.Conceal, Strike: s.Strike,
	}
}

// colorOf is a colour as openapi.yaml writes it; empty for the default one.
func colorOf(c screen.Color) Color {
	if n, ok := c.Index(); ok {
		return strconv.Itoa(int(n))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return ""
}
