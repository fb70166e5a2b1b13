package settle_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/settle"
)

func TestPatternOccursInText(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		// literals
		{"ready", "not ready yet", true},
		{"ready", "READY", false},
		{"a.c", "abc", false},
		{"a\nb", "a\nb", true},
		{"/", "a/b", true},
		{"/tmp/log", "see /tmp/log", true},
		{"/tmp/log", "tmp", false},
		{"/a/gg", "see /a/gg", true},
		{"/a/x", "see /a/x", true},
		{"/usr", "/usr/bin", true},
		{"a/b/i", "A/B", false},
		// regular expressions and their flags
		{"/ready/", "ready", true},
		{"/ready/", "READY", false},
		{"/ready/i", "READY", true},
		{"/ready/gimsuy", "READY", true},
		{"/ready/yg", "ready", true},
		{"/a/b/", "a/b", true},
		{`/a\/b/`, "a/b", true},
		{"/a.c/", "a\nc", false},
		{"/a.c/s", "a\nc", true},
		{"/^b$/", "a\nb", false},
		{"/^b$/m", "a\nb\nc", true},
		{"/c$/", "a\nb\nc", true},
		{"/(?<word>b)+/", "abc", true},
		{"/(?:ab){2}/", "abab", true},
		{"/{\"status\": *\"ok\"}/", `{"status": "ok"}`, true},
		{`/a{,2}/`, "a{,2}", true},
		// what JavaScript writes in another way
		{`/\u65e5\u672C/`, "日本", true},
		{`/[\u4e00-\u9fff]+/`, "日", true},
		{`/\u{1F600}/u`, "😀", true},
		{`/\uD83D\uDE00/`, "😀", true},
		{`/\x41\é\-\_/`, "Aé-_", true},
		{`/^❯\s$/`, "❯\u00a0", true},
		{`/a\sb/`, "a\u2003b", true},
		{`/a\Sb/`, "a\u00a0b", false},
		{`/a\Sb/`, "a日b", true},
		{`/^[\s-.]+$/`, "\u00a0-.", true},
		{`/^[^\s]+$/`, "a\u00a0b", false},
		{`/^[\S]+$/`, "日😀!~", true},
		{`/^[\S]+$/`, "a\u3000b", false},
		{`/[\b]/`, "b", false},
		{`/[[:alpha:]\s]{3}/`, "a\u00a0b", true},
		{`/[\w-.]+@/`, "a-b.c@", true},
		{`/[\d\D]/`, "x", true},
		{`/\bDONE\b/`, "DONE.", true},
		{`/\p{Lu}\p{L}+/u`, "Éa", true},
		{`/\0/`, "\x00", true},
		{`/[a/]/`, "/", true},
		{`/]/`, "]", true},
		// one that would be catastrophic elsewhere
		{`/(a+)+$/`, strings.Repeat("a", 4800) + "!", false},
		{`/(a|aa)+$/`, strings.Repeat("a", 4800) + "!", false},
		{`/a{1,1000}$/`, strings.Repeat("a", 4800), true},
	} {
		p, err := settle.Parse(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := p.In(c.text, nil); got != c.want {
			t.Errorf("%s in %.80q: %v", c.pattern, c.text, got)
		}
		if p.Source() != c.pattern {
			t.Errorf("%s: the source is %s", c.pattern, p.Source())
		}
	}
}

