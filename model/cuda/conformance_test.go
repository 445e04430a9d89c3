//go:build cuda

// The standard ONNX node tests and our own cases in the same format (see model/cpu), computed
// on the fake GPU: everything that model/cpu computes must come out the same here.

package cuda

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
	"repscope/model/onnx"
)

// TestConformance runs Debian's libonnx-testdata unless REPSCOPE_ONNX_TESTDATA names another folder.
func TestConformance(t *testing.T) {
	dir := os.Getenv("REPSCOPE_ONNX_TESTDATA")
	if dir == "" {
		dir = "/usr/share/libonnx-testdata/data"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no ONNX test data in %s (Debian: libonnx-testdata; elsewhere set REPSCOPE_ONNX_TESTDATA)", dir)
	}
	conform(t, os.DirFS(dir))
}

// TestOperators runs our own cases.
func TestOperators(t *testing.T) {
	conform(t, graphtest.Cases(t, "../cpu/testdata/*.tar.gz"))
}

// conform runs every case of a file system that model/cpu can run.
func conform(t *testing.T, files fs.FS) {
	c := open(t, 1, 1<<30)[0]
	passed, skipped := 0, map[string]int{}
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Base(name) != "model.onnx" {
			return err
		}
		sets, err := fs.Glob(files, path.Join(path.Dir(name), "test_data_set_*"))
		for _, set := range sets {
			switch why, err := conformSet(c, files, name, set); {
			case err != nil:
				t.Errorf("%s: %v (%s)", set, err, fakecuda.Message())
			case why != "":
				skipped[why]++
			default:
				passed++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("passed %d, left out: %v", passed, skipped)
	if passed == 0 {
		t.Error("no case was run")
	}
}

// conformSet runs one set of inputs; why says why model/cpu has no result for it.
func conformSet(c *device.Context, files fs.FS, name, set string) (why string, err error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return "", err
	}
	read := func(kind string, i int) (*graph.Tensor, error) { return graphtest.ReadTensor(files, set, kind, i) }
	// Inputs that shapes depend on must be constants: then all after the first are.
	var g *graph.Graph
	var inputs, want []*graph.Tensor
	for _, constants := range []bool{false, true} {
		inputs = nil
		model, err := onnx.Decode(data, "", onnx.Options{MinOpset: 1, MaxOpset: 30})
		if err != nil {
			return "the model cannot be read", nil
		}
		g = model.Graph
		for i, p := range g.Inputs {
			x, err := read("input", i)
			if err != nil {
				return "no inputs", nil
			}
			if constants && i > 0 {
				g.Constants[p.Name] = x
			} else {
				inputs = append(inputs, x)
			}
		}
		g.Inputs = g.Inputs[:len(inputs)]
		if want, err = evaluate(g, inputs); err == nil {
			break
		}
		if constants || !strings.Contains(err.Error(), "constant") {
			return "not for model/cpu", nil
		}
	}
	x, err := New(g, c, Options{Precision: FP32})
	if err != nil {
		return "", err
	}
	defer x.Close()
	got, err := x.Run(context.Background(), inputs)
	if err != nil {
		return "", err
	}
	for i := range want {
		// Products of long sums differ as much from model/cpu as both do from the truth.
		if err := within(got[i], want[i], 2e-5); err != nil {
			return "", fmt.Errorf("output %d against model/cpu: %w", i, err)
		}
		// Where model/cpu has the standard's result, so have we.
		if standard, err := read("output", i); err == nil && within(want[i], standard, 1e-4) == nil {
			if err := within(got[i], standard, 2e-4); err != nil {
				return "", fmt.Errorf("output %d against the standard: %w", i, err)
			}
		}
	}
	return "", nil
}

// evaluate computes a graph with model/cpu.
func evaluate(g *graph.Graph, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		return nil, err
	}
	x := cpu.New(g, 1)
	defer x.Close()
	out, err := x.Run(context.Background(), inputs)
	return clone(out), err
}

// within is an error unless the elements agree to a tolerance times max(1, |element|).
func within(got, want *graph.Tensor, tolerance float64) error {
	if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("got %v %v, want %v %v", got.DType, got.Shape, want.DType, want.Shape)
	}
	for i, v := range want.F32 {
		a, b := float64(got.F32[i]), float64(v)
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= tolerance*max(1, math.Abs(b))) {
			return fmt.Errorf("element %d is %g, want %g", i, a, b)
		}
	}
	if !slices.Equal(got.I64, want.I64) || !slices.Equal(got.Bool, want.Bool) {
		return fmt.Errorf("got %v%v, want %v%v", got.I64, got.Bool, want.I64, want.Bool)
	}
	return nil
}
