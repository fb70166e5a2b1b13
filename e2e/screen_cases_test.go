package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// The cases of kind d: what the screen shows.

func TestScreensAreDrawnAsXtermDrawsThem(t *testing.T) {
	s := serve(t)
	for _, c := range []struct{ name, command, screen string }{
		{"O-D1 title with byte 9C", `printf '\033]0;\342\234\263 Claude done\007shown\n'; printf '\033]2;\346\234\254\346\227\245\033\\L2\n'`, "shown\nL2"},
		{"O-D2 wide at the edge", `printf '%0119d\346\274\242z\n' 0; printf '%0118d\346\274\242z\n' 0`, strings.Repeat("0", 119) + "\n漢z\n" + strings.Repeat("0", 118) + "漢\nz"},
		{"O-D3 region larger than the screen", `printf '\033[1;999r'; printf 'top\033[H\033M'; printf 'ok\n'; echo alive`, "ok\nalive"},
		{"O-D4 CSI 3 J keeps the screen", `seq 3; printf '\033[3J'; echo after`, "1\n2\n3\nafter"},
		{"O-D5 CSI s and u", `printf '10%%\033[s\033[8;1Hstatus\033[u 20%%\n'`, "10% 20%\n\n\n\n\n\n\nstatus"},
		{"O-D5 layers", `for i in 1 2 3; do echo layer$i: waiting; done; for p in 10 50 100; do printf '\033[3A'; for i in 1 2 3; do printf '\033[2Klayer%d: %d%%\n' $i $p; done; done`, "layer1: 100%\nlayer2: 100%\nlayer3: 100%"},
		{"O-D6 alternate screen 1049", `for i in 1 2 3; do echo main$i; done; printf '\033[?1049h\033[H'; seq 200; printf '\033[?1049l'; echo back`, "main1\nmain2\nmain3\nback"},
		{"O-D6 alternate screen 1047", `echo main; printf '\033[?1047h\033[H'; seq 200; printf '\033[?1047l\033[2Hback\n'`, "main\nback"},
		{"O-D6 alternate screen 47", `echo main; printf '\033[?47h\033[H'; seq 200; printf '\033[?47l\033[2Hback\n'`, "main\nback"},
		{"O-D7 line drawing", `printf '\033(0lqk\033(B\n\033(0x\033(B \033(0x\033(B\n\033(0mqj\033(B\n'; printf '\033)0\016lqk\017 txt\n'`, "┌─┐\n│ │\n└─┘\n┌─┐ txt"},
		{"O-D9 REP", `printf 'a\033[5b|\n'; printf '=\033[150b|\n'`, "aaaaaa|\n" + strings.Repeat("=", 120) + "\n" + strings.Repeat("=", 31) + "|"},
		{"O-D10 split characters", `printf '\346'; sleep 0.1; printf '\274\242|'; printf '\360\237'; sleep 0.1; printf '\230\200|\n'; printf '\033['; sleep 0.1; printf '31mred\033'; sleep 0.1; printf '[0m|\n'`, "漢|😀|\nred|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, a := s.run(object{"command": c.command})
			if a.text("screen") != c.screen {
				t.Errorf("got\n%s\nwant\n%s", a.text("screen"), c.screen)
			}
			if off := a.lines("scrolled_off"); len(off) > 0 {
				t.Errorf("scrolled off: %q", off)
			}
			s.halt(id)
		})
	}
}

func TestAClearedScrollbackIsReported(t *testing.T) { // O-D4
	s := serve(t)
	_, a := s.run(object{"command": `seq 50; printf '\033[3J'; echo after`})
	if !strings.HasSuffix(a.text("screen"), "48\n49\n50\nafter") || a.json["output_missing"] != true || a.number("missing_lines") < 10 {
		t.Errorf("%s", a.raw)
	}
	if !strings.Contains(a.text("notice"), "scrollback was cleared") {
		t.Errorf("notice: %q", a.text("notice"))
	}
}

func TestQueriesAreAnsweredInOrder(t *testing.T) { // O-D8
	need(t, "python3")
	s := serve(t)
	_, a := s.run(object{"command": `stty raw -echo min 0 time 10; printf '\033[5;9H\033[6n\033[10;10H\033[c\033[5n'; sleep 0.3; dd bs=99 count=1 2>/dev/null | od -An -c > answer; stty sane; clear; cat answer`})
	flat := strings.Join(strings.Fields(a.text("screen")), "")
	if !strings.HasPrefix(flat, "033[5;9R033[?") || !strings.Contains(flat, "c033[0n") {
		t.Errorf("the answers: %s", flat)
	}
	id, _ := s.start(object{"command": "PS1='$ ' bash --norc --noprofile", "wait_for_text": "$ ", "wait_ms": 60000})
	a = s.send(id, object{"text": `printf "\033]11;?\007"; sleep 0.3; echo en''d`, "keys": []string{"Enter"}, "wait_for_text": "/^end$/m", "wait_ms": 60000})
	if strings.Contains(a.text("screen"), "rgb:") {
		t.Errorf("an answer that nobody read was typed into a shell:\n%s", a.text("screen"))
	}
}

