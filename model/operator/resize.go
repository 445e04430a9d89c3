// Operators that sample images at other points.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

var resizeRows = []Row{
	{Name: "Resize", Since: 11, Types: "f", Note: "without antialiasing", Inputs: between(1, 4), Outputs: 1,
		Attributes: []string{"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"},
		infer:      inferResize},
	{Name: "Upsample", Since: 7, Types: "f", Note: "deprecated since opset 10, as Resize", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"mode", "scales"}, infer: inferUpsample},
	{Name: "GridSample", Since: 16, Types: "f", Note: "of images", Inputs: exactly(2), Outputs: 1,
		Attributes: []string{"align_corners", "mode", "padding_mode"}, infer: inferGridSample},
}

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

// resizer is Resize's attributes.
type resizer struct {
	mode, coordinates, nearest string
	a                          float32 // of the cubic kernel
	excludeOutside             bool
}

func inferResize(c *context) {
	s := c.shape(0)
	c.want(0, graph.Float32)
	r := c.resizer()
	axes, ok := c.integers("axes")
	if !ok {
		for i := range s {
			axes = append(axes, i)
		}
	}
	axes = c.axes(axes, len(s))
	region, scales := c.vector(1), c.vector(2)
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
	shape := c.resizedShape(axes, scales, sizes)
	p := &ResizeParams{Axes: make([]ResizeAxis, len(s)), Outside: c.float("extrapolation_value", 0)}
	blended := 0
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
		if p.Axes[a].Count > 1 {
			blended++
		}
	}
	if blended > 3 {
		c.unsupported("resizing %d axes in mode %s; at most 3 are supported", blended, r.mode)
	}
	c.Params = p
	c.emit(graph.Float32, shape...)
}

// resizer reads Resize's attributes.
func (c *context) resizer() resizer {
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
		{"coordinate_transformation_mode", r.coordinates, []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
			"align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"}},
		{"nearest_mode", r.nearest, []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}},
	} {
		if !slices.Contains(o.known, o.value) {
			c.unsupported("%s is %q, want one of %q", o.name, o.value, o.known)
		}
	}
	if c.Opset < 11 && len(c.Node.Inputs) < 3 { // the scales were the second input
		c.unsupported("Resize is implemented from opset 11 on")
	}
	return r
}

// inferUpsample is the Resize that scales coordinates alone and takes the nearest pixel before each point, or mixes linearly.
func inferUpsample(c *context) {
	l := c.lower()
	text := func(v string) graph.Attribute { return graph.Attribute{Kind: graph.AttributeString, String: v} }
	scales := ""
	if a, ok := c.attribute("scales", graph.AttributeFloats); ok {
		scales = l.constant(graph.Floats(a.Floats, len(a.Floats)))
	} else if c.has(1) {
		scales = c.Node.Inputs[1]
	}
	l.finish(l.add("Resize", map[string]graph.Attribute{"mode": text(c.text("mode", "nearest")), "nearest_mode": text("floor"),
		"coordinate_transformation_mode": text("asymmetric")}, c.Node.Inputs[0], "", scales))
}

// vector is input i, a vector of floats that must be known; nil if it is absent or empty.
func (c *context) vector(i int) []float32 {
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

// resizedShape is the output's shape: the sizes or, without these, the scaled ones.
func (c *context) resizedShape(axes []int, scales []float32, sizes []int) []int {
	s := c.shape(0)
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
	return shape
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
			index[0], weight[0] = inside(r.nearestTo(float64(x))), 1
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

// nearestTo is the pixel that counts as nearest to a point.
func (r *resizer) nearestTo(v float64) float64 {
	floor := math.Floor(v)
	fraction := v - floor
	switch {
	case r.nearest == "ceil":
		return math.Ceil(v)
	case r.nearest == "round_prefer_floor" && fraction > 0.5, r.nearest == "round_prefer_ceil" && fraction >= 0.5:
		return floor + 1
	}
	return floor
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
