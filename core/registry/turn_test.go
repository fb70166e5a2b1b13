//go:build unix

package registry_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/settle"
	"termbay/core/terminal"
)

func TestAFirstResultShowsTheScreen(t *testing.T) {
	f := open(t, registry.Config{})
	id, res := f.start(person, registry.Start{Command: "printf 'hello\\nworld'; exec cat", Wait: registry.Wait{For: patience, Text: "world", Any: true}})
	if id != "t1" || res.Reason != settle.Text || res.Screen != "hello\nworld" || !res.Changed || res.Outcome != nil || res.OutputMissing {
		t.Errorf("%s: %+v", id, res)
	}
	if !strings.HasPrefix(res.Text, "hello\nworld\n[t1 running. Settled: \"world\" appeared after ") {
		t.Errorf("text: %q", res.Text)
	}
}

func TestScrolledOffLinesAreDeliveredOnceToEachSession(t *testing.T) {
	f := open(t, registry.Config{})
	id, res := f.start(person, registry.Start{Command: "seq 100; read; seq 101 150; exec cat", Wait: registry.Wait{For: patience, Text: "/^100$/m", Any: true}})
	if n := len(res.ScrolledOff); n != 61 || res.ScrolledOff[0] != "1" || res.ScrolledOff[60] != "61" {
		t.Fatalf("%d lines: %v", n, res.ScrolledOff)
	}
	res = f.send(person, id, terminal.Input{Keys: []string{"Enter"}}, registry.Wait{For: patience, Text: "/^150$/m", Any: true})
	if n := len(res.ScrolledOff); n == 0 || res.ScrolledOff[0] != "62" || res.OutputMissing {
		t.Errorf("the second result does not go on where the first ended: %v", res.ScrolledOff)
	}
	other := f.send(registry.Caller{Session: "default"}, id, terminal.Input{}, registry.Wait{For: ms(1)})
	if len(other.ScrolledOff) != 0 || other.Changed {
		t.Errorf("a caller without a session and the session default are not the same: %+v", other)
	}
}

func TestAResultThatWasNotDeliveredIsRepeated(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "cat", Wait: registry.Wait{For: ms(1)}})
	turn, err := f.Send(person, id, terminal.Input{Text: strings.Repeat("line\n", 60)}, registry.Wait{For: patience, Text: "/(line\\s+){20}/", Any: true})
	if err != nil {
		t.Fatal(err)
	}
	lost, _, err := turn.Settle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := f.send(person, id, terminal.Input{}, registry.Wait{For: ms(300)})
	if len(again.ScrolledOff) < len(lost.ScrolledOff) || !again.Changed {
		t.Errorf("%d lines were in a lost result, %d in the next", len(lost.ScrolledOff), len(again.ScrolledOff))
	}
	none := f.send(person, id, terminal.Input{}, registry.Wait{For: ms(1)})
	if len(none.ScrolledOff) != 0 || none.Changed || !strings.Contains(none.Text, "[Screen unchanged since your last result.]") {
		t.Errorf("delivered lines came again: %+v", none)
	}
}

func TestAClientThatLeavesEndsOnlyItsWait(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "cat", Wait: registry.Wait{For: ms(1)}})
	ctx, leave := context.WithCancel(t.Context())
	turn, err := f.Send(person, id, terminal.Input{Text: "once", Keys: []string{"Enter"}}, untilExit())
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if _, _, err := turn.Settle(ctx); err != context.Canceled {
		t.Fatalf("Settle of a client that left: %v", err)
	}
	res := f.send(person, id, terminal.Input{}, registry.Wait{For: patience, Text: "/once\\s+once/", Any: true})
	if res.Screen != "once\nonce" || res.Reason != settle.Text {
		t.Errorf("typed once, echoed and printed once, but: %q by %s", res.Screen, res.Reason)
	}
	if e, err := f.Entry(person, id); err != nil || e.Waiting != nil || e.State != core.Running {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestOutputBeforeAPollIsNewToItsSession(t *testing.T) {
	f := open(t, registry.Config{})
	dir := t.TempDir()
	id, _ := f.start(person, registry.Start{Command: "read; echo ready > screen; cat screen; exec cat", Cwd: dir, Wait: registry.Wait{For: ms(1)}})
	term, err := f.Terminal(person, id)
	if err != nil {
		t.Fatal(err)
	}
	f.send(person, id, terminal.Input{Keys: []string{"Enter"}}, registry.Wait{For: 0})
	if err := term.Await(t.Context(), "text", parse(t, "ready"), 0, patience); err != nil {
		t.Fatal(err)
	}
	res := f.send(person, id, terminal.Input{}, registry.Wait{For: patience, Text: "ready", Any: true})
	if res.Reason != settle.Text {
		t.Errorf("a poll did not see what was printed between two calls: %s", res.Text)
	}
	res = f.send(person, id, terminal.Input{}, registry.Wait{For: ms(400), Text: "ready", Any: true})
	if res.Reason != settle.Timeout {
		t.Errorf("text of the previous result counted again without a change: %s", res.Text)
	}
}

func TestABadRequestTypesAndStartsNothing(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "cat > typed", Wait: registry.Wait{For: ms(1)}})
	word := terminal.Input{Text: "typed", Keys: []string{"Enter"}}
	_, err := f.Send(person, id, terminal.Input{Text: "typed", Keys: []string{"Enter", "CtrlC"}}, registry.Wait{})
	problem(t, err, core.Invalid, `Did you mean "Control+C"?`)
	_, err = f.Send(person, id, word, registry.Wait{Text: "/(?=x)/", Any: true})
	problem(t, err, core.BadPattern, "lookahead")
	_, err = f.Send(person, id, word, registry.Wait{Text: "", Any: true})
	problem(t, err, core.Invalid, "")
	_, err = f.Send(person, "t9", word, registry.Wait{})
	problem(t, err, core.NotFound, "No entry t9; terminal_list (GET /v1/entries) shows yours.")
	_, err = f.Start(person, registry.Start{Command: "touch started", Cwd: f.cwd, Wait: registry.Wait{Text: "//", Any: true}})
	problem(t, err, core.Invalid, "")
	f.send(person, id, terminal.Input{Keys: []string{"Control+D"}}, untilExit())
	if b, err := os.ReadFile(f.cwd + "/typed"); err != nil || len(b) > 0 {
		t.Errorf("typed %q, %v", b, err)
	}
	if _, err := os.Stat(f.cwd + "/started"); err == nil {
		t.Error("a refused start ran")
	}
	if l, err := f.Entries(person, registry.OfAll, "", ""); err != nil || len(l.Terminals) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestADeafProgramIsReportedExactly(t *testing.T) {
	t.Parallel()
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "stty raw -echo; echo up; exec sleep 1000", Wait: registry.Wait{For: patience, Text: "up", Any: true}})
	res := f.send(person, id, terminal.Input{Text: strings.Repeat("x", 300_000)}, registry.Wait{For: ms(100)})
	if !strings.Contains(res.Notice, " of 300000 bytes were taken: the program is not reading.]") {
		t.Errorf("notice: %q", res.Notice)
	}
}
