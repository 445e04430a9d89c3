// Operators that select as many elements as their data say: they take data that are known before execution, since
// shapes are.

package operator

import (
	"cmp"
	"slices"

	"repscope/model/graph"
)

var selectionRows = []tableRow{
	{Name: "Compress", Since: 9, Types: "fib", Note: "the condition must be a constant or follow from the input's shape", Inputs: exactly(2),
		Outputs: 1, Attributes: []string{"axis"}, infer: inferCompress},
	{Name: "NonMaxSuppression", Since: 10, Types: "f", Note: "of constants and values that follow from the input's shape", Inputs: between(2, 5),
		Outputs: 1, Attributes: []string{"center_point_box"}, infer: inferSuppression},
	{Name: "Unique", Since: 11, Types: "fib", Note: "of constants and values that follow from the input's shape", Inputs: exactly(1), Outputs: 4,
		Attributes: []string{"axis", "sorted"}, infer: inferUnique},
}

// selecting is input i, on whose elements the output's shape depends.
func (c *context) selecting(i int, advice string) *graph.Tensor {
	t := c.In[i].Const
	if t == nil {
		c.unsupported("input %d (%q) must be a constant or follow from the input's shape: "+
			"the number of elements after this node depends on it; %s", i, c.Node.Inputs[i], advice)
	}
	if !t.Deferred() {
		return t
	}
	values, err := t.Load(nil)
	if err != nil {
		c.failf("input %d: %w", i, err)
	}
	return graph.Floats(values, t.Shape...)
}

// inferCompress gathers the elements, or slices along an axis, for which a condition holds.
func inferCompress(c *context) {
	c.want(1, graph.Bool)
	s := c.shape(0)
	condition := c.selecting(1, "export the values and the condition as outputs and select after the encoding, "+
		"or multiply by the condition in the model")
	l := c.lower()
	x, n, axis := c.Node.Inputs[0], graph.Count(s), 0
	if _, ok := c.Node.Attributes["axis"]; ok {
		axis = c.axis(c.integer("axis", 0), len(s))
		n = s[axis]
	} else {
		x = l.reshape(x, []int{n})
	}
	if len(condition.Shape) != 1 || len(condition.Bool) > n {
		c.failf("condition %v for %d elements of %v", condition.Shape, n, s)
	}
	var indices []int
	for i, holds := range condition.Bool {
		if holds {
			indices = append(indices, i)
		}
	}
	l.finish(l.add("Gather", map[string]graph.Attribute{"axis": graph.IntAttribute(axis)}, x, l.constant(integerVector(indices...))))
}

