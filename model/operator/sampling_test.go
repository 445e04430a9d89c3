// Points of images against literal loops in float64, for odd shapes.

package operator_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// noise is random numbers of a shape.
func noise(random *rand.Rand, scale float64, shape ...int) *graph.Tensor {
	x := floats(shape...)
	for i := range x.F32 {
		x.F32[i] = float32(scale * random.NormFloat64())
	}
	return x
}

// close reports whether all elements are nearly the same.
func nearly(got []float32, want []float64) bool {
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-4*(1+math.Abs(w)) {
			return false
		}
	}
	return len(got) == len(want)
}

// TestDeformConv adds up the image at the moved points of the kernel, mixed from the pixels inside.
func TestDeformConv(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 13))
	for range 40 {
		groups, apart := 1+random.IntN(2), 1+random.IntN(2)
		n, channels, filters := 1+random.IntN(2), groups*apart*(1+random.IntN(2)), groups*(1+random.IntN(2))
		var size, kernel, stride, dilation, before, after, out [2]int
		for i := range 2 {
			kernel[i], stride[i], dilation[i], before[i], after[i] = 1+random.IntN(3), 1+random.IntN(2), 1+random.IntN(2), random.IntN(3), random.IntN(3)
			size[i] = (kernel[i]-1)*dilation[i] + 1 + random.IntN(4)
			out[i] = (size[i]+before[i]+after[i]-(kernel[i]-1)*dilation[i]-1)/stride[i] + 1
		}
		taps := kernel[0] * kernel[1]
		x, w := noise(random, 1, n, channels, size[0], size[1]), noise(random, 1, filters, channels/groups, kernel[0], kernel[1])
		offset := noise(random, 2, n, 2*apart*taps, out[0], out[1])
		var bias, mask *graph.Tensor
		if random.IntN(2) == 0 {
			bias = noise(random, 1, filters)
		}
		if random.IntN(2) == 0 {
			mask = noise(random, 1, n, apart*taps, out[0], out[1])
		}
		list := func(v ...int) graph.Attribute { return graph.IntsAttribute(v...) }
		got := evaluate(t, false, "DeformConv", map[string]graph.Attribute{"group": integer(int64(groups)), "offset_group": integer(int64(apart)),
			"strides": list(stride[0], stride[1]), "dilations": list(dilation[0], dilation[1]), "pads": list(before[0], before[1], after[0], after[1])}, x, w, offset, bias, mask)
		var want []float64
		for i := range n * filters * out[0] * out[1] {
			position := graph.Position([]int{n, filters, out[0], out[1]}, i)
			sum := 0.0
			if bias != nil {
				sum = float64(bias.F32[position[1]])
			}
			for c := range channels / groups {
				channel := position[1]/(filters/groups)*(channels/groups) + c
				for k := range taps {
					slot := channel/(channels/apart)*taps + k
					place := func(plane, planes int, a *graph.Tensor) float64 {
						return float64(a.F32[((position[0]*planes+plane)*out[0]+position[2])*out[1]+position[3]])
					}
					y := float64(position[2]*stride[0]-before[0]+k/kernel[1]*dilation[0]) + place(2*slot, 2*apart*taps, offset)
					z := float64(position[3]*stride[1]-before[1]+k%kernel[1]*dilation[1]) + place(2*slot+1, 2*apart*taps, offset)
					v := 0.0
					for _, p := range [][2]float64{{math.Floor(y), math.Floor(z)}, {math.Floor(y), math.Floor(z) + 1}, {math.Floor(y) + 1, math.Floor(z)}, {math.Floor(y) + 1, math.Floor(z) + 1}} {
						if p[0] >= 0 && p[0] < float64(size[0]) && p[1] >= 0 && p[1] < float64(size[1]) {
							v += (1 - math.Abs(y-p[0])) * (1 - math.Abs(z-p[1])) * float64(x.F32[((position[0]*channels+channel)*size[0]+int(p[0]))*size[1]+int(p[1])])
						}
					}
					if mask != nil {
						v *= place(slot, apart*taps, mask)
					}
					sum += v * float64(w.F32[(position[1]*(channels/groups)+c)*taps+k])
				}
			}
			want = append(want, sum)
		}
		if !nearly(got.F32, want) {
			t.Fatalf("input %v, weights %v, strides %v, dilations %v, pads %v %v, %d and %d groups: got %v, want %v", x.Shape, w.Shape, stride, dilation, before, after, groups, apart, got.F32, want)
		}
	}
}

