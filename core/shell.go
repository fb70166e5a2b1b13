package core

// Transport is how a shell receives the command.
type Transport string

// The transports (L259).
const (
	ByArgument Transport = "argv"  // as the last argument
	ByStdin    Transport = "stdin" // on standard input, which is then closed
)

// Edition is which PowerShell a PowerShell is (L257).
type Edition string

// The editions.
const (
	EditionCore    Edition = "core"    // pwsh
	EditionDesktop Edition = "desktop" // powershell.exe, part of Windows
)

// Shell is a program that runs commands (L247–L259).
type Shell struct {
	Kind      string   // bash, sh, powershell, or custom for a path that was asked for
	Path      string   // absolute
	Args      []string // before the command, such as -c
	Transport Transport
	Edition   Edition // of a PowerShell
}
