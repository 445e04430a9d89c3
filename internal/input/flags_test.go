// Tests of the flags of states and models: their values, their checks, the
// configuration file and the help.

package input

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/report"
)

// parsed is what becomes of a command line.
type parsed struct {
	inputs         *Inputs
	options        run.Options
	recorded       report.Object
	code           int
	stdout, stderr string
	checked        bool // the flags of states and models were found right
}

// message is the first line on stderr, hints what is hinted at but for the help.
func (p parsed) message() string { return strings.SplitN(p.stderr, "\n", 2)[0] }
func (p parsed) hints() string {
	var hints []string
	for line := range strings.SplitSeq(p.stderr, "\n") {
		if hint, ok := strings.CutPrefix(line, "fake: hint: "); ok && hint != "run fake --help for all flags" {
			hints = append(hints, hint)
		}
	}
	return strings.Join(hints, "\n")
}

// parseArgs runs a command that takes states and models, and loads nothing.
func parseArgs(t *testing.T, needs Needs, args ...string) parsed {
	t.Helper()
	var p parsed
	c := run.Command{
		Name: "fake", Summary: "a stand-in", Out: filepath.Join(t.TempDir(), "out"),
		Defaults: map[string]string{"bootstrap": "200", "samples": "3"},
		Setup: func(flags *run.Flags) run.Job {
			p.inputs = Register(flags, needs)
			k := []int{5}
			flags.Declare(option.Of(option.Func(func(l *option.List) { l.Ints(&k, "k", "neighbours") })))
			return run.Job{
				Instead: func(_ context.Context, o *run.Options, _ io.Writer) (bool, error) {
					p.options = *o
					return false, nil
				},
				Check: func(*run.Options) error { p.checked = true; return nil },
				Run: func(_ context.Context, env *run.Env) error {
					p.recorded = env.Result.Options
					return nil
				},
			}
		},
	}
	var stdout, stderr bytes.Buffer
	p.code = run.Run(t.Context(), c, args, &stdout, &stderr)
	p.stdout, p.stderr = stdout.String(), stderr.String()
	return p
}

func TestParse(t *testing.T) {
	t.Parallel()
	p := parseArgs(t, Needs{}, strings.Fields("--frames f.npz:x --model a=m.onnx --latents b=z.npy:k --weights w --baseline pca:8,random "+
		"--model c=x=y.onnx --pool mean --pool b=index:3 --block 25")...)
	if p.code != 0 {
		t.Fatal(p.stderr)
	}
	want := []source{
		{kind: "model", name: "a", path: "m.onnx"}, {kind: "latents", name: "b", path: "z.npy:k"}, {kind: "weights", path: "w"},
		{kind: "baseline", name: "pca", path: "pca", dim: 8}, {kind: "baseline", name: "random", path: "random"},
		{kind: "model", name: "c", path: "x=y.onnx"},
	}
	if !reflect.DeepEqual(p.inputs.sources, want) {
		t.Errorf("sources %+v, want %+v", p.inputs.sources, want)
	}
	if p.inputs.pool.of("a") != "mean" || p.inputs.pool.of("b") != "index:3" {
		t.Errorf("pooling %+v", p.inputs.pool)
	}
	if p.inputs.frames != "f.npz:x" || p.inputs.Block.String() != "25" || p.inputs.Samples != 3 || p.options.Bootstrap != 200 {
		t.Errorf("options %+v, %+v", p.inputs.Options, p.options)
	}
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, message, hint string }{
		{"--modle a=b", "unknown flag --modle", "did you mean --model?"},
		{"--device tpu2", "is not a device: want auto, cpu, cuda", ""},
		{"--pool first", `pooling "first"`, ""},
		{"--latent-scale rsm", "is not one of raw, l2, rms", "did you mean rms?"},
		{"--samples -1", "want a whole number from 0", ""},
		{"--batch 0", "want a whole number from 1", ""},
		{"--batch 1.5", "want a whole number from 1", ""},
		{"--model weights/jepa.onnx", "want NAME=FILE", "did you mean jepa=weights/jepa.onnx?"},
		{"--model =x.onnx", "want NAME=FILE", "did you mean x=x.onnx?"},
		{"--latents x=", "want NAME=FILE", ""},
		{"--baseline pac", "is not one of pca, random", "did you mean pca?"},
		{"--baseline pca:0", "not a positive integer", ""},
		{"--baseline random:1000000000000", "1000000000000 dimensions, want at most 65536", ""},
		{"--frames", "flag needs an argument", ""},
		{"--block weekly", "block", ""},
		{"stray.npy", `unexpected argument "stray.npy"`, ""},
		{"flags.go", `unexpected argument "flags.go"`, "files are given with --frames FILE, --model NAME=FILE or --latents NAME=FILE"},
		{"--input-scale sigmoid", "is not one of auto, raw, unit", ""},
		{"--resize 64", "is not a size such as 64x64", ""},
		{"--resize a=0x64", "is not a size such as 64x64", ""},
		{"--mean 0.5,x", `"x" is not a number`, ""},
		{"--std a=", "the list is empty", ""},
		{"--interpolation bilinaer", "is not one of bilinear, nearest", "did you mean bilinear?"},
		{"--layer a=", "does not name a layer", ""},
		{"--layer =x", "no model name", ""},
		{"--std 0", "0: want a number above 0", ""},
		{"--std a=1,-1", "-1: want a number above 0", ""},
		{"--mean 1 --mean 2", `"1" is given already`, ""},
		{"--std a=1 --std a=2", `a=1 is given already`, ""},
		{"--pixel-range foo", "want LOW,HIGH such as 0,255, or auto", ""},
		{"--pixel-range 1,0", "want LOW,HIGH such as 0,255, or auto", ""},
		{"--frames a.npy --frames b.npy", `flag --frames is given twice, as "a.npy" and as "b.npy"`, ""},
		{"--heads 0", "not a positive integer", ""},
		{"--window -1", "want a whole number from 0", ""},
		{"--window a=b", "want a whole number from 0", ""},
		{"--window a=1,=2", "no model name", ""},
		{"--episodes-kind flags", "is not one of auto, numbers, ends, starts", ""},
		{"--preprocess a=imagnet", "is not one of none, imagenet", "did you mean imagenet?"},
		{"--pool none", "want last, mean, cls, flatten or index:K", ""},
	} {
		p := parseArgs(t, Needs{}, strings.Fields(test.args)...)
		if p.code != 2 || p.stdout != "" || !strings.Contains(p.message(), test.message) || p.hints() != test.hint {
			t.Errorf("%s: exit %d, %q, hints %q; want %q and %q", test.args, p.code, p.message(), p.hints(), test.message, test.hint)
		}
	}
}

