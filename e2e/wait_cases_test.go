package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The cases of kinds e and f: waits end when they should, and nothing between two results is lost or said twice.

func TestASpinnerEndsAtItsTime(t *testing.T) { // O-E1
	s := serve(t)
	id, a := s.start(object{"command": `while :; do for c in '|' / - '\\'; do printf '\r%s' "$c"; sleep 0.05; done; done`, "wait_ms": 700})
	if w := a.number("waited_ms"); a.text("settled_by") != "timeout" || w < 700 || a.text("state") != "running" {
		t.Errorf("%s", a.raw)
	}
	a = s.call(http.StatusOK, "POST", "/v1/terminals/"+id+"/input", object{"wait_for_text": "NEVER", "wait_ms": 1000})
	if w := a.number("waited_ms"); a.text("settled_by") != "timeout" || w < 1000 || w > 20000 {
		t.Errorf("%s", a.raw)
	}
}

func TestAnEchoIsNoAnswer(t *testing.T) { // O-E2
	s := serve(t)
	id, _ := s.start(object{"command": "PS1='$ ' bash --norc -i", "wait_for_text": "$ ", "wait_ms": 60000})
	for _, typed := range []string{"sleep 1; echo DONE", `sleep 1; echo DO""NE`} {
		s.send(id, object{"keys": []string{"Control+L"}, "wait_ms": 500})
		a := s.send(id, object{"text": typed, "keys": []string{"Enter"}, "wait_for_text": "DONE", "wait_ms": 60000})
		if w := a.number("waited_ms"); w < 900 {
			t.Errorf("%q: %d ms: %s", typed, w, a.text("text"))
		}
		a.sees(t, "\nDONE")
	}
	a := s.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "DONE", "wait_ms": 60000})
	if w := a.number("waited_ms"); w > 30000 {
		t.Errorf("text that is there counts once the screen changed, but the wait took %d ms", w)
	}
	if a = s.call(http.StatusOK, "POST", "/v1/terminals/"+id+"/input", object{"wait_ms": 300}); a.text("state") != "running" {
		t.Fatal(string(a.raw))
	}
	a = s.call(http.StatusOK, "POST", "/v1/terminals/"+id+"/input", object{"wait_for_text": "DONE", "wait_ms": 600})
	if a.text("settled_by") != "timeout" || a.number("waited_ms") < 600 {
		t.Errorf("a poll of an idle screen took what was there: %s", a.raw)
	}
}

func TestPatternsAreCheckedBeforeAnythingIsTyped(t *testing.T) { // O-E3
	s := serve(t)
	id, _ := s.start(object{"command": "exec cat", "wait_ms": 0})
	for pattern, code := range map[string]string{
		"/(?=x)/": "bad_pattern", `/(a)\1/`: "bad_pattern", "/[/": "bad_pattern", "/a{1,1001}/": "bad_pattern", "//": "invalid", "": "invalid",
	} {
		a := s.call(http.StatusUnprocessableEntity, "POST", "/v1/terminals/"+id+"/input", object{"text": "typed\n", "wait_for_text": pattern})
		if a.text("code") != code || a.text("field") != "wait_for_text" || strings.Contains(a.text("detail"), "\n") {
			t.Errorf("%q: %s", pattern, a.raw)
		}
	}
	if a := s.send(id, object{"wait_ms": 300}); a.text("screen") != "" {
		t.Errorf("something was typed: %q", a.text("screen"))
	}
	s.send(id, object{"text": "REA" + "DY\n", "wait_for_text": "/ready/i", "wait_ms": 60000})
	a := s.call(http.StatusOK, "POST", "/v1/terminals/"+id+"/input", object{"text": strings.Repeat("a", 3000) + "!\n", "wait_for_text": "/(a+)+$/", "wait_ms": 500})
	if a.number("waited_ms") > 30000 {
		t.Errorf("a catastrophic pattern took %d ms", a.number("waited_ms"))
	}
}

