// Tests of flag values, nearest names, configuration files and the help.

package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"repscope/latent"
	"repscope/report"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "450MB": 450e6, "2GiB": 2 << 30, "1.5k": 1500, "100": 100, "7 mib": 7 << 20, "3T": 3e12, "12B": 12, "0.5GB": 5e8,
	} {
		var s size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%q: got %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1XB", "1e30", "NaN", "inf", "1 2MB", "0x"} {
		var s size
		if err := s.Set(text); err == nil {
			t.Errorf("%q was accepted as %d", text, s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := size(rapid.Int64Range(0, 1<<50).Draw(t, "bytes"))
		var back size
		if err := back.Set(s.String()); err != nil || back != s {
			t.Fatalf("%d is written %q and read as %d, %v", int64(s), s.String(), int64(back), err)
		}
	})
}

// testFlags registers the shared flags and one of each own kind.
func testFlags() (*Flags, *Options, *Command, *[]int, *[]float64) {
	c := &Command{Name: "fake", Summary: "a stand-in", Out: "out", Defaults: map[string]string{"bootstrap": "200"}}
	f, o := newFlags("fake"), &Options{}
	o.register(f, c)
	k := f.Ints("k", []int{5, 10}, "neighbours")
	sigma := f.Floats("sigma", []float64{0.1}, "noise")
	f.Choice("metric", "euclidean", []string{"euclidean", "cosine"}, "distance")
	f.Choices("corruption", []string{"gaussian"}, []string{"gaussian", "blur"}, "what is done to the frames")
	f.Size("limit", 1<<20, "bytes")
	f.Bool("fast", false, "be fast")
	f.Unrecorded("fast")
	return f, o, c, k, sigma
}

