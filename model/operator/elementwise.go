// Elementwise operators: functions of one element, arithmetic with broadcasting, comparisons and conversions.

package operator

import (
	"math"
	"slices"

	"repscope/internal/dtype"
	"repscope/model/graph"
)

var elementwiseRows = []tableRow{
	unaryNumber("Relu", 1),
	unary("Sigmoid", 1),
	unary("Tanh", 1),
	unary("Erf", 9),
	{Name: "Gelu", Since: 20, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"approximate"}, InPlace: true,
		infer: inferGelu},
	{Name: "Silu", Domain: own, Inputs: exactly(1), Outputs: 1, InPlace: true, infer: inferSilu},
	{Name: "Chain", Domain: own, Inputs: between(1, 2), Outputs: 1, InPlace: true},
	{Name: "Swish", Since: 24, Types: "f", Inputs: exactly(1), Outputs: 1, Attributes: []string{"alpha"}, InPlace: true, infer: inferSwish},
	{Name: "SwiGLU", Since: 28, Types: "f", Inputs: exactly(2), Outputs: 1, Attributes: []string{"alpha"}, infer: inferSwiGLU},
	unary("Softplus", 1),
	unary("Softsign", 1),
	unary("LeakyRelu", 1, parameter{"alpha", 0.01}),
	unary("Elu", 1, parameter{"alpha", 1}),
	unary("Celu", 12, parameter{"alpha", 1}),
	unary("ThresholdedRelu", 10, parameter{"alpha", 1}),
	unary("Selu", 1, parameter{"alpha", 1.67326319217681884765625}, parameter{"gamma", 1.05070102214813232421875}),
	unary("HardSigmoid", 1, parameter{"alpha", 0.2}, parameter{"beta", 0.5}),
	unary("HardSwish", 14),
	unary("Mish", 18),
	unary("Shrink", 9, parameter{"lambd", 0.5}, parameter{"bias", 0}),
	{Name: "Clip", Since: 1, Types: "fi", Inputs: between(1, 3), Outputs: 1,
		Attributes: []string{"min", "max"}, InPlace: true, infer: inferClip},
	unary("Sqrt", 1),
	unary("Exp", 1),
	unary("Log", 1),
	unary("Reciprocal", 1),
	unary("Sin", 7),
	unary("Cos", 7),
	unary("Tan", 7),
	unary("Asin", 7),
	unary("Acos", 7),
	unary("Atan", 7),
	unary("Sinh", 9),
	unary("Cosh", 9),
	unary("Asinh", 9),
	unary("Acosh", 9),
	unary("Atanh", 9),
	unary("Floor", 1),
	unary("Ceil", 1),
	unary("Round", 11),
	wrapping(unaryNumber("Neg", 1)),
	wrapping(unaryNumber("Abs", 1)),
	unaryNumber("Sign", 9),
	{Name: "Add", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, Wraps: true, InPlace: true, infer: inferBinary},
	{Name: "Sub", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, Wraps: true, InPlace: true, infer: inferBinary},
	{Name: "Mul", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, Wraps: true, InPlace: true, infer: inferBinary},
	{Name: "Div", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, Wraps: true, InPlace: true, infer: inferBinary},
	{Name: "Mod", Since: 10, Types: "fi", Inputs: exactly(2), Outputs: 1, Attributes: []string{"fmod"},
		infer: inferMod},
	{Name: "Pow", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, Wraps: true, infer: inferPow},
	{Name: "PRelu", Since: 1, Types: "f", Inputs: exactly(2), Outputs: 1, infer: inferPRelu},
	{Name: "Max", Since: 1, Types: "fi", Inputs: atLeast(1), Outputs: 1, infer: inferVariadic},
	{Name: "Min", Since: 1, Types: "fi", Inputs: atLeast(1), Outputs: 1, infer: inferVariadic},
	{Name: "Sum", Since: 1, Types: "fi", Inputs: atLeast(1), Outputs: 1, Wraps: true, infer: inferVariadic},
	{Name: "Mean", Since: 1, Types: "f", Inputs: atLeast(1), Outputs: 1, infer: inferVariadic},
	{Name: "Equal", Since: 1, Types: "fib", Inputs: exactly(2), Outputs: 1, infer: inferComparison},
	{Name: "Greater", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, infer: inferComparison},
	{Name: "GreaterOrEqual", Since: 12, Types: "fi", Inputs: exactly(2), Outputs: 1, infer: inferComparison},
	{Name: "Less", Since: 1, Types: "fi", Inputs: exactly(2), Outputs: 1, infer: inferComparison},
	{Name: "LessOrEqual", Since: 12, Types: "fi", Inputs: exactly(2), Outputs: 1, infer: inferComparison},
	{Name: "And", Since: 1, Types: "b", Inputs: exactly(2), Outputs: 1, infer: inferLogic},
	{Name: "Or", Since: 1, Types: "b", Inputs: exactly(2), Outputs: 1, infer: inferLogic},
	{Name: "Xor", Since: 1, Types: "b", Inputs: exactly(2), Outputs: 1, infer: inferLogic},
	{Name: "Not", Since: 1, Types: "b", Inputs: exactly(1), Outputs: 1, infer: inferNot},
	{Name: "BitwiseAnd", Since: 18, Types: "i", Inputs: exactly(2), Outputs: 1, infer: inferBits},
	{Name: "BitwiseOr", Since: 18, Types: "i", Inputs: exactly(2), Outputs: 1, infer: inferBits},
	{Name: "BitwiseXor", Since: 18, Types: "i", Inputs: exactly(2), Outputs: 1, infer: inferBits},
	{Name: "BitwiseNot", Since: 18, Types: "i", Inputs: exactly(1), Outputs: 1, infer: inferBitwiseNot},
	{Name: "BitShift", Since: 11, Types: "i", Inputs: exactly(2), Outputs: 1, Attributes: []string{"direction"},
		Wraps: true,
		infer: inferBitShift},
	{Name: "IsNaN", Since: 9, Types: "f", Inputs: exactly(1), Outputs: 1, infer: inferIsNaN},
	{Name: "IsInf", Since: 10, Types: "f", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"detect_negative", "detect_positive"}, infer: inferIsInf},
	{Name: "Where", Since: 9, Types: "fib", Inputs: exactly(3), Outputs: 1, infer: inferWhere},
	{Name: "Cast", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"to", "saturate", "round_mode"},
		infer: inferCast},
	{Name: "CastLike", Since: 15, Types: "fib",
		Note:   "to float32 if the file does not state the float type of the target",
		Inputs: exactly(2), Outputs: 1, Attributes: []string{"saturate", "round_mode", "to"}, infer: inferCastLike},
	{Name: "BitCast", Since: 26, Types: "fib", Note: "not from float64 or from floats of 8 and 4 bits", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"from", "to"}, infer: inferBitCast},
	{Name: "BitsOf", Domain: own, Inputs: exactly(1), Outputs: 1, Attributes: []string{"kind"}, infer: inferBitsOf},
	{Name: "OfBits", Domain: own, Inputs: exactly(1), Outputs: 1, Attributes: []string{"kind"}, infer: inferBitsOf},
}

