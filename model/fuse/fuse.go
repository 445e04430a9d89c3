// Fusion: rewrites of a program into fewer, larger steps with the same result
// up to rounding. Each rewrite looks at a step and the steps its inputs come
// from; shapes and constants are known, so that conditions are exact.

package fuse

import (
	"math"
	"slices"

	"repscope/model/graph"
	"repscope/model/operator"
)

type fuser struct {
	*graph.Program
	producer []int // step index by value, −1
	uses     []int // by value; a program output counts as a use
	needed   []bool
	work     int // steps and values looked at
	// processor says that the program is for package cpu alone: see program.
	processor bool
	eval      graph.Evaluator // of constants
}

// fuseBudget bounds the work: a rewrite costs as much as the program is long, so
// that a program of very many steps is left as it is beyond some point.
const fuseBudget = 1 << 26

// program fuses the steps of a program. processor allows features for which only package cpu has kernels:
// [operator.AttentionParams].ZeroUndefined, [operator.PoolParams].ChannelsLast, also of transposed convolutions,
// convolutions that add a value, and products of integers; and layouts that are chosen for it.
func program(p *graph.Program, processor bool, eval graph.Evaluator) {
	f := &fuser{Program: p, processor: processor, eval: eval}
	for _, pass := range []func(*fuser, int) bool{
		(*fuser).cast, (*fuser).padding, (*fuser).groupNorm, (*fuser).groupNormScale, (*fuser).decided, (*fuser).layerNorm, (*fuser).rootMeanSquare, (*fuser).layerNormScale, (*fuser).silu, (*fuser).gelu, (*fuser).linear,
	} {
		f.sweep(pass)
	}
	f.sweep((*fuser).attention)
	if processor {
		f.sweep((*fuser).movedCast)
		f.sweep((*fuser).integerCast)
		f.sweep((*fuser).identity)
		f.sweep((*fuser).splitConcat)
		f.tables()
		f.sweep((*fuser).splitLinear)
	}
	f.channelsLast()
	for range len(p.Steps) {
		if !f.sweep((*fuser).sinkTranspose) || f.work >= fuseBudget {
			break
		}
	}
	f.sweep((*fuser).viewTranspose)
	if processor {
		f.sweep((*fuser).convResidual)
	}
	f.sweep((*fuser).activation)
	f.sweep((*fuser).convNorm)
	f.sweep((*fuser).convInput)
	f.sweep((*fuser).linearOrder)
	f.sweep((*fuser).residual)
	if processor {
		f.sweep((*fuser).gated)
		f.integers()
		f.sweep((*fuser).followUp)
		f.sweep((*fuser).prologue)
		f.bytes()
	}
}

// sweep applies a rewrite to every step and reports whether it changed any.
func (f *fuser) sweep(rewrite func(*fuser, int) bool) bool {
	changed := false
	f.index()
	for i := 0; i < len(f.Steps) && f.work < fuseBudget; i++ {
		if rewrite(f, i) {
			changed = true
			f.work += len(f.Steps) + len(f.Values)
			f.needed = resized(f.needed, len(f.Values))
			f.Prune(f.needed)
			f.index()
			i = min(i, len(f.Steps)) - 1
			i = max(i-1, -1)
		}
	}
	return changed
}

func (f *fuser) index() {
	// In the same memory each time: much is rewritten in a large program.
	f.producer, f.uses = resized(f.producer, len(f.Values)), resized(f.uses, len(f.Values))
	for id := range f.Values {
		f.producer[id], f.uses[id] = -1, 0
	}
	for i, s := range f.Steps {
		for _, id := range s.Out {
			if id >= 0 {
				f.producer[id] = i
			}
		}
		for _, id := range s.In {
			if id >= 0 {
				f.uses[id]++
			}
		}
	}
	for _, id := range f.Outputs {
		f.uses[id]++
	}
	// Views follow the memory of their input.
	for _, s := range f.Steps {
		if s.Op.View {
			f.Values[s.Out[0]].Root = f.Values[s.In[0]].Root
		}
	}
}

func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// from returns the step that makes a value if it has this name, else nil.
func (f *fuser) from(id int, op string) *graph.Step {
	if id < 0 || f.producer[id] < 0 {
		return nil
	}
	if s := &f.Steps[f.producer[id]]; s.Node.Op == op {
		return s
	}
	return nil
}

// single reports whether the step is the only user of value id.
func (f *fuser) single(id int) bool { return f.uses[id] == 1 }

