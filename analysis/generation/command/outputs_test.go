// Tests of reconstructions that are read.

package command

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// writePairs writes two grids of two cells and what was found of them.
func writePairs(t *testing.T, key string, found []float32, shape ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.npz")
	err := dataset.WriteNPZ(path, dataset.Field{Name: "original", Shape: []int{2, 1, 2}, Data: []uint8{1, 0, 0, 1}}, dataset.Field{Name: key, Shape: shape, Data: found})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Logits become probabilities; what is no probability is an error with its index.
func TestReadPairs(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	call := func(path string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run.Run(t.Context(), Command, []string{"--reconstruction", "a=" + path, "--format", "svg", "--json", "--bootstrap", "0", "--out", filepath.Join(t.TempDir(), "out")}, &stdout, &stderr)
		return code, stderr.String() + stdout.String()
	}
	inf := float32(math.Inf(1))
	if code, out := call(writePairs(t, "recon_logits", []float32{inf, -3, -0.1, 0.2}, 2, 1, 2)); code != 0 || !strings.Contains(out, `"mean_iou": 1,`) || !strings.Contains(out, `"num_samples": 2,`) {
		t.Errorf("logits: exit %d: %s", code, out)
	}
	for want, path := range map[string]string{
		"r.npz:recon_prob: [1,0,0] is NaN, want a number":                   writePairs(t, "recon_prob", []float32{0, 1, nan, 1}, 2, 1, 2),
		"r.npz:recon_logits: [0,0,1] is NaN, want a number":                 writePairs(t, "recon_logits", []float32{0, nan, 1, 1}, 2, 1, 2),
		"r.npz:recon_prob: [0,0,1] is 1.5, want a probability from 0 to 1":  writePairs(t, "recon_prob", []float32{0, 1.5, 1, 1}, 2, 1, 2),
		"r.npz:recon_prob has shape [1 1 2], but":                           writePairs(t, "recon_prob", []float32{0, 1}, 1, 1, 2),
		"want one named recon_prob or recon_logits; it has original, other": writePairs(t, "other", []float32{0, 1}, 1, 2),
	} {
		if code, out := call(path); code != 1 || !strings.Contains(out, want) {
			t.Errorf("exit %d: %s, want %q", code, out, want)
		}
	}
}

// Rows without a value are no points.
func TestNoValues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.npz")
	none := func(key string) dataset.Field { return dataset.Field{Name: key, Shape: []int{3, 0}, Data: []float32{}} }
	if err := dataset.WriteNPZ(path, none("original"), none("recon_prob")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--generated", "a=" + path + ":original", "--real", path + ":original"}, "has shape [3 0], want grids [N,…]"},
		{[]string{"--reconstruction", "a=" + path}, "original has shape [3 0], want grids [N,…]"},
		{[]string{"--latents", "a=" + path + ":recon_prob", "--real-latents", path + ":recon_prob"}, "has shape [3 0], want [N,D]"},
	} {
		var stdout, stderr bytes.Buffer
		args := append(test.args, "--bootstrap", "0", "--out", filepath.Join(t.TempDir(), "out"))
		if code := run.Run(t.Context(), Command, args, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), test.want) || strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%v: exit %d: %s, want %q", test.args, code, &stderr, test.want)
		}
	}
}
