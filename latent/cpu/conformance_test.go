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

// allowed lists the operators of which every case must pass.
var allowed = strings.Fields(`Abs Add And ArgMax ArgMin AveragePool BatchNormalization Cast Ceil Celu Clip Concat Constant ConstantOfShape
	Conv Cos Div Dropout Elu Equal Erf Exp Expand Flatten Floor Gather Gelu Gemm GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual
	GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log
	LogSoftmax MatMul Max MaxPool Mean Min Mish Mod Mul Neg Not Or PRelu Pad Pow Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
	ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Round Selu Shape Sigmoid Sign Sin Size
	Slice Softmax Softplus Softsign Split Sqrt Squeeze Sub Sum Tanh ThresholdedRelu Tile Transpose Trilu Unsqueeze Where Xor`)

// excluded cases use an allowed operator in a form that is not for inference
// or a type that is not supported: the end of the folder's name, and why.
var excluded = []struct{ name, why string }{
	{"training_mode", "training"}, {"training_dropout", "training"}, {"training_dropout_default", "training"}, {"training_dropout_mask", "training"},
	{"training_dropout_default_mask", "training"}, {"training_dropout_zero_ratio", "training"}, {"training_dropout_zero_ratio_mask", "training"},
	{"with_argmax_2d_precomputed_pads", "indices of the maxima"}, {"with_argmax_2d_precomputed_strides", "indices of the maxima"},
	{"to_STRING", "strings"}, {"STRING_to_FLOAT", "strings"}, {"to_STRING_expanded", "strings"}, {"STRING_to_FLOAT_expanded", "strings"},
	{"identity_opt", "optional values"}, {"identity_sequence", "sequences"}, {"optional_get_element", "optional values"},
	{"cast_BFLOAT16_to_FLOAT", "stored as uint16"}, {"cast_FLOAT_to_BFLOAT16", "stored as uint16"},
	{"BFLOAT16_to_FLOAT_expanded", "stored as uint16"}, {"FLOAT_to_BFLOAT16_expanded", "stored as uint16"},
}

func TestConformance(t *testing.T) {
	supported := graph.Operators()
	for _, op := range allowed {
		if !slices.Contains(supported, op) {
			t.Errorf("operator %s is not in the table", op)
		}
	}
	passed, failed, unsupported := map[string]int{}, 0, map[string]int{}
	total := 0
	err := filepath.WalkDir(conformanceFolder(t), func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "model.onnx" {
			return err
		}
		dir := filepath.Dir(path)
		name := filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
		ops, err := runCase(dir)
		total++
		foreign := ops == nil || slices.ContainsFunc(ops, func(op string) bool { return !slices.Contains(allowed, op) })
		why := ""
		for _, e := range excluded {
			if strings.HasSuffix(name, e.name) {
				why = e.why
			}
		}
		switch {
		case err == nil:
			passed[filepath.Base(filepath.Dir(dir))]++
		case errors.Is(err, errNoData), foreign && isUnsupported(err):
			unsupported["an operator, type or opset"]++
		case errors.Is(err, errOldOpset):
			unsupported["opset below 7"]++
		case why != "":
			unsupported[why]++
		default:
			failed++
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("of %d cases: passed %v, failed %d, unsupported %v", total, passed, failed, unsupported)
}

func isUnsupported(err error) bool {
	return errors.As(err, new(*graph.UnsupportedError)) || strings.Contains(err.Error(), "not supported") || strings.Contains(err.Error(), "no opset")
}

// Opset 7 is where today's rules of broadcasting begin.
var errOldOpset = errors.New("opset below 7")

var errNoData = errors.New("no test data")

// runCase runs one folder and names the operators of its graph; none if the file cannot be read.
func runCase(dir string) ([]string, error) {
	// The operators' own tests state the opset of their last change, which may be 1.
	model, err := onnx.Open(filepath.Join(dir, "model.onnx"), onnx.Options{MinOpset: 1, MaxOpset: 30})
	if err != nil {
		return nil, err
	}
	g := model.Graph
	var ops []string
	for _, n := range g.Nodes {
		ops = append(ops, n.Op)
	}
	sets, _ := filepath.Glob(filepath.Join(dir, "test_data_set_*"))
	if len(sets) == 0 {
		return ops, errNoData
	}
	for _, set := range sets {
		err := runSet(g, set, false)
		if err != nil && strings.Contains(err.Error(), "must be a constant") {
			err = runSet(g, set, true)
		}
		if err != nil && g.Opset < 7 && filepath.Base(filepath.Dir(dir)) != "node" {
			return ops, fmt.Errorf("%w: %w", errOldOpset, err)
		}
		if err != nil {
			return ops, err
		}
	}
	return ops, nil
}

// runSet compares one set of inputs and outputs. With fold, all inputs count as constants.
func runSet(g *graph.Graph, set string, fold bool) error {
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
		if fold || i > 0 && (x.DType != graph.Float32 || x.Len() == 1) {
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
