//go:build unix

package registry_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"termbay/core"
	"termbay/core/registry"
	"termbay/core/settle"
	"termbay/core/terminal"
)

func TestOfTwoResultsAtOnceTheLaterLookCounts(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "echo up; exec cat", Wait: up()})
	poll := func() func() {
		turn, err := f.Send(person, id, terminal.Input{}, registry.Wait{For: 0})
		if err != nil {
			t.Fatal(err)
		}
		_, deliver, err := turn.Settle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return deliver
	}
	other := registry.Caller{Session: "other"}
	if _, _, err := f.Open("other", registry.Opening{Group: registry.DefaultSession}); err != nil {
		t.Fatal(err)
	}
	first := poll()
	f.send(other, id, terminal.Input{Text: "x"}, registry.Wait{For: 0})
	f.shows(id, "up\nx")
	second := poll()
	second()
	first()
	if res := f.send(person, id, terminal.Input{}, registry.Wait{For: 0}); res.Changed {
		t.Errorf("the earlier look counts: %s", res.Text)
	}
}

func TestAPollDoesNotRepeatWhatWasDeliveredMeanwhile(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(person, registry.Start{Command: "echo up; read -r x; seq 100; echo half; read -r x; echo end; exec cat", Wait: up()})
	turn, err := f.Send(person, id, terminal.Input{}, registry.Wait{For: patience, Text: "end", Any: true})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan terminal.Result)
	go func() { // received below
		res, _, err := turn.Settle(t.Context())
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	eventually(t, "the poll to wait", func() bool { return f.entry(id).Waiting != nil })
	enter := terminal.Input{Keys: []string{"Enter"}}
	if res := f.send(person, id, enter, registry.Wait{For: patience, Text: "half", Any: true}); len(res.ScrolledOff) == 0 {
		t.Fatalf("nothing scrolled off: %s", res.Text)
	}
	f.send(person, id, enter, registry.Wait{For: 0})
	if res := <-done; strings.Contains(strings.Join(res.ScrolledOff, "\n")+"\n", "up\n") || res.Reason != settle.Text {
		t.Errorf("%s: lines that came already: %.200q", res.Reason, res.ScrolledOff)
	}
}

func TestAnEntryShowsWhoWaits(t *testing.T) {
	f := open(t, registry.Config{})
	id, _ := f.start(agent, registry.Start{Command: "echo up; exec cat", Wait: up()})
	for _, c := range []struct {
		who  registry.Caller
		want core.Waiting
		wait func(c registry.Caller) error
	}{
		{agent, core.Waiting{For: "text", Text: "never", By: core.ByAgent}, func(c registry.Caller) error {
			turn, err := f.Send(c, id, terminal.Input{}, registry.Wait{For: ms(300), Text: "never", Any: true})
			if err == nil {
				_, _, err = turn.Settle(t.Context())
			}
			return err
		}},
		{agent, core.Waiting{For: "exit", By: core.ByAgent}, func(c registry.Caller) error {
			_, err := f.AwaitExit(t.Context(), c, id, ms(300))
			return err
		}},
		{person, core.Waiting{For: "change", By: core.ByUser}, func(c registry.Caller) error {
			return f.Await(t.Context(), c, id, registry.Watch{For: "change", Seen: 1000, Wait: ms(300)})
		}},
	} {
		done := make(chan error, 1)
		go func() { done <- c.wait(c.who) }() // received below
		var got core.Waiting
		eventually(t, "the wait", func() bool {
			w := f.entry(id).Waiting
			if w != nil {
				got = *w
			}
			return w != nil
		})
		if d := got.Until.Sub(got.Since).Round(ms(100)); got.For != c.want.For || got.Text != c.want.Text || got.By != c.want.By || d != ms(300) {
			t.Errorf("it shows %+v, want %+v", got, c.want)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if w := f.entry(id).Waiting; w != nil {
			t.Errorf("nobody waits: %+v", w)
		}
	}
}

// An input that stood behind another when the program ended was never typed: what stood on the screen is no answer.
func TestAnInputThatWasNeverTypedFindsNoOldText(t *testing.T) {
	f := open(t, registry.Config{})
	for range 5 {
		id, _ := f.start(person, registry.Start{Command: "stty raw -echo; echo up; exec sleep 1000", Wait: up()})
		if _, err := f.Send(person, id, terminal.Input{Text: strings.Repeat("x", 300_000)}, registry.Wait{For: 0}); err != nil {
			t.Fatal(err)
		}
		turn, err := f.Send(person, id, terminal.Input{Text: "y"}, up())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Signal(person, id, "KILL"); err != nil {
			t.Fatal(err)
		}
		res := f.settle(turn)
		if res.Reason != settle.Exit || !strings.Contains(res.Notice, "Only 0 of 1 bytes were taken: the program has ended.") {
			t.Fatalf("%s: %s", res.Reason, res.Text)
		}
	}
}

// Between the exit and the end of its output a program takes no more input either.
func TestAnInputDuringTheLastOutputIsRefusedWithTheFinalState(t *testing.T) {
	f := open(t, registry.Config{})
	id, res := f.start(person, registry.Start{Command: "trap '' HUP; sleep 1000 & echo $! up; read -r x; exit 3", Wait: up()})
	var left int
	if _, err := fmt.Sscan(res.Screen, &left); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Kill(left, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}()
	f.send(person, id, terminal.Input{Keys: []string{"Enter"}}, registry.Wait{For: 0})
	var err error
	eventually(t, "the exit", func() bool {
		_, err = f.Send(person, id, terminal.Input{Bytes: []byte{0}}, registry.Wait{For: 0})
		return err != nil
	})
	if e := problem(t, err, core.NotRunning, id+" has exited (code 3); it takes no more input."); e.Entry == nil || e.Entry.State != core.Exited {
		t.Errorf("%+v", e.Entry)
	}
}
