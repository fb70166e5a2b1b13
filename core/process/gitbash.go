package process

import (
	"fmt"
	"strings"
)

// gitBashVariable names the bash to use on Windows.
const gitBashVariable = "TERMBAY_GIT_BASH_PATH"

// gitBash lists where bash.exe or sh.exe may be on Windows: what was set, where Git for Windows is installed, PATH
// (L248, L249). The bash of WSL is never taken by itself: it lives among other paths and processes.
func (r Resolver) gitBash(name string) []string {
	var all []string
	if set, warning := r.gitBashOverride(); set != "" && warning == "" && (name == "bash.exe" || r.base(set) == kindSh) {
		all = append(all, set)
	}
	for _, place := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
		if dir := r.getenv(place); dir != "" {
			all = append(all, dir+`\Git\bin\`+name)
		}
	}
	if dir := r.getenv("LOCALAPPDATA"); dir != "" {
		all = append(all, dir+`\Programs\Git\bin\`+name)
	}
	for _, file := range r.onPath(name) {
		if !r.wsl(file) {
			all = append(all, file)
		}
	}
	return all
}

// gitBashOverride is the bash that was set, with a warning when it has to be ignored (L251).
func (r Resolver) gitBashOverride() (file, warning string) {
	if file = r.getenv(gitBashVariable); file == "" || !r.windows() {
		return "", ""
	}
	if name := r.base(file); name != kindBash && name != kindSh {
		return file, fmt.Sprintf(`%s ignored: "%s" is not a bash or sh binary.`, gitBashVariable, file)
	}
	if !r.executable(file) {
		return file, fmt.Sprintf(`%s ignored: "%s" does not exist.`, gitBashVariable, file)
	}
	return file, ""
}

// wsl says whether a bash.exe starts WSL: it stands in the system folder, or among the aliases of the store.
func (r Resolver) wsl(file string) bool {
	dir := strings.ToLower(strings.ReplaceAll(file, "/", `\`))
	dir = dir[:strings.LastIndex(dir, `\`)+1]
	for _, folder := range []string{`\system32\`, `\sysnative\`, `\windowsapps\`} {
		if strings.HasSuffix(dir, folder) {
			return true
		}
	}
	return false
}
