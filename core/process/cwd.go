package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"termbay/core"
)

// CheckCwd says whether a command can run in dir, an absolute path. A relative one is *core.Error Invalid with field
// "cwd"; one that does not exist, is no directory or may not be entered is *core.Error CwdMissing, in two lines (L262).
// kind is the kind of the shell, which the second line names.
func CheckCwd(dir, kind string) error {
	if !filepath.IsAbs(dir) {
		return &core.Error{Code: core.Invalid, Field: "cwd", Detail: fmt.Sprintf("%q is not an absolute path; give the working directory as one.", dir)}
	}
	info, err := os.Stat(dir)
	problem := ""
	switch {
	case errors.Is(err, fs.ErrPermission):
		problem = "may not be entered"
	case err != nil:
		problem = "does not exist"
	case !info.IsDir():
		problem = "is not a directory"
	case !mayEnter(dir):
		problem = "may not be entered"
	default:
		return nil
	}
	shell := "bash"
	if kind == "powershell" {
		shell = "PowerShell"
	}
	return &core.Error{
		Code: core.CwdMissing, Err: err,
		Detail: fmt.Sprintf("Working directory %s: %s\nCannot execute %s commands.", problem, dir, shell),
	}
}
