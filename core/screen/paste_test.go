package screen_test

import (
	"testing"

	"termbay/core/screen"
)

func TestTypedTextGoesAsKeys(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		"ls -l\n":            "ls -l\r",
		"a\r\nb\nc\rd":       "a\rb\rc\rd",
		"\n\r\n\n":           "\r\r\r",
		"\x1b[A\t\x03\x00é":  "\x1b[A\t\x03\x00é", // exact: controls are keys too
		"\xff\xfe not UTF-8": "\xff\xfe not UTF-8",
	} {
		if got := string(screen.EncodeText(in)); got != want {
			t.Errorf("%q: want %q, got %q", in, want, got)
		}
	}
}

// A paste is bracketed when the program asked for it, and nothing in it can end the brackets (O-C3).
func TestPaste(t *testing.T) {
	for _, c := range []struct {
		name, in     string
		plain, paste string
	}{
		{"text", "a b\tc é世", "a b\tc é世", "\x1b[200~a b\tc é世\x1b[201~"},
		{"nothing", "", "", "\x1b[200~\x1b[201~"},
		{"line ends", "a\nb\r\nc\rd\n", "a\rb\rc\rd\r", "\x1b[200~a\rb\rc\rd\r\x1b[201~"},
		{"an early end", "a\x1b[201~rm -rf /\n", "a\x1b[201~rm -rf /\r", "\x1b[200~a[201~rm -rf /\r\x1b[201~"},
		{"an end within an end", "\x1b\x1b[201~[201~", "\x1b\x1b[201~[201~", "\x1b[200~[201~[201~\x1b[201~"},
		{"an end in C1", "a\u009b201~b", "a\u009b201~b", "\x1b[200~a201~b\x1b[201~"},
		{"controls", "\x00\x03\x04\b\x7f\vx", "\x00\x03\x04\b\x7f\vx", "\x1b[200~x\x1b[201~"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(screen.EncodePaste(c.in, screen.Modes{})); got != c.plain {
				t.Errorf("without brackets: want %q, got %q", c.plain, got)
			}
			if got := string(screen.EncodePaste(c.in, screen.Modes{BracketedPaste: true})); got != c.paste {
				t.Errorf("in brackets: want %q, got %q", c.paste, got)
			}
		})
	}
}
