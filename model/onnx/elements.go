// The element types of a file's values, as far as operators need more of them than graphs keep.

package onnx

import (
	"slices"
	"strings"

	"repscope/model/graph"
)

// deferredIntegers is a large initializer of narrow integers, as numbers read on demand and by a function that reads
// them into the tensor.
type deferredIntegers struct {
	numbers *graph.Tensor
	load    func() error
}

// settle handles large initializers of narrow integers. Initializers that are only dequantized stay in their file:
// their nodes get them as deferred numbers. The others are read.
func (d *decoder) settle(g *graph.Graph) error {
	if len(d.deferred) == 0 {
		return nil
	}
	integers := map[string]bool{}
	var dequantized []*graph.Node
	for _, n := range g.Nodes {
		for i, in := range n.Inputs {
			switch {
			case i == 0 && n.Op == "DequantizeLinear" && (n.Domain == "" || n.Domain == "ai.onnx"):
				dequantized = append(dequantized, n)
			case i == 1 && n.Op == "MatMulNBits" && n.Domain == "com.microsoft": // decodes packed weights itself
			default:
				integers[in] = true
			}
		}
		for _, a := range n.Attributes {
			if a.Graph != nil {
				for _, name := range a.Graph.Free() {
					integers[name] = true
				}
			}
		}
	}
	for _, out := range g.Outputs {
		integers[out.Name] = true
	}
	numbers := map[string]bool{}
	for name, t := range g.Constants {
		later, ok := d.deferred[t]
		switch {
		case !ok:
		case integers[name]:
			if err := later.load(); err != nil {
				return err
			}
		default:
			g.Constants[name], numbers[name] = later.numbers, true
		}
		delete(d.deferred, t)
	}
	for _, n := range dequantized {
		if numbers[n.Inputs[0]] {
			n.Domain = "repscope"
		}
	}
	return nil
}

// zeroPoints is which input of the operators that quantize their result is its zero point.
var zeroPoints = map[string]int{"QuantizeLinear": 2, "QLinearConv": 7, "QLinearMatMul": 7,
	"QGemm": 8, "QLinearAdd": 7, "QLinearMul": 7, "QLinearConcat": 1, "QLinearSigmoid": 4, "QLinearLeakyRelu": 4, "QLinearSoftmax": 4,
	"QLinearAveragePool": 4, "QLinearGlobalAveragePool": 4, "QLinearWhere": 8}

// asFirst are operators whose result has the type of their first input.
var asFirst = strings.Fields(`Abs Add AveragePool BatchNormalization BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Ceil
	Clip Concat Conv CumSum Div Expand Flatten Floor Gather GatherElements GatherND Gemm Identity MatMul Max MaxPool Min Mod Mul Neg
	Pad Pow ReduceMax ReduceMean ReduceMin ReduceSum Relu Reshape Round ScatterElements ScatterND Sigmoid Sign Slice Softmax Split
	Sqrt Squeeze Sub Sum Tanh Tile TopK Transpose Unsqueeze`)

// types names the types that nodes need and only the file has, since a graph's floats do not keep their width: the
// target of a quantization with only a zero point, the target of CastLike, and the source of BitCast.
func (d *decoder) types(g *graph.Graph) {
	set := func(n *graph.Node, name string, element int) {
		if element != 0 {
			n.Attributes[name] = graph.IntAttribute(element)
		}
	}
	elementOf := func(n *graph.Node, i int) int {
		if i < len(n.Inputs) {
			return d.elements[n.Inputs[i]]
		}
		return 0
	}
	for _, n := range g.Nodes {
		if zero, ok := zeroPoints[n.Op]; ok && n.Attributes["output_dtype"].Int == 0 {
			set(n, "output_dtype", elementOf(n, zero))
		}
		element := 0
		switch n.Op {
		case "Constant":
			if t := n.Attributes["value"].Tensor; t != nil {
				element = d.of[t]
			}
		case "Cast":
			element = int(n.Attributes["to"].Int)
		case "CastLike":
			element = elementOf(n, 1)
			set(n, "to", element)
		case "BitCast":
			set(n, "from", elementOf(n, 0))
			element = int(n.Attributes["to"].Int)
		case "QuantizeLinear", "DequantizeLinear":
			if element = int(n.Attributes["output_dtype"].Int); element == 0 && n.Op == "DequantizeLinear" {
				element = elementOf(n, 1)
			}
		case "Where":
			element = elementOf(n, 1)
		default:
			if slices.Contains(asFirst, n.Op) {
				element = elementOf(n, 0)
			}
		}
		if element != 0 && len(n.Outputs) > 0 {
			d.elements[n.Outputs[0]] = element
		}
	}
}
