package screen_test

import (
	"strings"
	"testing"

	"termbay/core/screen"
)

func TestQueriesAreAnswered(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"DA1", "\x1b[c\x1b[0c", "\x1b[?62;22c\x1b[?62;22c"},
		{"DA2", "\x1b[>c", "\x1b[>1;10;0c"},
		{"DSR 5", "\x1b[5n", "\x1b[0n"},
		{"DSR 6", "\x1b[3;7H\x1b[6n", "\x1b[3;7R"},
		{"DSR 6 with a pending wrap", strings.Repeat("x", 80) + "\x1b[6n", "\x1b[1;80R"},
		{"DSR 6 in origin mode", "\x1b[5;9r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
		{"DECXCPR", "\x1b[3;7H\x1b[?6n", "\x1b[?3;7R"},
		{"DECRQM, on", "\x1b[?7$p", "\x1b[?7;1$y"},
		{"DECRQM, off", "\x1b[?2004$p", "\x1b[?2004;2$y"},
		{"DECRQM, switched on", "\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"},
		{"DECRQM, mouse", "\x1b[?1000h\x1b[?1002h\x1b[?1000$p\x1b[?1002$p", "\x1b[?1000;2$y\x1b[?1002;1$y"},
		{"DECRQM, alternate screen", "\x1b[?1049h\x1b[?1049$p", "\x1b[?1049;1$y"},
		{"DECRQM, saved cursor", "\x1b[?1048$p", "\x1b[?1048;1$y"},
		{"DECRQM, origin and visible", "\x1b[?6h\x1b[?25l\x1b[?6$p\x1b[?25$p", "\x1b[?6;1$y\x1b[?25;2$y"},
		{"DECRQM, margins left and right, which we have not", "\x1b[?69h\x1b[?69$p", "\x1b[?69;0$y"},
		{"DECRQM, unknown", "\x1b[?9999h\x1b[?9999$p", "\x1b[?9999;0$y"},
		{"DECRQM, ANSI", "\x1b[4h\x1b[4$p\x1b[20$p", "\x1b[4;1$y\x1b[20;2$y"},
		{"XTVERSION", "\x1b[>q\x1b[>0q", "\x1bP>|termbay\x1b\\\x1bP>|termbay\x1b\\"},
		{"size", "\x1b[18t", "\x1b[8;24;80t"},
		{"OSC 10, ST", "\x1b]10;?\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
		{"OSC 11, BEL", "\x1b]11;?\a", "\x1b]11;rgb:0000/0000/0000\a"},
		{"OSC 12", "\x1b]12;?\a", "\x1b]12;rgb:ffff/ffff/ffff\a"},
		{"OSC 11 set", "\x1b]11;#123456\a", ""},
		{"OSC 4, two colors", "\x1b]4;1;?;255;?\a", "\x1b]4;1;rgb:8080/0000/0000\a\x1b]4;255;rgb:eeee/eeee/eeee\a"},
		{"OSC 4, no such color", "\x1b]4;256;?\a\x1b]4;x;?\a", ""},
		{"DECRQSS, plain", "\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"},
		{"DECRQSS, styled", "\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\"},
		{"DECRQSS, region", "\x1b[2;9r\x1bP$qr\x1b\\", "\x1bP1$r2;9r\x1b\\"},
		{"DECRQSS, unknown", "\x1bP$qx\x1b\\", "\x1bP0$r\x1b\\"},
		{"in order, with the cursor of the moment (O-D8)", "\x1b[5;9H\x1b[6n\x1b[10;10H\x1b[c\x1b[5n", "\x1b[5;9R\x1b[?62;22c\x1b[0n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := show(t, size(80, 24), c.in)
			if got := string(s.Replies()); got != c.want {
				t.Errorf("want %q\n got %q", c.want, got)
			}
			if got := s.Replies(); len(got) > 0 {
				t.Errorf("answered twice: %q", got)
			}
			if got := strings.Trim(rows(s), "x"); got != "" {
				t.Errorf("printed %q", got)
			}
		})
	}
}

// 20 000 queries whose answers nobody takes stop nothing; whole answers are dropped, and later ones come again.
func TestRepliesThatNobodyTakes(t *testing.T) {
	s := show(t, size(80, 24), strings.Repeat("\x1b[6n", 20_000), "alive")
	r := string(s.Replies())
	if len(r) > screen.MaxReplies || len(r) < screen.MaxReplies-8 || strings.Trim(r, "\x1b[1;R") != "" || r[len(r)-1] != 'R' {
		t.Errorf("%d bytes: %q", len(r), r)
	}
	write(t, s, "\x1b[5n")
	if r := string(s.Replies()); r != "\x1b[0n" || rows(s) != "alive" {
		t.Errorf("then %q, screen %q", r, rows(s))
	}
}
