// Operators that move, select or make elements: reshaping, slicing, joining, constants.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

var movementRows = []tableRow{
	{Name: "Identity", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, View: true, Lists: 1, Optional: true,
		infer: inferIdentity},
	{Name: "Reshape", Since: 1, Types: "fib", Inputs: exactly(2), Outputs: 1, Attributes: []string{"allowzero"}, View: true,
		infer: inferReshape},
	{Name: "Flatten", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"axis"}, View: true,
		infer: inferFlatten},
	{Name: "Squeeze", Since: 1, Types: "fib", Inputs: between(1, 2), Outputs: 1, Attributes: []string{"axes"}, View: true,
		infer: inferSqueeze},
	{Name: "Unsqueeze", Since: 1, Types: "fib", Inputs: between(1, 2), Outputs: 1, Attributes: []string{"axes"}, View: true,
		infer: inferUnsqueeze},
	{Name: "Dropout", Since: 1, Types: "f", Note: "in training mode only with ratio 0", Inputs: between(1, 3), Outputs: 2,
		Attributes: []string{"ratio", "seed", "is_test"}, View: true, infer: inferDropout},
	{Name: "Transpose", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"perm"}, infer: inferTranspose},
	{Name: "Shape", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"start", "end"}, infer: inferShape},
	{Name: "Size", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, infer: inferSize},
	{Name: "Constant", Since: 1, Types: "fib", Note: "not of strings or sparse tensors", Inputs: exactly(0), Outputs: 1,
		Attributes: []string{"value", "value_float", "value_floats", "value_int", "value_ints"}, infer: inferConstant},
	{Name: "ConstantOfShape", Since: 9, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"value"},
		infer: inferConstantOfShape},
	{Name: "EyeLike", Since: 9, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"dtype", "k"}, infer: inferEyeLike},
	{Name: "Range", Since: 11, Types: "fi", Inputs: exactly(3), Outputs: 1, infer: inferRange},
	{Name: "Expand", Since: 8, Types: "fib", Inputs: exactly(2), Outputs: 1, infer: inferExpand},
	{Name: "Tile", Since: 1, Types: "fib", Inputs: exactly(2), Outputs: 1, infer: inferTile},
	{Name: "Concat", Since: 1, Types: "fib", Inputs: atLeast(1), Outputs: 1, Attributes: []string{"axis"}, infer: inferConcat},
	{Name: "Split", Since: 1, Types: "fib", Inputs: between(1, 2), Outputs: many,
		Attributes: []string{"axis", "split", "num_outputs"}, infer: inferSplit},
	{Name: "Slice", Since: 1, Types: "fib", Inputs: between(1, 5), Outputs: 1, Attributes: []string{"starts", "ends", "axes"},
		infer: inferSlice},
	{Name: "Pad", Since: 1, Types: "fib", Inputs: between(1, 4), Outputs: 1, Attributes: []string{"mode", "pads", "value"},
		infer: inferPad},
	{Name: "CenterCropPad", Since: 18, Types: "fib", Inputs: exactly(2), Outputs: 1, Attributes: []string{"axes"}, infer: inferCenterCropPad},
	{Name: "Trilu", Since: 14, Types: "fib", Inputs: between(1, 2), Outputs: 1, Attributes: []string{"upper"}, infer: inferTrilu},
	{Name: "DepthToSpace", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"blocksize", "mode"},
		infer: inferDepthToSpace},
	{Name: "SpaceToDepth", Since: 1, Types: "fib", Inputs: exactly(1), Outputs: 1, Attributes: []string{"blocksize", "mode"},
		infer: inferDepthToSpace},
}

// AxisParams is the axis of Concat, Gather, Softmax and so on.
type AxisParams struct{ Axis int }

func inferIdentity(c *context) {
	if c.Sequence = c.In[0].Sequence; c.Sequence == nil {
		c.emitLike(0, c.shape(0)...)
	}
}

