//go:build cuda

// Tests of elementwise functions against the CPU.

package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/internal/dtype"
	"repscope/model/graph"
	"repscope/model/operator"
)

// special are float32 values at which functions have cases of their own.
var special = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, -2, 1e-45, -1e-40, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 88.5, -88.5, -103.5, 128, 1e6, -1e9, 3e9, 1e19,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

// mixed is a tensor of numbers of all sizes, special ones among them.
func mixed(seed uint64, shape ...int) *graph.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, graph.Count(shape))
	for i := range v {
		switch r.IntN(4) {
		case 0:
			v[i] = special[r.IntN(len(special))]
		case 1:
			v[i] = float32(r.IntN(9) - 4)
		default:
			v[i] = float32(r.NormFloat64() * math.Exp(2*r.NormFloat64()))
		}
	}
	return graph.Floats(v, shape...)
}

// integers is a tensor of small int64 numbers, a few extreme ones among them.
func integers(seed uint64, shape ...int) *graph.Tensor {
	r := rand.New(rand.NewPCG(seed, 2))
	t := &graph.Tensor{DType: graph.Int64, Shape: shape, I64: make([]int64, graph.Count(shape))}
	for i := range t.I64 {
		t.I64[i] = r.Int64N(21) - 10
		if r.IntN(8) == 0 {
			t.I64[i] = []int64{math.MaxInt64, math.MinInt64, 1 << 40, -1 << 33, 300, -40000}[r.IntN(6)]
		}
	}
	return t
}

// narrow are integers of another type: their low bits.
func narrow(bits int, t *graph.Tensor) *graph.Tensor {
	c := clone([]*graph.Tensor{t})[0]
	c.Bits = bits
	for i, v := range c.I64 {
		c.I64[i] = graph.Wrap(v, bits)
	}
	return c
}

// widths are the widths of the types of integers, negative for unsigned ones; 0 is int64.
var widths = []int{0, graph.Uint64, 32, -32, 16, -16, 8, -8}

// truths is a tensor of bools.
func truths(seed uint64, shape ...int) *graph.Tensor {
	r := rand.New(rand.NewPCG(seed, 3))
	t := &graph.Tensor{DType: graph.Bool, Shape: shape, Bool: make([]bool, graph.Count(shape))}
	for i := range t.Bool {
		t.Bool[i] = r.IntN(2) == 0
	}
	return t
}

func attributes(pairs ...any) map[string]graph.Attribute {
	m := map[string]graph.Attribute{}
	for i := 0; i < len(pairs); i += 2 {
		a := graph.Attribute{}
		switch v := pairs[i+1].(type) {
		case int:
			a = graph.Attribute{Kind: graph.AttributeInt, Int: int64(v)}
		case float64:
			a = graph.Attribute{Kind: graph.AttributeFloat, Float: float32(v)}
		case string:
			a = graph.Attribute{Kind: graph.AttributeString, String: v}
		case []int64:
			a = graph.Attribute{Kind: graph.AttributeInts, Ints: v}
		case *graph.Tensor:
			a = graph.Attribute{Kind: graph.AttributeTensor, Tensor: v}
		}
		m[pairs[i].(string)] = a
	}
	return m
}

// exact is a tolerance: the same numbers.
const exact = 0

// check compares one node with model/cpu; see compare.
func check(t *testing.T, tolerance float64, op string, attributes map[string]graph.Attribute, operands ...any) {
	t.Helper()
	checkAll(t, tolerance, op, attributes, 1, operands...)
}

func checkAll(t *testing.T, tolerance float64, op string, attributes map[string]graph.Attribute, outputs int, operands ...any) {
	t.Helper()
	g, inputs := single(op, attributes, outputs, operands...)
	var shapes []any
	for _, x := range inputs {
		shapes = append(shapes, x.DType, x.Shape)
	}
	t.Run(fmt.Sprint(op, shapes), func(t *testing.T) {
		t.Helper()
		compare(t, g, inputs, tolerance)
	})
}

