package api_test

import (
	"termbay/api"
	"termbay/core"
)

// someResult is a result that keeps the contract.
func someResult() api.Result {
	return api.Result{
		ID: "t1", Kind: core.KindTerminal, State: core.Running, Status: core.StatusRunning, SettledBy: api.SettledByQuiet,
		Viewport: api.Viewport{Cols: 120, Rows: 40}, Cursor: api.Cursor{Row: 1, Col: 1}, ScrolledOff: []string{}, Text: "[t1 running]",
	}
}
