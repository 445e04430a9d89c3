// The node cases of the ONNX standard, as model/cpu/testdata/node_cases.py writes them, and the table of their results.

package graphtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/model/graph"
	"repscope/model/onnx"
)

// nodeCasesVariable names the folder of the cases.
const nodeCasesVariable = "REPSCOPE_ONNX_NODE_CASES"

// NodeCase is a case of the list.
type NodeCase struct {
	Name       string
	Operator   string
	RTol, ATol float64
	OutOfScope string // why it is; empty if it is not
}

// Execute computes the outputs of a graph that is not prepared yet.
type Execute func(g *graph.Graph, inputs []*graph.Tensor) ([]*graph.Tensor, error)

// RunNodeCases runs every case in the folder that the environment names, logs a table of the results, and fails for
// wrong numbers. Refused cases are counted and do not fail. It is skipped if the environment names no folder.
func RunNodeCases(t *testing.T, execute Execute) {
	folder := os.Getenv(nodeCasesVariable)
	if folder == "" {
		t.Skipf("%s names no folder of node cases (written by model/cpu/testdata/node_cases.py)", nodeCasesVariable)
	}
	files := os.DirFS(folder)
	data, err := fs.ReadFile(files, "cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		ONNX  string
		Cases []NodeCase
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	passed, out := map[string]int{}, map[string]int{}
	refused := map[string][]string{} // by operator and message
	var wrong []string
	total := 0
	for _, c := range list.Cases {
		if c.OutOfScope != "" {
			out[c.OutOfScope]++
			continue
		}
		inputs, err := runNodeCase(files, c, execute)
		switch {
		case err == nil:
			passed[inputs]++
			total++
		case errors.As(err, new(wrongError)):
			wrong = append(wrong, fmt.Sprintf("%s: %v", c.Name, err))
		default:
			what := c.Operator + ": " + general(err)
			refused[what] = append(refused[what], c.Name)
		}
	}
	t.Log(nodeTable(list.ONNX, len(list.Cases), total, passed, wrong, refused, out))
	if len(wrong) > 0 {
		t.Errorf("%d cases have wrong numbers", len(wrong))
	}
}

// nodeTable writes the outcome, the operators with the most refused cases first.
func nodeTable(version string, cases, total int, passed map[string]int, wrong []string, refused map[string][]string, out map[string]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d node cases of onnx %s: %d passed %v, %d wrong\n", cases, version, total, passed, len(wrong))
	for _, line := range wrong {
		fmt.Fprintf(&b, "  wrong: %s\n", line)
	}
	keys := slices.SortedFunc(maps.Keys(refused), func(a, b string) int {
		if d := len(refused[b]) - len(refused[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	count := 0
	for _, key := range keys {
		count += len(refused[key])
	}
	fmt.Fprintf(&b, "%d refused\n", count)
	for _, key := range keys {
		fmt.Fprintf(&b, "%5d %s (%s)\n", len(refused[key]), key, strings.Join(refused[key][:min(3, len(refused[key]))], " "))
	}
	count = 0
	for _, n := range out {
		count += n
	}
	fmt.Fprintf(&b, "%d out of scope %v\n", count, out)
	return b.String()
}

// nodeNames matches the varying parts of messages of one kind.
var nodeNames = regexp.MustCompile(`(unnamed node|node( of output)? "[^"]*") \([^)]*\): `)

func general(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = nodeNames.ReplaceAllString(text, "")
	return text[:min(len(text), 140)]
}

// wrongError is a number that is not the standard's.
type wrongError struct{ error }

// runNodeCase runs a case with all inputs at run time or, if the rules need constants, with all but the first as
// constants, or with all; it returns which.
func runNodeCase(files fs.FS, c NodeCase, execute Execute) (inputs string, err error) {
	data, err := fs.ReadFile(files, path.Join(c.Name, "model.onnx"))
	if err != nil {
		return "", err
	}
	for from, what := range []string{"with all inputs given at the run", "with constants after the first input", "with constant inputs"} {
		next := attemptNodeCase(data, files, c, execute, []int{math.MaxInt, 1, 0}[from])
		if next == nil {
			return what, nil
		}
		if err == nil || errors.As(next, new(wrongError)) {
			err = next
		}
		if !strings.Contains(next.Error(), "constant") {
			break
		}
	}
	return "", err
}

// halfTolerances are two units in the last place of types whose expected values were rounded at every step; the
// tolerance of bfloat16 is from onnx's own runner.
var halfTolerances = map[string]float64{"bfloat16": 1.0 / 64, "float16": 1.0 / 512}

// transforms are the operators whose elements all are sums of all: if the sum is 0, the expected value is the rounding
// error of the largest ones, 1e-7 of these.
var transforms = map[string]bool{"DFT": true, "STFT": true}

// attemptNodeCase runs a case with the inputs from one on as constants.
func attemptNodeCase(data []byte, files fs.FS, c NodeCase, execute Execute, from int) error {
	// The operators' own cases state the opset of their last change, which may be 1.
	model, err := onnx.Decode(data, "", onnx.Options{MinOpset: 1})
	if err != nil {
		return err
	}
	g, set := model.Graph, path.Join(c.Name, "test_data_set_0")
	var inputs []*graph.Tensor
	var ports []graph.Port
	for i, p := range g.Inputs {
		x, err := ReadTensor(files, set, "input", i)
		switch {
		case err != nil:
			return fmt.Errorf("input %d: %w", i, err)
		case i >= from:
			g.Constants[p.Name] = x
		default:
			inputs, ports = append(inputs, x), append(ports, p)
		}
	}
	g.Inputs = ports
	elements := make([]string, len(g.Outputs))
	for i, p := range g.Outputs {
		elements[i] = p.Element
	}
	got, err := execute(g, inputs)
	if err != nil {
		return err
	}
	if len(got) != len(elements) {
		return fmt.Errorf("%d outputs, want %d", len(got), len(elements))
	}
	for i, element := range elements {
		want, err := ReadTensor(files, set, "output", i)
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		absolute := c.ATol
		for _, v := range want.F32 {
			if transforms[c.Operator] {
				absolute = max(absolute, 1e-7*math.Abs(float64(v)))
			}
		}
		if err := within(got[i], want, max(c.RTol, halfTolerances[element]), absolute); err != nil {
			return wrongError{fmt.Errorf("output %d: %w", i, err)}
		}
	}
	return nil
}

// within is an error unless floats differ by at most absolute + relative × the wanted one, and all else is equal.
func within(got, want *graph.Tensor, relative, absolute float64) error {
	if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("got %v %v, want %v %v", got.DType, got.Shape, want.DType, want.Shape)
	}
	for i, v := range want.F32 {
		g, w := float64(got.F32[i]), float64(v)
		if g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= absolute+relative*math.Abs(w)) {
			return fmt.Errorf("element %d is %g, want %g", i, g, w)
		}
	}
	for i, w := range want.I64 {
		if got.I64[i] != w {
			return fmt.Errorf("element %d is %d, want %d", i, got.I64[i], w)
		}
	}
	for i, w := range want.Bool {
		if got.Bool[i] != w {
			return fmt.Errorf("element %d is %t, want %t", i, got.Bool[i], w)
		}
	}
	return nil
}
