//go:build race

package terminal_test

// many is how many Terminals must leave nothing behind: the race detector makes each cost ten times as much.
const many = 200
