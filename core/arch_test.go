package core_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module   = "termbay"
	maxLines = 400 // of a file written by hand
)

// arrows is who may import whom (docs/adr/0001-the-house.md): bytes rise, imports point down. A new package enters
// this table. "x/..." stands for x and what is below it.
var arrows = map[string][]string{
	".":             {}, // the contract, embedded
	"core":          {},
	"core/pulse":    {"core"},
	"core/clip":     {"core"},
	"core/screen":   {"core", "core/pulse", "core/clip"},
	"core/settle":   {"core", "core/pulse", "core/clip", "core/screen"},
	"core/process":  {"core", "core/pulse", "core/clip"},
	"core/spool":    {"core", "core/pulse", "core/clip"},
	"core/terminal": {"core", "core/pulse", "core/clip", "core/screen", "core/settle", "core/process", "core/spool"},
	"core/job":      {"core", "core/pulse", "core/clip", "core/process", "core/spool"},
	"core/registry": {"core/..."},
	"api/guard":     {"core"},
	"api/stream":    {},
	"api":           {".", "core/...", "api/guard", "api/stream"},
	"static":        {},
	"templates":     {}, // its view models are shaped like the page
	"web":           {"core/...", "templates"},
	"cmd/termbay":   {".", "core/...", "api/...", "web", "static"},
	"e2e/...":       {"..."}, // stands outside the house
}

// doors is the one package that imports a dependency, so that its traps have one place. Tests may import what they
// test with.
var doors = map[string][]string{
	"github.com/a-h/templ/...":                       {"templates"},
	"github.com/alecthomas/kong/...":                 {"cmd/termbay"},
	"github.com/charmbracelet/ultraviolet/...":       {"core/screen"},
	"github.com/charmbracelet/x/...":                 {"core/screen"},
	"github.com/creack/pty/...":                      {"core/process"},
	"github.com/getkin/kin-openapi/...":              {"api"},
	"github.com/go-chi/chi/v5/...":                   {"api"},
	"github.com/oapi-codegen/nethttp-middleware/...": {"api"},
	"github.com/oapi-codegen/runtime/...":            {"api"},
	"github.com/prometheus/client_golang/...":        {"api"},
	"github.com/prometheus/procfs/...":               {"core/process"},
	"github.com/r3labs/sse/v2/...":                   {"api/stream"},
	"go.yaml.in/yaml/v3/...":                         {"web"},
	"golang.org/x/sys/...":                           {"core/process", "core/spool"},
	"golang.org/x/text/...":                          {"core/job"},
}

// pure rooms have no goroutines and do no I/O.
var pure = []string{"core", "core/pulse", "core/clip"}

// source is one Go file.
type source struct {
	path string // below the top, with slashes
	room string // its folder, "." for the top
	test bool
	ast  *ast.File
}

// imports are the import paths; own ones are relative to the top ("." for the top itself).
func (s source) imports() (own, foreign []string) {
	for _, spec := range s.ast.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		switch {
		case p == module:
			own = append(own, ".")
		case strings.HasPrefix(p, module+"/"):
			own = append(own, strings.TrimPrefix(p, module+"/"))
		default:
			foreign = append(foreign, p)
		}
	}
	return own, foreign
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range goFiles(t) {
		allowed, known := lookUp(arrows, s.room)
		if !known {
			t.Errorf("%s: package %s is not in the table of arrows", s.path, s.room)
			continue
		}
		own, _ := s.imports()
		for _, imported := range own {
			if !s.test && !matchesAny(imported, allowed) {
				t.Errorf("%s: %s may not import %s", s.path, s.room, imported)
			}
			if matches(s.room, "core/...") && !matches(imported, "core/...") {
				t.Errorf("%s: core, tests and all, knows nothing of %s", s.path, imported)
			}
		}
	}
}

