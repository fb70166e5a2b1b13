package api

import (
	"context"
	"io"
	"runtime"

	"termbay/core"
	"termbay/core/clip"
	"termbay/core/process"
	"termbay/core/registry"
	"termbay/core/screen"
	"termbay/core/settle"
)

// Service answers the calls of openapi.yaml from a registry.
type Service struct {
	Registry   *registry.Registry
	Version    string
	InstanceID string
	StateDir   string
	// HTML and SVG draw a screen.
	HTML, SVG func(context.Context, io.Writer, screen.Snapshot) error
}

var _ StrictServerInterface = Service{}

// GetHealth says that the service is up.
func (s Service) GetHealth(context.Context, GetHealthRequestObject) (GetHealthResponseObject, error) {
	return GetHealth200JSONResponse{Status: "ok"}, nil
}

// GetCapabilities says what the service can do here.
func (s Service) GetCapabilities(context.Context, GetCapabilitiesRequestObject) (GetCapabilitiesResponseObject, error) {
	found, warnings := s.Registry.Shells()
	shells := make([]Shell, 0, len(found))
	for _, sh := range found {
		shells = append(shells, Shell{Kind: sh.Kind, Path: sh.Path, Args: sh.Args, Transport: sh.Transport, Edition: sh.Edition})
	}
	perGroup, total := s.Registry.Limits()
	return GetCapabilities200JSONResponse{
		Version: s.Version, InstanceID: s.InstanceID, StateDir: s.StateDir,
		PTY: process.Available(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Shells: shells, Warnings: append([]string{}, warnings...),
		Limits: Limits{
			MaxRunning: perGroup, MaxRunningTotal: total,
			MaxWaitMS: settle.MaxWait.Milliseconds(), MaxGraceMS: registry.MaxGrace.Milliseconds(),
			MaxBodyBytes: MaxBody, MaxViewportSide: core.MaxSide,
			MaxLogBytes: s.Registry.LogLimit(), ScrollbackLines: screen.MaxLines, ScrollbackBytes: screen.MaxBytes,
			ResultLines: clip.MaxLines, ResultBytes: clip.MaxBytes,
		},
	}, nil
}

// Measures are the numbers of the registry that GET /metrics tells.
func (s Service) Measures() []Measure {
	read := func(pick func(running, exited, sessions int, t registry.Totals) float64) func() float64 {
		return func() float64 { return pick(s.Registry.Stats()) }
	}
	return []Measure{
		{Name: "termbay_entries_running", Help: "Entries that run.", Read: read(func(n, _, _ int, _ registry.Totals) float64 { return float64(n) })},
		{Name: "termbay_entries_exited", Help: "Entries that have exited and are not forgotten.", Read: read(func(_, n, _ int, _ registry.Totals) float64 { return float64(n) })},
		{Name: "termbay_sessions", Help: "Open sessions.", Read: read(func(_, _, n int, _ registry.Totals) float64 { return float64(n) })},
		{Name: "termbay_terminals_started_total", Help: "Terminals started.", Total: true, Read: read(func(_, _, _ int, t registry.Totals) float64 { return float64(t.Started[core.KindTerminal]) })},
		{Name: "termbay_jobs_started_total", Help: "Commands that went to the background.", Total: true, Read: read(func(_, _, _ int, t registry.Totals) float64 { return float64(t.Started[core.KindJob]) })},
		{Name: "termbay_calls_started_total", Help: "Commands started in the foreground.", Total: true, Read: read(func(_, _, _ int, t registry.Totals) float64 { return float64(t.Calls) })},
		{Name: "termbay_output_bytes_total", Help: "Bytes that Terminals and commands printed.", Total: true, Read: read(func(_, _, _ int, t registry.Totals) float64 { return float64(t.Output) })},
		{Name: "termbay_screen_faults_total", Help: "Faults of the emulator that were survived.", Total: true, Read: read(func(_, _, _ int, t registry.Totals) float64 { return float64(t.Faults) })},
	}
}
