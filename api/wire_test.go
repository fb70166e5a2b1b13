package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"termbay/api"
)

func TestTimesAreUTCWithMilliseconds(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.FixedZone("", 3600))
	got, err := json.Marshal(struct {
		Event api.Time `json:"event"`
		None  api.Time `json:"none,omitzero"`
	}{Event: api.Time{Time: at}})
	if err != nil || string(got) != `{"event":"2026-01-02T02:04:05.006Z"}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestNothingIsZero(t *testing.T) {
	zero := 0
	got, err := json.Marshal(api.Outcome{Cause: "exit", ExitCode: &zero})
	if err != nil || string(got) != `{"cause":"exit","exit_code":0}` {
		t.Errorf("%s %v", got, err)
	}
}
