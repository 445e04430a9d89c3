// Elementwise operators.

package operator

import (
	"math"

	"repscope/model/graph"
)

// Activation is a function of one float32 element: a unary operator, or the
// last step of a fused one. Op is the operator's name, "" the identity.
type Activation struct {
	Op          string
	Alpha, Beta float32 // LeakyRelu's slope, Elu's alpha, Clip's bounds, …
}

// unary lists the operators of one float32 operand and the defaults of their
// attributes alpha and beta (or gamma).
var unary = []struct {
	name        string
	first       string
	alpha       float32
	second      string
	beta        float32
	integerForm bool
}{
	{name: "Relu", integerForm: true}, {name: "Sigmoid"}, {name: "Tanh"}, {name: "Erf"}, {name: "Softplus"}, {name: "Softsign"},
	{name: "LeakyRelu", first: "alpha", alpha: 0.01}, {name: "Elu", first: "alpha", alpha: 1}, {name: "Celu", first: "alpha", alpha: 1},
	{name: "ThresholdedRelu", first: "alpha", alpha: 1},
	{name: "Selu", first: "alpha", alpha: 1.67326319217681884765625, second: "gamma", beta: 1.05070102214813232421875},
	{name: "HardSigmoid", first: "alpha", alpha: 0.2, second: "beta", beta: 0.5},
	{name: "HardSwish"}, {name: "Mish"},
	{name: "Shrink", first: "lambd", alpha: 0.5, second: "bias"},
	{name: "Sqrt"}, {name: "Exp"}, {name: "Log"}, {name: "Sin"}, {name: "Cos"}, {name: "Tan"}, {name: "Reciprocal"},
	{name: "Asin"}, {name: "Acos"}, {name: "Atan"}, {name: "Sinh"}, {name: "Cosh"}, {name: "Asinh"}, {name: "Acosh"}, {name: "Atanh"},
	{name: "Floor"}, {name: "Ceil"}, {name: "Round"},
	{name: "Neg", integerForm: true}, {name: "Abs", integerForm: true}, {name: "Sign", integerForm: true},
}

func init() {
	for _, u := range unary {
		op := &Row{Name: u.name, Inputs: [2]int{1, 1}, Outputs: 1, InPlace: true}
		for _, name := range []string{u.first, u.second} {
			if name != "" {
				op.Attributes = append(op.Attributes, name)
			}
		}
		op.infer = func(c *context) {
			a := Activation{Op: u.name}
			if u.first != "" {
				a.Alpha = c.float(u.first, u.alpha)
			}
			if u.second != "" {
				a.Beta = c.float(u.second, u.beta)
			}
			c.want(0, graph.Float32)
			c.Params = a
			c.emit(graph.Float32, c.shape(0)...)
		}
		if u.integerForm {
			op.infer = func(c *context) {
				c.want(0, graph.Float32, graph.Int64)
				c.Params = Activation{Op: u.name}
				c.emit(c.In[0].DType, c.shape(0)...)
			}
		}
		register(op)
	}
	for _, name := range []string{"Add", "Sub", "Mul", "Div"} {
		register(&Row{Name: name, Inputs: [2]int{2, 2}, Outputs: 1, InPlace: true, infer: inferBinary})
	}
	for _, name := range []string{"Max", "Min", "Sum", "Mean"} {
		register(&Row{Name: name, Inputs: [2]int{1, -1}, Outputs: 1, infer: inferVariadic})
	}
	for _, name := range []string{"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"} {
		register(&Row{Name: name, Inputs: [2]int{2, 2}, Outputs: 1, infer: inferComparison})
	}
	for _, name := range []string{"And", "Or", "Xor"} {
		register(&Row{Name: name, Inputs: [2]int{2, 2}, Outputs: 1, infer: func(c *context) {
			c.want(0, graph.Bool)
			c.want(1, graph.Bool)
			c.emit(graph.Bool, c.broadcast(c.shape(0), c.shape(1))...)
		}})
	}
	register(
		&Row{Name: "Not", Inputs: [2]int{1, 1}, Outputs: 1, infer: func(c *context) {
			c.want(0, graph.Bool)
			c.emit(graph.Bool, c.shape(0)...)
		}},
		&Row{Name: "Pow", Inputs: [2]int{2, 2}, Outputs: 1, infer: func(c *context) {
			// The exponent may be of another type; the result has the base's.
			c.want(0, graph.Float32, graph.Int64)
			c.want(1, graph.Float32, graph.Int64)
			c.emit(c.In[0].DType, c.broadcast(c.shape(0), c.shape(1))...)
		}},
		&Row{Name: "Mod", Inputs: [2]int{2, 2}, Outputs: 1, Attributes: []string{"fmod"}, infer: func(c *context) {
			c.Params = c.integer("fmod", 0) != 0
			inferBinary(c)
		}},
		&Row{Name: "PRelu", Inputs: [2]int{2, 2}, Outputs: 1, infer: func(c *context) {
			c.want(0, graph.Float32)
			c.want(1, graph.Float32)
			c.emit(graph.Float32, c.broadcast(c.shape(0), c.shape(1))...)
			if graph.Count(c.Out[0].Shape) != graph.Count(c.shape(0)) {
				c.failf("slope %v does not broadcast to %v", c.shape(1), c.shape(0))
			}
		}},
		&Row{Name: "Gelu", Inputs: [2]int{1, 1}, Outputs: 1, InPlace: true, Attributes: []string{"approximate"}, infer: func(c *context) {
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
		}},
		&Row{Name: "Silu", Domain: "repscope", Inputs: [2]int{1, 1}, Outputs: 1, InPlace: true, infer: func(c *context) {
			c.want(0, graph.Float32)
			c.Params = Activation{Op: "Silu"}
			c.emit(graph.Float32, c.shape(0)...)
		}},
		&Row{Name: "Clip", Inputs: [2]int{1, 3}, Outputs: 1, InPlace: true, Attributes: []string{"min", "max"}, infer: inferClip},
		&Row{Name: "Where", Inputs: [2]int{3, 3}, Outputs: 1, infer: func(c *context) {
			c.want(0, graph.Bool)
			if c.In[1].DType != c.In[2].DType {
				c.failf("the branches have types %v and %v", c.In[1].DType, c.In[2].DType)
			}
			c.emit(c.In[1].DType, c.broadcast(c.broadcast(c.shape(0), c.shape(1)), c.shape(2))...)
		}},
		&Row{Name: "IsNaN", Inputs: [2]int{1, 1}, Outputs: 1, infer: func(c *context) {
			c.want(0, graph.Float32)
			c.emit(graph.Bool, c.shape(0)...)
		}},
	)
}

