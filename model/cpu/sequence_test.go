// Attention, rotary embeddings, normalization by the root mean square, gates and linear attention of ONNX against
// loops in float64 that follow the standard's text, for odd shapes, and their bits between threads and batches.

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
)

// nodeGraph is a graph of nodes whose inputs are named; the first outputs of the last node are watched.
func nodeGraph(opset int, inputs []string, types []graph.DType, outputs []string, nodes ...*graph.Node) *graph.Graph {
	g := &graph.Graph{Opset: opset, Nodes: nodes, Constants: map[string]*graph.Tensor{}}
	for i, name := range inputs {
		g.Inputs = append(g.Inputs, graph.Port{Name: name, DType: types[i]})
	}
	for _, name := range outputs {
		g.Outputs = append(g.Outputs, graph.Port{Name: name})
	}
	return g
}

// computed runs a graph, which it prepares, and names the steps that are no views.
func computed(t *testing.T, g *graph.Graph, threads int, inputs ...*graph.Tensor) ([]*graph.Tensor, string) {
	t.Helper()
	if err := g.Prepare(fuse.ProcessorRules(Evaluate)); err != nil {
		t.Fatal(err)
	}
	var operands []graph.Operand
	for _, x := range inputs {
		operands = append(operands, graph.Operand{Type: graph.Type{DType: x.DType, Shape: x.Shape}})
	}
	p, err := g.Specialize(operands)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range p.Steps {
		if !s.Op.View {
			steps = append(steps, s.Op.Name)
		}
	}
	e := New(g, threads)
	defer e.Close()
	out, err := e.Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	var copies []*graph.Tensor
	for _, x := range out {
		copies = append(copies, &graph.Tensor{DType: x.DType, Shape: slices.Clone(x.Shape), F32: slices.Clone(x.F32)})
	}
	return copies, strings.Join(steps, " ")
}

// gaussian is a tensor of random numbers.
func gaussian(r *rand.Rand, shape ...int) *graph.Tensor {
	x := make([]float32, graph.Count(shape))
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return graph.Floats(x, shape...)
}

// agree fails unless numbers are within a tolerance of those in float64; a NaN is wanted where one is.
func agree(t *testing.T, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i, w := range want {
		v := float64(got[i])
		if v != w && !(math.IsNaN(v) && math.IsNaN(w)) && !(math.Abs(v-w) <= tolerance*(1+math.Abs(w))) {
			t.Fatalf("element %d is %g, want %g", i, v, w)
		}
	}
}

// attentionCase is a random form of Attention.
type attentionCase struct {
	batch, heads, groups, queries, keys, past, width, values int
	packed, causal                                           bool
	left, right                                              int
	softcap, scale                                           float64
	mask                                                     *graph.Tensor // [batch or 1, heads or 1, queries, all keys]
	valid                                                    *graph.Tensor
}

func randomAttention(r *rand.Rand, trial int) *attentionCase {
	c := &attentionCase{batch: 1 + r.IntN(3), groups: 1 + r.IntN(3), queries: 1 + r.IntN(9), keys: 1 + r.IntN(9), width: 1 + r.IntN(9),
		values: 1 + r.IntN(9), packed: trial%2 == 1, causal: trial%3 == 0, left: -1, right: -1, scale: 0.3}
	if trial%5 == 0 { // several blocks of queries
		c.queries, c.keys, c.width = 40+r.IntN(80), 40+r.IntN(80), 16
	}
	c.heads = c.groups * (1 + r.IntN(3))
	if trial%4 == 1 {
		c.left, c.right = r.IntN(6)-1, r.IntN(6)-1
	}
	if trial%7 == 2 {
		c.softcap = 1.5
	}
	switch trial % 6 {
	case 1, 2:
		c.past = r.IntN(5)
	case 3:
		c.valid = graph.Ints()
		for range c.batch {
			c.valid.I64 = append(c.valid.I64, int64(r.IntN(c.keys+1)))
		}
		c.valid.Shape = []int{c.batch}
	}
	if trial%2 == 0 {
		shape := []int{1, 1, c.queries, c.keys + c.past}
		if r.IntN(2) == 0 {
			shape[0], shape[1] = c.batch, c.heads
		}
		c.mask = gaussian(r, shape...)
		for i, v := range c.mask.F32 {
			if v > 0.5 || i/shape[3]%5 == 4 { // every fifth query attends to nothing
				c.mask.F32[i] = float32(math.Inf(-1))
			}
		}
		if trial%8 == 0 {
			seen := &graph.Tensor{DType: graph.Bool, Shape: shape}
			for _, v := range c.mask.F32 {
				seen.Bool = append(seen.Bool, v > -10)
			}
			c.mask = seen
		}
	}
	return c
}