// compareElements orders elements i and j. NaN is above all other numbers, and all NaN are one.
func compareElements(t *graph.Tensor, i, j int) int {
	switch t.DType {
	case graph.Int64:
		if t.Bits == graph.Uint64 {
			return cmp.Compare(uint64(t.I64[i]), uint64(t.I64[j]))
		}
		return cmp.Compare(t.I64[i], t.I64[j])
	case graph.Float32:
		a, b := t.F32[i], t.F32[j]
		return cmp.Or(cmp.Compare(number(a != a), number(b != b)), cmp.Compare(a, b))
	}
	return cmp.Compare(number(t.Bool[i]), number(t.Bool[j]))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inferUnique lists the different elements, or slices along an axis: sorted, or in the order of their first occurrence.
// It also returns the index of each one's first occurrence, the number of each element in the list, and the
// frequencies.
func inferUnique(c *context) {
	x := c.selecting(0, "export the values unchanged and find different ones after the encoding")
	outer, n, inner := 1, x.Len(), 1
	shape := []int{n}
	axis := 0
	if _, ok := c.Node.Attributes["axis"]; ok {
		axis = c.axis(c.integer("axis", 0), len(x.Shape))
		outer, n, inner = graph.Around(x.Shape, axis)
		shape = slices.Clone(x.Shape)
	}
	compare := func(a, b int) int {
		for o := range outer {
			for i := range inner {
				if d := compareElements(x, (o*n+a)*inner+i, (o*n+b)*inner+i); d != 0 {
					return d
				}
			}
		}
		return 0
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	var firsts []int // of each different slice, in order
	inverse := make([]int64, n)
	for k, i := range order {
		if k == 0 || compare(order[k-1], i) != 0 {
			firsts = append(firsts, i)
		}
		inverse[i] = int64(len(firsts) - 1)
	}
	if c.integer("sorted", 1) == 0 {
		byPlace := slices.Clone(firsts)
		slices.Sort(byPlace)
		for i, k := range inverse {
			at, _ := slices.BinarySearch(byPlace, firsts[k])
			inverse[i] = int64(at)
		}
		firsts = byPlace
	}
	counts := make([]int64, len(firsts))
	for _, k := range inverse {
		counts[k]++
	}
	shape[axis] = len(firsts)
	c.Known = []*graph.Tensor{pick(x, shape, firsts, outer, n, inner), integerVector(firsts...), graph.Ints(inverse...), graph.Ints(counts...)}
	for _, t := range c.Known {
		c.emitType(t.Type(), t.Shape...)
	}
}

// pick takes slices of an array, which has n of them in each of the outer blocks.
func pick(x *graph.Tensor, shape, indices []int, outer, n, inner int) *graph.Tensor {
	y := &graph.Tensor{DType: x.DType, Bits: x.Bits, Shape: shape}
	for o := range outer {
		for _, p := range indices {
			from, to := (o*n+p)*inner, (o*n+p+1)*inner
			switch x.DType {
			case graph.Float32:
				y.F32 = append(y.F32, x.F32[from:to]...)
			case graph.Int64:
				y.I64 = append(y.I64, x.I64[from:to]...)
			default:
				y.Bool = append(y.Bool, x.Bool[from:to]...)
			}
		}
	}
	return y
}

// suppression is the boxes of a NonMaxSuppression and how they are selected.
type suppression struct {
	boxes, scores           *graph.Tensor
	most                    int     // of a class
	overlap, least          float64 // overlap beyond which, and score up to which a box is left out
	leastGiven, centerPoint bool
}

// maxComparisons bounds the pairs of boxes that are compared.
const maxComparisons = 1 << 28

// inferSuppression selects, for each image and class, the boxes of the highest scores that overlap no selected one by
// more than a part of their union.
func inferSuppression(c *context) {
	const advice = "export the boxes and their scores as outputs and select after the encoding"
	boxes, scores := c.shape(0), c.shape(1)
	c.want(0, graph.Float32)
	c.want(1, graph.Float32)
	if len(boxes) != 3 || len(scores) != 3 || boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2] {
		c.failf("boxes %v and scores %v, want [N, B, 4] and [N, classes, B]", boxes, scores)
	}
	s := &suppression{boxes: c.selecting(0, advice), scores: c.selecting(1, advice), centerPoint: c.flag("center_point_box", false)}
	parameter := func(i int) (v float64) {
		if c.has(i) {
			var ok bool
			if v, ok = c.selecting(i, advice).Scalar(); !ok {
				c.failf("input %d has shape %v, want one number", i, c.shape(i))
			}
		}
		return v
	}
	s.most = int(min(max(parameter(2), 0), 1<<30))
	s.overlap, s.least, s.leastGiven = parameter(3), parameter(4), c.has(4)
	if work := graph.Count(scores[:2]) * boxes[1]; work > 0 && boxes[1] > maxComparisons/work {
		c.unsupported("%d boxes of %d classes in %d images", boxes[1], scores[1], boxes[0])
	}
	var selected []int64
	for image := range boxes[0] {
		for class := range scores[1] {
			for _, box := range s.selected(image, class) {
				selected = append(selected, int64(image), int64(class), int64(box))
			}
		}
	}
	c.Known = []*graph.Tensor{{DType: graph.Int64, Shape: []int{len(selected) / 3, 3}, I64: selected}}
	c.emit(graph.Int64, len(selected)/3, 3)
}

// selected are the boxes of an image for a class, the highest score first.
func (s *suppression) selected(image, class int) (selected []int) {
	n := s.boxes.Shape[1]
	score := func(box int) float32 { return s.scores.F32[(image*s.scores.Shape[1]+class)*n+box] }
	var candidates []int
	for box := range n {
		if !s.leastGiven || float64(score(box)) > s.least {
			candidates = append(candidates, box)
		}
	}
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(score(b), score(a)) })
	for _, box := range candidates {
		if len(selected) >= s.most {
			break
		}
		if !slices.ContainsFunc(selected, func(other int) bool { return s.shared(image, box, other) > s.overlap }) {
			selected = append(selected, box)
		}
	}
	return selected
}

// sides are the least and greatest coordinates of a box along both axes.
func (s *suppression) sides(image, box int) (low, high [2]float64) {
	b := s.boxes.F32[(image*s.boxes.Shape[1]+box)*4:][:4]
	for i := range 2 {
		p, q := float64(b[i]), float64(b[2+i])
		if s.centerPoint { // q is the length, around p
			p, q = p-q/2, p+q/2
		}
		low[i], high[i] = min(p, q), max(p, q)
	}
	return low, high
}

// shared is the part of the union of two boxes that both cover.
func (s *suppression) shared(image, a, b int) float64 {
	lowA, highA := s.sides(image, a)
	lowB, highB := s.sides(image, b)
	common, areaA, areaB := 1.0, 1.0, 1.0
	for i := range 2 {
		common *= max(0, min(highA[i], highB[i])-max(lowA[i], lowB[i]))
		areaA *= highA[i] - lowA[i]
		areaB *= highB[i] - lowB[i]
	}
	if union := areaA + areaB - common; union > 0 && common > 0 {
		return common / union
	}
	return 0
}