// Sizes around the groups of four and the blocks of threads.
var lengths = []int{0, 1, 3, 4, 5, 255, 1024, 1027, 5003}

func TestUnary(t *testing.T) {
	// What model/cpu computes in float32 is computed in the same way.
	for tolerance, codes := range map[float64]map[string]int{exact: unaryCodes, 1e-6: doubleCodes} {
		for name := range codes {
			switch name {
			case "quotient", "Silu", "GeluTanh", "Clip":
				continue
			}
			for i, n := range lengths {
				if i < 2 || (i+len(name))%3 == 0 {
					check(t, tolerance, name, nil, mixed(uint64(n), n))
				}
			}
		}
	}
	check(t, exact, "Gelu", attributes("approximate", "tanh"), mixed(5, 5, 211))
	check(t, exact, "Swish", attributes("alpha", 1.7), mixed(6, 5, 211))
	for _, name := range []string{"LeakyRelu", "Elu", "Celu", "ThresholdedRelu"} {
		check(t, 1e-6, name, attributes("alpha", 0.3), mixed(6, 7, 5))
	}
	check(t, 1e-6, "Selu", attributes("alpha", 2.0, "gamma", 0.7), mixed(7, 64))
	check(t, 1e-6, "HardSigmoid", attributes("alpha", 0.3, "beta", 0.1), mixed(8, 64))
	check(t, exact, "Clip", nil, mixed(9, 64), known{graph.Floats([]float32{-0.5})}, known{graph.Floats([]float32{1.5})})
	check(t, exact, "Clip", nil, mixed(9, 64), nil, known{graph.Floats([]float32{1.5})})
	check(t, exact, "Clip", nil, mixed(9, 64), known{graph.Floats([]float32{2})}, known{graph.Floats([]float32{1})})
	check(t, exact, "Clip", nil, integers(9, 64), known{graph.Ints(-3)}, known{graph.Ints(1 << 35)})
	for _, name := range []string{"Relu", "Neg", "Abs", "Sign"} {
		check(t, exact, name, nil, integers(10, 300))
		check(t, exact, name, nil, integers(10))
	}
	// x·σ(x) becomes one step.
	g, _ := single("Sigmoid", nil, 1, mixed(11, 700))
	g.Nodes = append(g.Nodes, &graph.Node{Op: "Mul", Inputs: []string{"x0", "y0"}, Outputs: []string{"z"}})
	g.Outputs[0].Name = "z"
	compare(t, g, []*graph.Tensor{mixed(11, 700)}, exact)
}

// pairs are shapes that broadcast, in every position and of many ranks.
var pairs = [][2][]int{
	{{}, {}}, {{7}, {7}}, {{8}, {1}}, {{1}, {12}}, {{}, {5}}, {{5, 8}, {8}}, {{5, 8}, {5, 1}}, {{5, 1}, {1, 8}}, {{1, 8}, {5, 8}}, {{4, 12, 6, 6}, {12, 1, 1}},
	{{2, 3, 5}, {3, 1}}, {{2, 1, 5, 1, 4}, {1, 3, 1, 6, 1}}, {{3, 1, 2, 1, 2, 1, 4}, {1, 2, 2, 3, 1, 2, 4}}, {{0, 4}, {4}}, {{4, 0}, {1, 1}}, {{1, 1, 1}, {1}}, {{33, 65}, {33, 65}},
	{{2, 4, 8}, {4, 1}}, {{2, 4, 8}, {2, 1, 1}}, {{2, 6, 4}, {1, 6, 4}},
}

