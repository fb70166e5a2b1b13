package terminal_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"termbay/core"
)

func TestResizesAtOnceLeaveScreenAndProgramOfOneSize(t *testing.T) {
	p := start(t, "exec sleep 1000")
	tty, err := os.Open(fmt.Sprintf("/proc/%d/fd/0", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	for range 60 {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				if err := p.Resize(core.Viewport{Cols: 1 + i, Rows: 1}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		size, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Screen().Head().Viewport; v.Cols != int(size.Col) {
			t.Fatalf("the screen has %d columns, the program's terminal %d", v.Cols, size.Col)
		}
	}
}
