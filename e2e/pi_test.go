package e2e

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A job is told to a model as Pi's own bash tool would tell it (L97). The proof is a table of commands that Pi and
// termbay both run: once beside what Pi said when it was recorded, once beside a Pi that runs now.

var update = flag.Bool("update", false, "record what Pi says in testdata/pi/recorded.json")

// piCase is a command of testdata/pi/cases.json.
type piCase struct {
	Name    string  `json:"name"`
	Command string  `json:"command"`
	Length  int     `json:"length"`  // the command is filled up to so many bytes
	Timeout float64 `json:"timeout"` // seconds; 0 is none
	Clock   bool    `json:"clock"`   // hangs on Pi's 100 ms of silence: it runs alone, and again when the machine was too busy
	Differs string  `json:"differs"` // why termbay differs on purpose
	Ours    *told   `json:"ours"`    // what it tells then
	Chance  bool    `json:"chance"`  // only the order of the lines differs, and not always
	Folded  bool    `json:"folded"`  // equal lines in a row count as one
}

// told is what a model is told about a command.
type told struct {
	Text     string `json:"text"` // the path of a full output taken out, a long one as its digest
	Failed   bool   `json:"failed,omitzero"`
	ExitCode *int   `json:"exit_code,omitempty"` // 128+n for a signal; absent after a timeout and when nothing was started
	Full     *kept  `json:"full,omitempty"`      // the file with the full output of a cut one

	whole string // the text itself
}

// kept is what a full-output file holds.
type kept struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func TestJobsGiveWhatPiRecorded(t *testing.T) { // L97
	b := newBench(t)
	if *update {
		record(t, b.askPi(t, b.cases))
	}
	s := servePrepared(t, b.prepare)
	recorded := readJSON[map[string]told](t, "recorded.json")
	for _, c := range b.cases {
		t.Run(c.Name, func(t *testing.T) {
			pi, found := recorded[c.Name]
			if !found {
				t.Fatal("Pi was not asked yet; go test ./e2e -run Pi -update")
			}
			b.compare(t, s, c, func() told { return pi })
		})
		delete(recorded, c.Name)
	}
	for name := range recorded {
		t.Errorf("%q is recorded and no case any more; go test ./e2e -run Pi -update", name)
	}
}

func TestJobsGiveWhatPiGivesBesideThem(t *testing.T) { // L97
	b := newBench(t)
	pi := b.askPi(t, b.cases)
	s := servePrepared(t, b.prepare)
	for _, c := range b.cases {
		t.Run(c.Name, func(t *testing.T) {
			b.compare(t, s, c, func() told {
				said, found := pi[c.Name]
				if !found {
					said = b.askPi(t, []piCase{c})[c.Name]
				}
				delete(pi, c.Name) // another try asks again
				return said
			})
		})
	}
}

// bench is where both run their commands: the same folder, environment, limits and mask.
type bench struct {
	dir, cwd string
	env      map[string]string
	cases    []piCase
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("recorded on Linux: other systems have another bash, other signals and no /proc")
	}
	need(t, "bash", "git", "less", "ps", "python3")
	b := &bench{dir: t.TempDir(), cases: readJSON[[]piCase](t, "cases.json")}
	b.cwd = b.folder(t, "cwd")
	b.env = map[string]string{"PATH": os.Getenv("PATH"), "HOME": b.folder(t, "home"), "TMPDIR": b.folder(t, "tmp"), "LANG": "C.UTF-8", "TERM": "dumb"}
	for i := range b.cases {
		c := &b.cases[i]
		c.Command += strings.Repeat("x", max(0, c.Length-len(c.Command)))
	}
	return b
}

