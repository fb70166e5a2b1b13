// Package e2e drives the real binary over real HTTP with real programs, as users do.
//
// It builds termbay once, and each test serves it on a free port with folders of its own.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the termbay that the tests run; TestMain builds it.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "termbay-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "termbay")
	build := exec.Command("go", "build", "-o", binary, "termbay/cmd/termbay")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build termbay: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