// bias is the bias of a score; offset is the number of keys before the first query.
func (c *attentionCase) bias(b, h, i, j int) float64 {
	offset, keys := c.past, c.keys+c.past
	if c.valid != nil {
		offset = int(c.valid.I64[b]) - c.queries
		if j >= int(c.valid.I64[b]) {
			return math.Inf(-1)
		}
	}
	if c.causal && j > i+offset || c.left >= 0 && j < i+offset-c.left || c.right >= 0 && j > i+offset+c.right {
		return math.Inf(-1)
	}
	if c.mask == nil {
		return 0
	}
	index := i*keys + j
	if c.mask.Shape[0] == c.batch && c.mask.Shape[1] == c.heads {
		index += (b*c.heads + h) * c.queries * keys
	}
	if c.mask.DType == graph.Bool {
		if c.mask.Bool[index] {
			return 0
		}
		return math.Inf(-1)
	}
	return float64(c.mask.F32[index])
}

// row is a row of Q, K or V, or of the past.
func (c *attentionCase) row(x, past []float32, heads, length, before, width, b, h, i int) []float32 {
	if i < before {
		return past[((b*heads+h)*before+i)*width:][:width]
	}
	i -= before
	if c.packed {
		return x[((b*length+i)*heads+h)*width:][:width]
	}
	return x[((b*heads+h)*length+i)*width:][:width]
}

// reference is the standard's formula in float64, in the layout of Y.
func (c *attentionCase) reference(q, k, v, pastK, pastV []float32) []float64 {
	out := make([]float64, c.batch*c.heads*c.queries*c.values)
	keys := c.keys + c.past
	for b := range c.batch {
		for h := range c.heads {
			g := h / (c.heads / c.groups)
			for i := range c.queries {
				query := c.row(q, nil, c.heads, c.queries, 0, c.width, b, h, i)
				scores, top, hidden := make([]float64, keys), math.Inf(-1), true
				for j := range scores {
					s := 0.0
					for d, x := range c.row(k, pastK, c.groups, c.keys, c.past, c.width, b, g, j) {
						s += float64(query[d]) * float64(x)
					}
					s *= c.scale
					if c.softcap > 0 {
						s = c.softcap * math.Tanh(s/c.softcap)
					}
					bias := c.bias(b, h, i, j)
					hidden = hidden && math.IsInf(bias, -1)
					scores[j] = s + bias
					top = max(top, scores[j])
				}
				offset := ((b*c.heads+h)*c.queries + i) * c.values
				if c.packed {
					offset = ((b*c.queries+i)*c.heads + h) * c.values
				}
				if hidden {
					continue
				}
				sum := 0.0
				for j, s := range scores {
					w := math.Exp(s - top)
					sum += w
					for d, x := range c.row(v, pastV, c.groups, c.keys, c.past, c.values, b, g, j) {
						out[offset+d] += w * float64(x)
					}
				}
				for d := range c.values {
					out[offset+d] /= sum
				}
			}
		}
	}
	return out
}

// tensors are random operands; an element of the queries is NaN at times.
func (c *attentionCase) tensors(r *rand.Rand) (operands []*graph.Tensor) {
	operand := func(heads, length, width int) *graph.Tensor {
		if c.packed {
			return gaussian(r, c.batch, length, heads*width)
		}
		return gaussian(r, c.batch, heads, length, width)
	}
	operands = []*graph.Tensor{operand(c.heads, c.queries, c.width), operand(c.groups, c.keys, c.width), operand(c.groups, c.keys, c.values)}
	if r.IntN(6) == 0 {
		operands[0].F32[r.IntN(len(operands[0].F32))] = float32(math.NaN())
	}
	if c.past > 0 {
		operands = append(operands, gaussian(r, c.batch, c.groups, c.past, c.width), gaussian(r, c.batch, c.groups, c.past, c.values))
	}
	return operands
}

