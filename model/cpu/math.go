package cpu

// Elementary functions of float32. They use only operations that every machine
// rounds alike (products are converted explicitly, so that no compiler fuses
// them), or float64 functions rounded once.

import (
	"math"

	"repscope/internal/kernel/vector"
	"repscope/model/operator"
)

// function returns the slice form of an activation; dst and src may be the same.
func function(a operator.Activation) func(dst, src []float32) {
	alpha, beta := a.Alpha, a.Beta
	switch a.Op {
	case "":
		return func(dst, src []float32) { copy(dst, src) }
	case "Relu":
		return vector.Relu
	case "Silu":
		return vector.Silu
	case "Sigmoid":
		return vector.Sigmoid
	case "Tanh":
		return vector.Tanh
	case "Erf":
		return vector.Erf
	case "Gelu":
		return vector.Gelu
	case "GeluTanh":
		return vector.GeluTanh
	case "Softplus":
		return elementwise(func(x float32) float32 {
			v := float64(x)
			return float32(max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))))
		})
	case "Softsign":
		return elementwise(func(x float32) float32 { return x / (1 + abs(x)) })
	case "LeakyRelu":
		return elementwise(func(x float32) float32 {
			if x < 0 {
				return alpha * x
			}
			return x
		})
	case "ThresholdedRelu":
		return elementwise(func(x float32) float32 {
			if x > alpha {
				return x
			}
			return 0
		})
	case "Shrink":
		return elementwise(func(x float32) float32 {
			switch {
			case x < -alpha:
				return x + beta
			case x > alpha:
				return x - beta
			}
			return 0
		})
	case "Elu":
		return elementwise(func(x float32) float32 {
			if x < 0 {
				return alpha * float32(math.Expm1(float64(x)))
			}
			return x
		})
	case "Celu":
		return elementwise(func(x float32) float32 {
			return max(x, 0) + min(0, alpha*float32(math.Expm1(float64(x/alpha))))
		})
	case "Selu":
		return elementwise(func(x float32) float32 {
			if x < 0 {
				return float32(float64(beta) * float64(alpha) * math.Expm1(float64(x)))
			}
			return beta * x
		})
	case "HardSigmoid":
		return elementwise(func(x float32) float32 { return max(0, min(1, float32(alpha*x)+beta)) })
	case "HardSwish":
		return elementwise(func(x float32) float32 { return x * max(0, min(1, float32(x/6)+0.5)) })
	case "Mish":
		return elementwise(func(x float32) float32 {
			v := float64(x)
			return float32(v * math.Tanh(max(v, 0)+math.Log1p(math.Exp(-math.Abs(v)))))
		})
	case "Clip":
		return elementwise(func(x float32) float32 {
			// In this order the upper bound wins if the bounds cross; NaN stays.
			if x < alpha {
				x = alpha
			}
			if x > beta {
				x = beta
			}
			return x
		})
	case "Exp":
		return vector.Exp
	case "Sqrt":
		return elementwise(func(x float32) float32 { return float32(math.Sqrt(float64(x))) })
	case "Log":
		return elementwise(func(x float32) float32 { return float32(math.Log(float64(x))) })
	case "Sin":
		return elementwise(func(x float32) float32 { return float32(math.Sin(float64(x))) })
	case "Cos":
		return elementwise(func(x float32) float32 { return float32(math.Cos(float64(x))) })
	case "Tan":
		return elementwise(float64Function(math.Tan))
	case "Asin":
		return elementwise(float64Function(math.Asin))
	case "Acos":
		return elementwise(float64Function(math.Acos))
	case "Atan":
		return elementwise(float64Function(math.Atan))
	case "Sinh":
		return elementwise(float64Function(math.Sinh))
	case "Cosh":
		return elementwise(float64Function(math.Cosh))
	case "Asinh":
		return elementwise(float64Function(math.Asinh))
	case "Acosh":
		return elementwise(float64Function(math.Acosh))
	case "Atanh":
		return elementwise(float64Function(math.Atanh))
	case "Reciprocal":
		return elementwise(func(x float32) float32 { return 1 / x })
	case "Floor":
		return elementwise(func(x float32) float32 { return float32(math.Floor(float64(x))) })
	case "Ceil":
		return elementwise(func(x float32) float32 { return float32(math.Ceil(float64(x))) })
	case "Round":
		return elementwise(func(x float32) float32 { return float32(math.RoundToEven(float64(x))) })
	case "Neg":
		return elementwise(func(x float32) float32 { return -x })
	case "Abs":
		return elementwise(abs)
	case "Sign":
		return elementwise(func(x float32) float32 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return x
		})
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
