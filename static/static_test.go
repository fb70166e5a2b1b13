package static_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"termbay/static"
)

func TestAFileIsServedUnderItsDigestedName(t *testing.T) {
	files := static.New()
	path := files.Path("docs.css")
	if !regexp.MustCompile(`^/static/docs-[0-9a-f]{12}\.css$`).MatchString(path) {
		t.Fatalf("path %q", path)
	}
	w := httptest.NewRecorder()
	files.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != 200 || !files.Has(path) || !strings.Contains(w.Body.String(), "color-scheme") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := w.Header().Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	if got := w.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control %q", got)
	}
}

func TestOtherPathsAreNotFound(t *testing.T) {
	files := static.New()
	for _, path := range []string{"/static/", "/static/docs.css", "/static/../static.go", "/static/docs-000000000000.css", "/static//" + files.Path("docs.css")} {
		w := httptest.NewRecorder()
		files.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 404 || files.Has(path) {
			t.Errorf("%s: %d, has %v", path, w.Code, files.Has(path))
		}
	}
	if got := files.Path("nothing.css"); got != "" {
		t.Errorf("a file that is not there is at %s", got)
	}
}
