// Tests that no input that never ends, or never begins, keeps a run waiting.

//go:build unix

package suite

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"repscope/internal/run"
	"repscope/internal/runtest"
)

// valueForms are how flags take a path.
var valueForms = []string{"{}", "a={}", "a:b={}", "a/b={}", "a=a:{}", "a={}:x"}

// Every flag that takes a path is given a pipe that nobody writes to and a device without an end, in whatever form it
// takes one: the run says so, soon.
func TestPipes(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{".csv", ".json", ".npy", ".npz", ".onnx", ".yaml", ".safetensors", ".pth", ".txt", ".png"} {
		if err := os.Link(pipe, pipe+ending); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero"+ending)); err != nil {
			t.Fatal(err)
		}
	}
	places := []string{pipe + ".csv", pipe + ".json", pipe + ".npy", pipe + ".onnx", pipe + ".yaml", "/dev/zero", filepath.Join(dir, "zero.csv"), filepath.Join(dir, "zero.json")}
	for _, c := range Commands() {
		if c.Name == "scale" {
			continue // its inputs are those of analyses, and shards, below
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			_, rest, _ := strings.Cut(strings.ReplaceAll(apart[c.Name][0], "{}", dir), " ")
			if slices.Contains(run.FlagNames(c), "format") && !strings.Contains(rest, "--format") {
				rest += " --format none"
			}
			told, reading := 0, run.ReadingFlags(c)
			run.VisitFlags(c, func(f *flag.Flag) {
				kind, _ := flag.UnquoteUsage(f)
				if !slices.Contains(reading, f.Name) || kind == "DIR" && f.Name != "weights" && f.Name != "base-dir" {
					return
				}
				for i, place := range places {
					form := valueForms[i%len(valueForms)]
					if i < 2 {
						form = valueForms[i]
					}
					for _, form := range []string{form, "{}", "a={}"} {
						told += endless(t, c, strings.Fields(rest), "--"+f.Name+"="+strings.ReplaceAll(form, "{}", place))
					}
				}
			})
			if told == 0 && c.Name != "evaluate" { // whose flags take none: see below
				t.Error("no flag was told that its file is none")
			}
		})
	}
	for _, line := range []string{"compare " + pipe + ".json", "compare /dev/zero", "evaluate " + pipe + ".yaml", "evaluate /dev/zero", "scale merge " + pipe, "scale merge /dev/zero", "scale slurm --within 1h " + pipe + ".yaml"} {
		args := strings.Fields(line)
		e, _ := Find(args[0])
		if endless(t, e.Command, nil, args[1:]...) == 0 {
			t.Errorf("%s: it is not told", line)
		}
	}
}

// endless runs a command line, which must come to an end, and reports whether it says that a file is none.
func endless(t *testing.T, c run.Command, rest []string, more ...string) int {
	t.Helper()
	args := append(append([]string{}, rest...), more...)
	if c.Name != "scale" {
		args = append(args, "--quiet", "--out", filepath.Join(t.TempDir(), "out"))
	}
	var stdout, stderr bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- run.Run(t.Context(), c, args, &stdout, &stderr) }()
	select {
	case code := <-done:
		told := strings.Contains(stderr.String(), "want a file, got a named pipe") || strings.Contains(stderr.String(), "want a file, got a device")
		if told && code == 0 && !strings.Contains(stderr.String(), "is not measured: ") {
			t.Errorf("%s %v: exit %d: %s", c.Name, more, code, stderr.String())
		}
		if told {
			return 1
		}
	case <-time.After(2 * time.Minute):
		t.Errorf("%s %v: it waits", c.Name, more)
	}
	return 0
}
