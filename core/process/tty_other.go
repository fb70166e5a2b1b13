//go:build !unix

package process

import (
	"errors"
	"os"
	"syscall"

	"termbay/core"
)

// Available says whether Terminals can be started on this platform.
func Available() bool { return false }

func openPTY(core.Viewport) (master, tty *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}

func setSize(*os.File, core.Viewport) error { return errors.ErrUnsupported }

func discipline(*os.File) (canonical, echo bool) { return false, false }

func foreground(*os.File) int { return 0 }

func readNow(*os.File, []byte) (int, error) { return 0, errors.ErrUnsupported }

func newSession() *syscall.SysProcAttr { return nil }

func detached() *syscall.SysProcAttr { return hidden() }

func closeOnExec(string) {}

func mayEnter(string) bool { return true }
