// Functions of bytes: a function of one quantized value, however many steps it takes, has at most as many results as
// the value has levels, so a table replaces it.

package fuse

import (
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// leastTabled is the number of steps from which on a table pays, if they are sums and products alone.
const leastTabled = 3

// tables replaces the elementwise steps between a value of at most 256 integers and the other readers of their results.
func (f *fuser) tables() {
	f.index()
	seen := map[int]bool{}
	for i := 0; i < len(f.Steps) && f.work < fuseBudget; i++ {
		s := &f.Steps[i]
		if len(s.Out) != 1 || s.Out[0] < 0 || !f.elementwise(s) {
			continue
		}
		for _, x := range s.In {
			if x < 0 || f.constant(x) || seen[x] {
				continue
			}
			seen[x] = true
			f.work += len(f.Steps)
			if first, ok := f.levels(x); ok {
				f.tabled(x, first, i)
			}
		}
	}
	f.needed = resized(f.needed, len(f.Values))
	f.Prune(f.needed)
	f.index()
}

// splitConcat does an operation with numbers before quantized values are joined and not after it, so that it becomes
// part of a table.
func (f *fuser) splitConcat(i int) bool {
	s := f.Steps[i]
	if len(s.Out) != 1 || s.Out[0] < 0 || !f.elementwise(&s) || slices.Contains(f.Outputs, s.Out[0]) {
		return false
	}
	x := f.alone(&s)
	joined := f.from(x, "Concat")
	if joined == nil || joined.Node.Domain != "" || !f.single(x) || !slices.Equal(f.Values[x].Shape, f.Values[s.Out[0]].Shape) {
		return false
	}
	if slices.ContainsFunc(joined.In, func(id int) bool { return id < 0 || !f.ofLevels(id, 0) }) {
		return false
	}
	before := *joined
	before.In = slices.Clone(before.In)
	var steps []graph.Step
	for k, id := range joined.In {
		part := s
		part.In = slices.Clone(s.In)
		part.In[slices.Index(part.In, x)] = id
		before.In[k] = f.temporary(f.Values[id].Shape)
		part.Out = []int{before.In[k]}
		steps = append(steps, part)
	}
	before.Out = s.Out
	f.Steps = slices.Replace(f.Steps, i, i+1, append(steps, before)...)
	return true
}

// alone is the only operand of an elementwise step that is no number, or −1.
func (f *fuser) alone(s *graph.Step) int {
	x := -1
	for _, id := range s.In {
		switch {
		case id < 0 || f.constant(id) && graph.Count(f.Values[id].Shape) == 1 && len(f.Values[id].Shape) <= 1:
		case x >= 0 || f.constant(id):
			return -1
		default:
			x = id
		}
	}
	return x
}

// ofLevels reports whether a value follows by few operations with numbers from a value of 256 levels.
func (f *fuser) ofLevels(x, depth int) bool {
	if _, ok := f.levels(x); ok {
		return true
	}
	i := f.producer[x]
	if i < 0 || depth == integralDepth || !f.elementwise(&f.Steps[i]) {
		return false
	}
	x = f.alone(&f.Steps[i])
	return x >= 0 && f.ofLevels(x, depth+1)
}

// levels is the least of the integers that a value has, if they are 256 at most and none is −0.
func (f *fuser) levels(x int) (first float32, ok bool) {
	if f.Values[x].DType != graph.Float32 || !f.integral(x, 0) {
		return 0, false
	}
	for _, first := range []float64{0, -128} {
		if f.within(x, first, first+255) {
			return float32(first), true
		}
	}
	return 0, false
}

// elementwise reports whether a step computes each element of its result from the elements at the same index, and
// numbers.
func (f *fuser) elementwise(s *graph.Step) bool {
	if f.Values[s.Out[0]].DType != graph.Float32 || len(s.In) == 0 || s.In[0] < 0 {
		return false
	}
	if _, ok := s.Params.(operator.Activation); ok {
		return f.Values[s.In[0]].DType == graph.Float32
	}
	if s.Node.Domain != "" {
		return false
	}
	switch s.Node.Op {
	case "Add", "Sub", "Mul", "Div", "Max", "Min":
		return len(s.In) == 2
	}
	return false
}

// tabled makes tables of the results of steps, from step i on, that depend on x alone and that other steps read.
func (f *fuser) tabled(x int, first float32, i int) {
	shape := f.Values[x].Shape
	members, steps := map[int][]int{x: nil}, []int{} // the steps that make a member
	for k := i; k < len(f.Steps); k++ {
		s := &f.Steps[k]
		if len(s.Out) != 1 || s.Out[0] < 0 || !f.elementwise(s) || !slices.Equal(f.Values[s.Out[0]].Shape, shape) {
			continue
		}
		way, reached := []int{k}, false
		for _, id := range s.In {
			if id < 0 || f.constant(id) && graph.Count(f.Values[id].Shape) == 1 && !f.Values[id].Const.Deferred() {
				continue
			}
			before, ok := members[id]
			if reached = ok; !ok {
				break
			}
			way = append(way, before...)
		}
		if reached {
			slices.Sort(way)
			members[s.Out[0]], steps = slices.Compact(way), append(steps, k)
		}
	}
	if len(steps) == 0 {
		return
	}
	inside := map[int]int{} // how often members are read by the steps
	for _, k := range steps {
		for _, id := range f.Steps[k].In {
			inside[id]++
		}
	}
	tables := map[int]*operator.Table{} // by step
	for _, k := range steps {
		if y := f.Steps[k].Out[0]; f.uses[y] > inside[y] && f.worthTable(members[y]) {
			if tables[k] = f.evaluated(x, first, members[y], y); tables[k] == nil {
				return
			}
		}
	}
	for k, t := range tables {
		s := f.Steps[k]
		f.Steps[k] = newStep("repscope", "Chain", s.Node.Name, &operator.ChainParams{FollowUps: []operator.FollowUp{{Table: t}}}, []int{x}, s.Out)
	}
}

// worthTable reports whether steps take longer than a look into a table.
func (f *fuser) worthTable(steps []int) bool {
	return len(steps) >= leastTabled || slices.ContainsFunc(steps, func(k int) bool {
		a, ok := f.Steps[k].Params.(operator.Activation)
		return ok && a.Op != "Relu" && a.Op != "Clip" && a.Op != "Round" || f.Steps[k].Node.Op == "Div"
	})
}

// evaluated is the result of steps on 256 integers instead of the value x; nil if they fail, or make a number of NaN.
func (f *fuser) evaluated(x int, first float32, steps []int, y int) *operator.Table {
	t := &operator.Table{First: first}
	const levels = len(t.Values) + 1
	values := slices.Clone(f.Values)
	results := map[int]*graph.Tensor{x: graph.Floats(make([]float32, levels), levels)}
	values[x].Shape = results[x].Shape
	for i := range results[x].F32 {
		results[x].F32[i] = first + float32(i)
	}
	results[x].F32[levels-1] = float32(math.NaN())
	for _, k := range steps {
		s := f.Steps[k]
		in, out := make([]*graph.Tensor, len(s.In)), graph.Floats(make([]float32, levels), levels)
		for j, id := range s.In {
			switch {
			case id < 0:
			case results[id] != nil:
				in[j] = results[id]
			default:
				number := *f.Values[id].Const
				number.Shape = nil
				values[id].Shape, values[id].Const, in[j] = nil, &number, &number
			}
		}
		values[s.Out[0]].Shape = out.Shape
		if err := f.eval(&s, values, in, []*graph.Tensor{out}); err != nil {
			return nil
		}
		results[s.Out[0]] = out
	}
	if y := results[y].F32; copy(t.Values[:], y) < len(y) && math.IsNaN(float64(y[levels-1])) {
		return t
	}
	return nil
}

// chained reports whether a step is a [operator.ChainParams] of one operand.
func (f *fuser) chained(s *graph.Step) bool {
	p, ok := s.Params.(*operator.ChainParams)
	return ok && p.Op == ""
}

// tableOf is the table that a step's results come from, or nil.
func tableOf(s *graph.Step) *operator.Table {
	p, ok := s.Params.(*operator.ChainParams)
	if !ok || len(p.FollowUps) == 0 {
		return nil
	}
	if t := p.FollowUps[len(p.FollowUps)-1].Table; t != nil && !slices.ContainsFunc(t.Values[:], func(v float32) bool { return math.IsNaN(float64(v)) }) {
		return t
	}
	return nil
}
