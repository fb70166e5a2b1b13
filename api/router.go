package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"termbay"
	"termbay/api/guard"
	"termbay/core"
)

// Config is what the HTTP layer is built of.
type Config struct {
	Handlers     StrictServerInterface
	AllowedHosts []string // see guard.Rules
	Token        string   // see guard.Rules
	// Enter says that a request of a session is under way, until its answer was delivered; leave ends that. It may
	// refuse the request with a *core.Error, and may be nil.
	Enter    func(session string) (leave func(), err error)
	Measures []Measure    // what GET /metrics tells besides requests and the Go runtime
	Docs     http.Handler // GET /docs
	Static   Files        // everything under /static/
	Log      *slog.Logger
}

// Files serves files by their exact paths.
type Files interface {
	http.Handler
	Has(path string) bool
}

// New is the whole HTTP layer. It panics when openapi.yaml in the binary is broken, which every test would show.
func New(cfg Config) http.Handler {
	contract := loadContract()
	problems := problems{cfg.Log}
	metrics := newMetrics(cfg.Measures)

	r := chi.NewRouter()
	r.Use(
		bounded,
		identify,
		observer{cfg.Log, contract, metrics}.middleware,
		problems.survive,
		guard.New(guard.Rules{AllowedHosts: cfg.AllowedHosts, Token: cfg.Token, Public: contract.public, Refuse: problems.write}),
		answerHead,
	)
	r.NotFound(problems.notFound)
	r.MethodNotAllowed(problems.methodNotAllowed)
	r.Get(staticPrefix+"*", func(w http.ResponseWriter, r *http.Request) {
		if !cfg.Static.Has(r.URL.Path) {
			problems.notFound(w, r)
			return
		}
		cfg.Static.ServeHTTP(w, r)
	})
	r.Group(func(r chi.Router) {
		r.Use(checked(contract, problems), contract.validator(problems), carried(contract, cfg.Enter, problems))
		r.Get("/metrics", metrics.handler().ServeHTTP)
		r.Get("/openapi.yaml", serveContract)
		r.Get("/docs", cfg.Docs.ServeHTTP)
		strict := NewStrictHandlerWithOptions(cfg.Handlers,
			[]StrictMiddlewareFunc{withAccept, newReplays().middleware},
			StrictHTTPServerOptions{RequestErrorHandlerFunc: problems.unread, ResponseErrorHandlerFunc: problems.write})
		HandlerWithOptions(strict, ChiServerOptions{BaseRouter: r, ErrorHandlerFunc: problems.unread})
	})
	return r
}

type headKey struct{}

// answerHead lets HEAD be answered as GET is; net/http leaves the body out. What would go on for long can ask isHead.
func answerHead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(context.WithValue(r.Context(), headKey{}, true))
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

func isHead(ctx context.Context) bool { return ctx.Value(headKey{}) != nil }

// checked refuses queries and bodies that no contract can describe, before openapi.yaml is asked.
func checked(contract *contract, problems problems) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			op := contract.of(r)
			err := checkQuery(op, r.URL.RawQuery)
			if err == nil {
				err = readBody(w, r, op)
			}
			if err != nil {
				problems.write(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// carried tells Enter of requests that carry a session, once the header is known to be valid.
func carried(contract *contract, enter func(string) (func(), error), problems problems) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			session := r.Header.Get(sessionHeader)
			if enter != nil && session != "" && contract.of(r).carriesSession {
				leave, err := enter(session)
				if err != nil {
					problems.write(w, r, err)
					return
				}
				defer leave()
			}
			next.ServeHTTP(w, r)
		})
	}
}

func serveContract(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write(termbay.OpenAPI)
}

// unread answers a request that the contract allows and the generated code cannot read.
func (p problems) unread(w http.ResponseWriter, r *http.Request, err error) {
	var twice *TooManyValuesForParamError
	if errors.As(err, &twice) {
		p.write(w, r, invalid(twice.ParamName, "is given twice; give it once"))
		return
	}
	p.write(w, r, &core.Error{Code: core.Invalid, Detail: "The request cannot be read; GET /docs says what it may hold.", Err: err})
}

func (p problems) notFound(w http.ResponseWriter, r *http.Request) {
	p.send(w, r, &core.Error{Code: core.NotFound, Detail: "There is nothing here; GET /docs lists every call."})
}

func (p problems) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if r.URL.RawPath != "" {
		path = r.URL.RawPath
	}
	routes := chi.RouteContext(r.Context()).Routes
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		routed := method
		if method == http.MethodHead {
			routed = http.MethodGet
		}
		if routes.Match(chi.NewRouteContext(), routed, path) {
			allowed = append(allowed, method)
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	p.send(w, r, &core.Error{Code: methodNotAllowed, Detail: "This path knows " + strings.Join(allowed, ", ") + " only."})
}
