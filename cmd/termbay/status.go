package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"termbay/core"
)

type statusCommand struct {
	home `embed:""`
	JSON bool `name:"json" help:"Print what the service answers, as one JSON object."`
}

// status is what the service says of itself, as it says it.
type status struct {
	Server       serverInfo      `json:"server"`
	Capabilities json.RawMessage `json:"capabilities"`
	Entries      json.RawMessage `json:"entries"`
}

// Run asks the service that server.json names and prints what runs in it.
func (c *statusCommand) Run(ctx context.Context, w world) error {
	info, err := readServerInfo(c.StateDir)
	if errors.Is(err, os.ErrNotExist) {
		return unreachable(c.StateDir, errors.New("no service has left its address there"))
	}
	if err != nil {
		return err
	}
	cl, err := dial(info, c.tokenPath())
	if err != nil {
		return err
	}
	defer cl.Close()
	answer := status{Server: info}
	if answer.Capabilities, err = cl.get(ctx, "/v1/capabilities"); err != nil {
		return err
	}
	if answer.Entries, err = cl.get(ctx, "/v1/entries?scope=all"); err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(w.stdout)
		out.SetIndent("", "  ")
		return out.Encode(answer)
	}
	return answer.print(w.stdout, time.Now())
}

// entry is what the table shows of an entry.
type entry struct {
	ID        string      `json:"id"`
	Command   string      `json:"command"`
	Status    core.Status `json:"status"`
	StartedAt time.Time   `json:"started_at"`
	ExitedAt  time.Time   `json:"exited_at"`
}

func (s status) print(w io.Writer, now time.Time) error {
	var entries struct {
		Terminals []entry `json:"terminals"`
		Jobs      []entry `json:"background_jobs"`
		Running   int     `json:"running"`
		Exited    int     `json:"exited"`
	}
	if err := json.Unmarshal(s.Entries, &entries); err != nil {
		return fmt.Errorf("decode the list of entries: %w", err)
	}
	fmt.Fprintf(w, "termbay %s at %s (pid %d): %d running, %d exited\n",
		s.Server.Version, s.Server.address(), s.Server.PID, entries.Running, entries.Exited)
	all := append(entries.Terminals, entries.Jobs...)
	if len(all) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTATE\tAGE\tCOMMAND")
	for _, e := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", e.ID, e.Status, core.Age(now.Sub(e.StartedAt)), core.OneLine(e.Command))
	}
	return table.Flush()
}
