package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

// The exit codes. Success is 0.
const (
	exitFailure     = 1 // it did not work
	exitUsage       = 2 // the command line or a variable is wrong
	exitUnreachable = 3 // status: no service answers
)

// world is what a command may touch of the process around it.
type world struct {
	stdout, stderr io.Writer
	getenv         func(name string) string
	endings        []os.Signal // that end the service, at least one
}

// failure is an error that wants an exit code of its own.
type failure struct {
	error
	code int
}

func usage(format string, args ...any) error {
	return failure{fmt.Errorf(format, args...), exitUsage}
}

// run reads the command line and carries out the command; the answer is the exit code. What goes wrong is said on
// stderr in one sentence. The command ends early when ctx does.
func run(ctx context.Context, args []string, w world) int {
	var c commands
	helped := false
	parser, err := kong.New(&c, append(grammar(w), kong.Exit(func(int) { helped = true }))...)
	if err != nil {
		return report(w.stderr, err)
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return 0
	case err != nil:
		return report(w.stderr, usage("termbay: %w", err))
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return report(w.stderr, parsed.Run(w))
}

func report(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	var f failure
	if errors.As(err, &f) {
		return f.code
	}
	return exitFailure
}
