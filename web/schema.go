package web

import (
	"fmt"
	"slices"
	"strings"

	"termbay/templates"
)

// schemaID is where a schema stands on the page.
func schemaID(name string) string { return "schema-" + name }

// schemaOf is a schema with its fields; one that is no object has none, and says in words what it may hold.
func schemaOf(name string, schema part) templates.DocsSchema {
	s := templates.DocsSchema{ID: schemaID(name), Name: name, Text: paragraphs(schema.at("description").text())}
	if !schema.at("properties").there() {
		f := fieldOf(name, schema, false)
		s.Fields = []templates.DocsField{f}
		return s
	}
	required := schema.at("required").texts()
	schema.at("properties").each(func(field string, p part) {
		s.Fields = append(s.Fields, fieldOf(field, p, slices.Contains(required, field)))
	})
	return s
}

// fieldOf is a field of a schema, which may be a reference to one with a name.
func fieldOf(name string, schema part, required bool) templates.DocsField {
	target := schema.target()
	return templates.DocsField{
		Name: name, Required: required, Type: typeOf(schema), Range: rangeOf(target),
		Default: target.at("default").text(), Text: paragraphs(target.at("description").text()),
	}
}

func typeOf(schema part) templates.DocsLink {
	if name := schema.ref(); name != "" {
		return templates.DocsLink{Text: name, To: schemaID(name)}
	}
	switch kind := schema.at("type").text(); {
	case kind == "array":
		item := typeOf(schema.child("items"))
		return templates.DocsLink{Text: "list of " + item.Text, To: item.To}
	case kind == "object" && schema.at("additionalProperties", "type").there():
		return templates.DocsLink{Text: "map of " + typeOf(schema.child("additionalProperties")).Text}
	default:
		return templates.DocsLink{Text: kind}
	}
}

// rangeOf is what a schema allows, in words.
func rangeOf(schema part) string {
	var words []string
	add := func(format, keyword string) {
		if value := schema.at(keyword); value.there() {
			words = append(words, fmt.Sprintf(format, value.text()))
		}
	}
	if lowest, highest := schema.at("minimum"), schema.at("maximum"); lowest.there() && highest.there() {
		words = append(words, lowest.text()+" to "+highest.text())
	}
	add("at least %s characters", "minLength")
	add("at most %s characters", "maxLength")
	add("at most %s items", "maxItems")
	switch pattern := schema.at("pattern").text(); pattern {
	case "":
	case `^[^\u0000]*$`:
		words = append(words, "no NUL")
	default:
		words = append(words, pattern)
	}
	add("%s", "format")
	if values := schema.at("enum").texts(); len(values) > 0 {
		words = append(words, strings.Join(values, ", "))
	}
	return strings.Replace(strings.Join(words, "; "), "at least 1 characters", "not empty", 1)
}

// paragraphs are a description: text with `code` and **strong** words, blank lines between its paragraphs.
func paragraphs(description string) []templates.DocsText {
	var texts []templates.DocsText
	for block := range strings.SplitSeq(strings.TrimSpace(description), "\n\n") {
		if block == "" {
			continue
		}
		var text templates.DocsText
		for i, plain := range strings.Split(block, "`") {
			if i%2 == 1 {
				text = append(text, templates.DocsSpan{Text: plain, Code: true})
				continue
			}
			for j, words := range strings.Split(plain, "**") {
				if words != "" {
					text = append(text, templates.DocsSpan{Text: words, Strong: j%2 == 1})
				}
			}
		}
		texts = append(texts, text)
	}
	return texts
}