// graph is the node, with the mask as a constant or an input.
func (c *attentionCase) graph(constant bool) (*graph.Graph, []*graph.Tensor) {
	integer := func(v int) graph.Attribute { return graph.IntAttribute(v) }
	n := &graph.Node{Op: "Attention", Inputs: []string{"q", "k", "v"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{
		"left_window_size": integer(c.left), "right_window_size": integer(c.right),
		"scale": {Kind: graph.AttributeFloat, Float: float32(c.scale)}, "softcap": {Kind: graph.AttributeFloat, Float: float32(c.softcap)}}}
	if c.causal {
		n.Attributes["is_causal"] = integer(1)
	}
	if c.packed {
		n.Attributes["q_num_heads"], n.Attributes["kv_num_heads"] = integer(c.heads), integer(c.groups)
	}
	inputs, types := []string{"q", "k", "v"}, slices.Repeat([]graph.DType{graph.Float32}, 3)
	n.Inputs = append(n.Inputs, "", "", "", "")
	if c.past > 0 {
		n.Inputs[4], n.Inputs[5] = "pk", "pv"
		inputs, types = append(inputs, "pk", "pv"), append(types, graph.Float32, graph.Float32)
	}
	var more []*graph.Tensor
	if c.valid != nil {
		n.Inputs[6] = "valid"
		inputs, types, more = append(inputs, "valid"), append(types, graph.Int64), append(more, c.valid)
	}
	if c.mask != nil {
		n.Inputs[3] = "mask"
		if !constant {
			inputs, types, more = append(inputs, "mask"), append(types, c.mask.DType), append(more, c.mask)
		}
	}
	g := nodeGraph(25, inputs, types, []string{"y"}, n)
	if c.mask != nil && constant {
		g.Constants["mask"] = c.mask
	}
	return g, more
}

func TestAttentionOperator(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(23, 25))
	for trial := range 120 {
		c := randomAttention(r, trial)
		t.Run(fmt.Sprintf("%d/%dx%dof%dx%dx%d+%dx%dx%d", trial, c.batch, c.heads, c.groups, c.queries, c.keys, c.past, c.width, c.values), func(t *testing.T) {
			x := c.tensors(r)
			var pastK, pastV []float32
			if c.past > 0 {
				pastK, pastV = x[3].F32, x[4].F32
			}
			want := c.reference(x[0].F32, x[1].F32, x[2].F32, pastK, pastV)
			for _, constant := range []bool{true, false} {
				g, more := c.graph(constant)
				out, steps := computed(t, g, 1, append(slices.Clone(x), more...)...)
				agree(t, out[0].F32, want, 2e-5)
				if !strings.HasSuffix(steps, "Attention") || strings.Contains(steps, "MatMul") {
					t.Errorf("steps %s, want all of the attention in one", steps)
				}
				g, more = c.graph(constant)
				again, _ := computed(t, g, 3, append(slices.Clone(x), more...)...)
				if !slices.EqualFunc(again[0].F32, out[0].F32, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
					t.Error("three threads give other bits")
				}
			}
		})
	}
}

// The last element of a batch has the bits that it has alone.
func TestAttentionBatches(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(29, 25))
	for trial := range 12 {
		c := &attentionCase{batch: 2 + r.IntN(3), heads: 4, groups: 2, queries: 30 + r.IntN(60), keys: 70, width: 8, values: 5, packed: trial%2 == 0,
			causal: trial%3 == 0, left: -1, right: -1, scale: 0.3}
		x := c.tensors(r)
		g, _ := c.graph(true)
		all, _ := computed(t, g, 2, x...)
		for i, v := range x {
			n := len(v.F32) / c.batch
			x[i] = graph.Floats(v.F32[len(v.F32)-n:], append([]int{1}, v.Shape[1:]...)...)
		}
		g, _ = c.graph(true)
		alone, _ := computed(t, g, 1, x...)
		if n := len(alone[0].F32); !slices.EqualFunc(alone[0].F32, all[0].F32[len(all[0].F32)-n:], func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Errorf("trial %d: the last element of the batch alone gives other bits", trial)
		}
	}
}

