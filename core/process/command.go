package process

import "termbay/core"

// maxArgument is the longest argument that Linux passes to a program, without its final NUL (MAX_ARG_STRLEN).
const maxArgument = 128<<10 - 1

// compose is the command line that makes the shell run the command. A command longer than limit does not fit into an
// argument: it is returned as the script, which the shell then finds on descriptor 3. It reads it from there, closes
// the descriptor and evaluates what it read, so that what the command starts has 0, 1 and 2 only, and $0, $# and the
// exit code are as ever. The terminal stays its standard input, and no file is left behind.
func compose(shell core.Shell, command string, limit int) (argv []string, script string) {
	if shell.Kind == "powershell" {
		// PowerShell writes in the code page of the console otherwise (L256).
		command = "try { [Console]::OutputEncoding=[System.Text.Encoding]::UTF8 } catch {}\n" + command
	}
	argv = append(append(argv, shell.Path), shell.Args...)
	if shell.Transport == core.ByStdin {
		return argv, ""
	}
	if len(command) <= limit {
		return append(argv, command), ""
	}
	return append(argv, loader(shell.Kind)), command
}

// loader is what a shell does to run the script on descriptor 3.
func loader(kind string) string {
	switch kind {
	case "fish":
		return `set -l termbay_command (command cat <&3 | string collect); begin; eval $termbay_command; end 3<&-`
	case "powershell":
		return `. ([scriptblock]::Create([IO.File]::ReadAllText('/proc/self/fd/3')))`
	default:
		// command -p finds cat whatever PATH is. $1 is evaluated in the line of the shift, so that line numbers hold.
		return `set -- "$(command -p cat <&3)"; exec 3<&-; eval "shift;$1"`
	}
}