func TestParse(t *testing.T) {
	f, o, _, k, sigma := testFlags()
	err := parse(f, strings.Fields("-k 1,2,3 --sigma=0,0.5 --frames f.npz:x --model a=m.onnx --latents b=z.npy:k --weights w --baseline pca:8,random "+
		"--model c=x=y.onnx --pool mean --pool b=index:3 --format svg,png --seed 7 --memory 450MB --block 25 --json"))
	if err != nil {
		t.Fatal(err)
	}
	want := []source{
		{kind: "model", name: "a", path: "m.onnx"}, {kind: "latents", name: "b", path: "z.npy:k"}, {kind: "weights", path: "w"},
		{kind: "baseline", name: "pca", path: "pca", dim: 8}, {kind: "baseline", name: "random", path: "random"},
		{kind: "model", name: "c", path: "x=y.onnx"},
	}
	if !reflect.DeepEqual(o.sources, want) {
		t.Errorf("sources %+v, want %+v", o.sources, want)
	}
	if !slices.Equal(*k, []int{1, 2, 3}) || !slices.Equal(*sigma, []float64{0, 0.5}) {
		t.Errorf("lists %v, %v", *k, *sigma)
	}
	if o.pool.of("a") != "mean" || o.pool.of("b") != "index:3" {
		t.Errorf("pooling %+v", o.pool)
	}
	if !slices.Equal(o.Formats, []string{"svg", "png"}) || o.Seed != 7 || o.Memory != 450e6 || o.Block.String() != "25" || !o.JSON || o.Bootstrap != 200 {
		t.Errorf("options %+v", o)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, test := range []struct{ args, message, hint string }{
		{"--modle a=b", "unknown flag --modle", "did you mean --model?"},
		{"--qqqqq", "unknown flag --qqqqq", ""},
		{"--format gif", `"gif" is not one of png, pdf, svg`, ""},
		{"--format pgn", `invalid value "pgn" for flag --format`, "did you mean png?"},
		{"--format png,png", "given twice", ""},
		{"--metric cosin", "is not one of euclidean, cosine", "did you mean cosine?"},
		{"--device tpu2", "is not a device: want auto, cpu, cuda", ""},
		{"--pool first", `pooling "first"`, ""},
		{"--latent-scale rsm", "is not one of raw, l2, rms", "did you mean rms?"},
		{"--k 5,x", `"x" is not an integer`, ""},
		{"--k ", "", ""},
		{"--sigma nan", `"nan" is not a number`, ""},
		{"--samples -1", "-1 is below 0", ""},
		{"--batch 0", "0 is below 1", ""},
		{"--batch 1.5", "is not an integer", ""},
		{"--memory lots", "is not a size", ""},
		{"--model weights/jepa.onnx", "want NAME=FILE", "did you mean jepa=weights/jepa.onnx?"},
		{"--model =x.onnx", "want NAME=FILE", "did you mean x=x.onnx?"},
		{"--latents x=", "want NAME=FILE", ""},
		{"--baseline pac", "is not one of pca, random", "did you mean pca?"},
		{"--baseline pca:0", "not a positive integer", ""},
		{"--seed -3", "invalid value", ""},
		{"--frames", "flag needs an argument", ""},
		{"--block weekly", "block", ""},
		{"stray.npy", `unexpected argument "stray.npy"`, ""},
		{"--input-scale sigmoid", "is not one of auto, raw, unit", ""},
		{"--resize 64", "is not a size such as 64x64", ""},
		{"--resize a=0x64", "is not a size such as 64x64", ""},
		{"--mean 0.5,x", `"x" is not a number`, ""},
		{"--std a=", "the list is empty", ""},
		{"--interpolation bilinaer", "is not one of bilinear, nearest", "did you mean bilinear?"},
		{"--layer a=", "names no layer", ""},
		{"--layer =x", "no model name", ""},
		{"--heads 0", "not a positive integer", ""},
		{"--pool none", "want last, mean, cls, flatten or index:K", ""},
	} {
		f, _, _, _, _ := testFlags()
		args := strings.Fields(test.args)
		if test.args == "--k " {
			args, test.message = []string{"--k", ""}, `"" is not an integer`
		}
		err := parse(f, args)
		switch {
		case err == nil:
			t.Errorf("%s was accepted", test.args)
		case !strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: message %q, want %q in it", test.args, err, test.message)
		case exitCode(err) != exitUsage:
			t.Errorf("%s: exit code %d", test.args, exitCode(err))
		case test.hint != strings.Join(hintsOf(err), "\n"):
			t.Errorf("%s: hints %q, want %q", test.args, hintsOf(err), test.hint)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		args, message string
		change        func(*Command)
	}{
		{args: "", message: "no input"},
		{args: "--frames f.npy", message: "no models"},
		{args: "--model a=b", message: "no frames"},
		{args: "--baseline pca", message: "no frames"},
		{args: "--latents a=b", message: ""},
		{args: "--latents a=b", message: "no frames", change: func(c *Command) { c.Frames = true }},
		{args: "--frames f --latents a=b", message: "runs the encoders itself", change: func(c *Command) { c.Encoders = true }},
		{args: "--example --frames f", message: "brings its own frames"},
		{args: "--example --episodes f", message: "brings its own episodes"},
		{args: "--example", message: ""},
		{args: "--example --model jepa=x", message: `two models are named "jepa"`},
		{args: "--frames f --model a=x --latents a=y", message: `two models are named "a"`},
		{args: "--frames f --model a=x --baseline pca,pca:3", message: `two models are named "pca"`},
		{args: "--frames f --model jepa=x --pool jeap=last", message: `no model is named "jeap"`},
		{args: "--frames f --weights w --pool jeap=last", message: ""},
	} {
		f, o, c, _, _ := testFlags()
		if test.change != nil {
			test.change(c)
		}
		if err := parse(f, strings.Fields(test.args)); err != nil {
			t.Fatal(err)
		}
		err := o.check(c)
		switch {
		case test.message == "" && err != nil:
			t.Errorf("%s: %v", test.args, err)
		case test.message == "":
		case err == nil || !strings.Contains(err.Error(), test.message) || exitCode(err) != exitUsage:
			t.Errorf("%s: got %v, want %q", test.args, err, test.message)
		}
		if err != nil && strings.HasPrefix(test.message, "no input") && !strings.Contains(strings.Join(hintsOf(err), "\n"), "--example") {
			t.Errorf("%s: hints %q do not point to the example", test.args, hintsOf(err))
		}
	}
}

func TestConfig(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	apply := func(yaml, args string) (*Options, *[]int, error) {
		if err := os.WriteFile(path, []byte(yaml), 0o666); err != nil {
			t.Fatal(err)
		}
		f, o, _, k, _ := testFlags()
		if err := parse(f, strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		return o, k, applyConfig(f, path)
	}
	o, k, err := apply("frames: f.npy\nmodel:\n  jepa: a.onnx\n  encdec: b.onnx\nlatents: [c=z.npy, 'd=y.npy:k']\nk: [1, 2]\nbaseline: pca:4,random\n"+
		"skip-nan: true\nseed: 9\nsamples: 100\npool: {jepa: last, c: mean}\nmemory: 2GiB\nformat: [png, svg]\nblock: episode\n", "--seed 11 -k 3")
	if err != nil {
		t.Fatal(err)
	}
	want := []source{
		{kind: "model", name: "jepa", path: "a.onnx"}, {kind: "model", name: "encdec", path: "b.onnx"},
		{kind: "latents", name: "c", path: "z.npy"}, {kind: "latents", name: "d", path: "y.npy:k"},
		{kind: "baseline", name: "pca", path: "pca", dim: 4}, {kind: "baseline", name: "random", path: "random"},
	}
	if !reflect.DeepEqual(o.sources, want) {
		t.Errorf("sources %+v", o.sources)
	}
	if o.Seed != 11 || !slices.Equal(*k, []int{3}) || o.Samples != 100 || !o.SkipNaN || o.Memory != 2<<30 || o.pool.of("c") != "mean" || len(o.Formats) != 2 {
		t.Errorf("options %+v, k %v", o, *k)
	}
	if o, _, err := apply("model: {a: x}\n", "--model b=y"); err != nil || len(o.sources) != 1 || o.sources[0].name != "b" {
		t.Errorf("the command line should replace the list: %+v, %v", o.sources, err)
	}
	o, _, err = apply("mean: [0.5, 0.25]\nstd: {a: [1, 2], b: 3}\nlayer: {a: [x, 'y*'], b: z}\nresize: 8x9\n", "--input-scale b=raw")
	if err != nil {
		t.Fatal(err)
	}
	a, err := o.preprocessing("a")
	if err != nil || !slices.Equal(a.Mean, []float64{0.5, 0.25}) || !slices.Equal(a.Std, []float64{1, 2}) || a.Height != 8 || a.Width != 9 || a.Scale != latent.ScaleUnit {
		t.Errorf("preprocessing of a: %+v, %v", a, err)
	}
	b, err := o.preprocessing("b")
	if err != nil || !slices.Equal(b.Mean, a.Mean) || !slices.Equal(b.Std, []float64{3}) || b.Scale != latent.ScaleRaw {
		t.Errorf("preprocessing of b: %+v, %v", b, err)
	}
	if !slices.Equal(o.open("a").Layers, []string{"x", "y*"}) || !slices.Equal(o.open("b").Layers, []string{"z"}) || o.open("c").Layers != nil {
		t.Errorf("layers %v", o.layer)
	}
	if _, _, err := apply("", ""); err != nil {
		t.Errorf("an empty file: %v", err)
	}
	for _, test := range []struct{ yaml, message, hint string }{
		{"sead: 1\n", `line 1: unknown option "sead"`, "did you mean seed?"},
		{"seed: 1\n\nconfig: x\n", `line 3: unknown option "config"`, ""},
		{"seed: 1\nseed: 2\n", "seed", ""},
		{"seed:\n", "it has no value", ""},
		{"seed: x\n", "option seed", ""},
		{"metric: cosin\n", "is not one of", "did you mean cosine?"},
		{"seed: {a: 1}\n", "want a plain value or a list", ""},
		{"k: [[1]]\n", "want a list of plain values", ""},
		{"model: {a: [1]}\n", "want a plain value for a", ""},
		{"- seed\n", "name: value", ""},
		{"seed: [1\n", "configuration", ""},
		{"skip-nan: perhaps\n", "option skip-nan", ""},
	} {
		_, _, err := apply(test.yaml, "")
		switch {
		case err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), path) || exitCode(err) != exitUsage:
			t.Errorf("%q: got %v, want %q", test.yaml, err, test.message)
		case test.hint != strings.Join(hintsOf(err), "\n"):
			t.Errorf("%q: hints %q", test.yaml, hintsOf(err))
		}
	}
	f, _, _, _, _ := testFlags()
	if err := applyConfig(f, filepath.Join(dir, "none.yaml")); err == nil || exitCode(err) != exitFailed {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"seed: 1\n", "model: {a: b}\n", "k: [1,2]\n", "a: &x [*x]\n", "x: &a {<<: *a}\n", "? [a]\n: b\n", "---\n...\n", "\x00"} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "c.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		flags, _, _, _, _ := testFlags()
		if err := applyConfig(flags, path); err != nil && exitCode(err) != exitUsage {
			t.Errorf("%q: %v is not wrong usage", data, err)
		}
	})
}