func inferReshape(c *context) {
	target, _ := c.constants(1)
	s := c.shape(0)
	total := graph.Count(s)
	shape := slices.Clone(target)
	free, rest := -1, 1
	for i, d := range shape {
		if d == 0 && c.integer("allowzero", 0) == 0 {
			if i >= len(s) {
				c.failf("shape %v copies axis %d of %v, which does not exist", target, i, s)
			}
			shape[i] = s[i]
		}
		switch {
		case d == -1 && free >= 0:
			c.failf("shape %v has two free axes", target)
		case d == -1:
			free = i
			continue
		case d < -1 || d > graph.MaxElements || shape[i] != 0 && rest > graph.MaxElements/shape[i]:
			c.failf("cannot reshape to %v", target)
		}
		rest *= shape[i]
	}
	if free >= 0 {
		if rest == 0 || total%rest != 0 {
			c.failf("%v does not reshape to %v", s, target)
		}
		shape[free] = total / rest
		rest *= shape[free]
	}
	if rest != total {
		c.failf("%v (%d elements) does not reshape to %v", s, total, target)
	}
	c.emitLike(0, shape...)
}

func inferFlatten(c *context) {
	s := c.shape(0)
	a := c.integer("axis", 1)
	if a < -len(s) || a > len(s) {
		c.failf("axis %d is out of range for shape %v", a, s)
	}
	if a < 0 {
		a += len(s)
	}
	c.emitLike(0, graph.Count(s[:a]), graph.Count(s[a:]))
}

func inferSqueeze(c *context) {
	s := c.shape(0)
	list, present := c.list("axes", 1)
	drop := c.axes(list, len(s))
	var shape []int
	for i, d := range s {
		if present && slices.Contains(drop, i) && d != 1 {
			c.failf("axis %d of %v is not 1", i, s)
		}
		if present && !slices.Contains(drop, i) || !present && d != 1 {
			shape = append(shape, d)
		}
	}
	c.emitLike(0, shape...)
}

func inferUnsqueeze(c *context) {
	list, ok := c.list("axes", 1)
	if !ok {
		c.failf("axes are missing")
	}
	s := c.shape(0)
	rank := len(s) + len(list)
	axes := c.axes(list, rank)
	shape := make([]int, 0, rank)
	for i := range rank {
		if slices.Contains(axes, i) {
			shape = append(shape, 1)
		} else {
			shape = append(shape, s[0])
			s = s[1:]
		}
	}
	c.emitLike(0, shape...)
}

func inferDropout(c *context) {
	// Inference: the identity. training_mode must be absent or false, or the ratio 0.
	if c.has(2) {
		ratio := 0.5
		if c.has(1) {
			ratio, _ = c.In[1].Const.Scalar()
		}
		if training, known := c.In[2].Const.Scalar(); ratio != 0 && !(known && training == 0) {
			c.unsupported("training mode, unless input 2 (training_mode) is the constant false or input 1 (ratio) the constant 0; " +
				"export the model in evaluation mode (model.eval())")
		}
	}
	c.emitLike(0, c.shape(0)...)
	c.emit(graph.Bool, c.shape(0)...)
	if len(c.Node.Outputs) > 1 && c.Node.Outputs[1] != "" {
		if graph.Count(c.shape(0)) > 1<<26 {
			c.unsupported("a mask of %v", c.shape(0))
		}
		// The mask of kept elements: all.
		mask := &graph.Tensor{DType: graph.Bool, Shape: c.shape(0), Bool: slices.Repeat([]bool{true}, graph.Count(c.shape(0)))}
		c.Known = []*graph.Tensor{nil, mask}
	}
}

// TransposeParams is the permutation of the axes.
type TransposeParams struct{ Perm []int }

func inferTranspose(c *context) {
	s := c.shape(0)
	perm, ok := c.integers("perm")
	if !ok {
		for i := range s {
			perm = append(perm, len(s)-1-i)
		}
	}
	perm = c.axes(perm, len(s))
	if len(perm) != len(s) {
		c.failf("perm %v for shape %v", perm, s)
	}
	shape := make([]int, len(s))
	for i, p := range perm {
		shape[i] = s[p]
	}
	c.Params = TransposeParams{Perm: perm}
	c.Transposes = len(perm) == 2 && perm[0] == 1
	c.emitLike(0, shape...)
}