// TestRotaryOperator turns Q and K, which are one value, and attends; the rotation is part of the step.
func TestRotaryOperator(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 25))
	for trial := range 48 {
		batch, heads, length, part := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(60), 2*(1+r.IntN(20))
		width := part + trial%3*r.IntN(9)
		packed, interleaved := trial%2 == 0, trial%4 < 2
		if packed {
			width = part + 2*(width-part)
		}
		shape := []int{batch, heads, length, width}
		if packed {
			shape = []int{batch, length, heads * width}
		}
		x, cos, sin := gaussian(r, shape...), gaussian(r, length, part/2), gaussian(r, length, part/2)
		attributes := map[string]graph.Attribute{"num_heads": graph.IntAttribute(heads), "rotary_embedding_dim": graph.IntAttribute(part % width)}
		if interleaved {
			attributes["interleaved"] = graph.IntAttribute(1)
		}
		turn := &graph.Node{Op: "RotaryEmbedding", Inputs: []string{"x", "cos", "sin", "ids"}, Outputs: []string{"t"}, Attributes: attributes}
		attend := &graph.Node{Op: "Attention", Inputs: []string{"t", "t", "x"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{}}
		if packed {
			attend.Attributes["q_num_heads"], attend.Attributes["kv_num_heads"] = graph.IntAttribute(heads), graph.IntAttribute(heads)
		}
		ids := graph.Ints()
		for range batch {
			for i := range length {
				ids.I64 = append(ids.I64, int64(i))
			}
		}
		ids.Shape = []int{batch, length}
		turned := slices.Clone(x.F32)
		for offset := range turned {
			row, d := offset/width, offset%width
			i := row % length
			if packed {
				i = row / heads % length
			}
			other, pair, sign := (d+part/2)%part, d%(part/2), -1.0
			if interleaved {
				other, pair = d^1, d/2
			}
			if d >= part {
				continue
			}
			if other < d {
				sign = 1
			}
			angle := i*(part/2) + pair
			turned[offset] = float32(float64(x.F32[offset])*float64(cos.F32[angle]) + sign*float64(x.F32[row*width+other])*float64(sin.F32[angle]))
		}
		for _, attended := range []bool{false, true} {
			nodes, output := []*graph.Node{turn}, "t"
			if attended {
				nodes, output = append(nodes, attend), "y"
			}
			g := nodeGraph(23, []string{"x"}, []graph.DType{graph.Float32}, []string{output}, nodes...)
			g.Constants["cos"], g.Constants["sin"], g.Constants["ids"] = cos, sin, ids
			out, steps := computed(t, g, 2, x)
			if !attended {
				want := make([]float64, len(turned))
				for i, v := range turned {
					want[i] = float64(v)
				}
				agree(t, out[0].F32, want, 1e-6)
				continue
			}
			c := &attentionCase{batch: batch, heads: heads, groups: heads, queries: length, keys: length, width: width, values: width, packed: packed,
				left: -1, right: -1, scale: 1 / math.Sqrt(float64(width))}
			agree(t, out[0].F32, c.reference(turned, turned, x.F32, nil, nil), 2e-5)
			if steps != "Attention" {
				t.Errorf("trial %d (interleaved %v, %d of %d): steps %s", trial, interleaved, part, width, steps)
			}
		}
	}
}

func TestRootMeanSquare(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(37, 25))
	for trial := range 40 {
		rows, width := 1+r.IntN(9), 1+r.IntN(70)
		if trial%3 == 0 {
			width = 16 * (1 + r.IntN(9))
		}
		x, scale := gaussian(r, rows, width), gaussian(r, width)
		if trial%8 == 5 {
			x.F32[r.IntN(len(x.F32))] = float32(math.NaN())
		}
		if trial%8 == 6 {
			clear(x.F32)
		}
		want := make([]float64, len(x.F32))
		for i := range want {
			sum := 0.0
			for _, v := range x.F32[i/width*width:][:width] {
				sum += float64(v) * float64(v)
			}
			want[i] = float64(x.F32[i]) / math.Sqrt(sum/float64(width)+1e-5) * float64(scale.F32[i%width])
		}
		g := nodeGraph(23, []string{"x", "s"}, []graph.DType{graph.Float32, graph.Float32}, []string{"y"},
			&graph.Node{Op: "RMSNormalization", Inputs: []string{"x", "s"}, Outputs: []string{"y"}})
		out, _ := computed(t, g, 2, x, scale)
		agree(t, out[0].F32, want, 1e-6)
	}
}

