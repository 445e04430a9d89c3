// Which steps of networks are computed element by element.

package cpu

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/onnx"
)

// The blocks of public convolution networks, with numbers of channels that are no multiple of a vector, run with vectors alone.
func TestNoScalarSteps(t *testing.T) {
	t.Parallel()
	ints := func(name string, v ...int) map[string]graph.Attribute {
		return map[string]graph.Attribute{name: graph.IntsAttribute(v...)}
	}
	for _, c := range []struct {
		name  string
		build func(n *network) string
	}{
		{"MobileNetV3", func(n *network) string {
			x := n.conv(n.add("HardSwish", nil, n.conv("x", 3, 20, 1)), 20, 20, 20)
			s := n.add("Relu", nil, n.conv(n.add("GlobalAveragePool", nil, x), 20, 5, 1))
			return n.add("Mul", nil, n.add("HardSigmoid", nil, n.conv(s, 5, 20, 1)), x)
		}},
		{"SqueezeNet", func(n *network) string {
			x := n.add("MaxPool", ints("kernel_shape", 3, 3), n.add("Relu", nil, n.conv("x", 3, 20, 1)))
			x = n.add("Concat", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, n.conv(x, 20, 7, 1), n.conv(x, 20, 9, 1))
			return n.add("AveragePool", ints("kernel_shape", 2, 2), x)
		}},
		{"DenseNet", func(n *network) string {
			x := n.conv("x", 3, 20, 1)
			y := n.add("Relu", nil, n.add("BatchNormalization", nil, x, n.constant(20), n.constant(20), n.constant(20), n.constant(20)))
			return n.add("Concat", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, x, n.conv(y, 20, 6, 1))
		}},
		{"ResNet", func(n *network) string {
			x := n.add("MaxPool", ints("kernel_shape", 3, 3), n.conv("x", 3, 20, 1))
			x = n.add("Relu", nil, n.add("Add", nil, n.conv(x, 20, 20, 1), x))
			return n.add("ReduceMean", nil, x, n.tensor(graph.Ints(2, 3)))
		}},
		{"YOLOv4", func(n *network) string {
			x := n.add("LeakyRelu", nil, n.add("Mish", nil, n.conv("x", 3, 20, 1)))
			x = n.add("MaxPool", ints("kernel_shape", 2, 2), n.add("Elu", nil, x))
			return n.add("Sigmoid", nil, n.add("Clip", nil, x, n.number(0), n.number(6)))
		}},
	} {
		n := &network{Graph: &graph.Graph{Opset: 18, Constants: map[string]*graph.Tensor{}, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}}}
		n.Outputs = []graph.Port{{Name: c.build(n)}}
		if err := n.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		x := New(n.Graph, 1)
		x.weights.scalar = func(step string) { t.Errorf("%s: %s has no vectors", c.name, step) }
		_, err := x.Run(t.Context(), []*graph.Tensor{graph.Floats(make([]float32, 2*3*11*11), 2, 3, 11, 11)})
		_ = x.Close()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
}

// TestNoScalarStepsOfFiles is that of the files in the folder REPSCOPE_ARCHITECTURES, which docs/benchmarks/architectures.py exports.
func TestNoScalarStepsOfFiles(t *testing.T) {
	folder := os.Getenv("REPSCOPE_ARCHITECTURES")
	files, err := filepath.Glob(filepath.Join(folder, "*.onnx"))
	if folder == "" || err != nil || len(files) == 0 {
		t.Skip("REPSCOPE_ARCHITECTURES names no folder with files that docs/benchmarks/architectures.py exported")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, err := onnx.Open(file, onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if err := m.Graph.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(strings.TrimSuffix(file, ".onnx") + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var state []int
			if err := json.Unmarshal(data, &state); err != nil {
				t.Fatal(err)
			}
			x := New(m.Graph, 0)
			defer x.Close()
			x.weights.scalar = func(step string) { t.Errorf("%s has no vectors", step) }
			shape := append([]int{2}, state...)
			if _, err := x.Run(t.Context(), []*graph.Tensor{graph.Floats(make([]float32, graph.Count(shape)), shape...)}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// network is a graph that is written node by node.
type network struct{ *graph.Graph }

func (n *network) add(op string, attributes map[string]graph.Attribute, in ...string) string {
	out := fmt.Sprint("v", len(n.Nodes))
	n.Nodes = append(n.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{out}, Attributes: attributes})
	return out
}

// constant is ones.
func (n *network) constant(shape ...int) string {
	data := make([]float32, graph.Count(shape))
	for i := range data {
		data[i] = 1
	}
	return n.tensor(graph.Floats(data, shape...))
}

func (n *network) number(v float32) string { return n.tensor(graph.Floats([]float32{v})) }

func (n *network) tensor(t *graph.Tensor) string {
	name := fmt.Sprint("c", len(n.Constants))
	n.Constants[name] = t
	return name
}

// conv is a convolution of one pixel each.
func (n *network) conv(x string, from, to, groups int) string {
	return n.add("Conv", map[string]graph.Attribute{"group": graph.IntAttribute(groups)}, x, n.constant(to, from/groups, 1, 1), n.constant(to))
}