func TestPatternThatCannotBeMatchedIsRefused(t *testing.T) {
	unsupported := func(what string) string { return "uses " + what + ", which is not supported here; write it without." }
	for _, c := range []struct {
		pattern string
		code    core.Code
		why     string
	}{
		{"", core.Invalid, "The text to wait for is empty"},
		{"//", core.Invalid, "The text to wait for is empty"},
		{"//i", core.Invalid, "The text to wait for is empty"},
		{"/(?=x)/", core.BadPattern, unsupported("lookahead")},
		{"/a(?!x)/", core.BadPattern, unsupported("negative lookahead")},
		{"/(?<=x)a/i", core.BadPattern, unsupported("lookbehind")},
		{"/(?<!x)a/", core.BadPattern, unsupported("negative lookbehind")},
		{`/(a)\1/`, core.BadPattern, unsupported("a back-reference")},
		{`/[\1]/`, core.BadPattern, unsupported("a back-reference")},
		{`/(?<n>a)\k<n>/`, core.BadPattern, unsupported("a named back-reference")},
		{`/\cC/`, core.BadPattern, unsupported(`the control escape \cC`)},
		{`/\c/`, core.BadPattern, unsupported(`the control escape \c`)},
		{"/[^]/", core.BadPattern, unsupported("[^]")},
		{"/a[]b/", core.BadPattern, unsupported("[]")},
		{"/[/", core.BadPattern, `has an unmatched [; close it, or write \[ for the character.`},
		{"/[a(?=b)/", core.BadPattern, `has an unmatched [`},
		{"/(a/", core.BadPattern, "has an unmatched (; "},
		{"/a)/", core.BadPattern, "has an unmatched ); "},
		{"/a{1,1001}/", core.BadPattern, "has the repeat count {1,1001}; counts go up, and to 1000 in all."},
		{"/(a{100}){100}/", core.BadPattern, "has the repeat count {100}; counts go up, and to 1000 in all."},
		{"/a{2,1}/", core.BadPattern, "has the repeat count {2,1}"},
		{"/*a/", core.BadPattern, "has nothing to repeat before *"},
		{"/a**/", core.BadPattern, "has nothing to repeat before **"},
		{"/a++/", core.BadPattern, "has nothing to repeat before ++"},
		{`/a\/`, core.BadPattern, `ends in a single backslash; write \\ for the character.`},
		{`/\e/`, core.BadPattern, unsupported(`the escape \e`)},
		{`/\Aready\z/`, core.BadPattern, unsupported(`the escape \A`)},
		{`/\Qa\E/`, core.BadPattern, unsupported(`the escape \Q`)},
		{`/\u12/`, core.BadPattern, unsupported(`the escape \u without four digits`)},
		{`/\u{}/`, core.BadPattern, unsupported(`the escape \u without four digits`)},
		{`/\u{41/`, core.BadPattern, unsupported(`the escape \u without four digits`)},
		{`/\u{110000}/`, core.BadPattern, unsupported(`a \u{110000} that is no character`)},
		{`/\uD83D/`, core.BadPattern, unsupported(`a \uD83D that is no character`)},
		{`/\uD83Dx/`, core.BadPattern, unsupported(`a \uD83D that is no character`)},
		{`/\xZZ/`, core.BadPattern, unsupported(`\xZZ`)},
		{"/[z-a]/", core.BadPattern, unsupported("z-a")},
		{`/\p{Nonsense}/u`, core.BadPattern, unsupported(`\p{Nonsense}`)},
		{"/(?>a)/", core.BadPattern, unsupported("(?>")},
		{"/(?<é>a)/", core.BadPattern, unsupported("(?<é>")},
		{"/(a|b|ab){1,1000}/", core.BadPattern, "is too large; wait for something shorter."},
		{"/" + strings.Repeat("abc", 5000) + "/", core.BadPattern, "is too large; wait for something shorter."},
		{"/" + strings.Repeat("(", 2000) + strings.Repeat(")", 2000) + "/", core.BadPattern, "is too large; wait for something shorter."},
		{"/\xff/", core.BadPattern, "uses "},
	} {
		_, err := settle.Parse(c.pattern)
		problem := (*core.Error)(nil)
		if !errors.As(err, &problem) {
			t.Errorf("%.80s: %v", c.pattern, err)
			continue
		}
		if problem.Code != c.code || problem.Field != "wait_for_text" {
			t.Errorf("%.80s: %s of %s", c.pattern, problem.Code, problem.Field)
		}
		if !strings.Contains(problem.Detail, c.why) {
			t.Errorf("%.80s: %s\nwanted: %s", c.pattern, problem.Detail, c.why)
		}
		if c.code == core.BadPattern && len(c.pattern) < core.MaxDisplay && !strings.HasPrefix(problem.Detail, c.pattern+" ") {
			t.Errorf("%s is not named: %s", c.pattern, problem.Detail)
		}
		if len([]rune(problem.Detail)) > 2*core.MaxDisplay {
			t.Errorf("%.80s: a detail of %d bytes", c.pattern, len(problem.Detail))
		}
	}
}

