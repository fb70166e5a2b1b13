package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"termbay/core/spool"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// environment is a world in which only these variables are set.
func environment(variables map[string]string) world {
	return world{stdout: io.Discard, stderr: io.Discard, getenv: func(name string) string { return variables[name] }}
}

func TestServeTakesFlagsThenVariablesThenDefaults(t *testing.T) {
	state := filepath.FromSlash("/home/me/.local/state/termbay")
	standard := func(change func(*serveCommand)) serveCommand {
		c := serveCommand{
			home:   home{StateDir: state},
			Listen: []string{"127.0.0.1:7717"}, LogDir: spool.DefaultDir(),
			MaxRunning: 16, MaxRunningTotal: 256, MaxLogBytes: 256 << 20, LogLevel: "info",
		}
		change(&c)
		return c
	}
	tests := []struct {
		name      string
		args      string
		variables map[string]string
		want      serveCommand
	}{
		{"nothing", "", nil, standard(func(*serveCommand) {})},
		{"flags", "--listen=127.0.0.1:1 --listen=unix:/s --state-dir=/x --log-dir=/l --token-file=/t --max-running=2 " +
			"--max-running-total=3 --max-log-bytes=70000 --allowed-host=a --allowed-host=b --log-level=debug --tls-cert=c --tls-key=k --exit-when-idle=10m",
			nil, serveCommand{
				home:   home{StateDir: "/x", TokenFile: "/t"},
				Listen: []string{"127.0.0.1:1", "unix:/s"}, LogDir: "/l", MaxRunning: 2, MaxRunningTotal: 3, MaxLogBytes: 70000,
				AllowedHost: []string{"a", "b"}, LogLevel: "debug", TLSCert: "c", TLSKey: "k", ExitWhenIdle: 10 * time.Minute,
			}},
		{"variables", "", map[string]string{
			"TERMBAY_LISTEN": "127.0.0.1:1,unix:/s", "TERMBAY_STATE_DIR": "/x", "TERMBAY_LOG_DIR": "/l",
			"TERMBAY_TOKEN_FILE": "/t", "TERMBAY_MAX_RUNNING": "2", "TERMBAY_MAX_RUNNING_TOTAL": "3",
			"TERMBAY_MAX_LOG_BYTES": "70000",
			"TERMBAY_ALLOWED_HOST":  "a,b", "TERMBAY_LOG_LEVEL": "debug", "TERMBAY_TLS_CERT": "c", "TERMBAY_TLS_KEY": "k",
			"TERMBAY_EXIT_WHEN_IDLE": "10m",
		}, serveCommand{
			home:   home{StateDir: "/x", TokenFile: "/t"},
			Listen: []string{"127.0.0.1:1", "unix:/s"}, LogDir: "/l", MaxRunning: 2, MaxRunningTotal: 3, MaxLogBytes: 70000,
			AllowedHost: []string{"a", "b"}, LogLevel: "debug", TLSCert: "c", TLSKey: "k", ExitWhenIdle: 10 * time.Minute,
		}},
		{"a flag beats its variable", "--max-running=5", map[string]string{"TERMBAY_MAX_RUNNING": "2"},
			standard(func(c *serveCommand) { c.MaxRunning = 5 })},
		{"an empty variable is none", "", map[string]string{"TERMBAY_LISTEN": "", "TERMBAY_MAX_RUNNING": ""},
			standard(func(*serveCommand) {})},
		{"XDG", "", map[string]string{"XDG_STATE_HOME": "/xdg"},
			standard(func(c *serveCommand) { c.StateDir = filepath.FromSlash("/xdg/termbay") })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			variables := map[string]string{"HOME": "/home/me"}
			for name, value := range tt.variables {
				variables[name] = value
			}
			var c commands
			parser, err := kong.New(&c, grammar(environment(variables))...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(append([]string{"serve"}, strings.Fields(tt.args)...)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Serve, cmp.AllowUnexported(serveCommand{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStateDirIsThePlatformsUsualPlace(t *testing.T) {
	all := map[string]string{"HOME": "/home/me", "LOCALAPPDATA": "/local"}
	tests := []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", all, "/home/me/.local/state/termbay"},
		{"darwin", all, "/home/me/Library/Application Support/termbay"},
		{"windows", all, "/local/termbay"},
		{"darwin", map[string]string{"HOME": "/home/me", "XDG_STATE_HOME": "/xdg"}, "/xdg/termbay"},
		{"linux", map[string]string{"HOME": "/home/me", "XDG_STATE_HOME": "relative"}, "/home/me/.local/state/termbay"},
		{"linux", nil, ""},
		{"windows", map[string]string{"HOME": "/home/me"}, ""},
	}
	for _, tt := range tests {
		got := defaultStateDir(tt.goos, func(name string) string { return tt.env[name] })
		if got != filepath.FromSlash(tt.want) {
			t.Errorf("%s, %v: %q, wanted %q", tt.goos, tt.env, got, tt.want)
		}
	}
}

// outcome is how a command ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// execute runs a command to its end in this process.
func execute(t *testing.T, variables map[string]string, args ...string) outcome {
	t.Helper()
	var stdout, stderr strings.Builder
	w := environment(variables)
	w.stdout, w.stderr, w.endings = &stdout, &stderr, endings()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	code := run(ctx, args, w)
	return outcome{code, stdout.String(), stderr.String()}
}

func TestWrongCommandLinesAreOneSentenceAndExitCodeTwo(t *testing.T) {
	tests := []struct {
		args string
		env  map[string]string
		want string
	}{
		{"", nil, `expected one of "serve", "token", "status", "version"`},
		{"frob", nil, "unexpected argument frob"},
		{"serve extra", nil, "unexpected argument extra"},
		{"serve --nope", nil, "unknown flag --nope"},
		{"serve --max-running=many", nil, "--max-running: expected"},
		{"serve --max-running=0", nil, "--max-running must be at least 1"},
		{"serve --max-running-total=-1", nil, "--max-running-total must be at least 1"},
		{"serve --max-log-bytes=1000", nil, "--max-log-bytes must be at least 65536"},
		{"serve --log-level=loud", nil, "--log-level must be one of"},
		{"serve --exit-when-idle=soon", nil, "--exit-when-idle: expected duration"},
		{"serve --exit-when-idle=-1s", nil, "--exit-when-idle must not be negative"},
		{"serve --tls-cert=c", nil, "--tls-cert and --tls-key belong together"},
		{"serve --tls-key=k", nil, "--tls-cert and --tls-key belong together"},
		{"serve", map[string]string{"TERMBAY_MAX_RUNNING": "many"}, "--max-running: expected"},
		{"serve", nil, "no home directory is known; choose a folder with --state-dir"},
		{"token", nil, "no home directory is known; choose a folder with --state-dir"},
	}
	for _, tt := range tests {
		got := execute(t, tt.env, strings.Fields(tt.args)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, tt.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s %v: exit code %d, stderr %q, wanted %q", tt.args, tt.env, got.code, got.stderr, tt.want)
		}
		if got.stdout != "" {
			t.Errorf("%s: stdout %q", tt.args, got.stdout)
		}
	}
}

func TestHelpNamesEveryFlagWithItsVariableAndDefault(t *testing.T) {
	got := execute(t, map[string]string{"HOME": "/home/me"}, "serve", "--help")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.stderr)
	}
	text := strings.Join(strings.Fields(got.stdout), " ")
	for _, want := range []string{
		"--listen=ADDRESS", "Default: 127.0.0.1:7717.", "$TERMBAY_LISTEN", "--exit-when-idle=DURATION",
		"$TERMBAY_EXIT_WHEN_IDLE", "$TERMBAY_TLS_CERT", "$TERMBAY_MAX_RUNNING_TOTAL", "Default: 256.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the help does not say %s:\n%s", want, got.stdout)
		}
	}
}

func TestVersionTellsReleaseAndPlatform(t *testing.T) {
	got := execute(t, nil, "version")
	if got.code != 0 || !strings.HasPrefix(got.stdout, "termbay "+version+" ") || !strings.Contains(got.stdout, "go1.") {
		t.Errorf("exit code %d: %q", got.code, got.stdout)
	}
}
