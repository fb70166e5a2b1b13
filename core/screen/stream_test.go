package screen_test

import (
	"fmt"
	"math/rand"
	"strings"
)

// words are what programs print, and what they should not.
var words = []string{"", " ", "x y", "世界", "é", "👩\u200d💻", "e\u0301", "🇯🇵", "한국어", "❤\ufe0f", "\u00ad", "✅"}

// stream is at least n bytes of what a lively program prints.
func stream(r *rand.Rand, n, w, h int) []byte {
	var b strings.Builder
	for b.Len() < n {
		switch k := r.Intn(34); {
		case k < 14:
			control(&b, r, k, w, h)
		case k < 18:
			for range r.Intn(4) {
				b.WriteString(word(r))
			}
			b.WriteString("\r\n")
		case k < 21:
			lines(&b, r, w, h)
		default:
			b.WriteString(word(r))
		}
	}
	return []byte(b.String())
}

func word(r *rand.Rand) string {
	return strings.Repeat(string(rune('a'+r.Intn(26))), r.Intn(12)) + words[r.Intn(len(words))]
}

func pick(r *rand.Rand, s ...string) string { return s[r.Intn(len(s))] }

func control(b *strings.Builder, r *rand.Rand, k, w, h int) {
	const calm = "\x1b[?1049l\x1b[r\x1b[4l\x1b[?7h\x1b(B\x0f"
	switch k {
	case 0:
		fmt.Fprintf(b, "\x1b[%sm", pick(r, "0", "1", "4", "7", "31", "32", "44", "49", "39", "93", "103", "4:3", "58;5;1"))
	case 1:
		fmt.Fprintf(b, "\x1b[38;5;%d;48;2;%d;2;3m", r.Intn(256), r.Intn(256))
	case 2:
		b.WriteString("\x1b[0m")
	case 3:
		fmt.Fprintf(b, "\x1b[%d;%dH", r.Intn(h+3), r.Intn(w+3))
	case 4:
		fmt.Fprintf(b, "\x1b[%d%c", r.Intn(5), "ABCDEFGIZade`"[r.Intn(13)])
	case 5:
		fmt.Fprintf(b, "\x1b[%d%c", r.Intn(4), "JK"[r.Intn(2)])
	case 6:
		fmt.Fprintf(b, "\x1b[%d%c", r.Intn(6), "LMPX@STb"[r.Intn(8)])
	case 7:
		b.WriteString(pick(r, "\x1b[r", "\x1b[r", fmt.Sprintf("\x1b[%d;%dr", r.Intn(h+2), r.Intn(h+4))))
	case 8:
		b.WriteString(pick(r, "\x1bM", "\x1bD", "\x1bE", "\x1b7", "\x1b8", "\x1bH", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b[s", "\x1b[u", "\x1b#8", "\x1bc", "\x1b[!p"))
	case 9:
		b.WriteString(pick(r, "", "", fmt.Sprintf("\x1b[?%s%c", pick(r, "6", "7", "25", "45", "1047", "1049", "47", "1048", "2004", "69", "1000"), "hl"[r.Intn(2)])))
	case 10:
		b.WriteString(pick(r, "\x1b[4h", "\x1b[4l", calm))
	case 11:
		b.WriteString(pick(r, "\b", "\b\b", "\b\t", "\t"))
	case 12:
		b.WriteString("\x1b]8;;http://a/b;c\x1b\\link\x1b]8;;\a\x1b]0;títle\a")
	default:
		b.WriteString(pick(r, "\xff", "\xe4\xb8", "\x1b[2\rC", calm, "\u200b", "\u0301", "\x1b[6n\x1b[c\x1b[?1049$p\x1bP$qm\x1b\\"))
	}
}

// lines scroll: many of them, styled or not, some longer than the screen is wide.
func lines(b *strings.Builder, r *rand.Rand, w, h int) {
	b.WriteString(pick(r, "", "", "\x1b[?1049l\x1b[r\x1b[4l\x1b[?7h\x1b(B\x0f"))
	styled := r.Intn(2) == 0
	for range r.Intn(4 * h) {
		if styled {
			fmt.Fprintf(b, "\x1b[%dm", 30+r.Intn(18))
		}
		b.WriteString(word(r) + strings.Repeat("=", r.Intn(3)*r.Intn(w+4)))
		if styled {
			b.WriteString(pick(r, "", "\x1b[m"))
		}
		b.WriteString(word(r) + "\r\n")
	}
}
