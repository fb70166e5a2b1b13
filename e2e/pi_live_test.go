package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The real Pi, offline: its model is a script that asks for the commands of the cases, its answers are the events that
// it prints in json mode.

const (
	turnSize   = 8               // commands that the model asks for at once; Pi runs them side by side
	piPatience = 5 * time.Minute // the outer limit of a whole run, which takes ten seconds
)

// fullOutput finds the file in a footer; a result that timed out has no details that name it.
var fullOutput = regexp.MustCompile(`Full output: (\S+)\]`)

// askPi has Pi run cases and returns what its model is told about each, by name.
func (b *bench) askPi(t *testing.T, cases []piCase) map[string]told {
	t.Helper()
	where, err := exec.Command("../tools/pi.sh", "where").Output()
	if err != nil {
		t.Fatal(err)
	}
	pi := strings.TrimSpace(string(where))
	if _, err := os.Stat(pi); err != nil {
		t.Fatalf("Pi is missing (%v); make setup installs it", err)
	}
	model := httptest.NewServer(script(cases))
	defer model.Close()
	ctx, cancel := context.WithTimeout(t.Context(), piPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(pi, "node"), filepath.Join(pi, "pi.js"), "--mode", "json", "--no-session", "-ne", "go")
	b.prepare(cmd)
	cmd.Dir = b.cwd
	for name, value := range b.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, "PI_CODING_AGENT_DIR="+b.agent(t, model.URL), "PI_OFFLINE=1", "PI_TELEMETRY=0")
	var failure bytes.Buffer
	cmd.Stderr = &failure
	events, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := b.listen(t, events, cases)
	if err := cmd.Wait(); err != nil || len(said) != len(cases) {
		t.Fatalf("Pi told of %d commands out of %d: %v %s", len(said), len(cases), err, &failure)
	}
	return said
}

// agent is a folder of settings that know only the model at url.
func (b *bench) agent(t *testing.T, url string) string {
	t.Helper()
	dir := b.folder(t, "agent")
	for name, settings := range map[string]object{
		"settings.json": {"defaultProvider": "scripted", "defaultModel": "scripted"},
		"models.json": {"providers": object{"scripted": object{"baseUrl": url, "api": "openai-completions", "apiKey": "none",
			"models": []object{{"id": "scripted", "input": []string{"text"}, "contextWindow": 1 << 30, "maxTokens": 1 << 20}}}}},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(show(settings)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// listen reads Pi's events and takes from them what the model is told.
func (b *bench) listen(t *testing.T, events io.Reader, cases []piCase) map[string]told {
	t.Helper()
	said := map[string]told{}
	for d := json.NewDecoder(events); ; {
		var e struct {
			Type, ToolCallID string
			IsError          bool
			Result           struct {
				Content           []struct{ Text string }
				Details           *struct{ FullOutputPath string }
				StructuredContent *struct {
					ExitCode *int `json:"exit_code"`
				}
			}
		}
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return said
		} else if err != nil {
			t.Fatal(err)
		}
		if e.Type != "tool_execution_end" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(e.ToolCallID, "call_"))
		if err != nil || n >= len(cases) || len(e.Result.Content) != 1 {
			t.Fatalf("an unknown call: %+v", e)
		}
		x := told{whole: e.Result.Content[0].Text, Failed: e.IsError}
		if e.Result.StructuredContent != nil {
			x.ExitCode = e.Result.StructuredContent.ExitCode
		}
		path := append(fullOutput.FindStringSubmatch(x.whole), "", "")[1]
		if details := e.Result.Details; x.ExitCode != nil && details != nil && details.FullOutputPath != path {
			t.Errorf("%s: the text names the file %q, the details %q", cases[n].Name, path, details.FullOutputPath)
		}
		said[cases[n].Name] = b.tell(t, cases[n], x, path)
	}
}

// script is a model that speaks OpenAI's protocol. It asks for the commands turn by turn and is then content.
func script(cases []piCase) http.HandlerFunc {
	turns := turnsOf(cases)
	var asked atomic.Int64
	return func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		delta, finish := object{"role": "assistant", "content": "done"}, "stop"
		if n := int(asked.Add(1)) - 1; n < len(turns) {
			delta, finish = object{"role": "assistant", "tool_calls": turns[n]}, "tool_calls"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, choice := range []object{{"index": 0, "delta": delta}, {"index": 0, "delta": object{}, "finish_reason": finish}} {
			chunk, _ := json.Marshal(object{"object": "chat.completion.chunk", "model": "scripted", "choices": []object{choice}})
			fmt.Fprintf(w, "data: %s\n\n", chunk)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// turnsOf are the tool calls of each turn. What hangs on the clock has a turn for itself.
func turnsOf(cases []piCase) (turns [][]object) {
	alone := true
	for n, c := range cases {
		if alone || c.Clock || len(turns[len(turns)-1]) == turnSize {
			turns = append(turns, nil)
		}
		alone = c.Clock
		arguments := object{"command": c.Command}
		if c.Timeout > 0 {
			arguments["timeout"] = c.Timeout
		}
		encoded, _ := json.Marshal(arguments)
		last := &turns[len(turns)-1]
		*last = append(*last, object{"index": len(*last), "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": object{"name": "bash", "arguments": string(encoded)}})
	}
	return turns
}
