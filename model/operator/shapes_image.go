// Operators that change the resolution of images: Resize, ConvTranspose, DepthToSpace, SpaceToDepth.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

// ResizeParams says which input elements make up each output element, axis by
// axis; axes that stay as they are have no taps.
type ResizeParams struct {
	Axes []ResizeAxis
	// Outside is the value of output elements that lie outside the input (tf_crop_and_resize).
	Outside float32
}

// ResizeAxis gives output index i of one axis Count taps: input elements
// Index[i·Count+t] with weights Weight[i·Count+t]. Index −1: outside the input.
type ResizeAxis struct {
	Count  int
	Index  []int32
	Weight []float32
}

func init() {
	spatial := []string{"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"}
	register(
		&Row{Name: "Resize", Inputs: [2]int{1, 4}, Outputs: 1, infer: inferResize, Attributes: []string{"antialias", "axes",
			"coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"}},
		&Row{Name: "ConvTranspose", Inputs: [2]int{2, 3}, Outputs: 1, NoFold: true, Attributes: spatial, infer: inferConvTranspose},
		&Row{Name: "GridSample", Inputs: [2]int{2, 2}, Outputs: 1, Attributes: []string{"align_corners", "mode", "padding_mode"}, infer: inferGridSample},
		&Row{Name: "DepthToSpace", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"blocksize", "mode"}, infer: inferDepthToSpace},
		&Row{Name: "SpaceToDepth", Inputs: [2]int{1, 1}, Outputs: 1, Attributes: []string{"blocksize"}, infer: inferDepthToSpace},
	)
}

// resizer is Resize's attributes.
type resizer struct {
	mode, coordinates, nearest string
	a                          float32 // of the cubic kernel
	excludeOutside             bool
}

func inferResize(c *context) {
	s := c.shape(0)
	c.want(0, graph.Float32)
	r := resizer{mode: c.text("mode", "nearest"), coordinates: c.text("coordinate_transformation_mode", "half_pixel"),
		nearest: c.text("nearest_mode", "round_prefer_floor"), a: c.float("cubic_coeff_a", -0.75), excludeOutside: c.flag("exclude_outside", false)}
	if c.flag("antialias", false) {
		c.unsupported("antialiasing is not supported; resize without it, or before the export")
	}
	for _, o := range []struct {
		name, value string
		known       []string
	}{
		{"mode", r.mode, []string{"nearest", "linear", "cubic"}},
		{"coordinate_transformation_mode", r.coordinates, []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"}},
		{"nearest_mode", r.nearest, []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}},
	} {
		if !slices.Contains(o.known, o.value) {
			c.unsupported("%s is %q, want one of %q", o.name, o.value, o.known)
		}
	}
	if c.Opset < 11 {
		c.unsupported("Resize is implemented from opset 11 on")
	}
	axes, ok := c.integers("axes")
	if !ok {
		for i := range s {
			axes = append(axes, i)
		}
	}
	axes = c.axes(axes, len(s))
	floats := func(i int) []float32 {
		if !c.has(i) || graph.Count(c.shape(i)) == 0 {
			return nil
		}
		t := c.In[i].Const
		if t == nil {
			c.unsupported("input %d must be a constant or follow from the input's shape", i)
		}
		if t.DType != graph.Float32 || len(t.Shape) != 1 {
			c.failf("input %d is %v %v, want a float32 vector", i, t.DType, t.Shape)
		}
		return t.F32
	}
	region, scales := floats(1), floats(2)
	var sizes []int
	if c.has(3) && graph.Count(c.shape(3)) > 0 {
		sizes, _ = c.constants(3)
	}
	if (len(scales) == 0) == (len(sizes) == 0) || max(len(scales), len(sizes)) != len(axes) {
		c.failf("%d scales and %d sizes for %d axes; want either scales or sizes", len(scales), len(sizes), len(axes))
	}
	crop := r.coordinates == "tf_crop_and_resize"
	if crop && len(region) != 2*len(axes) {
		c.failf("a region of %d numbers for %d axes", len(region), len(axes))
	}
	if len(sizes) > 0 {
		scales, sizes = c.resizeScales(s, axes, sizes)
	}
	p := &ResizeParams{Axes: make([]ResizeAxis, len(s)), Outside: c.float("extrapolation_value", 0)}
	shape := slices.Clone(s)
	for i, a := range axes {
		scale := scales[i]
		if !(scale > 0) || float64(scale)*float64(s[a]) > graph.MaxElements {
			c.failf("scale %g for axis %d of %v", scale, a, s)
		}
		if len(sizes) > 0 {
			shape[a] = sizes[i]
		} else {
			shape[a] = int(math.Floor(float64(float32(s[a]) * scale)))
		}
		if s[a] == 0 && shape[a] > 0 {
			c.failf("cannot resize the empty shape %v", s)
		}
	}
	if _, err := graph.Elements(shape); err != nil {
		c.failf("%w", err)
	}
	for i, a := range axes {
		start, end := float32(0), float32(1)
		if crop {
			start, end = region[i], region[len(axes)+i]
		}
		if scales[i] == 1 && shape[a] == s[a] && start == 0 && end == 1 && r.coordinates != "tf_half_pixel_for_nn" {
			continue // every coordinate is its own
		}
		if shape[a] > 1<<24 {
			c.failf("axis %d of %v becomes %d elements long", a, s, shape[a])
		}
		// The standard's length of the output, which need not be whole: it is
		// this one, not the rounded one, that align_corners divides by.
		length := float32(s[a]) * scales[i]
		if math.Round(float64(length)) == float64(shape[a]) && len(sizes) > 0 {
			length = float32(shape[a])
		}
		p.Axes[a] = r.taps(s[a], shape[a], length, scales[i], start, end)
	}
	blended := 0
	for _, axis := range p.Axes {
		if axis.Count > 1 {
			blended++
		}
	}
	if blended > 3 {
		c.unsupported("resizing %d axes in mode %s; at most 3 are supported", blended, r.mode)
	}
	c.Params = p
	c.emit(graph.Float32, shape...)
}

