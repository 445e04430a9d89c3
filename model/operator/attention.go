// Attention: as one step, which package fuse finds, and the operators of ONNX that are rewritten as products, a softmax
// and a mask, from which it is found.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

// preview is ONNX's domain of operators that may still change.
const preview = "ai.onnx.preview"

var attentionRows = []tableRow{
	{Name: "Attention", Domain: own, Inputs: exactly(8), Outputs: 1},
	{Name: "Attention", Since: 23, Types: "f", Inputs: between(3, 7), Outputs: 4,
		Attributes: []string{"is_causal", "kv_num_heads", "left_window_size", "q_num_heads", "qk_matmul_output_mode", "right_window_size",
			"scale", "softcap", "softmax_precision"}, infer: inferAttention},
	{Name: "FlexAttention", Domain: preview, Types: "f", Inputs: atLeast(3), Outputs: 1,
		Attributes: []string{"prob_mod", "scale", "score_mod", "softmax_precision"}, infer: inferFlexAttention, inner: innerFlexAttention},
	{Name: "RotaryEmbedding", Since: 23, Types: "f", Inputs: between(3, 4), Outputs: 1,
		Attributes: []string{"interleaved", "num_heads", "rotary_embedding_dim"}, infer: inferRotary},
}

// View is the layout of an operand of [AttentionParams] in memory: the element with this index lies at Offset + Σ
// index·stride.
type View struct {
	Offset  int
	Strides []int
}

// AttentionParams is a fused attention over batch axes (heads among them). The inputs are Q, K, V, mask, cosine and
// sine for Q, cosine and sine for K; the last five may be absent. With cosine and sine [length, Turned], the first
// Turned elements x of a row become x·cos + (−x₂, x₁)·sin, where x₁ and x₂ are their halves or, Interleaved, their even
// and odd elements.
type AttentionParams struct {
	Batch           []int
	Queries, Keys   int
	Width, Values   int // length of a row of Q and K, and of V
	Scale           float32
	Q, K, V, Result View  // over the batch axes, then rows and columns
	Mask            []int // strides over the batch axes, queries and keys
	Turned          int
	// The kernels of package cuda support none of the following, and rotate whole rows only.
	Interleaved bool
	// Cap, if positive, makes scores s, after the scale and before the mask, Cap·tanh(s/Cap).
	Cap float32
	// ZeroUndefined makes the weights of a query 0 where they are no numbers, as where all its
	// scores are −Inf; ZeroMasked does where its whole row of the mask is −Inf.
	ZeroUndefined, ZeroMasked bool
}

// The inputs of Attention.
const (
	inputQuery = iota
	inputKey
	inputValue
	inputMask
	inputPastKey
	inputPastValue
	inputValid // nonpad_kv_seqlen
)

// negativeInfinity hides a key.
var negativeInfinity = float32(math.Inf(-1))

// attention is an Attention under replacement. Q, K and V are the names of values [batch, heads, length, width]; keys
// includes the past.
type attention struct {
	c *context
	l *lowering

	q, k, v, bias        string
	sink                 string // a score without a value, [1, heads or 1, 1, 1]; "" if there is none
	batch, heads, groups int    // groups are the heads of K and V
	queries, keys, past  int
	room                 int // for keys of a buffer that past and present share; 0: there is none
	width, values        int
	packed               bool // the operands have three axes
	scale                float32
}

// inferAttention writes softmax(scale·Q·Kᵀ + bias)·V, where the scores may be capped, s becoming c·tanh(s/c), before
// the bias is added. The bias is the mask, and −Inf where a query may not see a key.
func inferAttention(c *context) {
	a := &attention{c: c, l: c.lower()}
	a.operands()
	a.extend(inputPastKey, inputPastValue)
	a.mask()
	a.window()
	y, scores := a.attend(true)
	mode := c.integer("qk_matmul_output_mode", 0)
	if mode < 0 || mode > 3 {
		c.failf("qk_matmul_output_mode is %d, want 0 to 3", mode)
	}
	a.l.finish(y, a.k, a.v, scores[mode])
}

