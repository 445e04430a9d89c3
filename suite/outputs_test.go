// Tests that no binary writes over what it reads.

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

// apart are command lines of all binaries, but for scale, which read files and write results; {} is the folder of the
// files. The first word behind the name is the file that is put in the place of every output in turn.
var apart = map[string][]string{
	"smoothness":   {"f.npy --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --methods"},
	"robustness":   {"f.npy --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --per-sample --draws 1"},
	"neighborhood": {"f.npy --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --k 2 --permutations 0 --per-point"},
	"manifold": {"f.npy --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0", "f.npy --frames {}/f.npy --baseline random:4 --cache off --shard 0/2",
		"labels.npy --frames {}/f.npy --groups {}/labels.npy --baseline random:4 --cache off --bootstrap 0"},
	"geometry":       {"labels.npy --frames {}/f.npy --labels {}/labels.npy --baseline random:4 --cache off --bootstrap 0 --per-point --clusters 2"},
	"similarity":     {"f.npy --frames {}/f.npy --baseline random:4,pca:3 --cache off --bootstrap 0 --k 2 --permutations 0"},
	"reconstruction": {"p.npy --frames {}/f.npy --predictions a={}/p.npy --bootstrap 0 --save-frames --samples-shown 2"},
	"reward":         {"labels.npy --frames {}/f.npy --targets a={}/labels.npy --baseline random:4 --cache off --bootstrap 0 --probes ridge --predictions-csv"},
	"generation":     {"p.json --generated a={}/p.json --real {}/p.json --bootstrap 0"},
	"forecast":       {"truth.npy --target {}/truth.npy --forecast a={}/members.npy --bootstrap 0"},
	"sequence":       {"dump.npz --dump a={}/dump.npz --bootstrap 0", "ab.csv --sequences {}/ab.csv --columns heavy=VH,light=VL"},
	"canvas":         {"design.json --reference-json {}/design.json --generated-json {}/design.json --bootstrap 0", "tree/benchmarks/t_gt/gid1-1.json --base-dir {}/tree --task t_gen --variant v --out {}/out --reports"},
	"surprise":       {"f.npy --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --draws 1 --violations skip"},
	"audit":          {"f.npy --frames {}/f.npy --split {}/labels.npy"},
	"encode":         {"f.npy --frames {}/f.npy --baseline random:4 --window 2 --methods --profile", "f.npy --frames {}/f.npy --baseline random:4 --output {model}.x.npz"},
	"compare":        {"r.json {}/r.json --format svg", "l.csv --losses a={}/l.csv --loss-columns loss", "r_samples.csv {}/r.json"},
	"validate":       {"checkpoints.csv {}/checkpoints.csv --outcome y --methods"},
	"evaluate":       {"f.npy {}/study.yaml", "study.yaml {}/study.yaml", "found/r.json report {}/found"},
}

