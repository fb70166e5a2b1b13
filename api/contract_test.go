package api_test

import (
	"net/http"
	"slices"
	"testing"
)

// The check that every test leans on finds what it is there for.
func TestABrokenAnswerIsNoticed(t *testing.T) {
	const health, entry = "/healthz", "/v1/entries/t1"
	for name, c := range map[string]struct {
		path, media, body string
		status            int
		header            http.Header
		broken            bool
	}{
		"good":                   {health, "application/json", `{"status":"ok"}`, 200, nil, false},
		"good problem":           {entry, "application/problem+json", `{"type":"/problems/gone","title":"Gone","status":410,"detail":"Gone.","code":"gone"}`, 410, nil, false},
		"unknown field":          {health, "application/json", `{"status":"ok","more":1}`, 200, nil, true},
		"null":                   {health, "application/json", `{"status":null}`, 200, nil, true},
		"missing field":          {health, "application/json", `{}`, 200, nil, true},
		"not JSON":               {health, "application/json", `ok`, 200, nil, true},
		"other type":             {health, "text/plain", `ok`, 200, nil, true},
		"other status":           {health, "application/json", `{"status":"ok"}`, 201, nil, true},
		"CORS":                   {health, "application/json", `{"status":"ok"}`, 200, http.Header{"Access-Control-Allow-Origin": {"*"}}, true},
		"undocumented code":      {entry, "application/problem+json", `{"type":"/problems/invalid","title":"Gone","status":410,"detail":"Gone.","code":"invalid"}`, 410, nil, true},
		"problem as plain JSON":  {entry, "application/json", `{"type":"/problems/gone","title":"Gone","status":410,"detail":"Gone.","code":"gone"}`, 410, nil, true},
		"contradicting status":   {entry, "application/problem+json", `{"type":"/problems/gone","title":"Gone","status":404,"detail":"Gone.","code":"gone"}`, 410, nil, true},
		"no challenge":           {entry, "application/problem+json", `{"type":"/problems/unauthorized","title":"No","status":401,"detail":"No.","code":"unauthorized"}`, 401, nil, true},
		"unknown path, no JSON":  {"/nowhere", "text/plain", `404 page not found`, 404, nil, true},
		"unknown path, problem":  {"/nowhere", "application/problem+json", `{"type":"/problems/not_found","title":"No","status":404,"detail":"No.","code":"not_found"}`, 404, nil, false},
		"unknown path, no field": {"/nowhere", "application/problem+json", `{"type":"/problems/not_found","status":404,"detail":"No.","code":"not_found"}`, 404, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			req, _ := http.NewRequest("GET", "http://localhost"+c.path, nil)
			header := http.Header{"Content-Type": {c.media}}
			for name, values := range c.header {
				header[name] = values
			}
			got := newContract().check(req, &http.Response{StatusCode: c.status, Header: header}, []byte(c.body))
			if (got != "") != c.broken {
				t.Errorf("check says %q", got)
			}
		})
	}
}

func TestCoverageCountsWhatWasSeen(t *testing.T) {
	c := newContract()
	before := c.missing()
	req, _ := http.NewRequest("GET", "http://localhost/healthz", nil)
	c.check(req, &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}}, []byte(`{"status":"ok"}`))
	after := c.missing()
	if !slices.Contains(before, "getHealth 200") || slices.Contains(after, "getHealth 200") || len(after) != len(before)-1 {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

func TestTheContractKeepsItsOwnRules(t *testing.T) {
	doc := newContract().doc
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.OpenAPI != "3.0.3" || len(doc.Servers) > 0 { // the validator fills in defaults with 3.0 only
		t.Errorf("OpenAPI %s with servers %v", doc.OpenAPI, doc.Servers)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.OperationID == "" || op.Summary == "" || op.Description == "" || len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s %s: no id, summary, description or tag", method, path)
			}
		}
	}
	for name, ref := range doc.Components.Schemas {
		schema := ref.Value
		if schema.Description == "" && len(schema.Properties) == 0 {
			t.Errorf("%s has no description", name)
		}
		if closed := schema.AdditionalProperties.Has; schema.Type.Is("object") && (closed == nil || *closed) {
			t.Errorf("%s takes any field", name)
		}
		for field, p := range schema.Properties {
			if p.Value.Nullable || p.Value.Description == "" {
				t.Errorf("%s.%s is nullable or has no description", name, field)
			}
		}
	}
}