func inferBinary(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	if c.In[0].DType != c.In[1].DType {
		c.failf("the operands have types %v and %v", c.In[0].DType, c.In[1].DType)
	}
	c.emit(c.In[0].DType, c.broadcast(c.shape(0), c.shape(1))...)
}

func inferComparison(c *context) {
	if c.In[0].DType != c.In[1].DType {
		c.failf("the operands have types %v and %v", c.In[0].DType, c.In[1].DType)
	}
	if c.Node.Op != "Equal" {
		c.want(0, graph.Float32, graph.Int64)
	}
	c.emit(graph.Bool, c.broadcast(c.shape(0), c.shape(1))...)
}

func inferVariadic(c *context) {
	shape := c.shape(0)
	if c.Node.Op == "Mean" {
		c.want(0, graph.Float32)
	}
	for i := range c.In {
		c.want(i, graph.Float32, graph.Int64)
		if c.In[i].DType != c.In[0].DType {
			c.failf("input %d has type %v, input 0 has %v", i, c.In[i].DType, c.In[0].DType)
		}
		shape = c.broadcast(shape, c.shape(i))
	}
	c.emit(c.In[0].DType, shape...)
}

// ClipBounds are the bounds of an integer Clip.
type ClipBounds struct{ Low, High int64 }

func inferClip(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	bound := func(name string, i int, otherwise float64) float64 {
		if _, ok := c.Node.Attributes[name]; ok {
			return float64(c.float(name, 0))
		}
		if !c.has(i) {
			return otherwise
		}
		if c.In[i].Const == nil {
			c.unsupported("input %d (%s) must be a constant", i, name)
		}
		v, ok := c.In[i].Const.Scalar()
		if !ok {
			c.failf("input %d (%s) has shape %v, want a scalar", i, name, c.shape(i))
		}
		return v
	}
	if c.In[0].DType == graph.Float32 {
		c.Params = Activation{Op: "Clip", Alpha: float32(bound("min", 1, math.Inf(-1))), Beta: float32(bound("max", 2, math.Inf(1)))}
	} else {
		low, high := bound("min", 1, math.MinInt64), bound("max", 2, math.MaxInt64)
		c.Params = ClipBounds{Low: saturate(low), High: saturate(high)}
	}
	c.emit(c.In[0].DType, c.shape(0)...)
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
