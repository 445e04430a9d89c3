// Models that cannot be measured: rows with their reason, and the others as they are alone.

package input_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
)

// badFolder is folder with arrays that cannot be measured beside the others.
func badFolder(t *testing.T) string {
	t.Helper()
	dir := folder(t)
	some, all := make([]float32, 20*4), make([]float32, 20*4)
	tiny := make([]float64, 20*4)
	for i := range some {
		some[i], all[i], tiny[i] = float32(i), float32(math.NaN()), 1e-200*float64(i+1)
	}
	some[7*4+2] = float32(math.Inf(1))
	path := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(
		dataset.WriteNPY(path("some.npy"), []int{20, 4}, some),
		dataset.WriteNPY(path("all.npy"), []int{20, 4}, all),
		dataset.WriteNPY(path("tiny.npy"), []int{20, 4}, tiny),
		dataset.WriteNPY(path("short.npy"), []int{19, 4}, make([]float32, 76)),
		dataset.WriteNPY(path("other.npy"), []int{20, 4}, make([]float32, 80)),
		os.WriteFile(path("text.npy"), []byte("no array"), 0o644),
		os.WriteFile(path("text.onnx"), []byte("no model"), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// unmeasured are the arguments of models that cannot be measured, and what is said of each.
var unmeasured = []struct{ args, name, reason string }{
	{"--latents bad={}/all.npy", "bad", "{}/all.npy: NaN or Inf in 20 of 20 rows, first in row 0, pooled column 0; drop such states for all models with --skip-nan"},
	{"--latents bad={}/some.npy", "bad", "{}/some.npy: NaN or Inf in 1 of 20 rows, first in row 7, pooled column 2; drop"},
	{"--frames {}/frames.npy --latents bad={}/short.npy", "bad", "{}/short.npy has shape [19 4], but"},
	{"--latents bad={}/text.npy", "bad", "{}/text.npy"},
	{"--latents bad={}/tiny.npy", "bad", "{}/tiny.npy: all values are at most 8e-199: their powers underflow"},
	{"--frames {}/frames.npy --model bad={}/text.onnx", "bad", "encoder {}/text.onnx: not an ONNX file"},
	{"--skip-nan --latents bad={}/all.npy", "bad", "{}/all.npy: NaN or Inf in 20 of 20 rows; without them: no state is left to analyze"},
}

func TestUnmeasured(t *testing.T) {
	dir := badFolder(t)
	good := "--latents a={}/z.npy --latents b={}/other.npy "
	for _, test := range unmeasured {
		args := good + test.args
		if strings.Contains(test.args, "--frames") {
			args = test.args + " " + good
		}
		want := "stand: warning: model " + test.name + " is not measured: " + strings.ReplaceAll(test.reason, "{}", dir)
		for _, plan := range []bool{false, true} {
			more := " --out {}/out"
			if plan {
				more += " --dry-run"
			}
			code, out, stderr := runIn(t.Context(), dir, args+more)
			if code != 0 || !strings.Contains(stderr, want) {
				t.Errorf("%s: exit %d, %s\nwant %s", args+more, code, stderr, want)
			}
			if plan && !strings.Contains(out, "  "+test.name+": not measured: "+strings.ReplaceAll(test.reason, "{}", dir)) {
				t.Errorf("%s: the plan does not say so: %s", args, out)
			}
		}
		// Alone it is the error of the run, in the words of the reason.
		alone := test.args + " --out {}/alone"
		code, _, stderr := runIn(t.Context(), dir, alone)
		reason, _, _ := strings.Cut(strings.ReplaceAll(test.reason, "{}", dir), "; ")
		if code != 1 || !strings.Contains(stderr, reason) && !strings.Contains(stderr, "no state is left") {
			t.Errorf("%s: exit %d, %s\nwant %s", alone, code, stderr, reason)
		}
		if got := names(t, filepath.Join(dir, "alone")); len(got) > 0 {
			t.Errorf("%s: files %v", alone, got)
		}
	}
}

// Among latents alone most of them say how many states there are; labels of episodes do where
// they are given. What is wrong with the command, and files that are not there, end the run.
func TestUnmeasuredRules(t *testing.T) {
	dir := badFolder(t)
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"--latents bad={}/short.npy --latents a={}/z.npy --latents b={}/other.npy", 0, "model bad is not measured"},
		{"--latents a={}/z.npy --latents bad={}/short.npy", 0, "model bad is not measured"},
		{"--latents bad={}/short.npy --latents a={}/z.npy --episodes {}/episodes.npy", 0, "model bad is not measured"},
		{"--latents a={}/z.npy --latents bad={}/missing.npy", 1, "latents bad: {}/missing.npy: no such file"},
		{"--latents a={}/all.npy --latents b={}/text.npy", 1, "(none of the 2 models can be measured)"},
		{"--frames {}/frames.npy --baseline pca:1 --latents a={}/all.npy", 1, "NaN or Inf in 20 of 20 rows"},
		{"--skip-nan --latents a={}/z.npy --latents bad={}/some.npy", 0, "latents bad: 1 state dropped for NaN or Inf"},
	} {
		code, _, stderr := runIn(t.Context(), dir, test.args+" --out {}/out")
		if code != test.code || !strings.Contains(stderr, strings.ReplaceAll(test.want, "{}", dir)) {
			t.Errorf("%s: exit %d, %s\nwant %d and %s", test.args, code, stderr, test.code, test.want)
		}
	}
	if got := names(t, filepath.Join(dir, "out")); !slices.Contains(got, "stand.json") {
		t.Errorf("files %v", got)
	}
}
