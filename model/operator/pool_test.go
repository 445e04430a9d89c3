// Poolings that are written as others, against loops over their windows.

package operator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/graph"
)

// Odd forms: one pixel, one channel, padding on one side, dilation, windows that go beyond the end.
func TestLpPool(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := random(r, 1+r.IntN(2), 1+r.IntN(5), 1+r.IntN(9), 1+r.IntN(9))
		p, ceil := 1+r.IntN(4), r.IntN(2)
		pick := func(n, least, greatest int) []int {
			v := make([]int, n)
			for i := range v {
				v[i] = least + r.IntN(greatest-least+1)
			}
			return v
		}
		kernel, strides, dilations, pads := pick(2, 1, 3), pick(2, 1, 3), pick(2, 1, 2), pick(4, 0, 2)
		var out []int
		fits := true
		for i, n := range x.Shape[2:] {
			room := n + pads[i] + pads[2+i] - (kernel[i]-1)*dilations[i] - 1
			if fits = fits && room >= 0; !fits {
				break
			}
			o := room/strides[i] + 1
			if ceil == 1 && room%strides[i] != 0 && o*strides[i] < n+pads[i] {
				o++
			}
			out = append(out, o)
		}
		if !fits {
			continue
		}
		var want []float64
		for plane := range x.Shape[0] * x.Shape[1] {
			for i := range out[0] {
				for j := range out[1] {
					sum := 0.0
					for a := range kernel[0] {
						for b := range kernel[1] {
							y, z := i*strides[0]+a*dilations[0]-pads[0], j*strides[1]+b*dilations[1]-pads[1]
							if y >= 0 && y < x.Shape[2] && z >= 0 && z < x.Shape[3] {
								sum += math.Pow(math.Abs(float64(x.F32[(plane*x.Shape[2]+y)*x.Shape[3]+z])), float64(p))
							}
						}
					}
					want = append(want, math.Pow(sum, 1/float64(p)))
				}
			}
		}
		attributes := map[string]graph.Attribute{"kernel_shape": graph.IntsAttribute(kernel...), "strides": graph.IntsAttribute(strides...),
			"ceil_mode": integer(int64(ceil)), "dilations": graph.IntsAttribute(dilations...), "pads": graph.IntsAttribute(pads...), "p": integer(int64(p))}
		y := compute(t, 18, "LpPool", attributes, 1, []*graph.Tensor{x})
		near(t, fmt.Sprint("LpPool of ", x.Shape, kernel, strides, dilations, pads, p, ceil), y[0], want, 2e-6, append(x.Shape[:2:2], out...)...)
	}
}

// What MaxPool found stands where it was, and nothing else does.
func TestMaxUnpool(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		k, channels := 1+r.IntN(3), 1+r.IntN(4)
		x := random(r, 2, channels, k*(1+r.IntN(4)), k*(1+r.IntN(4)))
		attributes := map[string]graph.Attribute{"kernel_shape": graph.IntsAttribute(k, k), "strides": graph.IntsAttribute(k, k)}
		pooled := compute(t, 13, "MaxPool", attributes, 2, []*graph.Tensor{x})
		values := &graph.Tensor{DType: graph.Float32, Shape: pooled[0].Shape, F32: slices.Clone(pooled[0].F32)}
		places := &graph.Tensor{DType: graph.Int64, Shape: pooled[1].Shape, I64: slices.Clone(pooled[1].I64)}
		want := make([]float64, len(x.F32))
		for i, at := range places.I64 {
			want[at] = float64(values.F32[i])
		}
		near(t, "MaxUnpool", compute(t, 13, "MaxUnpool", attributes, 1, []*graph.Tensor{values, places})[0], want, 0, x.Shape...)
		// A larger output has zeros at its ends.
		larger := []int{2, channels, x.Shape[2] + 1, x.Shape[3] + 2}
		wide := make([]float64, graph.Count(larger))
		for i, v := range want {
			at := graph.Position(x.Shape, i)
			wide[((at[0]*channels+at[1])*larger[2]+at[2])*larger[3]+at[3]] = v
		}
		near(t, "larger", compute(t, 13, "MaxUnpool", attributes, 1, []*graph.Tensor{values, places, list(larger...)}, 2)[0], wide, 0, larger...)
	}
}
