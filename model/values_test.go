// Tests of the values of a file.

package model

import (
	"path/filepath"
	"testing"
)

// A file whose values have been listed still runs: Prepare rewrites the nodes of quantized models.
func TestValues_QuantizedModelStillRuns(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "latent", "testdata", "small_*.onnx"))
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		f, err := Read(path, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		before := make([]string, len(f.graph.Nodes))
		for i, n := range f.graph.Nodes {
			before[i] = n.String()
		}
		if _, err := f.Values(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i, n := range f.graph.Nodes {
			if n.String() != before[i] {
				t.Errorf("%s: %s became %v", path, before[i], n)
			}
		}
		if _, err := f.Model(Options{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