func TestCoreKnowsNothingOfHTTP(t *testing.T) {
	for _, s := range goFiles(t) {
		_, foreign := s.imports()
		for _, p := range foreign {
			if !s.test && matches(s.room, "core/...") && matchesAny(p, []string{"net/http/...", "html/..."}) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
	}
}

func TestPureRoomsDoNoIOAndStartNoGoroutines(t *testing.T) {
	for _, s := range goFiles(t) {
		if s.test || !slices.Contains(pure, s.room) {
			continue
		}
		_, foreign := s.imports()
		for _, p := range foreign {
			if matchesAny(p, []string{"os/...", "net/...", "io/fs", "syscall"}) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if _, is := n.(*ast.GoStmt); is {
				t.Errorf("%s starts a goroutine", s.path)
			}
			return true
		})
	}
}

func TestEachDependencyHasOneDoor(t *testing.T) {
	unused := maps.Clone(doors)
	for _, s := range goFiles(t) {
		_, foreign := s.imports()
		for _, p := range foreign {
			if s.test || !strings.Contains(strings.Split(p, "/")[0], ".") { // the standard library
				continue
			}
			if allowed, known := lookUp(doors, p); !known {
				t.Errorf("%s: %s is not in the table of doors", s.path, p)
			} else if !matchesAny(s.room, allowed) {
				t.Errorf("%s: %s enters through %v only", s.path, p, allowed)
			}
			maps.DeleteFunc(unused, func(door string, _ []string) bool { return matches(p, door) })
		}
	}
	for door := range unused {
		t.Errorf("nobody imports %s any more; take it out of the table of doors", door)
	}
}

func TestPackagesAreNounsWithAHeadComment(t *testing.T) {
	heads := map[string]bool{}
	for _, s := range goFiles(t) {
		for _, name := range []string{s.ast.Name.Name, path.Base(s.room)} {
			if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types", "manager"}, name) {
				t.Errorf("%s: package %s says nothing", s.path, name)
			}
		}
		doc := s.ast.Doc.Text()
		heads[s.room] = heads[s.room] || strings.HasPrefix(doc, "Package ") || strings.HasPrefix(doc, "Command ")
	}
	for room, has := range heads {
		if !has {
			t.Errorf("package %s has no head comment", room)
		}
	}
}

func TestTestsDoNotSleep(t *testing.T) {
	for _, s := range goFiles(t) {
		_, foreign := s.imports()
		if !s.test || slices.Contains(foreign, "testing/synctest") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, is := n.(*ast.SelectorExpr)
			if !is || call.Sel.Name != "Sleep" {
				return true
			}
			if x, is := call.X.(*ast.Ident); is && x.Name == "time" {
				t.Errorf("%s: time.Sleep outside of a synctest bubble", s.path)
			}
			return true
		})
	}
}

func TestGeneratedFilesSaySo(t *testing.T) {
	for _, s := range goFiles(t) {
		if ast.IsGenerated(s.ast) != generatedName(s.path) {
			t.Errorf("%s: a generated file is named .gen.go or _templ.go and carries the marker; no other file does", s.path)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	byHand := regexp.MustCompile(`\.(go|templ|ts|js|css|sh|txtar)$`)
	found := 0
	walk(t, func(name string) {
		if !byHand.MatchString(name) || generatedName(name) {
			return
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		found++
		if n := bytes.Count(text, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines, more than %d", name, n, maxLines)
		}
	})
	if found == 0 {
		t.Error("no file found")
	}
}

func generatedName(name string) bool {
	return strings.Contains(path.Base(name), ".gen.") || strings.HasSuffix(name, "_templ.go")
}

// lookUp finds the row that covers a path.
func lookUp(table map[string][]string, name string) ([]string, bool) {
	for row, allowed := range table {
		if matches(name, row) {
			return allowed, true
		}
	}
	return nil, false
}

func matchesAny(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(name, p) })
}

func matches(name, pattern string) bool {
	if parent, below := strings.CutSuffix(pattern, "..."); below {
		return parent == "" || strings.HasPrefix(name+"/", parent)
	}
	return name == pattern
}

// goFiles are all Go files of the module.
func goFiles(t *testing.T) []source {
	t.Helper()
	var all []source
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), file})
	})
	return all
}

// walk visits the files of the project, without hidden folders, installed packages and the data of tests.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." &&
			(strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "testdata"}, d.Name())) {
			return fs.SkipDir
		}
		if !d.IsDir() {
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
