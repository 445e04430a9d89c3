package cpu_test

// The standard ONNX node tests (model.onnx, test_data_set_0/{input,output}_i.pb).

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/latent/cpu"
	"repscope/latent/graph"
	"repscope/latent/onnx"
)

// conformanceFolder is where the tests lie: a folder with folders of cases, at any depth.
func conformanceFolder(t *testing.T) string {
	dir := os.Getenv("REPSCOPE_ONNX_TESTDATA")
	if dir == "" {
		dir = "/usr/share/libonnx-testdata/data" // Debian's libonnx-testdata
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no ONNX test data in %s (Debian: libonnx-testdata; elsewhere set REPSCOPE_ONNX_TESTDATA)", dir)
	}
	return dir
}

// Cases whose operators are all supported but that use a form that is not, by reason.
var unsupportedForms = []string{
	"training mode", "must be a constant", "outputs;", "element type", "its type is not supported",
	"attribute \"", "spatial axes", "opset",
}

func TestConformance(t *testing.T) {
	var passed, failed, unsupported int
	reasons := map[string]int{}
	err := filepath.WalkDir(conformanceFolder(t), func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "model.onnx" {
			return err
		}
		dir := filepath.Dir(path)
		name := filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
		switch err := runCase(dir); {
		case err == nil:
			passed++
		case errors.As(err, new(*graph.UnsupportedError)) || strings.Contains(err.Error(), "is not supported") || errors.Is(err, errNoData):
			unsupported++
			text := err.Error()
			if i := strings.Index(text, "operator "); i >= 0 {
				text, _, _ = strings.Cut(text[i:], " is not")
			}
			reasons[text]++
			if !strings.HasPrefix(text, "operator ") {
				t.Logf("%s: %v", name, err)
			}
		default:
			failed++
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d passed, %d failed, %d unsupported", passed, failed, unsupported)
	_ = reasons
	_ = slices.Clone[[]int]
}

var errNoData = errors.New("no test data")

func runCase(dir string) error {
	model, err := onnx.Open(filepath.Join(dir, "model.onnx"), onnx.Options{MinOpset: 1, MaxOpset: 30})
	if err != nil {
		return err
	}
	g := model.Graph
	sets, _ := filepath.Glob(filepath.Join(dir, "test_data_set_*"))
	if len(sets) == 0 {
		return errNoData
	}
	for _, set := range sets {
		if err := runSet(g, set); err != nil {
			return err
		}
	}
	return nil
}

func runSet(g *graph.Graph, set string) error {
	copied := *g
	copied.Constants = map[string]*graph.Tensor{}
	for k, v := range g.Constants {
		copied.Constants[k] = v
	}
	g = &copied
	var inputs []*graph.Tensor
	var ports []graph.Port
	for i, p := range g.Inputs {
		data, err := os.ReadFile(filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
		if err != nil {
			return errNoData
		}
		x, err := onnx.ReadTensor(data)
		if err != nil {
			return err
		}
		// What a model gets from constants or shapes the tests pass as inputs:
		// everything but the first operand, if it is small or not of floats.
		if i > 0 && (x.DType != graph.Float32 || x.Len() == 1) {
			g.Constants[p.Name] = x
			continue
		}
		inputs, ports = append(inputs, x), append(ports, p)
	}
	g.Inputs = ports
	if err := g.Prepare(cpu.Evaluate); err != nil {
		return err
	}
	x := cpu.New(g, 2)
	defer x.Close()
	out, err := x.Run(context.Background(), inputs)
	if err != nil {
		return err
	}
	for i, got := range out {
		data, err := os.ReadFile(filepath.Join(set, fmt.Sprintf("output_%d.pb", i)))
		if err != nil {
			return errNoData
		}
		want, err := onnx.ReadTensor(data)
		if err != nil {
			return err
		}
		if err := same(got, want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// same compares with the tolerance of the standard's own runner.
func same(got, want *graph.Tensor) error {
	if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("got %v %v, want %v %v", got.DType, got.Shape, want.DType, want.Shape)
	}
	for i := range want.F32 {
		g, w := float64(got.F32[i]), float64(want.F32[i])
		if g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= 1e-7+1e-3*math.Abs(w)) {
			return fmt.Errorf("element %d is %g, want %g", i, g, w)
		}
	}
	for i := range want.I64 {
		if got.I64[i] != want.I64[i] {
			return fmt.Errorf("element %d is %d, want %d", i, got.I64[i], want.I64[i])
		}
	}
	for i := range want.Bool {
		if got.Bool[i] != want.Bool[i] {
			return fmt.Errorf("element %d is %t, want %t", i, got.Bool[i], want.Bool[i])
		}
	}
	return nil
}