// resizeScales turns sizes into scales, and the sizes into those that keep the aspect ratio if that is asked for.
func (c *context) resizeScales(s, axes, sizes []int) ([]float32, []int) {
	scales := make([]float32, len(sizes))
	for i, a := range axes {
		if sizes[i] < 0 || sizes[i] > graph.MaxElements || s[a] == 0 && sizes[i] > 0 {
			c.failf("sizes %v for shape %v", sizes, s)
		}
		scales[i] = float32(sizes[i]) / float32(max(s[a], 1))
	}
	policy := c.text("keep_aspect_ratio_policy", "stretch")
	if policy == "stretch" {
		return scales, sizes
	}
	common := slices.Min(scales)
	switch policy {
	case "not_larger":
	case "not_smaller":
		common = slices.Max(scales)
	default:
		c.unsupported("keep_aspect_ratio_policy is %q, want stretch, not_larger or not_smaller", policy)
	}
	sizes = slices.Clone(sizes)
	for i, a := range axes {
		scales[i] = common
		sizes[i] = int(math.Floor(float64(common*float32(s[a])) + 0.5))
	}
	return scales, sizes
}

// taps computes an axis' input elements and weights. Coordinates are float32, rounded after each operation,
// as in other runtimes: which of two neighbours is nearest may hang on the last bit.
func (r *resizer) taps(in, out int, length, scale, start, end float32) ResizeAxis {
	axis := ResizeAxis{Count: map[string]int{"nearest": 1, "linear": 2, "cubic": 4}[r.mode]}
	axis.Index, axis.Weight = make([]int32, out*axis.Count), make([]float32, out*axis.Count)
	for i := range out {
		x := r.coordinate(float32(i), in, out, length, scale, start, end)
		index, weight := axis.Index[i*axis.Count:(i+1)*axis.Count], axis.Weight[i*axis.Count:(i+1)*axis.Count]
		if r.coordinates == "tf_crop_and_resize" && (x < 0 || x > float32(in-1)) {
			for t := range index {
				index[t] = -1
			}
			continue
		}
		inside := func(v float64) int32 { return int32(min(max(v, 0), float64(in-1))) }
		floor := math.Floor(float64(x))
		switch r.mode {
		case "nearest":
			v := float64(x)
			fraction := v - floor
			switch r.nearest {
			case "round_prefer_floor":
				v = floor
				if fraction > 0.5 {
					v++
				}
			case "round_prefer_ceil":
				v = floor
				if fraction >= 0.5 {
					v++
				}
			case "floor":
				v = floor
			case "ceil":
				v = math.Ceil(v)
			}
			index[0], weight[0] = inside(v), 1
		case "linear":
			x = min(max(x, 0), float32(in-1))
			floor = math.Floor(float64(x))
			index[0], index[1] = inside(floor), inside(floor+1)
			weight[1] = x - float32(floor)
			weight[0] = 1 - weight[1]
		case "cubic":
			Cubic(weight, x-float32(floor), r.a)
			sum := float32(0)
			for t := range 4 {
				at := floor + float64(t) - 1
				if r.excludeOutside && (at < 0 || at > float64(in-1)) {
					weight[t] = 0
				}
				index[t] = inside(at)
				sum += weight[t]
			}
			if r.excludeOutside {
				for t := range weight {
					weight[t] /= sum
				}
			}
		}
	}
	return axis
}

