package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the release; CHANGELOG.md tells what is in it.
const version = "0.1.0"

type versionCommand struct{}

// Run prints the release, the commit if the build knows it, the version of Go and the platform.
func (versionCommand) Run(w world) error {
	fmt.Fprintf(w.stdout, "termbay %s%s %s %s/%s\n", version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// commit is what the build knows of its source: " (0123456789ab)", with a + when it was changed.
func commit() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if revision == "" {
		return ""
	}
	return " (" + revision + changed + ")"
}
