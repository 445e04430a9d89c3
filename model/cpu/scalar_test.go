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

// The blocks of public convolution networks, with numbers of channels that are no multiple of a vector, run with
// vectors alone.
func TestNoScalarSteps(t *testing.T) {
	t.Parallel()
	ints := func(name string, v ...int) map[string]graph.Attribute {
		return map[string]graph.Attribute{name: graph.IntsAttribute(v...)}
	}
	group := func(groups int, name string, v ...int) map[string]graph.Attribute {
		a := ints(name, v...)
		a["group"] = graph.IntAttribute(groups)
		return a
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
		{"U-Net", func(n *network) string {
			x := n.add("Relu", nil, n.add("GroupNormalization", map[string]graph.Attribute{"num_groups": graph.IntAttribute(4)}, n.conv("x", 3, 20, 1), n.constant(4), n.constant(4)))
			y := n.add("ConvTranspose", ints("strides", 2, 2), n.add("MaxPool", ints("kernel_shape", 2, 2), x), n.constant(20, 5, 2, 2))
			return n.add("ArgMax", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, y)
		}},
		{"ResNeXt, ShuffleNet", func(n *network) string {
			x := n.conv(n.conv("x", 3, 24, 1), 24, 24, 6)
			return n.conv(n.conv(n.conv(x, 24, 24, 3), 24, 24, 12), 24, 48, 24)
		}},
		{"depthwise of few channels", func(n *network) string {
			x := n.add("Conv", group(3, "strides", 2, 2), "x", n.constant(6, 1, 3, 3))
			y := n.add("ConvTranspose", group(6, "strides", 2, 2), x, n.constant(6, 1, 2, 2))
			return n.add("PRelu", nil, y, n.constant(6, 1, 1))
		}},
		{"NFNet, heads", func(n *network) string {
			x := n.add("Mul", nil, n.add("Elu", nil, n.conv("x", 3, 20, 1)), n.number(1.7))
			x = n.add("Flatten", nil, n.add("GlobalMaxPool", nil, x))
			x = n.add("Div", nil, x, n.add("Max", nil, n.add("ReduceL2", nil, x, n.tensor(graph.Ints(1))), n.number(1e-6)))
			y := n.add("Sqrt", nil, n.add("ReduceMean", nil, n.add("Pow", nil, x, n.number(2)), n.tensor(graph.Ints(1))))
			return n.add("Add", nil, n.add("ReduceLogSumExp", nil, x, n.tensor(graph.Ints(-1))), n.add("Reciprocal", nil, y))
		}},
		{"normalization in front", func(n *network) string {
			x := n.add("BatchNormalization", nil, "x", n.constant(3), n.constant(3), n.constant(3), n.constant(3))
			x = n.add("Mean", nil, n.add("Abs", nil, x), n.add("Neg", nil, x))
			return n.add("ReduceMin", nil, n.add("ReduceSumSquare", nil, x, n.tensor(graph.Ints(0, 2))), n.tensor(graph.Ints(1)))
		}},
		{"WaveNet", func(n *network) string {
			x := n.add("Reshape", nil, "x", n.tensor(graph.Ints(0, 3, -1)))
			x = n.add("Conv", ints("dilations", 4), x, n.constant(20, 3, 2))
			x = n.add("Mul", nil, n.add("Tanh", nil, x), n.add("Sigmoid", nil, x))
			x = n.add("AveragePool", ints("kernel_shape", 2), n.add("MaxPool", ints("kernel_shape", 3), x))
			return n.add("ReduceMax", nil, x, n.tensor(graph.Ints(2)))
		}},
		{"volumes", func(n *network) string {
			x := n.add("Reshape", nil, "x", n.tensor(graph.Ints(0, 1, 3, 11, 11)))
			x = n.add("Relu", nil, n.add("Conv", ints("kernel_shape", 3, 3, 3), x, n.constant(20, 1, 3, 3, 3)))
			x = n.add("MaxPool", ints("kernel_shape", 1, 2, 2), n.add("Conv", group(20, "kernel_shape", 1, 3, 3), x, n.constant(20, 1, 1, 3, 3)))
			return n.add("ReduceMean", nil, x, n.tensor(graph.Ints(2, 3, 4)))
		}},
		{"rare activations", func(n *network) string {
			x := n.conv("x", 3, 20, 1)
			for _, op := range []string{"Softplus", "Celu", "Softsign", "Shrink", "ThresholdedRelu", "Sign", "Log", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan",
				"Sinh", "Cosh", "Asinh", "Acosh", "Atanh"} {
				x = n.add(op, nil, x)
			}
			x = n.add("Pow", nil, n.add("Mod", map[string]graph.Attribute{"fmod": graph.IntAttribute(1)}, x, n.number(0.7)), n.constant(20, 1, 1))
			return n.add("Celu", nil, n.conv(x, 20, 20, 1))
		}},
		{"AlexNet, heads", func(n *network) string {
			x := n.add("LRN", map[string]graph.Attribute{"size": graph.IntAttribute(5)}, n.add("Relu", nil, n.conv("x", 3, 20, 1)))
			axis := func(axis int) map[string]graph.Attribute {
				return map[string]graph.Attribute{"axis": graph.IntAttribute(axis)}
			}
			x = n.add("Add", nil, n.add("Softmax", axis(1), x), n.add("LogSoftmax", axis(1), x))
			x = n.add("Add", nil, n.add("LogSoftmax", axis(3), x), n.add("Softmax", axis(2), x))
			return n.add("CumSum", nil, x, n.tensor(graph.Ints(3)))
		}},
		{"SegNet", func(n *network) string {
			x := n.add("MaxPool", ints("kernel_shape", 2, 2), n.conv("x", 3, 20, 1))
			places := n.Nodes[len(n.Nodes)-1]
			places.Outputs = append(places.Outputs, "places")
			places.Attributes["strides"] = graph.IntsAttribute(2, 2)
			return n.add("Add", nil, x, n.add("Cast", map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}, "places"))
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

// TestNoScalarStepsOfFiles tests the files in the folder REPSCOPE_ARCHITECTURES, which
// benchmarks/peers/architectures.py exports.
func TestNoScalarStepsOfFiles(t *testing.T) {
	folder := os.Getenv("REPSCOPE_ARCHITECTURES")
	files, err := filepath.Glob(filepath.Join(folder, "*.onnx"))
	if folder == "" || err != nil || len(files) == 0 {
		t.Skip("REPSCOPE_ARCHITECTURES names no folder with files that benchmarks/peers/architectures.py exported")
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