func inferShape(c *context) {
	s := c.shape(0)
	clamp := func(v int) int {
		if v < 0 {
			v += len(s)
		}
		return min(max(v, 0), len(s))
	}
	lo, hi := clamp(c.integer("start", 0)), clamp(c.integer("end", len(s)))
	dims := graph.Ints()
	for i := lo; i < hi; i++ {
		dims.I64 = append(dims.I64, int64(s[i]))
	}
	dims.Shape[0] = len(dims.I64)
	c.Known = []*graph.Tensor{dims}
	c.emit(graph.Int64, dims.Shape...)
}

func inferSize(c *context) {
	c.tell(int64(graph.Count(c.shape(0))))
}

// tell makes the one output a known integer.
func (c *context) tell(v int64) {
	c.Known = []*graph.Tensor{{DType: graph.Int64, Shape: []int{}, I64: []int64{v}}}
	c.emit(graph.Int64)
}

func inferConstant(c *context) {
	var t *graph.Tensor
	for name, a := range c.Node.Attributes {
		switch name {
		case "value":
			t = a.Tensor
		case "value_float":
			t = graph.Floats([]float32{a.Float})
			t.Shape = []int{}
		case "value_floats":
			t = graph.Floats(a.Floats, len(a.Floats))
		case "value_int":
			t = &graph.Tensor{DType: graph.Int64, Shape: []int{}, I64: []int64{a.Int}}
		case "value_ints":
			t = graph.Ints(a.Ints...)
		}
	}
	if t == nil || len(c.Node.Attributes) != 1 {
		c.failf("want exactly one value")
	}
	c.Known = []*graph.Tensor{t}
	c.emitType(t.Type(), t.Shape...)
}

func inferConstantOfShape(c *context) {
	shape, _ := c.constants(0)
	value := graph.Floats([]float32{0}, 1)
	if a, ok := c.attribute("value", graph.AttributeTensor); ok {
		value = a.Tensor
	}
	if value.Len() != 1 {
		c.failf("attribute value has shape %v, want one element", value.Shape)
	}
	c.Params = value
	c.emitType(value.Type(), shape...)
}

// inferEyeLike is ones on a diagonal of the input's shape.
func inferEyeLike(c *context) {
	s := c.shape(0)
	if len(s) != 2 {
		c.failf("input %v, want a matrix", s)
	}
	t := c.In[0].Type
	if to := c.integer("dtype", 0); to != 0 {
		var ok bool
		if t.DType, ok = graph.ElementDType(to); !ok {
			c.unsupported("type %s", graph.ElementName(to))
		}
		t.Bits = graph.IntegerBits(to)
	}
	kind := t.DType
	if graph.Count(s) > graph.FoldLimit {
		c.unsupported("more than %d elements", graph.FoldLimit)
	}
	y, err := graph.NewTensor(kind, s...)
	if err != nil {
		c.failf("output: %w", err)
	}
	k := c.integer("k", 0)
	for i := range s[0] {
		if j := i + k; j >= 0 && j < s[1] {
			switch index := i*s[1] + j; kind {
			case graph.Float32:
				y.F32[index] = 1
			case graph.Int64:
				y.I64[index] = 1
			case graph.Bool:
				y.Bool[index] = true
			}
		}
	}
	c.Known = []*graph.Tensor{y}
	c.emitType(t, s...)
}

func inferRange(c *context) {
	c.want(0, graph.Float32, graph.Int64)
	if c.unsigned() {
		c.unsupported("operands of uint64")
	}
	var v [3]Number
	for i := range v {
		c.alike(i, 0)
		v[i] = c.scalar(i, []string{"start", "limit", "delta"}[i])
	}
	count := 0
	switch start, limit, delta := v[0], v[1], v[2]; {
	case delta.Float == 0:
		c.failf("step 0")
	case c.In[0].DType == graph.Int64:
		count = wholeSteps(start.Whole, limit.Whole, delta.Whole)
	default:
		n := (limit.Float - start.Float) / delta.Float
		if !(n < graph.MaxElements) {
			c.failf("range from %g to %g in steps of %g", start.Float, limit.Float, delta.Float)
		}
		count = max(0, int(math.Ceil(n)))
	}
	if count > graph.MaxElements {
		c.failf("range from %d to %d in steps of %d", v[0].Whole, v[1].Whole, v[2].Whole)
	}
	c.emitLike(0, count)
}

