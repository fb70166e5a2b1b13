package process

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// TagVariable names the environment variable that tells to which entry a process belongs.
const TagVariable = "TERMBAY_ENTRY"

// Environment is the complete environment of a program, in the order of its names: base, or the service's own when
// base is nil (L264, L286), without the service's token, with TagVariable set to tag. Of a name that occurs twice the
// last counts.
//
// For a terminal it also describes that terminal: TERM=xterm-256color, COLORTERM=truecolor, no LINES and COLUMNS,
// which would win over its real size, and a UTF-8 LANG when no locale is set at all (O-I3).
func Environment(base []string, tag string, terminal bool) []string {
	if base == nil {
		base = os.Environ()
	}
	env := map[string]string{}
	for _, entry := range base {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			env[name] = value
		}
	}
	delete(env, "TERMBAY_TOKEN")
	env[TagVariable] = tag
	if terminal {
		env["TERM"], env["COLORTERM"] = "xterm-256color", "truecolor"
		delete(env, "LINES")
		delete(env, "COLUMNS")
		if env["LC_ALL"] == "" && env["LC_CTYPE"] == "" && env["LANG"] == "" {
			env["LANG"] = utf8Locale(runtime.GOOS)
		}
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

func utf8Locale(goos string) string {
	if goos == "darwin" {
		return "en_US.UTF-8" // it has no C.UTF-8
	}
	return "C.UTF-8"
}