// attend is the attention's result, in the form of its operands, and its scores: the product of Q and K, capped,
// masked, and as weights. With guard, a query whose bias is −Inf for all keys has result 0.
func (a *attention) attend(guard bool) (y string, scores [4]string) {
	l := a.l
	k, v := a.repeated(a.k, a.width), a.repeated(a.v, a.values)
	product := l.add("Mul", nil, l.add("MatMul", nil, a.q, l.transpose(k, []int{0, 1, 3, 2})), l.number(a.scale))
	capped := product
	if limit := a.c.float("softcap", 0); limit > 0 {
		capped = l.add("Mul", nil, l.add("Tanh", nil, l.add("Div", nil, product, l.number(limit))), l.number(limit))
	}
	masked := capped
	if a.bias != "" {
		masked = l.add("Add", nil, capped, a.bias)
	}
	weights := a.weights(masked)
	if a.bias != "" && guard {
		top := l.add("ReduceMax", map[string]graph.Attribute{"axes": graph.IntsAttribute(-1)}, a.bias)
		weights = l.add("Where", nil, l.add("Equal", nil, top, l.number(negativeInfinity)), l.number(0), weights)
	}
	y = l.add("MatMul", nil, weights, v)
	if a.packed {
		y = l.reshape(l.transpose(y, []int{0, 2, 1, 3}), []int{a.batch, a.queries, a.heads * a.values})
	}
	return y, [4]string{product, capped, masked, weights}
}

// weights is the softmax of scores, with a sink if there is one: a score that takes its part of the weights of a query
// and has no value.
func (a *attention) weights(scores string) string {
	l, last := a.l, map[string]graph.Attribute{"axis": graph.IntAttribute(-1)}
	if a.sink == "" {
		return l.add("Softmax", last, scores)
	}
	sink := l.expand(a.sink, a.batch, a.heads, a.queries, 1)
	return l.slice(l.add("Softmax", last, l.concat(3, scores, sink)), 3, 0, a.keys)
}

// operands checks Q, K and V and brings them to four axes.
func (a *attention) operands() {
	c := a.c
	rank := len(c.shape(inputQuery))
	for i, name := range []string{"Q", "K", "V"} {
		c.want(i, graph.Float32)
		if n := len(c.shape(i)); n != rank || n != 3 && n != 4 {
			c.failf("input %d (%s) has shape %v, want as many axes as Q, three or four", i, name, c.shape(i))
		}
	}
	heads := func(i int, attribute string) (string, []int) {
		s, n := c.shape(i), c.integer(attribute, 0)
		if rank == 4 {
			if n != 0 && n != s[1] {
				c.failf("input %d has shape %v, and %s is %d", i, s, attribute, n)
			}
			return c.Node.Inputs[i], s
		}
		if n < 1 || s[2]%n != 0 {
			c.failf("input %d has shape %v and %s is %d, want a divisor of the last axis", i, s, attribute, n)
		}
		s = []int{s[0], s[1], n, s[2] / n}
		return a.l.transpose(a.l.reshape(c.Node.Inputs[i], s), []int{0, 2, 1, 3}), []int{s[0], n, s[1], s[3]}
	}
	var q, k, v []int
	a.q, q = heads(inputQuery, "q_num_heads")
	a.k, k = heads(inputKey, "kv_num_heads")
	a.v, v = heads(inputValue, "kv_num_heads")
	a.packed = rank == 3
	a.batch, a.heads, a.queries, a.width = q[0], q[1], q[2], q[3]
	a.groups, a.keys, a.values = k[1], k[2], v[3]
	if k[0] != a.batch || k[3] != a.width || !slices.Equal(v[:3], k[:3]) {
		c.failf("Q, K and V are %v, %v and %v by head; want one batch, one width of Q and K and one length of K and V", q, k, v)
	}
	if a.groups < 1 || a.heads%a.groups != 0 {
		c.failf("%d heads of Q for %d of K and V, want a multiple", a.heads, a.groups)
	}
	a.scale = c.float("scale", float32(1/math.Sqrt(float64(a.width))))
}

