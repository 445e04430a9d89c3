// Decoders and predictors beside what NumPy makes of the same latents.

package command

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
)

// heads are latents, actions and what the heads of package latent's tests make of them.
type heads struct {
	Latent, Predicted, Frame [][]float64
	Action                   []int64
}

// decoderFiles writes frames that the decoder makes, latents and actions.
func decoderFiles(t *testing.T) (folder string, h heads) {
	t.Helper()
	folder = t.TempDir()
	text, err := os.ReadFile("../../../latent/testdata/golden_heads.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		t.Fatal(err)
	}
	flat := func(rows [][]float64) []float64 {
		var out []float64
		for _, row := range rows {
			out = append(out, row...)
		}
		return out
	}
	n := len(h.Latent)
	for name, values := range map[string][][]float64{"z.npy": h.Latent, "frames.npy": h.Frame} {
		shape := []int{n, len(values[0])}
		if name == "frames.npy" {
			shape = []int{n, 4, 5}
		}
		if err := dataset.WriteNPY(filepath.Join(folder, name), shape, flat(values)); err != nil {
			t.Fatal(err)
		}
	}
	if err := dataset.WriteNPY(filepath.Join(folder, "actions.npy"), []int{n}, h.Action); err != nil {
		t.Fatal(err)
	}
	return folder, h
}

// A decoder of the next latents makes the next frames; one of predicted latents what the
// product of the predicted latents is.
func TestDecoders(t *testing.T) {
	t.Parallel()
	folder, h := decoderFiles(t)
	args := func(more string) []string {
		return strings.Fields(strings.NewReplacer("{}", folder, "{heads}", "../../../latent/testdata").Replace(
			"--frames {}/frames.npy --latents m={}/z.npy --decoder m={heads}/head_decoder.onnx --predictions-range m=frames --bootstrap 0 --samples-shown 0 --format svg --quiet " + more))
	}
	dir := t.TempDir()
	if code, _, stderr := execute(t, append(args(""), "--out", dir)...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for i, v := range raw(t, dir, "m", "MSE") {
		if v > 1e-20 {
			t.Errorf("sample %d: the decoder makes its own frames with an error of %v", i, v)
		}
	}
	dir = t.TempDir()
	if code, _, stderr := execute(t, append(args("--predictor m={heads}/head_predictor.onnx --actions {}/actions.npy"), "--out", dir)...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, frame := range h.Frame {
		for _, v := range frame {
			low, high = min(low, v), max(high, v)
		}
	}
	decode := decoderOf(h)
	for i, got := range raw(t, dir, "m", "MSE") {
		want := 0.0
		for k, v := range decode(h.Predicted[i]) {
			d := (v - h.Frame[i+1][k]) / (high - low)
			want += d * d / 20
		}
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("sample %d: error %v, want %v", i, got, want)
		}
	}
}

// Two steps of a predictor are one step from what its first step made.
func TestRollout(t *testing.T) {
	t.Parallel()
	folder, h := decoderFiles(t)
	n := len(h.Latent)
	var first, frames []float64
	for i := range n - 1 {
		first, frames = append(first, h.Predicted[i]...), append(frames, h.Frame[i+1]...)
	}
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(folder, "z1.npy"), []int{n - 1, 6}, first),
		dataset.WriteNPY(filepath.Join(folder, "frames1.npy"), []int{n - 1, 4, 5}, frames),
		dataset.WriteNPY(filepath.Join(folder, "actions1.npy"), []int{n - 1}, h.Action[1:]),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	errors := func(suffix, more string) []float64 {
		dir := t.TempDir()
		args := strings.NewReplacer("{}", folder, "{heads}", "../../../latent/testdata", "{s}", suffix).Replace("--frames {}/frames{s}.npy --latents m={}/z{s}.npy --actions {}/actions{s}.npy " +
			"--decoder m={heads}/head_decoder.onnx --predictor m={heads}/head_predictor.onnx --pixel-range=-9,9 --predictions-range m=frames --bootstrap 0 --samples-shown 0 --format svg --quiet " + more)
		if code, _, stderr := execute(t, append(strings.Fields(args), "--out", dir)...); code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return raw(t, dir, "m", "MSE")
	}
	both, second := errors("", "--rollout-steps 2"), errors("1", "")
	if len(both) != 2*n-3 || len(second) != n-2 {
		t.Fatalf("%d and %d errors of %d states", len(both), len(second), n)
	}
	for i, want := range second {
		if got := both[n-1+i]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("sample %d, two steps ahead: error %v, want %v", i, got, want)
		}
	}
}

// decoderOf finds the linear map of the decoder from the latents and frames, by solving
// the normal equations.
func decoderOf(h heads) func(z []float64) []float64 {
	const d, p = 6, 20
	var a [d][d + p]float64
	for i, z := range h.Latent {
		for r := range d {
			for c := range d {
				a[r][c] += z[r] * z[c]
			}
			for c := range p {
				a[r][d+c] += z[r] * h.Frame[i][c]
			}
		}
	}
	for r := range d { // Gauss and Jordan, with pivots
		pivot := r
		for k := r; k < d; k++ {
			if math.Abs(a[k][r]) > math.Abs(a[pivot][r]) {
				pivot = k
			}
		}
		a[r], a[pivot] = a[pivot], a[r]
		scale := a[r][r]
		for c := range a[r] {
			a[r][c] /= scale
		}
		for k := range d {
			if f := a[k][r]; k != r {
				for c := range a[k] {
					a[k][c] -= f * a[r][c]
				}
			}
		}
	}
	return func(z []float64) []float64 {
		out := make([]float64, p)
		for r, v := range z {
			for c := range p {
				out[c] += v * a[r][d+c]
			}
		}
		return out
	}
}
