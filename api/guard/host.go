package guard

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
)

// allowsHost says whether a Host header names this machine or a host that was allowed. Ports are not compared, as a
// re-bound name cannot hide behind one; exact names only, so "localhost." and "127.0.0.1.nip.io" are strangers.
func (rules Rules) allowsHost(host string) bool {
	host = strings.ToLower(host)
	name, ok := hostName(host)
	if !ok {
		return false
	}
	switch name {
	case "localhost", "127.0.0.1", "[::1]":
		return true
	}
	return slices.ContainsFunc(rules.AllowedHosts, func(allowed string) bool {
		allowed = strings.ToLower(allowed)
		return allowed == name || allowed == host
	})
}

// hostName is a Host header without its port; an IPv6 address keeps its brackets.
func hostName(host string) (string, bool) {
	name := host
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name = host[:i]
		if port, err := strconv.ParseUint(host[i+1:], 10, 16); err != nil || port == 0 {
			return "", false
		}
	}
	return name, name != ""
}

type socketKey struct{}

// ConnContext marks requests that come over a unix socket, whose file permission is their key: they need no token
// and no Host. It is meant for http.Server.ConnContext.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c.LocalAddr().Network() == "unix" {
		return context.WithValue(ctx, socketKey{}, true)
	}
	return ctx
}

func overUnixSocket(ctx context.Context) bool {
	return ctx.Value(socketKey{}) != nil
}