// Activation is a function of one float32 element: a unary operator, or the
// last step of a fused one. Op is the operator's name, "" the identity.
type Activation struct {
	Op          string
	Alpha, Beta float32 // LeakyRelu's slope, Elu's alpha, Clip's bounds, …
}

// FollowUp is an operation of package cpu on a result in the cache: a function of each element, Add, Sub, Mul or Div
// with one number or one for each column, or a table lookup of each element.
type FollowUp struct {
	Activation
	Operand []float32 // nil for a function
	Table   *Table
}

// Table is a function of the integers First … First+255; other numbers have no value, and NaN stays.
type Table struct {
	First  float32
	Values [256]float32
}

// ChainParams are operations of package cpu that are done in one pass: Before for each operand, then Op (Add, Sub, Mul
// or Div; "" for one operand), then the follow-ups.
type ChainParams struct {
	Op        string
	Before    [2][]FollowUp
	FollowUps []FollowUp
}

// parameter is an attribute of an elementwise function and its default.
type parameter struct {
	name      string
	otherwise float32
}

// unary is the row of a function of one float32 element with at most two parameters.
func unary(name string, since int, parameters ...parameter) tableRow {
	row := tableRow{Name: name, Since: since, Types: "f", Inputs: exactly(1), Outputs: 1, InPlace: true}
	for _, p := range parameters {
		row.Attributes = append(row.Attributes, p.name)
	}
	row.infer = func(c *context) {
		a := Activation{Op: name}
		for i, to := range []*float32{&a.Alpha, &a.Beta} {
			if i < len(parameters) {
				*to = c.float(parameters[i].name, parameters[i].otherwise)
			}
		}
		c.want(0, graph.Float32)
		c.Params = a
		c.emit(graph.Float32, c.shape(0)...)
	}
	return row
}

