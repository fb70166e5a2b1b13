package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificateFiles makes a certificate for 127.0.0.1 that trusts itself.
func certificateFiles(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", private)
}

func mustOpen(t *testing.T, certFile, keyFile string, addresses ...string) endpoints {
	t.Helper()
	open, err := openEndpoints(addresses, certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { open.Close() })
	return open
}

func TestOnlyLoopbackIsOpenedWithoutACertificate(t *testing.T) {
	tests := []struct {
		address string
		want    string // of the error; empty: it opens
	}{
		{"127.0.0.1:0", ""},
		{"127.9.9.9:0", ""},
		{"localhost:0", ""},
		{"0.0.0.0:0", "reachable from other machines"},
		{":0", "reachable from other machines"},
		{"[::]:0", "reachable from other machines"},
		{"192.0.2.1:0", "give --tls-cert and --tls-key"},
		{"7717", "not HOST:PORT or unix:PATH"},
		{"127.0.0.1:http-of-nobody", "not HOST:PORT or unix:PATH"},
		{"", "reachable from other machines"},
	}
	for _, tt := range tests {
		open, err := openEndpoints([]string{tt.address}, "", "")
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.address, err)
			}
			open.Close()
			continue
		}
		var f failure
		if !errors.As(err, &f) || f.code != exitUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, wanted %q with exit code %d", tt.address, err, tt.want, exitUsage)
		}
	}
}

func TestWithACertificateEveryTCPAddressSpeaksTLS(t *testing.T) {
	certFile, keyFile := certificateFiles(t)
	open := mustOpen(t, certFile, keyFile, "0.0.0.0:0", "127.0.0.1:0")
	pool := x509.NewCertPool()
	text, err := os.ReadFile(certFile)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal("certificate", err)
	}
	for _, e := range open {
		answered := make(chan error, 1)
		go func() { // joined by the receive below
			conn, err := e.Accept()
			if err == nil {
				_, err = conn.Write([]byte("x"))
				conn.Close()
			}
			answered <- err
		}()
		address, secure := strings.CutPrefix(e.url, "https://127.0.0.1:")
		conn, err := tls.Dial("tcp", "127.0.0.1:"+address, &tls.Config{RootCAs: pool})
		if err != nil || !secure {
			t.Fatalf("%s: %v", e, err)
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		conn.Close()
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
	if got := open.url(); got != open[1].url {
		t.Errorf("clients are sent to %s, though %s is loopback", got, open[1].url)
	}
}

func TestACertificateThatCannotBeReadIsSaid(t *testing.T) {
	_, err := openEndpoints([]string{"127.0.0.1:0"}, filepath.Join(t.TempDir(), "none.pem"), "k")
	if err == nil || !strings.Contains(err.Error(), "load the certificate") {
		t.Error(err)
	}
}

func TestWhenOneAddressFailsNoneStaysOpen(t *testing.T) {
	taken := mustOpen(t, "", "", "127.0.0.1:0")
	socket := filepath.Join(t.TempDir(), "s")
	if _, err := openEndpoints([]string{"unix:" + socket, taken[0].Addr().String()}, "", ""); err == nil {
		t.Fatal("an address was opened twice")
	}
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
