package core_test

import (
	"strings"
	"testing"
	"time"

	"termbay/core"
)

func TestDurationReadsAsTheTextsSay(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0 s":     -time.Second,
		"0.4 s":   420 * time.Millisecond,
		"12 s":    12 * time.Second,
		"12.4 s":  12400 * time.Millisecond,
		"59.9 s":  59940 * time.Millisecond,
		"1m 00s":  59960 * time.Millisecond,
		"2m 14s":  134 * time.Second,
		"59m 59s": time.Hour - time.Second,
		"1h 00m":  time.Hour - 400*time.Millisecond,
		"1h 03m":  63 * time.Minute,
		"26h 00m": 26 * time.Hour,
	} {
		if got := core.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestAgeHasOneUnit(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "59s": 59 * time.Second, "12m": 12*time.Minute + 59*time.Second, "5h": 5 * time.Hour, "47h": 47 * time.Hour, "2d": 48 * time.Hour,
	} {
		if got := core.Age(d); got != want {
			t.Errorf("Age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestOneLineIsShortAndHarmless(t *testing.T) {
	long := strings.Repeat("w", 100_000)
	for in, want := range map[string]string{
		"ls":                            "ls",
		"  a\n\tb\r\n  c  ":             "a b c",
		"a\x1b[31mb\x00c":               "a [31mb c",
		long:                            strings.Repeat("w", 200) + "…",
		strings.Repeat("é", 200):        strings.Repeat("é", 200),
		strings.Repeat("x", 199) + " y": strings.Repeat("x", 199) + "…",
	} {
		if got := core.OneLine(in); got != want {
			t.Errorf("OneLine(%.20q) = %q, want %q", in, got, want)
		}
	}
}

func TestStatusNeverCallsAKilledEntryCompleted(t *testing.T) {
	at := time.Now()
	for _, c := range []struct {
		outcome core.Outcome
		want    core.Status
	}{
		{core.Outcome{Cause: core.CauseExit, Exit: core.ExitCode(0, at)}, core.StatusCompleted},
		{core.Outcome{Cause: core.CauseExit, Exit: core.ExitCode(3, at)}, core.StatusFailed},
		{core.Outcome{Cause: core.CauseExit, Exit: core.Exit{At: at}}, core.StatusUnknown},
		{core.Outcome{Cause: core.CauseSignal, Exit: core.ExitSignal("SIGSEGV", at)}, core.StatusKilled},
		{core.Outcome{Cause: core.CauseStopped, Exit: core.ExitCode(0, at)}, core.StatusKilled},
		{core.Outcome{Cause: core.CauseSessionEnded, Exit: core.ExitCode(0, at)}, core.StatusKilled},
		{core.Outcome{Cause: core.CauseTimeout, Exit: core.ExitSignal("SIGKILL", at)}, core.StatusFailed},
		{core.Outcome{Cause: core.CauseLost, Exit: core.ExitCode(0, at)}, core.StatusUnknown},
	} {
		if got := c.outcome.Status(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.outcome, got, c.want)
		}
	}
	if got := (core.Entry{}).Status(); got != core.StatusRunning {
		t.Errorf("an entry without an outcome is %s", got)
	}
}
