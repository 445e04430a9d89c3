// Convolutions of the planes of images of bytes against sums in 64 bits.

package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/internal/kernel"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// planesCase is images of integers and filters of them.
type planesCase struct {
	x, filters       *graph.Tensor
	zero             int64
	element          int
	pads             [4]int
	stride, dilation [2]int
	wide             bool // the filters are no signed bytes
}

func randomPlanes(r *rand.Rand, trial int) *planesCase {
	c := &planesCase{pads: [4]int{r.IntN(4), r.IntN(4), r.IntN(4), r.IntN(4)}, stride: [2]int{1 + r.IntN(3), 1 + r.IntN(3)},
		dilation: [2]int{1 + r.IntN(2), 1 + r.IntN(2)}, element: graph.ElementUint8, zero: r.Int64N(256), wide: trial%12 == 11}
	channels, kh, kw := 1+trial%5, 1+r.IntN(5), 1+r.IntN(5)
	h := max(1+r.IntN(20), (kh-1)*c.dilation[0]+1)
	w := max(1+r.IntN(40), (kw-1)*c.dilation[1]+1, (255+h)/h)
	least := int64(0)
	if trial%2 == 0 {
		c.element, c.zero, least = graph.ElementInt8, c.zero-128, -128
	}
	c.x, c.filters = randomIntegers(r, least, least+255, 1+r.IntN(3), channels, h, w), randomIntegers(r, -128, 127, 16+r.IntN(40), channels, kh, kw)
	if c.wide {
		c.filters.I64[r.IntN(c.filters.Len())] = 200
	}
	return c
}

func (c *planesCase) String() string {
	return fmt.Sprintf("%v * %v, strides %v, dilations %v, pads %v", c.x.Shape, c.filters.Shape, c.stride, c.dilation, c.pads)
}

// want is the definition.
func (c *planesCase) want() (y []float32) {
	s, f := c.x.Shape, c.filters.Shape
	out := func(a int) int { return (s[2+a]+c.pads[a]+c.pads[2+a]-(f[2+a]-1)*c.dilation[a]-1)/c.stride[a] + 1 }
	for offset := range s[0] * f[0] * out(0) * out(1) {
		image, filter, i, j := offset/(f[0]*out(0)*out(1)), offset/(out(0)*out(1))%f[0], offset/out(1)%out(0), offset%out(1)
		var sum int64
		for k := range f[1] * f[2] * f[3] {
			d, a, b := k/(f[2]*f[3]), k/f[3]%f[2], k%f[3]
			iy, ix := i*c.stride[0]+a*c.dilation[0]-c.pads[0], j*c.stride[1]+b*c.dilation[1]-c.pads[1]
			if iy >= 0 && iy < s[2] && ix >= 0 && ix < s[3] {
				sum += (c.x.I64[((image*s[1]+d)*s[2]+iy)*s[3]+ix] - c.zero) * c.filters.I64[filter*f[1]*f[2]*f[3]+k]
			}
		}
		y = append(y, float32(sum))
	}
	return y
}

// graph quantizes the images, with a scale of one, and convolves them.
func (c *planesCase) graph(t *testing.T) *graph.Graph {
	t.Helper()
	point := func(v int64) *graph.Tensor { return &graph.Tensor{DType: graph.Int64, Shape: []int{}, I64: []int64{v}} }
	w := &graph.Tensor{DType: graph.Int64, Shape: c.filters.Shape, I64: slices.Clone(c.filters.I64)}
	element := map[string]graph.Attribute{"output_dtype": graph.IntAttribute(c.element)}
	g := &graph.Graph{Opset: 21, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": w, "zero": point(c.zero), "none": point(0), "scale": graph.Floats([]float32{1})},
		Nodes: []*graph.Node{
			{Op: "QuantizeLinear", Inputs: []string{"x", "scale", "zero"}, Outputs: []string{"q"}, Attributes: element},
			{Op: "ConvInteger", Inputs: []string{"q", "w", "zero", "none"}, Outputs: []string{"sums"}, Attributes: map[string]graph.Attribute{
				"strides": graph.IntsAttribute(c.stride[:]...), "dilations": graph.IntsAttribute(c.dilation[:]...), "pads": graph.IntsAttribute(c.pads[:]...)}},
			{Op: "Cast", Inputs: []string{"sums"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}}}}
	if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	return g
}

// bound reports whether the convolution is one of planes.
func (c *planesCase) bound(t *testing.T) bool {
	t.Helper()
	program, err := c.graph(t).Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: c.x.Shape}}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(program.Steps, func(s graph.Step) bool { _, ok := s.Params.(*operator.ConvParams); return ok })
	p := newPool(1)
	defer p.close()
	b := &builder{Site: graph.Site{Step: &program.Steps[i], Values: program.Values}, weights: newWeights(1), pool: &p}
	params := b.Step.Params.(*operator.ConvParams)
	planes, err := boundPlanes(b, params, newGeometry(params, b.Shape(0), b.OutShape(0)))
	if err != nil {
		t.Fatal(err)
	}
	return planes != nil
}

// run computes some of the images.
func (c *planesCase) run(t *testing.T, threads, from, to int) []float32 {
	t.Helper()
	size := graph.Count(c.x.Shape[1:])
	x := graph.Floats(make([]float32, (to-from)*size), append([]int{to - from}, c.x.Shape[1:]...)...)
	for i := range x.F32 {
		x.F32[i] = float32(c.x.I64[from*size+i] - c.zero)
	}
	e := New(c.graph(t), threads)
	defer e.Close()
	out, err := e.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(out[0].F32)
}

// TestPlanes: images whose channels come first, from one to five, are convolved as bytes where they are two to four;
// padding, strides, dilations and zero points of any size, any number of threads, images alone.
func TestPlanes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(85, 86))
	for trial := range 60 {
		c := randomPlanes(r, trial)
		images, channels := c.x.Shape[0], c.x.Shape[1]
		if got, want := c.bound(t), kernel.GathersBytes() && channels > 1 && channels < 5 && !c.wide; got != want {
			t.Errorf("trial %d: %v: convolved as planes %v, want %v", trial, c, got, want)
		}
		got := c.run(t, 1, 0, images)
		for i, v := range c.want() {
			if got[i] != v {
				t.Fatalf("trial %d: %v: element %d is %v, want %v", trial, c, i, got[i], v)
			}
		}
		if !slices.Equal(c.run(t, 3, 0, images), got) {
			t.Fatalf("trial %d: %v: three threads give other bits", trial, c)
		}
		i, each := r.IntN(images), len(got)/images
		if !slices.Equal(c.run(t, 2, i, i+1), got[i*each:(i+1)*each]) {
			t.Fatalf("trial %d: %v: image %d alone has other bits", trial, c, i)
		}
	}
}
