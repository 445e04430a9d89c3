// Tests that a full disk and a kill leave an earlier result whole.

//go:build unix

package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/report"
)

// asBinary, in the environment, makes a process of this test a binary: its first word, with a limit of the size of
// files.
const (
	asBinary  = "REPSCOPE_TEST_BINARY"
	fileLimit = "REPSCOPE_TEST_LIMIT"
)

// TestAsBinary is a binary, in a process of its own.
func TestAsBinary(t *testing.T) {
	line := os.Getenv(asBinary)
	if line == "" {
		t.Skip("for other tests")
	}
	if limit, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
	}
	name, rest, _ := strings.Cut(line, " ")
	e, ok := Find(name)
	if !ok {
		t.Fatal(name)
	}
	os.Exit(run.Run(t.Context(), e.Command, strings.Fields(rest), &bytes.Buffer{}, os.Stderr))
}

// process is a command line in a process of its own.
func process(line string, limit int) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestAsBinary$")
	c.Env = append(os.Environ(), asBinary+"="+line)
	if limit > 0 {
		c.Env = append(c.Env, fmt.Sprintf("%s=%d", fileLimit, limit))
	}
	return c
}

// bothRuns are command lines of two runs into one folder, whose files differ; {} is the folder.
var bothRuns = []struct{ first, second string }{
	{"encode --frames {}/f.npy --baseline random:4 --baseline pca:3 --out {}/out --quiet", "encode --frames {}/p.npy --baseline random:4 --baseline pca:3 --methods --out {}/out --quiet"},
	{"smoothness --frames {}/f.npy --baseline random:4 --cache off --format svg --out {}/out --quiet", "smoothness --frames {}/p.npy --baseline random:4,pca:3 --cache off --format svg,pdf --out {}/out --quiet"},
	{"reconstruction --frames {}/f.npy --predictions a={}/p.npy --save-frames --samples-shown 1 --format svg --bootstrap 0 --out {}/out --quiet",
		"reconstruction --frames {}/f.npy --predictions a={}/f.npy --save-frames --samples-shown 1 --format svg --bootstrap 0 --out {}/out --quiet"},
	{"forecast --target {}/truth.npy --forecast a={}/members.npy --documented-json {}/else/d.json --format svg --out {}/out --quiet",
		"forecast --target {}/truth.npy --forecast b={}/members.npy --documented-json {}/else/d.json --format svg --bootstrap 0 --out {}/out --quiet"},
	{"compare {}/r.json --table {}/else/t.csv --figure {}/else/t.svg --format svg --out {}/out --quiet", "compare {}/r.json --names random=other --table {}/else/t.csv --figure {}/else/t.svg --format svg --out {}/out --quiet"},
	{"canvas --base-dir {}/tree --task t_gen --variant v --reports --metrics block_match,struct_completeness --format svg --out {}/out --quiet", "canvas --base-dir {}/tree --task t_gen --variant v --reports --metrics block_match,struct_completeness --seed 7 --format svg,pdf --out {}/out --quiet"},
}

// result are the files of a result, but what a run leaves beside it to be continued.
func result(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, folder := range []string{"out", "else"} {
		if _, err := os.Stat(filepath.Join(dir, folder)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for name, content := range contents(t, filepath.Join(dir, folder)) {
			if !strings.Contains(name, "partial") && !strings.HasSuffix(name, ".tmp") {
				files[folder+"/"+name] = content
			}
		}
	}
	return files
}

// wholeResult holds that the files of a folder are those of one run, by their digests.
func wholeResult(t *testing.T, what, dir string) {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join(dir, "out", "*"+report.SumsEnding))
	if err != nil || len(lists) != 1 {
		t.Errorf("%s: digests %v, %v", what, lists, err)
		return
	}
	sums, err := report.ReadSums(lists[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sums {
		path := filepath.FromSlash(s.Name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, "out", path)
		}
		if sum, err := report.FileSum(path); err != nil || sum != s.SHA256 {
			t.Errorf("%s: %s is not that of the result: %v", what, s.Name, err)
		}
	}
}

// A disk that becomes full, for which a limit of the size of files stands: whatever is written first, a run that
// fails leaves the files of the earlier one.
func TestDiskFull(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	for _, both := range bothRuns {
		name, _, _ := strings.Cut(both.first, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			apartFiles(t, dir)
			first, second := strings.ReplaceAll(both.first, "{}", dir), strings.ReplaceAll(both.second, "{}", dir)
			if out, err := process(first, 0).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before := result(t, dir)
			failed := 0
			for _, limit := range sizesOf(before) {
				out, err := process(second, limit).CombinedOutput()
				if err == nil {
					break // all have room
				}
				failed++
				if !strings.Contains(string(out), "file too large") {
					t.Fatalf("limit %d: %s", limit, out)
				}
				if after := result(t, dir); !maps.Equal(after, before) {
					t.Errorf("limit %d: files %v, were %v; %s", limit, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)), out)
				}
				wholeResult(t, fmt.Sprintf("limit %d", limit), dir)
			}
			if failed < 2 {
				t.Errorf("it failed at %d limits", failed)
			}
			if out, err := process(second, 0).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if maps.Equal(result(t, dir), before) {
				t.Error("the second run has written the same")
			}
			wholeResult(t, "the second run", dir)
		})
	}
}

// sizesOf are limits below the sizes of files, some of them, ascending.
func sizesOf(files map[string]string) []int {
	var sizes []int
	for _, content := range files {
		if n := len(content) - 1; n > 0 && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	const most = 6
	for len(sizes) > most {
		sizes = slices.Delete(sizes, len(sizes)/2, len(sizes)/2+1)
	}
	return sizes
}

// A run that is killed at any time leaves the files of one run: the earlier one, or all of its own.
func TestKilled(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	for _, both := range bothRuns[:3] {
		name, _, _ := strings.Cut(both.first, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			apartFiles(t, dir)
			first, second := strings.ReplaceAll(both.first, "{}", dir), strings.ReplaceAll(both.second, "{}", dir)
			begin := time.Now()
			if out, err := process(first, 0).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			took := time.Since(begin)
			const kills = 8
			for k := range kills {
				line := []string{second, first}[k%2]
				c := process(line, 0)
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(took*time.Duration(k+4)/(kills+2), func() { _ = c.Process.Kill() })
				_ = c.Wait()
				report.Recover(filepath.Join(dir, "out"))
				wholeResult(t, fmt.Sprintf("kill %d", k), dir)
				if name == "encode" { // a run of other frames does not continue it
					for _, path := range []string{"encode.partial.json", "random.npy.partial", "pca.npy.partial"} {
						_ = os.Remove(filepath.Join(dir, "out", path))
					}
				}
			}
		})
	}
}
