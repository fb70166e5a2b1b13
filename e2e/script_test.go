package e2e

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestStories runs the paragraphs of the README as a reader would, with curl and jq against the real binary. Each script
// has a service of its own at $URL, the header $AUTH and the folders $WORK and $STATE.
func TestStories(t *testing.T) {
	need(t, "curl", "jq", "python3")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			s := serve(scriptT{t, env})
			where, err := url.Parse(s.url)
			if err != nil {
				return err
			}
			env.Setenv("URL", s.url)
			env.Setenv("HOSTPORT", where.Host)
			env.Setenv("TOKEN", s.token)
			env.Setenv("AUTH", "Authorization: Bearer "+s.token)
			env.Setenv("JSON", "Content-Type: application/json")
			env.Setenv("STATE", s.state)
			env.Setenv("LOGS", s.logs)
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			return nil
		},
	})
}

// scriptT lets a service be stopped at the end of its script and not only at the end of the test.
type scriptT struct {
	testing.TB
	env *testscript.Env
}

func (t scriptT) Cleanup(f func()) { t.env.Defer(f) }
func (t scriptT) TempDir() string {
	dir, err := os.MkdirTemp(t.env.WorkDir, "service-")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
