package core

// Transport is how a shell receives the command.
type Transport string

// The transports (L259).
const (
	ByArgument Transport = "argv"  // as the last argument
	ByStdin    Transport = "stdin" // on standard input, which is then closed
)

// Shell is a program that runs commands (L247–L259).
type Shell struct {
	Kind      string   // bash, sh, powershell, or custom for a path that was asked for
	Path      string   // absolute
	Args      []string // before the command, such as -c
	Transport Transport
}
