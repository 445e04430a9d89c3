// Operators of sequence models with a state: linear attention, a causal convolution, and the cache of keys and values.

package operator

import (
	"math"
	"slices"
	"strings"

	"repscope/model/graph"
)

var sequenceRows = []tableRow{
	{Name: "LinearAttention", Since: 27, Types: "f", Note: "unrolled", Inputs: between(3, 6), Outputs: 2,
		Attributes: []string{"chunk_size", "kv_num_heads", "q_num_heads", "scale", "update_rule"}, infer: inferLinearAttention},
	{Name: "CausalConvWithState", Since: 27, Types: "f", Inputs: between(2, 4), Outputs: 2, Attributes: []string{"activation"},
		infer: inferCausalConv},
	{Name: "TensorScatter", Since: 24, Types: "fib", Inputs: between(2, 3), Outputs: 1, Attributes: []string{"axis", "mode"},
		infer: inferTensorScatter},
}

// linearAttention is a LinearAttention under replacement.
type linearAttention struct {
	c                           *context
	l                           *lowering
	batch, steps, heads, groups int // groups are the heads of keys, values and states
	width, values               int
	gated, delta                bool
	state                       string // [batch, groups, width, values]
}

// inferLinearAttention writes, for each step with key k, value v and query q, and with S the state of a head of the
// keys:
//
//	S = exp(decay)·S (gated rules); v = beta·(v − Sᵀ·k) (delta rules); S = S + k·vᵀ; y = scale·Sᵀ·q
func inferLinearAttention(c *context) {
	a := &linearAttention{c: c, heads: c.integer("q_num_heads", 0), groups: c.integer("kv_num_heads", 0)}
	switch rule := c.text("update_rule", "gated_delta"); rule {
	case "linear", "gated", "delta", "gated_delta":
		a.gated, a.delta = strings.HasPrefix(rule, "gated"), strings.HasSuffix(rule, "delta")
	default:
		c.failf("update_rule is %q, want linear, gated, delta or gated_delta", rule)
	}
	a.operands()
	a.l = c.unroll(a.steps, 20)
	l, each := a.l, a.heads/a.groups
	// By step: queries as rows, keys as columns, values as rows.
	queries := a.cut(c.Node.Inputs[0], each, a.width)
	keys := a.cut(c.Node.Inputs[1], a.width, 1)
	values := a.cut(c.Node.Inputs[2], 1, a.values)
	var decays, rates []string
	if a.gated {
		decays = a.cut(l.add("Exp", nil, c.Node.Inputs[4]), c.shape(4)[2]/a.groups, 1)
	}
	if a.delta {
		rates = a.cut(c.Node.Inputs[5], 1, 1)
	}
	a.start()
	outputs := make([]string, a.steps)
	for t := range a.steps {
		v := values[t]
		if a.gated {
			a.state = l.add("Mul", nil, a.state, decays[t])
		}
		if a.delta {
			known := l.add("MatMul", nil, l.reshape(keys[t], []int{a.batch, a.groups, 1, a.width}), a.state)
			v = l.add("Mul", nil, l.add("Sub", nil, v, known), rates[t])
		}
		a.state = l.add("Add", nil, a.state, l.add("Mul", nil, keys[t], v))
		outputs[t] = l.reshape(l.add("MatMul", nil, queries[t], a.state), []int{a.batch, 1, a.heads * a.values})
	}
	scale := c.float("scale", 0)
	if scale == 0 {
		scale = float32(1 / math.Sqrt(float64(a.width)))
	}
	l.finish(l.add("Mul", nil, l.concat(1, outputs...), l.number(scale)), a.state)
}

// operands checks attributes and inputs.
func (a *linearAttention) operands() {
	c := a.c
	if a.groups < 1 || a.heads < 1 || a.heads%a.groups != 0 {
		c.failf("q_num_heads is %d and kv_num_heads %d, want a multiple", a.heads, a.groups)
	}
	for i, name := range []string{"query", "key", "value", "past_state", "decay", "beta"} {
		if c.has(i) {
			c.want(i, graph.Float32)
		}
		if s := c.shape(min(i, len(c.In)-1)); i != 3 && c.has(i) && (len(s) != 3 || !slices.Equal(s[:2], c.shape(0)[:2])) {
			c.failf("input %d (%s) has shape %v, want three axes, batch and steps as query has", i, name, s)
		}
	}
	q, k, v := c.shape(0), c.shape(1), c.shape(2)
	a.batch, a.steps = q[0], q[1]
	a.width, a.values = q[2]/a.heads, v[2]/a.groups
	if a.steps == 0 || q[2] != a.heads*a.width || k[2] != a.groups*a.width || v[2] != a.groups*a.values {
		c.failf("query, key and value are %v, %v and %v for %d and %d heads", q, k, v, a.heads, a.groups)
	}
	if c.has(3) && !slices.Equal(c.shape(3), []int{a.batch, a.groups, a.width, a.values}) {
		c.failf("input 3 (past_state) has shape %v, want [%d %d %d %d]", c.shape(3), a.batch, a.groups, a.width, a.values)
	}
	if c.has(4) != a.gated || c.has(5) != a.delta {
		c.failf("decay present: %v, want %v for the update rule; beta present: %v, want %v", c.has(4), a.gated, c.has(5), a.delta)
	}
	if a.gated && c.shape(4)[2] != a.groups && c.shape(4)[2] != a.groups*a.width {
		c.failf("input 4 (decay) has shape %v, want a last axis of %d or %d", c.shape(4), a.groups, a.groups*a.width)
	}
	if a.delta && c.shape(5)[2] != a.groups && c.shape(5)[2] != 1 {
		c.failf("input 5 (beta) has shape %v, want a last axis of %d or 1", c.shape(5), a.groups)
	}
}

