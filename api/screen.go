package api

import (
	"bytes"
	"context"
	"errors"
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
	watch, err := watchOf(p, t)
	switch {
	case err != nil:
		return nil, err
	case p.Wait == "":
		err = t.Whole(ctx)
	case form == asJSON && watch.Wait > EarlyAfter:
		return Answer{Context: ctx, Early: true, Value: func() (any, func(), error) {
			if err := s.Registry.Await(ctx, who, q.ID, watch); err != nil {
				return nil, nil, err
			}
			return lookAt(q.ID, t).wire(), nil, nil
		}}, nil
	default:
		err = s.Registry.Await(ctx, who, q.ID, watch)
	}
	if err != nil {
		return nil, err
	}
	return s.screenAnswer(ctx, lookAt(q.ID, t), form, p.IfNoneMatch)
}

// watchOf is what a caller waits for. A change is one since the screen that the caller has, if it says which.
func watchOf(p GetScreenParams, t *terminal.Terminal) (w registry.Watch, err error) {
	w = registry.Watch{For: string(p.Wait), Wait: milliseconds(p.WaitMS), Seen: t.Revision()}
	if seen, ok := revisionOf(p.IfNoneMatch); ok {
		w.Seen = seen
	}
	switch {
	case p.Wait != "text" && p.Text != "":
		return w, invalid("text", "is waited for with wait=text only")
	case p.Wait != "text":
		return w, nil
	case p.Text == "":
		return w, invalid("text", "is missing; wait=text needs a text to wait for")
	}
	var bad *core.Error
	if w.Pattern, err = settle.Parse(p.Text); errors.As(err, &bad) {
		bad.Field = "text" // which bodies call wait_for_text
	}
	return w, err
}

// look is a screen at one moment.
type look struct {
	id    string
	ended bool
	shot  screen.Snapshot
}

func lookAt(id string, t *terminal.Terminal) look {
	ended := t.Ended() // before the screen: that of a program that has ended is its last
	return look{id, ended, t.Screen().Snapshot()}
}

// tag is the look's ETag, such as "r12", or "r12-exited" once the program has ended: JSON says that too.
func (l look) tag() string {
	if l.ended {
		return fmt.Sprintf(`"r%d-exited"`, l.shot.Revision)
	}
	return fmt.Sprintf(`"r%d"`, l.shot.Revision)
}

// strong is an ETag without the mark of a weak one, which proxies put in front.
func strong(tag string) string { return strings.TrimPrefix(strings.TrimSpace(tag), "W/") }

// revisionOf is the revision in an ETag of ours.
func revisionOf(tag string) (uint64, bool) {
	digits, ours := strings.CutPrefix(strings.TrimSuffix(strong(tag), `"`), `"r`)
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, "-exited"), 10, 64)
	return n, ours && err == nil
}

// screenAnswer is a look in a form, or 304 when the caller knows it.
func (s Service) screenAnswer(ctx context.Context, l look, form, known string) (GetScreenResponseObject, error) {
	tag := l.tag()
	if strong(known) == tag {
		return GetScreen304Response{Headers: GetScreen304ResponseHeaders{ETag: tag}}, nil
	}
	headers := GetScreen200ResponseHeaders{ETag: tag}
	var b bytes.Buffer
	switch form {
	case asJSON:
		return GetScreen200JSONResponse{Body: l.wire(), Headers: headers}, nil
	case asHTML:
		if err := s.HTML(ctx, &b, l.shot); err != nil {
			return nil, err
		}
		return styledPage{GetScreen200TextHTMLCharsetUTF8Response{Body: &b, Headers: headers, ContentLength: int64(b.Len())}}, nil
	case asSVG:
		if err := s.SVG(ctx, &b, l.shot); err != nil {
			return nil, err
		}
		return GetScreen200ImageSvgXMLResponse{Body: &b, Headers: headers, ContentLength: int64(b.Len())}, nil
	case asANSI:
		b.WriteString(l.shot.ANSI())
		return GetScreen200TextXAnsiCharsetUTF8Response{Body: &b, Headers: headers, ContentLength: int64(b.Len())}, nil
	}
	b.WriteString(l.shot.Text())
	return GetScreen200TextPlainCharsetUTF8Response{Body: &b, Headers: headers, ContentLength: int64(b.Len())}, nil
}

// styledPage is a screen as a page with its colours in style attributes, and with nothing else a browser would load.
type styledPage struct {
	GetScreen200TextHTMLCharsetUTF8Response
}

// VisitGetScreenResponse sends the page.
func (p styledPage) VisitGetScreenResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	return p.GetScreen200TextHTMLCharsetUTF8Response.VisitGetScreenResponse(w)
}

// wire is the look as JSON, with its colours.
func (l look) wire() Screen {
	state := core.Running
	if l.ended {
		state = core.Exited
	}
	shot := l.shot
	wire := Screen{
		ID: l.id, State: state, Revision: shot.Revision, Viewport: Viewport{Cols: shot.Viewport.Cols, Rows: shot.Viewport.Rows},
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