// unaryNumber is the row of a function of one element that integers have too.
func unaryNumber(name string, since int) tableRow {
	return tableRow{Name: name, Since: since, Types: "fi", Inputs: exactly(1), Outputs: 1, InPlace: true, infer: func(c *context) {
		c.want(0, graph.Float32, graph.Int64)
		if c.unsigned() {
			c.unsignedFunction()
			return
		}
		c.Params = Activation{Op: name}
		c.emitLike(0, c.shape(0)...)
	}}
}

// wrapping is a row whose integers may leave their width.
func wrapping(row tableRow) tableRow {
	row.Wraps = true
	return row
}

func inferGelu(c *context) {
	c.want(0, graph.Float32)
	switch c.text("approximate", "none") {
	case "none":
		c.Params = Activation{Op: "Gelu"}
	case "tanh":
		c.Params = Activation{Op: "GeluTanh"}
	default:
		c.failf("attribute approximate is %q, want none or tanh", c.text("approximate", ""))
	}
	c.emit(graph.Float32, c.shape(0)...)
}

func inferSilu(c *context) {
	c.want(0, graph.Float32)
	c.Params = Activation{Op: "Silu"}
	c.emit(graph.Float32, c.shape(0)...)
}

// inferSwish is x/(1 + e^(−αx)), with its own kernel for α = 1.
func inferSwish(c *context) {
	c.want(0, graph.Float32)
	c.Params = swish(c.float("alpha", 1))
	c.emit(graph.Float32, c.shape(0)...)
}

func swish(alpha float32) Activation {
	if alpha == 1 {
		return Activation{Op: "Silu"}
	}
	return Activation{Op: "Swish", Alpha: alpha}
}

// inferSwiGLU is the Swish of the first operand times the second.
func inferSwiGLU(c *context) {
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	if !slices.Equal(c.shape(0), c.shape(1)) {
		c.failf("operands %v and %v, want one shape", c.shape(0), c.shape(1))
	}
	l := c.lower()
	l.finish(l.add("Mul", nil, l.add("Swish", c.Node.Attributes, c.Node.Inputs[0]), c.Node.Inputs[1]))
}

func inferBinary(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	c.alike(1, 0)
	shape := c.broadcast(c.shape(0), c.shape(1))
	if c.unsigned() && (c.Node.Op == "Div" || c.Node.Op == "Mod") {
		c.unsignedDivision()
		return
	}
	c.emitLike(0, shape...)
}

// inferMod is the remainder of a division that is rounded to zero or, without fmod, down: then a remainder that has
// not the divisor's sign is one divisor more.
func inferMod(c *context) {
	truncated := c.integer("fmod", 0) != 0
	if truncated || c.In[0].DType != graph.Float32 {
		c.Params = truncated
		inferBinary(c)
		return
	}
	c.want(1, graph.Float32)
	l := c.lower()
	zero, divisor := l.scalar(0), c.Node.Inputs[1]
	r := l.add("Mod", map[string]graph.Attribute{"fmod": graph.IntAttribute(1)}, c.Node.Inputs[0], divisor)
	apart := l.add("Xor", nil, l.add("Less", nil, r, zero), l.add("Less", nil, divisor, zero))
	apart = l.add("And", nil, apart, l.add("Not", nil, l.add("Equal", nil, r, zero)))
	l.finish(l.add("Where", nil, apart, l.add("Add", nil, r, divisor), r))
}

