// The standard ONNX node tests (model.onnx, test_data_set_0/{input,output}_i.pb),
// and our own cases in the same format for newer opsets.

package cpu_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
	"repscope/model/onnx"
	"repscope/model/operator"
)

// excluded cases use a supported operator in a form that is not for inference,
// or values of a type that is not supported: the end of the case's name, and why.
var excluded = []struct{ name, why string }{
	{"training_mode", "training"}, {"training_dropout", "training"}, {"training_dropout_default", "training"}, {"training_dropout_mask", "training"},
	{"training_dropout_default_mask", "training"}, {"training_dropout_zero_ratio", "training"}, {"training_dropout_zero_ratio_mask", "training"},
	{"to_STRING", "strings"}, {"STRING_to_FLOAT", "strings"}, {"to_STRING_expanded", "strings"}, {"STRING_to_FLOAT_expanded", "strings"},
	{"identity_opt", "optional values"}, {"if_opt", "optional values"},
	{"identity_sequence", "lists as outputs"}, {"if_seq", "lists as outputs"},
	{"split_to_sequence_1", "lists as outputs"}, {"split_to_sequence_2", "lists as outputs"},
	{"split_to_sequence_nokeepdims", "lists as outputs"},
	{"scan_sum", "Scan as of opset 8"}, {"optional_get_element", "optional values"},
	{"resize_downsample_scales_linear_align_corners", "a length that is not whole"},
	{"resize_downsample_scales_cubic_align_corners", "a length that is not whole"},
	{"cast_BFLOAT16_to_FLOAT", "bfloat16 stored as uint16"}, {"cast_FLOAT_to_BFLOAT16", "bfloat16 stored as uint16"},
	{"castlike_BFLOAT16_to_FLOAT", "bfloat16 stored as uint16"}, {"castlike_FLOAT_to_BFLOAT16", "bfloat16 stored as uint16"},
	{"BFLOAT16_to_FLOAT_expanded", "bfloat16 stored as uint16"}, {"FLOAT_to_BFLOAT16_expanded", "bfloat16 stored as uint16"},
}

// TestConformance runs the standard's own cases: a folder with folders of
// cases at any depth, Debian's libonnx-testdata unless REPSCOPE_ONNX_TESTDATA names another.
func TestConformance(t *testing.T) {
	dir := os.Getenv("REPSCOPE_ONNX_TESTDATA")
	if dir == "" {
		dir = "/usr/share/libonnx-testdata/data"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no ONNX test data in %s (Debian: libonnx-testdata; elsewhere set REPSCOPE_ONNX_TESTDATA)", dir)
	}
	conform(t, os.DirFS(dir), 1e-3, false)
}

// TestOperators runs our own cases, whose outputs ONNX Runtime computed; see testdata/README.md.
func TestOperators(t *testing.T) { conform(t, operatorCases(t), 1e-4, true) }

// Every operator of integers has a case of integers at the ends of their ranges, except for those whose integers are
// places, sizes or tokens, or stand for multiples of a scale.
func TestIntegerCases(t *testing.T) {
	t.Parallel()
	without := []string{"BlackmanWindow", "DequantizeLinear", "HammingWindow", "HannWindow", "MelWeightMatrix",
		"QLinearConv", "QLinearMatMul", "Shape", "Size",
		"TfIdfVectorizer",
		// Of floats alone in the standard, and the operators that these are written as.
		"Col2Im", "MaxUnpool", "Sum", "Scatter"}
	moved := []string{"ConcatFromSequence", "SplitToSequence"} // and all of lists: they have their own cases
	cases, err := fs.Glob(operatorCases(t), "integers/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range operator.Supported() {
		matches := slices.ContainsFunc(cases,
			func(name string) bool { return strings.HasPrefix(name, "integers/"+strings.ToLower(s.Name)+"_") })
		if strings.Contains(s.Name, ".") || strings.HasPrefix(s.Name, "Sequence") || strings.HasPrefix(s.Name, "Optional") || slices.Contains(moved, s.Name) {
			continue
		}
		if want := slices.Contains(s.Types, graph.Int64) && !slices.Contains(without, s.Name); want != matches &&
			!(matches && s.Name == "If") {
			t.Errorf("%s: cases of integers: %t, want %t", s.Name, matches, want)
		}
	}
}

// operatorCases are our own cases.
func operatorCases(t testing.TB) fs.FS { return graphtest.Cases(t, "testdata/*.tar.gz") }