// number is the value of a constant with one element.
func (f *fuser) number(id int) float64 {
	if id < 0 || f.Values[id].Const == nil {
		return math.NaN()
	}
	v, _ := f.Values[id].Const.Scalar()
	return v
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func (f *fuser) constant(id int) bool { return id >= 0 && f.Values[id].Const != nil }

// newStep is a step of an internal or ONNX operator for the output of another step.
func newStep(domain, op, name string, params any, in, out []int) graph.Step {
	return graph.Step{Node: &graph.Node{Name: name, Domain: domain, Op: op}, Op: operator.Internal(domain, op), In: in, Out: out, Params: params}
}

// pair finds which input of a commutative step satisfies ok, and the other one.
func pair(s *graph.Step, ok func(int) bool) (match, other int, matched bool) {
	for k := range 2 {
		if ok(s.In[k]) {
			return s.In[k], s.In[1-k], true
		}
	}
	return -1, -1, false
}

// cast drops a conversion to the type that a value is computed in anyway.
func (f *fuser) cast(i int) bool {
	s := f.Steps[i]
	p, ok := s.Params.(operator.CastParams)
	if !ok || s.Node.Op != "Cast" || f.Values[s.In[0]].DType != graph.Float32 || p.To != graph.ElementFloat && p.To != graph.ElementDouble ||
		slices.Contains(f.Outputs, s.Out[0]) {
		return false
	}
	f.replace(s.Out[0], s.In[0])
	f.Steps = slices.Delete(f.Steps, i, i+1)
	return true
}

// padding lets a convolution surround its input with the zeros that a step before it adds.
func (f *fuser) padding(i int) bool {
	s := f.Steps[i]
	c, ok := s.Params.(*operator.ConvParams)
	if !ok || s.Node.Op != "Conv" || s.Node.Domain != "" {
		return false
	}
	pad := f.from(s.In[0], "Pad")
	if pad == nil {
		return false
	}
	p := pad.Params.(operator.PadParams)
	if p.Mode != "constant" || p.Value.Float != 0 || slices.Min(p.Before) < 0 || slices.Min(p.After) < 0 ||
		slices.Max(p.Before[:2]) > 0 || slices.Max(p.After[:2]) > 0 {
		return false
	}
	q := *c
	q.Before, q.After = slices.Clone(c.Before), slices.Clone(c.After)
	for a := range c.Before {
		q.Before[a] += p.Before[2+a]
		q.After[a] += p.After[2+a]
	}
	f.Steps[i].Params, f.Steps[i].In = &q, slices.Clone(s.In)
	f.Steps[i].In[0] = pad.In[0]
	return true
}

// replace makes all steps use one value instead of another.
func (f *fuser) replace(id, replacement int) {
	for k := range f.Steps {
		for j, in := range f.Steps[k].In {
			if in == id {
				f.Steps[k].In[j] = replacement
			}
		}
	}
}

// silu finds x · σ(α·x).
func (f *fuser) silu(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Mul" || s.Node.Domain != "" {
		return false
	}
	sigmoid, x, ok := pair(&s, func(id int) bool { return f.from(id, "Sigmoid") != nil })
	if !ok {
		return false
	}
	if inside := f.from(sigmoid, "Sigmoid").In[0]; inside != x {
		m := f.from(inside, "Mul")
		if m == nil {
			return false
		}
		alpha, operand, ok := pair(m, func(id int) bool { return !math.IsNaN(f.number(id)) })
		if !ok || operand != x || !slices.Equal(f.Values[s.Out[0]].Shape, f.Values[x].Shape) {
			return false
		}
		f.Steps[i] = newStep("", "Swish", s.Node.Name, operator.Activation{Op: "Swish", Alpha: float32(f.number(alpha))}, []int{x}, s.Out)
		return true
	}
	f.Steps[i] = newStep("repscope", "Silu", s.Node.Name, operator.Activation{Op: "Silu"}, []int{x}, s.Out)
	return true
}

