//go:build unix

package api_test

import (
	"runtime"
	"strings"
	"testing"

	"termbay/api"
	"termbay/core/registry"
)

func TestTheServiceTellsWhatItCanDo(t *testing.T) {
	t.Parallel()
	b := open(t, func(cfg *registry.Config) { cfg.MaxRunning, cfg.MaxRunningTotal = 5, 7 })
	c := as[api.Capabilities](t, b.call(200, "GET", "/v1/capabilities", nil))
	if c.Version != "1.2.3" || c.InstanceID != "an-instance" || c.StateDir != b.state || !c.PTY || c.Platform != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("%+v", c)
	}
	if bash := c.Shells[0]; bash.Kind != "bash" || bash.Path != "/bin/bash" || strings.Join(bash.Args, " ") != "-c" || bash.Transport != "argv" {
		t.Errorf("shells: %+v", c.Shells)
	}
	want := api.Limits{
		MaxRunning: 5, MaxRunningTotal: 7, MaxWaitMS: 300_000, MaxGraceMS: 60_000, MaxBodyBytes: 4 << 20, MaxViewportSide: 1000,
		MaxLogBytes: 256 << 20, ScrollbackLines: 10_000, ScrollbackBytes: 8 << 20, ResultLines: 2000, ResultBytes: 50 << 10,
	}
	if c.Limits != want {
		t.Errorf("limits %+v, want %+v", c.Limits, want)
	}
}

func TestWhatNeedsNoToken(t *testing.T) {
	t.Parallel()
	b := open(t)
	for path, has := range map[string]string{"/healthz": `{"status":"ok"}`, "/docs": "", "/openapi.yaml": "openapi: 3.0.3"} {
		for _, method := range []string{"GET", "HEAD"} {
			if got := b.do(method, path, "", header("Authorization", "")); got.status != 200 || method == "GET" && !strings.Contains(got.body, has) {
				t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
			}
		}
	}
}

func TestMetricsCountWhatRuns(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.start(object{"command": "exec cat", "wait_ms": 0}, session("s"))
	b.run("printf 12345")
	b.stop(b.run("printf 678").ID, nil)
	b.job(object{"command": "printf 9"})
	b.background(object{"command": "exec cat", "stdin": "open"})
	got := b.call(200, "GET", "/metrics", nil).body
	for _, want := range []string{
		"termbay_entries_running 2", "termbay_entries_exited 1", "termbay_sessions 2", "termbay_terminals_started_total 3",
		"termbay_jobs_started_total 1", "termbay_calls_started_total 2", "termbay_output_bytes_total 9", "termbay_screen_faults_total 0",
		`termbay_http_request_seconds_count{operation="createTerminal",status="201"} 3`,
	} {
		if !strings.Contains(got, "\n"+want+"\n") {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}