func inferPow(c *context) {
	// The exponent may be of another type; the result has the base's.
	c.want(0, graph.Float32, graph.Int64)
	c.want(1, graph.Float32, graph.Int64)
	switch {
	case c.unsigned() && c.In[1].DType == graph.Float32:
		c.unsupported("operands of types uint64 and float32")
	case c.In[1].Bits == graph.Uint64:
		c.unsignedPower()
		return
	}
	c.emitLike(0, c.broadcast(c.shape(0), c.shape(1))...)
}

func inferPRelu(c *context) {
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	c.emit(graph.Float32, c.broadcast(c.shape(0), c.shape(1))...)
	if graph.Count(c.Out[0].Shape) != graph.Count(c.shape(0)) {
		c.failf("slope %v does not broadcast to %v", c.shape(1), c.shape(0))
	}
}

func inferVariadic(c *context) {
	shape := c.shape(0)
	if c.Node.Op == "Mean" {
		c.want(0, graph.Float32)
	}
	for i := range c.In {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
		c.want(i, graph.Float32, graph.Int64)
		c.alike(i, 0)
		shape = c.broadcast(shape, c.shape(i))
	}
	if c.unsigned() && c.Node.Op != "Sum" {
		c.inOrder(len(c.In), true)
		return
	}
	c.emitLike(0, shape...)
}

func inferComparison(c *context) {
	c.alike(1, 0)
	if c.Node.Op != "Equal" {
		c.want(0, graph.Float32, graph.Int64)
	}
	shape := c.broadcast(c.shape(0), c.shape(1))
	if c.unsigned() && c.Node.Op != "Equal" {
		c.inOrder(2, false)
		return
	}
	c.emit(graph.Bool, shape...)
}

func inferLogic(c *context) {
	c.want(0, graph.Bool)
	c.want(1, graph.Bool)
	c.emit(graph.Bool, c.broadcast(c.shape(0), c.shape(1))...)
}

func inferNot(c *context) {
	c.want(0, graph.Bool)
	c.emit(graph.Bool, c.shape(0)...)
}

func inferBits(c *context) {
	c.want(0, graph.Int64)
	c.want(1, graph.Int64)
	c.alike(1, 0)
	c.emitLike(0, c.broadcast(c.shape(0), c.shape(1))...)
}

// inferBitwiseNot changes all bits of the input's type.
func inferBitwiseNot(c *context) {
	c.want(0, graph.Int64)
	l := c.lower()
	l.finish(l.add("BitwiseXor", nil, c.Node.Inputs[0], l.whole(c.In[0].Type, graph.Wrap(-1, c.In[0].Bits))))
}

// ShiftParams is the direction of a bit shift, and whether the numbers are uint64, whose highest bit is no sign.
type ShiftParams struct{ Left, Unsigned bool }

// inferBitShift shifts in 64 bits. A shift by the type's width or more, or by less than 0, leaves none of the number's
// own bits.
func inferBitShift(c *context) {
	c.want(0, graph.Int64)
	c.want(1, graph.Int64)
	c.alike(1, 0)
	direction, ok := c.attribute("direction", graph.AttributeString)
	p := ShiftParams{Left: direction.String == "LEFT", Unsigned: c.unsigned()}
	if !ok || !p.Left && direction.String != "RIGHT" {
		c.failf("direction is %q, want LEFT or RIGHT", direction.String)
	}
	c.Params = p
	c.emitLike(0, c.broadcast(c.shape(0), c.shape(1))...)
}

func inferIsNaN(c *context) {
	c.want(0, graph.Float32)
	c.emit(graph.Bool, c.shape(0)...)
}

// IsInfParams selects the infinities that count.
type IsInfParams struct{ Negative, Positive bool }

func inferIsInf(c *context) {
	c.want(0, graph.Float32)
	c.Params = IsInfParams{Negative: c.flag("detect_negative", true), Positive: c.flag("detect_positive", true)}
	c.emit(graph.Bool, c.shape(0)...)
}

func inferWhere(c *context) {
	c.want(0, graph.Bool)
	c.alike(2, 1)
	c.emitLike(1, c.broadcast(c.broadcast(c.shape(0), c.shape(1)), c.shape(2))...)
}

// ClipBounds are the bounds of an integer Clip.
type ClipBounds struct{ Low, High int64 }