// extend appends the keys and values to the past, which are the inputs key and value.
func (a *attention) extend(key, value int) {
	if !a.pastApart(key, value) {
		return
	}
	a.k = a.l.concat(2, a.c.Node.Inputs[key], a.k)
	a.v = a.l.concat(2, a.c.Node.Inputs[value], a.v)
	a.keys += a.past
}

// pastApart reports whether there is a past, the inputs key and value, and takes its length.
func (a *attention) pastApart(key, value int) bool {
	c := a.c
	if c.has(key) != c.has(value) {
		c.failf("past_key and past_value must be given together")
	}
	if !c.has(key) {
		return false
	}
	for _, i := range []int{key, value} {
		width := a.width
		if i == value {
			width = a.values
		}
		c.want(i, graph.Float32)
		s := c.shape(i)
		if len(s) != 4 || !slices.Equal(s, []int{a.batch, a.groups, s[2], width}) || i == value && s[2] != a.past {
			c.failf("input %d (the past) has shape %v, want [%d %d past %d]", i, s, a.batch, a.groups, width)
		}
		a.past = s[2]
	}
	return true
}

// repeated is K or V with a head for each of Q's: each is repeated for as many that follow each other.
func (a *attention) repeated(x string, width int) string {
	l := a.l
	if a.heads == a.groups {
		return x
	}
	each := a.heads / a.groups
	x = l.reshape(x, []int{a.batch, a.groups, 1, a.keys, width})
	x = l.expand(x, a.batch, a.groups, each, a.keys, width)
	return l.reshape(x, []int{a.batch, a.heads, a.keys, width})
}

// mask begins the bias with the mask, which may end before the last keys: these are hidden.
func (a *attention) mask() {
	c, l := a.c, a.l
	if !c.has(inputMask) {
		return
	}
	c.want(inputMask, graph.Float32, graph.Bool)
	s := slices.Clone(c.shape(inputMask))
	all := []int{a.batch, a.heads, a.queries, a.keys}
	if len(s) == 0 || s[len(s)-1] > a.keys {
		c.failf("input 3 (attn_mask) has shape %v, want one that broadcasts to %v", s, all)
	}
	a.bias = c.Node.Inputs[inputMask]
	if c.In[inputMask].DType == graph.Bool {
		a.bias = l.add("Where", nil, a.bias, l.number(0), l.number(negativeInfinity))
	}
	if rest := a.keys - s[len(s)-1]; rest > 0 {
		end := slices.Clone(s)
		end[len(s)-1], s[len(s)-1] = rest, a.keys
		hidden := l.expand(l.number(negativeInfinity), end...)
		a.bias = l.concat(-1, a.bias, hidden)
	}
	if len(s) > 4 || !slices.Equal(c.broadcast(s, all), all) {
		c.failf("input 3 (attn_mask) has shape %v, want one that broadcasts to %v", c.shape(inputMask), all)
	}
}

// hide adds −Inf to the bias where a condition, of four axes, is false.
func (a *attention) hide(seen string) {
	bias := a.l.add("Where", nil, seen, a.l.number(0), a.l.number(negativeInfinity))
	if a.bias != "" {
		bias = a.l.add("Add", nil, a.bias, bias)
	}
	a.bias = bias
}

