package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Rules of the ledger that no story tells.

func TestDefaultsOfAStartAndAnInput(t *testing.T) { // L27, L29
	s := serve(t)
	id, a := s.start(object{"command": "exec sleep 1000"})
	if a.number("wait_ms") != 2000 || a.text("settled_by") != "timeout" || a.number("waited_ms") < 2000 {
		t.Errorf("a start that draws nothing: %s", a.raw)
	}
	if a = s.send(id, object{"text": "x"}); a.number("wait_ms") != 500 {
		t.Errorf("an input: %s", a.raw)
	}
	id, _ = s.run(object{"command": "true"})
	if a = s.send(id, object{}); a.number("wait_ms") != 30000 {
		t.Errorf("a poll: %s", a.raw)
	}
	if a = s.send(id, object{"wait_ms": 600000}); a.number("wait_ms") != 300000 {
		t.Errorf("a wait that is too long: %s", a.raw)
	}
}

func TestNotifyIsShownOnTheEntry(t *testing.T) { // L20
	s := serve(t)
	for _, want := range []bool{true, false} {
		body := object{"command": "exec cat", "wait_ms": 0}
		if !want {
			body["notify"] = false
		}
		id, _ := s.start(body)
		if got := s.call(http.StatusOK, "GET", "/v1/terminals/"+id, nil).json["notify"]; got != want {
			t.Errorf("notify is %v, want %v", got, want)
		}
	}
}

func TestInputsAreNeverSplit(t *testing.T) { // L19
	s := serve(t)
	id, _ := s.start(object{"command": "stty raw -echo; echo up; head -c 40000 | fold -w 1 | uniq -c | wc -l", "wait_for_text": "up", "wait_ms": 60000})
	var typing sync.WaitGroup
	for _, letter := range []string{"a", "b", "c", "d"} {
		typing.Go(func() {
			if _, err := s.try("", "POST", "/v1/terminals/"+id+"/input", object{"text": strings.Repeat(letter, 10000), "wait_ms": 0}); err != nil {
				t.Error(err)
			}
		})
	}
	typing.Wait()
	s.send(id, object{"wait_for_text": never, "wait_ms": 60000}).sees(t, "4")
}

func TestASynchronizedRedrawIsNotReportedHalfPainted(t *testing.T) {
	s := serve(t)
	id, _ := s.start(object{"command": `read; printf 'half\033[?2026hpart'; sleep 0.1; printf ' whole\033[?2026l'; exec cat`, "wait_ms": 0})
	a := s.send(id, object{"keys": []string{"Enter"}, "wait_for_text": "part", "wait_ms": 60000})
	a.sees(t, "part whole")
}
