package core_test

import (
	"os"
	"regexp"
	"testing"
)

// A row of the ledger names the tests that prove it; each must exist.
func TestTheLedgerNamesRealTests(t *testing.T) {
	text, err := os.ReadFile("../docs/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	exist := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	for _, s := range goFiles(t) {
		if !s.test {
			continue
		}
		source, err := os.ReadFile("../" + s.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			exist[m[1]] = true
		}
	}
	named := regexp.MustCompile(`\bTest\w+`).FindAllString(string(text), -1)
	if len(named) < 100 {
		t.Errorf("the ledger names %d tests only", len(named))
	}
	for _, name := range named {
		if !exist[name] {
			t.Errorf("docs/ledger.md names %s, which does not exist", name)
		}
	}
}
