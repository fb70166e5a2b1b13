// Command termbay serves real terminals over HTTP; its subcommands print the token, look at a running service, and
// tell the version. It owns the listeners, the state directory and the order in which everything starts and stops.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	w := world{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, endings: endings()}
	ctx, stop := signal.NotifyContext(context.Background(), w.endings...)
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(code)
}

// endings are the signals that end the service. A hang-up or an interrupt that was ignored at the start stays ignored:
// nohup and the background jobs of a script ask for that.
func endings() []os.Signal {
	heard := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			heard = append(heard, s)
		}
	}
	return heard
}