func TestBinary(t *testing.T) {
	for i, p := range pairs {
		for k, name := range []string{"Add", "Sub", "Mul", "Div", "Max", "Min"} {
			check(t, exact, name, nil, mixed(uint64(i), p[0]...), mixed(uint64(i+k+50), p[1]...))
			check(t, exact, name, nil, integers(uint64(i), p[0]...), integers(uint64(i+k+50), p[1]...))
		}
		for _, name := range []string{"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"} {
			check(t, exact, name, nil, mixed(uint64(i), p[0]...), mixed(uint64(i), p[1]...))
			check(t, exact, name, nil, integers(uint64(i), p[0]...), integers(uint64(i), p[1]...))
		}
		for _, name := range []string{"And", "Or", "Xor", "Equal"} {
			check(t, exact, name, nil, truths(uint64(i), p[0]...), truths(uint64(i+9), p[1]...))
		}
		check(t, exact, "Mod", attributes("fmod", 1), mixed(uint64(i), p[0]...), mixed(uint64(i+70), p[1]...))
		check(t, exact, "Mod", attributes("fmod", 1), integers(uint64(i), p[0]...), integers(uint64(i+70), p[1]...))
		check(t, exact, "Mod", nil, integers(uint64(i), p[0]...), integers(uint64(i+70), p[1]...))
		check(t, 1e-6, "Pow", nil, mixed(uint64(i), p[0]...), mixed(uint64(i+70), p[1]...))
		check(t, 1e-6, "Pow", nil, mixed(uint64(i), p[0]...), integers(uint64(i+70), p[1]...))
		check(t, exact, "Pow", nil, integers(uint64(i), p[0]...), integers(uint64(i+70), p[1]...))
		check(t, exact, "Where", nil, truths(uint64(i), p[0]...), mixed(uint64(i), p[1]...), mixed(uint64(i+1), p[0]...))
		check(t, exact, "Where", nil, truths(uint64(i), p[1]...), integers(uint64(i), p[0]...), integers(uint64(i+1), p[1]...))
		check(t, exact, "Where", nil, truths(uint64(i), p[1]...), truths(uint64(i+2), p[1]...), truths(uint64(i+1), p[0]...))
	}
	check(t, exact, "Pow", nil, mixed(1, 500), known{graph.Floats([]float32{2})})
	check(t, 1e-6, "Pow", nil, mixed(1, 500), known{graph.Floats([]float32{0.5})})
	check(t, exact, "PRelu", nil, mixed(1, 2, 4, 3, 5), mixed(2, 4, 1, 1))
	check(t, exact, "PRelu", nil, mixed(1, 2, 4, 3, 4), mixed(2, 1))
}

// Integers keep to the width of their type.
func TestWidths(t *testing.T) {
	for i, bits := range widths {
		x, y, z := narrow(bits, integers(uint64(i), 7, 12)), narrow(bits, integers(uint64(i+20), 12)), narrow(bits, integers(uint64(i+40), 7, 1))
		for _, name := range []string{"Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", "Pow", "Equal", "Greater", "LessOrEqual", "BitwiseAnd", "BitwiseXor"} {
			check(t, exact, name, nil, x, y)
		}
		if bits != graph.Uint64 {
			check(t, exact, "Pow", nil, x, mixed(uint64(i), 12))
			check(t, exact, "Neg", nil, x)
		}
		check(t, 1e-6, "Pow", nil, mixed(uint64(i), 12), y)
		for _, name := range []string{"Max", "Min"} {
			check(t, exact, name, nil, x, y, z)
		}
		for _, name := range []string{"Abs", "Sign", "BitwiseNot"} {
			check(t, exact, name, nil, x)
		}
		for to := graph.ElementFloat; to <= graph.ElementInt2; to++ {
			if _, ok := graph.ElementDType(to); ok {
				check(t, exact, "Cast", attributes("to", to), x)
			}
		}
		if bits < 0 {
			for _, direction := range []string{"LEFT", "RIGHT"} {
				check(t, exact, "BitShift", attributes("direction", direction), x, y)
			}
		}
	}
}

