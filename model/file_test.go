// Files: what they tell of a model, its values, and the hashes of all that it consists of.

package model

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/model/internal/onnxtest"
)

func TestReadCheckpoint(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]string{"conv.pth": "pth", "conv.safetensors": "safetensors", "conv_opset17.onnx": "onnx"} {
		f, err := Read(filepath.Join("../latent/testdata", name), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Format != format || f.Parameters == 0 || len(f.Inputs()) != 1 || len(f.Outputs()) != 1 ||
			(f.Opset > 0) != (format == "onnx") ||
			(f.Architecture == "") != (format == "onnx") { // an ONNX file tells none: its graph is named "torch_jit" or "main_graph"

			t.Errorf("%s: %+v", name, f)
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		want := sha256.Sum256(data)
		if sums, err := f.Sums(); err != nil || len(sums) != 1 || !slices.Equal(sums[0], want[:]) {
			t.Errorf("%s: %d hashes, error %v", name, len(sums), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSumsOfExternalData(t *testing.T) {
	t.Parallel()
	f, err := Read("../latent/testdata/mlp_external.onnx", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sums, err := f.Sums()
	if err != nil || len(sums) != 2 {
		t.Fatal(len(sums), err)
	}
	for i, name := range []string{"mlp_external.onnx", "mlp_external.bin"} {
		data, err := os.ReadFile(filepath.Join("../latent/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if want := sha256.Sum256(data); !slices.Equal(sums[i], want[:]) {
			t.Errorf("%s: another hash", name)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	f, err := Read(writeFile(t, sequenceFile(0, onnxtest.Int64)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := f.Values()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, value := range v.List {
		names = append(names, value.Name)
		if value.Output != (value.Name == "z") || value.Operator == "" {
			t.Errorf("%+v", value)
		}
	}
	for _, name := range []string{"tokens", "hidden", "attention", "pooled", "z"} {
		if !slices.Contains(names, name) {
			t.Errorf("no value %q among %s", name, strings.Join(names, " "))
		}
	}
	ids := Type{DType: Int64, Shape: []int{2, 5}}
	bound, err := v.Bind(ids, ids, ids)
	if err != nil {
		t.Fatal(err)
	}
	if got := bound["attention"]; got.DType != Float32 || !slices.Equal(got.Shape, []int{2, 5, 1}) {
		t.Errorf("attention is %v %v", got.DType, got.Shape)
	}
	if _, err := v.Bind(ids); err == nil {
		t.Error("one input of three is enough")
	}
	// The graph stays as it is, also where Prepare rewrites nodes with constant weights.
	if m, err := f.Model(Options{}); err != nil || len(m.Outputs()) != 1 {
		t.Error(err)
	}
}
