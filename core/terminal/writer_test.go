//go:build unix

package terminal_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"termbay/core"
	"termbay/core/process"
	"termbay/core/terminal"
)

// has says whether a file is in the program's working directory.
func (p program) has(name string) func() bool {
	return func() bool {
		_, err := os.Stat(p.file(name))
		return err == nil
	}
}

// problem fails the test unless err is a problem with this code and text.
func problem(t *testing.T, err error, code core.Code, text string) {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Detail, text) {
		t.Errorf("got %v, want %s with %q", err, code, text)
	}
}

func TestInputsNeverInterleave(t *testing.T) {
	p := start(t, "cat > got; echo done")
	unit := func(letter string) string { // 5 KB of lines, which a terminal takes up to 4 KB each
		return strings.Repeat(strings.Repeat(letter, 99)+"\n", 50) + letter + ".\n"
	}
	var typists sync.WaitGroup
	for _, letter := range []string{"a", "b"} {
		typists.Go(func() {
			for range 10 {
				y, err := p.Type(terminal.Input{Text: unit(letter)})
				if err != nil {
					t.Error(err)
					return
				}
				if taken, of := y.Wait(); taken != of {
					t.Errorf("%d of %d bytes were taken", taken, of)
				}
			}
		})
	}
	typists.Wait()
	p.types(terminal.Input{Keys: []string{"Control+D"}})
	p.ends()
	text, err := os.ReadFile(p.file("got"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for rest := string(text); rest != ""; {
		letter := rest[:1]
		var whole bool
		if rest, whole = strings.CutPrefix(rest, unit(letter)); !whole {
			t.Fatalf("an input was split after %v: %.300q", counts, rest)
		}
		counts[letter]++
	}
	if counts["a"] != 10 || counts["b"] != 10 {
		t.Errorf("inputs that arrived: %v", counts)
	}
}

// A shell would take an answer that nobody waits for as typed (O-D8).
func TestAnswersReachOnlyAProgramThatReadsThem(t *testing.T) {
	t.Run("a program that collects lines", func(t *testing.T) {
		p := start(t, `printf '\033[6n'; echo asked; read -r x; echo "got[$x]"`)
		p.shows("asked")
		p.types(terminal.Input{Text: "hello\n"})
		p.shows("got[hello]")
		if text := p.Match(0).Text; strings.ContainsAny(text, "^;") {
			t.Errorf("the answer was typed: %q", text)
		}
	})
	t.Run("a program that reads key by key", func(t *testing.T) {
		p := start(t, `stty raw -echo; printf '\033[6n'; x=$(head -c 6 | od -An -c); stty sane; echo "got$x."`)
		p.shows(`got 033   [   1   ;   1   R.`)
	})
}

// deaf starts a program that reads nothing until the file "go" is there, and then writes what it reads into "got".
func deaf(t *testing.T) program {
	t.Helper()
	p := start(t, `stty raw -echo; echo up; until test -e go; do sleep 0.05; done; exec cat > got`)
	p.shows("up")
	return p
}

func TestADeafProgramIsGivenUpAndCountedExactly(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	input := make([]byte, 300_000)
	for i := range input {
		input[i] = 'a' + byte(i/7)%26
	}
	y, err := p.Type(terminal.Input{Bytes: input})
	if err != nil {
		t.Fatal(err)
	}
	var taken, of int
	within(t, patience, "an input to a deaf program", func() { taken, of = y.Wait() })
	if taken <= 0 || taken >= of || of != len(input) {
		t.Fatalf("%d of %d bytes were taken", taken, of)
	}
	if err := os.WriteFile(p.file("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.types(terminal.Input{Text: "END"})
	var got []byte
	eventually(t, "the end of the input", func() bool {
		got, _ = os.ReadFile(p.file("got"))
		return strings.HasSuffix(string(got), "END")
	})
	if want := string(input[:taken]) + "END"; string(got) != want {
		t.Errorf("%d bytes arrived, %d were counted", len(got)-len("END"), taken)
	}
}

func TestAnswersThatNobodyReadsHoldUpNoInput(t *testing.T) {
	t.Parallel()
	p := deaf(t)
	for range 60 { // more than a terminal keeps
		p.Answer(make([]byte, 512))
	}
	y, err := p.Type(terminal.Input{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	within(t, patience, "an input after many answers", func() { y.Wait() })
}

func TestAnEndInTheMidstOfAWriteReleasesTheWriter(t *testing.T) {
	p := deaf(t)
	y, err := p.Type(terminal.Input{Bytes: make([]byte, 300_000)})
	if err != nil {
		t.Fatal(err)
	}
	behind, err := p.Type(terminal.Input{Text: "never"})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	p.stop(process.Stop{Signal: "SIGKILL"})
	y.Wait()
	if taken, of := behind.Wait(); taken != 0 || of != len("never") {
		t.Errorf("%d of %d bytes of the input behind it were taken", taken, of)
	}
	if d := time.Since(begun); d >= terminal.DeafAfter {
		t.Errorf("it took %v", d)
	}
	if seen := p.Revision(); behind.Place().Revision == 0 || behind.Place().Revision > seen {
		t.Errorf("an input that was never typed was typed at %+v; the screen is at %d", behind.Place(), seen)
	}
}

func TestAnInputThatComesTooLateIsRefused(t *testing.T) {
	const text = "The program has exited; it takes no more input."
	t.Run("after the exit", func(t *testing.T) {
		p := start(t, "exit 3")
		p.ends()
		_, err := p.Type(terminal.Input{Text: "x"})
		problem(t, err, core.NotRunning, text)
	})
	t.Run("while its last output is read", func(t *testing.T) {
		p := start(t, "exec sleep 1000")
		p.StopWriter()
		_, err := p.Type(terminal.Input{Text: "x"})
		problem(t, err, core.NotRunning, text)
	})
	t.Run("behind too many others", func(t *testing.T) {
		p := deaf(t)
		var err error
		for range terminal.MaxQueue + 2 {
			if _, err = p.Type(terminal.Input{Bytes: make([]byte, 100_000)}); err != nil {
				break
			}
		}
		problem(t, err, core.Invalid, fmt.Sprintf("%d inputs are waiting already because the program does not read", terminal.MaxQueue))
	})
}

func TestAnInputNamesItsSizeAndKeysOnly(t *testing.T) {
	for want, in := range map[string]terminal.Input{
		"":                                   {},
		"1 byte":                             {Text: "a"},
		"9 bytes Enter F5":                   {Text: "abc", Paste: "def", Bytes: []byte("ghi"), Keys: []string{"Enter", "F5"}},
		"Control+C":                          {Keys: []string{"Control+C"}},
		strings.Repeat("Up ", 99_999) + "Up": {Keys: strings.Fields(strings.Repeat("Up ", 100_000))},
	} {
		within(t, patience, "the name of an input", func() {
			if got := in.String(); got != want {
				t.Errorf("%.50q, want %.50q", got, want)
			}
		})
	}
}
