// What is supported, for listings and error messages: the opset that introduced
// each ONNX operator and the element types it is computed for.

package operator

import (
	"maps"
	"slices"
	"strings"

	"repscope/model/graph"
)

// The range of opsets whose operators have the meaning implemented here.
const (
	MinOpset = 11
	MaxOpset = 21
)

// Support describes one supported ONNX operator.
type Support struct {
	Name string
	// First and Last are the opsets for which it is implemented.
	First, Last int
	// Types are the element types of its data operands. Float32 stands for float16,
	// bfloat16, float32 and float64, all computed in float32; Int64 for every
	// integer type, computed in int64 without the narrower type's overflow.
	Types []graph.DType
	// Attributes that are understood; any other one is an error.
	Attributes []string
	// Note says what is left out, if anything.
	Note string
}

// introduced is the opset of each operator's first version and the types it
// takes: f floats, i integers, b booleans.
var introduced = map[string]struct {
	opset int
	types string
}{
	"Abs": {1, "fi"}, "Acos": {7, "f"}, "Acosh": {9, "f"}, "Add": {1, "fi"}, "And": {1, "b"}, "ArgMax": {1, "fi"}, "ArgMin": {1, "fi"},
	"Asin": {7, "f"}, "Asinh": {9, "f"}, "Atan": {7, "f"}, "Atanh": {9, "f"}, "AveragePool": {1, "f"}, "BatchNormalization": {1, "f"},
	"Cast": {1, "fib"}, "CastLike": {15, "fib"}, "Ceil": {1, "f"}, "Celu": {12, "f"}, "Clip": {1, "fi"}, "Concat": {1, "fib"},
	"Constant": {1, "fib"}, "ConstantOfShape": {9, "fib"}, "Conv": {1, "f"}, "ConvInteger": {10, "i"}, "ConvTranspose": {1, "f"}, "Cos": {7, "f"}, "Cosh": {9, "f"},
	"CumSum": {11, "fi"}, "DepthToSpace": {1, "fib"}, "Div": {1, "fi"}, "Dropout": {1, "f"}, "Einsum": {12, "f"}, "Elu": {1, "f"},
	"DequantizeLinear": {10, "i"}, "DynamicQuantizeLinear": {11, "f"}, "Equal": {1, "fib"}, "Erf": {9, "f"}, "EyeLike": {9, "fib"}, "Exp": {1, "f"}, "Expand": {8, "fib"}, "Flatten": {1, "fib"}, "Floor": {1, "f"},
	"GRU": {1, "f"}, "Gather": {1, "fib"}, "GatherElements": {11, "fib"}, "GatherND": {11, "fib"}, "Gelu": {20, "f"}, "Gemm": {1, "f"},
	"GlobalAveragePool": {1, "f"}, "GlobalMaxPool": {1, "f"}, "Greater": {1, "fi"}, "GreaterOrEqual": {12, "fi"},
	"GridSample": {16, "f"}, "GroupNormalization": {18, "f"}, "Hardmax": {1, "f"}, "HardSigmoid": {1, "f"}, "HardSwish": {14, "f"}, "Identity": {1, "fib"}, "If": {1, "b"},
	"InstanceNormalization": {1, "f"}, "IsInf": {10, "f"}, "IsNaN": {9, "f"}, "LRN": {1, "f"}, "LSTM": {1, "f"}, "LayerNormalization": {17, "f"}, "LeakyRelu": {1, "f"},
	"Less": {1, "fi"}, "LessOrEqual": {12, "fi"}, "Log": {1, "f"}, "LogSoftmax": {1, "f"}, "Loop": {1, "fib"}, "LpNormalization": {1, "f"}, "MatMul": {1, "f"}, "MatMulInteger": {10, "i"},
	"Max": {1, "fi"}, "MaxPool": {1, "fi"}, "Mean": {1, "f"}, "MeanVarianceNormalization": {9, "f"}, "Min": {1, "fi"}, "Mish": {18, "f"}, "Mod": {10, "fi"}, "Mul": {1, "fi"},
	"Neg": {1, "fi"}, "NonZero": {9, "fib"}, "Not": {1, "b"}, "OneHot": {9, "fib"}, "Or": {1, "b"}, "PRelu": {1, "f"}, "Pad": {1, "fib"}, "Pow": {1, "fi"},
	"QLinearConv": {10, "i"}, "QLinearMatMul": {10, "i"}, "QuantizeLinear": {10, "f"}, "RNN": {1, "f"}, "Range": {11, "fi"}, "Reciprocal": {1, "f"}, "ReduceL1": {1, "fi"}, "ReduceL2": {1, "f"}, "ReduceLogSum": {1, "f"},
	"ReduceLogSumExp": {1, "f"}, "ReduceMax": {1, "fi"}, "ReduceMean": {1, "fi"}, "ReduceMin": {1, "fi"}, "ReduceProd": {1, "fi"},
	"ReduceSum": {1, "fi"}, "ReduceSumSquare": {1, "fi"}, "Relu": {1, "fi"}, "Reshape": {1, "fib"}, "Resize": {11, "f"}, "ReverseSequence": {10, "fib"}, "Round": {11, "f"},
	"Scan": {8, "fib"}, "ScatterElements": {11, "fib"}, "ScatterND": {11, "fib"}, "Selu": {1, "f"}, "Shape": {1, "fib"}, "Shrink": {9, "f"}, "Sigmoid": {1, "f"}, "Sign": {9, "fi"},
	"Sin": {7, "f"}, "Sinh": {9, "f"}, "Size": {1, "fib"}, "Slice": {1, "fib"}, "Softmax": {1, "f"}, "Softplus": {1, "f"}, "Softsign": {1, "f"},
	"SpaceToDepth": {1, "fib"}, "Split": {1, "fib"}, "Sqrt": {1, "f"}, "Squeeze": {1, "fib"}, "Sub": {1, "fi"}, "Sum": {1, "fi"},
	"Tan": {7, "f"}, "Tanh": {1, "f"}, "ThresholdedRelu": {10, "f"}, "Tile": {1, "fib"}, "TopK": {1, "fi"}, "Transpose": {1, "fib"}, "Trilu": {14, "fib"},
	"Unsqueeze": {1, "fib"}, "Where": {9, "fib"}, "Xor": {1, "b"},
}

