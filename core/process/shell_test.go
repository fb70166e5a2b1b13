package process_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"termbay/core"
	"termbay/core/process"
)

// machine is a Resolver for a made-up machine: its platform, its files (a trailing "!" marks one that may not be
// executed, a trailing "/" a folder) and its environment.
func machine(goos string, files string, env ...string) process.Resolver {
	modes := map[string]fs.FileMode{}
	for file := range strings.FieldsFuncSeq(files, func(r rune) bool { return r == '|' }) {
		switch {
		case strings.HasSuffix(file, "!"):
			modes[strings.TrimSuffix(file, "!")] = 0o644
		case strings.HasSuffix(file, "/"):
			modes[strings.TrimSuffix(file, "/")] = fs.ModeDir | 0o755
		default:
			modes[file] = 0o755
		}
	}
	return process.Resolver{
		GOOS: goos,
		Getenv: func(name string) string {
			for _, e := range env {
				if value, ok := strings.CutPrefix(e, name+"="); ok {
					return value
				}
			}
			return ""
		},
		Stat: func(path string) (fs.FileMode, error) {
			if mode, ok := modes[path]; ok {
				return mode, nil
			}
			return 0, fs.ErrNotExist
		},
	}
}

const (
	gitBash   = `C:\Program Files\Git\bin\bash.exe`
	wslBash   = `C:\Windows\System32\bash.exe`
	ownBash   = `D:\tools\bash.exe`
	shellArgs = "-NoProfile -NonInteractive -ExecutionPolicy Bypass -Command"
	pwshArgs  = shellArgs + " core"
)

func TestResolve(t *testing.T) {
	path := "PATH=relative:/usr/bin/: /opt/bin "
	programs := "ProgramFiles=C:\\Program Files"
	winPath := `PATH=C:\Windows\System32;"D:\tools";C:\Users\u\AppData\Local\Microsoft\WindowsApps`
	for name, c := range map[string]struct {
		machine process.Resolver
		want    string // what is asked for
		shell   string // kind path args, or what the error begins with
	}{
		// L247
		"bash first":                {machine("linux", "/bin/bash|/usr/bin/bash|/bin/sh", path), "", "bash /bin/bash -c"},
		"then bash on PATH":         {machine("linux", "/bin/bash!|/opt/bin/bash|/bin/sh", path), "", "bash /opt/bin/bash -c"},
		"never a relative PATH":     {machine("linux", "relative/bash|/bin/sh", path), "", "sh /bin/sh -c"},
		"then sh":                   {machine("darwin", "/usr/bin/sh", path), "", "sh /usr/bin/sh -c"},
		"no shell at all":           {machine("linux", "/bin/bash/", path), "", "No bash shell found. Options:\n  1."},
		"bash is not sh":            {machine("linux", "/bin/sh", path), "bash", "No bash shell found. Options:\n  1."},
		"sh when asked for":         {machine("linux", "/bin/bash|/bin/sh", path), "sh", "sh /bin/sh -c"},
		"a path":                    {machine("linux", "/x/zsh"), "/x/zsh", "zsh /x/zsh -c"},
		"a path to bash":            {machine("linux", "/x/bash"), "/x/bash", "bash /x/bash -c"},
		"a path to pwsh":            {machine("linux", "/x/pwsh"), "/x/pwsh", "powershell /x/pwsh " + pwshArgs},
		"a path to something else":  {machine("linux", "/x/my shell"), "/x/my shell", "custom /x/my shell -c"},
		"a path that leads nowhere": {machine("linux", ""), "/no/bash", "Custom shell path not found: /no/bash"},
		"a path to a folder":        {machine("linux", "/x/"), "/x", "Custom shell path not found: /x"},
		"a relative path":           {machine("linux", "./bash"), "./bash", `"./bash" is neither a kind of shell (bash, sh, powershell) nor an absolute path.`},
		"another kind":              {machine("linux", "/bin/zsh"), "zsh", `"zsh" is neither`},
		// L254, L255, L258
		"pwsh on PATH":           {machine("linux", "/opt/bin/pwsh", path), "powershell", "powershell /opt/bin/pwsh " + pwshArgs},
		"no pwsh":                {machine("darwin", "", path), "powershell", "No PowerShell executable found. Install PowerShell 7 (pwsh) and put it on PATH."},
		"pwsh on Windows":        {machine("windows", `D:\tools\powershell.exe|D:\tools\pwsh.exe`, winPath), "powershell", `powershell D:\tools\pwsh.exe ` + pwshArgs},
		"powershell on Windows":  {machine("windows", `D:\tools\powershell.exe`, winPath), "powershell", `powershell D:\tools\powershell.exe ` + shellArgs + " desktop"},
		"no powershell, Windows": {machine("windows", "", winPath), "powershell", "No PowerShell executable found. Install PowerShell or add powershell.exe/pwsh.exe to PATH."},
		// L248, L249, L251, L259
		"Git Bash first":              {machine("windows", gitBash+"|"+ownBash, programs, winPath), "", "bash " + gitBash + " -c"},
		"32-bit Git Bash":             {machine("windows", `X:\86\Git\bin\bash.exe`, `ProgramFiles(x86)=X:\86`), "", `bash X:\86\Git\bin\bash.exe -c`},
		"Git Bash of one user":        {machine("windows", `L:\a\Programs\Git\bin\bash.exe`, `LOCALAPPDATA=L:\a`), "", `bash L:\a\Programs\Git\bin\bash.exe -c`},
		"then PATH, past WSL":         {machine("windows", wslBash+"|"+ownBash, programs, winPath), "", "bash " + ownBash + " -c"},
		"WSL is not taken by itself":  {machine("windows", wslBash, winPath), "", "No bash shell found. Options:\n  1."},
		"WSL from the store neither":  {machine("windows", `C:\Users\u\AppData\Local\Microsoft\WindowsApps\bash.exe`, winPath), "bash", "No bash shell found. Options:\n  1."},
		"WSL when asked for":          {machine("windows", "c:/WINDOWS/system32/BASH.EXE"), "c:/WINDOWS/system32/BASH.EXE", "bash c:/WINDOWS/system32/BASH.EXE -s stdin"},
		"WSL when set":                {machine("windows", wslBash+"|"+gitBash, programs, "TERMBAY_GIT_BASH_PATH="+wslBash), "", "bash " + wslBash + " -s stdin"},
		"what was set":                {machine("windows", gitBash+"|"+ownBash, programs, "TERMBAY_GIT_BASH_PATH= "+ownBash+" "), "", "bash " + ownBash + " -c"},
		"what was set and is missing": {machine("windows", gitBash, programs, "TERMBAY_GIT_BASH_PATH="+ownBash), "", "bash " + gitBash + " -c"},
		"blank is not set":            {machine("windows", gitBash, programs, "TERMBAY_GIT_BASH_PATH=  "), "", "bash " + gitBash + " -c"},
		"nothing is set elsewhere":    {machine("linux", "/bin/bash|/x/bash", "TERMBAY_GIT_BASH_PATH=/x/bash"), "", "bash /bin/bash -c"},
		"sh beside Git Bash":          {machine("windows", gitBash+`|C:\Program Files\Git\bin\sh.exe`, programs), "sh", `sh C:\Program Files\Git\bin\sh.exe -c`},
		"a path without a drive":      {machine("windows", ""), `\bash.exe`, `"\\bash.exe" is neither`},
		"a share":                     {machine("windows", `\\host\bash.exe`), `\\host\bash.exe`, `bash \\host\bash.exe -c`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.machine.Resolve(c.want)
			if err == nil {
				if text := describe(got); text != c.shell {
					t.Errorf("got %q, want %q", text, c.shell)
				}
				return
			}
			var e *core.Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Detail, c.shell) {
				t.Fatalf("got %v, want %q", err, c.shell)
			}
			if invalid := strings.Contains(e.Detail, "neither"); invalid && (e.Code != core.Invalid || e.Field != "shell" || len(e.Valid) != 3) ||
				!invalid && e.Code != core.ShellUnavailable {
				t.Errorf("%+v", e)
			}
		})
	}
}