// coordinate is the place in the input that output element x shows.
func (r *resizer) coordinate(x float32, in, out int, length, scale, start, end float32) float32 {
	n := float32(in)
	half := float32((x+0.5)/scale) - 0.5
	switch r.coordinates {
	case "half_pixel_symmetric":
		// Equal margins on both sides if the output's size was rounded.
		adjustment := float32(out) / float32(scale*n)
		offset := float32(n/2) * (1 - adjustment)
		return offset + half
	case "pytorch_half_pixel":
		if out <= 1 {
			return 0
		}
		return half
	case "tf_half_pixel_for_nn":
		return (x + 0.5) / scale
	case "asymmetric":
		return x / scale
	case "align_corners":
		if out <= 1 {
			return 0
		}
		return float32(x*(n-1)) / (length - 1)
	case "tf_crop_and_resize":
		if out <= 1 {
			return float32(0.5*float32(start+end)) * (n - 1)
		}
		return float32(start*(n-1)) + float32(float32(x*(end-start))*(n-1))/(length-1)
	}
	return half
}

// Cubic sets the weights of the four neighbours (R. Keys, 1981) of a point d after the second one; slope is Keys' a.
func Cubic(weight []float32, d, slope float32) {
	a, x := float64(slope), float64(d)
	near := func(x float64) float64 { return ((a+2)*x-(a+3))*x*x + 1 }
	far := func(x float64) float64 { return ((a*x-5*a)*x+8*a)*x - 4*a }
	weight[0], weight[1], weight[2], weight[3] = float32(far(x+1)), float32(near(x)), float32(near(1-x)), float32(far(2-x))
}

func inferConvTranspose(c *context) {
	x, w := c.shape(0), c.shape(1)
	for i := range 3 {
		c.want(i, graph.Float32)
	}
	switch {
	case len(x) < 3 || len(x) != len(w):
		c.failf("input %v and weights %v", x, w)
	case len(x) > 5:
		c.unsupported("%d spatial axes", len(x)-2)
	}
	n := len(x) - 2
	p := &ConvParams{Group: c.integer("group", 1), Kernel: slices.Clone(w[2:])}
	switch {
	case p.Group < 1 || w[0]%p.Group != 0:
		c.failf("group %d for %d input channels", p.Group, w[0])
	case w[0] != x[1]:
		c.failf("input %v has %d channels, weights %v want %d", x, x[1], w, w[0])
	case p.Group > graph.MaxElements || c.has(2) && !slices.Equal(c.shape(2), []int{w[1] * p.Group}):
		c.failf("bias %v, want [%d]", c.shape(2), w[1]*p.Group)
	}
	if k, ok := c.integers("kernel_shape"); ok && !slices.Equal(k, p.Kernel) {
		c.failf("kernel_shape %v, weights %v", k, w)
	}
	list := func(name string, count, otherwise, least int) []int {
		v, ok := c.integers(name)
		if !ok {
			return slices.Repeat([]int{otherwise}, count)
		}
		if len(v) != count || slices.ContainsFunc(v, func(d int) bool { return d < least || d > 1<<20 }) {
			c.failf("%s %v for %d spatial axes", name, v, n)
		}
		return v
	}
	p.Strides, p.Dilations = list("strides", n, 1, 1), list("dilations", n, 1, 1)
	extra, pads := list("output_padding", n, 0, 0), list("pads", 2*n, 0, 0)
	want, given := c.integers("output_shape")
	if given && len(want) == n+2 {
		want = want[2:] // some exporters state the whole shape
	}
	if given && len(want) != n {
		c.failf("output_shape %v for %d spatial axes", want, n)
	}
	mode := c.text("auto_pad", "NOTSET")
	shape := []int{x[0], w[1] * p.Group}
	p.Before, p.After = make([]int, n), make([]int, n)
	for i := range n {
		if x[2+i] == 0 || p.Kernel[i] == 0 || p.Kernel[i] > 1<<20 {
			c.failf("input %v and weights %v", x, w)
		}
		full := p.Strides[i]*(x[2+i]-1) + extra[i] + (p.Kernel[i]-1)*p.Dilations[i] + 1
		size := full - pads[i] - pads[n+i]
		switch mode {
		case "NOTSET":
			p.Before[i], p.After[i] = pads[i], pads[n+i]
		case "VALID":
			size = full
		case "SAME_UPPER", "SAME_LOWER":
			size = x[2+i] * p.Strides[i]
		default:
			c.failf("auto_pad is %q", mode)
		}
		if given {
			size = want[i]
		}
		if given || mode == "SAME_UPPER" || mode == "SAME_LOWER" {
			// What is too much is cut off: at SAME_UPPER more at the end.
			total := max(0, full-size)
			p.Before[i], p.After[i] = total-total/2, total/2
			if mode == "SAME_UPPER" {
				p.Before[i], p.After[i] = total/2, total-total/2
			}
		}
		if size < 0 {
			c.failf("padding %v leaves nothing of the output", pads)
		}
		shape = append(shape, size)
	}
	c.Params = p
	c.emit(graph.Float32, shape...)
}