// apartFiles writes the files.
func apartFiles(t *testing.T, dir string) {
	t.Helper()
	smallFrames(t, dir)
	put := func(name, content string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const design = `{"name": "a", "type": "FRAME", "absoluteBoundingBox": {"x": 0, "y": 0, "width": 100, "height": 80}, "children": [` +
		`{"type": "RECTANGLE", "name": "b", "absoluteBoundingBox": {"x": 1, "y": 2, "width": 30, "height": 40}}]}`
	put("design.json", design)
	put("tree/benchmarks/t_gt/gid1-1.json", design)
	put("tree/results/t_gen/v/gid1-1-m-v/gid1-1-m-v-json-structure.json", design)
	put("l.csv", "step,loss\n1,2\n2,1\n")
	put("checkpoints.csv", "model,y,x\na,1,2\nb,2,1\nc,3,4\nd,5,3\ne,4,6\n")
	put("ab.csv", "id,VH,VL\na,EVQLVESGGGLV,DIQMTQSPSS\nb,QVQLQESGPGLVK,EIVLTQSPGTL\nc,EVQLLESGGG,DIVMTQSPDSLA\n")
	var problems []string
	for i := range 12 {
		problems = append(problems, fmt.Sprintf(`{"grade": "6%c", "moves": [{"description": "A%d", "isStart": true}, {"description": "B%d"}, `+
			`{"description": "C9"}, {"description": "D%d"}, {"description": "%c18", "isEnd": true}]}`, "AB"[i%2], 1+i%6, 4+i%6, 12+i%5, 'E'+i%4))
	}
	put("p.json", `{"data": [`+strings.Join(problems, ", ")+`]}`)
	put("study.yaml", "datasets: {d: {frames: "+dir+"/f.npy, baseline: random:4, cache: \"off\", bootstrap: 0, only: [manifold]}}\n")
	values := make([]float32, 12*9*32)
	for i := range values {
		values[i] = float32(i * i % 251)
	}
	whole := make([]uint8, 30*8*8)
	for i := range whole {
		whole[i] = uint8(values[i])
	}
	ids, labels := make([]int64, 12*9), make([]int64, 12*9)
	for i := range ids {
		ids[i], labels[i] = int64(4+i*i%20), int64(i%3/2)
	}
	if err := dataset.WriteNPZ(filepath.Join(dir, "dump.npz"), dataset.Field{Name: "token_ids", Shape: []int{12, 9}, Data: ids},
		dataset.Field{Name: "mask_labels", Shape: []int{12, 9}, Data: labels}, dataset.Field{Name: "logits", Shape: []int{12, 9, 32}, Data: values[:12*9*32]}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"p.npy":       dataset.WriteNPY(filepath.Join(dir, "p.npy"), []int{30, 8, 8}, whole),
		"truth.npy":   dataset.WriteNPY(filepath.Join(dir, "truth.npy"), []int{12, 1, 2, 3}, values[:12*6]),
		"members.npy": dataset.WriteNPY(filepath.Join(dir, "members.npy"), []int{12, 3, 1, 2, 3}, values[:12*3*6]),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	// A result with scores per sample.
	robustness, _ := Find("robustness")
	var stderr bytes.Buffer
	args := strings.Fields(strings.ReplaceAll("--frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --per-sample --draws 1 --format none --out {}/r", "{}", dir))
	if code := run.Run(t.Context(), robustness.Command, args, &stderr, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "r", "robustness.json"))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := os.ReadFile(filepath.Join(dir, "r", "robustness_samples.csv"))
	if err != nil {
		t.Fatal(err)
	}
	put("r.json", strings.Replace(string(text), "robustness_samples.csv", "r_samples.csv", 1))
	put("found/r.json", string(text))
	put("r_samples.csv", string(samples))
}

// contents are the files below a folder, by their names from there.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every file that a binary has written is replaced by an input, in turn, as a hard link, a link, and in a folder that
// is reached by another name: the next run is wrong usage and names both, before it reads, and so is --dry-run. What
// a run has written, its command has declared.
func TestOutputsAreNoInputs(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	for _, e := range All() {
		if e.Name == "scale" {
			continue // see its own tests
		}
		for _, line := range apart[e.Name] {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				apartFiles(t, dir)
				input, rest, _ := strings.Cut(strings.ReplaceAll(line, "{}", dir), " ")
				out := filepath.Join(dir, "out")
				args := append(strings.Fields(rest), "--quiet")
				if !strings.Contains(rest, "--out ") {
					args = append(args, "--out", out)
				}
				call := func(more ...string) (int, string) {
					var stderr bytes.Buffer
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					code := run.Run(ctx, e.Command, append(slices.Clone(args), more...), &bytes.Buffer{}, &stderr)
					return code, stderr.String()
				}
				if strings.Contains(rest, "--sequences") {
					return // for a plan of masks alone: see TestWritingFlags
				}
				if code, message := call(); code != 0 && e.Name != "canvas" { // of which the pictures are missing
					t.Fatalf("exit %d: %s", code, message)
				}
				written := slices.DeleteFunc(slices.Sorted(maps.Keys(contents(t, out))), func(name string) bool {
					return slices.ContainsFunc(state, func(s string) bool { return strings.HasPrefix(path.Base(name), s) })
				})
				if len(written) == 0 {
					t.Fatal("nothing was written")
				}
				declared(t, e.Command, args, out, written)
				refused(t, dir, out, input, written, call, slices.Contains(run.FlagNames(e.Command), "dry-run") && !slices.Contains(args, "report") && !slices.Contains(args, "--shard"))
			})
		}
	}
	for name := range apart {
		if _, ok := Find(name); !ok {
			t.Errorf("there is no binary %s", name)
		}
	}
	for _, c := range Commands() {
		if c.Name != "scale" && len(apart[c.Name]) == 0 {
			t.Errorf("%s has no command line in this test", c.Name)
		}
	}
}