// wholeSteps is how many steps lead from start on before limit.
func wholeSteps(start, limit, delta int64) int {
	if delta < 0 { // the same backwards; the least integer is as large without a sign
		start, limit, delta = ^start, ^limit, -delta
	}
	if limit <= start {
		return 0
	}
	return int(min((uint64(limit)-uint64(start)-1)/uint64(delta), 1<<62)) + 1
}

func inferExpand(c *context) {
	shape, _ := c.constants(1)
	c.emitLike(0, c.broadcast(c.shape(0), shape)...)
}

func inferTile(c *context) {
	repeats, _ := c.constants(1)
	if len(repeats) != len(c.shape(0)) {
		c.failf("%d repeats for shape %v", len(repeats), c.shape(0))
	}
	shape := slices.Clone(c.shape(0))
	for i, r := range repeats {
		if r < 0 || r > graph.MaxElements/max(shape[i], 1) {
			c.failf("repeats %v of shape %v", repeats, shape)
		}
		shape[i] *= r
	}
	c.emitLike(0, shape...)
}

func inferConcat(c *context) {
	shape := slices.Clone(c.shape(0))
	if _, ok := c.Node.Attributes["axis"]; !ok && c.Opset >= 4 {
		c.failf("attribute axis is missing")
	}
	a := c.axis(c.integer("axis", 1), len(shape))
	for i := 1; i < len(c.In); i++ {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
		s := c.shape(i)
		if !c.In[i].Same(c.In[0].Type) || len(s) != len(shape) {
			c.failf("input %d is %s %v, input 0 is %s %v", i, c.In[i].Element(), s, c.In[0].Element(), c.shape(0))
		}
		for j := range s {
			if j != a && s[j] != shape[j] {
				c.failf("input %d has shape %v, input 0 has %v; they may differ only in axis %d", i, s, c.shape(0), a)
			}
		}
		shape[a] += s[a]
	}
	c.Params = AxisParams{Axis: a}
	c.emitLike(0, shape...)
}

// SplitParams cuts Axis into pieces of these sizes.
type SplitParams struct {
	Axis  int
	Sizes []int
}

func inferSplit(c *context) {
	s := c.shape(0)
	a := c.axis(c.integer("axis", 0), len(s))
	sizes, ok := c.list("split", 1)
	if !ok {
		n := c.integer("num_outputs", len(c.Node.Outputs))
		if n < 1 || n != len(c.Node.Outputs) {
			c.failf("num_outputs is %d, the node has %d outputs", n, len(c.Node.Outputs))
		}
		each := (s[a] + n - 1) / n
		for i := range n {
			sizes = append(sizes, max(0, min(each, s[a]-i*each)))
		}
		if c.Opset < 18 && s[a]%n != 0 {
			c.failf("axis %d of %v does not split into %d equal parts", a, s, n)
		}
	}
	sum := 0
	for _, d := range sizes {
		if d < 0 || d > s[a] {
			c.failf("sizes %v for axis %d of %v", sizes, a, s)
		}
		sum += d
		shape := slices.Clone(s)
		shape[a] = d
		c.emitLike(0, shape...)
	}
	if sum != s[a] {
		c.failf("sizes %v do not add up to axis %d of %v", sizes, a, s)
	}
	c.Params = SplitParams{Axis: a, Sizes: sizes}
}

// SliceParams selects start, start+step, … along each axis; the output's shape gives the counts.
type SliceParams struct{ Start, Step []int }