func TestStepsBetweenResultsAreAllSeen(t *testing.T) { // O-E4
	s := serve(t)
	id, a := s.start(object{"command": "for i in 1 2 3 4 5; do echo step$i; sleep 0.3; done"})
	a.sees(t, "step1")
	if a.text("settled_by") != "quiet" {
		t.Errorf("%s", a.raw)
	}
	for range 20 {
		if a = s.send(id, object{}); a.text("state") == "exited" {
			break
		}
	}
	a.exited(t, 0)
	a.sees(t, "step1\nstep2\nstep3\nstep4\nstep5")
	begun := time.Now()
	s.send(id, object{}).exited(t, 0)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a poll after the exit took %v", took)
	}
}

func TestTextThatFlewPastIsFound(t *testing.T) { // O-E5
	s := serve(t)
	_, a := s.start(object{"command": "echo READY; seq 500; sleep 1000", "wait_for_text": "READY", "wait_ms": 60000})
	if a.number("waited_ms") > 30000 {
		t.Errorf("%s", a.raw)
	}
	_, a = s.start(object{"command": "printf '%0200d' 0; echo WRAP; exec cat", "viewport": object{"cols": 202, "rows": 5}, "wait_for_text": "0WRAP", "wait_ms": 60000})
	if a.text("settled_by") != "text" {
		t.Errorf("text over the edge of a row was not found: %s", a.raw)
	}
}

func TestLinesSinceTheLastResultNeitherRepeatNorSkip(t *testing.T) { // O-F3
	s := serve(t)
	id, a := s.start(object{"command": `for i in $(seq 100); do echo L$i; done; read; for i in $(seq 101 15000); do echo L$i; done; echo; printf ready; read; clear; echo AFTER; read`, "wait_for_text": "L100", "wait_ms": 60000})
	one := append(a.lines("scrolled_off"), strings.Split(a.text("screen"), "\n")...)
	if len(one) != 100 || one[0] != "L1" || one[99] != "L100" || a.json["output_missing"] != nil {
		t.Fatalf("read 1: %d lines, %s", len(one), a.raw)
	}
	a = s.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "ready", "wait_ms": 60000})
	if a.json["output_missing"] != true || a.json["truncated"] != true {
		t.Errorf("read 2: missing %v, truncated %v", a.json["output_missing"], a.json["truncated"])
	}
	if want := fmt.Sprintf("%d lines were dropped before you read them.", a.number("missing_lines")); !strings.Contains(a.text("notice"), want) {
		t.Errorf("notice: %q", a.text("notice"))
	}
	a = s.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "AFTER", "wait_ms": 60000})
	if a.text("screen") != "AFTER" || a.json["output_missing"] != true || strings.Contains(a.text("text"), "L100\n") {
		t.Errorf("read 3: %s", a.text("text"))
	}
}

func TestOneEndlessLineKeepsItsTail(t *testing.T) { // O-F2
	s := serve(t)
	for _, end := range []string{"", `\n`} {
		_, a := s.run(object{"command": `head -c 10000000 /dev/zero | tr "\0" x; printf 'END-MARKER` + end + `'`})
		if !strings.HasSuffix(a.text("screen"), "END-MARKER") || len(a.text("screen"))+len(strings.Join(a.lines("scrolled_off"), "\n")) > 50<<10 {
			t.Errorf("%.300s", a.raw)
		}
	}
}

func TestAResultWiderThanTheLimitKeepsTheBottom(t *testing.T) { // L48
	s := serve(t)
	_, a := s.run(object{"command": `for i in $(seq 200); do printf '%0900d\n' $i; done; echo bottom`, "viewport": object{"cols": 1000, "rows": 150}})
	if !strings.HasSuffix(a.text("screen"), "\nbottom") || a.json["truncated"] != true || len(a.text("screen")) > 50<<10 {
		t.Errorf("%.200s", a.raw)
	}
	all := s.call(http.StatusOK, "GET", a.text("full_output_url"), nil)
	if n := strings.Count(string(all.raw), "\n"); n != 201 {
		t.Errorf("the full output has %d lines", n)
	}
}
