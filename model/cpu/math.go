// Elementary functions of float32. They use only operations that every machine
// rounds alike (products are converted explicitly, so that no compiler fuses
// them), or float64 functions rounded once.

package cpu

import (
	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// functions has the float32 functions of one element, by the name of their operator. Functions with the parameters of
// an activation are created from it; in all of them dst and src may be the same.
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
	"Softplus": always(vector.Softplus),
	"Softsign": always(vector.Softsign),
	"LeakyRelu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.LeakyRelu(dst, src, a.Alpha) }
	},
	"ThresholdedRelu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Thresholded(dst, src, a.Alpha) }
	},
	"Shrink": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Shrink(dst, src, a.Alpha, a.Beta) }
	},
	"Elu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Elu(dst, src, a.Alpha, 1) }
	},
	"Celu": func(a operator.Activation) function {
		return func(dst, src []float32) { vector.Celu(dst, src, a.Alpha) }
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
	"Log":        always(vector.Log),
	"Sin":        always(vector.Sin),
	"Cos":        always(vector.Cos),
	"Tan":        always(vector.Tan),
	"Asin":       always(vector.Asin),
	"Acos":       always(vector.Acos),
	"Atan":       always(vector.Atan),
	"Sinh":       always(vector.Sinh),
	"Cosh":       always(vector.Cosh),
	"Asinh":      always(vector.Asinh),
	"Acosh":      always(vector.Acosh),
	"Atanh":      always(vector.Atanh),
	"Reciprocal": always(func(dst, src []float32) { vector.DivRows(dst[:len(src)], []float32{1}, src, 0, 1) }),
	"Floor":      always(vector.Floor),
	"Ceil":       always(vector.Ceil),
	"Round":      always(vector.Round),
	"Neg":        always(vector.Negate),
	"Abs":        always(vector.Absolutes),
	"Sign":       always(vector.Signs),
}

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