// window hides keys by their position: query i comes after the keys of the past. With a number of valid keys, the last
// query is the last of these.
func (a *attention) window() {
	c, l := a.c, a.l
	left, right := c.integer("left_window_size", -1), c.integer("right_window_size", -1)
	if left < -1 || right < -1 {
		c.failf("left_window_size is %d and right_window_size %d, want at least -1", left, right)
	}
	if c.flag("is_causal", false) {
		right = 0
	}
	position, valid := l.constant(counting(a.past, a.queries, 2)), ""
	if c.has(inputValid) {
		c.want(inputValid, graph.Int64)
		if !slices.Equal(c.shape(inputValid), []int{a.batch}) || c.has(inputPastKey) {
			c.failf("input 6 (nonpad_kv_seqlen) has shape %v, want [%d], and no past", c.shape(inputValid), a.batch)
		}
		valid = l.reshape(c.Node.Inputs[inputValid], []int{a.batch, 1, 1, 1})
		position = l.add("Add", nil, valid, l.constant(counting(-a.queries, a.queries, 2)))
	}
	key := l.constant(counting(0, a.keys, 3))
	if right >= 0 && (valid != "" || a.past+right < a.keys-1) {
		a.hide(l.add("LessOrEqual", nil, key, l.add("Add", nil, position, l.constant(graph.Ints(int64(right))))))
	}
	if left >= 0 && (valid != "" || a.past+a.queries-1 > left) {
		a.hide(l.add("GreaterOrEqual", nil, key, l.add("Sub", nil, position, l.constant(graph.Ints(int64(left))))))
	}
	if valid != "" {
		a.hide(l.add("Less", nil, key, valid))
	}
}

// counting is first, first + 1, …, n numbers along one of four axes.
func counting(first, n, axis int) *graph.Tensor {
	t := graph.Ints()
	for i := range n {
		t.I64 = append(t.I64, int64(first+i))
	}
	t.Shape = []int{1, 1, 1, 1}
	t.Shape[axis] = n
	return t
}

// innerFlexAttention is the inputs of the node itself, and the graphs that change scores and weights.
func innerFlexAttention(n *graph.Node) (count int, attributes []string) {
	for _, name := range flexGraphs {
		if n.Attributes[name].Graph != nil {
			attributes = append(attributes, name)
		}
	}
	return 3, attributes
}

var flexGraphs = []string{"score_mod", "prob_mod"}

// inferFlexAttention writes prob_mod(softmax(score_mod(scale·Q·Kᵀ)))·V.
func inferFlexAttention(c *context) {
	a := &attention{c: c, l: c.lower()}
	if len(c.shape(inputQuery)) != 4 {
		c.failf("input 0 (Q) has shape %v, want four axes", c.shape(inputQuery))
	}
	a.operands()
	l := a.l
	captured := c.Node.Inputs[3:]
	change := func(name, x string) string {
		attribute, ok := c.attribute(name, graph.AttributeGraph)
		if !ok {
			return x
		}
		g := attribute.Graph
		free := g.Free()
		if len(g.Inputs) != 1 || len(g.Outputs) != 1 || len(free) > len(captured) {
			c.failf("%s has %d inputs and %d outputs, want 1 and 1", name, len(g.Inputs), len(g.Outputs))
		}
		names := map[string]string{g.Inputs[0].Name: x}
		for i, name := range free {
			names[name] = captured[i]
		}
		captured = captured[len(free):]
		return l.inline(g, names)[0]
	}
	k, v := a.repeated(a.k, a.width), a.repeated(a.v, a.values)
	scores := l.add("Mul", nil, l.add("MatMul", nil, a.q, l.transpose(k, []int{0, 1, 3, 2})), l.number(a.scale))
	weights := l.add("Softmax", map[string]graph.Attribute{"axis": graph.IntAttribute(-1)}, change("score_mod", scores))
	l.finish(l.add("MatMul", nil, change("prob_mod", weights), v))
}

