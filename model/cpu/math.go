// Elementary functions of float32. They use only operations that every machine
// rounds alike (products are converted explicitly, so that no compiler fuses
// them), or float64 functions rounded once.

package cpu

import (
	"math"

	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// functions has the float32 functions of one element, by the name of their operator. Those that take the
// parameters of an activation are made from it; in all of them dst and src may be the same.
var functions = map[string]func(a operator.Activation) function{
	"":     always(func(dst, src []float32) { copy(dst, src) }),
	"Relu": always(vector.Relu),
	"Silu": always(vector.Silu),
	"Swish": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Swish(dst, src, a.Alpha) }
	},
	"Sigmoid":  always(vector.Sigmoid),
	"Tanh":     always(vector.Tanh),
	"Erf":      always(vector.Erf),
	"Gelu":     always(vector.Gelu),
	"GeluTanh": always(vector.GeluTanh),
	"Softplus": always(elementwise(func(x float32) float32 {
		v := float64(x)
		return float32(max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))))
	})),
	"Softsign": always(elementwise(func(x float32) float32 { return x / (1 + abs(x)) })),
	"LeakyRelu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.LeakyRelu(dst, src, a.Alpha) }
	},
	"ThresholdedRelu": func(a operator.Activation) function {
		return elementwise(func(x float32) float32 {
			if x > a.Alpha {
				return x
			}
			return 0
		})
	},
	"Shrink": func(a operator.Activation) function {
		return elementwise(func(x float32) float32 {
			switch {
			case x < -a.Alpha:
				return x + a.Beta
			case x > a.Alpha:
				return x - a.Beta
			}
			return 0
		})
	},
	"Elu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Elu(dst, src, a.Alpha, 1) }
	},
	"Celu": func(a operator.Activation) function {
		return elementwise(func(x float32) float32 {
			return max(x, 0) + min(0, a.Alpha*float32(math.Expm1(float64(x/a.Alpha))))
		})
	},
	"Selu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Elu(dst, src, float32(a.Alpha*a.Beta), a.Beta) }
	},
	"HardSigmoid": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.HardSigmoid(dst, src, a.Alpha, a.Beta) }
	},
	"HardSwish": always(vector.HardSwish),
	"Mish":      always(vector.Mish),
	"Clip": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Clip(dst, src, a.Alpha, a.Beta) }
	},
	"Exp":        always(vector.Exp),
	"Sqrt":       always(vector.Sqrt),
	"Log":        always(elementwise(func(x float32) float32 { return float32(math.Log(float64(x))) })),
	"Sin":        always(elementwise(func(x float32) float32 { return float32(math.Sin(float64(x))) })),
	"Cos":        always(elementwise(func(x float32) float32 { return float32(math.Cos(float64(x))) })),
	"Tan":        always(elementwise(float64Function(math.Tan))),
	"Asin":       always(elementwise(float64Function(math.Asin))),
	"Acos":       always(elementwise(float64Function(math.Acos))),
	"Atan":       always(elementwise(float64Function(math.Atan))),
	"Sinh":       always(elementwise(float64Function(math.Sinh))),
	"Cosh":       always(elementwise(float64Function(math.Cosh))),
	"Asinh":      always(elementwise(float64Function(math.Asinh))),
	"Acosh":      always(elementwise(float64Function(math.Acosh))),
	"Atanh":      always(elementwise(float64Function(math.Atanh))),
	"Reciprocal": always(func(dst, src []float32) { vector.DivRows(dst[:len(src)], []float32{1}, src, 0, 1) }),
	"Floor":      always(vector.Floor),
	"Ceil":       always(vector.Ceil),
	"Round":      always(vector.Round),
	"Neg":        always(vector.Negate),
	"Abs":        always(vector.Absolutes),
	"Sign": always(elementwise(func(x float32) float32 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	})),
}

// vectorized are the functions with vectors.
var vectorized = map[string]bool{"": true, "Relu": true, "Silu": true, "Swish": true, "Sigmoid": true, "Tanh": true, "Erf": true, "Gelu": true, "GeluTanh": true,
	"LeakyRelu": true, "Elu": true, "Selu": true, "HardSigmoid": true, "HardSwish": true, "Mish": true, "Clip": true, "Exp": true,
	"Sqrt": true, "Reciprocal": true, "Floor": true, "Ceil": true, "Round": true, "Neg": true, "Abs": true}

// function is the slice form of a function of one element; dst and src may be the same.
type function = func(dst, src []float32)

func always(f function) func(operator.Activation) function {
	return func(operator.Activation) function { return f }
}

// functionOf is the function of an activation, or nil.
func functionOf(a operator.Activation) function {
	if make := functions[a.Op]; make != nil {
		return make(a)
	}
	return nil
}

// float64Function is a function computed in float64 and rounded once.
func float64Function(f func(float64) float64) func(float32) float32 {
	return func(x float32) float32 { return float32(f(float64(x))) }
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

func elementwise(f func(float32) float32) func(dst, src []float32) {
	return func(dst, src []float32) {
		for i, x := range src {
			dst[i] = f(x)
		}
	}
}

// integerFunction is function for int64 operands.
func integerFunction(op string) func(int64) int64 {
	switch op {
	case "Relu":
		return func(x int64) int64 { return max(x, 0) }
	case "Neg":
		return func(x int64) int64 { return -x }
	case "Abs":
		return func(x int64) int64 { return max(x, -x) }
	case "Sign":
		return func(x int64) int64 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return 0
		}
	}
	return nil
}
