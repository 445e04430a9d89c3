// Tests of verify: what was recorded, damaged in every way.

package repscope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/atomicfile"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/report"
	"repscope/shard"
	"repscope/suite"
)

// world is a folder of inputs and of results that were made of them.
type world struct {
	t   *testing.T
	dir string
}

// call runs a command line of the program, in which {} is the folder.
func (w *world) call(line string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	args := strings.Fields(strings.ReplaceAll(line, "{}", w.dir))
	if c, rest, ok := Choose(suite.Commands(), append([]string{Name}, args...)); ok {
		code = run.Run(w.t.Context(), c, rest, &out, &errs)
	} else {
		code = Run(suite.Commands(), args, &out, &errs)
	}
	return code, out.String(), errs.String()
}

func (w *world) must(line string) {
	w.t.Helper()
	if code, out, errs := w.call(line); code != 0 {
		w.t.Fatalf("%s: exit %d: %s%s", line, code, out, errs)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name string, data []byte) {
	w.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(w.path(name)), 0o777), os.WriteFile(w.path(name), data, 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

// inputs writes frames, labels, latents, a table, images, and a model with external data.
func (w *world) inputs() {
	w.t.Helper()
	frames, labels, latents := make([]uint8, 40*8*8), make([]int64, 40), make([]float32, 40*24)
	state := uint32(7)
	for i := range frames {
		state = state*1664525 + 1013904223
		frames[i] = uint8(state >> 24)
	}
	var table strings.Builder
	table.WriteString("a,b\n")
	for i := range labels {
		labels[i] = int64(i / 10)
		fmt.Fprintf(&table, "%d,%d\n", i%7, i*i%11)
	}
	for i := range latents {
		state = state*1664525 + 1013904223
		latents[i] = float32(state>>8) / (1 << 24)
	}
	w.write("data/t.csv", []byte(table.String()))
	if err := errors.Join(dataset.WriteNPY(w.path("data/f.npy"), []int{40, 8, 8}, frames), dataset.WriteNPY(w.path("data/labels.npy"), []int{40}, labels),
		dataset.WriteNPY(w.path("data/z.npy"), []int{40, 24}, latents)); err != nil {
		w.t.Fatal(err)
	}
	for i := range 40 {
		img := image.NewGray(image.Rect(0, 0, 8+i%2, 8))
		copy(img.Pix, frames[64*i:])
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			w.t.Fatal(err)
		}
		w.write(fmt.Sprintf("data/images/%03d.png", i), b.Bytes())
	}
	names, err := filepath.Glob("../../latent/testdata/mlp_external*")
	if err != nil || len(names) < 2 {
		w.t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		w.write("data/"+filepath.Base(name), data)
	}
}

// verification of a path.
func (w *world) verify(path string) (int, verification, string) {
	w.t.Helper()
	code, out, errs := w.call("verify --json " + path)
	var v verification
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		w.t.Fatalf("verify %s: exit %d, %v: %s%s", path, code, err, out, errs)
	}
	return code, v, errs
}

// whole holds that all is as recorded.
func (w *world) whole(path string) verification {
	w.t.Helper()
	code, v, errs := w.verify(path)
	if code != 0 || !v.OK || len(v.Differences) > 0 {
		w.t.Errorf("verify %s: exit %d, %+v: %s", path, code, v.Differences, errs)
	}
	return v
}

