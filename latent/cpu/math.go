package cpu

// Elementary functions of float32. They use only operations that every machine
// rounds alike (products are converted explicitly, so that no compiler fuses
// them), or float64 functions rounded once.

import (
	"math"

	"repscope/latent/graph"
)

const (
	log2e = 1.44269504088896341
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440e-4
)

// exp32 is eˣ within two units in the last place (range reduction by ln 2 and
// a polynomial of degree six, after S. Moshier's Cephes library).
func exp32(x float32) float32 {
	switch {
	case x > 88.722839:
		return float32(math.Inf(1))
	case x < -103.97208:
		return 0
	case x != x:
		return x
	}
	// Adding and subtracting 1.5·2²³ rounds to an integer.
	const shift = 12582912
	n := float32(x*log2e) + shift - shift
	r := x - float32(n*ln2Hi)
	r -= float32(n * ln2Lo)
	p := float32(1.9875691500e-4*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	p = float32(float32(p*r)*r) + r + 1
	k := int32(n)
	if k >= -126 && k <= 127 {
		return p * math.Float32frombits(uint32(k+127)<<23)
	}
	half := k / 2
	return p * math.Float32frombits(uint32(half+127)<<23) * math.Float32frombits(uint32(k-half+127)<<23)
}

// logisticGeneric writes x/(1 + e⁻ˣ) or, with unit, 1/(1 + e⁻ˣ). It is exp32 written
// out, without its special cases: the exponent is kept where 2ⁿ is a normal
// number, beyond which neither function changes any more but for a last unit near zero.
func logisticGeneric(dst, src []float32, unit bool) {
	const shift = 12582912
	dst = dst[:len(src)]
	for i, x := range src {
		v := -x
		if v > 87 {
			v = 87
		}
		if v < -87 {
			v = -87
		}
		t := float32(v*log2e) + shift
		n := t - shift
		r := v - float32(n*ln2Hi)
		r -= float32(n * ln2Lo)
		p := float32(1.9875691500e-4*r) + 1.3981999507e-3
		p = float32(p*r) + 8.3334519073e-3
		p = float32(p*r) + 4.1665795894e-2
		p = float32(p*r) + 1.6666665459e-1
		p = float32(p*r) + 5.0000001201e-1
		p = float32(float32(p*r)*r) + r + 1
		// The low bits of t hold n.
		e := p * math.Float32frombits((math.Float32bits(t)+127)<<23)
		if unit {
			x = 1
		}
		dst[i] = x / (1 + e)
	}
}

func reluGeneric(dst, src []float32) {
	for i, x := range src {
		if x < 0 {
			x = 0
		}
		dst[i] = x
	}
}

func addToGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

// tanh32 avoids the cancellation of the exponential form near zero.
func tanh32(x float32) float32 {
	a := x
	if a < 0 {
		a = -a
	}
	switch {
	case a > 9.1:
		return float32(math.Copysign(1, float64(x)))
	case a < 0.625:
		z := float32(x * x)
		p := float32(-5.70498872745e-3*z) + 2.06390887954e-2
		p = float32(p*z) - 5.37397155531e-2
		p = float32(p*z) + 1.33314422036e-1
		p = float32(p*z) - 3.33332819422e-1
		return float32(float32(p*z)*x) + x
	case a != a:
		return x
	}
	y := 1 - 2/(exp32(2*a)+1)
	if x < 0 {
		return -y
	}
	return y
}

func erf32(x float32) float32 { return float32(math.Erf(float64(x))) }

// function returns the slice form of an activation; dst and src may be the same.
func function(a graph.Activation) func(dst, src []float32) {
	alpha, beta := a.Alpha, a.Beta
	switch a.Op {
	case "":
		return func(dst, src []float32) { copy(dst, src) }
	case "Relu":
		return relu
	case "Silu":
		return func(dst, src []float32) { logistic(dst, src, false) }
	case "Sigmoid":
		return func(dst, src []float32) { logistic(dst, src, true) }
	case "Tanh":
		return elementwise(tanh32)
	case "Erf":
		return elementwise(erf32)
	case "Gelu":
		return gelu
	case "GeluTanh":
		return elementwise(func(x float32) float32 {
			v := float64(x)
			return float32(0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v))))
		})
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
		return elementwise(exp32)
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
