package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"termbay/templates"
)

// Docs serves the reference page of a contract, an OpenAPI 3.0 document in YAML that keeps all schemas and responses of
// problems under components. The page is drawn once; css is the path of its style sheet. An error means that the
// contract cannot be read.
func Docs(contract []byte, css string) (http.Handler, error) {
	doc, err := parseYAML(contract)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	var page bytes.Buffer
	if err := templates.DocsPage(docsOf(doc, css)).Render(context.Background(), &page); err != nil {
		return nil, fmt.Errorf("draw the reference: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		w.Header().Set("Cache-Control", "no-cache")
		w.Write(page.Bytes())
	}), nil
}

// docsOf is the page of a document, in the order of the document.
func docsOf(doc part, css string) templates.Docs {
	d := templates.Docs{Title: doc.at("info", "title").text(), CSS: css, Intro: paragraphs(doc.at("info", "description").text())}
	for _, tag := range doc.at("tags").items() {
		d.Groups = append(d.Groups, templates.DocsGroup{Name: tag.at("name").text(), Intro: paragraphs(tag.at("description").text())})
	}
	refused := map[string]templates.DocsAnswer{}
	doc.at("paths").each(func(path string, item part) {
		item.each(func(method string, call part) {
			for i := range d.Groups {
				if slices.Contains(call.at("tags").texts(), d.Groups[i].Name) {
					d.Groups[i].Calls = append(d.Groups[i].Calls, callOf(method, path, call, refused))
				}
			}
		})
	})
	for _, answer := range refused {
		d.Refused = append(d.Refused, answer)
	}
	slices.SortFunc(d.Refused, func(a, b templates.DocsAnswer) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.ID, b.ID))
	})
	doc.at("components", "schemas").each(func(name string, schema part) {
		d.Schemas = append(d.Schemas, schemaOf(name, schema))
	})
	return d
}

// callOf is one operation; the problems that it may answer with are added to refused.
func callOf(method, path string, call part, refused map[string]templates.DocsAnswer) templates.DocsCall {
	c := templates.DocsCall{
		ID: call.at("operationId").text(), Method: strings.ToUpper(method), Path: path,
		Summary: call.at("summary").text(), Text: paragraphs(call.at("description").text()), Curl: curl(method, path, call),
	}
	for _, p := range call.at("parameters").items() {
		p = p.target()
		f := fieldOf(p.at("name").text(), p.child("schema"), p.at("required").text() == "true")
		f.Text = paragraphs(p.at("description").text())
		c.Parameters = append(c.Parameters, f)
	}
	if body := call.at("requestBody", "content", "application/json"); body.there() {
		schema := body.child("schema")
		s := schemaOf(schema.ref(), schema.target())
		c.Body = &s
	}
	call.at("responses").each(func(status string, response part) {
		answer := answerOf(status, response.target())
		if !response.at("content", "application/problem+json").there() {
			c.Answers = append(c.Answers, answer)
			return
		}
		answer.ID = response.ref()
		answer.Types, answer.Schema = nil, templates.DocsLink{}
		refused[answer.ID] = answer
		c.Refused = append(c.Refused, templates.DocsLink{Text: status + " " + answer.ID, To: answer.ID})
	})
	return c
}

func answerOf(status string, response part) templates.DocsAnswer {
	a := templates.DocsAnswer{Status: status, Text: paragraphs(response.at("description").text())}
	response.at("content").each(func(media string, content part) {
		a.Types = append(a.Types, media)
		if name := content.child("schema").ref(); name != "" {
			a.Schema = templates.DocsLink{Text: name, To: schemaID(name)}
		}
	})
	response.at("headers").each(func(name string, header part) {
		a.Text = append(a.Text, paragraphs("`"+name+"`: "+header.at("description").text())...)
	})
	return a
}

// curl is an example that works as it stands, with the token of this machine.
func curl(method, path string, call part) string {
	for _, p := range call.at("parameters").items() {
		path = strings.ReplaceAll(path, "{"+p.at("name").text()+"}", p.at("example").text())
	}
	line := "curl "
	if method != "get" {
		line += "-X " + strings.ToUpper(method) + " "
	}
	lines := []string{line + "http://127.0.0.1:7717" + path}
	if security := call.at("security"); !security.there() || len(security.items()) > 0 {
		lines = append(lines, `-H "Authorization: Bearer $(termbay token)"`)
	}
	if example := call.at("requestBody", "content", "application/json", "example"); example.there() {
		lines = append(lines, `-H "Content-Type: application/json"`, "-d '"+strings.ReplaceAll(example.json(), "'", `'\''`)+"'")
	}
	return strings.Join(lines, " \\\n  ")
}