func TestRecordedOptions(t *testing.T) {
	f, _, _, _, _ := testFlags()
	if err := parse(f, strings.Fields("--threads 3 --batch 5 --k 7 --fast --pool a=last --quiet")); err != nil {
		t.Fatal(err)
	}
	recorded := f.recorded()
	var b bytes.Buffer
	if err := report.Encode(&b, recorded); err != nil {
		t.Fatal(err)
	}
	want := []string{"window", "layout", "pixel-range", "skip-nan", "resize", "interpolation", "input-scale", "mean", "std", "layer", "pool", "activation", "final-activation", "heads", "state",
		"samples", "seed", "bootstrap", "block", "latent-scale", "corruption", "k", "limit", "metric", "sigma"}
	if diff := cmp.Diff(want, recorded.Keys()); diff != "" {
		t.Errorf("recorded options (−want +got):\n%s", diff)
	}
	for _, part := range []string{`"k": [7]`, `"pool": "a=last"`, `"bootstrap": 200`, `"corruption": ["gaussian"]`, `"skip-nan": false`, `"block": "auto"`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s is missing in %s", part, b.String())
		}
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	f, _, c, _, _ := testFlags()
	var b bytes.Buffer
	if err := help(&b, c, f); err != nil {
		t.Fatal(err)
	}
	f.VisitAll(func(fl *flag.Flag) {
		if strings.Count(b.String(), "\n  --"+fl.Name+" ")+strings.Count(b.String(), "\n  --"+fl.Name+"\n") != 1 {
			t.Errorf("--%s is not in the help exactly once", fl.Name)
		}
	})
	for _, part := range []string{"fake: a stand-in", "inputs:", "statistics:", "output:", "exit status:", "--example", "(default 200)"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is missing in the help", part)
		}
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("a long line: %q", line)
		}
	}
}

