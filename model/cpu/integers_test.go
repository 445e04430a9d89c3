// Products of integers against sums in 64 bits.

package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

// integerRun runs a graph of one integer product of x and w, whose zero points are constants.
func integerRun(t *testing.T, threads int, op string, attributes map[string]graph.Attribute, x, w *graph.Tensor,
	zeroX int64, zeroW []int64) []float32 {
	t.Helper()
	zeros := graph.Ints(zeroW...)
	if len(zeroW) == 1 {
		zeros.Shape = []int{}
	}
	point := graph.Ints(zeroX)
	point.Shape = []int{}
	toFloat := map[string]graph.Attribute{"to": {Kind: graph.AttributeInt, Int: graph.ElementFloat}}
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Int64}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": {DType: graph.Int64, Shape: w.Shape, I64: slices.Clone(w.I64)}, "zx": point, "zw": zeros},
		Nodes: []*graph.Node{
			{Op: op, Inputs: []string{"x", "w", "zx", "zw"}, Outputs: []string{"i"}, Attributes: attributes},
			{Op: "Cast", Inputs: []string{"i"}, Outputs: []string{"y"}, Attributes: toFloat}}}
	if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	e := New(g, threads)
	defer e.Close()
	out, err := e.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(out[0].F32)
}

func randomIntegers(r *rand.Rand, low, high int64, shape ...int) *graph.Tensor {
	x := graph.Ints(make([]int64, graph.Count(shape))...)
	x.Shape = shape
	for i := range x.I64 {
		x.I64[i] = low + r.Int64N(high-low+1)
		if r.IntN(6) == 0 {
			x.I64[i] = high
		}
	}
	return x
}

// TestIntegerLinear: sums beyond the 24 bits of a float are exact, for signed and unsigned operands with zero points of
// columns; a row has the same bits alone and with any number of threads.
func TestIntegerLinear(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(61, 62))
	for trial := range trials(30) {
		m, k, n := 1+r.IntN(230), 1+r.IntN(700), 1+r.IntN(100)
		if trial%6 == 0 {
			k = 3000 + r.IntN(5000)
		}
		x, zeroX := randomIntegers(r, 0, 255, m, k), r.Int64N(256)
		if trial%2 == 0 {
			x, zeroX = randomIntegers(r, -128, 127, m, k), r.Int64N(256)-128
		}
		w, zeroW := randomIntegers(r, -128, 127, k, n), make([]int64, 1)
		if trial%3 == 0 {
			w, zeroW = randomIntegers(r, 0, 255, k, n), make([]int64, n)
			for j := range zeroW {
				zeroW[j] = r.Int64N(256)
			}
		}
		what := fmt.Sprintf("trial %d: %d×%d×%d", trial, m, k, n)
		got := integerRun(t, 1, "MatMulInteger", nil, x, w, zeroX, zeroW)
		for i := range m {
			for j := range n {
				var want int64
				for d := range k {
					want += (x.I64[i*k+d] - zeroX) * (w.I64[d*n+j] - zeroW[j%len(zeroW)])
				}
				// Below the depth at which bytes pay, sums of floats are exact.
				if got[i*n+j] != float32(want) {
					if n >= leastIntegerColumns || want < 1<<24 && want > -1<<24 {
						t.Fatalf("%s: element %d, %d is %v, want %d", what, i, j, got[i*n+j], want)
					}
				}
			}
		}
		if other := integerRun(t, 3, "MatMulInteger", nil, x, w, zeroX, zeroW); !slices.Equal(got, other) {
			t.Fatalf("%s: three threads give other bits", what)
		}
		i := r.IntN(m)
		row := graph.Ints(x.I64[i*k : (i+1)*k]...)
		row.Shape = []int{1, k}
		if other := integerRun(t, 1, "MatMulInteger", nil, row, w, zeroX, zeroW); !slices.Equal(got[i*n:(i+1)*n], other) {
			t.Fatalf("%s: row %d alone has other bits", what, i)
		}
	}
}

