package registry_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"termbay/core"
	"termbay/core/registry"
)

// alive lists the processes whose command line holds a text.
func alive(text string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range all {
		line, err := os.ReadFile(p)
		if err == nil && strings.Contains(string(line), text) {
			pids = append(pids, p)
		}
	}
	return pids
}

// What is being started when a session ends, or the service, is gone when that says that it is done.
func TestAnEndWaitsForWhatIsBeingStarted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code core.Code
		end  func(f fixture) error
	}{
		"of the session": {core.Gone, func(f fixture) error { _, _, err := f.End(t.Context(), "agent", registry.ReasonQuit); return err }},
		"of the service": {core.ShuttingDown, func(f fixture) error { f.Shutdown(t.Context()); return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			for round := range 10 {
				f := open(t, registry.Config{})
				if _, _, err := f.Open("agent", registry.Opening{}); err != nil {
					t.Fatal(err)
				}
				marker := fmt.Sprintf("9%d.%d", os.Getpid(), round)
				var starts sync.WaitGroup
				begun := make(chan struct{}, 4)
				for range cap(begun) {
					starts.Go(func() {
						begun <- struct{}{}
						_, err := f.Start(agent, registry.Start{Command: "exec sleep " + marker, Cwd: f.cwd})
						if e := (*core.Error)(nil); err != nil && (!errors.As(err, &e) || e.Code != c.code) {
							t.Errorf("a start meanwhile: %v", err)
						}
					})
				}
				for range cap(begun) {
					<-begun
				}
				err := c.end(f)
				left := alive(marker)
				starts.Wait()
				if err != nil || len(left) > 0 {
					t.Fatalf("round %d: alive after the end: %v, %v", round, left, err)
				}
				if left := alive(marker); len(left) > 0 {
					t.Fatalf("round %d: started after the end: %v", round, left)
				}
			}
		})
	}
}
