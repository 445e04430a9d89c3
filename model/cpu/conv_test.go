// Convolutions against plain loops.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// convolve runs a graph of one convolution, after it has run on other data, which must leave no trace.
func convolve(t *testing.T, threads int, x, w *graph.Tensor, p *operator.ConvParams) *graph.Tensor {
	t.Helper()
	e := convolution(t, threads, w, p)
	defer e.Close()
	before := graph.Floats(slices.Clone(x.F32), x.Shape...)
	slices.Reverse(before.F32)
	if _, err := e.Run(t.Context(), []*graph.Tensor{before}); err != nil {
		t.Fatal(err)
	}
	out, err := e.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	return &graph.Tensor{Shape: slices.Clone(out[0].Shape), F32: slices.Clone(out[0].F32)}
}

// convolution is a graph of one convolution.
func convolution(t testing.TB, threads int, w *graph.Tensor, p *operator.ConvParams) *Executor {
	t.Helper()
	ints := func(v []int) graph.Attribute {
		a := graph.Attribute{Kind: graph.AttributeInts}
		for _, i := range v {
			a.Ints = append(a.Ints, int64(i))
		}
		return a
	}
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": w},
		Nodes: []*graph.Node{{Op: "Conv", Inputs: []string{"x", "w"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{
			"strides": ints(p.Strides), "dilations": ints(p.Dilations), "pads": ints(slices.Concat(p.Before, p.After)),
			"group": {Kind: graph.AttributeInt, Int: int64(p.Group)}}}}}
	if err := g.Prepare(fuse.Rules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	return New(g, threads)
}

// trials is the number of random cases of a test: with -short every fifth.
func trials(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// TestConvolution compares two-dimensional convolutions with the definition, and
// their bits for one and three threads and for one image of the batch alone.
func TestConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range trials(150) {
		group := []int{1, 1, 1, 2}[r.IntN(4)]
		channels, filters := group*(1+r.IntN(5)), group*(1+r.IntN(40))
		if trial%6 == 5 { // one channel per group
			group = []int{2, 3, 7, 8, 16, 48, 80, 144}[r.IntN(8)]
			channels, filters = group, group
		}
		if trial%6 == 4 { // one channel with several filters
			group = 2 + r.IntN(12)
			channels, filters = group, group*(2+r.IntN(3))
		}
		if trial%6 == 3 { // few channels per group
			group = 2 + r.IntN(9)
			channels = group << (1 + r.IntN(3))
			filters = channels
		}
		images, h, w := 1+r.IntN(9), 5+r.IntN(30), 5+r.IntN(30)
		if trial%6 == 4 { // few pixels and many filters, which are cut by filters
			filters, h, w = group*(192+r.IntN(60)), 5+r.IntN(5), 5+r.IntN(5)
		}
		p := &operator.ConvParams{Group: group, Kernel: []int{1 + r.IntN(4), 1 + r.IntN(4)},
			Strides: []int{1 + r.IntN(3), 1 + r.IntN(3)}, Dilations: []int{1 + r.IntN(2), 1 + r.IntN(2)},
			Before: []int{r.IntN(3), r.IntN(3)}, After: []int{r.IntN(3), r.IntN(3)}}
		if h+p.Before[0]+p.After[0] <= (p.Kernel[0]-1)*p.Dilations[0] || w+p.Before[1]+p.After[1] <= (p.Kernel[1]-1)*p.Dilations[1] {
			continue
		}
		random := func(shape ...int) *graph.Tensor {
			x := make([]float32, graph.Count(shape))
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			return graph.Floats(x, shape...)
		}
		x, filter := random(images, channels, h, w), random(filters, channels/group, p.Kernel[0], p.Kernel[1])
		what := fmt.Sprintf("trial %d: %v * %v, %+v", trial, x.Shape, filter.Shape, *p)
		y := convolve(t, 1, x, filter, p)
		if other := convolve(t, 3, x, filter, p); !slices.Equal(other.F32, y.F32) {
			t.Fatalf("%s: three threads give other bits", what)
		}
		n := channels * h * w
		each := graph.Count(y.Shape[1:])
		image := r.IntN(images)
		alone := convolve(t, 2, graph.Floats(x.F32[image*n:(image+1)*n], 1, channels, h, w), filter, p)
		if !slices.Equal(alone.F32, y.F32[image*each:(image+1)*each]) {
			t.Fatalf("%s: image %d alone gives other bits", what, image)
		}
		i := 0
		for b := range images {
			for f := range filters {
				for oy := range y.Shape[2] {
					for ox := range y.Shape[3] {
						want, total := 0.0, 0.0
						for c := range channels / group {
							for ky := range p.Kernel[0] {
								for kx := range p.Kernel[1] {
									iy, ix := oy*p.Strides[0]+ky*p.Dilations[0]-p.Before[0], ox*p.Strides[1]+kx*p.Dilations[1]-p.Before[1]
									if iy < 0 || ix < 0 || iy >= h || ix >= w {
										continue
									}
									channel := f/(filters/group)*(channels/group) + c
									v := float64(x.F32[((b*channels+channel)*h+iy)*w+ix]) *
										float64(filter.F32[((f*(channels/group)+c)*p.Kernel[0]+ky)*p.Kernel[1]+kx])
									want += v
									total += math.Abs(v)
								}
							}
						}
						if e := math.Abs(float64(y.F32[i]) - want); !(e <= 1e-5*total) {
							t.Fatalf("%s: element %d is %g, want %g", what, i, y.F32[i], want)
						}
						i++
					}
				}
			}
		}
	}
}

// TestConvolutionOfOnePlane compares volumes whose kernel covers their depth with images that have as many channels
// more.
func TestConvolutionOfOnePlane(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	random := func(shape ...int) *graph.Tensor {
		x := make([]float32, graph.Count(shape))
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return graph.Floats(x, shape...)
	}
	x, filter := random(1, 2, 3, 29, 31), random(5, 2, 3, 4, 3)
	volume := &operator.ConvParams{Group: 1, Kernel: []int{3, 4, 3}, Strides: []int{3, 2, 1}, Dilations: []int{1, 1, 1},
		Before: []int{0, 1, 1}, After: []int{0, 1, 0}}
	image := &operator.ConvParams{Group: 1, Kernel: []int{4, 3}, Strides: []int{2, 1}, Dilations: []int{1, 1}, Before: []int{1, 1}, After: []int{1, 0}}
	want := convolve(t, 1, graph.Floats(x.F32, 1, 6, 29, 31), graph.Floats(filter.F32, 5, 6, 4, 3), image)
	for _, threads := range []int{1, 4} {
		y := convolve(t, threads, x, filter, volume)
		for i, v := range want.F32 {
			if math.Abs(float64(y.F32[i]-v)) > 1e-4 {
				t.Fatalf("%d threads: element %d is %g, want %g", threads, i, y.F32[i], v)
			}
		}
	}
}

// TestConvolutionPaddedBelow has padding behind the last row alone, of an image with channels last that is cut into
// parts.
func TestConvolutionPaddedBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	random := func(shape ...int) *graph.Tensor {
		x := make([]float32, graph.Count(shape))
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return graph.Floats(x, shape...)
	}
	x, filter, same := random(1, 3, 40, 20), random(5, 3, 3, 1), graph.Floats([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3, 1, 1)
	p := &operator.ConvParams{Group: 1, Kernel: []int{3, 1}, Strides: []int{1, 1}, Dilations: []int{1, 1}, Before: []int{0, 0}, After: []int{2, 0}}
	want := convolve(t, 1, x, filter, p)
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": filter, "same": same},
		Nodes: []*graph.Node{{Op: "Conv", Inputs: []string{"x", "same"}, Outputs: []string{"u"}},
			{Op: "Conv", Inputs: []string{"u", "w"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{
				"pads": {Kind: graph.AttributeInts, Ints: []int64{0, 0, 2, 0}}}}}}
	if err := g.Prepare(fuse.Rules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	chained := New(g, 4)
	defer chained.Close()
	out, err := chained.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out[0].F32, want.F32) {
		t.Error("the image with channels last gives other numbers")
	}
}

// One image channel per group, from and to channels first, as in the layers of ConvNeXt and MobileNet.
func BenchmarkDepthwise(b *testing.B) {
	for _, c := range []struct{ images, channels, side, kernel, stride int }{{8, 96, 56, 7, 1}, {8, 384, 14, 7, 1}, {8, 96, 112, 3, 2}, {8, 192, 28, 3, 1}} {
		b.Run(fmt.Sprintf("%d×%d×%d×%d by %d×%d stride %d", c.images, c.channels, c.side, c.side, c.kernel, c.kernel, c.stride), func(b *testing.B) {
			pad := c.kernel / 2
			p := &operator.ConvParams{Group: c.channels, Kernel: []int{c.kernel, c.kernel}, Strides: []int{c.stride, c.stride},
				Dilations: []int{1, 1}, Before: []int{pad, pad}, After: []int{pad, pad}}
			x := graph.Floats(make([]float32, c.images*c.channels*c.side*c.side), c.images, c.channels, c.side, c.side)
			w := graph.Floats(make([]float32, c.channels*c.kernel*c.kernel), c.channels, 1, c.kernel, c.kernel)
			e := convolution(b, 0, w, p)
			defer e.Close()
			var out []*graph.Tensor
			for b.Loop() {
				var err error
				if out, err = e.Run(b.Context(), []*graph.Tensor{x}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(2*float64(graph.Count(out[0].Shape)*c.kernel*c.kernel)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkGroups is the rate of convolutions of 3×3 pixels by channels, groups and filters, with a padding of one
// pixel.
func BenchmarkGroups(b *testing.B) {
	for _, c := range []struct{ channels, groups, filters, stride int }{
		{3, 3, 3, 1}, {8, 8, 8, 1}, {8, 8, 8, 2}, {12, 12, 12, 1}, {16, 16, 64, 1}, {32, 16, 32, 1}, {128, 32, 128, 1}, {256, 32, 256, 1}, {256, 32, 256, 2},
	} {
		b.Run(fmt.Sprintf("%d/%d/%d/stride%d", c.channels, c.groups, c.filters, c.stride), func(b *testing.B) {
			const images, side = 4, 56
			shape := []int{c.filters, c.channels / c.groups, 3, 3}
			e := convolution(b, 1, graph.Floats(make([]float32, graph.Count(shape)), shape...), &operator.ConvParams{Group: c.groups,
				Strides: []int{c.stride, c.stride}, Dilations: []int{1, 1}, Before: []int{1, 1}, After: []int{1, 1}})
			defer e.Close()
			in := []*graph.Tensor{graph.Floats(make([]float32, images*c.channels*side*side), images, c.channels, side, side)}
			outputs := images * c.filters * ((side + c.stride - 1) / c.stride) * ((side + c.stride - 1) / c.stride)
			for b.Loop() {
				if _, err := e.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(2*9*float64(outputs*c.channels/c.groups)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