// A gated unit, with both projections in one product or in two, is products alone.
func TestGatedProducts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(41, 25))
	for trial := range 24 {
		rows, k, n := 1+r.IntN(300), 1+r.IntN(40), 16+r.IntN(60)
		joined, biased := trial%2 == 0, trial%4 < 2
		x, w, bias := gaussian(r, rows, k), gaussian(r, k, 2*n), gaussian(r, 2*n)
		g := nodeGraph(28, []string{"x"}, []graph.DType{graph.Float32}, []string{"y"})
		add := func(op, out string, attributes map[string]graph.Attribute, in ...string) {
			g.Nodes = append(g.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: strings.Fields(out), Attributes: attributes})
		}
		if joined {
			g.Constants["w"], g.Constants["b"] = w, bias
			if biased {
				add("MatMul", "p", nil, "x", "w")
				add("Add", "q", nil, "p", "b")
			} else {
				add("MatMul", "q", nil, "x", "w")
			}
			add("Split", "gate value", map[string]graph.Attribute{"axis": graph.IntAttribute(-1), "num_outputs": graph.IntAttribute(2)}, "q")
		} else {
			for half, name := range []string{"gate", "value"} {
				part := graph.Floats(make([]float32, k*n), k, n)
				for i := range part.F32 {
					part.F32[i] = w.F32[i/n*2*n+half*n+i%n]
				}
				g.Constants["w"+name], g.Constants["b"+name] = part, graph.Floats(bias.F32[half*n:][:n], n)
				if biased {
					add("Gemm", name, nil, "x", "w"+name, "b"+name)
				} else {
					add("MatMul", name, nil, "x", "w"+name)
				}
			}
		}
		add("SwiGLU", "y", map[string]graph.Attribute{"alpha": {Kind: graph.AttributeFloat, Float: float32(1 + trial%3)}}, "gate", "value")
		want := make([]float64, rows*n)
		for i := range want {
			var halves [2]float64
			for half := range halves {
				for d, v := range x.F32[i/n*k:][:k] {
					halves[half] += float64(v) * float64(w.F32[d*2*n+half*n+i%n])
				}
				if biased {
					halves[half] += float64(bias.F32[half*n+i%n])
				}
			}
			want[i] = halves[0] / (1 + math.Exp(-float64(1+trial%3)*halves[0])) * halves[1]
		}
		out, steps := computed(t, g, 2, x)
		agree(t, out[0].F32, want, 1e-5)
		if steps != "Linear Linear" {
			t.Errorf("trial %d: steps %s", trial, steps)
		}
	}
}

func TestLinearAttention(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(43, 25))
	for trial, rule := range slices.Repeat([]string{"linear", "gated", "delta", "gated_delta"}, 6) {
		batch, steps, groups, width, values := 1+r.IntN(2), 1+r.IntN(6), 1+r.IntN(3), 1+r.IntN(5), 1+r.IntN(5)
		heads := groups * (1 + r.IntN(2))
		q, k, v := gaussian(r, batch, steps, heads*width), gaussian(r, batch, steps, groups*width), gaussian(r, batch, steps, groups*values)
		past := gaussian(r, batch, groups, width, values)
		n := &graph.Node{Op: "LinearAttention", Inputs: []string{"q", "k", "v", "past", "", ""}, Outputs: []string{"y", "state"}, Attributes: map[string]graph.Attribute{
			"q_num_heads": graph.IntAttribute(heads), "kv_num_heads": graph.IntAttribute(groups), "update_rule": {Kind: graph.AttributeString, String: rule}}}
		names, inputs := []string{"q", "k", "v", "past"}, []*graph.Tensor{q, k, v, past}
		decays, rates := 1+trial%2*(width-1), groups
		decay, rate := gaussian(r, batch, steps, groups*decays), gaussian(r, batch, steps, rates)
		if strings.HasPrefix(rule, "gated") {
			n.Inputs[4], names, inputs = "decay", append(names, "decay"), append(inputs, decay)
		}
		if strings.HasSuffix(rule, "delta") {
			n.Inputs[5], names, inputs = "rate", append(names, "rate"), append(inputs, rate)
		}
		g := nodeGraph(27, names, slices.Repeat([]graph.DType{graph.Float32}, len(names)), []string{"y", "state"}, n)
		out, _ := computed(t, g, 2, inputs...)
		want := make([]float64, batch*steps*heads*values)
		state := make([]float64, len(past.F32))
		for i, x := range past.F32 {
			state[i] = float64(x)
		}
		for b := range batch {
			for h := range groups {
				s := state[(b*groups+h)*width*values:][:width*values]
				for i := range steps {
					offset := b*steps + i
					if n.Inputs[4] != "" {
						for d := range s {
							s[d] *= math.Exp(float64(decay.F32[(offset*groups+h)*decays+d/values%decays]))
						}
					}
					for m := range values {
						x := float64(v.F32[(offset*groups+h)*values+m])
						if n.Inputs[5] != "" {
							for d := range width {
								x -= s[d*values+m] * float64(k.F32[(offset*groups+h)*width+d])
							}
							x *= float64(rate.F32[offset*rates+h])
						}
						for d := range width {
							s[d*values+m] += x * float64(k.F32[(offset*groups+h)*width+d])
						}
						for e := range heads / groups {
							row := offset*heads + h*(heads/groups) + e
							for d := range width {
								want[row*values+m] += s[d*values+m] * float64(q.F32[row*width+d]) / math.Sqrt(float64(width))
							}
						}
					}
				}
			}
		}
		agree(t, out[0].F32, want, 1e-4)
		agree(t, out[1].F32, state, 1e-4)
	}
}
