// Package static holds the files that pages load: style sheets, later scripts and icons. Their names carry a digest of
// what is in them, so that browsers may keep them for ever. It starts nothing.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed *.css
var embedded embed.FS

// Prefix is the folder that the files are served from.
const Prefix = "/static/"

// Files serves the files under their digested names and no others. It is safe for use by many goroutines.
type Files struct {
	paths map[string]string // by name: docs.css → /static/docs-0123456789ab.css
	files map[string][]byte // by path
}

// New reads the files in the binary.
func New() *Files {
	f := &Files{paths: map[string]string{}, files: map[string][]byte{}}
	entries, err := fs.ReadDir(embedded, ".")
	if err != nil {
		panic(err) // the files are in the binary
	}
	for _, entry := range entries {
		text, err := embedded.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		digest := sha256.Sum256(text)
		ext := path.Ext(entry.Name())
		at := Prefix + strings.TrimSuffix(entry.Name(), ext) + "-" + hex.EncodeToString(digest[:6]) + ext
		f.paths[entry.Name()], f.files[at] = at, text
	}
	return f
}

// Path is where a file is served, such as /static/docs-0123456789ab.css for docs.css; empty for one that is not there.
func (f *Files) Path(name string) string { return f.paths[name] }

// Has says whether a file is served at a path.
func (f *Files) Has(path string) bool { return f.files[path] != nil }

// ServeHTTP serves a file by its exact path.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, ok := f.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(text))
}