func (b *bench) folder(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// prepare has a program started with a mask and limits that are the same on every machine, and without the descriptors
// that this test was given, which Node would hand on.
func (b *bench) prepare(cmd *exec.Cmd) {
	const first = `umask 027; ulimit -c 0; ulimit -Sn 512; ulimit -Hn 1024
for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -lt 3 ] || exec {fd}>&-; done
exec "$0" "$@"`
	cmd.Args = append([]string{"bash", "-c", first}, cmd.Args...)
	cmd.Path, cmd.Err = exec.LookPath("bash")
}

// compare runs a case as a job and holds the result beside Pi's.
func (b *bench) compare(t *testing.T, s *service, c piCase, ask func() told) {
	t.Helper()
	wrong := ""
	for range c.tries() {
		if wrong = c.wrong(ask(), b.run(t, s, c)); wrong == "" {
			return
		}
	}
	t.Errorf("%.300q\n%s", c.Command, wrong)
}

// tries is how often a case may be tried.
func (c piCase) tries() int {
	if c.Clock {
		return 3
	}
	return 1
}

// wrong says what is wrong with ours beside Pi's, and nothing when all is well.
func (c piCase) wrong(pi, ours told) string {
	switch {
	case c.Differs == "" && !same(pi, ours):
		return difference(pi, ours)
	case c.Differs == "":
		return ""
	case c.Ours == nil || !same(*c.Ours, ours):
		return fmt.Sprintf("not the difference that is meant (%s): %s", c.Differs, show(ours))
	case c.Chance && !same(sorted(pi), sorted(ours)):
		return "not only in another order:\n" + difference(pi, ours)
	case !c.Chance && same(pi, ours):
		return fmt.Sprintf("no difference is left, although %s: %s", c.Differs, show(ours))
	}
	return ""
}

func sorted(x told) told {
	lines := strings.SplitAfter(x.Text, "\n")
	slices.Sort(lines)
	x.Text = strings.Join(lines, "")
	return x
}

func same(x, y told) bool { return show(x) == show(y) }

// run runs a case as a job and tells it as Pi would.
func (b *bench) run(t *testing.T, s *service, c piCase) told {
	t.Helper()
	body := object{"command": c.Command, "cwd": b.cwd, "env": b.env}
	if c.Timeout > 0 {
		body["timeout_ms"] = int(c.Timeout * 1000)
	}
	a, err := s.try("", "POST", "/v1/jobs", body)
	if err != nil {
		t.Fatal(err)
	}
	if a.status == http.StatusUnprocessableEntity {
		return told{Text: a.text("detail"), Failed: true}
	}
	if a.status != http.StatusOK {
		t.Fatalf("%d: %s", a.status, a.raw)
	}
	x, file := told{whole: a.text("output")}, a.text("full_output_path")
	cut, _ := a.json["truncated"].(bool)
	if cut != (a.text("notice") != "") || cut != (file != "") {
		t.Errorf("truncated, notice and full_output_path contradict each other: %.500s", a.raw)
	}
	outcome, _ := a.json["outcome"].(object)
	parts := []string{x.whole, a.text("notice"), ""}
	if outcome["cause"] == "timeout" {
		parts[2] = fmt.Sprintf("Command timed out after %v seconds", c.Timeout)
	} else {
		x.ExitCode = exitCode(t, a)
		parts[0] = cmp.Or(x.whole, "(no output)")
		if *x.ExitCode != 0 {
			parts[2] = fmt.Sprintf("Command exited with code %d", *x.ExitCode)
		}
	}
	x.Failed = parts[2] != ""
	x.whole = strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
	return b.tell(t, c, x, file)
}

// exitCode is what a shell would say: 128+n for a signal.
func exitCode(t *testing.T, a answer) *int {
	t.Helper()
	signals := map[string]int{"SIGHUP": 1, "SIGABRT": 6, "SIGKILL": 9, "SIGUSR1": 10, "SIGSEGV": 11, "SIGPIPE": 13, "SIGTERM": 15, "signal 34": 34}
	code, exited := a.json["exit_code"].(float64)
	n, killed := signals[a.text("signal")]
	if exited == killed {
		t.Fatalf("one of exit code and signal: %.500s", a.raw)
	}
	if n += int(code); killed {
		n += 128
	}
	return &n
}

// tell completes what was told: the file is read and its path taken out of the text.
func (b *bench) tell(t *testing.T, c piCase, x told, path string) told {
	t.Helper()
	if path != "" {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		sum := sha256.New()
		n, err := io.Copy(sum, file)
		if err != nil {
			t.Fatal(err)
		}
		x.Full = &kept{int(n), fmt.Sprintf("%x", sum.Sum(nil))}
		x.whole = strings.ReplaceAll(x.whole, path, "<full output>")
	}
	x.whole = strings.ReplaceAll(x.whole, b.cwd, "<cwd>")
	if c.Folded {
		x.whole = strings.Join(slices.Compact(strings.SplitAfter(x.whole, "\n")), "")
	}
	x.Text = digest(x.whole)
	return x
}

// digest is a text, or for a long one its length, its sum and its end, where the notices stand.
func digest(text string) string {
	const long, end = 1000, 200
	if len(text) <= long {
		return text
	}
	at := len(text) - end
	for !utf8.RuneStart(text[at]) {
		at++
	}
	return fmt.Sprintf("<%d bytes, sha256 %x> … %s", len(text), sha256.Sum256([]byte(text)), text[at:])
}

// difference tells where two differ.
func difference(pi, ours told) string {
	if pi.whole == "" || pi.whole == ours.whole {
		return fmt.Sprintf("Pi:      %s\ntermbay: %s", show(pi), show(ours))
	}
	at := 0
	for at < min(len(pi.whole), len(ours.whole)) && pi.whole[at] == ours.whole[at] {
		at++
	}
	from := max(0, at-60)
	return fmt.Sprintf("from byte %d on (of %d and %d)\nPi:      %.300q\ntermbay: %.300q\nPi:      %s\ntermbay: %s",
		at, len(pi.whole), len(ours.whole), pi.whole[from:], ours.whole[from:], show(pi), show(ours))
}

// show is a value as JSON that people can read.
func show(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // never fails: only plain values are shown
	return strings.TrimSpace(b.String())
}

func readJSON[T any](t *testing.T, name string) (v T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "pi", name))
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// record writes what Pi said, one case a line, in the order of their names.
func record(t *testing.T, said map[string]told) {
	t.Helper()
	lines := make([]string, 0, len(said))
	for _, name := range slices.Sorted(maps.Keys(said)) {
		lines = append(lines, fmt.Sprintf("  %s: %s", show(name), show(said[name])))
	}
	b := []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
	if err := os.WriteFile(filepath.Join("testdata", "pi", "recorded.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
}
