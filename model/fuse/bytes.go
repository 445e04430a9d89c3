// Values between the steps of a quantized model that are kept as bytes.

package fuse

import (
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// leastBytes is the number of elements of a state from which on a value is worth it.
const leastBytes = 1 << 8

// bytes lets values of at most 256 levels be bytes, where all that read them take them so: what a step does after its result has become an
// integer of a byte's range is left to its readers, unless it gives such integers again.
func (f *fuser) bytes() {
	f.index()
	for i := range f.Steps {
		s := &f.Steps[i]
		if len(s.Out) != 1 || s.Out[0] < 0 || slices.Contains(f.Outputs, s.Out[0]) {
			continue
		}
		y := s.Out[0]
		if shape := f.Values[y].Shape; len(shape) < 2 || graph.Count(shape[1:]) < leastBytes {
			continue
		}
		switch p := s.Params.(type) {
		case *operator.ConvParams:
			if s.Node.Op != "Conv" || s.Node.Domain != "repscope" || p.Norm != nil {
				continue
			}
			if levels, rest := f.leveled(y, p.FollowUps); levels != nil && f.readAsBytes(y) {
				q := *p
				q.FollowUps = rest
				s.Params, f.Values[y].Levels = &q, levels
			}
		case *operator.ChainParams:
			if levels, rest := f.leveled(y, p.FollowUps); levels != nil && f.readAsBytes(y) {
				q := *p
				q.FollowUps = rest
				s.Params, f.Values[y].Levels = &q, levels
			}
		}
	}
}

// leveled is what the value y is after the operations that end a step, if it has 256 levels at most, and those of the operations that are left to
// the step.
func (f *fuser) leveled(y int, list []operator.FollowUp) (*graph.Levels, []operator.FollowUp) {
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
		values := f.evaluatedAfter(y, first, list[k:])
		if values == nil {
			return nil, nil
		}
		seen := values[:int(last-first)+1]
		low, high := slices.Min(seen), slices.Max(seen)
		if !slices.ContainsFunc(seen, notIntegral) && high-low <= 255 && low >= -1<<15 && low <= 1<<15 {
			return unitLevels(low), list
		}
		if k == 0 {
			return nil, nil
		}
		return &graph.Levels{First: first, Values: *values}, list[:k]
	}
	return nil, nil
}

// bounded reports whether the last of some operations leave integers within bounds that are at most 255 apart, none of them −0.
func bounded(list []operator.FollowUp) bool {
	n := len(list)
	if n < 3 || list[n-1].Op != "Clip" || list[n-1].Operand != nil || list[n-2].Op != "Add" || len(list[n-2].Operand) != 1 || list[n-3].Op != "Round" {
		return false
	}
	bounds := []float32{list[n-1].Alpha, list[n-1].Beta, list[n-2].Operand[0]}
	const far = 1 << 15
	return bounds[1] >= bounds[0] && bounds[1]-bounds[0] <= 255 && bounds[0] >= -far && bounds[1] <= far && !slices.ContainsFunc(bounds, notIntegral)
}

// unitLevels are those of the integers first … first+255.
func unitLevels(first float32) *graph.Levels {
	l := &graph.Levels{First: first}
	for i := range l.Values {
		l.Values[i] = first + float32(i)
	}
	return l
}

// evaluatedAfter is what operations with numbers make of first … first+255; nil if they fail or take numbers for columns.
func (f *fuser) evaluatedAfter(y int, first float32, list []operator.FollowUp) *[256]float32 {
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
func (f *fuser) readAsBytes(y int) bool {
	shape := f.Values[y].Shape
	for i := range f.Steps {
		s := &f.Steps[i]
		if !slices.Contains(s.In, y) {
			continue
		}
		switch p := s.Params.(type) {
		case *operator.ConvParams:
			if s.Node.Op != "Conv" || s.Node.Domain != "repscope" || !p.ChannelsLast || p.ChannelsFirstInput || !f.constant(s.In[1]) || slices.Contains(s.In[1:], y) {
				return false
			}
		case *operator.ChainParams:
			if !slices.Equal(shape, f.Values[s.Out[0]].Shape) {
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