func inferSlice(c *context) {
	s := c.shape(0)
	starts, ok := c.list("starts", 1)
	ends, ok2 := c.list("ends", 2)
	if !ok || !ok2 || len(starts) != len(ends) {
		c.failf("starts %v and ends %v", starts, ends)
	}
	axes, ok := c.list("axes", 3)
	if !ok {
		for i := range starts {
			axes = append(axes, i)
		}
	}
	axes = c.axes(axes, len(s))
	steps, ok := c.constants(4)
	if !ok {
		steps = slices.Repeat([]int{1}, len(starts))
	}
	if len(axes) != len(starts) || len(steps) != len(starts) {
		c.failf("%d starts, %d axes, %d steps", len(starts), len(axes), len(steps))
	}
	p := SliceParams{Start: make([]int, len(s)), Step: slices.Repeat([]int{1}, len(s))}
	shape := slices.Clone(s)
	for i, a := range axes {
		d, start, end, step := s[a], starts[i], ends[i], steps[i]
		if step == 0 {
			c.failf("step 0")
		}
		if start < 0 {
			start += d
		}
		if end < 0 {
			end += d
		}
		if step > 0 {
			start, end = min(max(start, 0), d), min(max(end, 0), d)
			shape[a] = max(0, (end-start+step-1)/step)
		} else {
			start, end = min(max(start, 0), d-1), min(max(end, -1), d-1)
			shape[a] = max(0, (start-end-step-1)/-step)
		}
		p.Start[a], p.Step[a] = start, step
	}
	c.Params = p
	c.emitLike(0, shape...)
}

// PadParams adds elements around a tensor (negative: removes them).
type PadParams struct {
	Before, After []int
	Mode          string // constant, reflect, edge, wrap
	Value         Number
}

func inferPad(c *context) {
	s := c.shape(0)
	pads, ok := c.list("pads", 1)
	axes, present := c.constants(3)
	if !present {
		for i := range s {
			axes = append(axes, i)
		}
	}
	axes = c.axes(axes, len(s))
	if !ok || len(pads) != 2*len(axes) {
		c.failf("pads %v for %d axes", pads, len(axes))
	}
	p := PadParams{Before: make([]int, len(s)), After: make([]int, len(s)), Mode: c.text("mode", "constant")}
	p.Value.Float = float64(c.float("value", 0))
	p.Value.Whole = saturate(p.Value.Float)
	if c.has(2) {
		c.alike(2, 0)
		p.Value = c.scalar(2, "the padding value")
	}
	switch p.Mode {
	case "constant", "edge", "reflect", "wrap":
	default:
		c.unsupported("mode %q", p.Mode)
	}
	shape := slices.Clone(s)
	for i, a := range axes {
		p.Before[a], p.After[a] = pads[i], pads[len(axes)+i]
		before, after := p.Before[a], p.After[a]
		if max(before, after) > graph.MaxElements || min(before, after) < -s[a] || p.Mode == "reflect" && max(before, after) >= max(s[a], 1) ||
			p.Mode != "constant" && s[a] == 0 && max(before, after) > 0 {
			c.failf("pads %d and %d for axis %d of %v (mode %s)", before, after, a, s, p.Mode)
		}
		shape[a] += before + after
	}
	c.Params = p
	c.emitLike(0, shape...)
}

// inferCenterCropPad cuts off or adds zeros at both ends of axes, one more at the end.
func inferCenterCropPad(c *context) {
	s := c.shape(0)
	target, _ := c.constants(1)
	axes, ok := c.integers("axes")
	if !ok {
		for i := range s {
			axes = append(axes, i)
		}
	}
	if axes = c.axes(axes, len(s)); len(axes) != len(target) {
		c.failf("shape %v for the axes %v of %v", target, axes, s)
	}
	l, x := c.lower(), c.Node.Inputs[0]
	pads, padded := make([]int, 2*len(s)), false
	for i, a := range axes {
		if target[i] < 0 || target[i] > graph.MaxElements {
			c.failf("shape %v", target)
		}
		if more := target[i] - s[a]; more > 0 {
			pads[a], pads[len(s)+a], padded = more/2, more-more/2, true
		} else if more < 0 {
			x = l.slice(x, a, -more/2, -more/2+target[i])
		}
	}
	if padded {
		x = l.add("Pad", map[string]graph.Attribute{"pads": graph.IntsAttribute(pads...)}, x)
	}
	l.finish(x)
}

// TriluParams keeps the part of a matrix on one side of its K-th diagonal.
type TriluParams struct {
	Upper bool
	K     int
}