// damaged changes a file, holds that it and nothing else is named, and restores it.
func (w *world) damaged(path, name string, state string, change func(data []byte) []byte) {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	info, err := os.Stat(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	if changed := change(slices.Clone(data)); changed == nil {
		err = os.Remove(w.path(name))
	} else {
		err = os.WriteFile(w.path(name), changed, 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	code, v, errs := w.verify(path)
	named := len(v.Differences) > 0
	for _, d := range v.Differences {
		named = named && filepath.Base(strings.Split(d.Path, ":")[0]) == filepath.Base(name) && d.State == state
	}
	if code != 1 || v.OK || !named || !strings.Contains(errs, filepath.Base(name)) {
		w.t.Errorf("%s %s: exit %d, %+v: %s", name, state, code, v.Differences, errs)
	}
	if err := errors.Join(os.WriteFile(w.path(name), data, 0o644), os.Chtimes(w.path(name), info.ModTime(), info.ModTime()), os.Chmod(w.path(name), info.Mode())); err != nil {
		w.t.Fatal(err)
	}
}

func flipped(data []byte) []byte { data[len(data)-5] ^= 1; return data }
func removed([]byte) []byte      { return nil }
func cut(data []byte) []byte     { return data[:len(data)/2] }

func TestVerify(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	w := &world{t, t.TempDir()}
	w.inputs()
	const quick = " --bootstrap 0 --format svg --quiet "
	w.must("manifold --frames {}/data/f.npy --latents z={}/data/z.npy --cache off --methods --out {}/r/manifold" + quick)
	w.must("geometry --frames {}/data/f.npy --labels {}/data/labels.npy --baseline random:4 --clusters 2 --cache off --out {}/r/geometry" + quick)
	w.must("reward --frames {}/data/f.npy --targets x={}/data/t.csv --baseline random:4 --probes ridge --cache off --out {}/r/reward" + quick)
	w.must("smoothness --frames {}/data/images --resize 8x8 --baseline pca:3 --cache off --out {}/r/images" + quick)
	w.must("manifold --frames {}/data/z.npy --model m={}/data/mlp_external.onnx --cache {}/cache --out {}/r/model" + quick)
	w.must("encode --frames {}/data/f.npy --baseline random:4 --out {}/r/encode --quiet")
	w.must("manifold --example --cache off --out {}/r/example" + quick)
	v := w.whole("{}/r")
	if c := v.Checked; c.Results != 7 || c.Inputs < 10 || c.Files < 30 || c.Unchecked == 0 || len(v.Notes) > 0 {
		t.Errorf("checked %+v, %v", c, v.Notes)
	}
	if v := w.whole("{}/cache"); v.Checked.Cache != 1 {
		t.Errorf("entries of the cache: %+v", v.Checked)
	}
	for _, name := range []string{"r/manifold/manifold_metrics.csv", "r/manifold/manifold.json", "r/manifold/manifold_methods.md", "r/manifold/manifold_dimension_analysis.svg",
		"r/encode/random.npy", "r/model/manifold.json"} {
		w.damaged("{}/r", name, stateChanged, func(data []byte) []byte { return bytes.Replace(append(data, ' '), []byte("1"), []byte("2"), 1) })
		w.damaged("{}/r", name, stateMissing, removed)
	}
	for _, name := range []string{"data/f.npy", "data/z.npy", "data/labels.npy", "data/t.csv", "data/mlp_external.onnx"} {
		w.damaged("{}/r", name, stateChanged, flipped)
		w.damaged("{}/r", name, stateMissing, removed)
	}
	external, _ := filepath.Glob(w.path("data/mlp_external.*"))
	for _, path := range external {
		if filepath.Ext(path) != ".onnx" {
			w.damaged("{}/r", "data/"+filepath.Base(path), stateChanged, flipped)
		}
	}
	w.damaged("{}/r", "r/manifold/manifold.sha256", stateDamaged, func([]byte) []byte { return []byte("nothing\n") })
	entries, _ := filepath.Glob(w.path("cache/*.npy"))
	w.damaged("{}/cache", "cache/"+filepath.Base(entries[0]), stateDamaged, flipped)
	// The picture of a folder is named by the folder.
	data, err := os.ReadFile(w.path("data/images/007.png"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("data/images/007.png", append(data, 0))
	if code, v, _ := w.verify("{}/r/images"); code != 1 || len(v.Differences) != 1 || filepath.Base(v.Differences[0].Path) != "images" {
		t.Errorf("a picture: exit %d, %+v", code, v.Differences)
	}
	w.write("data/images/007.png", data)
	// A result alone.
	w.whole("{}/r/manifold/manifold.json")
	if err := os.Remove(w.path("r/encode/encode.sha256")); err != nil {
		t.Fatal(err)
	}
	if v := w.whole("{}/r/encode"); len(v.Notes) != 1 || v.Checked.Files != 1 {
		t.Errorf("without digests: %+v", v)
	}
	w.damaged("{}/r/encode", "r/encode/random.npy", stateChanged, flipped)
	for line, want := range map[string]int{"verify": 2, "verify {}/none": 1, "verify {}/data": 1, "verify {}/data/f.npy": 1, "verify --sample 1 {}/r/manifold": 2, "verify --sample x {}/r": 2} {
		if code, _, errs := w.call(line); code != want || errs == "" {
			t.Errorf("%s: exit %d, want %d: %s", line, code, want, errs)
		}
	}
}

// Folders that are moved together are found again; others of the same names are not taken for them.
func TestVerify_Moved(t *testing.T) {
	t.Parallel()
	w := &world{t, t.TempDir()}
	w.inputs()
	w.must("manifold --frames {}/data/f.npy --latents z={}/data/z.npy --bootstrap 0 --format none --quiet --cache off --out {}/r/a/manifold")
	w.must("compare {}/r/a/manifold/manifold.json --out {}/r/c --table {}/tables/t.csv --quiet")
	w.whole("{}/r")
	to := t.TempDir()
	for _, name := range []string{"data", "r", "tables"} {
		if err := os.Rename(w.path(name), filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
	moved := &world{t, to}
	moved.whole("{}/r")
	moved.damaged("{}/r", "tables/t.csv", stateMissing, flipped) // another file of this name elsewhere is none
	if err := os.RemoveAll(filepath.Join(to, "data")); err != nil {
		t.Fatal(err)
	}
	if code, v, _ := moved.verify("{}/r"); code != 1 || len(v.Differences) != 2 || v.Differences[0].State != stateMissing {
		t.Errorf("without the data: exit %d, %+v", code, v.Differences)
	}
}

// A study: its own record and those of its tasks.
func TestVerify_Study(t *testing.T) {
	t.Parallel()
	w := &world{t, t.TempDir()}
	w.inputs()
	w.write("s.yaml", []byte("datasets: {d: {frames: "+w.path("data/f.npy")+", baseline: random:4, cache: \"off\", bootstrap: 0, format: svg, only: [manifold, smoothness]}}\n"))
	w.must("evaluate {}/s.yaml --out {}/study --quiet")
	if v := w.whole("{}/study"); v.Checked.Results < 3 || v.Checked.Files < 20 {
		t.Errorf("checked %+v", v.Checked)
	}
	for _, name := range []string{"study/d/manifold/manifold_metrics.csv", "study/summary.csv", "study/report.html"} {
		w.damaged("{}/study", name, stateChanged, func(data []byte) []byte { return append(data, ' ') })
		w.damaged("{}/study", name, stateMissing, removed)
	}
	w.damaged("{}/study", "data/f.npy", stateChanged, flipped)
	w.damaged("{}/study", "study/d/manifold/.evaluate.json", stateDamaged, cut)
}

// Shards: damaged ones, and one whose numbers are others though its digests hold.
func TestVerify_Shards(t *testing.T) {
	t.Parallel()
	w := &world{t, t.TempDir()}
	w.inputs()
	for i := range 2 {
		w.must(fmt.Sprintf("neighborhood --frames {}/data/f.npy --baseline random:4,pca:3 --k 2 --permutations 0 --cache off --quiet --out {}/s --shard %d/2", i))
	}
	v := w.whole("{}/s --sample 3")
	if v.Checked.Shards != 2 || v.Checked.Units == 0 {
		t.Errorf("checked %+v", v.Checked)
	}
	w.damaged("{}/s", "s/neighborhood.0-of-2.shard", stateDamaged, flipped)
	w.damaged("{}/s", "s/neighborhood.1-of-2.shard", stateDamaged, cut)
	w.damaged("{}/s", "data/f.npy", stateChanged, flipped)

	path := w.path("s/neighborhood.0-of-2.shard")
	state, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range state.Parts {
		data := slices.Clone(state.Parts[i].Data)
		data[len(data)-1] ^= 1
		state.Parts[i] = shard.Part{Range: state.Parts[i].Range, Data: data, SHA256: shard.Sum(data)}
	}
	var b bytes.Buffer
	if err := state.Write(&b); err != nil {
		t.Fatal(err)
	}
	w.write("s/neighborhood.0-of-2.shard", b.Bytes())
	w.whole("{}/s") // its digests hold
	code, v, errs := w.verify("{}/s --sample 100")
	if code != 1 || len(v.Differences) != len(state.Parts) || !strings.HasSuffix(v.Differences[0].What, "computed again") || !strings.Contains(errs, "neighborhood.0-of-2.shard") {
		t.Errorf("other numbers: exit %d, %+v: %s", code, v.Differences, errs)
	}
}

// read reads a shard whole.
func read(path string) (*shard.State, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return shard.Read(bytes.NewReader(data), path)
}

// The cache as it is named by default, a folder in which a commit was cut short, and names that are hostile.
// The digest in a result is of the plain content of a table that is compressed.
func TestVerify_Compressed(t *testing.T) {
	t.Parallel()
	w := &world{t, t.TempDir()}
	files, err := report.Begin(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	files.CompressOver = 10
	r := report.NewResult("manifold")
	samples, err := files.Samples("manifold_samples.csv", &report.SampleTable{Metrics: []string{"x"},
		Models: []report.ModelSamples{{Model: "a", Sample: []string{"0"}, Group: []string{"0"}, Scores: [][]float64{{1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	r.Samples = &samples
	if err := errors.Join(files.File("manifold.json", r.Write), files.Commit()); err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []bool{false, true} {
		if damaged {
			w.write("manifold_samples.csv.gz", []byte("model,sample,group,x\na,0,0,2\n"))
		}
		code, v, _ := w.verify("{}/manifold.json.gz")
		if (code != 0) != damaged || v.Checked.Results != 1 || v.Checked.Files != 1 || damaged && v.Differences[0].State != stateChanged {
			t.Errorf("damaged %v: exit %d, %+v", damaged, code, v)
		}
	}
}

func TestVerify_Odd(t *testing.T) {
	t.Parallel()
	w := &world{t, t.TempDir()}
	w.write("x/a\x1b[31m\nb", []byte("content"))
	var b bytes.Buffer
	sum, err := report.FileSum(w.path("x/a\x1b[31m\nb"))
	if err == nil {
		err = report.WriteSums(&b, []report.Sum{{Name: "a\x1b[31m\nb", SHA256: sum}, {Name: "../../escape", SHA256: sum}})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.write("x/x.sha256", b.Bytes())
	code, out, errs := w.call("verify {}/x")
	if code != 1 || strings.ContainsRune(out+errs, '\x1b') || strings.Contains(out, "31m") || !strings.Contains(out, "escape") {
		t.Errorf("exit %d: %q %q", code, out, errs)
	}
	if runtime.GOOS != "linux" {
		return
	}
	id := atomicfile.NewID()
	last := byte('0')
	if id[len(id)-1] == last {
		last = '1'
	}
	w.write("y/.~commit."+id[:len(id)-1]+string(last)+".tmp", []byte("[]"))
	if code, v, _ := w.verify("{}/y"); code != 1 || len(v.Differences) != 1 || !strings.Contains(v.Differences[0].Found, "a killed run") {
		t.Errorf("a commit that was cut short: exit %d, %+v", code, v.Differences)
	}
	if _, err := os.Stat(w.path("y/.~commit." + id[:len(id)-1] + string(last) + ".tmp")); errors.Is(err, fs.ErrNotExist) {
		t.Error("verify has changed the folder")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := &verifier{ctx: ctx, stderr: io.Discard, digests: map[string]string{}, done: map[string]bool{}}
	if err := v.path(w.dir); err == nil || err.Error() != "interrupted" {
		t.Errorf("after an interrupt: %v", err)
	}
}

// The digest of a column of a folder of Parquet files is the one that its array records.
func TestDigestsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	v := &verifier{digests: map[string]string{}}
	for _, spec := range []string{"robot:action", "robot:observation.image", "hub:train/label"} {
		spec = filepath.Join("../../dataset/testdata/parquet", spec)
		a, err := dataset.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		want, err := a.SHA256()
		if err != nil {
			t.Fatal(err)
		}
		if sums, err := v.digestsOf(spec, &report.Input{Shape: a.Shape()}); err != nil || !slices.Contains(sums, want) {
			t.Errorf("%s: %v, %v, want %s", spec, sums, err, want)
		}
		a.Close()
	}
}
