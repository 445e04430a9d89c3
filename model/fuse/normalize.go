// Normalizations: of rows by their mean and variance or by the root of their mean square, and of groups of channels,
// as exporters write them.

package fuse

import (
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

// layerNorm finds (x − E x) / √(E (x − E x)² + ε) over the last axes.
func (f *fuser) layerNorm(i int) bool {
	div := f.Steps[i]
	if div.Node.Op != "Div" || div.Node.Domain != "" {
		return false
	}
	centered := f.from(div.In[0], "Sub")
	root := f.from(div.In[1], "Sqrt")
	if centered == nil || root == nil {
		return false
	}
	x := centered.In[0]
	axis, ok := f.meanOf(centered.In[1], x)
	if !ok {
		return false
	}
	sum := f.from(root.In[0], "Add")
	if sum == nil {
		return false
	}
	e, variance, ok := pair(sum, func(id int) bool { return f.number(id) >= 0 })
	if !ok {
		return false
	}
	mean := f.from(variance, "ReduceMean")
	if mean == nil {
		return false
	}
	square := mean.In[0]
	base := f.squared(square)
	if base < 0 {
		return false
	}
	if base != div.In[0] {
		// Some exporters compute the difference twice.
		again := f.from(base, "Sub")
		if again == nil || again.In[0] != x {
			return false
		}
		if a, ok := f.meanOf(again.In[1], x); !ok || a != axis {
			return false
		}
	}
	if a, ok := f.meanOf(variance, square); !ok || a != axis || !slices.Equal(f.Values[div.Out[0]].Shape, f.Values[x].Shape) {
		return false
	}
	f.Steps[i] = newStep("", "LayerNormalization", div.Node.Name, operator.NormParams{Axis: axis, Epsilon: float32(f.number(e))}, []int{x, -1, -1}, div.Out)
	return true
}

// groupNorm finds a normalization of groups of channels in the form that exporters write: the groups are the channels
// of an instance normalization with long rows.
func (f *fuser) groupNorm(i int) bool {
	s := f.Steps[i]
	if !s.Op.View || s.Node.Op != "Reshape" || !f.single(s.In[0]) || slices.Contains(f.Outputs, s.Out[0]) {
		return false
	}
	norm := f.from(s.In[0], "InstanceNormalization")
	if norm == nil || f.from(norm.In[0], "Reshape") == nil || len(norm.In) != 3 {
		return false
	}
	x := f.from(norm.In[0], "Reshape").In[0]
	whole, apart := f.Values[x].Shape, f.Values[norm.In[0]].Shape
	if len(whole) < 3 || !slices.Equal(whole, f.Values[s.Out[0]].Shape) || whole[0] != apart[0] || apart[1] < 1 || whole[1]%apart[1] != 0 {
		return false
	}
	p := norm.Params.(operator.NormParams)
	p.Groups, p.PerChannel = apart[1], false
	f.Values[s.Out[0]].Root = s.Out[0] // no view any more
	f.Steps[i] = newStep("", "GroupNormalization", norm.Node.Name, p, []int{x, norm.In[1], norm.In[2]}, s.Out)
	return true
}

// groupNormScale lets a normalization of groups multiply each channel by a constant, or add one.
func (f *fuser) groupNormScale(i int) bool {
	s := f.Steps[i]
	if s.Node.Domain != "" || s.Node.Op != "Mul" && s.Node.Op != "Add" {
		return false
	}
	y, w, ok := pair(&s, func(id int) bool { return f.single(id) && f.from(id, "GroupNormalization") != nil })
	if !ok || !f.constant(w) || f.Values[w].Const.F32 == nil {
		return false
	}
	norm := *f.from(y, "GroupNormalization")
	p, shape := norm.Params.(operator.NormParams), f.Values[y].Shape
	channels, dims := shape[1], f.Values[w].Shape
	if extra := len(shape) - len(dims); extra < 0 || extra > 1 || dims[1-extra] != channels || graph.Count(dims) != channels ||
		!slices.Equal(f.Values[s.Out[0]].Shape, shape) {
		return false
	}
	scale, bias := f.perChannel(norm.In[1], p, channels), f.perChannel(norm.In[2], p, channels)
	if scale == nil || bias == nil {
		return false
	}
	for c, v := range f.Values[w].Const.F32 {
		if s.Node.Op == "Add" {
			bias[c] += v
		} else {
			scale[c], bias[c] = scale[c]*v, bias[c]*v
		}
	}
	p.PerChannel = true
	in := []int{norm.In[0], f.temporary([]int{channels}), f.temporary([]int{channels})}
	f.Values[in[1]].Const, f.Values[in[2]].Const = graph.Floats(scale, channels), graph.Floats(bias, channels)
	f.Steps[i] = newStep("", "GroupNormalization", norm.Node.Name, p, in, s.Out)
	return true
}

// perChannel is a copy of a normalization's constant with a number for each channel, nil if it is not known.
func (f *fuser) perChannel(id int, p operator.NormParams, channels int) []float32 {
	if !f.constant(id) || f.Values[id].Const.F32 == nil {
		return nil
	}
	values := f.Values[id].Const.F32
	if p.PerChannel {
		return slices.Clone(values)
	}
	out := make([]float32, channels)
	for c := range out {
		out[c] = values[c/(channels/p.Groups)]
	}
	return out
}

// squared is the value whose square a value is, −1 if it is none.
func (f *fuser) squared(id int) int {
	if pow := f.from(id, "Pow"); pow != nil && f.number(pow.In[1]) == 2 {
		return pow.In[0]
	}
	if mul := f.from(id, "Mul"); mul != nil && mul.In[0] == mul.In[1] {
		return mul.In[0]
	}
	return -1
}

// rootMeanSquare finds x / √(E x² + ε), or x times its inverse, over the last axes.
func (f *fuser) rootMeanSquare(i int) bool {
	s := f.Steps[i]
	if s.Node.Domain != "" || s.Node.Op != "Mul" && s.Node.Op != "Div" {
		return false
	}
	x, root := s.In[0], s.In[1]
	if s.Node.Op == "Mul" {
		inverse, other, ok := pair(&s, func(id int) bool { return f.inverse(id) >= 0 })
		if !ok {
			return false
		}
		x, root = other, f.inverse(inverse)
	}
	sqrt := f.from(root, "Sqrt")
	if sqrt == nil {
		return false
	}
	sum := f.from(sqrt.In[0], "Add")
	if sum == nil {
		return false
	}
	e, mean, ok := pair(sum, func(id int) bool { return f.number(id) >= 0 })
	if !ok || f.from(mean, "ReduceMean") == nil {
		return false
	}
	square := f.from(mean, "ReduceMean").In[0]
	axis, ok := f.meanOf(mean, square)
	if !ok || f.squared(square) != x || !slices.Equal(f.Values[s.Out[0]].Shape, f.Values[x].Shape) {
		return false
	}
	f.Steps[i] = newStep("", "RMSNormalization", s.Node.Name, operator.NormParams{Axis: axis, Epsilon: float32(f.number(e))}, []int{x, -1}, s.Out)
	return true
}

// inverse is the value that a value is 1 divided by, −1 if it is of no such form.
func (f *fuser) inverse(id int) int {
	if r := f.from(id, "Reciprocal"); r != nil {
		return r.In[0]
	}
	if d := f.from(id, "Div"); d != nil && f.number(d.In[0]) == 1 {
		return d.In[1]
	}
	return -1
}

// meanOf reports whether value id is the mean of x over its last axes, kept, and from which axis.
func (f *fuser) meanOf(id, x int) (axis int, ok bool) {
	s := f.from(id, "ReduceMean")
	if s == nil || s.In[0] != x {
		return 0, false
	}
	p := s.Params.(operator.ReduceParams)
	rank := len(f.Values[x].Shape)
	if !p.KeepDims || len(p.Axes) == 0 || p.Axes[0] != rank-len(p.Axes) {
		return 0, false
	}
	return p.Axes[0], true
}

// layerNormScale adds scale and bias to a layer normalization that has none, and a scale to one by the root of the
// mean square.
func (f *fuser) layerNormScale(i int) bool {
	s := f.Steps[i]
	slot := map[string]int{"Mul": 1, "Add": 2}[s.Node.Op]
	if slot == 0 || s.Node.Domain != "" {
		return false
	}
	norm := -1
	y, w, ok := pair(&s, func(id int) bool {
		return f.single(id) && (f.from(id, "LayerNormalization") != nil || f.from(id, "RMSNormalization") != nil)
	})
	if !ok || !f.constant(w) {
		return false
	}
	norm = f.producer[y]
	n := f.Steps[norm]
	shape := f.Values[n.In[0]].Shape
	axis := n.Params.(operator.NormParams).Axis
	if len(n.In) <= slot || n.In[slot] >= 0 || slot == 1 && len(n.In) > 2 && n.In[2] >= 0 || !slices.Equal(f.Values[w].Shape, shape[axis:]) {
		return false
	}
	in := slices.Clone(n.In)
	in[slot] = w
	f.Steps[i] = newStep("", n.Node.Op, n.Node.Name, n.Params, in, s.Out)
	return true
}
