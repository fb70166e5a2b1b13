// Package core is the vocabulary that every layer shares: entries, how they end, what a caller did wrong.
// Nouns only: no goroutines, no I/O, nothing but the standard library.
package core
