//go:build unix

package registry_test

import (
	"testing"

	"termbay/core/settle"
)

func parse(t testing.TB, text string) *settle.Pattern {
	t.Helper()
	p, err := settle.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