// describe is a shell in one line; the usual transport is left out.
func describe(s core.Shell) string {
	text := strings.Join(append([]string{s.Kind, s.Path}, s.Args...), " ")
	if s.Edition != "" {
		text += " " + string(s.Edition)
	}
	if s.Transport != core.ByArgument {
		text += " " + string(s.Transport)
	}
	return text
}

func TestShells(t *testing.T) {
	for name, c := range map[string]struct {
		machine          process.Resolver
		shells, warnings []string
	}{
		"all kinds": {
			machine("linux", "/bin/bash|/bin/sh|/opt/pwsh|/bin/zsh", "PATH=/opt", "TERMBAY_GIT_BASH_PATH=/no"),
			[]string{"bash /bin/bash -c", "sh /bin/sh -c", "powershell /opt/pwsh " + pwshArgs}, nil,
		},
		"none": {machine("linux", ""), nil, nil},
		"not a bash": {
			machine("windows", gitBash, `ProgramFiles=C:\Program Files`, `TERMBAY_GIT_BASH_PATH=C:\x\zsh.exe`),
			[]string{"bash " + gitBash + " -c"}, []string{`TERMBAY_GIT_BASH_PATH ignored: "C:\x\zsh.exe" is not a bash or sh binary.`},
		},
		"missing": {
			machine("windows", "", `TERMBAY_GIT_BASH_PATH=C:/x/Bash`),
			nil, []string{`TERMBAY_GIT_BASH_PATH ignored: "C:/x/Bash" does not exist.`},
		},
		"sh for both": {
			machine("windows", `C:\x\SH.exe`, `TERMBAY_GIT_BASH_PATH=C:\x\SH.exe`),
			[]string{`sh C:\x\SH.exe -c`}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			shells, warnings := c.machine.Shells()
			var got []string
			for _, s := range shells {
				got = append(got, describe(s))
			}
			if d := cmp.Diff(c.shells, got) + cmp.Diff(c.warnings, warnings); d != "" {
				t.Error(d)
			}
		})
	}
}

// L253: the error names the fix.
func TestNoShellNamesTheFix(t *testing.T) {
	for goos, fix := range map[string]string{"linux": "PATH", "windows": "TERMBAY_GIT_BASH_PATH"} {
		_, err := machine(goos, "").Resolve("")
		if err == nil || !strings.Contains(err.Error(), fix) {
			t.Errorf("%s: %v", goos, err)
		}
	}
}

func TestResolveOnThisMachine(t *testing.T) {
	shell, err := process.Resolver{}.Resolve("")
	if err != nil || describe(shell) != "bash /bin/bash -c" {
		t.Errorf("%q, %v", describe(shell), err)
	}
}
