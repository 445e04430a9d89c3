// Operators that sample images at other points.

package operator

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"repscope/model/graph"
)

var resizeRows = []tableRow{
	{Name: "Resize", Since: 11, Types: "f", Note: "also integers of at most 16 bits in modes nearest and linear",
		Inputs: between(1, 4), Outputs: 1,
		Attributes: []string{"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"},
		infer:      inferResize},
	{Name: "Upsample", Since: 7, Types: "f", Note: "deprecated since opset 10, as Resize", Inputs: between(1, 2), Outputs: 1,
		Attributes: []string{"mode", "scales"}, infer: inferUpsample},
	{Name: "Resize", Domain: own, Inputs: exactly(1), Outputs: 1, Attributes: []string{"axis", "index", "length", "outside", "weight"},
		infer: inferResizeAxis},
	{Name: "GridSample", Since: 16, Types: "f", Note: "cubic only for images", Inputs: exactly(2), Outputs: 1,
		Attributes: []string{"align_corners", "mode", "padding_mode"}, infer: inferGridSample},
	{Name: "AffineGrid", Since: 20, Types: "f", Inputs: exactly(2), Outputs: 1, Attributes: []string{"align_corners"}, infer: inferAffineGrid},
}

// ResizeParams lists the input elements of each output element, axis by axis; unchanged axes have no taps.
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
	excludeOutside, antialias  bool
}

func inferResize(c *context) {
	s := c.shape(0)
	c.want(0, graph.Float32, graph.Int64)
	r := c.resizer()
	if c.In[0].DType == graph.Int64 {
		c.resizeIntegers(r)
		return
	}
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
	stays := slices.Equal(shape, s)
	if stays && !crop && r.copies() {
		c.lower().finish(c.Node.Inputs[0])
		return
	}
	p := &ResizeParams{Axes: make([]ResizeAxis, len(s)), Outside: c.float("extrapolation_value", 0)}
	blended := 0
	for i, a := range axes {
		start, end := float32(0), float32(1)
		if crop {
			start, end = region[i], region[len(axes)+i]
		}
		if whole := start == 0 && end == 1; (scales[i] == 1 || stays) && !whole {
			c.unsupported("%s of a part of axis %d, from %g to %g, to its own %d elements: ONNX Runtime uses the whole axis", r.coordinates, a, start, end, s[a])
		} else if shape[a] == s[a] && (scales[i] == 1 || r.antialias && !crop) {
			continue // every coordinate is its own, or with antialiasing counts as such
		}
		if shape[a] > 1<<24 || r.antialias && s[a] > 1<<24 {
			c.failf("axis %d of %v becomes %d elements long", a, s, shape[a])
		}
		p.Axes[a] = r.taps(s[a], shape[a], scales[i], start, end)
		if p.Axes[a].Count > 1 {
			blended++
		}
	}
	if r.antialias && blended > 1 {
		c.resizeApart(p, shape)
		return
	}
	if blended > 3 {
		c.unsupported("resizing %d axes in mode %s; at most 3 are supported", blended, r.mode)
	}
	c.Params = p
	c.emit(graph.Float32, shape...)
}

// resizeIntegers is Resize of numbers, cut to integers as ONNX Runtime does. Files of quantized models have it.
func (c *context) resizeIntegers(r resizer) {
	t := c.In[0].Type
	if bits := t.Bits; !t.Narrow() || max(bits, -bits) > 16 || r.mode == "cubic" || r.antialias {
		c.unsupported("Resize of %s in mode %s: cast to float before and back after it", t.Element(), r.mode)
	}
	l, in := c.lower(), slices.Clone(c.Node.Inputs)
	in[0] = l.add("Cast", integersToFloat(), in[0])
	y := l.add("Resize", c.Node.Attributes, in...)
	l.finish(l.add("Cast", castTo(graph.IntegerElement(t.Bits)), y))
}

// copies reports whether an image whose size stays is copied although its scales are not 1, as 1.3 of 3 pixels. ONNX
// Runtime always does; PyTorch's cubic modes and "nearest-exact" scale the coordinates, as the standard does, which is
// followed.
func (r *resizer) copies() bool {
	return r.mode == "linear" || r.mode == "nearest" &&
		!(r.nearest == "round_prefer_floor" && strings.HasSuffix(r.coordinates, "half_pixel"))
}