// inferRotary rotates pairs of elements of each row by the angle of its position and the pair: x·cos + (−x₂, x₁)·sin
// with the halves of x, or with its even and odd elements if they are interleaved; elements beyond rotary_embedding_dim
// stay.
func inferRotary(c *context) {
	for i := range 3 {
		c.want(i, graph.Float32)
	}
	s := c.shape(0)
	l, x := c.lower(), c.Node.Inputs[0]
	packed := len(s) == 3
	if packed {
		heads := c.integer("num_heads", 0)
		if heads < 1 || s[2]%heads != 0 {
			c.failf("input %v and num_heads %d, want a divisor of the last axis", s, heads)
		}
		x = l.transpose(l.reshape(x, []int{s[0], s[1], heads, s[2] / heads}), []int{0, 2, 1, 3})
		s = []int{s[0], heads, s[1], s[2] / heads}
	}
	if len(s) != 4 {
		c.failf("input %v, want three or four axes", s)
	}
	rotated := c.integer("rotary_embedding_dim", 0)
	if rotated == 0 {
		rotated = s[3]
	}
	if rotated < 2 || rotated%2 != 0 || rotated > s[3] {
		c.failf("rows of %d elements with %d rotated, want an even number", s[3], rotated)
	}
	interleaved := c.flag("interleaved", false)
	r := &rotation{c: c, l: l, batch: s[0], length: s[2], half: rotated / 2, interleaved: interleaved}
	cos, sin := r.table(1), r.table(2)
	pieces := []string{x}
	if rotated < s[3] {
		pieces = l.split(x, 3, rotated, s[3]-rotated)
	}
	part := pieces[0]
	across := r.across(part, s[1])
	pieces[0] = l.add("Add", nil, l.add("Mul", nil, part, cos), l.add("Mul", nil, across, sin))
	y := pieces[0]
	if len(pieces) > 1 {
		y = l.concat(3, pieces...)
	}
	if packed {
		y = l.reshape(l.transpose(y, []int{0, 2, 1, 3}), c.shape(0))
	}
	l.finish(y)
}

// rotation is a RotaryEmbedding under replacement.
type rotation struct {
	c                   *context
	l                   *lowering
	batch, length, half int
	interleaved         bool
}

// table is input i, cosines or sines, for all elements of a row: [batch or 1, 1, length, 2·half].
func (r *rotation) table(i int) string {
	c, l, s, name := r.c, r.l, slices.Clone(r.c.shape(i)), r.c.Node.Inputs[i]
	if c.has(3) {
		c.want(3, graph.Int64)
		if ids := c.shape(3); len(ids) != 2 || ids[0] != r.batch && ids[0] != 1 || ids[1] != r.length || len(s) != 2 {
			c.failf("tables %v and positions %v, want [positions, %d] and [%d %d]", s, ids, r.half, r.batch, r.length)
		}
		name = l.add("Gather", nil, name, c.Node.Inputs[3])
		s = append(slices.Clone(c.shape(3)), s[1])
	}
	if len(s) != 3 || s[0] != r.batch && s[0] != 1 || s[1] != r.length || s[2] != r.half {
		c.failf("input %d (a table) is %v, want [%d %d %d]", i, s, r.batch, r.length, r.half)
	}
	if r.interleaved {
		name = l.reshape(name, []int{s[0], 1, r.length, r.half, 1})
		return l.reshape(l.concat(4, name, name), []int{s[0], 1, r.length, 2 * r.half})
	}
	name = l.reshape(name, []int{s[0], 1, r.length, r.half})
	return l.concat(3, name, name)
}

// across is (−x₂, x₁).
func (r *rotation) across(x string, heads int) string {
	l := r.l
	if !r.interleaved {
		halves := l.split(x, 3, r.half, r.half)
		return l.concat(3, l.add("Neg", nil, halves[1]), halves[0])
	}
	pairs := l.split(l.reshape(x, []int{r.batch, heads, r.length, r.half, 2}), 4, 1, 1)
	return l.reshape(l.concat(4, l.add("Neg", nil, pairs[1]), pairs[0]), []int{r.batch, heads, r.length, 2 * r.half})
}
