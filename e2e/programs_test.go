package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These tests drive the programs that agents use, as an agent does: type, wait until it has settled, read.

// sees fails the test unless the screen holds the text.
func (a answer) sees(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(a.text("screen"), text) {
		t.Fatalf("the screen does not show %q:\n%s", text, a.text("text"))
	}
}

// exited fails the test unless the result is final with this code.
func (a answer) exited(t *testing.T, code int) {
	t.Helper()
	if got, ok := a.json["exit_code"].(float64); a.text("state") != "exited" || !ok || int(got) != code {
		t.Fatalf("not exited with code %d: %s", code, a.raw)
	}
}

func TestPython3IsAREPL(t *testing.T) {
	need(t, "python3")
	s := serve(t)
	id, a := s.start(object{"command": "python3 -q", "wait_for_text": ">>> ", "wait_ms": 30000})
	a.sees(t, ">>>")
	a = s.send(id, object{"text": "for i in range(3): print('row', i)\n", "keys": []string{"Enter"}, "wait_for_text": `/row 2\s+>>> $/`, "wait_ms": 30000})
	a.sees(t, "row 0\nrow 1\nrow 2")
	a = s.send(id, object{"text": "input('name? ')", "keys": []string{"Enter"}, "wait_for_text": "name? ", "wait_ms": 30000})
	if by := a.text("settled_by"); by != "text" {
		t.Errorf("a prompt that ends in a blank was not found: %s", a.raw)
	}
	a = s.send(id, object{"text": "Ada", "keys": []string{"Enter"}, "wait_for_text": `/'Ada'\s+>>> $/`, "wait_ms": 30000})
	a.sees(t, "'Ada'")
	s.send(id, object{"keys": []string{"Control+D"}, "wait_for_text": never, "wait_ms": 30000}).exited(t, 0)
}

func TestBashEditsLinesAndRunsJobs(t *testing.T) {
	s := serve(t)
	id, _ := s.start(object{"command": "PS1='$ ' bash --norc --noprofile", "wait_for_text": "$ ", "wait_ms": 30000})
	a := s.send(id, object{"text": "echo wrong", "keys": []string{"Control+U"}})
	if strings.Contains(a.text("screen"), "wrong") {
		t.Errorf("Control+U did not clear the line:\n%s", a.text("screen"))
	}
	a = s.send(id, object{"text": "sleep 0.5; echo DO''NE", "keys": []string{"Enter"}, "wait_for_text": "/^DONE$/m", "wait_ms": 30000})
	a.sees(t, "\nDONE")
	s.send(id, object{"text": "sleep 1000", "keys": []string{"Enter"}})
	s.send(id, object{"keys": []string{"Control+C"}, "wait_for_text": "^C", "wait_ms": 30000})
	s.send(id, object{"text": "exit $?", "keys": []string{"Enter"}, "wait_for_text": never, "wait_ms": 30000}).exited(t, 130)
}

func TestVimWritesAFile(t *testing.T) {
	need(t, "vim")
	s := serve(t)
	dir := t.TempDir()
	id, a := s.start(object{"command": "vim -u NONE -N note.txt", "cwd": dir, "viewport": object{"cols": 70, "rows": 10}, "wait_for_text": "note.txt", "wait_ms": 30000})
	if a.json["alt_screen"] != true {
		t.Errorf("vim is not on the alternate screen: %s", a.raw)
	}
	a = s.send(id, object{"text": "ifirst\nsecond", "keys": []string{"Escape", "ArrowUp", "Home"}, "wait_for_text": "/first\\s+second\\s+~/", "wait_ms": 30000})
	a.sees(t, "first\nsecond")
	a = s.send(id, object{"text": "x", "wait_for_text": "irst", "wait_ms": 30000})
	a.sees(t, "irst\nsecond")
	s.send(id, object{"text": ":wq", "keys": []string{"Enter"}, "wait_for_text": never, "wait_ms": 30000}).exited(t, 0)
	if b, err := os.ReadFile(filepath.Join(dir, "note.txt")); err != nil || string(b) != "irst\nsecond\n" {
		t.Errorf("vim wrote %q, %v", b, err)
	}
}

func TestLessPagesAndSearches(t *testing.T) {
	need(t, "less")
	s := serve(t)
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 500 {
		lines.WriteString(strings.Repeat("=", i%40) + " row 漢\n")
	}
	lines.WriteString("the last row\n")
	if err := os.WriteFile(filepath.Join(dir, "long"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	id, a := s.start(object{"command": "less long", "cwd": dir, "viewport": object{"cols": 80, "rows": 12}, "wait_for_text": "row 漢", "wait_ms": 30000})
	a.sees(t, " row 漢\n= row 漢")
	s.send(id, object{"text": "/the last", "keys": []string{"Enter"}, "wait_for_text": "the last row", "wait_ms": 30000}).sees(t, "the last row")
	s.send(id, object{"text": "g", "wait_for_text": "/^ row/", "wait_ms": 30000}).sees(t, " row 漢\n= row 漢")
	s.send(id, object{"text": "q", "wait_for_text": never, "wait_ms": 30000}).exited(t, 0)
}

func TestHtopDrawsAndTakesFunctionKeys(t *testing.T) {
	need(t, "htop")
	s := serve(t)
	id, a := s.start(object{"command": "htop", "env": htopEnv(t), "wait_for_text": "F10", "wait_ms": 30000})
	a.sees(t, "PID")
	if a.json["alt_screen"] != true {
		t.Errorf("htop is not on the alternate screen: %s", a.raw)
	}
	s.send(id, object{"keys": []string{"F1"}, "wait_for_text": "Arrows", "wait_ms": 30000}).sees(t, "Arrows")
	s.send(id, object{"keys": []string{"Escape"}, "wait_for_text": "F10", "wait_ms": 30000})
	s.send(id, object{"keys": []string{"F10"}, "wait_for_text": never, "wait_ms": 30000}).exited(t, 0)
}

// htopEnv keeps htop from writing its settings into the home of whoever runs the tests.
func htopEnv(t *testing.T) object {
	return object{"PATH": os.Getenv("PATH"), "HOME": t.TempDir()}
}

func TestDialogFollowsTheCursorKeyMode(t *testing.T) {
	need(t, "dialog")
	s := serve(t)
	id, a := s.start(object{"command": `dialog --yesno "Proceed?" 7 40; echo rc=$?`, "wait_for_text": "Proceed?", "wait_ms": 30000})
	a.sees(t, "Yes")
	s.send(id, object{"keys": []string{"ArrowRight"}})
	a = s.send(id, object{"keys": []string{"Enter"}, "wait_for_text": never, "wait_ms": 30000})
	a.exited(t, 0)
	a.sees(t, "rc=1")
}

func TestFishGetsItsAnswers(t *testing.T) {
	need(t, "fish")
	s := serve(t)
	id, _ := s.start(object{"command": "fish --no-config -C 'function fish_prompt; echo -n \"> \"; end'", "env": object{"PATH": os.Getenv("PATH"), "HOME": t.TempDir()}, "wait_for_text": "> ", "wait_ms": 30000})
	a := s.send(id, object{"text": "echo (math 6 x 7)", "keys": []string{"Enter"}, "wait_for_text": "/^42$/m", "wait_ms": 30000})
	a.sees(t, "42")
	if strings.Contains(a.text("text"), "could not read response") {
		t.Errorf("fish was not answered:\n%s", a.text("text"))
	}
	s.send(id, object{"text": "exit 7", "keys": []string{"Enter"}, "wait_for_text": never, "wait_ms": 30000}).exited(t, 7)
}
