//go:build linux

package registry_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"termbay/core/registry"
)

// BenchmarkTrue is what the smallest command costs as a job, beside a bare exec.Command.
func BenchmarkTrue(b *testing.B) {
	b.Run("job", func(b *testing.B) {
		f := open(b, registry.Config{})
		for b.Loop() {
			if res := f.result(f.run(agent, registry.Run{Command: "true"})); *res.Outcome.Exit.Code != 0 {
				b.Fatal(res)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if _, err := exec.Command("/bin/bash", "-c", "true").CombinedOutput(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFlood is 200 MB of output on its way into a log, beside a copy loop of 32 KB in Go.
func BenchmarkFlood(b *testing.B) {
	const size = 200 << 20
	const command = "head -c 209715200 /dev/zero"
	b.Run("job", func(b *testing.B) {
		f := open(b, registry.Config{})
		b.SetBytes(size)
		for b.Loop() {
			id := f.background(agent, command)
			if e := f.exit(id); e.Log.Bytes != size {
				b.Fatalf("%+v", e.Log)
			}
			b.StopTimer()
			if err := f.Forget(person, id); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(size)
		path := filepath.Join(b.TempDir(), "log")
		for b.Loop() {
			cmd := exec.Command("/bin/bash", "-c", command)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			log, err := os.Create(path)
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			for p := make([]byte, 32<<10); ; {
				n, err := out.Read(p)
				if err == io.EOF {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				if _, err := log.Write(p[:n]); err != nil {
					b.Fatal(err)
				}
			}
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			log.Close()
			os.Remove(path)
			b.StartTimer()
		}
	})
}
