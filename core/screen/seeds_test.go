//go:build !race

package screen_test

// seeds is how many streams are tried of those that are random.
const seeds = 250