// declared holds files that were written against what the command says that it may write.
func declared(t *testing.T, c run.Command, args []string, out string, written []string) {
	t.Helper()
	patterns, err := run.MayWrite(c, args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range written {
		if c.Name == "evaluate" && strings.Contains(name, "/") { // of a task
			continue
		}
		if !slices.ContainsFunc(patterns, func(p string) bool { ok, _ := filepath.Match(p, name); return ok }) {
			t.Errorf("%s has written %s, which its Files do not name: %v", c.Name, name, patterns)
		}
	}
}

// state are files of a folder that its own runs read and write again, or their beginnings.
var state = []string{".evaluate", "evaluation_results.json"}

// refused puts an input in the place of every file that was written.
func refused(t *testing.T, dir, out, input string, written []string, call func(more ...string) (int, string), plans bool) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(input))
	for i, name := range written {
		target := filepath.Join(out, filepath.FromSlash(name))
		was, err := os.ReadFile(target)
		if err != nil {
			t.Fatal(err)
		}
		link := []func(string, string) error{os.Link, os.Symlink}[i%2]
		if err := os.Remove(target); err != nil {
			t.Fatal(err)
		}
		if err := link(path, target); err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		for _, more := range [][]string{nil, {"--dry-run"}} {
			if more != nil && !plans {
				continue
			}
			code, message := call(more...)
			if code != 2 || !strings.Contains(message, filepath.Base(target)) || !strings.Contains(message, filepath.Base(path)) || strings.Count(strings.TrimSpace(message), "\n") > 1 {
				t.Errorf("%s is %s, %v: exit %d: %s", name, input, more, code, message)
			}
		}
		if after := contents(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s is %s: files have changed", name, input)
		}
		if err := os.Remove(target); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, was, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// places are flags that take a path where the run keeps what it reads and writes again: folders of caches, and names in
// --out.
var places = []string{"cache", "output", "rates"}

// Every flag that takes a path is declared to read or to write there; the second kind is held against
// inputs.
func TestWritingFlags(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	tried := map[string]bool{}
	for _, c := range Commands() {
		writing, reading := run.WritingFlags(c), run.ReadingFlags(c)
		run.VisitFlags(c, func(f *flag.Flag) {
			kind, usage := flag.UnquoteUsage(f)
			path := false
			for _, word := range []string{"FILE", "DIR", "PATTERN", "array", "table", "folder", "file", "json"} {
				path = path || strings.Contains(kind, word)
			}
			path = path || kind == "LIST" && strings.Contains(usage, "files,")
			switch {
			case path && !slices.Contains(writing, f.Name) && !slices.Contains(reading, f.Name) && !slices.Contains(places, f.Name):
				t.Errorf("%s --%s takes a path: declare with option.List whether it Reads or Writes it", c.Name, f.Name)
			case slices.Contains(writing, f.Name) && f.Name != "out":
				tried[c.Name+" "+f.Name] = true
				writesNoInput(t, c, f.Name, dir)
			}
		})
	}
	for _, name := range []string{"compare table", "compare save-table", "compare figure", "compare plot",
		"compare save-plot", "forecast documented-json", "sequence documented-json", "sequence mask-plan", "audit write-split", "audit junit", "compare junit"} {
		if !tried[name] {
			t.Errorf("%s is no writing flag", name)
		}
	}
}

// A command line that says where it writes can be given again: what it wrote is no input, by whatever name of its flag.
func TestWrittenTwice(t *testing.T) {
	runtest.Long(t, "it runs every program twice")
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	for _, c := range Commands() {
		if c.Name == "scale" {
			continue // its outputs are those of --out
		}
		for _, name := range run.WritingFlags(c) {
			if name == "out" {
				continue
			}
			lines, value := apart[c.Name], "twice.json"
			switch name {
			case "mask-plan":
				lines, value = lines[1:], "twice.npz"
			case "table", "save-table":
				value = "twice.csv"
			case "figure", "plot", "save-plot":
				value = "twice.svg"
			case "write-split":
				value = "twice.npy"
			case "junit":
				value = "twice.xml"
				if c.Name == "compare" {
					lines = []string{"r.json --example --format none"}
				}
			}
			_, rest, _ := strings.Cut(strings.ReplaceAll(lines[0], "{}", dir), " ")
			args := append(strings.Fields(rest), "--quiet", "--out", filepath.Join(dir, "twice"), "--"+name, filepath.Join(dir, value))
			if name == "junit" {
				args = append(args, checksOf[c.Name]...)
			}
			for range 2 {
				var stderr bytes.Buffer
				if code := run.Run(t.Context(), c, args, &bytes.Buffer{}, &stderr); code != 0 {
					t.Errorf("%s %s: exit %d: %s", c.Name, strings.Join(args, " "), code, stderr.String())
				}
			}
		}
	}
}

// A name of a file of --out is no input either, where the working folder has a file of this name.
func TestNamedTwice(t *testing.T) { //nolint:paralleltest // in a working folder of its own
	dir := t.TempDir()
	apartFiles(t, dir)
	t.Chdir(dir)
	encode, _ := Find("encode")
	for range 2 {
		var stderr bytes.Buffer
		args := strings.Fields("--frames f.npy --baseline random:4 --output z.npy --out . --quiet")
		if code := run.Run(t.Context(), encode.Command, args, &bytes.Buffer{}, &stderr); code != 0 {
			t.Errorf("exit %d: %s", code, stderr.String())
		}
	}
	var stderr bytes.Buffer
	args := strings.Fields("--frames f.npy --baseline random:4 --output f.npy --out . --quiet")
	if code := run.Run(t.Context(), encode.Command, args, &bytes.Buffer{}, &stderr); code != 2 || !strings.Contains(stderr.String(), "f.npy would overwrite") {
		t.Errorf("over its frames: exit %d: %s", code, stderr.String())
	}
}

// checksOf are the checks that --junit is about; they hold.
var checksOf = map[string][]string{"compare": {"--fail-if-worse", "error>100"}, "audit": {"--fail-if-leaks", "1"}}

// writesNoInput gives a flag the name of an input, with whatever ending it takes, and by other spellings.
func writesNoInput(t *testing.T, c run.Command, name, dir string) {
	t.Helper()
	line := apart[c.Name][0]
	if name == "mask-plan" {
		line = apart[c.Name][1]
	}
	input, rest, _ := strings.Cut(strings.ReplaceAll(line, "{}", dir), " ")
	path := filepath.Join(dir, input)
	folder := t.TempDir()
	if err := os.Symlink(folder, filepath.Join(folder, "self")); err != nil {
		t.Skip(err)
	}
	refused := 0
	for _, ending := range []string{"csv", "md", "tex", "json", "npz", "npy", "png", "pdf", "svg", "html", "xml"} {
		link := "taken." + ending
		if err := os.Link(path, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{folder + "/" + link, folder + "/self/../" + filepath.Base(folder) + "/self/" + link} {
			var stderr bytes.Buffer
			args := append(strings.Fields(rest), "--quiet", "--out", filepath.Join(folder, "out"), "--"+name+"="+value)
			if name == "junit" {
				args = append(args, checksOf[c.Name]...)
			}
			code := run.Run(t.Context(), c, args, &bytes.Buffer{}, &stderr)
			if code == 2 && strings.Contains(stderr.String(), link+" would overwrite") && strings.Contains(stderr.String(), input) {
				refused++
			} else if code != 2 || !strings.Contains(stderr.String(), "want a name that ends in") && !strings.Contains(stderr.String(), "ends in .npz") {
				t.Errorf("%s --%s %s: exit %d: %s", c.Name, name, value, code, stderr.String())
			}
		}
	}
	if refused == 0 {
		t.Errorf("%s --%s takes no ending", c.Name, name)
	}
}

// Two outputs that are one file are wrong usage, too.
func TestTwoOutputsAreOne(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	if err := os.Symlink(dir, filepath.Join(dir, "self")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ line, want string }{
		{"compare {}/r.json --table {}/x.csv --save-table {}/self/x.csv", "are the same file"},
		{"compare {}/r.json --figure {}/x.png --plot {}/./x.png", "are the same file"},
		{"compare {}/r.json --figure {}/out/compare.png", "the run writes its own file of this name"},
		{"compare {}/r.json --figure {}/self/out/compare.png", "the run writes its own file of this name"},
		{"forecast --target {}/truth.npy --forecast a={}/members.npy --documented-json {}/out/forecast.json", "the run writes its own file of this name"},
		{"sequence --dump a={}/dump.npz --documented-json {}/self/out/sequence.json", "the run writes its own file of this name"},
	} {
		name, rest, _ := strings.Cut(strings.ReplaceAll(c.line, "{}", dir), " ")
		e, _ := Find(name)
		for _, more := range []string{"", "--dry-run"} {
			var stderr bytes.Buffer
			code := run.Run(t.Context(), e.Command, strings.Fields(rest+" --out "+dir+"/out "+more), &bytes.Buffer{}, &stderr)
			if code != 2 || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("%s %s: exit %d: %s", c.line, more, code, stderr.String())
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a folder was made")
	}
}

// An input that no flag names is found before anything is computed: an image of a folder, external data of a model, a
// model of --weights, a file of a suite's other task.
func TestFoundInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	out := filepath.Join(dir, "out")
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	conv, err := os.ReadFile("../latent/testdata/conv.pth")
	must(err)
	must(os.MkdirAll(filepath.Join(dir, "weights", "a"), 0o777), os.WriteFile(filepath.Join(dir, "weights", "a", "best_encoder.pth"), conv, 0o666), os.MkdirAll(out, 0o777))
	must(os.MkdirAll(filepath.Join(dir, "hf"), 0o777))
	must(os.WriteFile(filepath.Join(dir, "hf", "config.json"), []byte("{}"), 0o666), os.WriteFile(filepath.Join(dir, "hf", "model.safetensors"), conv, 0o666))
	must(os.MkdirAll(filepath.Join(dir, "images", "e1"), 0o777), os.WriteFile(filepath.Join(dir, "images", "e1", "x.png"), []byte("no image"), 0o666))
	must(os.WriteFile(filepath.Join(dir, "two.yaml"), []byte("datasets:\n a: {frames: "+dir+"/f.npy, baseline: random:4, only: [manifold]}\n b: {frames: "+dir+"/nan.npy, baseline: random:4, only: [manifold]}\n"), 0o666))
	for _, c := range []struct{ line, target, input string }{
		{"smoothness --frames {}/f.npy --weights {}/weights", "smoothness.json", "weights/a/best_encoder.pth"},
		{"encode --frames {}/f.npy --weights {}/weights", "a.npy", "weights/a/best_encoder.pth"},
		{"smoothness --frames {}/images --baseline pca", "smoothness_comparison.png", "images/e1/x.png"},
		{"manifold --frames {}/f.npy --model a={}/hf", "manifold.json", "hf/config.json"},
		{"manifold --frames {}/f.npy --model a={}/hf", "manifold.json", "hf/model.safetensors"},
		{"manifold --frames {}/f.npy:frames --latents a={}/p.npy:key", "manifold.json", "p.npy"},
		{"evaluate {}/two.yaml", "a/manifold/manifold.json", "nan.npy"},
		{"evaluate {}/two.yaml", "report.html", "two.yaml"},
	} {
		target := filepath.Join(out, filepath.FromSlash(c.target))
		must(os.MkdirAll(filepath.Dir(target), 0o777), os.Link(filepath.Join(dir, c.input), target))
		name, rest, _ := strings.Cut(strings.ReplaceAll(c.line, "{}", dir), " ")
		e, _ := Find(name)
		before := contents(t, dir)
		for _, more := range []string{"", "--dry-run"} {
			var stderr bytes.Buffer
			code := run.Run(t.Context(), e.Command, strings.Fields(rest+" --out "+out+" "+more), &bytes.Buffer{}, &stderr)
			if code != 2 || !strings.Contains(stderr.String(), filepath.FromSlash(c.target)+" would overwrite") || !strings.Contains(stderr.String(), filepath.FromSlash(c.input)) {
				t.Errorf("%s %s over %s: exit %d: %s", c.line, more, c.input, code, stderr.String())
			}
		}
		if after := contents(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s over %s: files have changed", c.line, c.input)
		}
		must(os.Remove(target))
	}
}

// A folder that is read as a whole gets no new part: an image among frames, an episode, a file of a Zarr store, a metric of
// MLflow; and other files of a compared result stay what they are.
func TestPartsOfInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	var picture bytes.Buffer
	err := errors.Join(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 9, 8))), os.CopyFS(filepath.Join(dir, "x.zarr"), os.DirFS("../dataset/zarr/testdata/xarray_v2.zarr")))
	content := picture.Bytes()
	for name, file := range map[string][]byte{"img/1.png": content, "img/2.png": content, "eps/a/1.png": content, "eps/b/1.png": content, "mlruns/0/meta.yaml": nil, "mlruns/0/a/meta.yaml": nil,
		"mlruns/0/a/metrics/loss": []byte("1 0.5 0\n"), "r.sha256": []byte(strings.Repeat("0", 64) + "  more.csv\n"), "more.csv": nil, "split.csv": []byte("part\n0\n1\n")} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, file, 0o666))
	}
	// Other names of parts of folders: a chunk of the store, an image, a metric.
	for name, part := range map[string]string{"hard/manifold.json": "x.zarr/.zgroup", "hard/manifold_dimension_analysis.png": "img/1.png",
		"hard/compare_table.csv": "mlruns/0/a/metrics/loss", "hard/encode.json": "x.zarr/packed/.zarray"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.Link(filepath.Join(dir, filepath.FromSlash(part)), path))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"manifold --frames {}/x.zarr:packed --skip-nan --out {}/hard", "hard/manifold.json would overwrite"},
		{"encode --frames {}/x.zarr:packed --skip-nan --baseline pca:1 --out {}/hard", "hard/encode.json would overwrite"},
		{"manifold --frames {}/img --out {}/hard", "hard/manifold_dimension_analysis.png would overwrite"},
		{"compare {}/mlruns --out {}/hard", "hard/compare_table.csv would overwrite"},
		{"compare {}/r.json --out {}/out --table {}/hard/manifold_dimension_analysis.png", ""},
		{"manifold --frames {}/img --out {}/img", "img/manifold_dimension_analysis.png would become a part of --frames {}/img"},
		{"manifold --frames {}/img --out {}/img --format svg", ""},
		{"manifold --frames {}/img --out {}/img/plots", ""},
		{"manifold --frames {}/eps --out {}/eps", "would become a part of --frames {}/eps"},
		{"manifold --frames {}/eps --out {}/eps/b", "would become a part of --frames {}/eps"},
		{"manifold --frames {}/eps --out {}/eps/plots/new", "would become a part of --frames {}/eps"},
		{"manifold --frames {}/eps --out {}/eps/b/plots", ""},
		{"manifold --frames {}/eps --out {}/eps/.plots", ""},
		{"similarity --latents a={}/x.zarr:packed --latents b={}/x.zarr:packed --out {}/x.zarr/new", "would become a part of --latents a={}/x.zarr"},
		{"audit --train {}/img --test {}/img --out {}/img", "img/audit.png would become a part of --train {}/img"},
		{"audit --frames {}/x.zarr:packed --split {}/split.csv --out {}/out --write-split {}/x.zarr/packed/s.npy", "s.npy would become a part of --frames {}/x.zarr"},
		{"compare {}/mlruns --out {}/mlruns/0/a/metrics", "would become a part of argument {}/mlruns"},
		{"compare {}/mlruns --out {}/out --table {}/mlruns/0/a/metrics/loss.csv", "loss.csv would become a part of argument {}/mlruns"},
		{"compare {}/mlruns --out {}/mlruns/0/a", ""},
		{"compare {}/r.json --out {}/out --table {}/more.csv", "more.csv would overwrite"},
	} {
		name, rest, _ := strings.Cut(strings.ReplaceAll(c.line, "{}", dir), " ")
		e, _ := Find(name)
		before := contents(t, dir)
		args := append(strings.Fields(rest), "--dry-run", "--quiet")
		if name == "manifold" {
			args = append(args, "--baseline", "pca:1")
		}
		var stderr bytes.Buffer
		code := run.Run(t.Context(), e.Command, args, &bytes.Buffer{}, &stderr)
		refused := code == 2 && strings.Contains(stderr.String(), "; nothing was written")
		if refused != (c.want != "") || !strings.Contains(stderr.String(), strings.ReplaceAll(c.want, "{}", dir)) {
			t.Errorf("%s: exit %d: %s", c.line, code, stderr.String())
		}
		if after := contents(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s: files have changed", c.line)
		}
	}
}

// What only looks like an input of the same name is none: a run that writes beside its inputs is not wrong usage.
func TestOutputsBesideInputs(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	dir := t.TempDir()
	apartFiles(t, dir)
	for _, line := range []string{
		"manifold --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --out {}", "encode --frames {}/f.npy --baseline random:4 --out {}",
		"compare {}/r.json --out {} --table {}/r.csv", "evaluate report {}/found", "evaluate report {}/found", "smoothness --example --samples 100 --bootstrap 0 --out {}",
	} {
		name, rest, _ := strings.Cut(strings.ReplaceAll(line, "{}", dir), " ")
		e, _ := Find(name)
		for range 2 {
			var stderr bytes.Buffer
			if code := run.Run(t.Context(), e.Command, append(strings.Fields(rest), "--quiet"), &bytes.Buffer{}, &stderr); code != 0 {
				t.Errorf("%s: exit %d: %s", line, code, stderr.String())
			}
		}
	}
	var result struct{ Inputs []struct{ Path string } }
	data, err := os.ReadFile(filepath.Join(dir, "compare.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &result); err != nil || len(result.Inputs) != 1 {
		t.Errorf("inputs of compare: %+v, %v", result, err)
	}
}
