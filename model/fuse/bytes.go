// Values between the steps of a quantized model that are kept as bytes.

package fuse

import (
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// leastBytes is the number of elements of a state from which bytes pay.
const leastBytes = 1 << 8

// fewPlanes is the number of channels up to which a convolution takes them as bytes where they come first.
const fewPlanes = 4

// candidate is a value that may be kept as bytes.
type candidate struct {
	levels *graph.Levels
	step   int                 // that makes it
	then   []operator.FollowUp // that are left to that step
	from   []int               // the values that must be kept so, too
}

// bytes stores values of at most 256 levels as bytes, if all readers accept that. The operations of a step after its
// result has become an integer of a byte's range are left to its readers, unless they give such integers again.
func (f *fuser) bytes() {
	f.index()
	byID := map[int]*candidate{}
	var order []int
	for i := range f.Steps {
		s := &f.Steps[i]
		if len(s.Out) == 0 || s.Out[0] < 0 || f.Values[s.Out[0]].DType != graph.Float32 {
			continue
		}
		if in, p, ok := f.chain(s); ok && s.Node.Domain == "" && p.Op == "" && byID[in[0]] != nil {
			// A single operation of one operand takes it as bytes, too.
			*s = newStep("repscope", "Chain", s.Node.Name, &p, in, s.Out)
		}
		y := s.Out[0]
		if shape := f.Values[y].Shape; len(shape) < 2 || graph.Count(shape[1:]) < leastBytes || slices.Contains(f.Outputs, y) {
			continue
		}
		if c := f.candidate(s, byID); c != nil {
			c.step, byID[y], order = i, c, append(order, y)
		}
	}
	readers := make([][]int, len(f.Values)) // the steps
	for i, s := range f.Steps {
		for _, id := range s.In {
			if id >= 0 && byID[id] != nil {
				readers[id] = append(readers[id], i)
			}
		}
	}
	for removed := true; removed; {
		removed = false
		for _, y := range order {
			c := byID[y]
			if c == nil {
				continue
			}
			if slices.ContainsFunc(c.from, func(x int) bool { return byID[x] == nil }) || !f.readAsBytes(y, readers[y], byID) {
				delete(byID, y)
				removed = true
			}
		}
	}
	for y, c := range byID {
		s := &f.Steps[c.step]
		f.Values[y].Levels = c.levels
		switch p := s.Params.(type) {
		case *operator.ConvParams:
			q := *p
			q.FollowUps, s.Params = c.then, &q
		case *operator.ChainParams:
			q := *p
			q.FollowUps, s.Params = c.then, &q
		}
	}
}

// candidate is the possible byte form of the first result of a step, or nil.
func (f *fuser) candidate(s *graph.Step, candidates map[int]*candidate) *candidate {
	switch p := s.Params.(type) {
	case *operator.ConvParams:
		if s.Node.Op == "Conv" && s.Node.Domain == "repscope" && p.Norm == nil {
			return f.leveled(p.FollowUps)
		}
	case *operator.ChainParams:
		if c := f.leveled(p.FollowUps); c != nil || p.Op != "" {
			return c
		}
		if x := candidates[s.In[0]]; x != nil && *x.levels == *unitLevels(x.levels.First) {
			if values := f.evaluatedAfter(x.levels.First, p.FollowUps); values != nil {
				if unit := unit(values[:]); unit != nil {
					return &candidate{levels: unit, then: p.FollowUps, from: s.In[:1]}
				}
			}
		}
	case *operator.PoolParams:
		x := candidates[s.In[0]]
		if s.Node.Op == "MaxPool" && p.ChannelsLast && len(s.Out) == 1 && x != nil && slices.IsSorted(x.levels.Values[:]) && f.reachesImage(s, p) {
			return &candidate{levels: x.levels, from: s.In[:1]}
		}
	case operator.AxisParams:
		if s.Node.Op != "Concat" || s.Node.Domain != "" {
			return nil
		}
		for _, id := range s.In {
			if id < 0 || candidates[id] == nil || *candidates[id].levels != *candidates[s.In[0]].levels {
				return nil
			}
		}
		return &candidate{levels: candidates[s.In[0]].levels, from: s.In}
	}
	return nil
}

// reachesImage reports whether every window of a pooling has a pixel of the image.
func (f *fuser) reachesImage(s *graph.Step, p *operator.PoolParams) bool {
	in, out := f.Values[s.In[0]].Shape[1:], f.Values[s.Out[0]].Shape[1:]
	for a, k := range p.Kernel {
		if p.Dilations[a] != 1 || p.Before[a] >= k || (out[a]-1)*p.Strides[a]-p.Before[a] >= in[a] {
			return false
		}
	}
	return true
}

// unit are the levels of integers that are at most 255 apart, or nil.
func unit(values []float32) *graph.Levels {
	low, high := slices.Min(values), slices.Max(values)
	if slices.ContainsFunc(values, notIntegral) || high-low > 255 || low < -1<<15 || low > 1<<15 {
		return nil
	}
	return unitLevels(low)
}

// leveled is a value after the operations that end a step, if it has 256 levels at most.
func (f *fuser) leveled(list []operator.FollowUp) *candidate {
	for k := len(list) - 1; k >= 0; k-- {
		first, last, table := float32(0), float32(0), list[k].Table
		switch {
		case k == 0 && table != nil:
			first, last = table.First, table.First+255
		case k > 0 && bounded(list[:k+1]):
			first, last = list[k].Alpha, list[k].Beta
			k++
		default:
			continue
		}
		values := f.evaluatedAfter(first, list[k:])
		switch {
		case values == nil:
		case unit(values[:int(last-first)+1]) != nil:
			return &candidate{levels: unit(values[:int(last-first)+1]), then: list}
		case k > 0:
			return &candidate{levels: &graph.Levels{First: first, Values: *values}, then: list[:k]}
		}
		return nil
	}
	return nil
}

// bounded reports whether the last of some operations leave integers within bounds that are at most 255 apart, none
// of them −0.
func bounded(list []operator.FollowUp) bool {
	n := len(list)
	if n < 3 || list[n-1].Op != "Clip" || list[n-1].Operand != nil || list[n-2].Op != "Add" || len(list[n-2].Operand) != 1 || list[n-3].Op != "Round" {
		return false
	}
	bounds := []float32{list[n-1].Alpha, list[n-1].Beta, list[n-2].Operand[0]}
	const far = 1 << 15
	return bounds[1] >= bounds[0] && bounds[1]-bounds[0] <= 255 && bounds[0] >= -far && bounds[1] <= far && !slices.ContainsFunc(bounds, notIntegral)
}

// unitLevels are the levels of the integers first … first+255.
func unitLevels(first float32) *graph.Levels {
	l := &graph.Levels{First: first}
	for i := range l.Values {
		l.Values[i] = first + float32(i)
	}
	return l
}

// evaluatedAfter is the result of operations with numbers on first … first+255; nil if they fail or take numbers for
// columns.
func (f *fuser) evaluatedAfter(first float32, list []operator.FollowUp) *[256]float32 {
	if slices.ContainsFunc(list, func(then operator.FollowUp) bool { return len(then.Operand) > 1 }) {
		return nil
	}
	x := unitLevels(first).Values
	if len(list) == 0 {
		return &x
	}
	s := newStep("repscope", "Chain", "", &operator.ChainParams{FollowUps: list}, []int{0}, []int{1})
	in, out := graph.Floats(x[:], len(x)), graph.Floats(make([]float32, len(x)), len(x))
	values := []graph.Value{{Type: graph.Type{DType: graph.Float32, Shape: in.Shape}}, {Type: graph.Type{DType: graph.Float32, Shape: out.Shape}, Root: 1}}
	if err := f.eval(&s, values, []*graph.Tensor{in}, []*graph.Tensor{out}); err != nil || slices.ContainsFunc(out.F32, isNaN) {
		return nil
	}
	return (*[256]float32)(out.F32)
}

func isNaN(v float32) bool { return math.IsNaN(float64(v)) }

// readAsBytes reports whether all steps that read a value take it as bytes.
func (f *fuser) readAsBytes(y int, readers []int, candidates map[int]*candidate) bool {
	shape := f.Values[y].Shape
	for _, i := range readers {
		s := &f.Steps[i]
		switch p := s.Params.(type) {
		case *operator.ConvParams:
			planes := p.ChannelsFirstInput && shape[1] > fewPlanes
			if s.Node.Op != "Conv" || s.Node.Domain != "repscope" || !p.ChannelsLast || planes || !f.constant(s.In[1]) || slices.Contains(s.In[1:], y) {
				return false
			}
		case *operator.ChainParams:
			if !slices.Equal(shape, f.Values[s.Out[0]].Shape) {
				return false
			}
		case *operator.PoolParams, operator.AxisParams:
			if c := candidates[s.Out[0]]; c == nil || !slices.Contains(c.from, y) {
				return false
			}
		case operator.ReduceParams:
			pixels := make([]int, max(len(shape)-2, 0))
			for k := range pixels {
				pixels[k] = k + 1
			}
			if s.Node.Op != "GlobalAveragePool" || !slices.Equal(p.Axes, pixels) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
