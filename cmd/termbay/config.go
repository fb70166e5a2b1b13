package main

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"termbay/core/registry"
	"termbay/core/spool"
)

// minLogBytes is the smallest cap of a log: a smaller one would hold little but the line that says what is missing.
const minLogBytes = 64 << 10

// commands is the command line. Every flag of it can also be given as a variable: --state-dir as TERMBAY_STATE_DIR.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve terminals over HTTP until a signal ends it."`
	Token   tokenCommand   `cmd:"" help:"Print the token that callers need, making one if there is none."`
	Status  statusCommand  `cmd:"" help:"Show the running service and what runs in it."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// home says where the service keeps its own files.
type home struct {
	StateDir  string `default:"${state_dir}" placeholder:"DIR" help:"Folder for the token, the lock and server.json; ours alone (0700)."`
	TokenFile string `placeholder:"FILE" help:"File that holds the token (0600), made if missing. Default: token in the state folder."`
}

type serveCommand struct {
	home            `embed:""`
	Listen          []string      `default:"127.0.0.1:7717" placeholder:"ADDRESS" help:"Where to listen, repeatable: HOST:PORT (port 0 takes a free one) or unix:PATH."`
	LogDir          string        `default:"${log_dir}" placeholder:"DIR" help:"Folder for the output files of entries."`
	MaxRunning      int           `default:"${max_running}" placeholder:"N" help:"How many entries one group of sessions may have running."`
	MaxRunningTotal int           `default:"${max_running_total}" placeholder:"N" help:"How many entries may run in all."`
	MaxLogBytes     int64         `default:"${max_log_bytes}" placeholder:"BYTES" help:"How large one log may become; then its middle goes."`
	AllowedHost     []string      `placeholder:"NAME" help:"A host name that requests may use besides loopback ones, repeatable."`
	LogLevel        string        `enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL" help:"What the log on stderr tells: debug, info, warn or error."`
	TLSCert         string        `name:"tls-cert" placeholder:"FILE" help:"Certificate (PEM), needed to listen beyond loopback; then every TCP address speaks HTTPS."`
	TLSKey          string        `name:"tls-key" placeholder:"FILE" help:"Private key (PEM) of the certificate."`
	ExitWhenIdle    time.Duration `placeholder:"DURATION" help:"End once no session with a lease and no running entry was left for this long, such as 10m. Default: never."`
}

// Validate refuses what the flags' types let through.
func (c *serveCommand) Validate() error {
	switch {
	case c.MaxRunning < 1:
		return usage("--max-running must be at least 1")
	case c.MaxRunningTotal < 1:
		return usage("--max-running-total must be at least 1")
	case c.MaxLogBytes < minLogBytes:
		return usage("--max-log-bytes must be at least %d", minLogBytes)
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return usage("--tls-cert and --tls-key belong together; give both")
	case c.ExitWhenIdle < 0:
		return usage("--exit-when-idle must not be negative")
	}
	return nil
}

// tokenPath is the file of the token.
func (h *home) tokenPath() string {
	if h.TokenFile != "" {
		return h.TokenFile
	}
	return filepath.Join(h.StateDir, "token")
}

// grammar is how the command line is read.
func grammar(w world) []kong.Option {
	return []kong.Option{
		kong.Name("termbay"),
		kong.Description("Real terminals for coding agents, over HTTP."),
		kong.Writers(w.stdout, w.stderr),
		kong.Vars(defaults(w.getenv)),
		kong.Resolvers(variables(w.getenv)),
		kong.ValueFormatter(helpText),
	}
}

// defaults are the values that depend on the machine, and those that belong to other packages.
func defaults(getenv func(string) string) map[string]string {
	return map[string]string{
		"state_dir":         defaultStateDir(runtime.GOOS, getenv),
		"log_dir":           spool.DefaultDir(),
		"max_running":       strconv.Itoa(registry.DefaultMaxRunning),
		"max_running_total": strconv.Itoa(registry.DefaultMaxRunningTotal),
		"max_log_bytes":     strconv.Itoa(spool.DefaultLogLimit),
	}
}

// defaultStateDir is the platform's usual place for what a program keeps; empty when the environment does not tell.
func defaultStateDir(goos string, getenv func(string) string) string {
	// The XDG rules: a relative path is to be ignored.
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "termbay")
	}
	base, below := getenv("HOME"), ".local/state/termbay"
	switch goos {
	case "darwin":
		below = "Library/Application Support/termbay"
	case "windows":
		base, below = getenv("LOCALAPPDATA"), "termbay"
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, filepath.FromSlash(below))
}

// variables answers for flags that the command line leaves out.
func variables(getenv func(string) string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value := getenv(variable(flag.Value)); value != "" {
			return value, nil
		}
		return nil, nil
	})
}

// variable is the name of a flag's variable.
func variable(flag *kong.Value) string {
	return "TERMBAY_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
}

// helpText is the help of a flag with its default and the name of its variable.
func helpText(value *kong.Value) string {
	if value.Flag == nil || value.Name == "help" {
		return value.Help
	}
	text := value.Help
	if value.Default != "" {
		text += " Default: " + value.Default + "."
	}
	return text + " ($" + variable(value) + ")"
}
