package spool_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"termbay/core/spool"
)

// The test program is also the service that dies: it opens a spool, says so and waits to be killed.
func TestMain(m *testing.M) {
	if logs := os.Getenv("SPOOL_TEST_LOGS"); logs != "" {
		s, err := spool.Open(logs, os.Getenv("SPOOL_TEST_INSTANCE"))
		if err == nil {
			_, err = s.Output("t1", 1, "left behind")
		}
		fmt.Println(err)
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0) // without Close
	}
	os.Exit(m.Run())
}

// service runs another service on the log folder until kill.
func service(t *testing.T, logs, instance string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SPOOL_TEST_LOGS="+logs, "SPOOL_TEST_INSTANCE="+instance)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
		stdin.Close()
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatalf("the service says %q (%v)", line, err)
	}
	return kill
}

func TestOpenClearsWhatDeadServicesLeft(t *testing.T) {
	logs := filepath.Join(t.TempDir(), "logs")
	service(t, logs, "living")
	kill := service(t, logs, "dead")
	kill()
	for _, dir := range []string{"other", "other/t1"} { // somebody else's: it has no lock of ours
		if err := os.Mkdir(filepath.Join(logs, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spool.Open(logs, "new")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := files(t, logs); !slices.Equal(got, []string{"living", "new", "other"}) {
		t.Errorf("folders after the start: %v", got)
	}
	if got := files(t, filepath.Join(logs, "living")); !slices.Equal(got, []string{"t1-output-1.log"}) {
		t.Errorf("the living service lost files, it has %v", got)
	}
}

func TestServicesThatStartTogetherKeepTheirFolders(t *testing.T) {
	logs := filepath.Join(t.TempDir(), "logs")
	type opened struct {
		s   *spool.Spool
		err error
	}
	all := make(chan opened)
	const services = 8
	for i := range services {
		go func() {
			s, err := spool.Open(logs, fmt.Sprint("i", i))
			if err == nil {
				_, err = s.Output("t1", 1, "x")
			}
			all <- opened{s, err}
		}()
	}
	for range services { // joins them
		o := <-all
		if o.err != nil {
			t.Error(o.err)
			continue
		}
		t.Cleanup(func() { o.s.Close() })
	}
	if got := files(t, logs); len(got) != services {
		t.Errorf("folders: %v", got)
	}
}
