package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	unixPrefix = "unix:"
	// probeTimeout is how long we wait for somebody to answer on a socket that already exists.
	probeTimeout = time.Second
)

// endpoint is one open listener.
type endpoint struct {
	net.Listener
	url    string // http://127.0.0.1:7717; empty for a socket
	socket string // absolute path; empty for TCP
}

// String is the endpoint as a person may type it.
func (e endpoint) String() string {
	if e.socket != "" {
		return unixPrefix + e.socket
	}
	return e.url
}

// endpoints are all listeners of a service.
type endpoints []endpoint

// openEndpoints opens every address, or none. With a certificate (PEM files) every TCP address speaks HTTPS.
func openEndpoints(addresses []string, certFile, keyFile string) (endpoints, error) {
	cert, err := certificate(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	var open endpoints
	for _, address := range addresses {
		e, err := openEndpoint(address, cert)
		if err != nil {
			return nil, errors.Join(err, open.Close())
		}
		open = append(open, e)
	}
	return open, nil
}

func certificate(certFile, keyFile string) (*tls.Certificate, error) {
	if certFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	return &cert, nil
}

func openEndpoint(address string, cert *tls.Certificate) (endpoint, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return openSocket(path)
	}
	return openTCP(address, cert)
}

// openTCP listens on a TCP address. Without a certificate only loopback is allowed: the token would cross the
// network in the clear.
func openTCP(address string, cert *tls.Certificate) (endpoint, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return endpoint{}, usage("--listen %s: not HOST:PORT or unix:PATH: %w", address, err)
	}
	if cert == nil && !addr.IP.IsLoopback() {
		return endpoint{}, usage("--listen %s: this address is reachable from other machines; "+
			"listen on 127.0.0.1, or give --tls-cert and --tls-key", address)
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return endpoint{}, fmt.Errorf("listen on %s: %w", address, err)
	}
	scheme := "http"
	e := endpoint{Listener: l}
	if cert != nil {
		scheme = "https"
		e.Listener = tls.NewListener(l, &tls.Config{
			Certificates: []tls.Certificate{*cert},
			NextProtos:   []string{"h2", "http/1.1"},
		})
	}
	e.url = scheme + "://" + reachable(l.Addr().(*net.TCPAddr))
	return e, nil
}

// reachable is the address under which this machine reaches a listener.
func reachable(addr *net.TCPAddr) string {
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", addr.Port)
	}
	return addr.String()
}

// openSocket listens on a unix socket that its owner alone may use.
func openSocket(path string) (endpoint, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return endpoint{}, fmt.Errorf("listen on %s%s: %w", unixPrefix, path, err)
	}
	if err := clearSocket(path); err != nil {
		return endpoint{}, err
	}
	var l net.Listener
	err = unshared(func() (err error) {
		l, err = net.Listen("unix", path)
		return err
	})
	if err != nil {
		return endpoint{}, fmt.Errorf("listen on %s%s: %w", unixPrefix, path, err)
	}
	return endpoint{Listener: l, socket: path}, nil
}

// clearSocket removes a socket that a service which is gone left behind, and nothing else.
func clearSocket(path string) error {
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listen on %s%s: %w", unixPrefix, path, err)
	}
	if info.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is no socket; choose another path", path)
	}
	conn, err := net.DialTimeout("unix", path, probeTimeout)
	if err == nil {
		conn.Close()
		return fmt.Errorf("somebody already listens on %s; stop it, or choose another path", path)
	}
	if !nobodyListens(err) {
		return fmt.Errorf("cannot tell whether somebody listens on %s: %w", path, err)
	}
	return os.Remove(path)
}

// Close closes every listener; a socket's file goes with it.
func (es endpoints) Close() error {
	var failed error
	for _, e := range es {
		if err := e.Listener.Close(); !errors.Is(err, net.ErrClosed) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// url is the first TCP address, a loopback one if there is one: it is for clients on this machine.
func (es endpoints) url() string {
	first := ""
	for _, e := range es {
		if addr, ok := e.Addr().(*net.TCPAddr); ok && addr.IP.IsLoopback() {
			return e.url
		}
		if first == "" {
			first = e.url
		}
	}
	return first
}

// socket is the path of the first unix socket.
func (es endpoints) socket() string {
	for _, e := range es {
		if e.socket != "" {
			return e.socket
		}
	}
	return ""
}