// notes say what is left out of an operator.
var notes = map[string]string{
	"BatchNormalization": "not in training mode",
	"CastLike":           "the target's width is that of its class: float32, int64 or bool",
	"Clip":               "bounds must be constants",
	"Constant":           "not of strings or sparse tensors",
	"Dropout":            "not in training mode",
	"ConvInteger":        "sums are exact below 2^24",
	"DequantizeLinear":   "not in blocks",
	"GridSample":         "of images",
	"GRU":                "unrolled",
	"If":                 "the condition must be a constant or follow from the input's shape",
	"LSTM":               "unrolled",
	"Loop":               "unrolled; the number of iterations must be a constant or follow from the input's shape",
	"MatMulInteger":      "sums are exact below 2^24",
	"Mod":                "floats with fmod = 1",
	"NonZero":            "of constants and what follows from the input's shape",
	"QLinearConv":        "sums are exact below 2^24",
	"QLinearMatMul":      "sums are exact below 2^24",
	"QuantizeLinear":     "to 8 and 16 bits, not in blocks",
	"RNN":                "unrolled",
	"Scan":               "unrolled",
	"TopK":               "k must be a constant",
	"Resize":             "without antialiasing",
}

// Supported lists the supported ONNX operators by name.
func Supported() []Support {
	var list []Support
	for _, name := range Operators() {
		from := introduced[name]
		s := Support{Name: name, First: max(from.opset, MinOpset), Last: MaxOpset,
			Attributes: slices.Sorted(slices.Values(table["."+name].Attributes)), Note: notes[name]}
		for i, t := range []graph.DType{graph.Float32, graph.Int64, graph.Bool} {
			if strings.Contains(from.types, "fib"[i:i+1]) {
				s.Types = append(s.Types, t)
			}
		}
		list = append(list, s)
	}
	return list
}

// Operators lists the names of the supported ONNX operators, sorted.
func Operators() []string { return slices.Sorted(maps.Keys(introduced)) }