func inferClip(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	c.alike(1, 0)
	c.alike(2, 0)
	if c.has(1) && c.In[1].Const == nil || c.has(2) && c.In[2].Const == nil || c.unsigned() {
		c.clipBetween()
		return
	}
	bound := func(name string, i int, otherwise float32) float32 {
		if _, ok := c.Node.Attributes[name]; ok {
			return c.float(name, 0)
		}
		if !c.has(i) {
			return otherwise
		}
		return float32(c.scalar(i, name).Float)
	}
	if c.In[0].DType == graph.Float32 {
		c.Params = Activation{Op: "Clip", Alpha: bound("min", 1, float32(math.Inf(-1))),
			Beta: bound("max", 2, float32(math.Inf(1)))}
	} else {
		p := ClipBounds{Low: math.MinInt64, High: math.MaxInt64}
		for i, to := range []*int64{1: &p.Low, 2: &p.High} {
			if c.has(i) && to != nil {
				*to = c.scalar(i, []string{1: "min", 2: "max"}[i]).Whole
			}
		}
		c.Params = p
	}
	c.emitLike(0, c.shape(0)...)
}

// Number is one number of any type: Whole holds integers, and booleans as 0 and 1, without rounding.
type Number struct {
	Float float64
	Whole int64
}

// scalar is the only element of input i, which is known.
func (c *context) scalar(i int, what string) Number {
	t := c.known(i, what)
	v, ok := t.Scalar()
	if !ok {
		c.failf("input %d (%s) has shape %v, want a scalar", i, what, c.shape(i))
	}
	n := Number{Float: v, Whole: saturate(v)}
	if t.DType == graph.Int64 {
		n.Whole = t.I64[0]
	}
	return n
}

// clipBetween is a Clip whose bounds are inputs of the run.
func (c *context) clipBetween() {
	l, x := c.lower(), c.Node.Inputs[0]
	for i, op := range []string{1: "Max", 2: "Min"} {
		if i == 0 || !c.has(i) {
			continue
		}
		if graph.Count(c.shape(i)) != 1 {
			c.failf("input %d (the bound) has shape %v, want one number", i, c.shape(i))
		}
		x = l.add(op, nil, x, l.reshape(c.Node.Inputs[i], nil))
	}
	l.finish(x)
}

