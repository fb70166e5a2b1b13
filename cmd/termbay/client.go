package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// clientTimeout bounds each question to the service.
const clientTimeout = 5 * time.Second

// client asks the service that server.json names.
type client struct {
	http  *http.Client
	base  string // before every path
	where string // as a person knows it
	token string // not needed on a socket
	file  string // that holds the token
}

// dial prepares a client; nothing is sent yet. A socket goes before an URL: it needs no token and no certificate.
func dial(info serverInfo, tokenFile string) (*client, error) {
	transport := new(http.Transport)
	c := &client{
		http: &http.Client{Transport: transport, Timeout: clientTimeout},
		base: info.URL, where: info.address(), file: tokenFile,
	}
	if info.Socket != "" {
		c.base = "http://localhost"
		c.where = unixPrefix + info.Socket
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", info.Socket)
		}
		return c, nil
	}
	text, err := os.ReadFile(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	c.token = strings.TrimSpace(string(text))
	return c, nil
}

// get is the body of a successful answer.
func (c *client) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.where, err)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(c.where, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, unreachable(c.where, err)
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("the token was refused; it is read from %s", c.file)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answered %s to GET %s", c.where, resp.Status, path)
	}
	return body, nil
}

// Close gives the connections free.
func (c *client) Close() { c.http.CloseIdleConnections() }

// unreachable is the sentence that every client of termbay says when no service answers.
func unreachable(where string, reason error) error {
	var inner *url.Error
	if errors.As(reason, &inner) {
		reason = inner.Err
	}
	return failure{
		fmt.Errorf("termbay is not reachable at %s: %w. Start it with: termbay serve", where, reason), exitUnreachable,
	}
}
