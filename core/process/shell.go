package process

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"termbay/core"
)

// Resolver finds shells. The zero value looks at this machine; the fields replace what it looks at.
type Resolver struct {
	GOOS   string                                 // platform; empty: this one
	Getenv func(name string) string               // nil: os.Getenv. Values are trimmed, a blank one is none (L304)
	Stat   func(path string) (fs.FileMode, error) // mode of a file, links followed; nil: os.Stat
}

// The kinds of shells that can be asked for without a path.
const (
	kindBash       = "bash"
	kindSh         = "sh"
	kindPowerShell = "powershell"
)

// Resolve finds the shell that a caller wants: "" for the default (bash, then sh: L247), a kind ("bash", "sh",
// "powershell") or an absolute path, which is returned as it is spelled. *core.Error ShellUnavailable says what is
// missing and how to mend it; anything else that is wanted is Invalid with field "shell".
func (r Resolver) Resolve(want string) (core.Shell, error) {
	var candidates []string
	missing := r.noBash()
	switch {
	case want == "":
		candidates = append(r.bash(), r.sh()...)
	case want == kindBash:
		candidates = r.bash()
	case want == kindSh:
		candidates, missing = r.sh(), "No sh shell found. Install one, put it on PATH, or give the absolute path of a shell."
	case want == kindPowerShell:
		candidates, missing = r.powershell(), r.noPowerShell()
	case r.absolute(want):
		if mode, err := r.stat(want); err != nil || mode.IsDir() {
			return core.Shell{}, unavailable("Custom shell path not found: " + want)
		}
		return r.shell(want), nil
	default:
		return core.Shell{}, &core.Error{
			Code: core.Invalid, Field: "shell", Valid: []string{kindBash, kindSh, kindPowerShell},
			Detail: fmt.Sprintf("%q is neither a kind of shell (bash, sh, powershell) nor an absolute path.", want),
		}
	}
	for _, c := range candidates {
		if r.executable(c) {
			return r.shell(c), nil
		}
	}
	return core.Shell{}, unavailable(missing)
}

// Shells lists the shell of every kind that is found, the default first, and warnings about settings that were ignored
// (L251, L252).
func (r Resolver) Shells() (shells []core.Shell, warnings []string) {
	for _, kind := range []string{kindBash, kindSh, kindPowerShell} {
		s, err := r.Resolve(kind)
		if err == nil && !slices.ContainsFunc(shells, func(o core.Shell) bool { return o.Path == s.Path }) {
			shells = append(shells, s)
		}
	}
	if _, warning := r.gitBashOverride(); warning != "" {
		warnings = append(warnings, warning)
	}
	return shells, warnings
}

// bash lists where bash may be, best first.
func (r Resolver) bash() []string {
	if r.windows() {
		return r.gitBash("bash.exe")
	}
	return append([]string{"/bin/bash"}, r.onPath("bash")...)
}

// sh lists where sh may be, best first.
func (r Resolver) sh() []string {
	if r.windows() {
		return r.gitBash("sh.exe")
	}
	return append([]string{"/bin/sh"}, r.onPath("sh")...)
}

// powershell lists where PowerShell may be (L254).
func (r Resolver) powershell() []string {
	if r.windows() {
		return append(r.onPath("pwsh.exe"), r.onPath("powershell.exe")...)
	}
	return r.onPath("pwsh")
}

// shell describes the shell at a path: what it is goes by its name (L255, L259).
func (r Resolver) shell(path string) core.Shell {
	s := core.Shell{Kind: "custom", Path: path, Args: []string{"-c"}, Transport: core.ByArgument}
	switch name := r.base(path); name {
	case kindBash, kindSh, "zsh", "fish":
		s.Kind = name
	case "pwsh", "powershell":
		s.Kind = kindPowerShell
		if s.Edition = core.EditionCore; name == "powershell" {
			s.Edition = core.EditionDesktop
		}
		s.Args = []string{"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"}
	}
	if r.windows() && s.Kind == kindBash && r.wsl(path) {
		s.Args, s.Transport = []string{"-s"}, core.ByStdin
	}
	return s
}

func (r Resolver) noBash() string {
	if r.windows() {
		return `No bash shell found. Options:
  1. Install Git for Windows: https://git-scm.com/download/win
  2. Put the folder of your bash.exe on PATH (that of WSL is not used by itself)
  3. Set ` + gitBashVariable + ` to the full path of a bash.exe`
	}
	return `No bash shell found. Options:
  1. Install bash as /bin/bash
  2. Put bash or sh on the PATH of the service
  3. Give the absolute path of a shell`
}

// noPowerShell is to the letter what clients know (L258).
func (r Resolver) noPowerShell() string {
	if r.windows() {
		return "No PowerShell executable found. Install PowerShell or add powershell.exe/pwsh.exe to PATH."
	}
	return "No PowerShell executable found. Install PowerShell 7 (pwsh) and put it on PATH."
}

func unavailable(detail string) error {
	return &core.Error{Code: core.ShellUnavailable, Detail: detail}
}

// onPath lists the places on PATH where a program of that name may be. Relative ones do not count.
func (r Resolver) onPath(name string) []string {
	list, slash := ":", "/"
	if r.windows() {
		list, slash = ";", `\`
	}
	var all []string
	for _, dir := range strings.Split(r.getenv("PATH"), list) {
		if dir = strings.Trim(strings.TrimSpace(dir), `"`); r.absolute(dir) {
			all = append(all, strings.TrimRight(dir, slash)+slash+name)
		}
	}
	return all
}

// base is the name of a program without its folder, in lower case and without .exe on Windows.
func (r Resolver) base(file string) string {
	if !r.windows() {
		return path.Base(file)
	}
	return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/"))), ".exe")
}

func (r Resolver) absolute(path string) bool {
	if !r.windows() {
		return strings.HasPrefix(path, "/")
	}
	drive := len(path) > 2 && path[1] == ':' && strings.ContainsRune(`\/`, rune(path[2]))
	return drive || strings.HasPrefix(path, `\\`)
}

func (r Resolver) executable(path string) bool {
	mode, err := r.stat(path)
	return err == nil && mode.IsRegular() && (r.windows() || mode.Perm()&0o111 != 0)
}

func (r Resolver) windows() bool {
	if r.GOOS == "" {
		return runtime.GOOS == "windows"
	}
	return r.GOOS == "windows"
}

func (r Resolver) getenv(name string) string {
	if r.Getenv == nil {
		return strings.TrimSpace(os.Getenv(name))
	}
	return strings.TrimSpace(r.Getenv(name))
}

func (r Resolver) stat(path string) (fs.FileMode, error) {
	if r.Stat != nil {
		return r.Stat(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}