// Names that would break lines of tables and CSV files are wrong usage; any letters
// are right.
func TestModelNames(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"a\nb":         `the model name "a\nb" holds the control character "\n"`,
		"a\tb":         `holds the control character "\t"`,
		"a\xffb":       `the model name "a\xffb" is not valid UTF-8`,
		" a":           `the model name " a" begins or ends with a space`,
		"模型 (2) קידוד": "",
	} {
		p := parseArgs(t, Needs{}, "--latents", name+"=z.npy")
		if message == "" && p.code != 0 || message != "" && (p.checked || p.code != 2 || !strings.Contains(p.message(), message)) {
			t.Errorf("%q: exit %d, %q; want %q", name, p.code, p.message(), message)
		}
	}
	if err := checkName(source{kind: "model", name: "a=b", path: "w/a=b/best_encoder.onnx"}); err != nil {
		t.Errorf("a folder of weights named a=b: %v", err)
	}
}

// TestEqualsSigns: names and files with equals signs, as checkpoints of Lightning have them, on
// the command line and where a configuration has names and values apart.
func TestEqualsSigns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := filepath.Join(dir, "epoch=1-step=100.npy")
	if err := os.WriteFile(whole, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "c.yaml")
	yaml := "latents:\n  epoch=1-step=100: runs/epoch=1-step=100.npy\n  b\\\\c: z.npy\nlatent-scale: raw\n"
	if err := os.WriteFile(config, []byte(yaml), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want [2]string // name and path of the first model
	}{
		{[]string{"--latents", "a=runs/epoch=1-step=100.npy"}, [2]string{"a", "runs/epoch=1-step=100.npy"}},
		{[]string{"--latents", `epoch\=1-step\=100=runs/epoch=1-step=100.npy`}, [2]string{"epoch=1-step=100", "runs/epoch=1-step=100.npy"}},
		{[]string{"--config", config}, [2]string{"epoch=1-step=100", "runs/epoch=1-step=100.npy"}},
	} {
		p := parseArgs(t, Needs{}, c.args...)
		if p.code != 0 || len(p.inputs.sources) == 0 || [2]string{p.inputs.sources[0].name, p.inputs.sources[0].path} != c.want {
			t.Errorf("%q: exit %d, %q, %+v; want %q", c.args, p.code, p.message(), p.inputs.sources, c.want)
			continue
		}
		// What a shard or a study hands on is split in the same way.
		again := &sourceFlag{&Inputs{}, "latents"}
		if err := again.Set(run.JoinName(c.want[0], c.want[1])); err != nil || again.inputs.sources[0].name != c.want[0] {
			t.Errorf("%v, %+v", err, again.inputs.sources)
		}
	}
	if p := parseArgs(t, Needs{}, "--latents", whole); p.code != 2 || p.hints() != `did you mean epoch\=1-step\=100=`+strings.ReplaceAll(whole, `\`, `\\`)+"?" {
		t.Errorf("a file without a name: exit %d, %q, hints %q", p.code, p.message(), p.hints())
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args, message string
		needs         Needs
	}{
		{args: "", message: "no input"},
		{args: "--frames f.npy", message: "no models"},
		{args: "--model a=b", message: "no frames"},
		{args: "--baseline pca", message: "no frames"},
		{args: "--latents a=b", message: ""},
		{args: "--latents a=b", message: "no frames", needs: Needs{Frames: true}},
		{args: "--frames f --latents a=b", message: "runs the encoders itself", needs: Needs{Encoders: true}},
		{args: "--example --frames f", message: "has its own frames"},
		{args: "--example --episodes f", message: "has its own episodes"},
		{args: "--example", message: ""},
		{args: "--example --model jepa=x", message: `two models are named "jepa"`},
		{args: "--frames f --model a=x --latents a=y", message: `two models are named "a"`},
		{args: "--frames f --model a=x --baseline pca,pca:3", message: `two models are named "pca"`},
		{args: "--example --baseline pca:2", message: `two models are named "pca"`},
		{args: "--frames f --model jepa=x --pool jeap=last", message: `no model is named "jeap"`},
		{args: "--frames f --weights w --pool jeap=last", message: ""},
	} {
		p := parseArgs(t, test.needs, strings.Fields(test.args)...)
		switch {
		case test.message == "" && p.code != 0:
			t.Errorf("%s: %v", test.args, p.stderr)
		case test.message == "":
		case p.checked || !strings.Contains(p.message(), test.message) || p.code != 2:
			t.Errorf("%s: got %v, want %q", test.args, p.stderr, test.message)
		}
		for option, hint := range map[string]string{"--example --baseline": "has both baselines already", "pca,pca": "give pca and random at most once"} {
			if strings.Contains(test.args, option) && !strings.Contains(p.hints(), hint) {
				t.Errorf("%s: hints %q, want %q", test.args, p.hints(), hint)
			}
		}
		if strings.HasPrefix(test.message, "no input") && !strings.Contains(p.hints(), "--example") {
			t.Errorf("%s: hints %q do not point to the example", test.args, p.hints())
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	apply := func(yaml, args string) parsed {
		if err := os.WriteFile(path, []byte(yaml), 0o666); err != nil {
			t.Fatal(err)
		}
		return parseArgs(t, Needs{}, append(strings.Fields(args), "--config", path)...)
	}
	p := apply("frames: f.npy\nmodel:\n  jepa: a.onnx\n  encdec: b.onnx\nlatents: [c=z.npy, 'd=y.npy:k']\nk: [1, 2]\nbaseline: pca:4,random\n"+
		"skip-nan: true\nseed: 9\nsamples: 100\npool: {jepa: last, c: mean}\nmemory: 2GiB\nformat: [png, svg]\nblock: episode\n", "--seed 11 -k 3")
	if p.code != 0 {
		t.Fatal(p.stderr)
	}
	want := []source{
		{kind: "model", name: "jepa", path: "a.onnx"}, {kind: "model", name: "encdec", path: "b.onnx"},
		{kind: "latents", name: "c", path: "z.npy"}, {kind: "latents", name: "d", path: "y.npy:k"},
		{kind: "baseline", name: "pca", path: "pca", dim: 4}, {kind: "baseline", name: "random", path: "random"},
	}
	if !reflect.DeepEqual(p.inputs.sources, want) {
		t.Errorf("sources %+v", p.inputs.sources)
	}
	if o := p.options; o.Seed != 11 || p.inputs.Samples != 100 || !p.inputs.SkipNaN || o.Memory != 2<<30 || p.inputs.pool.of("c") != "mean" || len(o.Formats) != 2 {
		t.Errorf("options %+v, %+v", o, p.inputs.Options)
	}
	if k, _ := p.recorded.Get("k"); !reflect.DeepEqual(k, []int{3}) {
		t.Errorf("k %v", k)
	}
	if p := apply("model: {a: x}\nframes: f\n", "--model b=y"); p.code != 0 || len(p.inputs.sources) != 1 || p.inputs.sources[0].name != "b" {
		t.Errorf("the command line should replace the list: %+v, %v", p.inputs.sources, p.stderr)
	}
	in := apply("mean: [0.5, 0.25]\nstd: {a: [1, 2], b: 3}\nlayer: {a: [x, 'y*'], b: z}\nresize: 8x9\n", "--input-scale b=raw").inputs
	a, err := in.preprocessing("a", nil)
	if err != nil || !slices.Equal(a.Mean, []float64{0.5, 0.25}) || !slices.Equal(a.Std, []float64{1, 2}) || a.Height != 8 || a.Width != 9 || a.Scale != latent.ScaleUnit {
		t.Errorf("preprocessing of a: %+v, %v", a, err)
	}
	b, err := in.preprocessing("b", nil)
	if err != nil || !slices.Equal(b.Mean, a.Mean) || !slices.Equal(b.Std, []float64{3}) || b.Scale != latent.ScaleRaw {
		t.Errorf("preprocessing of b: %+v, %v", b, err)
	}
	if !slices.Equal(in.open("a", 0).Layers, []string{"x", "y*"}) || !slices.Equal(in.open("b", 0).Layers, []string{"z"}) || in.open("c", 0).Layers != nil {
		t.Errorf("layers %v", in.layer)
	}
	for _, test := range []struct{ yaml, message string }{
		{"lattents: [a=b]\n", `line 1: unknown option "lattents"`},
		{"model: {a: [1]}\n", "want a plain value for a"},
		{"skip-nan: perhaps\n", "option skip-nan"},
	} {
		if p := apply(test.yaml, ""); p.code != 2 || !strings.Contains(p.message(), test.message) || !strings.Contains(p.message(), path) {
			t.Errorf("%q: exit %d, %q, want %q", test.yaml, p.code, p.message(), test.message)
		}
	}
}

func TestRecordedOptions(t *testing.T) {
	t.Parallel()
	p := parseArgs(t, Needs{}, strings.Fields("--threads 3 --batch 5 --k 7 --latents a=z --pool a=last --quiet")...)
	if p.code != 0 {
		t.Fatal(p.stderr)
	}
	var b bytes.Buffer
	if err := report.Encode(&b, p.recorded); err != nil {
		t.Fatal(err)
	}
	want := []string{"window", "episodes-kind", "layout", "pixel-range", "skip-nan", "preprocess", "resize", "interpolation", "input-scale", "mean", "std", "input", "layer", "pool",
		"activation", "final-activation", "heads", "state", "samples", "seed", "bootstrap", "block", "family", "latent-scale", "k"}
	if diff := cmp.Diff(want, p.recorded.Keys()); diff != "" {
		t.Errorf("recorded options (−want +got):\n%s", diff)
	}
	for _, part := range []string{`"k": [7]`, `"pool": "a=last"`, `"bootstrap": 200`, `"skip-nan": false`, `"block": "auto"`, `"window": 0`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s is missing in %s", part, b.String())
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	p := parseArgs(t, Needs{}, "--help")
	if p.code != 0 {
		t.Fatal(p.stderr)
	}
	for _, part := range []string{"fake: a stand-in", "usage:\n  fake --example\n  fake --frames FILE[:key] --model", "\n  fake --latents NAME=FILE[:key] … [flags]\n",
		"\ninputs:\n  --frames ", "\nfake:\n", "\nstatistics:\n  --samples N", "\nstates and encoders:\n  --window [NAME=]T", "\noutput:\n", "\nrunning:\n  --device ", "(default 200)"} {
		if !strings.Contains(p.stdout, part) {
			t.Errorf("%q is missing in the help:\n%s", part, p.stdout)
		}
	}
	for line := range strings.SplitSeq(p.stdout, "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("a long line: %q", line)
		}
	}
	if p := parseArgs(t, Needs{Frames: true}, "--help"); strings.Contains(p.stdout, "fake --latents") {
		t.Error("latents alone are offered to a command that needs frames")
	}
}