// gelu finds ½ · x · (1 + erf(x/√2)) in any order of its factors.
func (f *fuser) gelu(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Mul" || s.Node.Domain != "" {
		return false
	}
	factors := f.factors(i)
	if len(factors) != 3 {
		return false
	}
	half := slices.IndexFunc(factors, func(id int) bool { return f.number(id) == 0.5 })
	if half < 0 {
		return false
	}
	factors = slices.Delete(factors, half, half+1)
	for k, id := range factors {
		add := f.from(id, "Add")
		if add == nil {
			continue
		}
		x := factors[1-k]
		e, one, ok := pair(add, func(id int) bool { return f.from(id, "Erf") != nil })
		if !ok || f.number(one) != 1 {
			continue
		}
		argument := f.from(e, "Erf").In[0]
		if d := f.from(argument, "Div"); d != nil && d.In[0] == x && near(f.number(d.In[1]), math.Sqrt2) {
			f.Steps[i] = newStep("", "Gelu", s.Node.Name, operator.Activation{Op: "Gelu"}, []int{x}, s.Out)
			return true
		}
		if m := f.from(argument, "Mul"); m != nil {
			c, y, ok := pair(m, func(id int) bool { return near(f.number(id), 1/math.Sqrt2) })
			if ok && c >= 0 && y == x {
				f.Steps[i] = newStep("", "Gelu", s.Node.Name, operator.Activation{Op: "Gelu"}, []int{x}, s.Out)
				return true
			}
		}
	}
	return false
}

// factors lists the operands of a product of two nested multiplications.
func (f *fuser) factors(i int) []int {
	s := f.Steps[i]
	for k := range 2 {
		if m := f.from(s.In[k], "Mul"); m != nil && f.single(s.In[k]) {
			return []int{s.In[1-k], m.In[0], m.In[1]}
		}
	}
	return nil
}

// stored is a constant matrix as its file has it, and whether it must then be transposed.
func (f *fuser) stored(id int, transposed bool) (int, bool) {
	v := f.Values[id]
	if v.Const.Transposed() == nil {
		return id, transposed
	}
	id = f.temporary(v.Const.Transposed().Shape)
	f.Values[id].Name, f.Values[id].Const = v.Name, v.Const.Transposed()
	return id, !transposed
}

// linear turns a product with a constant matrix, with or without a bias, into one step.
func (f *fuser) linear(i int) bool {
	s := f.Steps[i]
	switch {
	case s.Node.Domain != "":
		return false
	case s.Node.Op == "Gemm":
		p := s.Params.(*operator.GemmParams)
		w := s.In[1]
		if p.TransA || p.Alpha != 1 || !f.constant(w) {
			return false
		}
		bias := -1
		if len(s.In) > 2 && s.In[2] >= 0 {
			bias = s.In[2]
			if p.Beta != 1 || !f.constant(bias) || !slices.Equal(f.Values[bias].Shape, f.Values[s.Out[0]].Shape[1:]) {
				return false
			}
		}
		w, transposed := f.stored(w, p.TransB)
		f.Steps[i] = newStep("repscope", "Linear", s.Node.Name, &operator.GemmParams{TransB: transposed, Alpha: 1, Beta: 1}, []int{s.In[0], w, bias}, s.Out)
		return true
	case s.Node.Op == "MatMul":
		w := s.In[1]
		if !f.constant(w) || len(f.Values[w].Shape) != 2 || len(f.Values[s.In[0]].Shape) < 2 {
			return false
		}
		w, transposed := f.stored(w, false)
		f.Steps[i] = newStep("repscope", "Linear", s.Node.Name, &operator.GemmParams{TransB: transposed, Alpha: 1, Beta: 1}, []int{s.In[0], w, -1}, s.Out)
		return true
	case s.Node.Op == "Add":
		y, bias, ok := pair(&s, func(id int) bool { return f.from(id, "Linear") != nil && f.single(id) })
		if !ok || !f.constant(bias) {
			return false
		}
		l := f.Steps[f.producer[y]]
		shape := f.Values[y].Shape
		if l.In[2] >= 0 || !slices.Equal(f.Values[bias].Shape, shape[len(shape)-1:]) || !slices.Equal(f.Values[s.Out[0]].Shape, shape) {
			return false
		}
		f.Steps[i] = newStep("repscope", "Linear", l.Node.Name, l.Params, []int{l.In[0], l.In[1], bias}, s.Out)
		return true
	}
	return false
}

// temporary enters a value that no node of the file names.
func (f *fuser) temporary(shape []int) int {
	id := len(f.Values)
	f.Values = append(f.Values, graph.Value{Type: graph.Type{DType: graph.Float32, Shape: shape}, Root: id})
	return id
}

func permuted[T any](shape []T, perm []int) []T {
	out := make([]T, len(perm))
	for i, p := range perm {
		out[i] = shape[p]
	}
	return out
}

