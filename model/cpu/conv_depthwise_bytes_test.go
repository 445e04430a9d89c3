// Depthwise convolutions of bytes against sums in 64 bits.

package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/internal/kernel/vector"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// depthwiseCase is images of integers that are one channel's bytes with a zero point, and filters of them.
type depthwiseCase struct {
	shape                    []int // images, channels, height, width
	kernel, stride, dilation [2]int
	before, after            [2]int
	element                  int
	zero                     int64
	images, weights          []int64
	bias                     []float32 // or nil
}

func randomDepthwise(r *rand.Rand, trial int) *depthwiseCase {
	pair := func(low, high int) [2]int { return [2]int{low + r.IntN(high-low+1), low + r.IntN(high-low+1)} }
	c := &depthwiseCase{shape: []int{1 + r.IntN(3), 1 + r.IntN(70), 1 + r.IntN(20), 1 + r.IntN(60)}, kernel: pair(1, 6), stride: pair(1, 3), dilation: [2]int{1, 1},
		before: pair(0, 4), after: pair(0, 4), element: graph.ElementUint8, zero: r.Int64N(256)}
	switch trial % 6 {
	case 1:
		c.shape[1], c.shape[2], c.shape[3] = 256+r.IntN(300), 1, 1
	case 2:
		c.dilation = pair(1, 3)
	case 3:
		c.kernel, c.stride, c.before, c.after = [2]int{3, 3}, [2]int{1 + trial/6%2, 1 + trial/6%2}, [2]int{1, 1}, [2]int{1, 1}
	case 4:
		c.kernel, c.before, c.after = [2]int{5, 5}, [2]int{2, 2}, [2]int{2, 2}
	}
	if trial%2 == 0 {
		c.element, c.zero = graph.ElementInt8, c.zero-128
	}
	for a := range 2 {
		for c.shape[2+a]+c.before[a]+c.after[a] < (c.kernel[a]-1)*c.dilation[a]+1 {
			c.after[a]++
		}
	}
	for c.shape[1]*c.shape[2]*c.shape[3] < 256 {
		c.shape[1+r.IntN(3)]++
	}
	least := int64(0)
	if c.element == graph.ElementInt8 {
		least = -128
	}
	c.images = randomIntegers(r, least, least+255, c.shape...).I64
	c.weights = randomIntegers(r, -128, 127, c.shape[1], c.kernel[0], c.kernel[1]).I64
	if trial%3 > 0 {
		limit := int64(1) << []int{12, 23, 26}[r.IntN(3)]
		for _, v := range randomIntegers(r, -limit, limit, c.shape[1]).I64 {
			c.bias = append(c.bias, float32(v))
		}
	}
	if trial%10 == 9 {
		c.weights[r.IntN(len(c.weights))] = 128 // no signed byte
	}
	return c
}

// out is the height or the width of the result.
func (c *depthwiseCase) out(a int) int {
	return (c.shape[2+a]+c.before[a]+c.after[a]-(c.kernel[a]-1)*c.dilation[a]-1)/c.stride[a] + 1
}

// want is the definition.
func (c *depthwiseCase) want() (y []float32) {
	for plane := range c.shape[0] * c.shape[1] {
		image, filter := c.images[plane*c.shape[2]*c.shape[3]:], c.weights[plane%c.shape[1]*c.kernel[0]*c.kernel[1]:]
		for i := range c.out(0) {
			for j := range c.out(1) {
				sum := int64(0)
				for a := range c.kernel[0] {
					for b := range c.kernel[1] {
						iy, ix := i*c.stride[0]+a*c.dilation[0]-c.before[0], j*c.stride[1]+b*c.dilation[1]-c.before[1]
						if iy >= 0 && iy < c.shape[2] && ix >= 0 && ix < c.shape[3] {
							sum += (image[iy*c.shape[3]+ix] - c.zero) * filter[a*c.kernel[1]+b]
						}
					}
				}
				y = append(y, float32(sum))
				if c.bias != nil {
					y[len(y)-1] += c.bias[plane%c.shape[1]]
				}
			}
		}
	}
	return y
}

// graph quantizes the images, with a scale of one, moves their channels last by a filter of one element, which is 1,
// and convolves them.
func (c *depthwiseCase) graph(t *testing.T) *graph.Graph {
	t.Helper()
	point := func(v int64) *graph.Tensor { return &graph.Tensor{DType: graph.Int64, Shape: []int{}, I64: []int64{v}} }
	w := graph.Ints(slices.Clone(c.weights)...)
	w.Shape = []int{c.shape[1], 1, c.kernel[0], c.kernel[1]}
	attribute := func(v [2]int) graph.Attribute { return graph.IntsAttribute(v[:]...) }
	one := graph.Ints(slices.Repeat([]int64{1}, c.shape[1])...)
	one.Shape = []int{c.shape[1], 1, 1, 1}
	group, toFloat := graph.IntAttribute(c.shape[1]), map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}
	element := map[string]graph.Attribute{"output_dtype": graph.IntAttribute(c.element)}
	g := &graph.Graph{Opset: 21, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": w, "one": one, "zero": point(c.zero), "none": point(0), "scale": graph.Floats([]float32{1})},
		Nodes: []*graph.Node{
			{Op: "QuantizeLinear", Inputs: []string{"x", "scale", "zero"}, Outputs: []string{"q"}, Attributes: element},
			{Op: "ConvInteger", Inputs: []string{"q", "one", "zero", "none"}, Outputs: []string{"moved"}, Attributes: map[string]graph.Attribute{"group": group}},
			{Op: "Cast", Inputs: []string{"moved"}, Outputs: []string{"floats"}, Attributes: toFloat},
			{Op: "QuantizeLinear", Inputs: []string{"floats", "scale", "zero"}, Outputs: []string{"bytes"}, Attributes: element},
			{Op: "ConvInteger", Inputs: []string{"bytes", "w", "zero", "none"}, Outputs: []string{"sums"}, Attributes: map[string]graph.Attribute{"group": group,
				"strides": attribute(c.stride), "dilations": attribute(c.dilation), "pads": graph.IntsAttribute(c.before[0], c.before[1], c.after[0], c.after[1])}},
			{Op: "Cast", Inputs: []string{"sums"}, Outputs: []string{"y"}, Attributes: toFloat}}}
	if c.bias != nil {
		g.Constants["bias"] = graph.Floats(c.bias, 1, c.shape[1], 1, 1)
		g.Nodes[len(g.Nodes)-1].Outputs = []string{"products"}
		g.Nodes = append(g.Nodes, &graph.Node{Op: "Add", Inputs: []string{"products", "bias"}, Outputs: []string{"y"}})
	}
	if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	return g
}

