package screen_test

import (
	"runtime"
	"testing"

	"termbay/core"
	"termbay/core/screen"
)

// x/vt v0.1.0 gives every parser 4 MB, which slim takes away. When an upgrade makes this fail, look whether slim still
// finds the parser, or is needed at all.
func TestTrapParserBuffer(t *testing.T) {
	const screens = 16
	before := heap()
	var all []*screen.Screen
	for range screens {
		all = append(all, screen.New(core.DefaultViewport()))
	}
	if each := (heap() - before) / screens; each > 3<<20 {
		t.Errorf("a blank screen takes %d KB", each>>10)
	}
	runtime.KeepAlive(all)
}