func inferTrilu(c *context) {
	if len(c.shape(0)) < 2 {
		c.failf("shape %v, want at least two axes", c.shape(0))
	}
	k := []int{0}
	if c.has(1) {
		k, _ = c.constants(1)
		if len(k) != 1 {
			c.failf("input 1 has %d elements, want 1", len(k))
		}
	}
	c.Params = TriluParams{Upper: c.integer("upper", 1) != 0, K: k[0]}
	c.emitLike(0, c.shape(0)...)
}

// inferDepthToSpace moves blocks of channels into space, or back: a reshaping, a transposition and another reshaping.
func inferDepthToSpace(c *context) {
	s := c.shape(0)
	b := c.integer("blocksize", 0)
	if len(s) != 4 || b < 1 || b > 1<<20 {
		c.failf("input %v with blocks of %d", s, b)
	}
	mode := c.text("mode", "DCR")
	if mode != "DCR" && mode != "CRD" {
		c.failf("mode is %q, want DCR or CRD", mode)
	}
	l := c.lower()
	x := c.Node.Inputs[0]
	var shape []int
	if c.Node.Op == "SpaceToDepth" {
		if s[2]%b != 0 || s[3]%b != 0 {
			c.failf("input %v with blocks of %d", s, b)
		}
		shape = []int{s[0], s[1] * b * b, s[2] / b, s[3] / b}
		order := []int{0, 3, 5, 1, 2, 4}
		if mode == "CRD" {
			order = []int{0, 1, 3, 5, 2, 4}
		}
		x = l.transpose(l.reshape(x, []int{s[0], s[1], s[2] / b, b, s[3] / b, b}), order)
	} else {
		if s[1]%(b*b) != 0 {
			c.failf("input %v with blocks of %d", s, b)
		}
		depth := s[1] / (b * b)
		shape = []int{s[0], depth, s[2] * b, s[3] * b}
		if mode == "DCR" {
			x = l.transpose(l.reshape(x, []int{s[0], b, b, depth, s[2], s[3]}), []int{0, 3, 4, 1, 5, 2})
		} else {
			x = l.transpose(l.reshape(x, []int{s[0], depth, b, b, s[2], s[3]}), []int{0, 1, 4, 2, 5, 3})
		}
	}
	l.finish(l.reshape(x, shape))
	c.emitLike(0, shape...)
}

// Places is, by axis and index of the output, the index of the input shown there; −1 for the padding value.
func (p PadParams) Places(in, out []int) [][]int {
	places := make([][]int, len(in))
	for a, n := range in {
		places[a] = make([]int, out[a])
		for i := range places[a] {
			places[a][i] = p.place(i-p.Before[a], n)
		}
	}
	return places
}

// place is the index of an axis of n elements that index i beyond its ends shows.
func (p PadParams) place(i, n int) int {
	if i >= 0 && i < n {
		return i
	}
	switch p.Mode {
	case "edge":
		return min(max(i, 0), n-1)
	case "reflect":
		if i < 0 {
			i = -i
		}
		if i >= n {
			i = 2*(n-1) - i
		}
		return i
	case "wrap":
		return (i%n + n) % n
	}
	return -1
}

// Window is where the elements of a slice of an array of the shape lie: the first one, and their strides.
func (p SliceParams) Window(shape []int) (first int, strides []int) {
	strides = graph.RowMajor(shape)
	for i := range strides {
		first += p.Start[i] * strides[i]
		strides[i] *= p.Step[i]
	}
	return first, strides
}

// Strides is how the transposed array lies in one of the shape.
func (p TransposeParams) Strides(shape []int) []int {
	dense := graph.RowMajor(shape)
	strides := make([]int, len(dense))
	for i, axis := range p.Perm {
		strides[i] = dense[axis]
	}
	return strides
}

// Rounds views a tiling as a broadcast: an axis of d·r elements is r rounds of stride 0 over d elements of the input.
func Rounds(in, out []int) (shape, strides []int) {
	dense := graph.RowMajor(in)
	for i, d := range in {
		repeats := 0
		if d > 0 {
			repeats = out[i] / d
		}
		shape, strides = append(shape, repeats, d), append(strides, 0, dense[i])
	}
	return shape, strides
}
