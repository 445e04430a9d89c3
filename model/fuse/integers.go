// Integers that are computed as floats: conversions to integers and back that change nothing, and products of integers,
// for which package cpu has kernels of its own.

package fuse

import (
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// integerTypes are the integer types that quantized values have, and their ranges.
var integerTypes = map[int][2]float64{
	graph.ElementUint8: {0, 255}, graph.ElementInt8: {-128, 127}, graph.ElementUint16: {0, 65535}, graph.ElementInt16: {-32768, 32767},
	graph.ElementInt32: {math.MinInt32, math.MaxInt32}, graph.ElementInt64: {math.MinInt64, math.MaxInt64},
}

// between are operators that change no value and may occur between two conversions.
var between = []string{"MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"}

// integerCast drops a conversion to an integer type and back of floats that are integers within the type's range, also
// across a pool or a change of shape.
func (f *fuser) integerCast(i int) bool {
	s := f.Steps[i]
	if !f.casts(&s, graph.Int64, graph.Float32) || slices.Contains(f.Outputs, s.Out[0]) {
		return false
	}
	way := f.maker(s.In[0])
	if way < 0 {
		return false
	}
	moved := f.Steps[way]
	to := way
	if slices.Contains(between, moved.Node.Op) && !slices.ContainsFunc(moved.Out[1:], func(id int) bool { return id >= 0 }) {
		if to = f.maker(moved.In[0]); to < 0 {
			return false
		}
	}
	c := f.Steps[to]
	limits, ok := integerTypes[castTo(&c)]
	if !ok || !f.casts(&c, graph.Float32, graph.Int64) || !f.integral(c.In[0], 0) || !f.within(c.In[0], limits[0], limits[1]) {
		return false
	}
	if to == way {
		f.replace(s.Out[0], c.In[0])
		f.Steps = slices.Delete(f.Steps, i, i+1)
		return true
	}
	// All who convert it back take the same one.
	for _, other := range f.Steps[i+1:] {
		same := len(other.In) > 0 && other.In[0] == s.In[0]
		if same && f.casts(&other, graph.Int64, graph.Float32) && !slices.Contains(f.Outputs, other.Out[0]) {
			f.replace(other.Out[0], s.Out[0])
		}
	}
	moved.In, moved.Out = slices.Clone(moved.In), slices.Clone(moved.Out)
	moved.In[0], moved.Out[0] = c.In[0], s.Out[0]
	f.Steps[i] = moved
	return true
}

// moving are operators that only move elements of their first input; the other inputs are indices, sizes or absent.
var moving = []string{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Split", "Gather", "Expand"}

// movedCast moves floats instead of integers if they become integers without a change: a conversion back may follow.
func (f *fuser) movedCast(i int) bool {
	s := f.Steps[i]
	if !slices.Contains(moving, s.Node.Op) || s.Node.Domain != "" || s.In[0] < 0 || f.Values[s.In[0]].DType != graph.Int64 {
		return false
	}
	way := f.maker(s.In[0])
	if way < 0 {
		return false
	}
	c := f.Steps[way]
	limits, ok := integerTypes[castTo(&c)]
	if !ok || !f.casts(&c, graph.Float32, graph.Int64) || !f.integral(c.In[0], 0) || !f.within(c.In[0], limits[0], limits[1]) {
		return false
	}
	s.In, s.Out = slices.Clone(s.In), slices.Clone(s.Out)
	s.In[0] = c.In[0]
	var casts []graph.Step
	for k, id := range s.Out {
		if id < 0 {
			continue
		}
		s.Out[k] = f.temporary(slices.Clone(f.Values[id].Shape))
		if s.Op.View {
			f.Values[s.Out[k]].Root = f.Values[s.In[0]].Root
		}
		f.Values[id].Root = id // no view any more
		cast := c
		cast.In, cast.Out = []int{s.Out[k]}, []int{id}
		casts = append(casts, cast)
	}
	f.Steps[i] = s
	f.Steps = slices.Insert(f.Steps, i+1, casts...)
	return true
}

// maker is the step that makes a value, before it was renamed; −1 if there is none.
func (f *fuser) maker(id int) int {
	i := f.producer[id]
	for i >= 0 && f.Steps[i].Node.Op == "Identity" {
		i = f.producer[f.Steps[i].In[0]]
	}
	return i
}

// casts reports whether a step converts between two types.
func (f *fuser) casts(s *graph.Step, from, to graph.DType) bool {
	return s.Node.Op == "Cast" && f.Values[s.In[0]].DType == from && f.Values[s.Out[0]].DType == to &&
		(to != graph.Float32 || castTo(s) == graph.ElementFloat || castTo(s) == graph.ElementDouble)
}

// castTo is the type that a step converts to, 0 if it does not convert.
func castTo(s *graph.Step) int {
	p, _ := s.Params.(operator.CastParams)
	return p.To
}

// integralDepth bounds the steps that integral looks back over.
const integralDepth = 8

// integral reports whether the elements of a float value are integers without negative zeros, so that conversion to an
// integer type and back changes nothing. Adding to a number that is no negative zero gives none.
func (f *fuser) integral(id, depth int) bool {
	if v := f.Values[id]; v.Const != nil {
		return v.DType == graph.Float32 && !v.Const.Deferred() && len(v.Const.F32) <= 1<<12 && !slices.ContainsFunc(v.Const.F32, notIntegral)
	}
	i := f.producer[id]
	if i < 0 || depth == integralDepth {
		return false
	}
	s := &f.Steps[i]
	operand := func(k int) bool { return f.integral(s.In[k], depth+1) }
	switch s.Node.Op {
	case "Cast":
		return f.casts(s, graph.Int64, graph.Float32)
	case "Add":
		return operand(0) && f.rounded(s.In[1], depth+1) || operand(1) && f.rounded(s.In[0], depth+1)
	case "Sub":
		return operand(0) && f.rounded(s.In[1], depth+1)
	case "Clip":
		low, high, ok := clipped(s)
		return ok && operand(0) && low == math.Trunc(low) && high == math.Trunc(high) && !(low == 0 && math.Signbit(low))
	case "Round":
		low, _, ok := f.clip(s.In[0])
		return ok && low == 0 && !math.Signbit(low)
	case "MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Relu", "Slice", "Split", "Gather", "Expand":
		return operand(0)
	case "Concat":
		for k := range s.In {
			if !operand(k) {
				return false
			}
		}
		return true
	case "MatMul", "Linear", "Conv":
		return f.integerProduct(s, depth+1)
	case "Chain":
		t := tableOf(s)
		return t != nil && !slices.ContainsFunc(t.Values[:], notIntegral)
	}
	return false
}

// notIntegral reports whether a number is no integer, or a negative zero.
func notIntegral(x float32) bool {
	return x != float32(math.Trunc(float64(x))) || x == 0 && math.Signbit(float64(x)) || math.IsInf(float64(x), 0)
}

// rounded reports whether elements are integers, among which may be negative zeros.
func (f *fuser) rounded(id, depth int) bool {
	if i := f.producer[id]; f.Values[id].Const == nil && i >= 0 && f.Steps[i].Node.Op == "Round" {
		return true
	}
	return f.integral(id, depth)
}

// clipped are the bounds of a step that is a Clip of floats.
func clipped(s *graph.Step) (low, high float64, ok bool) {
	p, ok := s.Params.(operator.Activation)
	return float64(p.Alpha), float64(p.Beta), ok && p.Op == "Clip" && s.Node.Op == "Clip"
}

// clip are the bounds of the Clip that makes a value.
func (f *fuser) clip(id int) (low, high float64, ok bool) {
	if i := f.producer[id]; i >= 0 && f.Values[id].Const == nil {
		return clipped(&f.Steps[i])
	}
	return 0, 0, false
}

// within reports whether the elements of a value lie between two numbers for a reason that can be seen.
func (f *fuser) within(id int, low, high float64) bool {
	if a, b, ok := f.clip(id); ok {
		return a >= low && b <= high
	}
	i := f.producer[id]
	if i < 0 || f.Values[id].Const != nil {
		return false
	}
	s := &f.Steps[i]
	switch s.Node.Op {
	case "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Split", "Gather", "Expand", "Identity":
		return s.In[0] >= 0 && f.within(s.In[0], low, high)
	case "Round":
		a, b, ok := f.clip(s.In[0])
		return ok && a >= math.Ceil(low) && b <= math.Floor(high)
	case "Chain":
		t := tableOf(s)
		return t != nil && float64(slices.Min(t.Values[:])) >= low && float64(slices.Max(t.Values[:])) <= high
	case "MatMul", "Linear", "Conv":
		// Products of integers of 9 bits.
		const most = operator.MaxIntegerDepth * 255 * 255
		return low <= -most && high >= most && (len(s.In) < 3 || s.In[2] < 0) && f.integerProduct(s, 0) && f.productDepth(s) <= operator.MaxIntegerDepth
	}
	return false
}

// productDepth is the number of products that make an element of a step's result.
func (f *fuser) productDepth(s *graph.Step) int {
	w := f.Values[s.In[1]].Shape
	if p, ok := s.Params.(*operator.GemmParams); ok && p.TransB || s.Node.Op == "Conv" {
		return graph.Count(w[1:])
	}
	return w[0]
}

// integerProduct reports whether a step multiplies integers by the constant weights of an integer product.
func (f *fuser) integerProduct(s *graph.Step, depth int) bool {
	w := f.Values[s.In[1]]
	if w.Const == nil || !operator.Centered(w.Name) || !f.integral(s.In[0], depth) {
		return false
	}
	switch p := s.Params.(type) {
	case *operator.GemmParams:
		if p.Activation.Op != "" || p.Gated {
			return false
		}
	case *operator.ConvParams:
		if p.Activation.Op != "" || p.Norm != nil {
			return false
		}
	}
	for k := 2; k < len(s.In); k++ {
		if s.In[k] >= 0 && !f.integral(s.In[k], depth) {
			return false
		}
	}
	return true
}

// integers marks the products that package cpu can compute in integers.
func (f *fuser) integers() {
	f.index()
	for i := range f.Steps {
		s := &f.Steps[i]
		if s.Node.Domain != "repscope" || s.Node.Op != "Linear" && s.Node.Op != "Conv" {
			continue
		}
		if w := f.Values[s.In[1]]; w.Const == nil || !operator.Centered(w.Name) || !f.integral(s.In[0], 0) {
			continue
		}
		switch p := s.Params.(type) {
		case *operator.GemmParams:
			marked := *p
			marked.Integers = true
			s.Params = &marked
		case *operator.ConvParams:
			marked := *p
			marked.Integers = true
			s.Params = &marked
		}
	}
}