// resizeApart resizes one axis after the other, the most reduced one first: the many taps of antialiasing would
// multiply.
func (c *context) resizeApart(p *ResizeParams, shape []int) {
	s := c.shape(0)
	var axes []int
	for a := range p.Axes {
		if p.Axes[a].Count > 0 {
			axes = append(axes, a)
		}
	}
	// Kernels are slower along the last axis, whose elements are neighbors.
	growth := func(a int) float64 {
		ratio := float64(shape[a]) / float64(s[a])
		if a == len(s)-1 {
			ratio *= 4
		}
		return ratio
	}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(growth(a), growth(b)) })
	l, x := c.lower(), c.Node.Inputs[0]
	for _, a := range axes {
		index := graph.Attribute{Kind: graph.AttributeInts}
		for _, i := range p.Axes[a].Index {
			index.Ints = append(index.Ints, int64(i))
		}
		x = l.add("Resize", map[string]graph.Attribute{"axis": graph.IntAttribute(a), "length": graph.IntAttribute(shape[a]), "index": index,
			"weight":  {Kind: graph.AttributeFloats, Floats: p.Axes[a].Weight},
			"outside": {Kind: graph.AttributeFloat, Float: p.Outside}}, x)
		l.Nodes[len(l.Nodes)-1].Domain = own
	}
	l.finish(x)
}

// inferResizeAxis is a Resize of one axis whose taps are known.
func inferResizeAxis(c *context) {
	shape, a := slices.Clone(c.shape(0)), c.integer("axis", 0)
	shape[a] = c.integer("length", 0)
	p := &ResizeParams{Axes: make([]ResizeAxis, len(shape)), Outside: c.float("outside", 0)}
	axis := &p.Axes[a]
	for _, i := range c.Node.Attributes["index"].Ints {
		axis.Index = append(axis.Index, int32(i))
	}
	axis.Weight = c.Node.Attributes["weight"].Floats
	axis.Count = len(axis.Index) / max(shape[a], 1)
	c.Params = p
	c.emit(graph.Float32, shape...)
}

// resizer reads Resize's attributes.
func (c *context) resizer() resizer {
	r := resizer{mode: c.text("mode", "nearest"), coordinates: c.text("coordinate_transformation_mode", "half_pixel"),
		nearest: c.text("nearest_mode", "round_prefer_floor"), a: c.float("cubic_coeff_a", -0.75),
		excludeOutside: c.flag("exclude_outside", false)}
	r.antialias = c.flag("antialias", false) && r.mode != "nearest"
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
		c.unsupported("Resize is implemented since opset 11")
	}
	return r
}