// TestIntegerConv: convolutions of integers with padding, strides and dilations against the definition, for one and
// three threads and for one image alone.
func TestIntegerConv(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(63, 64))
	for trial := range 40 {
		images, channels, filters, h, w := 1+r.IntN(5), 1+r.IntN(20), 1+r.IntN(50), 5+r.IntN(20), 5+r.IntN(20)
		if trial%8 == 0 {
			channels = 300 + r.IntN(100)
		}
		kh, kw, sh, sw, dh, dw := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2), 1+r.IntN(2), 1+r.IntN(2)
		pads := []int64{r.Int64N(3), r.Int64N(3), r.Int64N(3), r.Int64N(3)}
		oh, ow := (h+int(pads[0]+pads[2])-(kh-1)*dh-1)/sh+1, (w+int(pads[1]+pads[3])-(kw-1)*dw-1)/sw+1
		x, zeroX := randomIntegers(r, 0, 255, images, channels, h, w), r.Int64N(256)
		f, zeroW := randomIntegers(r, -127, 127, filters, channels, kh, kw), []int64{0}
		list := func(v ...int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInts, Ints: v} }
		attributes := map[string]graph.Attribute{"strides": list(int64(sh), int64(sw)), "dilations": list(int64(dh), int64(dw)),
			"pads": list(pads...)}
		what := fmt.Sprintf("trial %d: %v * %v, pads %v", trial, x.Shape, f.Shape, pads)
		got := integerRun(t, 1, "ConvInteger", attributes, x, f, zeroX, zeroW)
		offset := 0
		for i := range images {
			for o := range filters {
				for y := range oh {
					for c := range ow {
						var want int64
						for d := range channels {
							for a := range kh {
								for b := range kw {
									iy, ix := y*sh+a*dh-int(pads[0]), c*sw+b*dw-int(pads[1])
									if iy >= 0 && iy < h && ix >= 0 && ix < w {
										want += (x.I64[((i*channels+d)*h+iy)*w+ix] - zeroX) * f.I64[((o*channels+d)*kh+a)*kw+b]
									}
								}
							}
						}
						if got[offset] != float32(want) && (filters >= leastIntegerColumns || want < 1<<24 && want > -1<<24) {
							t.Fatalf("%s: image %d, filter %d, pixel %d, %d is %v, want %d", what, i, o, y, c, got[offset], want)
						}
						offset++
					}
				}
			}
		}
		if other := integerRun(t, 3, "ConvInteger", attributes, x, f, zeroX, zeroW); !slices.Equal(got, other) {
			t.Fatalf("%s: three threads give other bits", what)
		}
		i, size := r.IntN(images), channels*h*w
		one := graph.Ints(x.I64[i*size : (i+1)*size]...)
		one.Shape = []int{1, channels, h, w}
		each := len(got) / images
		if other := integerRun(t, 3, "ConvInteger", attributes, one, f, zeroX, zeroW); !slices.Equal(got[i*each:(i+1)*each], other) {
			t.Fatalf("%s: image %d alone has other bits", what, i)
		}
	}
}

// TestIntegersBeyondBytes: what no 8 bits hold is computed as floats, alone among its neighbors.
func TestIntegersBeyondBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(65, 66))
	const m, k, n = 40, 200, 24
	x, w := randomIntegers(r, 0, 255, m, k), randomIntegers(r, -128, 127, k, n)
	x.I64[7*k+3], x.I64[20*k] = 1000, -40
	got := integerRun(t, 2, "MatMulInteger", nil, x, w, 0, []int64{0})
	for i := range m {
		for j := range n {
			var want int64
			for d := range k {
				want += x.I64[i*k+d] * w.I64[d*n+j]
			}
			if got[i*n+j] != float32(want) {
				t.Fatalf("element %d, %d is %v, want %d", i, j, got[i*n+j], want)
			}
		}
	}
	image, filters := randomIntegers(r, 0, 255, 3, 8, 9, 9), randomIntegers(r, -128, 127, 20, 8, 3, 3)
	image.I64[8*81+5] = 300
	all := integerRun(t, 2, "ConvInteger", nil, image, filters, 0, []int64{0})
	for i := range 3 {
		one := graph.Ints(image.I64[i*8*81 : (i+1)*8*81]...)
		one.Shape = []int{1, 8, 9, 9}
		if alone := integerRun(t, 1, "ConvInteger", nil, one, filters, 0, []int64{0}); !slices.Equal(alone, all[i*len(alone):(i+1)*len(alone)]) {
			t.Errorf("image %d alone has other bits", i)
		}
		var want int64 // the first pixel of the first filter
		for d := range 8 {
			for a := range 9 {
				want += one.I64[d*81+a/3*9+a%3] * filters.I64[d*9+a]
			}
		}
		if each := len(all) / 3; all[i*each] != float32(want) {
			t.Errorf("image %d: the first pixel is %v, want %d", i, all[i*each], want)
		}
	}
}
