package core

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// MaxDisplay is how many characters of a command, and MaxTitle how many bytes of a title, are shown; the whole
// command stays available in the entry.
const (
	MaxDisplay = 200
	MaxTitle   = 1024
)

// Duration is a time span as people and agents read it: 0.4 s, 12 s, 2m 14s, 1h 03m.
func Duration(d time.Duration) string {
	d = max(d, 0)
	switch tenths := d.Round(100 * time.Millisecond); {
	case tenths < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", tenths.Seconds()), ".0") + " s"
	case d.Round(time.Second) < time.Hour:
		s := int(d.Round(time.Second).Seconds())
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		m := int(d.Round(time.Minute).Minutes())
		return fmt.Sprintf("%dh %02dm", m/60, m%60)
	}
}

// Age is a time span in one unit, rounded down: 12s, 3m, 5h, 2d.
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// Count is a number with its noun: 1 line, 37 lines.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// OneLine puts a command on one line without control characters, cut at MaxDisplay characters with an ellipsis.
func OneLine(s string) string {
	var b strings.Builder
	n, blank := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			blank = n > 0
			continue
		}
		if blank {
			b.WriteByte(' ')
			n++
		}
		if n >= MaxDisplay {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		blank = false
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Size is a number of bytes as Pi writes it: 512B, 50.0KB, 1.2MB.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1fMB", float64(n)/(1<<20))
}
