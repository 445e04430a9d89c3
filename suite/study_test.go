// Tests of studies of real analyses: what they share is computed once, and the files are those of the binaries one
// after another.

package suite

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// Every model encodes every set of frames once in a study, however many analyses and datasets ask for it, at the same
// time and with other names of the same pooling, with the cache on disk and without; baselines are fitted once, and
// lists of neighbors are searched once. The files have the bytes of the binaries run one after another.
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
			// Whoever would take lists of neighbors is remembered whole, by the content of latents.
			if computed, taken := store.Counts(kind); computed != want || taken == 0 && kind != "neighbors" {
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

// writeShaped writes random numbers in [0, 1), or 0 and 1, of any shape.
func writeShaped(t *testing.T, path string, seed uint64, bits bool, shape ...int) {
	t.Helper()
	data, err := dataset.NPYHeader(dataset.Float32, shape)
	if err != nil {
		t.Fatal(err)
	}
	size := 1
	for _, n := range shape {
		size *= n
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for range size {
		v := random.Float32()
		if bits {
			v = float32(math.Floor(2 * float64(v)))
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A study that gets a model more computes the parts of this one alone, in every analysis that has parts of models; a
// renamed model, a moved file and a model of equal content compute nothing. All files have the bytes of a study that
// remembers nothing, figures where parts are both computed and remembered, and where all are remembered.
func TestStudyRemembers(t *testing.T) {
	runtest.Long(t, "it runs every analysis many times")
	t.Parallel()
	root, err := runtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	write := func(shape ...int) func(t *testing.T, path string, seed uint64) {
		return func(t *testing.T, path string, seed uint64) { writeShaped(t, path, seed, false, shape...) }
	}
	encoder := func(t *testing.T, path string, seed uint64) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(root, "latent/testdata/mlp_opset17.onnx"))
		if err == nil { // another content of the same model: an unknown field of the format, which is left out
			err = os.WriteFile(path, append(data, 0xa0, 0x1f, byte(seed)), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	states := func(option string) string {
		return "frames: \"{dir}/f.npy\", episodes: \"{dir}/e.npy\", bootstrap: 0" + option
	}
	for name, c := range map[string]struct {
		shared string // options
		option string // that names the models
		write  func(t *testing.T, path string, seed uint64)
		ending string
		parts  int // of each model
		common int // of all
		couple int // of each two models
	}{
		// Distances of latents take no time beside those of frames, which are read in any case: nothing is remembered.
		"smoothness":   {states(""), "latents", write(90, 8), ".npy", 0, 0, 0},
		"neighborhood": {states(", k: 5"), "latents", write(90, 8), ".npy", 1, 0, 0},
		"manifold":     {states(""), "latents", write(90, 8), ".npy", 1, 0, 0},
		"geometry":     {states(""), "latents", write(90, 8), ".npy", 1, 0, 1},
		"similarity":   {states(", permutations: 3"), "latents", write(90, 8), ".npy", 1, 0, 1}, // a pair with pixel PCA
		"robustness":   {states(", levels: [0.1, 0.2]"), "model", encoder, ".onnx", 2, 0, 0},
		"reward":       {states(", rewards: \"{dir}/r.npy\", probes: [ridge]"), "latents", write(90, 8), ".npy", 1, 2, 0}, // a model of the frames themselves, and baselines
		"surprise":     {states(", violations: [skip]"), "model", encoder, ".onnx", 2, 0, 0},                              // leaving 16 of 15 frames out makes nothing
		"reconstruction": {"frames: \"{dir}/images.npy\", episodes: \"{dir}/e.npy\", pixel-range: \"0,1\", bootstrap: 0", "predictions",
			write(90, 12, 12), ".npy", 1, 1, 0},
		"forecast": {"target: \"{dir}/t.npy\", metrics: [crps], bootstrap: 0", "forecast", write(12, 4, 2, 6, 6), ".npy", 1, 0, 0},
		"generation": {"real: \"{dir}/real.npy\", metrics: [diversity, similarity], bootstrap: 0", "generated",
			func(t *testing.T, path string, seed uint64) { writeShaped(t, path, seed, true, 40, 6, 6) }, ".npy", 2, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeArray(t, filepath.Join(dir, "f.npy"), 1, 90, 24)
			writeShaped(t, filepath.Join(dir, "images.npy"), 2, false, 90, 12, 12)
			writeShaped(t, filepath.Join(dir, "r.npy"), 3, true, 90)
			writeShaped(t, filepath.Join(dir, "t.npy"), 4, false, 12, 2, 6, 6)
			writeShaped(t, filepath.Join(dir, "real.npy"), 5, true, 40, 6, 6)
			writeEpisodes(t, filepath.Join(dir, "e.npy"), 90, 15)
			file := func(base string) string { return filepath.Join(dir, base+c.ending) }
			for seed, base := range []string{"one", "two", "three"} {
				c.write(t, file(base), uint64(10+seed))
			}
			evaluate := func(out, format string, models ...string) {
				t.Helper()
				text := "datasets: {d: {" + strings.ReplaceAll(c.shared, "{dir}",
					dir) + ", cache: \"off\", format: " + format + ", " + name + ": {" + c.option + ": {" +
					strings.Join(models, ", ") + "}}}}\nanalyses: [" + name + "]\n"
				suite := filepath.Join(dir, "s.yaml")
				if err := os.WriteFile(suite, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				e, _ := Find("evaluate")
				var stderr bytes.Buffer
				if code := run.Run(t.Context(), e.Command, []string{suite, "--out", out}, &bytes.Buffer{}, &stderr); code != 0 {
					t.Fatalf("exit %d: %s", code, &stderr)
				}
			}
			model := func(name, base string) string { return name + ": \"" + file(base) + "\"" }
			out := filepath.Join(dir, "out")
			for i, step := range []struct {
				what     string
				format   string
				models   []string
				computed int
			}{
				{"two models", "none", []string{model("a", "one"), model("b", "two")}, 2*c.parts + c.common + c.couple},
				{"a model more", "svg", []string{model("c", "three"), model("a", "one"), model("b", "two")},
					c.parts + 2*c.couple},
				{"another name", "svg", []string{model("c", "three"), model("renamed", "one"), model("b", "two")}, 0},
				{"another place", "none", []string{model("c", "three"), model("renamed", "one"), model("b", "moved")},
					0},
				{"a model less and a twin", "none", []string{model("c", "three"), model("b", "moved"), model("twin",
					"moved")}, c.couple},
			} {
				if step.what == "another place" {
					if err := os.Rename(file("two"), file("moved")); err != nil {
						t.Fatal(err)
					}
				}
				before, _ := filepath.Glob(filepath.Join(out, ".memory", "*.part"))
				evaluate(out, step.format, step.models...)
				after, _ := filepath.Glob(filepath.Join(out, ".memory", "*.part"))
				if computed := len(after) - len(before); computed != step.computed {
					t.Errorf("%s: %d parts are computed, want %d", step.what, computed, step.computed)
				}
				if i == 0 { // nothing was remembered
					continue
				}
				fresh := filepath.Join(dir, fmt.Sprint("fresh", i))
				evaluate(fresh, step.format, step.models...)
				got := filesOf(t, filepath.Join(out, "d"))
				for file, want := range filesOf(t, filepath.Join(fresh, "d")) {
					if !bytes.Equal(got[file], want) {
						t.Errorf("%s: %s is not what a study that remembers nothing writes", step.what, file)
					}
				}
			}
		})
	}
}

// writeEpisodes writes the numbers of episodes of equal length.
func writeEpisodes(t *testing.T, path string, n, length int) {
	t.Helper()
	data, err := dataset.NPYHeader(dataset.Int64, []int{n})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		data = binary.LittleEndian.AppendUint64(data, uint64(i/length))
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