// conform runs every case of a file system with this relative tolerance (1e-3 is the tolerance of the standard's own
// runner). Cases of operators in the table must pass; with all, none may be unsupported and none of the operators may
// be left out.
func conform(t *testing.T, files fs.FS, relative float64, all bool) {
	passed, failed, unsupported := map[string]int{}, 0, map[string]int{}
	tested, supported := map[string]bool{}, []string(nil)
	for _, s := range operator.Supported() {
		if s.Name != "com.microsoft.DynamicQuantizeLSTM" { // ONNX Runtime rounds its inputs and states; see latent's tests
			supported = append(supported, s.Name)
		}
	}
	total := 0
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Base(name) != "model.onnx" {
			return err
		}
		dir := path.Dir(name)
		ops, err := runCase(files, dir, relative)
		total++
		foreign := ops == nil || slices.ContainsFunc(ops, func(op string) bool { return !slices.Contains(supported, op) })
		why := ""
		for _, e := range excluded {
			if strings.HasSuffix(dir, e.name) {
				why = e.why
			}
		}
		switch {
		case err == nil:
			passed[path.Dir(dir)]++
			for _, op := range ops {
				tested[op] = true
			}
		case all:
			failed++
			t.Errorf("%s: %v", dir, err)
		case errors.Is(err, graphtest.ErrNoData):
			unsupported["no data in the folder"]++
		case foreign && isUnsupported(err):
			// Named for the log: the operator that is missing, or a type such as a sequence.
			what := "a value that is no tensor of numbers"
			if u := (*graph.UnsupportedError)(nil); errors.As(err, &u) {
				what = u.Op
			}
			unsupported[what]++
		case errors.Is(err, errOldOpset):
			unsupported["opset below 7"]++
		case why != "":
			unsupported[why]++
		default:
			failed++
			t.Errorf("%s: %v", dir, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var untested []string
	for _, op := range supported {
		if !tested[op] {
			untested = append(untested, op)
		}
	}
	t.Logf("of %d cases: passed %v, failed %d, unsupported %v; operators in no case: %v", total, passed, failed, unsupported, untested)
	if all && len(untested) > 0 {
		t.Errorf("%v: no case has these operators, want one of each in testdata", untested)
	}
}

func isUnsupported(err error) bool {
	return errors.As(err, new(*graph.UnsupportedError)) || strings.Contains(err.Error(), "not supported") || strings.Contains(err.Error(), "no opset")
}

// Opset 7 is where today's rules of broadcasting begin.
var errOldOpset = errors.New("opset below 7")

// runCase runs one folder and names the operators of its graph; none if the file cannot be read.
func runCase(files fs.FS, dir string, relative float64) ([]string, error) {
	data, err := fs.ReadFile(files, path.Join(dir, "model.onnx"))
	if err != nil {
		return nil, err
	}
	// The operators' own tests state the opset of their last change, which may be 1.
	o := onnx.Options{MinOpset: 1, MaxOpset: 30}
	model, err := onnx.Decode(data, "", o)
	if err != nil {
		return nil, err
	}
	g := model.Graph
	var ops []string
	for _, n := range g.Nodes {
		ops = append(ops, strings.TrimPrefix(n.Domain+"."+n.Op, "."))
	}
	sets, err := fs.Glob(files, path.Join(dir, "test_data_set_*"))
	if err != nil || len(sets) == 0 {
		return ops, graphtest.ErrNoData
	}
	for _, set := range sets {
		if err := runSet(data, o, files, set, relative); err != nil {
			if g.Opset < 7 && path.Base(path.Dir(dir)) != "node" {
				err = fmt.Errorf("%w: %w", errOldOpset, err)
			}
			return ops, err
		}
	}
	return ops, nil
}

// runSet compares one set of inputs and outputs: with all inputs given at the run, or, where
// shapes depend on them, with those after the first as constants;
// and once more with all of them as constants, which folds what can be.
func runSet(data []byte, o onnx.Options, files fs.FS, set string, relative float64) error {
	if strings.Contains(set, "half") || strings.Contains(set, "fp16") || strings.Contains(set, "bf16") {
		// Half-precision models are computed in single precision, more exactly than the expected values.
		relative = 1e-2
	}
	run := func(rules graph.Rules, constant func(i int, x *graph.Tensor) bool) error {
		model, err := onnx.Decode(data, "", o)
		if err != nil {
			return err
		}
		g := model.Graph
		var inputs []*graph.Tensor
		var ports []graph.Port
		for i, p := range g.Inputs {
			x, err := graphtest.ReadTensor(files, set, "input", i)
			if err != nil {
				return err
			}
			if constant(i, x) {
				g.Constants[p.Name] = x
			} else {
				inputs, ports = append(inputs, x), append(ports, p)
			}
		}
		g.Inputs = ports
		if err := g.Prepare(rules); err != nil {
			return err
		}
		x := cpu.New(g, 2)
		defer x.Close()
		out, err := x.Run(context.Background(), inputs)
		if err != nil {
			return err
		}
		for i, got := range out {
			want, err := graphtest.ReadTensor(files, set, "output", i)
			if err != nil {
				return err
			}
			if err := graphtest.Compare(got, want, relative); err != nil {
				return fmt.Errorf("output %d: %w", i, err)
			}
		}
		return nil
	}
	folded := run(fuse.Rules(cpu.Evaluate), func(int, *graph.Tensor) bool { return true })
	var err error
	for _, rules := range []graph.Rules{fuse.Rules(cpu.Evaluate), fuse.ProcessorRules(cpu.Evaluate)} {
		next := run(rules, func(int, *graph.Tensor) bool { return false })
		if next != nil && strings.Contains(next.Error(), "constant") {
			next = run(rules, func(i int, _ *graph.Tensor) bool { return i > 0 })
		}
		err = cmp.Or(err, next)
	}
	if err != nil && strings.Contains(err.Error(), "constant") {
		return folded
	}
	if err == nil && folded != nil {
		return fmt.Errorf("with constant inputs: %w", folded)
	}
	return err
}
