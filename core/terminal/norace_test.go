//go:build !race

package terminal_test

// many is how many Terminals must leave nothing behind.
const many = 1000
