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

// TestPlanes: images whose channels come first, from one to five, are convolved as bytes where they are two to four; padding, strides, dilations and
// zero points of any size, any number of threads, images alone.
func TestPlanes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(85, 86))
	for trial := range 60 {
		images, channels, filters, h, w := 1+r.IntN(3), 1+trial%5, 16+r.IntN(40), 1+r.IntN(20), 1+r.IntN(40)
		kh, kw, sh, sw, dh, dw := 1+r.IntN(5), 1+r.IntN(5), 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2)
		pads := []int{r.IntN(4), r.IntN(4), r.IntN(4), r.IntN(4)}
		h, w = max(h, (kh-1)*dh+1), max(w, (kw-1)*dw+1, (255+h)/h)
		oh, ow := (h+pads[0]+pads[2]-(kh-1)*dh-1)/sh+1, (w+pads[1]+pads[3]-(kw-1)*dw-1)/sw+1
		element, zero, least := graph.ElementUint8, r.Int64N(256), int64(0)
		if trial%2 == 0 {
			element, zero, least = graph.ElementInt8, zero-128, -128
		}
		f, integers := randomIntegers(r, -128, 127, filters, channels, kh, kw), randomIntegers(r, least, least+255, images, channels, h, w)
		wide := trial%12 == 11
		if wide {
			f.I64[r.IntN(len(f.I64))] = 200 // no signed byte
		}
		point := func(v int64) *graph.Tensor { return &graph.Tensor{DType: graph.Int64, Shape: []int{}, I64: []int64{v}} }
		prepared := func() *graph.Graph {
			g := &graph.Graph{Opset: 21, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
				Constants: map[string]*graph.Tensor{"w": {DType: graph.Int64, Shape: f.Shape, I64: slices.Clone(f.I64)}, "zero": point(zero), "none": point(0),
					"scale": graph.Floats([]float32{1})},
				Nodes: []*graph.Node{
					{Op: "QuantizeLinear", Inputs: []string{"x", "scale", "zero"}, Outputs: []string{"q"}, Attributes: map[string]graph.Attribute{"output_dtype": graph.IntAttribute(element)}},
					{Op: "ConvInteger", Inputs: []string{"q", "w", "zero", "none"}, Outputs: []string{"sums"}, Attributes: map[string]graph.Attribute{
						"strides": graph.IntsAttribute(sh, sw), "dilations": graph.IntsAttribute(dh, dw), "pads": graph.IntsAttribute(pads...)}},
					{Op: "Cast", Inputs: []string{"sums"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}}}}
			if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
				t.Fatal(err)
			}
			return g
		}
		what := fmt.Sprintf("trial %d: %v * %v, strides %d, %d, dilations %d, %d, pads %v", trial, integers.Shape, f.Shape, sh, sw, dh, dw, pads)
		program, err := prepared().Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: integers.Shape}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range program.Steps {
			if p, ok := s.Params.(*operator.ConvParams); ok {
				b := &builder{Site: graph.Site{Step: &s, Values: program.Values}, weights: newWeights(1), pool: new(*pool)}
				*b.pool = newPool(1)
				c, err := boundPlanes(b, p, newGeometry(p, b.Shape(0), b.OutShape(0)))
				if want := kernel.GathersBytes() && channels > 1 && channels < 5 && !wide; err != nil || (c != nil) != want {
					t.Errorf("%s: convolved as planes %v, want %v, error %v", what, c != nil, want, err)
				}
				(*b.pool).close()
			}
		}
		run := func(threads, from, to int) []float32 {
			size := channels * h * w
			x := graph.Floats(make([]float32, (to-from)*size), to-from, channels, h, w)
			for i := range x.F32 {
				x.F32[i] = float32(integers.I64[from*size+i] - zero)
			}
			e := New(prepared(), threads)
			defer e.Close()
			out, err := e.Run(t.Context(), []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			return slices.Clone(out[0].F32)
		}
		got, at := run(1, 0, images), 0
		for i := range images {
			for o := range filters {
				for y := range oh {
					for c := range ow {
						var want int64
						for d := range channels {
							for a := range kh {
								for b := range kw {
									iy, ix := y*sh+a*dh-pads[0], c*sw+b*dw-pads[1]
									if iy >= 0 && iy < h && ix >= 0 && ix < w {
										want += (integers.I64[((i*channels+d)*h+iy)*w+ix] - zero) * f.I64[((o*channels+d)*kh+a)*kw+b]
									}
								}
							}
						}
						if got[at] != float32(want) {
							t.Fatalf("%s: image %d, filter %d, pixel %d, %d is %v, want %d", what, i, o, y, c, got[at], want)
						}
						at++
					}
				}
			}
		}
		if !slices.Equal(run(3, 0, images), got) {
			t.Fatalf("%s: three threads give other bits", what)
		}
		i, each := r.IntN(images), len(got)/images
		if !slices.Equal(run(2, i, i+1), got[i*each:(i+1)*each]) {
			t.Fatalf("%s: image %d alone has other bits", what, i)
		}
	}
}