// inferUpsample is the Resize that scales coordinates alone and takes the nearest pixel before each point, or mixes
// linearly.
func inferUpsample(c *context) {
	c.want(0, graph.Float32)
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
	t := c.known(i, "")
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

// resizeScales turns sizes into scales, and adjusts the sizes to keep the aspect ratio if requested.
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
// as in other runtimes: which of two neighbors is nearest may hang on the last bit.
func (r *resizer) taps(in, out int, scale, start, end float32) ResizeAxis {
	axis := ResizeAxis{Count: map[string]int{"nearest": 1, "linear": 2, "cubic": 4}[r.mode]}
	wide := r.antialias && scale < 1
	if wide {
		// Neighbors lie within the kernel's reach, as much wider as the axis becomes shorter.
		axis.Count = int(min(math.Ceil(float64(axis.Count)/float64(scale)), float64(8*in))) + 1
	}
	axis.Index, axis.Weight = make([]int32, out*axis.Count), make([]float32, out*axis.Count)
	for i := range out {
		x := r.coordinate(float32(i), in, out, scale, start, end)
		index, weight := axis.Index[i*axis.Count:(i+1)*axis.Count], axis.Weight[i*axis.Count:(i+1)*axis.Count]
		if r.coordinates == "tf_crop_and_resize" && (x < 0 || x > float32(in-1)) {
			for t := range index {
				index[t] = -1
			}
			continue
		}
		inside := func(v float64) int32 { return int32(min(max(v, 0), float64(in-1))) }
		floor := math.Floor(float64(x))
		switch mode := r.mode; {
		case wide:
			r.wideTaps(index, weight, float64(x), float64(scale), in)
		case mode == "nearest":
			index[0], weight[0] = inside(r.nearestTo(float64(x))), 1
		case mode == "linear":
			x = min(max(x, 0), float32(in-1))
			floor = math.Floor(float64(x))
			index[0], index[1] = inside(floor), inside(floor+1)
			weight[1] = x - float32(floor)
			weight[0] = 1 - weight[1]
		case mode == "cubic":
			Cubic(weight, x-float32(floor), r.a)
			sum := float32(0)
			for t := range 4 {
				pixel := floor + float64(t) - 1
				if r.excludeOutside && (pixel < 0 || pixel > float64(in-1)) {
					weight[t] = 0
				}
				index[t] = inside(pixel)
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

// wideTaps sets the weights of the pixels around x under the kernel stretched by 1/scale, which sum to 1. Pixels beyond
// the ends repeat the end pixels, or do not count.
func (r *resizer) wideTaps(index []int32, weight []float32, x, scale float64, in int) {
	reach := 1 / scale
	if r.mode == "cubic" {
		reach = 2 / scale
	}
	first, sum := math.Floor(x-reach)+1, 0.0
	values := make([]float64, len(weight))
	for t := range values {
		pixel := first + float64(t)
		values[t] = kernelAt((pixel-x)*scale, r.mode == "cubic", float64(r.a))
		if r.excludeOutside && (pixel < 0 || pixel > float64(in-1)) {
			values[t] = 0
		}
		index[t] = int32(min(max(pixel, 0), float64(in-1)))
		sum += values[t]
	}
	for t, v := range values {
		weight[t] = float32(v / sum)
	}
}

// kernelAt is the triangle, or Keys' cubic kernel of slope a, at x.
func kernelAt(x float64, cubic bool, a float64) float64 {
	x = math.Abs(x)
	switch {
	case !cubic:
		return max(0, 1-x)
	case x <= 1:
		return ((a+2)*x-(a+3))*x*x + 1
	case x < 2:
		return ((a*x-5*a)*x+8*a)*x - 4*a
	}
	return 0
}

// nearestTo is the pixel nearest to a point. Points that rounding has moved by at most 1e-6 from the middle between two
// count as the middle, as in ONNX Runtime.
func (r *resizer) nearestTo(v float64) float64 {
	const rounding = 1e-6
	floor := math.Floor(v)
	beyond := v - floor - 0.5
	switch {
	case r.nearest == "ceil":
		return math.Ceil(v)
	case r.nearest == "round_prefer_floor" && beyond > rounding, r.nearest == "round_prefer_ceil" && beyond >= -rounding:
		return floor + 1
	}
	return floor
}

// coordinate is the position in the input that output element x shows. align_corners and tf_crop_and_resize divide by
// the output's own length, as PyTorch and ONNX Runtime do; the standard's text uses the scaled one, which need not be
// whole.
func (r *resizer) coordinate(x float32, in, out int, scale, start, end float32) float32 {
	n, length := float32(in), float32(out)
	half := float32((x+0.5)/scale) - 0.5
	switch r.coordinates {
	case "half_pixel_symmetric":
		// Equal margins on both sides if the output's size was rounded.
		adjustment := float32(out) / float32(scale*n)
		offset := float32(n/2) * (1 - adjustment)
		return float32(float64(offset) + (float64(x)+0.5)/float64(scale) - 0.5) // in float64, as ONNX Runtime
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

// Cubic sets the weights of the four neighbors (R. Keys, 1981) of a point d after the second one; slope is Keys' a.
func Cubic(weight []float32, d, slope float32) {
	a, x := float64(slope), float64(d)
	near := func(x float64) float64 { return ((a+2)*x-(a+3))*x*x + 1 }
	far := func(x float64) float64 { return ((a*x-5*a)*x+8*a)*x - 4*a }
	weight[0], weight[1], weight[2], weight[3] = float32(far(x+1)), float32(near(x)), float32(near(1-x)), float32(far(2-x))
}

// GridSampleParams defines the interpolation between pixels and the values outside the image.
type GridSampleParams struct {
	Mode         string // "nearest", "linear" or "cubic"
	Padding      string // "zeros", "border" or "reflection"
	AlignCorners bool
}

func inferGridSample(c *context) {
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	x, grid := c.shape(0), c.shape(1)
	if n := len(x); n != 4 && n != 5 || len(grid) != n || grid[0] != x[0] || grid[n-1] != n-2 || graph.Count(x[2:]) == 0 {
		c.failf("input %v and grid %v, want [N, C, H, W] and [N, H', W', 2], or the same for volumes", x, grid)
	}
	p := GridSampleParams{Padding: c.text("padding_mode", "zeros"), AlignCorners: c.flag("align_corners", false)}
	modes := map[string]string{"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic", "bicubic": "cubic"}
	mode := c.text("mode", "linear")
	if p.Mode = modes[mode]; p.Mode == "" || !slices.Contains([]string{"zeros", "border", "reflection"}, p.Padding) {
		c.failf("mode %q and padding_mode %q", mode, p.Padding)
	}
	if len(x) == 5 {
		c.sampleVolume(p)
		return
	}
	c.Params = p
	c.emit(graph.Float32, x[0], x[1], grid[1], grid[2])
}

// volume is a GridSample of volumes under replacement.
type volume struct {
	*lowering
	GridSampleParams
}

// neighbor is the contribution of one neighbor along one axis: indices, weights, and whether they lie inside the
// volume. The weight of the nearest neighbor is 1 and absent, so is a condition that is always true.
type neighbor struct{ index, weight, inside string }

// sampleVolume is the sum over the corners of the cell that each point lies in, read at their indices, times their
// weights.
func (c *context) sampleVolume(p GridSampleParams) {
	if p.Mode == "cubic" {
		c.failf("mode cubic of a volume, want linear or nearest")
	}
	x, grid := c.shape(0), c.shape(1)
	points := graph.Count(grid[1:4])
	v := &volume{c.lower(), p}
	rows := v.reshape(v.transpose(c.Node.Inputs[0], []int{0, 2, 3, 4, 1}), []int{x[0], graph.Count(x[2:]), x[1]})
	flat := v.reshape(c.Node.Inputs[1], []int{x[0], points, 3})
	var axes [3][]neighbor // z, y, x; the grid has them the other way round
	for a := range axes {
		axes[a] = v.neighbors(v.slice(flat, 2, 2-a, 3-a), x[2+a])
	}
	sum := ""
	for _, z := range axes[0] {
		for _, y := range axes[1] {
			line := v.add("Add", nil, v.scaled(z.index, x[3]), y.index)
			for _, n := range axes[2] {
				index := v.add("Add", nil, v.scaled(line, x[4]), n.index)
				part := v.add("GatherND", map[string]graph.Attribute{"batch_dims": graph.IntAttribute(1)}, rows, index)
				part = v.weighted(part, z, y, n)
				if sum != "" {
					part = v.add("Add", nil, sum, part)
				}
				sum = part
			}
		}
	}
	v.finish(v.reshape(v.transpose(sum, []int{0, 2, 1}), []int{x[0], x[1], grid[1], grid[2], grid[3]}))
}

// scaled is a value of integers times n.
func (v *volume) scaled(x string, n int) string {
	return v.add("Mul", nil, x, v.constant(graph.Ints(int64(n))))
}

// weighted is the values of a corner times its weights; 0 where it lies outside.
func (v *volume) weighted(part string, corner ...neighbor) string {
	for _, n := range corner {
		if n.weight != "" {
			part = v.add("Mul", nil, part, n.weight)
		}
	}
	for _, n := range corner {
		if n.inside != "" {
			part = v.add("Where", nil, n.inside, part, v.number(0))
		}
	}
	return part
}

// neighbors finds the neighbors along an axis of n elements of points between −1 and 1, the two ends of the axis.
func (v *volume) neighbors(point string, n int) []neighbor {
	last, low, high := float32(n-1), float32(-0.5), float32(n)-0.5
	x := v.add("Add", nil, point, v.number(1))
	if v.AlignCorners {
		x, low, high = v.add("Mul", nil, x, v.number(last)), 0, last
	} else {
		x = v.add("Sub", nil, v.add("Mul", nil, x, v.number(float32(n))), v.number(1))
	}
	x = v.clip(v.add("Div", nil, x, v.number(2)), -1<<30, 1<<30)
	switch v.Padding {
	case "border":
		x = v.clip(x, 0, last)
	case "reflection":
		x = v.mirror(x, low, high)
	}
	if v.Mode == "nearest" {
		return []neighbor{v.neighbor(v.add("Round", nil, x), "", last)}
	}
	floor := v.add("Floor", nil, x)
	above := v.add("Sub", nil, x, floor)
	below, next := v.add("Sub", nil, v.number(1), above), v.add("Add", nil, floor, v.number(1))
	return []neighbor{v.neighbor(floor, below, last), v.neighbor(next, above, last)}
}

func (v *volume) neighbor(point, weight string, last float32) neighbor {
	toInteger := map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementInt64)}
	n := neighbor{weight: weight, index: v.add("Cast", toInteger, v.clip(point, 0, last))}
	if v.Padding == "zeros" {
		n.inside = v.add("And", nil, v.add("GreaterOrEqual", nil, point, v.number(0)), v.add("LessOrEqual", nil, point, v.number(last)))
	}
	return n
}

// mirror folds x back between two mirrors.
func (v *volume) mirror(x string, low, high float32) string {
	span := high - low
	if span == 0 {
		return v.clip(x, low, low)
	}
	distance := v.add("Abs", nil, v.add("Sub", nil, x, v.number(low)))
	turns := v.add("Floor", nil, v.add("Div", nil, distance, v.number(span)))
	rest := v.add("Sub", nil, distance, v.add("Mul", nil, turns, v.number(span)))
	odd := v.add("Mod", map[string]graph.Attribute{"fmod": graph.IntAttribute(1)}, turns, v.number(2))
	even := v.add("Equal", nil, odd, v.number(0))
	return v.add("Where", nil, even, v.add("Add", nil, rest, v.number(low)), v.add("Sub", nil, v.number(high), rest))
}

// inferAffineGrid is, at each point of a regular grid between −1 and 1, the matrix times the point. Axes are summed one
// after the other: each takes its own coordinates alone.
func inferAffineGrid(c *context) {
	c.want(0, graph.Float32)
	theta := c.shape(0)
	size, _ := c.constants(1)
	n := len(size) - 2
	if n != 2 && n != 3 || len(theta) != 3 || theta[0] != size[0] || theta[1] != n || theta[2] != n+1 {
		c.failf("matrices %v and size %v, want [N, 2, 3] and [N, C, H, W], or the same for volumes", theta, size)
	}
	l := c.lower()
	column := func(j int) string {
		return l.reshape(l.slice(c.Node.Inputs[0], 2, j, j+1), append(append([]int{size[0]}, slices.Repeat([]int{1}, n)...), n))
	}
	sum := column(n)
	for j := range n {
		axis := n - 1 - j // x is the last one
		if d := size[2+axis]; d < 1 || d > graph.FoldLimit {
			c.failf("size %v, want axes of 1 to %d", size, graph.FoldLimit)
		}
		shape := slices.Repeat([]int{1}, n+2)
		shape[1+axis] = size[2+axis]
		points := l.constant(graph.Floats(gridPoints(size[2+axis], c.flag("align_corners", false)), shape...))
		sum = l.add("Add", nil, sum, l.add("Mul", nil, column(j), points))
	}
	l.finish(sum)
}

// gridPoints are n points between −1 and 1: the ends among them, or the middles of n equal parts.
func gridPoints(n int, ends bool) []float32 {
	points := make([]float32, n)
	for i := range points {
		switch {
		case !ends:
			points[i] = float32(float64(2*i+1)/float64(n) - 1)
		case n > 1:
			points[i] = float32(2*float64(i)/float64(n-1) - 1)
		}
	}
	return points
}
