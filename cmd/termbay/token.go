package main

import (
	"fmt"

	"termbay/api/guard"
)

type tokenCommand struct {
	home `embed:""`
}

// Run prints the token, making one if there is none, so that a client can be set up before the first start.
func (c *tokenCommand) Run(w world) error {
	if c.TokenFile == "" {
		if _, err := makeState(c.StateDir); err != nil {
			return err
		}
	}
	token, err := guard.LoadToken(c.tokenPath())
	if err != nil {
		return err
	}
	fmt.Fprintln(w.stdout, token)
	return nil
}
