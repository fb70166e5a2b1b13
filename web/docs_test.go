package web_test

import (
	"html"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"termbay"
	"termbay/web"
)

func page(t *testing.T, contract []byte) string {
	t.Helper()
	docs, err := web.Docs(contract, "/static/docs-0123456789ab.css")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	docs.ServeHTTP(w, httptest.NewRequest("GET", "/docs", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'; style-src 'self'") {
		t.Errorf("policy %q", csp)
	}
	return w.Body.String()
}

// contract is what the test needs to know of openapi.yaml.
type contract struct {
	Paths map[string]map[string]struct {
		OperationID string `yaml:"operationId"`
		Summary     string
		Responses   map[string]any
	}
	Components struct {
		Schemas map[string]struct {
			Properties map[string]any
			Enum       []string
		}
		Parameters map[string]struct{ Name string }
		Responses  map[string]any
	}
}

func TestEverythingOfTheContractIsOnThePage(t *testing.T) {
	var c contract
	if err := yaml.Unmarshal(termbay.OpenAPI, &c); err != nil {
		t.Fatal(err)
	}
	got := page(t, termbay.OpenAPI)
	has := func(what string) {
		t.Helper()
		if !strings.Contains(got, what) {
			t.Errorf("the page lacks %q", what)
		}
	}
	operations := 0
	for path, item := range c.Paths {
		for method, op := range item {
			operations++
			has(`<article id="` + op.OperationID + `"><h3>` + html.EscapeString(op.Summary) + `</h3><code class="call"><b>` + strings.ToUpper(method) + `</b> ` + path + `</code>`)
			for status := range op.Responses {
				has(status)
			}
		}
	}
	if n := strings.Count(got, "<pre><code>curl "); n != operations || operations < 20 {
		t.Errorf("%d examples for %d operations", n, operations)
	}
	for name, schema := range c.Components.Schemas {
		_, below, found := strings.Cut(got, `<article id="schema-`+name+`">`)
		section, _, _ := strings.Cut(below, "</article>")
		if !found {
			t.Errorf("no section for %s", name)
		}
		for field := range schema.Properties {
			if !strings.Contains(section, "<code>"+field+"</code>") {
				t.Errorf("%s lacks %s", name, field)
			}
		}
		for _, value := range schema.Enum {
			if !strings.Contains(section, value) {
				t.Errorf("%s lacks the value %s", name, value)
			}
		}
	}
	for _, parameter := range c.Components.Parameters {
		has("<code>" + parameter.Name + "</code>")
	}
	for name := range c.Components.Responses {
		has(`<tr id="` + name + `">`)
	}
	for _, code := range c.Components.Schemas["Code"].Enum {
		has("<code>" + code + "</code>")
	}
	has(`<link rel="stylesheet" href="/static/docs-0123456789ab.css">`)
	for _, never := range []string{"<script", "style=", "%!", "{{"} {
		if strings.Contains(got, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

func TestEveryLinkOfThePageLeadsSomewhere(t *testing.T) {
	got := page(t, termbay.OpenAPI)
	for _, link := range strings.Split(got, `href="#`)[1:] {
		id, _, _ := strings.Cut(link, `"`)
		if !strings.Contains(got, `id="`+id+`"`) {
			t.Errorf("#%s leads nowhere", id)
		}
	}
}

func TestABodyIsATableWithDefaultsAndRanges(t *testing.T) {
	_, below, _ := strings.Cut(page(t, termbay.OpenAPI), `<article id="createTerminal">`)
	section, _, _ := strings.Cut(below, "</article>")
	for _, want := range []string{
		`<td><code>command</code> <span class="note">required</span></td><td>string</td><td></td><td class="range">not empty; no NUL</td>`,
		`<td><code>wait_ms</code> </td><td>integer</td><td><code>2000</code></td><td class="range">0 to 2147483647</td>`,
		`<td><code>notify</code> </td><td>boolean</td><td><code>true</code></td>`,
		`<td><code>viewport</code> </td><td><a href="#schema-Viewport">Viewport</a></td>`,
		`<td><code>env</code> </td><td>map of string</td>`,
		html.EscapeString(`-d '{"command": "python3", "wait_for_text": ">>> "}'`),
		html.EscapeString(`-H "Authorization: Bearer $(termbay token)"`),
		`<code>Location</code>`, `<a href="#CapReached">409 CapReached</a>`,
	} {
		if !strings.Contains(section, want) {
			t.Errorf("no %s in\n%s", want, section)
		}
	}
}

func TestTheContractIsTextNeverMarkup(t *testing.T) {
	hostile, err := os.ReadFile("testdata/hostile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	slots := strings.Count(string(hostile), "<b>x")
	got := page(t, hostile)
	if strings.Contains(got, "<b>x") || strings.Contains(got, `"onload=`) || strings.Contains(got, "<script") {
		t.Errorf("markup got through:\n%s", got)
	}
	if shown := strings.Count(got, "&lt;b&gt;x"); shown < slots {
		t.Errorf("%d texts of %d are shown:\n%s", shown, slots, got)
	}
}

func TestABrokenContractIsAnError(t *testing.T) {
	if _, err := web.Docs([]byte("a: [b"), ""); err == nil {
		t.Error("no error")
	}
}
