// Studies, shards and merges that are killed at a random moment.

package cmd_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"repscope/dataset"
	"repscope/internal/runtest"
)

var (
	kills    = flag.Int("kills", 20, "how many runs of each kind are killed")
	killSeed = flag.Uint64("killseed", 1, "of the moments")
)

const killedSuite = `
defaults: {bootstrap: 0, format: svg, cache: cache, k: 5}
analyses: [neighborhood, manifold]
datasets:
  a: {frames: f.npy, model: {mlp: mlp.onnx}, latents: {z: z.npy}}
  b: {frames: f.npy, latents: {z: z.npy}, seed: SEED, only: manifold}
`

// killedStudy makes the files of a small study in a folder.
func killedStudy(t *testing.T, dir string) {
	t.Helper()
	root, err := runtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	model, err := os.ReadFile(filepath.Join(root, "latent/testdata/mlp_opset17.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	array := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = random.Float32()
		}
		return values
	}
	file := func(name string, data []byte) error { return os.WriteFile(filepath.Join(dir, name), data, 0o666) }
	npy := func(name string, n, d int) error {
		header, err := dataset.NPYHeader(dataset.Float32, []int{n, d})
		if err != nil {
			return err
		}
		return file(name, append(header, bytesOf(array(n*d))...))
	}
	if err := errors.Join(file("mlp.onnx", model), npy("f.npy", 60, 24), npy("z.npy", 60, 5)); err != nil {
		t.Fatal(err)
	}
}

// execute runs a program in a folder; it is killed after a while unless that is 0.
func execute(t *testing.T, dir string, after time.Duration, command ...string) (killed bool) {
	t.Helper()
	var said strings.Builder
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Stdout, c.Stderr = dir, &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
		defer timer.Stop()
	}
	err := c.Wait()
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return true
	}
	if err != nil {
		t.Fatalf("%v: %v: %s", command, err, said.String())
	}
	return false
}

