package process

import "syscall"

// hidden keeps a program from opening a console window (L260).
func hidden() *syscall.SysProcAttr { return &syscall.SysProcAttr{HideWindow: true} }
