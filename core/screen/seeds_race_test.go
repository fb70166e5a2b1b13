//go:build race

package screen_test

// seeds are fewer: the race detector makes every stream ten times as slow.
const seeds = 25
