package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The cases of kind c: what is typed arrives, whole, once and as keys.

func TestALongLineArrivesAsFarAsTheKernelTakesIt(t *testing.T) { // O-C1
	s := serve(t)
	id, _ := s.start(object{"command": "stty -echo; echo up; wc -c", "wait_for_text": "up", "wait_ms": 60000})
	s.send(id, object{"text": strings.Repeat("a", 5000), "keys": []string{"Enter"}})
	s.send(id, object{"keys": []string{"Control+D"}, "wait_for_text": never, "wait_ms": 60000}).sees(t, "4096")
	id, _ = s.start(object{"command": "stty raw -echo; echo up; head -c 5000 | wc -c; stty sane", "wait_for_text": "up", "wait_ms": 60000})
	s.send(id, object{"text": strings.Repeat("a", 5000), "wait_for_text": "5000", "wait_ms": 60000})
}

func TestABigPasteArrivesWhole(t *testing.T) { // O-C2
	s := serve(t)
	dir := t.TempDir()
	var want bytes.Buffer
	for i := range 20000 {
		fmt.Fprintln(&want, i+1)
	}
	for _, stty := range []string{"", "stty -echo; "} {
		id, _ := s.start(object{"command": stty + "echo up; cat > got.txt", "cwd": dir, "wait_for_text": "up", "wait_ms": 60000})
		s.send(id, object{"text": want.String(), "wait_ms": 1000})
		s.send(id, object{"keys": []string{"Control+D"}, "wait_for_text": never, "wait_ms": 60000}).exited(t, 0)
		if got, err := os.ReadFile(filepath.Join(dir, "got.txt")); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%q: %d of %d bytes arrived, %v", stty, len(got), want.Len(), err)
		}
	}
}

func TestAPasteCannotBreakOutOfItsBrackets(t *testing.T) { // O-C3
	s := serve(t)
	id, _ := s.start(object{"command": "PS1='$ ' bash --norc -i", "wait_for_text": "$ ", "wait_ms": 60000})
	a := s.send(id, object{"paste": "echo safe\x1b[201~\recho PWNED", "wait_ms": 1000})
	if strings.Contains(a.text("screen"), "\nsafe\n") || strings.Contains(a.text("screen"), "\nPWNED") {
		t.Errorf("a paste was executed:\n%s", a.text("screen"))
	}
	// Text is typed keys, never bracketed: a carriage return in it is Enter.
	s.send(id, object{"keys": []string{"Control+C"}})
	s.send(id, object{"text": "echo ty''ped\r", "wait_for_text": "/^typed$/m", "wait_ms": 60000})
}

func TestControlKeysReachTheLineDiscipline(t *testing.T) { // O-C4
	s := serve(t)
	id, _ := s.start(object{"command": "echo up; exec sleep 30", "wait_for_text": "up", "wait_ms": 60000})
	a := s.send(id, object{"keys": []string{"Control+C"}, "wait_for_text": never, "wait_ms": 60000})
	if a.text("signal") != "SIGINT" {
		t.Errorf("Control+C: %s", a.raw)
	}
	a.sees(t, "^C")

	id, _ = s.start(object{"command": "echo up; exec sleep 30", "wait_for_text": "up", "wait_ms": 60000})
	if a := s.send(id, object{"keys": []string{"Control+Z"}, "wait_ms": 500}); a.text("state") != "running" {
		t.Errorf("a stopped program is not running: %s", a.raw)
	}
	if a := s.halt(id); a.text("state") != "exited" {
		t.Errorf("a stopped program cannot be stopped: %s", a.raw)
	}

	id, _ = s.start(object{"command": "cat; echo rc=$?", "wait_ms": 0})
	s.send(id, object{"text": "abc", "keys": []string{"Control+D"}, "wait_for_text": "abcabc", "wait_ms": 60000})
	s.send(id, object{"keys": []string{"Control+D"}, "wait_for_text": never, "wait_ms": 60000}).sees(t, "abcabcrc=0")

	id, _ = s.start(object{"command": "read; for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done", "wait_ms": 0})
	s.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "2", "wait_ms": 60000})
	s.send(id, object{"keys": []string{"Control+S"}, "wait_ms": 1500})
	if a := s.send(id, object{"wait_ms": 300}); a.text("state") != "running" || strings.Contains(a.text("screen"), "6") {
		t.Errorf("Control+S did not hold the output:\n%s", a.text("text"))
	}
	a = s.send(id, object{"keys": []string{"Control+Q"}, "wait_for_text": never, "wait_ms": 60000})
	a.exited(t, 0)
	a.sees(t, "1\n2\n3\n4\n5\n6")
}

func TestKeysSendWhatTheProgramAskedFor(t *testing.T) { // O-C5, O-C6
	s := serve(t)
	od := func(setup string, n int) string {
		return fmt.Sprintf(`%s stty raw -echo; echo up; head -c %d | od -An -tx1; stty sane`, setup, n)
	}
	id, _ := s.start(object{"command": od("", 12), "wait_for_text": "up", "wait_ms": 60000})
	a := s.send(id, object{"keys": []string{"Enter", "Tab", "Backspace", "Escape", "Shift+Tab", "Delete", "Control+A"}, "wait_for_text": never, "wait_ms": 60000})
	a.sees(t, "0d 09 7f 1b 1b 5b 5a 1b 5b 33 7e 01")
	id, _ = s.start(object{"command": od(`printf "\033[?1h";`, 6), "wait_for_text": "up", "wait_ms": 60000})
	s.send(id, object{"keys": []string{"Home", "End"}, "wait_for_text": never, "wait_ms": 60000}).sees(t, "1b 4f 48 1b 4f 46")
	id, _ = s.start(object{"command": od(`printf "\033[?1h\033[?1l";`, 3), "wait_for_text": "up", "wait_ms": 60000})
	s.send(id, object{"keys": []string{"Home"}, "wait_for_text": never, "wait_ms": 60000}).sees(t, "1b 5b 48")
	id, _ = s.start(object{"command": od(`printf "\033[?1000h\033[?1006h";`, 9), "wait_for_text": "up", "wait_ms": 60000})
	s.send(id, object{"mouse": object{"action": "press", "row": 3, "col": 5}, "wait_for_text": never, "wait_ms": 60000}).sees(t, "1b 5b 3c 30 3b 36 3b 34 4d") // ESC [ < 0 ; 6 ; 4 M
	id, _ = s.start(object{"command": od("", 5), "wait_for_text": "up", "wait_ms": 60000})
	s.send(id, object{"text": "a\n", "bytes_base64": "AP8=", "keys": []string{"Space"}, "wait_for_text": never, "wait_ms": 60000}).sees(t, "61 0d 00 ff 20")
}