// study runs evaluate in a folder with a seed; it is killed after a while unless that is 0.
func study(t *testing.T, dir, seed string, after time.Duration) (killed bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(strings.Replace(killedSuite, "SEED", seed, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	return execute(t, dir, after, "evaluate", "s.yaml", "--out", "out", "--jobs", "2")
}

// resultsOf are the files of a folder with their contents, without time stamps; of records, of which no two are the
// same, that they are there, and no locks.
func resultsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	stamps := regexp.MustCompile(`(?m)^  "(started|elapsed_s|latents_from_cache)": .*\n`)
	ofTimes := regexp.MustCompile(`(?m)^[0-9a-f]{64}  .*\.json\n`) // digests of files with times
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".memory" { // what a study remembers is no part of its results
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".evaluate.lock.") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case d.Name() == ".evaluate.json" && json.Valid(data):
			data = nil
		case filepath.Ext(path) == ".json":
			data = stamps.ReplaceAll(data, nil)
		case filepath.Ext(path) == ".sha256":
			data = ofTimes.ReplaceAll(data, nil)
		}
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// disturbance is a run that is killed at random moments and done again by the same command. It begins from nothing,
// or from what another run has left that it replaces.
type disturbance struct {
	dir   string   // its working folder
	out   []string // folders in it of what is made; the first is compared
	files int      // that are made at least
	run   func(after time.Duration) (killed bool)
	other func()        // what is replaced
	stage func() string // how far a run had come when it was killed
}

// check kills the runs. -kills 1000 is the long form.
func (d *disturbance) check(t *testing.T) {
	t.Helper()
	made := filepath.Join(d.dir, d.out[0])
	begin := time.Now()
	d.run(0)
	whole := time.Since(begin)
	want := resultsOf(t, made)
	if len(want) < d.files {
		t.Fatalf("%d files: %v", len(want), want)
	}
	random := rand.New(rand.NewPCG(*killSeed, 0))
	killed, at := 0, map[string]int{}
	for i := range *kills {
		for _, folder := range d.out {
			if err := os.RemoveAll(filepath.Join(d.dir, folder)); err != nil {
				t.Fatal(err)
			}
		}
		if i%2 == 1 {
			d.other()
		}
		begin := time.Now()
		after := time.Duration(random.Float64() * 1.1 * float64(whole))
		if d.run(after) {
			killed++
			at[d.stage()]++
		} else {
			whole = (9*whole + time.Since(begin)) / 10 // the machine has become faster or slower
		}
		d.run(0)
		got := resultsOf(t, made)
		for name, text := range want {
			if got[name] != text {
				t.Errorf("run %d, killed after %v: %s is not that of an undisturbed run", i, after, name)
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("run %d, killed after %v: %s was left behind", i, after, name)
			}
		}
		if t.Failed() {
			return
		}
	}
	var list []string
	for what, n := range at {
		list = append(list, fmt.Sprintf("%s: %d", what, n))
	}
	slices.Sort(list)
	t.Logf("%d runs, %d killed, with this there then: %s", *kills, killed, strings.Join(list, "; "))
}

// killable skips the test where processes cannot be killed, and makes the files of a small study.
func killable(t *testing.T) (dir string) {
	t.Helper()
	runtest.Long(t, "it starts many programs")
	if runtime.GOOS == "windows" {
		t.Skip("processes are killed by a signal")
	}
	t.Parallel()
	dir = t.TempDir()
	killedStudy(t, dir)
	return dir
}

// A study that is killed at a random moment, and run again by the same command, has the bytes of one that nobody
// disturbed.
func TestKilledStudy(t *testing.T) { //nolint:paralleltest // in killable
	dir := killable(t)
	(&disturbance{
		dir: dir, out: []string{"out", "cache"}, files: 15,
		run:   func(after time.Duration) bool { return study(t, dir, "1", after) },
		other: func() { study(t, dir, "2", 0) },
		stage: func() string { return progress(dir) },
	}).check(t)
}

// shardOf is the command of a shard of a small work.
func shardOf(index, k, out string) []string {
	return []string{"neighborhood", "--frames", "f.npy", "--model", "mlp=mlp.onnx", "--latents", "z=z.npy", "--bootstrap", "0", "--permutations", "0",
		"--format", "svg", "--cache", "cache", "--quiet", "--k", k, "--shard", index + "/2", "--out", out}
}

// The same of a shard.
func TestKilledShard(t *testing.T) { //nolint:paralleltest // in killable
	dir := killable(t)
	run := func(k string, after time.Duration) bool {
		return execute(t, dir, after, shardOf("0", k, "parts")...)
	}
	(&disturbance{
		dir: dir, out: []string{"parts", "cache"}, files: 1,
		run:   func(after time.Duration) bool { return run("5", after) },
		other: func() { run("4", 0) },
		stage: func() string { return contents(t, filepath.Join(dir, "parts")) },
	}).check(t)
}

// The same of what puts shards together.
func TestKilledMerge(t *testing.T) { //nolint:paralleltest // in killable
	dir := killable(t)
	for _, k := range []string{"5", "4"} {
		execute(t, dir, 0, shardOf("0", k, "parts"+k)...)
		execute(t, dir, 0, shardOf("1", k, "parts"+k)...)
	}
	run := func(k string, after time.Duration) bool {
		return execute(t, dir, after, "scale", "merge", "parts"+k, "--quiet", "--out", "out")
	}
	(&disturbance{
		dir: dir, out: []string{"out"}, files: 4,
		run:   func(after time.Duration) bool { return run("5", after) },
		other: func() { run("4", 0) },
		stage: func() string { return contents(t, filepath.Join(dir, "out")) },
	}).check(t)
}

// contents says which files are in a folder: whole ones, and those that were being written.
func contents(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	half := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			half++
		}
	}
	return fmt.Sprintf("%d files and %d half written", len(entries)-half, half)
}

// progress says how far a study had come when it was killed.
func progress(dir string) string {
	records, _ := filepath.Glob(filepath.Join(dir, "out/*/*/.evaluate.json"))
	temporary, _ := filepath.Glob(filepath.Join(dir, "out/*/*/.*.tmp"))
	if len(temporary) > 0 {
		return fmt.Sprintf("%d and half of one", len(records))
	}
	return fmt.Sprint(len(records))
}

func bytesOf(values []float32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}