func TestHints(t *testing.T) {
	if Hint(nil, "x") != nil {
		t.Error("a hint made an error of nil")
	}
	err := fmt.Errorf("outer: %w", Hint(Usage("inner"), "first", ""))
	err = Hint(err, "second")
	if got := hintsOf(err); !slices.Equal(got, []string{"second", "first"}) && !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("hints %q", got)
	}
	if exitCode(err) != exitUsage || exitCode(Hint(context.Canceled)) != exitFailed || exitCode(nil) != exitDone {
		t.Error("exit codes")
	}
}

func TestBar(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &bar{label: "encoding jepa", start: start}
	for _, test := range []struct {
		done, total, width int
		after              time.Duration
		want               string
	}{
		{250, 1000, 80, 5 * time.Second, "encoding jepa  25% [=====               ] 250/1000 50/s 15s left"},
		{0, 1000, 60, 0, "encoding jepa   0% [                              ] 0/1000"},
		{999, 1000, 30, time.Hour, "encoding jepa  99%  999/1000 0"},
		{1, 4000000, 70, time.Second, "encoding jepa   0% [            ] 1/4000000 1.0/s long left"},
	} {
		got := b.line(test.done, test.total, start.Add(test.after), test.width)
		if test.width == 80 { // the bar's own length is free
			got = strings.Join(strings.Fields(got), " ")
			if !strings.HasPrefix(got, "encoding jepa 25% [=") || !strings.HasSuffix(got, "] 250/1000 50/s 15s left") {
				t.Errorf("got %q", got)
			}
			continue
		}
		if len(got) > test.width {
			t.Errorf("%q is longer than %d", got, test.width)
		}
		if test.width != 60 && !strings.HasPrefix(got, test.want[:18]) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
