//go:build cuda

// Elementwise operators and broadcasting.

package cuda

import (
	"errors"
	"fmt"

	"repscope/model/graph"
	"repscope/model/operator"
)

// The numbers that kernels/elementwise.cu gives operations, by kernel.
var (
	unaryCodes = numbered("Relu", "Sigmoid", "Silu", "Tanh", "Gelu", "GeluTanh", "Erf", "Exp", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "HardSwish",
		"Softsign", "Clip", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Neg", "Abs", "Sign", "quotient", "Shrink", "Swish")
	doubleCodes = numbered("Softplus", "Elu", "Celu", "Selu", "Mish", "Log", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh")
	// integerCodes are the unary operations of int64.
	integerCodes = numbered("Relu", "Neg", "Abs", "Sign", "Clip")
	binaryCodes  = numbered("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "remainder", "modulo",
		"BitwiseAnd", "BitwiseOr", "BitwiseXor", "left", "right", "logicalRight", "Pow")
	comparisonCodes = numbered("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor")
	conversionCodes = numbered("float32 float32", "int64 float32", "bool float32", "float32 int64", "int64 int64", "bool int64", "float32 bool", "int64 bool",
		"Not", "IsNaN", "IsInf", "BitsOf", "OfBits")
)

func numbered(names ...string) map[string]int {
	codes := map[string]int{}
	for i, name := range names {
		codes[name] = i
	}
	return codes
}

func elementwiseOperators() map[string]constructor {
	list := map[string]constructor{
		"repscope.Silu": buildUnary,
		".Add":          buildBinary, ".Sub": buildBinary, ".Mul": buildBinary, ".Div": buildBinary, ".Mod": buildBinary, ".PRelu": buildBinary, ".Pow": buildPow,
		".BitwiseAnd": buildBinary, ".BitwiseOr": buildBinary, ".BitwiseXor": buildBinary, ".BitShift": buildShift,
		".Max": buildVariadic, ".Min": buildVariadic, ".Sum": buildVariadic, ".Mean": buildVariadic,
		".Where": buildWhere, ".Cast": buildCast, ".CastLike": buildCast, "repscope.BitsOf": buildPredicate, "repscope.OfBits": buildPredicate, ".Not": buildPredicate, ".IsNaN": buildPredicate, ".IsInf": buildPredicate,
	}
	for _, codes := range []map[string]int{unaryCodes, doubleCodes} {
		for name := range codes {
			switch name {
			case "quotient", "GeluTanh", "Silu": // not operators of ONNX
			default:
				list["."+name] = buildUnary
			}
		}
	}
	for name := range comparisonCodes {
		list["."+name] = buildComparison
	}
	return list
}

// perBlock is the number of threads of a block.
const perBlock = 256

var line = [3]int{perBlock, 1, 1}

// blocks is a grid for a loop over n elements; threads take several where n is huge.
func blocks(n int) [3]int { return [3]int{min((n+perBlock-1)/perBlock, 1<<20), 1, 1} }

// typeName ends the names of kernels that exist for every element type.
func typeName(t graph.DType) string {
	return [...]string{graph.Float32: "f32", graph.Int64: "i64", graph.Bool: "bool"}[t]
}

// function records y = a(x) for n float32 elements; y may be x.
func (b *builder) function(a operator.Activation, x, y operand, n int) error {
	if code, ok := unaryCodes[a.Op]; ok {
		b.launch("unary_f32", blocks((n+3)/4), line, 0, x, y, n, code, a.Alpha, a.Beta)
		return nil
	}
	if code, ok := doubleCodes[a.Op]; ok {
		b.launch("unary_double_f32", blocks(n), line, 0, x, y, n, code, a.Alpha, a.Beta)
		return nil
	}
	if a.Op != "" {
		return errors.New("no kernel for " + a.Op)
	}
	if x != y {
		b.copy(y, x, 4*n)
	}
	return nil
}

func buildUnary(b *builder) error {
	n := graph.Count(b.OutShape(0))
	if b.DType(0) != graph.Int64 {
		return b.function(b.Step.Params.(operator.Activation), b.in(0), b.out(0), n)
	}
	bounds, _ := b.Step.Params.(operator.ClipBounds)
	b.launch("unary_i64", blocks(n), line, 0, b.in(0), b.out(0), n, integerCodes[b.Step.Node.Op], uint64(bounds.Low), uint64(bounds.High))
	return nil
}

// binary records y = f(x, z), broadcast to the shape; y may be x where it is not broadcast.
func (b *builder) binary(kernel string, shape []int, x, z, y operand, xShape, zShape []int, arguments ...any) {
	w := newBox(shape, graph.BroadcastStrides(shape, xShape), graph.BroadcastStrides(shape, zShape))
	b.launch(kernel, blocks(graph.Count(shape)), line, 0, append([]any{x, z, y, graph.Count(shape), w.table(b), w.rank()}, arguments...)...)
}

// binaryFloat is binary for the operations of binary_f32.
func (b *builder) binaryFloat(code int, shape []int, x, z, y operand, xShape, zShape []int) {
	w := newBox(shape, graph.BroadcastStrides(shape, xShape), graph.BroadcastStrides(shape, zShape))
	quarters, ok := w.quarters()
	if !ok || code == binaryCodes["remainder"] {
		b.binary("binary_f32", shape, x, z, y, xShape, zShape, code)
		return
	}
	n, last := graph.Count(shape)/4, w.strides[w.rank()-1]
	b.launch("binary4_f32", blocks(n), line, 0, x, z, y, n, quarters.table(b), w.rank(), code, last[0], last[1])
}

func buildBinary(b *builder) error {
	op, shape := b.Step.Node.Op, b.OutShape(0)
	truncated, _ := b.Step.Params.(bool)
	switch {
	case op == "Mod" && (truncated || b.DType(0) == graph.Float32):
		if !truncated {
			return errors.New("float operands need fmod = 1")
		}
		op = "remainder"
	case op == "Mod":
		op = "modulo"
	}
	if b.DType(0) == graph.Int64 {
		b.binary("binary_i64", shape, b.in(0), b.in(1), b.out(0), b.Shape(0), b.Shape(1), binaryCodes[op])
		return nil
	}
	b.binaryFloat(binaryCodes[op], shape, b.in(0), b.in(1), b.out(0), b.Shape(0), b.Shape(1))
	return nil
}

func buildShift(b *builder) error {
	p, code := b.Step.Params.(operator.ShiftParams), "right"
	switch {
	case p.Left:
		code = "left"
	case p.Unsigned:
		code = "logicalRight"
	}
	b.binary("binary_i64", b.OutShape(0), b.in(0), b.in(1), b.out(0), b.Shape(0), b.Shape(1), binaryCodes[code])
	return nil
}

func buildPow(b *builder) error {
	base, exponent := b.DType(0) == graph.Int64, b.DType(1) == graph.Int64
	if base && exponent {
		b.binary("binary_i64", b.OutShape(0), b.in(0), b.in(1), b.out(0), b.Shape(0), b.Shape(1), binaryCodes["Pow"])
		return nil
	}
	b.binary("power", b.OutShape(0), b.in(0), b.in(1), b.out(0), b.Shape(0), b.Shape(1), base, exponent,
		int32(b.Values[b.Step.Out[0]].Bits))
	return nil
}

func buildVariadic(b *builder) error {
	op, shape, y := b.Step.Node.Op, b.OutShape(0), b.out(0)
	if op == "Sum" || op == "Mean" {
		op = "Add"
	}
	code, floats := binaryCodes[op], b.DType(0) == graph.Float32
	x, xShape := b.in(0), b.Shape(0)
	if len(b.Step.In) == 1 {
		b.copy(y, x, graph.Count(shape)*b.DType(0).Size())
	}
	for i := 1; i < len(b.Step.In); i++ {
		if floats {
			b.binaryFloat(code, shape, x, b.in(i), y, xShape, b.Shape(i))
		} else {
			b.binary("binary_i64", shape, x, b.in(i), y, xShape, b.Shape(i), code)
		}
		x, xShape = y, shape
	}
	if b.Step.Node.Op == "Mean" {
		return b.function(operator.Activation{Op: "quotient", Alpha: float32(len(b.Step.In))}, y, y, graph.Count(shape))
	}
	return nil
}

func buildComparison(b *builder) error {
	b.binary("compare_"+typeName(b.DType(0)), b.OutShape(0), b.in(0), b.in(1), b.out(0), b.Shape(0), b.Shape(1), comparisonCodes[b.Step.Node.Op])
	return nil
}

func buildWhere(b *builder) error {
	shape := b.OutShape(0)
	w := newBox(shape, graph.BroadcastStrides(shape, b.Shape(0)), graph.BroadcastStrides(shape, b.Shape(1)), graph.BroadcastStrides(shape, b.Shape(2)))
	b.launch(fmt.Sprint("choose_", b.DType(1).Size()), blocks(graph.Count(shape)), line, 0, b.in(0), b.in(1), b.in(2), b.out(0), graph.Count(shape), w.table(b), w.rank())
	return nil
}

// The numbers that kernels/elementwise.cu gives narrower floats, and saturation.
var narrowCodes = map[int]int{graph.ElementFloat16: 1, graph.ElementBFloat16: 2, graph.ElementFloat8E4M3FN: 3, graph.ElementFloat8E4M3FNUZ: 4,
	graph.ElementFloat8E5M2: 5, graph.ElementFloat8E5M2FNUZ: 6, graph.ElementFloat4E2M1: 7, graph.ElementFloat8E8M0: 8}

const narrowSaturates = 16

// narrowing is the argument of kernels that round to the type that a value is cast to.
func narrowing(p operator.CastParams) int {
	code := narrowCodes[p.To]
	if p.To == graph.ElementFloat8E8M0 {
		code += int(p.Mode)
	}
	if code > 0 && p.Saturate {
		code |= narrowSaturates
	}
	return code
}

func buildCast(b *builder) error {
	p, from, target := b.Step.Params.(operator.CastParams), b.DType(0), b.OutDType(0)
	detail := narrowing(p)
	if target == graph.Int64 {
		detail = graph.IntegerBits(p.To)
	}
	n := graph.Count(b.OutShape(0))
	if from == target && detail == 0 {
		b.copy(b.out(0), b.in(0), n*from.Size())
		return nil
	}
	b.launch("convert", blocks(n), line, 0, b.in(0), b.out(0), n, conversionCodes[from.String()+" "+target.String()], int32(detail))
	return nil
}

func buildPredicate(b *builder) error {
	detail := 0
	switch p := b.Step.Params.(type) {
	case operator.IsInfParams:
		if p.Negative {
			detail |= 1
		}
		if p.Positive {
			detail |= 2
		}
	case operator.BitsParams:
		detail = map[int]int{graph.ElementFloat16: 1, graph.ElementBFloat16: 2, graph.ElementDouble: 3}[p.Kind]
	}
	n := graph.Count(b.OutShape(0))
	b.launch("convert", blocks(n), line, 0, b.in(0), b.out(0), n, conversionCodes[b.Step.Node.Op], int32(detail))
	return nil
}