func TestPatternIsShownAsPeopleReadIt(t *testing.T) {
	for pattern, want := range map[string]string{
		"ready":                  `"ready"`,
		"> ":                     `"> "`,
		"/ready/i":               "/ready/i",
		"/tmp/log":               `"/tmp/log"`,
		"a\nb":                   `"a\nb"`,
		strings.Repeat("日", 500): `"` + strings.Repeat("日", core.MaxDisplay) + `…"`,
	} {
		p, err := settle.Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.String(); got != want {
			t.Errorf("%q is shown as %s", pattern, got)
		}
	}
}

func TestOccurrencesThatAreExceptedDoNotCount(t *testing.T) {
	text := strings.Repeat("DONE ", 1000) + "last DONE"
	for _, pattern := range []string{"DONE", "/DONE/", "/d(o)ne/i"} {
		p, err := settle.Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		but := func(spared int) func(from, to int) bool {
			return func(from, to int) bool {
				asked++
				if text[from:to] != "DONE" {
					t.Errorf("%s: asked about %q", pattern, text[from:to])
				}
				return from != spared
			}
		}
		if p.In(text, but(-1)) {
			t.Errorf("%s: found although every occurrence is excepted", pattern)
		}
		if asked < 1001 {
			t.Errorf("%s: asked about %d occurrences only", pattern, asked)
		}
		for _, spared := range []int{0, 5 * 500, len(text) - len("DONE")} {
			if !p.In(text, but(spared)) {
				t.Errorf("%s: the occurrence at %d was not found", pattern, spared)
			}
		}
	}
}

func TestALiteralMayOverlapAnExceptedOccurrence(t *testing.T) {
	p, err := settle.Parse("aa")
	if err != nil {
		t.Fatal(err)
	}
	if !p.In("aaa", func(from, _ int) bool { return from == 0 }) {
		t.Error("the second aa of aaa was not found")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "/", "//", "///", "ready", "/ready/i", "/tmp/log", "/a/gg", `/\u{1F600}\uD83D\uDE00/u`, "/(?=x)(?<!y)/", `/[\s\S-\]]/`, `/[[:alpha:]/`,
		`/(a)\1/`, `/\k<n>/`, "/[^]/", "/a{1,1001}/", `/\cX\0\x41\p{L}/`, "/\xff/", `/\`, `/(?<n>\/)$/m`, "/((a{30}){30}){30}/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := settle.Parse(text)
		if err != nil {
			problem := (*core.Error)(nil)
			if !errors.As(err, &problem) || problem.Code != core.Invalid && problem.Code != core.BadPattern {
				t.Fatalf("%q: %v", text, err)
			}
			if !strings.HasSuffix(problem.Detail, ".") {
				t.Fatalf("%q: %q is no sentence", text, problem.Detail)
			}
			return
		}
		if p.Source() != text || p.String() == "" {
			t.Fatalf("%q: source %q, shown as %q", text, p.Source(), p.String())
		}
		begin := time.Now()
		p.In(strings.Repeat("ab /日1\n", 500), nil)
		if took := time.Since(begin); took > 20*time.Second {
			t.Fatalf("%q: %v", text, took)
		}
		if literal := !strings.HasPrefix(text, "/"); literal && !p.In("<"+text+">", nil) {
			t.Fatalf("%q is not found in itself", text)
		}
	})
}