func TestVariadic(t *testing.T) {
	for _, name := range []string{"Max", "Min", "Sum", "Mean"} {
		check(t, 1e-6, name, nil, random(1, 3, 4))
		check(t, 1e-6, name, nil, mixed(1, 4), mixed(2, 3, 1), mixed(3, 2, 1, 1), mixed(4, 2, 3, 4))
		if name != "Mean" {
			check(t, exact, name, nil, integers(1, 3, 4))
			check(t, exact, name, nil, integers(1, 1), integers(2, 3, 1), integers(3, 3, 5))
		}
	}
}

func TestConversions(t *testing.T) {
	floats := append([]float32{65504, 65519.9, 65520, -70000, 5.9e-8, 2.9e-8, 6.1e-5, 0.1, -0.3, 255.7, -1.5, 40000, 3e9, 9.3e18}, special...)
	for to := graph.ElementFloat; to <= graph.ElementInt2; to++ {
		if _, ok := graph.ElementDType(to); !ok {
			continue
		}
		original := slices.Clone(floats)
		if n := graph.NarrowElement(to); n != nil {
			// The numbers of the type, and numbers halfway between two, and their neighbors.
			numbers := make([]float32, 1<<(8/n.PerByte()-1))
			codes := make([]byte, n.Bytes(len(numbers)))
			for i := range codes {
				codes[i] = byte(i)
				if n.PerByte() == 2 {
					codes[i] = byte(2*i | (2*i+1)<<4)
				}
			}
			dtype.Unpack(n, numbers, codes, 0)
			for i, v := range numbers[1:] {
				half := (v + numbers[i]) / 2
				original = append(original, v, half, -half, math.Nextafter32(half, 0), math.Nextafter32(half, float32(math.Inf(1))))
			}
		}
		for _, mode := range []string{"up", "down", "nearest"} {
			for saturate := range 2 {
				how := attributes("to", to, "saturate", saturate, "round_mode", mode)
				check(t, exact, "Cast", how, graph.Floats(original, len(original)))
				check(t, exact, "Cast", how, integers(1, 401))
				check(t, exact, "Cast", how, truths(1, 401))
			}
			if to != graph.ElementFloat8E8M0 {
				break
			}
		}
		bits := map[int]int{graph.ElementFloat: graph.ElementInt32, graph.ElementFloat16: graph.ElementInt16, graph.ElementBFloat16: graph.ElementUint16}[to]
		if bits != 0 {
			check(t, exact, "BitCast", attributes("from", to, "to", bits), graph.Floats(original, len(original)))
			check(t, exact, "BitCast", attributes("to", to), narrow(graph.IntegerBits(bits), integers(1, 401)))
		}
	}
	check(t, exact, "BitCast", attributes("to", graph.ElementDouble), integers(1, 401))
	check(t, exact, "CastLike", nil, integers(1, 5, 6), known{random(1, 1)})
	check(t, exact, "Not", nil, truths(1, 5, 101))
	check(t, exact, "IsNaN", nil, mixed(1, 700))
	check(t, exact, "IsInf", nil, mixed(1, 700))
	check(t, exact, "IsInf", attributes("detect_negative", 0), mixed(1, 700))
	check(t, exact, "IsInf", attributes("detect_positive", 0), mixed(1, 700))
}