// cut is the value [batch, steps, n] of each step, as [batch, heads, rows, columns].
func (a *linearAttention) cut(x string, rows, columns int) []string {
	pieces := []string{x}
	if a.steps > 1 {
		pieces = a.l.split(x, 1, slices.Repeat([]int{1}, a.steps)...)
	}
	for t, piece := range pieces {
		pieces[t] = a.l.reshape(piece, []int{a.batch, -1, rows, columns})
	}
	return pieces
}

// start is the state before the first step.
func (a *linearAttention) start() {
	if a.c.has(3) {
		a.state = a.c.Node.Inputs[3]
		return
	}
	a.state = a.l.expand(a.l.number(0), a.batch, a.groups, a.width, a.values)
}

// inferCausalConv is a convolution of each channel that sees only the past: the state, or zeros, precedes the input,
// whose end is the next state.
func inferCausalConv(c *context) {
	for i := range c.In {
		c.want(i, graph.Float32)
	}
	x, w := c.shape(0), c.shape(1)
	if len(x) != 3 || len(w) != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1 {
		c.failf("input %v and weight %v, want [batch, channels, length] and [channels, 1, size]", x, w)
	}
	before := []int{x[0], x[1], w[2] - 1}
	if c.has(3) && !slices.Equal(c.shape(3), before) {
		c.failf("input 3 (past_state) has shape %v, want %v", c.shape(3), before)
	}
	l, padded := c.lower(), c.Node.Inputs[0]
	switch {
	case before[2] == 0:
	case c.has(3):
		padded = l.concat(2, c.Node.Inputs[3], padded)
	default:
		padded = l.concat(2, l.expand(l.number(0), before...), padded)
	}
	inputs := []string{padded, c.Node.Inputs[1]}
	if c.has(2) {
		inputs = append(inputs, c.Node.Inputs[2])
	}
	y := l.add("Conv", map[string]graph.Attribute{"group": graph.IntAttribute(x[1])}, inputs...)
	switch name := c.text("activation", "none"); name {
	case "none":
	case "silu", "swish":
		y = l.add("Swish", nil, y)
	default:
		c.failf("activation is %q, want none, silu or swish", name)
	}
	l.finish(y, l.slice(padded, 2, x[2], x[2]+before[2]))
}

// inferTensorScatter writes the update over the elements of the cache from each sample's index on along an axis;
// circular ones go on at its begin.
func inferTensorScatter(c *context) {
	cache, update := c.shape(0), slices.Clone(c.shape(1))
	c.alike(1, 0)
	axis := c.axis(c.integer("axis", -2), len(cache))
	mode := c.text("mode", "linear")
	if mode != "linear" && mode != "circular" {
		c.failf("mode is %q, want linear or circular", mode)
	}
	fits := len(update) == len(cache) && axis > 0
	for i, n := range update {
		fits = fits && (n == cache[i] || i == axis && n < cache[i])
	}
	if !fits {
		c.failf("cache %v and update %v along axis %d", cache, update, axis)
	}
	l := c.lower()
	steps := slices.Repeat([]int{1}, len(cache))
	steps[axis] = update[axis]
	index := graph.Ints()
	for i := range update[axis] {
		index.I64 = append(index.I64, int64(i))
	}
	index.Shape = slices.Clone(steps)
	indices := l.constant(index)
	if c.has(2) {
		c.want(2, graph.Int64)
		if !slices.Equal(c.shape(2), cache[:1]) {
			c.failf("input 2 (write_indices) has shape %v, want [%d]", c.shape(2), cache[0])
		}
		steps[axis], steps[0] = 1, cache[0]
		indices = l.add("Add", nil, indices, l.reshape(c.Node.Inputs[2], steps))
	}
	if mode == "circular" {
		indices = l.add("Mod", nil, indices, l.constant(graph.Ints(int64(cache[axis]))))
	}
	l.finish(l.add("ScatterElements", map[string]graph.Attribute{"axis": graph.IntAttribute(axis)}, c.Node.Inputs[0], l.expand(indices, update...), c.Node.Inputs[1]))
}
