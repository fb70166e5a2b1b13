package job_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"termbay/core/job"
	"termbay/core/spool"
)

func seq(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "%d\n", i)
	}
	return b.String()
}

// TestAResultIsCutAsPiCutsIt: 2000 lines or 50 KiB of decoded text, whichever comes first, whole lines from the end, but
// for one line that alone is too long.
func TestAResultIsCutAsPiCutsIt(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	const limit = 50 << 10
	for _, c := range []struct {
		what, printed, output, notice string // %s is the file
	}{
		{"nothing", "", "", ""},
		{"as it came", "a\n\nb\n\n", "a\n\nb\n\n", ""},
		{"2000 lines", seq(1, 2000), seq(1, 2000), ""},
		{"2001 lines", seq(1, 2001), strings.TrimSuffix(seq(2, 2001), "\n"), "[Showing lines 2-2001 of 2001. Full output: %s]"},
		{"2001 lines, the last one open", seq(1, 2000) + "end", strings.TrimSuffix(seq(2, 2000), "\n") + "\nend", "[Showing lines 2-2001 of 2001. Full output: %s]"},
		{"exactly the bytes", x(limit-1) + "\n", x(limit-1) + "\n", ""},
		{"one byte more", x(limit) + "\n", x(limit), "[Showing lines 1-1 of 1. Full output: %s]"},
		{"a line that is too long", x(70_000), x(limit), "[Showing last 50.0KB of line 1 (line is 68.4KB). Full output: %s]"},
		{"the same with its end", x(70_000) + "\n", x(limit), "[Showing last 50.0KB of line 1 (line is 68.4KB). Full output: %s]"},
		{"a long line after short ones", "a\nb\n" + x(60_000), x(limit), "[Showing last 50.0KB of line 3 (line is 58.6KB). Full output: %s]"},
		{"a short line after a long one", x(60_000) + "\nshort\n", "short", "[Showing lines 2-2 of 2 (50.0KB limit). Full output: %s]"},
		{"many long lines", strings.Repeat(x(999)+"\n", 100), strings.TrimSuffix(strings.Repeat(x(999)+"\n", 51), "\n"), "[Showing lines 50-100 of 100 (50.0KB limit). Full output: %s]"},
		{"characters are not cut", strings.Repeat("日", 20_000), strings.Repeat("日", limit/3), "[Showing last 50.0KB of line 1 (line is 58.6KB). Full output: %s]"},
		{"no UTF-8", "a\xff\xe6\x9cb\xf0\x80\x80\n\xe6", "a\ufffd\ufffdb\ufffd\ufffd\ufffd\n\ufffd", ""},
		{"no UTF-8 counts as what it becomes", strings.Repeat("\xff", 20_000), strings.Repeat("\ufffd", limit/3), "[Showing last 50.0KB of line 1 (line is 58.6KB). Full output: %s]"},
		{"a byte order mark", "\ufeffa\n", "a\n", ""},
		{"a byte order mark within", "a\ufeffb", "a\ufeffb", ""},
		{"NUL, CR and colours stay", "a\x00b\rc\x1b[31md\x1b[m\n", "a\x00b\rc\x1b[31md\x1b[m\n", ""},
		{"empty lines at the end", seq(1, 1999) + "\n\n", strings.TrimSuffix(seq(2, 1999)+"\n\n", "\n"), "[Showing lines 2-2001 of 2001. Full output: %s]"},
	} {
		for _, piece := range []int{1 << 20, 4099, 1} {
			if piece == 1 && len(c.printed) > 1000 {
				continue
			}
			t.Run(fmt.Sprintf("%s by %d", c.what, piece), func(t *testing.T) {
				s := openSpool(t)
				tape := job.NewTape(func() *spool.Log { return s.Log("c1-output-1", 0) })
				for p := []byte(c.printed); len(p) > 0; {
					n := min(piece, len(p))
					tape.Write(p[:n])
					p = p[n:]
				}
				r := tape.Report(nil)
				tape.Close()
				want := c.notice
				if want != "" {
					want = fmt.Sprintf(want, r.FullOutput)
				}
				if r.Output != c.output || r.Notice != want || r.Truncated != (want != "") {
					t.Errorf("got %d bytes %.60q…, notice %q\nwant %d bytes %.60q…, notice %q", len(r.Output), r.Output, r.Notice, len(c.output), c.output, want)
				}
				if !r.Truncated {
					return
				}
				if b, err := os.ReadFile(r.FullOutput); err != nil || string(b) != c.printed {
					t.Errorf("the file holds %d bytes of %d, %v", len(b), len(c.printed), err)
				}
			})
		}
	}
}

func TestTheResultOfAMovedCallNamesTheLog(t *testing.T) {
	s := openSpool(t)
	tape := job.NewTape(noFile)
	tape.Write([]byte(seq(1, 3000)))
	log := s.Log("b1", 0)
	r := tape.Report(log)
	want := fmt.Sprintf("[Showing lines 1001-3000 of 3000 (50.0KB or 2000 line limit). Full output: %s]", log.State().Path)
	if r.Notice != want || r.FullOutput != log.State().Path || !r.InLog {
		t.Errorf("report %+.200v, want %q", r, want)
	}
	tape.Close()
}

func TestRecentOutputIsWithinTheLimits(t *testing.T) {
	for _, c := range []struct {
		printed, output string
		truncated       bool
	}{
		{"", "", false},
		{"a\nb", "a\nb", false},
		{seq(1, 5000), strings.TrimSuffix(seq(3001, 5000), "\n"), true},
		{strings.Repeat("日", 200_000), strings.Repeat("日", (50<<10)/3), true},
		{strings.Repeat("x", 1<<20) + "\nend\n", "end", true},
	} {
		call := start(t)
		for p := c.printed; p != ""; {
			n := min(len(p), 70_001)
			call.program.prints(p[:n])
			p = p[n:]
		}
		call.program.ends(0)
		call.end(t)
		if got, cut := call.Recent(); got != c.output || cut != c.truncated {
			t.Errorf("of %d bytes: %d bytes %.40q…, cut %v; want %d bytes %.40q…, cut %v", len(c.printed), len(got), got, cut, len(c.output), c.output, c.truncated)
		}
	}
}