func saturate(v float64) int64 {
	switch {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return int64(v)
}

// CastParams is the ONNX element type a value is cast to, and how it is rounded to types of at most 8 bits.
type CastParams struct {
	To       int
	Saturate bool
	Mode     dtype.Rounding
}

func inferCast(c *context) { c.cast(c.integer("to", 0)) }

// cast converts to an ONNX element type.
func (c *context) cast(to int) {
	t, ok := graph.ElementDType(to)
	if !ok {
		c.unsupported("cast to element type %s", graph.ElementName(to))
	}
	modes := map[string]dtype.Rounding{"up": dtype.Up, "down": dtype.Down, "nearest": dtype.Nearest}
	mode, ok := modes[c.text("round_mode", "up")]
	if !ok {
		c.failf("round_mode is %q, want up, down or nearest", c.text("round_mode", ""))
	}
	if c.unsigned() && t == graph.Float32 {
		saturate := graph.IntAttribute(number(c.flag("saturate", true)))
		c.castUnsigned(map[string]graph.Attribute{"to": graph.IntAttribute(to), "saturate": saturate,
			"round_mode": {Kind: graph.AttributeString, String: c.text("round_mode", "up")}})
		return
	}
	c.Params = CastParams{To: to, Saturate: c.flag("saturate", true), Mode: mode}
	// float32 also represents the file's narrower types, and uint64 is held as the int64 of its bits.
	bits := graph.IntegerBits(to)
	c.Same = c.In[0].DType == graph.Float32 && (to == graph.ElementFloat || to == graph.ElementDouble) ||
		c.In[0].DType == graph.Int64 && t == graph.Int64 && (bits == c.In[0].Bits || bits == 0 || bits == graph.Uint64)
	c.emitType(graph.Type{DType: t, Bits: bits}, c.shape(0)...)
}

// inferBitCast reinterprets the bits of elements as another type of the same width. Integers have the same bits except
// for the sign; floats go through integers. The reader determines the source type.
func inferBitCast(c *context) {
	from, to := c.integer("from", 0), c.integer("to", 0)
	switch c.In[0].DType {
	case graph.Bool:
		from = graph.ElementBool
	case graph.Int64:
		from = graph.IntegerElement(c.In[0].Bits)
	}
	target, ok := graph.ElementDType(to)
	if known, ok := graph.ElementDType(from); !ok || known != c.In[0].DType {
		c.unsupported("the file does not state the type of input 0 (%q); insert a cast before it", c.Node.Inputs[0])
	}
	switch {
	case !ok:
		c.unsupported("to element type %s", graph.ElementName(to))
	case bitsOf(from) != bitsOf(to):
		c.failf("from %d to %d bits", bitsOf(from), bitsOf(to))
	case from == graph.ElementDouble && to != from, graph.NarrowElement(from) != nil && c.In[0].DType == graph.Float32 && to != from:
		c.unsupported("the bits of element type %d, which is computed in float32", from)
	}
	l, x := c.lower(), c.Node.Inputs[0]
	kind := func(element int) map[string]graph.Attribute {
		return map[string]graph.Attribute{"kind": graph.IntAttribute(element)}
	}
	if c.In[0].DType == graph.Float32 && from != to {
		x = l.own("BitsOf", kind(from), x)
	}
	narrow := graph.NarrowElement(to)
	switch {
	case from == to:
	case target == graph.Bool:
		x = l.add("Cast", castTo(to), x)
	case target == graph.Int64:
		x = l.add("Cast", castTo(to), x)
	case narrow != nil:
		table := graph.Floats(make([]float32, 1<<bitsOf(to)), 1<<bitsOf(to))
		codes := make([]byte, narrow.Bytes(len(table.F32)))
		for i := range codes {
			codes[i] = byte(i)
			if bitsOf(to) == 4 {
				codes[i] = byte(2*i | (2*i+1)<<4)
			}
		}
		dtype.Unpack(narrow, table.F32, codes, 0)
		unsigned := map[int]int{8: graph.ElementUint8, 4: graph.ElementUint4}[bitsOf(to)]
		x = l.add("Gather", nil, l.constant(table), l.add("Cast", castTo(unsigned), x))
	default:
		x = l.own("OfBits", kind(to), x)
	}
	l.finish(x)
}

// bitsOf is the width of an ONNX element type.
func bitsOf(element int) int {
	switch element {
	case graph.ElementFloat:
		return 32
	case graph.ElementFloat16, graph.ElementBFloat16:
		return 16
	case graph.ElementBool:
		return 8
	}
	if n := graph.NarrowElement(element); n != nil {
		return 8 / n.PerByte()
	}
	if bits := graph.IntegerBits(element); bits != 0 {
		return max(bits, -bits)
	}
	return 64
}

// BitsParams is the ONNX type of floats whose bits are read or written.
type BitsParams struct{ Kind int }

// inferBitsOf is the bits of floats as integers of the same width, or back from their low bits.
func inferBitsOf(c *context) {
	p := BitsParams{Kind: c.integer("kind", graph.ElementFloat)}
	from, to := graph.Float32, graph.Int64
	if c.Node.Op == "OfBits" {
		from, to = to, from
	}
	c.want(0, from)
	if from == graph.Float32 && p.Kind == graph.ElementDouble || !slices.Contains([]int{graph.ElementFloat, graph.ElementFloat16, graph.ElementBFloat16, graph.ElementDouble}, p.Kind) {
		c.failf("bits of element type %d", p.Kind)
	}
	c.Params = p
	c.emit(to, c.shape(0)...)
}

// inferCastLike casts to the type that the reader found for the second input or, without one, to the default type of
// its class.
func inferCastLike(c *context) {
	t := c.In[1].DType
	to := c.integer("to", 0)
	if dtype, ok := graph.ElementDType(to); t == graph.Int64 {
		to = graph.IntegerElement(c.In[1].Bits)
	} else if !ok || dtype != t {
		to = map[graph.DType]int{graph.Float32: graph.ElementFloat, graph.Bool: graph.ElementBool}[t]
	}
	c.cast(to)
}
