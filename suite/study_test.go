// Tests of studies of real analyses: what they share is computed once, and the files are those of the binaries one after another.

package suite

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/internal/share"
	"repscope/report"
)

// writeArray writes random numbers [n, d].
func writeArray(t *testing.T, path string, seed uint64, n, d int) {
	t.Helper()
	data, err := dataset.NPYHeader(dataset.Float32, []int{n, d})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for range n * d {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(random.Float32()))
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

var stamps = regexp.MustCompile(`(?m)^  "(started|elapsed_s)": .*\n`)

// filesOf are the files of a folder that are no records, without time stamps.
func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if files[name] = stamps.ReplaceAll(data, nil); strings.HasSuffix(name, report.SumsEnding) {
			files[name] = ofResult.ReplaceAll(data, nil)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every model encodes every set of frames once in a study, however many analyses and datasets ask for it, at the same time and
// with other names of the same pooling, with the cache on disk and without; baselines are fitted once, and lists of neighbors are searched once. The files have the
// bytes of the binaries run one after another.
func TestStudyEncodesOnce(t *testing.T) {
	t.Parallel()
	root, err := runtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	frames, other := filepath.Join(dir, "f.npy"), filepath.Join(dir, "g.npy")
	writeArray(t, frames, 1, 80, 24)
	writeArray(t, other, 2, 80, 24)
	model := filepath.Join(root, "latent/testdata/mlp_opset17.onnx")
	second := filepath.Join(root, "latent/testdata/mlp_external.onnx")
	analyses := []string{"smoothness", "neighborhood", "manifold", "geometry"}
	common := []string{"--bootstrap", "0", "--format", "svg", "--model", "one=" + model, "--model", "two=" + second, "--baseline", "pca:3"}
	alone := filepath.Join(dir, "alone")
	for dataset, file := range map[string]string{"a": frames, "b": frames, "c": other} {
		for _, name := range analyses {
			e, _ := Find(name)
			var stderr bytes.Buffer
			args := append([]string{"--frames", file, "--cache", "off", "--out", filepath.Join(alone, dataset, name), "--quiet"}, common...)
			if name == "geometry" {
				args = append(args, "--pool", "flatten")
			}
			if code := run.Run(t.Context(), e.Command, args, &bytes.Buffer{}, &stderr); code != 0 {
				t.Fatal(stderr.String())
			}
		}
	}
	evaluate, _ := Find("evaluate")
	for _, cache := range []string{"off", filepath.Join(dir, "cache")} {
		text := "defaults: {bootstrap: 0, format: svg, cache: \"" + cache + "\", model: {one: \"" + model + "\", two: \"" + second + "\"}, baseline: \"pca:3\", geometry: {pool: flatten}}\n" +
			"analyses: [" + strings.Join(analyses, ", ") + "]\n" +
			"datasets: {a: {frames: \"" + frames + "\"}, b: {frames: \"" + frames + "\"}, c: {frames: \"" + other + "\"}}\n"
		suite := filepath.Join(dir, "s.yaml")
		if err := os.WriteFile(suite, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		store := share.NewStore(1 << 26)
		var stderr bytes.Buffer
		out := filepath.Join(dir, "out"+filepath.Base(cache))
		if code := run.Run(share.With(t.Context(), store), evaluate.Command, []string{suite, "--out", out, "--jobs", "4"}, &bytes.Buffer{}, &stderr); code != 0 {
			t.Fatal(stderr.String())
		}
		// Both models have the same weights, in files of two kinds: four sets of points.
		for kind, want := range map[string]int{"latents": 2 * 3, "pca": 2, "neighbors": 2 * 2} {
			if computed, taken := store.Counts(kind); computed != want || taken == 0 {
				t.Errorf("cache %s: %s: %d computed and %d taken, want %d and some", cache, kind, computed, taken, want)
			}
		}
		got := filesOf(t, out)
		for name, want := range filesOf(t, alone) {
			if strings.HasSuffix(name, ".json") {
				want = bytes.ReplaceAll(want, []byte(`"off"`), []byte(`"`+cache+`"`))
			}
			if !bytes.Equal(got[name], want) {
				t.Errorf("cache %s: %s is not what the binary writes alone", cache, name)
			}
		}
	}
}
