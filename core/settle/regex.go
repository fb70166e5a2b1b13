package settle

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxProgram is how many RE2 instructions a pattern may have. Matching takes time in proportion to them and to the text,
// so without a limit nested counts could keep a processor busy for seconds.
const maxProgram = 5000

// White space as JavaScript's \s has it, and the rest: RE2's own \s misses the no-break space that prompts love.
const (
	space   = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	noSpace = `\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
		`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

// compile turns JavaScript's /source/flags into RE2, or says what cannot be turned. text is the whole pattern.
func compile(text, source, flags string) (regex *regexp.Regexp, anchored bool, err error) {
	t := translation{rest: source}
	if refused := t.run(); refused != "" {
		return nil, false, badPattern(text, refused, nil)
	}
	re2 := t.out.String()
	for _, flag := range flags {
		if strings.ContainsRune("ims", flag) {
			re2 = fmt.Sprintf("(?%c)%s", flag, re2)
		}
	}
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil, false, badPattern(text, mistake(err), err)
	}
	if program, err := syntax.Compile(tree.Simplify()); err != nil || len(program.Inst) > maxProgram {
		return nil, false, badPattern(text, "is too large; wait for something shorter.", err)
	}
	anchored = asksForStart(tree)
	regex, err = regexp.Compile(re2)
	if err != nil {
		return nil, false, badPattern(text, mistake(err), err)
	}
	return regex, anchored, nil
}

// asksForStart says whether an expression looks at the beginning of the text, as ^ does without the flag m.
func asksForStart(tree *syntax.Regexp) bool {
	if tree.Op == syntax.OpBeginText {
		return true
	}
	for _, sub := range tree.Sub {
		if asksForStart(sub) {
			return true
		}
	}
	return false
}

// translation rewrites what JavaScript and RE2 write differently and finds what RE2 does not have.
type translation struct {
	rest  string // of the source
	out   strings.Builder
	class bool // inside [ ]
}

// groups that RE2 does not have; the longer ones first.
var groups = [...]struct{ opening, name string }{
	{"(?<=", "lookbehind"}, {"(?<!", "negative lookbehind"}, {"(?=", "lookahead"}, {"(?!", "negative lookahead"},
}

// run rewrites the whole source. refused is the end of the sentence that begins with the pattern.
func (t *translation) run() (refused string) {
	for t.rest != "" && refused == "" {
		switch {
		case t.rest[0] == '\\':
			refused = t.escape()
		case t.class:
			t.inClass()
		case t.rest[0] == '[':
			refused = t.open()
		case strings.HasPrefix(t.rest, "(?"):
			for _, g := range groups {
				if strings.HasPrefix(t.rest, g.opening) {
					return uses(g.name)
				}
			}
			t.copy(len("(?"))
		default:
			t.copy(1)
		}
	}
	return refused
}

func (t *translation) copy(n int)            { t.put(n, t.rest[:n]) }
func (t *translation) put(n int, out string) { t.rest = t.rest[n:]; t.out.WriteString(out) }

// open takes the [ of a class. An empty one means nothing or everything in JavaScript, and ] as a character in RE2.
func (t *translation) open() (refused string) {
	for _, empty := range []string{"[]", "[^]"} {
		if strings.HasPrefix(t.rest, empty) {
			return uses(empty)
		}
	}
	t.class = true
	t.copy(1)
	return ""
}

// inClass takes one character of a class, or one of RE2's named classes such as [:alpha:].
func (t *translation) inClass() {
	if strings.HasPrefix(t.rest, "[:") {
		if end := strings.Index(t.rest, ":]"); end > 0 {
			t.copy(end + len(":]"))
			return
		}
	}
	t.class = t.rest[0] != ']'
	t.copy(1)
}

// escape takes a backslash and what belongs to it.
func (t *translation) escape() (refused string) {
	r, size := utf8.DecodeRuneInString(t.rest[1:])
	size++
	switch {
	case size == 1:
		return `ends in a single backslash; write \\ for the character.`
	case r == 's' || r == 'S':
		t.space(r == 's')
	case r == 'u':
		return t.unicode()
	case r == 'b' && t.class:
		t.put(size, `\x08`)
	case r == 'c':
		return uses("the control escape " + t.rest[:min(len(t.rest), 3)])
	case r == 'k':
		return uses("a named back-reference")
	case '1' <= r && r <= '9':
		return uses("a back-reference")
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		// RE2 gives other letters, such as \A and \Q, a meaning that JavaScript does not.
		if !strings.ContainsRune("dDwWbBfnrtvxpP", r) {
			return uses("the escape " + t.rest[:size])
		}
		t.copy(size)
	case r >= utf8.RuneSelf || r == '/':
		t.put(size, t.rest[1:size])
	default:
		t.copy(size)
	}
	return ""
}

// space takes \s or \S.
func (t *translation) space(is bool) {
	set := noSpace
	if is {
		set = space
	}
	if !t.class {
		t.put(2, "["+set+"]")
		return
	}
	t.put(2, set)
	if strings.HasPrefix(t.rest, "-") { // no range can begin with a set
		t.put(1, `\-`)
	}
}

// unicode takes \uXXXX, a pair of them for one character, or \u{X…}.
func (t *translation) unicode() (refused string) {
	r, size := codePoint(t.rest)
	if low, more := codePoint(t.rest[size:]); utf16.IsSurrogate(r) && more > 0 {
		r, size = utf16.DecodeRune(r, low), size+more
	}
	switch {
	case size == 0:
		return uses(`the escape \u without four digits`)
	case !utf8.ValidRune(r) || r == utf8.RuneError:
		return uses("a " + t.rest[:size] + " that is no character")
	}
	t.put(size, fmt.Sprintf(`\x{%x}`, r))
	return ""
}

// codePoint reads one \uXXXX or \u{X…} at the start of s; its size is 0 when there is none.
func codePoint(s string) (r rune, size int) {
	digits, ok := strings.CutPrefix(s, `\u`)
	if !ok {
		return 0, 0
	}
	size = len(`\uXXXX`)
	if inside, braced := strings.CutPrefix(digits, "{"); braced {
		digits, _, ok = strings.Cut(inside, "}")
		size = len(`\u{}`) + len(digits)
	} else if ok = len(digits) >= 4; ok {
		digits = digits[:4]
	}
	n, err := strconv.ParseUint(digits, 16, 31)
	if !ok || err != nil {
		return 0, 0
	}
	return rune(n), size
}
