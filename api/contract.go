package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"

	"termbay"
)

// staticPrefix is where the files of pages are; they need no token.
const staticPrefix = "/static/"

// sessionHeader says on whose behalf a call is made.
const sessionHeader = "Termbay-Session"

// contract is openapi.yaml as the service needs it at run time.
type contract struct {
	doc        *openapi3.T
	operations map[string]operation // by method and path, such as "POST /v1/terminals/{id}/input"
}

// operation is what the plumbing must know of one call.
type operation struct {
	id             string
	takesBody      bool
	bodyRequired   bool
	query          []string // names of its query parameters
	carriesSession bool     // it may name a session in a header
	public         bool     // needs no token
}

func loadContract() *contract {
	doc, err := openapi3.NewLoader().LoadFromData(termbay.OpenAPI)
	if err != nil {
		panic(fmt.Errorf("read openapi.yaml: %w", err))
	}
	c := &contract{doc: doc, operations: map[string]operation{}}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			c.operations[method+" "+path] = operationOf(o)
		}
	}
	return c
}

func operationOf(o *openapi3.Operation) operation {
	op := operation{id: o.OperationID, public: o.Security != nil && len(*o.Security) == 0}
	if o.RequestBody != nil {
		op.takesBody, op.bodyRequired = true, o.RequestBody.Value.Required
	}
	for _, p := range o.Parameters {
		switch {
		case p.Value.In == openapi3.ParameterInQuery:
			op.query = append(op.query, p.Value.Name)
		case p.Value.Name == sessionHeader:
			op.carriesSession = true
		}
	}
	return op
}

// of is the operation that a routed request calls, the zero one when it calls none. HEAD is GET without a body.
func (c *contract) of(r *http.Request) operation {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return c.operations[method+" "+chi.RouteContext(r.Context()).RoutePattern()]
}

// public says whether a path needs no token: that of an operation without security, or that of a page's file.
func (c *contract) public(path string) bool {
	return c.operations[http.MethodGet+" "+path].public || strings.HasPrefix(path, staticPrefix)
}