// activation lets a convolution or linear step apply the function that follows it.
func (f *fuser) activation(i int) bool {
	s := f.Steps[i]
	a, ok := s.Params.(operator.Activation)
	if !ok || !f.single(s.In[0]) || f.Values[s.In[0]].DType != graph.Float32 {
		return false
	}
	before := f.producer[s.In[0]]
	if before < 0 {
		return false
	}
	b := f.Steps[before]
	if n, ok := b.Params.(operator.NormParams); ok && f.processor && b.Node.Op == "BatchNormalization" && a.Op == "Relu" && !n.Relu &&
		n.Axis == len(f.Values[s.In[0]].Shape)-1 && n.Axis > 1 {
		n.Relu = true
		b.Params, b.Out = n, s.Out
		f.Steps[i] = b
		f.Steps = slices.Delete(f.Steps, before, before+1)
		return true
	}
	if c, ok := b.Params.(*operator.ConvParams); b.Node.Domain != "repscope" && !(ok && c.ChannelsLast) {
		return false
	}
	switch p := b.Params.(type) {
	case *operator.ConvParams:
		if p.Activation.Op != "" || p.Norm != nil {
			return false
		}
		q := *p
		q.Activation = a
		b.Params = &q
	case *operator.GemmParams:
		if p.Activation.Op != "" {
			return false
		}
		q := *p
		q.Activation = a
		b.Params = &q
	default:
		return false
	}
	b.Out = s.Out
	f.Steps[i] = b
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// convNorm lets a convolution normalize its channels.
func (f *fuser) convNorm(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "LayerNormalization" || !f.single(s.In[0]) {
		return false
	}
	n := s.Params.(operator.NormParams)
	before := f.producer[s.In[0]]
	if before < 0 || f.Steps[before].Node.Domain != "repscope" || f.Steps[before].Node.Op != "Conv" {
		return false
	}
	b := f.Steps[before]
	p := *b.Params.(*operator.ConvParams)
	shape := f.Values[s.In[0]].Shape
	if p.Norm != nil || n.Axis != len(shape)-1 {
		return false
	}
	in := slices.Clone(b.In)
	for k := 1; k < len(s.In); k++ {
		if s.In[k] < 0 {
			continue
		}
		if !f.constant(s.In[k]) || !slices.Equal(f.Values[s.In[k]].Shape, shape[len(shape)-1:]) {
			return false
		}
		in[2+k] = s.In[k]
	}
	p.Norm = &n
	f.Steps[i] = graph.Step{Node: b.Node, Op: b.Op, In: in, Out: s.Out, Params: &p}
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// convInput lets a convolution read its channels first where nothing else wants them last.
func (f *fuser) convInput(i int) bool {
	s := f.Steps[i]
	if s.Node.Domain != "repscope" || s.Node.Op != "Conv" {
		return false
	}
	p := *s.Params.(*operator.ConvParams)
	t := f.from(s.In[0], "Transpose")
	if t == nil || !f.single(s.In[0]) || p.ChannelsFirstInput ||
		!slices.Equal(t.Params.(operator.TransposeParams).Perm, lastPermutation(len(f.Values[s.In[0]].Shape))) {
		return false
	}
	p.ChannelsFirstInput = true
	f.Steps[i].Params = &p
	f.Steps[i].In = slices.Clone(s.In)
	f.Steps[i].In[0] = t.In[0]
	return true
}

// linearOrder lets a linear step take its inputs in the order they had before
// a transposition and a flattening; the weights are packed in that order.
func (f *fuser) linearOrder(i int) bool {
	s := f.Steps[i]
	if s.Node.Domain != "repscope" || s.Node.Op != "Linear" {
		return false
	}
	p := *s.Params.(*operator.GemmParams)
	x := s.In[0]
	if p.Perm != nil || f.producer[x] < 0 || !f.single(x) || len(f.Values[x].Shape) != 2 {
		return false
	}
	view := f.Steps[f.producer[x]]
	if !view.Op.View {
		return false
	}
	t := f.from(view.In[0], "Transpose")
	if t == nil || !f.single(view.In[0]) {
		return false
	}
	perm := t.Params.(operator.TransposeParams).Perm
	shape := f.Values[t.In[0]].Shape
	if len(perm) < 3 || perm[0] != 0 || shape[0] != f.Values[x].Shape[0] {
		return false
	}
	p.Shape, p.Perm = shape[1:], make([]int, len(perm)-1)
	for k, a := range perm[1:] {
		p.Perm[k] = a - 1
	}
	flat := f.temporary(f.Values[x].Shape)
	step := newStep("", "Reshape", s.Node.Name, nil, []int{t.In[0]}, []int{flat})
	f.Steps[i].Params = &p
	f.Steps[i].In = slices.Clone(s.In)
	f.Steps[i].In[0] = flat
	f.Steps = slices.Insert(f.Steps, i, step)
	return true
}

// residual lets a linear step add a value of its result's shape, as the last thing it does.
func (f *fuser) residual(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Add" || s.Node.Domain != "" || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	y, other, ok := pair(&s, func(id int) bool {
		l := f.from(id, "Linear")
		return l != nil && f.single(id) && len(l.In) == 3 && (f.processor || l.In[2] >= 0) && l.Params.(*operator.GemmParams).Activation.Op == ""
	})
	if !ok || f.constant(other) || !slices.Equal(f.Values[y].Shape, f.Values[other].Shape) {
		return false
	}
	before := f.producer[y]
	l := f.Steps[before]
	l.In, l.Out = append(slices.Clone(l.In), other), s.Out
	f.Steps[i] = l
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// splitLinear computes the parts of a linear step that a split makes, such as a value and its gate, one by one.
func (f *fuser) splitLinear(i int) bool {
	s := f.Steps[i]
	p, ok := s.Params.(operator.SplitParams)
	if !ok || s.Node.Op != "Split" || p.Axis != len(f.Values[s.In[0]].Shape)-1 || !f.single(s.In[0]) || slices.Min(p.Sizes) < 16 {
		return false
	}
	l := f.from(s.In[0], "Linear")
	if l == nil || len(l.In) != 3 {
		return false
	}
	all := l.Params.(*operator.GemmParams)
	if all.Activation.Op != "" || all.Perm != nil || all.Columns > 0 {
		return false
	}
	var bias []float32
	if l.In[2] >= 0 {
		var err error
		if bias, err = f.Values[l.In[2]].Const.Load(nil); err != nil {
			return false
		}
	}
	var steps []graph.Step
	first := 0
	for k, n := range p.Sizes {
		q, in := *all, slices.Clone(l.In)
		q.First, q.Columns = first, f.Values[s.In[0]].Shape[p.Axis]
		if bias != nil {
			in[2] = f.temporary([]int{n})
			f.Values[in[2]].Const = graph.Floats(bias[first:first+n], n)
		}
		steps = append(steps, newStep("repscope", "Linear", l.Node.Name, &q, in, s.Out[k:k+1]))
		first += n
	}
	before := f.producer[s.In[0]]
	f.Steps = slices.Replace(f.Steps, i, i+1, steps...)
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// gated lets a linear step multiply its result by a value of the same shape, as the last thing it does.
func (f *fuser) gated(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Mul" || s.Node.Domain != "" || f.Values[s.Out[0]].DType != graph.Float32 ||
		!slices.Equal(f.Values[s.In[0]].Shape, f.Values[s.In[1]].Shape) {
		return false
	}
	y, other, ok := pair(&s, func(id int) bool {
		l := f.from(id, "Linear")
		return l != nil && f.single(id) && len(l.In) == 3
	})
	if !ok || f.constant(other) || y == other {
		return false
	}
	before := f.producer[y]
	l := f.Steps[before]
	q := *l.Params.(*operator.GemmParams)
	q.Gated = true
	l.In, l.Out, l.Params = append(slices.Clone(l.In), other), s.Out, &q
	f.Steps[i] = l
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}

// convResidual lets a convolution add a value of its result's shape, before its activation.
func (f *fuser) convResidual(i int) bool {
	s := f.Steps[i]
	if s.Node.Op != "Add" || s.Node.Domain != "" || f.Values[s.Out[0]].DType != graph.Float32 {
		return false
	}
	y, other, ok := pair(&s, func(id int) bool {
		c := f.from(id, "Conv")
		return c != nil && c.Node.Domain == "repscope" && f.single(id) && len(c.In) == 5
	})
	if !ok || f.constant(other) || !slices.Equal(f.Values[y].Shape, f.Values[other].Shape) {
		return false
	}
	before := f.producer[y]
	c := f.Steps[before]
	c.In, c.Out = append(slices.Clone(c.In), other), s.Out
	f.Steps[i] = c
	f.Steps = slices.Delete(f.Steps, before, before+1)
	return true
}
