package web

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// part is a place in a YAML document that keeps the order in which things were written, and follows its references.
type part struct{ root, node *yaml.Node }

func parseYAML(text []byte) (part, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return part{}, err
	}
	if len(doc.Content) == 0 {
		return part{}, nil
	}
	return part{doc.Content[0], doc.Content[0]}, nil
}

// at is what stands under names, one below the other; nothing when it is not there.
func (p part) at(names ...string) part {
	for _, name := range names {
		p = p.target().child(name)
	}
	return p.target()
}

func (p part) child(name string) part {
	if p.node != nil && p.node.Kind == yaml.MappingNode {
		for i := 0; i < len(p.node.Content); i += 2 {
			if p.node.Content[i].Value == name {
				return part{p.root, p.node.Content[i+1]}
			}
		}
	}
	return part{p.root, nil}
}

// ref is the last name of the reference that p is, empty when it is none.
func (p part) ref() string {
	ref := p.child("$ref").text()
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// target is what p refers to, or p itself.
func (p part) target() part {
	ref := p.child("$ref").text()
	if ref == "" {
		return p
	}
	return part{p.root, p.root}.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
}

func (p part) there() bool { return p.node != nil }

// text is a value as it was written.
func (p part) text() string {
	if p.node == nil {
		return ""
	}
	return p.node.Value
}

// each are the members of a map, in the order of the document, references not followed.
func (p part) each(do func(name string, p part)) {
	if p.node == nil || p.node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(p.node.Content); i += 2 {
		do(p.node.Content[i].Value, part{p.root, p.node.Content[i+1]})
	}
}

// items are the members of a list, references not followed.
func (p part) items() []part {
	if p.node == nil || p.node.Kind != yaml.SequenceNode {
		return nil
	}
	items := make([]part, len(p.node.Content))
	for i, n := range p.node.Content {
		items[i] = part{p.root, n}
	}
	return items
}

// texts are the members of a list of words.
func (p part) texts() []string {
	var words []string
	for _, item := range p.items() {
		words = append(words, item.text())
	}
	return words
}

// json is p as JSON, in the order of the document.
func (p part) json() string {
	var members []string
	switch {
	case p.node == nil:
		return "null"
	case p.node.Kind == yaml.MappingNode:
		p.each(func(name string, v part) { members = append(members, quoted(name)+": "+v.json()) })
		return "{" + strings.Join(members, ", ") + "}"
	case p.node.Kind == yaml.SequenceNode:
		for _, item := range p.items() {
			members = append(members, item.json())
		}
		return "[" + strings.Join(members, ", ") + "]"
	case p.node.Tag == "!!str":
		return quoted(p.text())
	}
	return p.text()
}

func quoted(s string) string {
	b := new(strings.Builder)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