func TestNoSequenceCanStopTheService(t *testing.T) { // O-D3, O-D9
	s := serve(t)
	other, _ := s.start(object{"command": "exec cat", "wait_ms": 0})
	for _, hostile := range []string{
		`printf '\033[1;999r\033M\033[M\033[T\033[B'`, `printf 'x\033[999999999b'`, `printf '\033[2147483646I\033[2147483646Z\033[2147483646X'`,
		`printf '\033[?69h\033[1;2147483646s\033[99S'`, `for i in $(seq 5000); do printf '\033[6n\033[c\033]11;?\007'; done`,
		`printf e; head -c 2000000 /dev/zero | sed 's/\x00/\xcc\x81/g'`, `printf '\033]0;'; head -c 20000000 /dev/zero | tr '\0' t; printf '\007'`,
		`head -c 3000000 /dev/urandom`, `for i in $(seq 20000); do printf "\033[?${i}h"; done`,
	} {
		_, a := s.start(object{"command": hostile + `; printf '\033c\033[m\nDO''NE\n'; exit 0`, "wait_for_text": never, "wait_ms": 60000})
		if a.text("state") != "exited" {
			t.Errorf("%.40s: %s", hostile, a.text("text"))
		}
		a.sees(t, "DONE")
		s.send(other, object{"text": "x", "wait_ms": 0})
	}
	select {
	case <-s.ended:
		t.Fatalf("the service ended: %s", s.err)
	default:
	}
	s.call(http.StatusOK, "GET", "/healthz", nil)
}

func TestAnEndlessTitleAndClusterAreBounded(t *testing.T) { // O-J2
	s := serve(t)
	id, _ := s.run(object{"command": `printf '\033]0;'; head -c 5000 /dev/zero | tr '\0' t; printf '\007'; printf e; for i in $(seq 2000); do printf '\314\201'; done; echo`})
	if title := s.call(http.StatusOK, "GET", "/v1/terminals/"+id, nil).text("title"); len(title) > 1024 {
		t.Errorf("a title of %d bytes", len(title))
	}
	if a := s.call(http.StatusOK, "GET", "/v1/entries", nil); len(a.raw) > 64<<10 {
		t.Errorf("a list of %d bytes", len(a.raw))
	}
	command := ": " + strings.Repeat("w", 200_000) + "; echo long"
	id, a := s.run(object{"command": command})
	a.sees(t, "long")
	if a := s.call(http.StatusOK, "GET", "/v1/entries", nil); len(a.raw) > 64<<10 {
		t.Errorf("a list of %d bytes", len(a.raw))
	}
	if whole := s.call(http.StatusOK, "GET", "/v1/entries/"+id, nil).text("command"); whole != command {
		t.Errorf("%d of %d bytes of the command can be had", len(whole), len(command))
	}
}

func TestAFloodLeavesOthersAlone(t *testing.T) { // O-F1
	s := serve(t)
	other, _ := s.start(object{"command": "exec cat", "wait_ms": 0})
	id, _ := s.start(object{"command": "time seq 1000000", "wait_ms": 0})
	slowest := time.Duration(0)
	for range 50 {
		begun := time.Now()
		s.send(other, object{"text": "x", "wait_ms": 0})
		slowest = max(slowest, time.Since(begun))
	}
	if slowest > 5*time.Second {
		t.Errorf("another Terminal answered after %v", slowest)
	}
	a := s.send(id, object{"wait_for_text": never, "wait_ms": 120000})
	a.exited(t, 0)
	a.sees(t, "1000000")
	a.sees(t, "real")
	path := a.text("full_output_path")
	if a.json["output_missing"] != true || a.json["truncated"] != true || path == "" {
		t.Errorf("missing %v, truncated %v, %q", a.json["output_missing"], a.json["truncated"], path)
	}
	lines := append(a.lines("scrolled_off"), strings.Split(a.text("screen"), "\n")...)
	if len(lines) > 2000 || len(strings.Join(lines, "\n")) > 50<<10 {
		t.Errorf("%d lines", len(lines))
	}
	for i, l := range lines[:len(lines)-5] {
		if i > 0 && l != "" && lines[i-1] != "" {
			var x, y int
			fmt.Sscan(lines[i-1], &x)
			fmt.Sscan(l, &y)
			if y != x+1 {
				t.Fatalf("line %q follows %q", l, lines[i-1])
			}
		}
	}
	if rss := resident(t, s); rss > 300<<20 {
		t.Errorf("the service holds %d MB", rss>>20)
	}
}

// resident is the service's memory in bytes.
func resident(t *testing.T, s *service) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	fmt.Sscan(string(b), &size, &pages)
	return pages * int64(os.Getpagesize())
}
