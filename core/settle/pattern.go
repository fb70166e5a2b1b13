package settle

import (
	"regexp"
	"strings"

	"termbay/core"
)

// Pattern is a text that is waited for: a literal, or a regular expression (L23, L24).
type Pattern struct {
	source   string
	regex    *regexp.Regexp // nil: source is a literal
	anchored bool           // it may ask where the text begins, so the text must always begin at the same place
}

// Parse reads a text to wait for. It is a literal, or a regular expression when it is written /source/flags: everything
// after its last slash is flags out of g i m s u y, each at most once. Anything else that looks like one, such as
// the path /tmp/log, is a literal. The expression is JavaScript's as far as RE2 can match it in linear time; g, u and y
// have no effect. Errors: core.Invalid when nothing is asked for, core.BadPattern when RE2 cannot match it.
func Parse(text string) (*Pattern, error) {
	source, flags, ok := cutRegex(text)
	switch {
	case text == "" || ok && source == "":
		return nil, &core.Error{Code: core.Invalid, Field: field, Detail: "The text to wait for is empty; name one, or leave it out to wait for quiet."}
	case !ok:
		return &Pattern{source: text}, nil
	}
	regex, anchored, err := compile(text, source, flags)
	if err != nil {
		return nil, err
	}
	return &Pattern{source: text, regex: regex, anchored: anchored}, nil
}

// cutRegex takes /source/flags apart.
func cutRegex(text string) (source, flags string, ok bool) {
	last := strings.LastIndexByte(text, '/')
	if last < 1 || text[0] != '/' {
		return "", "", false
	}
	source, flags = text[1:last], text[last+1:]
	for i, flag := range flags {
		if !strings.ContainsRune("gimsuy", flag) || strings.ContainsRune(flags[:i], flag) {
			return "", "", false
		}
	}
	return source, flags, true
}

// Source is the pattern as it was asked for.
func (p *Pattern) Source() string { return p.source }

// String is the pattern as people read it, on one line and cut at core.MaxDisplay characters: "ready" or /ready/i.
func (p *Pattern) String() string {
	if p.regex == nil {
		return `"` + display(p.source) + `"`
	}
	return display(p.source)
}

func display(s string) string {
	if r := []rune(s); len(r) > core.MaxDisplay {
		s = string(r[:core.MaxDisplay]) + "…"
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
}

// In says whether the pattern occurs in a text. Occurrences text[from:to] that except, unless it is nil, says true to do
// not count; it is asked about one after the other until it says false.
func (p *Pattern) In(text string, except func(from, to int) bool) bool {
	if p.regex == nil {
		return p.literalIn(text, except)
	}
	if except == nil {
		return p.regex.MatchString(text)
	}
	for limit := 4; ; limit *= 16 { // the first few nearly always decide
		all := p.regex.FindAllStringIndex(text, limit)
		for _, at := range all {
			if !except(at[0], at[1]) {
				return true
			}
		}
		if len(all) < limit {
			return false
		}
	}
}

func (p *Pattern) literalIn(text string, except func(from, to int) bool) bool {
	for from := 0; ; from++ {
		i := strings.Index(text[from:], p.source)
		if i < 0 {
			return false
		}
		from += i
		if except == nil || !except(from, from+len(p.source)) {
			return true
		}
	}
}