// TestRoiAlign takes the mean or the maximum of the points in each bin of boxes, also of those that are empty or
// beyond the image.
func TestRoiAlign(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(17, 19))
	for range 60 {
		n, channels, size := 1+random.IntN(2), 1+random.IntN(3), [2]int{1 + random.IntN(7), 1 + random.IntN(7)}
		bins, ratio, count, scale := [2]int{1 + random.IntN(3), 1 + random.IntN(3)}, random.IntN(4), 1+random.IntN(3), 0.25+random.Float32()
		greatest, aligned := random.IntN(2) == 0, random.IntN(2) == 0
		x, boxes, index := noise(random, 1, n, channels, size[0], size[1]), noise(random, 5, count, 4), integers(count)
		for i := range index.I64 {
			index.I64[i] = int64(random.IntN(n))
		}
		attributes := map[string]graph.Attribute{"output_height": integer(int64(bins[0])), "output_width": integer(int64(bins[1])), "sampling_ratio": integer(int64(ratio)),
			"spatial_scale": {Kind: graph.AttributeFloat, Float: scale}}
		if greatest {
			attributes["mode"] = graph.Attribute{Kind: graph.AttributeString, String: "max"}
		}
		if !aligned {
			attributes["coordinate_transformation_mode"] = graph.Attribute{Kind: graph.AttributeString, String: "output_half_pixel"}
		}
		got := evaluate(t, ratio == 0, "RoiAlign", attributes, x, boxes, index)
		var want []float64
		for i := range count * channels * bins[0] * bins[1] {
			position := graph.Position([]int{count, channels, bins[0], bins[1]}, i)
			image := x.F32[(int(index.I64[position[0]])*channels+position[1])*size[0]*size[1]:][:size[0]*size[1]]
			var points [2][]float64
			for a := range 2 {
				half := float32(0)
				if aligned {
					half = 0.5
				}
				start, end := boxes.F32[4*position[0]+1-a]*scale-half, boxes.F32[4*position[0]+3-a]*scale-half
				length := end - start
				if !aligned {
					length = max(length, 1)
				}
				bin := length / float32(bins[a])
				each := ratio
				if ratio == 0 {
					each = int(max(math.Ceil(float64(bin)), 0))
				}
				for k := range each {
					points[a] = append(points[a], float64(start+float32(position[2+a])*bin+(float32(k)+0.5)*bin/float32(each)))
				}
			}
			sum, top := 0.0, math.Inf(-1)
			for _, y := range points[0] {
				for _, z := range points[1] {
					values := []float64{0, 0, 0, 0}
					if y >= -1 && y <= float64(size[0]) && z >= -1 && z <= float64(size[1]) {
						y, z := min(max(y, 0), float64(size[0]-1)), min(max(z, 0), float64(size[1]-1))
						for k := range values {
							p, q := min(int(y)+k/2, size[0]-1), min(int(z)+k%2, size[1]-1)
							wy, wz := math.Abs(float64(1-k/2)-(y-math.Floor(y))), math.Abs(float64(1-k%2)-(z-math.Floor(z)))
							values[k] = wy * wz * float64(image[p*size[1]+q])
						}
					}
					sum += values[0] + values[1] + values[2] + values[3]
					top = max(top, values[0], values[1], values[2], values[3])
				}
			}
			switch all := len(points[0]) * len(points[1]); {
			case all == 0:
				sum = 0
			case greatest:
				sum = top
			default:
				sum /= float64(all)
			}
			want = append(want, sum)
		}
		if !nearly(got.F32, want) {
			t.Fatalf("input %v, boxes %v, %v bins of %d points, scale %g, greatest %t, aligned %t: got %v, want %v", x.Shape, boxes.F32, bins, ratio, scale, greatest, aligned, got.F32, want)
		}
	}
}

func TestSamplingErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op         string
		x          *graph.Tensor
		attributes map[string]graph.Attribute
		constants  []*graph.Tensor
		want       string
	}{
		{"RoiAlign", floats(1, 2, 5, 5), nil, []*graph.Tensor{floats(2, 4), integers(2)}, ""},
		{"RoiAlign", floats(1, 2, 5), nil, []*graph.Tensor{floats(2, 4), integers(2)}, "want [N, C, H, W], [R, 4] and [R]"},
		{"RoiAlign", floats(1, 2, 5, 5), map[string]graph.Attribute{"output_height": integer(0)}, []*graph.Tensor{floats(2, 4), integers(2)}, "0 × 1 bins"},
		{"RoiAlign", floats(1, 2, 5, 5), nil, []*graph.Tensor{graph.Floats([]float32{0, 0, 9999, 9}, 1, 4), integers(1)}, "box 0 has 9999 points in a bin, want at most 1024"},
		{"DeformConv", floats(1, 2, 5, 5), nil, []*graph.Tensor{floats(3, 2, 3, 3), floats(1, 18, 3, 3)}, ""},
		{"DeformConv", floats(1, 2, 5, 5), nil, []*graph.Tensor{floats(3, 2, 3, 3), floats(1, 9, 3, 3)}, "offsets [1 9 3 3], want [1 18 3 3]"},
		{"DeformConv", floats(1, 2, 5, 5), map[string]graph.Attribute{"strides": graph.IntsAttribute(0, 1)}, []*graph.Tensor{floats(3, 2, 3, 3), floats(1, 18, 3, 3)}, "attribute strides is [0 1]"},
		{"DeformConv", floats(1, 2, 2, 2), nil, []*graph.Tensor{floats(3, 2, 3, 3), floats(1, 18, 3, 3)}, "a kernel of [3 3] does not fit"},
		{"DeformConv", floats(1, 2, 5, 5), nil, []*graph.Tensor{floats(3, 2, 3, 3), floats(1, 18, 3, 3), floats(3), floats(1, 2, 3, 3)}, "mask [1 2 3 3], want [1 9 3 3]"},
		{"DeformConv", floats(1, 2, 5), nil, []*graph.Tensor{floats(3, 2, 3, 3), floats(1, 18, 3, 3)}, "images are supported"},
	} {
		_, err := bind(c.op, "", c.x, c.attributes, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.op, err, c.want)
		}
	}
}

// TestDeformConvMemory: of a large image no more is kept than three times the largest value, however many elements
// the kernel has.
func TestDeformConvMemory(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	shape := []int{2, 32, 56, 56}
	g := &graph.Graph{Opset: 19, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": noise(random, 1, 32, 32, 3, 3), "o": noise(random, 0.1, 18, 32, 3, 3)},
		Nodes: []*graph.Node{
			{Op: "Relu", Inputs: []string{"x"}, Outputs: []string{"r"}},
			{Op: "Conv", Inputs: []string{"r", "o"}, Outputs: []string{"offset"}, Attributes: map[string]graph.Attribute{"pads": graph.IntsAttribute(1, 1, 1, 1)}},
			{Op: "DeformConv", Inputs: []string{"r", "w", "offset"}, Outputs: []string{"d"}, Attributes: map[string]graph.Attribute{"pads": graph.IntsAttribute(1, 1, 1, 1)}},
			{Op: "Relu", Inputs: []string{"d"}, Outputs: []string{"y"}},
		}}
	if err := g.Prepare(fuse.ProcessorRules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: shape}}})
	if err != nil {
		t.Fatal(err)
	}
	size := p.Plan().Size
	bytes, limit := 4*size[graph.Float32]+8*size[graph.Int64]+size[graph.Bool], 3*4*graph.Count(shape)
	if bytes > limit {
		t.Errorf("%d bytes in %d steps, want at most %d", bytes, len(p.Steps), limit)
	}
	t.Logf("%d bytes in %d steps, at most %d", bytes, len(p.Steps), limit)
}
