package core

// Log is what everybody may know of an entry's log.
type Log struct {
	Path      string
	Bytes     int64  // of output so far; byte N of it is always at offset N
	Dropped   int64  // how many of them are not kept
	Truncated bool   // whether it reached its cap and lost its middle
	Error     string // what the disk, or somebody at the file, did to it; the command goes on (L120)
}
