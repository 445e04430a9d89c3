// Tests of models that cannot be measured, in every analysis.

package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

// measuredResult is the part of a result file that tests compare.
type measuredResult struct {
	Models      map[string]json.RawMessage
	Comparisons json.RawMessage
	Warnings    []string
}

// A model that cannot be measured has a row with its reason in the result file, the console,
// the summary and the figure, the run is done, and the numbers and comparisons of the others
// are those of a run without it.
func TestUnmeasured(t *testing.T) {
	runtest.Long(t, "it runs every analysis twice")
	t.Parallel()
	folder := t.TempDir()
	writeUnmeasured(t, folder)
	states := "--frames {}/f.npy --episodes {}/e.npy --latents a={}/a.npy --latents b={}/b.npy --bootstrap 1"
	type unmeasured struct{ good, bad, reason string }
	failing := func(more string) unmeasured {
		return unmeasured{strings.Replace(states, "f.npy", "v.npy", 1) + more, "--model bad=../latent/testdata/mlp_opset17.onnx --cache off", "state 33: latent element 0 is NaN"}
	}
	for name, test := range map[string]unmeasured{
		"smoothness, failing":   failing(""),
		"neighborhood, failing": failing(" --k 3 --permutations 2"),
		"manifold, failing":     failing(""),
		"geometry, failing":     failing(""),
		"similarity, failing":   failing(" --permutations 3"),
		"reward, failing":       failing(" --rewards {}/r.npy --probes ridge"),
		"surprise, failing":     failing(" --violations skip --sizes 1"),
		"smoothness":            {states, "--latents bad={}/nan.npy", "NaN or Inf in 3 of 60 rows"},
		"neighborhood":          {states + " --k 3 --permutations 2", "--latents bad={}/nan.npy", "NaN or Inf in 3 of 60 rows"},
		"manifold":              {states, "--latents bad={}/short.npy", "want 60 rows, one per frame"},
		"geometry":              {states, "--latents bad={}/nan.npy", "NaN or Inf in 3 of 60 rows"},
		"similarity":            {states + " --permutations 3", "--latents bad={}/nan.npy", "NaN or Inf in 3 of 60 rows"},
		"reward":                {states + " --rewards {}/r.npy --probes ridge", "--latents bad={}/nan.npy", "NaN or Inf in 3 of 60 rows"},
		"surprise":              {states + " --violations skip --sizes 1", "--latents bad={}/nan.npy", "NaN or Inf in 3 of 60 rows"},
		"robustness":            {"--example --samples 40", "--model bad={}/text.onnx", "not an ONNX file"},
		"reconstruction":        {"--frames {}/f.npy --episodes {}/e.npy --predictions a={}/f.npy --predictions b={}/f2.npy", "--predictions bad={}/nan.npy", "nan.npy has shape [60 4]"},
		"forecast":              {"--target {}/t.npy --forecast a={}/t.npy --forecast b={}/t2.npy", "--forecast bad={}/tnan.npy", "element [2 0 1 1] is NaN"},
		"generation":            {"--real {}/a.csv --generated a={}/b.csv --generated b={}/a.csv --metrics fidelity", "--generated bad={}/nan.csv", "nan.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(name, ",")
			command := commandNamed(t, name)
			read := func(out string) measuredResult {
				var r measuredResult
				data, err := os.ReadFile(filepath.Join(out, name+".json"))
				if err == nil {
					err = json.Unmarshal(data, &r)
				}
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			start := func(more, out string) string {
				var stdout, stderr bytes.Buffer
				args := strings.ReplaceAll(test.good+" "+more+" --format svg", "{}", folder) + " --out " + out
				if code := run.Run(t.Context(), command, strings.Fields(args), &stdout, &stderr); code != 0 {
					t.Fatalf("%s: exit %d: %s", args, code, stderr.String())
				}
				return stdout.String()
			}
			dir := t.TempDir()
			with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
			console := start(test.bad, with)
			start("", without)
			got, want := read(with), read(without)
			checkSchemas(t, dir)
			for model, part := range want.Models {
				if !bytes.Equal(got.Models[model], part) {
					t.Errorf("%s is not what it is without the bad one", model)
				}
			}
			if !bytes.Equal(got.Comparisons, want.Comparisons) || len(got.Models) != len(want.Models)+1 {
				t.Errorf("%d models for %d, and other comparisons", len(got.Models), len(want.Models))
			}
			var row struct {
				Skipped bool
				Reason  string
			}
			if err := json.Unmarshal(got.Models["bad"], &row); err != nil || !row.Skipped || !strings.Contains(row.Reason, test.reason) {
				t.Errorf("models.bad is %s, want %q (%v)", got.Models["bad"], test.reason, err)
			}
			if !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.HasPrefix(w, "model bad is not measured") }) {
				t.Errorf("no warning names it: %q", got.Warnings)
			}
			if !strings.Contains(console, "bad") || !strings.Contains(console, test.reason) {
				t.Errorf("the console does not name it:\n%s", console)
			}
			inFiles(t, with, test.reason)
		})
	}
}

