// Tests of two studies in one folder.

package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The second of two studies in a folder fails with the host and number of the first, or waits for it and finds all
// done. Looking needs no lock.
func TestTwoStudies(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, twoDatasets), &probe{}
	begun, end := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.during = func(string) error {
		once.Do(func() { close(begun) })
		<-end
		return nil
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		if code, _, stderr := evaluate(t, p, dir); code != 0 {
			t.Error(stderr)
		}
	})
	<-begun
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := evaluate(t, p, dir)
	want := fmt.Sprintf("%s: in use by process %d on %s\nevaluate: hint: wait for it with --wait", filepath.Join(dir, "out"), os.Getpid(), host)
	if code != 1 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, %q, want %q", code, stderr, want)
	}
	for _, look := range []string{"--list", "--dry-run"} {
		if code, stdout, stderr := evaluate(t, p, dir, look); code != 0 || !strings.Contains(stdout, "x/first") {
			t.Errorf("%s: exit %d: %s%s", look, code, stdout, stderr)
		}
	}
	wait.Go(func() {
		code, _, stderr := evaluate(t, p, dir, "--wait")
		if code != 0 || strings.Count(stderr, ": unchanged") != 3 {
			t.Errorf("waiting: exit %d: %s", code, stderr)
		}
	})
	close(end)
	wait.Wait()
	if len(p.runs) != 3 {
		t.Errorf("%d runs, want each task once", len(p.runs))
	}
}

// A study whose folder was taken over while it slept writes nothing more, and says who has it.
func TestLostLock(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, oneTask), &probe{}
	out := filepath.Join(dir, "out")
	if err := os.MkdirAll(out, 0o777); err != nil {
		t.Fatal(err)
	}
	p.during = func(string) error {
		// Another process believes that this one is dead, and works on.
		locks, err := filepath.Glob(filepath.Join(out, ".evaluate.lock.*"))
		if err != nil || len(locks) != 1 {
			return fmt.Errorf("locks %v, %w", locks, err)
		}
		return os.WriteFile(filepath.Join(out, ".evaluate.lock.99"), []byte(`{"host":"elsewhere","pid":5,"count":1}`), 0o666)
	}
	code, _, stderr := evaluate(t, p, dir)
	if code != 1 || !strings.Contains(stderr, "another process has taken over the folder: process 5 on elsewhere") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for _, name := range []string{"x/first/first.json", "evaluate.json", "summary.json"} {
		if _, err := os.Stat(filepath.Join(out, name)); err == nil {
			t.Errorf("%s was written by a process that had lost the folder", name)
		}
	}
}