// GridSampleParams says how values between pixels and outside the image are made.
type GridSampleParams struct {
	Mode         string // "nearest", "linear" or "cubic"
	Padding      string // "zeros", "border" or "reflection"
	AlignCorners bool
}

func inferGridSample(c *context) {
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	x, grid := c.shape(0), c.shape(1)
	if len(x) == 5 {
		c.unsupported("volumes")
	}
	if len(x) != 4 || len(grid) != 4 || grid[0] != x[0] || grid[3] != 2 || x[2]*x[3] == 0 {
		c.failf("input %v and grid %v, want [N, C, H, W] and [N, H', W', 2]", x, grid)
	}
	p := GridSampleParams{Padding: c.text("padding_mode", "zeros"), AlignCorners: c.flag("align_corners", false)}
	modes := map[string]string{"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic", "bicubic": "cubic"}
	mode := c.text("mode", "linear")
	if p.Mode = modes[mode]; p.Mode == "" || !slices.Contains([]string{"zeros", "border", "reflection"}, p.Padding) {
		c.failf("mode %q and padding_mode %q", mode, p.Padding)
	}
	c.Params = p
	c.emit(graph.Float32, x[0], x[1], grid[1], grid[2])
}

// inferDepthToSpace moves blocks of channels into space, or back: a reshaping, a transposition and another reshaping.
func inferDepthToSpace(c *context) {
	s := c.shape(0)
	b := c.integer("blocksize", 0)
	if len(s) != 4 || b < 1 || b > 1<<20 {
		c.failf("input %v with blocks of %d", s, b)
	}
	l := c.lower()
	x := c.Node.Inputs[0]
	var shape []int
	if c.Node.Op == "SpaceToDepth" {
		if s[2]%b != 0 || s[3]%b != 0 {
			c.failf("input %v with blocks of %d", s, b)
		}
		shape = []int{s[0], s[1] * b * b, s[2] / b, s[3] / b}
		x = l.transpose(l.reshape(x, []int{s[0], s[1], s[2] / b, b, s[3] / b, b}), []int{0, 3, 5, 1, 2, 4})
	} else {
		if s[1]%(b*b) != 0 {
			c.failf("input %v with blocks of %d", s, b)
		}
		depth := s[1] / (b * b)
		shape = []int{s[0], depth, s[2] * b, s[3] * b}
		switch mode := c.text("mode", "DCR"); mode {
		case "DCR":
			x = l.transpose(l.reshape(x, []int{s[0], b, b, depth, s[2], s[3]}), []int{0, 3, 4, 1, 5, 2})
		case "CRD":
			x = l.transpose(l.reshape(x, []int{s[0], depth, b, b, s[2], s[3]}), []int{0, 1, 4, 2, 5, 3})
		default:
			c.failf("mode is %q, want DCR or CRD", mode)
		}
	}
	l.finish(l.reshape(x, shape))
	c.emit(c.In[0].DType, shape...)
}