// inFiles looks for the model in the tables and figures of a run.
func inFiles(t *testing.T, out, reason string) {
	t.Helper()
	rows, figures := 0, 0
	for _, file := range list(t, out) {
		data, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		switch {
		case strings.HasSuffix(file, "_metrics.csv"):
			if !strings.Contains(text, "\nbad,") || !strings.Contains(text, reason) {
				t.Errorf("%s does not have the reason", file)
			}
		case strings.HasSuffix(file, ".csv") && strings.Contains(text, "\nbad,"):
			rows++
		case strings.HasSuffix(file, ".svg") && strings.Contains(text, "bad"):
			figures++
		}
	}
	if rows == 0 || figures == 0 {
		t.Errorf("it is in %d tables and %d figures", rows, figures)
	}
}

// commandNamed is the command of a name.
func commandNamed(t *testing.T, name string) run.Command {
	t.Helper()
	for _, e := range All() {
		if e.Name == name {
			return e.Command
		}
	}
	t.Fatalf("there is no command %q", name)
	return run.Command{}
}

// writeUnmeasured writes 60 states of 6 episodes, and what cannot be measured beside them.
func writeUnmeasured(t *testing.T, dir string) {
	t.Helper()
	const n = 60
	state := uint32(1)
	next := func() float32 {
		state = state*1664525 + 1013904223
		return float32(state>>8) / (1 << 24)
	}
	frames, other, episodes, rewards := make([]uint8, n*64), make([]uint8, n*64), make([]int64, n), make([]float32, n)
	a, b, bad := make([]float32, n*4), make([]float32, n*4), make([]float32, n*4)
	for i := range frames {
		frames[i], other[i] = uint8(255*next()), uint8(255*next())
	}
	for i := range a {
		a[i], b[i] = next(), next()
		bad[i] = a[i]
	}
	for i := range rewards {
		episodes[i], rewards[i] = int64(i/10), next()
	}
	for _, at := range []int{1, 50, 99} {
		bad[at] = float32(math.NaN())
	}
	fields, second, broken := make([]float32, 12*16), make([]float32, 12*16), make([]float32, 12*16)
	for i := range fields {
		fields[i], second[i] = next(), next()
		broken[i] = fields[i]
	}
	broken[2*16+5] = float32(math.NaN())
	vectors := make([]float32, n*24)
	for i := range vectors {
		if vectors[i] = next(); i/24 == 33 { // finite, and what an encoder makes of it is not
			vectors[i] = 3e38 * (1 - 2*float32(i%2))
		}
	}
	write := func(name string, shape []int, data any) {
		var err error
		switch v := data.(type) {
		case []uint8:
			err = dataset.WriteNPY(filepath.Join(dir, name), shape, v)
		case []int64:
			err = dataset.WriteNPY(filepath.Join(dir, name), shape, v)
		case []float32:
			err = dataset.WriteNPY(filepath.Join(dir, name), shape, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("f.npy", []int{n, 8, 8}, frames)
	write("f2.npy", []int{n, 8, 8}, other)
	write("e.npy", []int{n}, episodes)
	write("r.npy", []int{n}, rewards)
	write("v.npy", []int{n, 24}, vectors)
	write("a.npy", []int{n, 4}, a)
	write("b.npy", []int{n, 4}, b)
	write("nan.npy", []int{n, 4}, bad)
	write("short.npy", []int{n - 1, 4}, a[:4*(n-1)])
	write("t.npy", []int{12, 1, 4, 4}, fields)
	write("t2.npy", []int{12, 1, 4, 4}, second)
	write("tnan.npy", []int{12, 1, 4, 4}, broken)
	files := map[string]string{"text.onnx": "no model"}
	for name, values := range map[string][]float32{"a.csv": a, "b.csv": b, "nan.csv": bad} {
		text := "x,y,z,w\n"
		for i, v := range values {
			text += fmt.Sprint(v) + ",\n"[i%4/3:i%4/3+1]
		}
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
