// Tests of analyses on Beam: the bytes of one process, on the runner of this process.

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"repscope/dataset"
)

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

// timeless is a result without what differs from run to run.
func timeless(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, `  "started": `) && !strings.HasPrefix(line, `  "elapsed_s": `) && !strings.HasPrefix(line, `  "latents_from_cache": `) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// same runs an analysis on Beam and in one process, and compares.
func same(t *testing.T, shards int, args ...string) {
	t.Helper()
	dir := t.TempDir()
	one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
	if err := call(t.Context(), args[0], append(args[1:len(args):len(args)], "--quiet", "--out", one)); err != nil {
		t.Fatal(err)
	}
	w, err := newWork(args, many, shards)
	if err != nil {
		t.Fatal(err)
	}
	pipeline, scope := beam.NewPipelineWithRoot()
	w.build(scope)
	if err := ptest.Run(pipeline); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() || filepath.Ext(f.Name()) == ".sha256" { // the digests are of the times, too
			continue
		}
		if timeless(t, filepath.Join(one, f.Name())) != timeless(t, filepath.Join(many, f.Name())) {
			t.Errorf("%s of %s in %d shards differs from that of one process", f.Name(), args[0], shards)
		}
	}
}

func TestAnalyses(t *testing.T) {
	dir := t.TempDir()
	const n = 1300
	random := rand.New(rand.NewPCG(1, 2))
	frames, latents := make([]uint8, n*20), make([]float32, n*4)
	for i := range frames {
		frames[i] = uint8(random.Uint32())
	}
	for i := range latents {
		latents[i] = float32(random.NormFloat64())
	}
	f, z := filepath.Join(dir, "f.npy"), filepath.Join(dir, "z.npy")
	if err := dataset.WriteNPY(f, []int{n, 20}, frames); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteNPY(z, []int{n, 4}, latents); err != nil {
		t.Fatal(err)
	}
	same(t, 4, "neighborhood", "--frames", f, "--latents", "z="+z, "--permutations", "2")
	same(t, 2, "smoothness", "--frames", f, "--latents", "z="+z)
	same(t, 3, "generation", "--example", "--metrics", "reconstruction,diversity", "--bootstrap", "0") // sets of cells
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--out is missing":            nil,
		"no analysis":                 {},
		`"encode" is not an analysis`: {"encode"},
		"unknown flag --frame":        {"neighborhood", "--frame", "x"},
		"did you mean --latents?":     {"manifold", "--latent", "z=z.npy"},
		"--shard and --approx can":    {"neighborhood", "--frames", "f.npy", "--latents", "z=z.npy", "--approx"},
	} {
		out := "out"
		if args == nil {
			out = ""
		}
		if err := execute(t.Context(), out, 2, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", args, err, want)
		}
	}
}
