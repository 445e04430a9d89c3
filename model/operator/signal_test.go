// Fourier transforms against the sums that define them, and windows and mel weights against their formulas.

package operator_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/graph"
)

// dft is the sum that defines a transform.
func dft(x []complex128, inverse bool) []complex128 {
	n, sign := len(x), -1.0
	if inverse {
		sign = 1
	}
	y, turns := make([]complex128, n), make([]complex128, n)
	for i := range turns {
		turns[i] = cmplx.Rect(1, sign*2*math.Pi*float64(i)/float64(n))
	}
	for k := range y {
		for j, v := range x {
			y[k] += v * turns[j*k%n]
		}
		if inverse {
			y[k] /= complex(float64(n), 0)
		}
	}
	return y
}

// signal is row r of [rows, n, parts] as complex numbers, cut or filled with zeros to a length.
func signal(x *graph.Tensor, r, length int) []complex128 {
	n, parts := x.Shape[1], x.Shape[2]
	y := make([]complex128, length)
	for j := range min(n, length) {
		offset := (r*n + j) * parts
		y[j] = complex(float64(x.F32[offset]), 0)
		if parts == 2 {
			y[j] += complex(0, float64(x.F32[offset+1]))
		}
	}
	return y
}

// Lengths of one factor, of several, and prime ones, of real and complex numbers.
func TestTransforms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	lengths := []int{1, 2, 3, 16, 97, 255, 256, 257, 289, 320, 400, 1018, 1021, 1024, 1200}
	for range 12 {
		lengths = append(lengths, 1+r.IntN(700))
	}
	for _, n := range lengths {
		for _, parts := range []int{1, 2} {
			x := random(r, 2, n, parts)
			for _, form := range []string{"whole", "inverse", "onesided", "length"} {
				length, kept, attributes := n, n, map[string]graph.Attribute{}
				inputs := []*graph.Tensor{x, nil, scalarInt(1)}
				switch {
				case form == "inverse":
					attributes["inverse"] = integer(1)
				case form == "onesided" && parts == 1:
					attributes["onesided"], kept = integer(1), n/2+1
				case form == "length":
					length = 1 + r.IntN(min(2*n, 600))
					inputs[1], kept = scalarInt(length), length
				}
				var want []float64
				for row := range 2 {
					for _, v := range dft(signal(x, row, length), form == "inverse")[:kept] {
						want = append(want, real(v), imag(v))
					}
				}
				y := compute(t, 20, "DFT", attributes, 1, inputs, 1, 2)
				near(t, fmt.Sprint("DFT of ", x.Shape, " ", form, " ", length), y[0], want, 2e-6*math.Sqrt(float64(length)), 2, kept, 2)
			}
		}
	}
}

// The inverse of a half spectrum is the signal that it is of.
func TestHalfSpectrum(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 5, 8, 99, 400, 513} {
		x := random(r, 3, n, 2, 1)
		half := compute(t, 19, "DFT", map[string]graph.Attribute{"onesided": integer(1), "axis": integer(1)}, 1, []*graph.Tensor{x})
		back := compute(t, 19, "DFT", map[string]graph.Attribute{"onesided": integer(1), "inverse": integer(1), "axis": integer(1)}, 1,
			[]*graph.Tensor{{DType: graph.Float32, Shape: half[0].Shape, F32: half[0].F32}, scalarInt(n)}, 1)
		want := make([]float64, len(x.F32))
		for i, v := range x.F32 {
			want[i] = float64(v)
		}
		near(t, fmt.Sprint("inverse of ", n), back[0], want, 1e-5, 3, n, 2, 1)
	}
}

func TestShortTransforms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		n, step, parts := 1+r.IntN(40), 1+r.IntN(9), 1+r.IntN(2)
		x := random(r, 2, n+r.IntN(50), parts)
		var window *graph.Tensor
		if r.IntN(2) == 0 {
			window = random(r, n)
		}
		sided := r.IntN(2) * (2 - parts)
		kept := n
		if sided == 1 {
			kept = n/2 + 1
		}
		frames := (x.Shape[1]-n)/step + 1
		var want []float64
		for row := range 2 {
			for f := range frames {
				part := make([]complex128, n)
				for j := range part {
					part[j] = signal(x, row, x.Shape[1])[f*step+j]
					if window != nil {
						part[j] *= complex(float64(window.F32[j]), 0)
					}
				}
				for _, v := range dft(part, false)[:kept] {
					want = append(want, real(v), imag(v))
				}
			}
		}
		attributes, inputs := map[string]graph.Attribute{"onesided": integer(int64(sided))}, []*graph.Tensor{x, scalarInt(step), window, scalarInt(n)}
		y := compute(t, 17, "STFT", attributes, 1, inputs, 1, 3)
		near(t, fmt.Sprint("STFT of ", x.Shape), y[0], want, 1e-5, 2, frames, kept, 2)
	}
}

func TestSignalErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op     string
		inputs []*graph.Tensor
		fixed  []int
		want   string
	}{
		{"DFT", []*graph.Tensor{floats(1, 2053, 1)}, nil, "the prime factor 2053, want at most 2048: pad the signal"},
		{"DFT", []*graph.Tensor{floats(1, 8, 3)}, nil, "want a last axis of 1 or, of complex numbers, 2"},
		{"DFT", []*graph.Tensor{floats(1, 8, 1), scalarInt(8)}, nil,
			`input 1 (dft_length, "x1") must be a constant or follow from the input's shape, but depends on the values of the model's input`},
		{"DFT", []*graph.Tensor{floats(1, 8, 1), scalarInt(0)}, []int{1}, "input 1 (dft_length) is 0, want 1 to"},
		{"STFT", []*graph.Tensor{floats(1, 8, 1), scalarInt(2), nil, scalarInt(9)}, []int{1, 3}, "frames of 9 elements of a signal of 8"},
		{"STFT", []*graph.Tensor{floats(1, 8, 1), scalarInt(2), floats(3), scalarInt(4)}, []int{1, 3}, "input 2 (window) has shape [3], want [4]"},
		{"HannWindow", []*graph.Tensor{scalarInt(-1)}, []int{0}, "input 0 (size) is -1, want 0 to"},
	} {
		if _, err := attempt(17, c.op, nil, 1, c.inputs, c.fixed...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.op, err, c.want)
		}
	}
}

// Windows are sums of cosines; a symmetric one is the periodic one of one element less, with its first element at the
// end.
func TestWindows(t *testing.T) {
	t.Parallel()
	formulas := map[string]func(x float64) float64{
		"HannWindow":     func(x float64) float64 { return math.Pow(math.Sin(math.Pi*x), 2) },
		"HammingWindow":  func(x float64) float64 { return 25.0/46 - 21.0/46*math.Cos(2*math.Pi*x) },
		"BlackmanWindow": func(x float64) float64 { return 0.42 - 0.5*math.Cos(2*math.Pi*x) + 0.08*math.Cos(4*math.Pi*x) },
	}
	for op, formula := range formulas {
		for _, n := range []int{0, 1, 2, 9, 400} {
			for periodic := range 2 {
				want := make([]float64, n)
				for i := range want {
					want[i] = formula(float64(i) / max(1, float64(n-1+periodic)))
				}
				if n == 1 && periodic == 0 {
					want[0] = 1
				}
				y := compute(t, 17, op, map[string]graph.Attribute{"periodic": integer(int64(periodic))}, 1, []*graph.Tensor{scalarInt(n)}, 0)
				near(t, fmt.Sprint(op, " ", n), y[0], want, 1e-7, n)
			}
		}
	}
}
