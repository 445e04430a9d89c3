// Tests of what follows a layer.

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// A stitched model whose outputs are no numbers has a reason, and the run goes on.
func TestStitch_NoNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := make([]float32, 40*24)
	for i := range values {
		values[i] = float32(i * i % 251)
	}
	for i := range 24 { // finite as a state, and out of range once a map has been fitted to it
		values[33*24+i] = 1e37 * float32(i-9)
	}
	frames := filepath.Join(dir, "f.npy")
	if err := dataset.WriteNPY(frames, []int{40, 24}, values); err != nil {
		t.Fatal(err)
	}
	const models = "../../../latent/testdata/mlp_opset"
	var stderr bytes.Buffer
	code := run.Run(t.Context(), Command, []string{"--frames", frames, "--model", "a=" + models + "11.onnx", "--model", "b=" + models + "17.onnx",
		"--layers", "a=net.0,b=net.0", "--stitch", "--stitch-permutations", "1", "--k", "2", "--permutations", "1", "--cache", "off", "--bootstrap", "0",
		"--format", "none", "--quiet", "--out", dir}, &bytes.Buffer{}, &stderr)
	result, err := os.ReadFile(filepath.Join(dir, "similarity.json"))
	if err != nil || code != 0 || !strings.Contains(string(result), `"reason": "stitched: head b after layer net.0: row 33: `) {
		t.Errorf("exit %d, %v: %s: %s", code, err, stderr.String(), result)
	}
}