// run computes some of the images.
func (c *depthwiseCase) run(t *testing.T, threads, from, to int) []float32 {
	t.Helper()
	size := graph.Count(c.shape[1:])
	x := graph.Floats(make([]float32, (to-from)*size), to-from, c.shape[1], c.shape[2], c.shape[3])
	for i := range x.F32 {
		x.F32[i] = float32(c.images[from*size+i] - c.zero)
	}
	e := New(c.graph(t), threads)
	defer e.Close()
	out, err := e.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(out[0].F32)
}

// bytes reports whether the convolution is one of bytes.
func (c *depthwiseCase) bytes(t *testing.T) bool {
	t.Helper()
	p, err := c.graph(t).Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: c.shape}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range slices.Backward(p.Steps) {
		if v, ok := s.Params.(*operator.ConvParams); ok {
			g, x := newGeometry(v, p.Values[s.In[0]].Shape, p.Values[s.Out[0]].Shape), newLevels(p.Values[s.In[0]].Levels)
			weights := make([]float32, len(c.weights))
			for i, w := range c.weights {
				weights[i] = float32(w)
			}
			return g.channelwise() && g.byteChannelwise(v, x, weights) != nil
		}
	}
	t.Fatal("there is no convolution")
	return false
}

// TestByteChannelwise: padding, strides, dilations, kernels and channels of any size, with zero points; other numbers
// of threads and of images have the same bits.
func TestByteChannelwise(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(81, 82))
	inBytes := 0
	for trial := range 120 {
		c := randomDepthwise(r, trial)
		what := fmt.Sprintf("trial %d: %v * %v, strides %v, dilations %v, pads %v %v", trial, c.shape, c.kernel, c.stride, c.dilation, c.before, c.after)
		if c.bytes(t) {
			inBytes++
		} else if c.shape[1] >= vector.Lanes && trial%10 != 9 {
			t.Errorf("%s: not computed in bytes", what)
		}
		want, got := c.want(), c.run(t, 1, 0, c.shape[0])
		for i, v := range want {
			if got[i] != v {
				t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], v)
			}
		}
		if !slices.Equal(c.run(t, 3, 0, c.shape[0]), got) {
			t.Fatalf("%s: three threads give other bits", what)
		}
		i, each := r.IntN(c.shape[0]), len(got)/c.shape[0]
		if !slices.Equal(c.run(t, 2, i, i+1), got[i*each:(i+1)*each]) {
			t.Fatalf("%s: image %d alone has other bits", what, i)
		}
	}
	if inBytes < 60 {
		t.Errorf("%d trials in bytes", inBytes)
	}
}

// Lines of any geometry and any channels, in any order.
func TestByteChannelwiseLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(83, 84))
	for trial := range 120 {
		c := randomDepthwise(r, trial-trial%10)
		n, h, w := c.shape[1], c.shape[2], c.shape[3]
		p := &operator.ConvParams{Kernel: c.kernel[:], Strides: c.stride[:], Dilations: c.dilation[:], Before: c.before[:], Group: n}
		g := newGeometry(p, []int{1, h, w, n}, []int{1, c.out(0), c.out(1), n})
		least := int64(0)
		if c.element == graph.ElementInt8 {
			least = -128
		}
		image, weights := make([]uint8, h*w*n), make([]float32, len(c.weights))
		for i := range image {
			image[i] = uint8(c.images[i%n*h*w+i/n] - least)
		}
		positions := c.kernel[0] * c.kernel[1]
		for i := range weights {
			weights[i] = float32(c.weights[i%n*positions+i/n])
		}
		c.bias = nil
		b, want := newByteChannelwise(g, weights, uint8(c.zero-least)), c.want()
		var s scratch
		line := c.out(1) * n
		got, first := make([]float32, c.out(0)*line), r.IntN(c.out(0))
		for _, part := range [][2]int{{first, c.out(0)}, {0, first}} {
			b.eachPart(&s, image, part[0], part[1], func(l, pixel, pixels int) []float32 {
				return got[l*line+pixel*n:][:pixels*n]
			}, func([]float32, int, int, int) {})
		}
		for i, v := range got {
			if at := i%n*len(got)/n + i/n; v != want[at] {
				t.Fatalf("trial %d: %v * %v: pixel %d of channel %d is %g, want %g", trial, c.shape, c.kernel, i/n, i%n, v, want[at])
			}
		}
	}
}
