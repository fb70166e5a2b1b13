package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"termbay/core"
)

// maxDepth is how deep a body may be nested; none of ours is deeper than 4.
const maxDepth = 32

// checkJSON refuses what encoding/json would let through or read in its own way (O-H4): anything after the value,
// names given twice, null in place of leaving a field out, numbers that are no plain integer, text that is not Unicode.
func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return &core.Error{Code: malformed, Detail: "The body is not UTF-8; JSON has to be."}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return &core.Error{Code: malformed, Detail: "The body is not one complete JSON value: " + err.Error() + "."}
	}
	if loneSurrogate(body) {
		return &core.Error{Code: malformed, Detail: `The body holds half of a surrogate pair; write both \u escapes, or the character itself.`}
	}
	s := scanner{json.NewDecoder(bytes.NewReader(body))}
	s.UseNumber()
	if body[bytes.IndexFunc(body, func(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) })] != '{' {
		return &core.Error{Code: core.Invalid, Detail: "The body must be a JSON object."}
	}
	if flaw := s.value(0); flaw != nil {
		return invalid(flaw.path, flaw.wrong)
	}
	return nil
}

// scanner walks over JSON that is known to be well formed.
type scanner struct{ *json.Decoder }

// flaw is what is wrong at a place.
type flaw struct{ path, wrong string }

// under puts a name before the path.
func (f *flaw) under(name string) *flaw {
	if f.path != "" {
		name += "." + f.path
	}
	return &flaw{name, f.wrong}
}

func (s scanner) value(depth int) *flaw {
	token, _ := s.Token()
	switch t := token.(type) {
	case nil:
		return &flaw{"", "may not be null; leave it out instead"}
	case json.Number:
		if strings.ContainsAny(t.String(), ".eE") {
			return &flaw{"", "must be an integer without fraction or exponent"}
		}
	case json.Delim:
		if depth == maxDepth {
			return &flaw{"", fmt.Sprintf("is nested deeper than %d levels", maxDepth)}
		}
		if t == '{' {
			return s.object(depth + 1)
		}
		return s.array(depth + 1)
	}
	return nil
}

func (s scanner) object(depth int) *flaw {
	seen := map[string]bool{}
	for s.More() {
		token, _ := s.Token()
		name, _ := token.(string)
		if seen[name] {
			return &flaw{name, "is given twice; give it once"}
		}
		seen[name] = true
		if f := s.value(depth); f != nil {
			return f.under(name)
		}
	}
	s.Token() // the closing brace
	return nil
}

func (s scanner) array(depth int) *flaw {
	for i := 0; s.More(); i++ {
		if f := s.value(depth); f != nil {
			return f.under(strconv.Itoa(i))
		}
	}
	s.Token() // the closing bracket
	return nil
}

// loneSurrogate says whether well-formed JSON has a \u escape that is half of a pair, which encoding/json would
// silently replace.
func loneSurrogate(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++ // what the backslash escapes
		if body[i] != 'u' {
			continue
		}
		unit := escaped(body[i+1:])
		i += 4
		if unit>>10 == 0xdc00>>10 {
			return true
		}
		if unit>>10 == 0xd800>>10 {
			if !bytes.HasPrefix(body[i+1:], []byte(`\u`)) || escaped(body[i+3:])>>10 != 0xdc00>>10 {
				return true
			}
			i += 6
		}
	}
	return false
}

// escaped is the UTF-16 unit that four hexadecimal digits name.
func escaped(digits []byte) uint64 {
	unit, _ := strconv.ParseUint(string(digits[:4]), 16, 16)
	return unit
}