// TestFunctions measures functions over all sizes of their operand against float64.
func TestFunctions(t *testing.T) {
	functions := map[string]struct {
		f        func(float64) float64
		ulp      float64
		smallest float64 // results below this are left out
	}{
		"Exp": {math.Exp, 1, 1e-37}, "Tanh": {math.Tanh, 2, 0}, "Erf": {math.Erf, 2.5, 0},
		"Sigmoid": {func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 3, 1e-37},
		"Log":     {math.Log, 0.51, 0}, "Sin": {math.Sin, 0.51, 0}, "Cos": {math.Cos, 0.51, 0}, "Tan": {math.Tan, 0.51, 0},
		"Asin": {math.Asin, 0.51, 0}, "Acos": {math.Acos, 0.51, 0}, "Atan": {math.Atan, 0.51, 0}, "Sinh": {math.Sinh, 0.51, 0}, "Cosh": {math.Cosh, 0.51, 0},
		"Asinh": {math.Asinh, 0.51, 0}, "Acosh": {math.Acosh, 0.51, 0}, "Atanh": {math.Atanh, 0.51, 0}, "Sqrt": {math.Sqrt, 0.5001, 0},
		"Softplus": {func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, 0.51, 1e-37},
	}
	c := open(t, 1, 1<<30)[0]
	var x []float32
	for b := uint32(0); b < 0x7f800000; b += 30011 {
		x = append(x, math.Float32frombits(b), math.Float32frombits(b|1<<31))
	}
	for name, f := range functions {
		worst, argument := 0.0, float32(0)
		for i, y := range apply(t, c, operator.Activation{Op: name}, x) {
			want := f.f(float64(x[i]))
			rounded := float32(want)
			switch {
			case math.IsNaN(want), math.IsInf(float64(rounded), 0), rounded == 0:
				if y != rounded && !math.IsNaN(want) && math.Abs(want) < 3.4e38 && math.Abs(want) > f.smallest || math.IsNaN(want) != (y != y) {
					t.Fatalf("%s(%g) = %g, want %g", name, x[i], y, want)
				}
				continue
			case math.Abs(want) < f.smallest:
				continue
			}
			up := float64(math.Nextafter32(float32(math.Abs(float64(rounded))), math.MaxFloat32)) - math.Abs(float64(rounded))
			if d := math.Abs(float64(y)-want) / up; !(d <= worst) {
				worst, argument = d, x[i]
			}
		}
		if !(worst <= f.ulp) {
			t.Errorf("%s: %g units in the last place at %g, want %g", name, worst, argument, f.ulp)
		}
		t.Logf("%s: at most %.3f units in the last place", name, worst)
	}
}

// apply computes a function of numbers on the device.
func apply(t *testing.T, c *device.Context, a operator.Activation, x []float32) []float32 {
	t.Helper()
	g := prepare(t, &graph.Graph{Opset: 20, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Nodes: []*graph.Node{{Op: a.Op, Inputs: []string{"x"}, Outputs: []string{"y"}}}})
	e, err := New(g, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	out, err := e.Run(context.Background(), []*graph.Tensor{graph.Floats(x, len(x))})
	if err != nil {
		t.Fatal(err, fakecuda.Message())
	}
	return clone(out)[0].F32
}

// The numbers of operations equal the kernels' enums.
func TestCodes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../internal/cuda/kernels/elementwise.cu")
	if err != nil {
		t.Fatal(err)
	}
	var enums [][]string
	for _, m := range regexp.MustCompile(`(?s)\nenum \{(.*?)\}`).FindAllStringSubmatch(string(source), -1) {
		enums = append(enums, strings.FieldsFunc(strings.ReplaceAll(m[1], "_", ""), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	}
	kinds := strings.NewReplacer("float32", "FLOAT", "int64", "INTEGER", "bool", "BOOL", " ", "TO")
	for i, c := range []struct {
		codes  map[string]int
		prefix string
	}{{unaryCodes, ""}, {doubleCodes, ""}, {integerCodes, "INTEGER"}, {binaryCodes, ""}, {comparisonCodes, ""}, {conversionCodes, ""}} {
		names := make([]string, len(c.codes))
		for name, code := range c.codes {
			names[code] = c.prefix + strings.ToUpper(kinds.Replace(name))
		}
		if i >= len(enums) || !slices.Equal(names, enums[i]) {
			t.Errorf("enum %d of elementwise.cu has other names than %v", i, names)
		}
	}
	if len(enums) != 6 {
		t.Errorf("%d enums, want 6: %v", len(enums), enums)
	}
}
