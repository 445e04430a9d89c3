// The attentions of ONNX Runtime's own domain, which its optimizer and the tools around it write: MultiHeadAttention,
// Attention with the projection before it, GroupQueryAttention with a cache, and their rotary embedding.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

var headsRows = []tableRow{
	fusedRow("MultiHeadAttention", between(1, 10), 4, inferMultiHead, "mask_filter_value", "num_heads", "scale",
		"unidirectional"),
	fusedRow("Attention", between(2, 7), 2, inferProjected, "do_rotary", "mask_filter_value", "num_heads",
		"past_present_share_buffer", "qkv_hidden_sizes", "rotary_embedding_dim", "scale", "unidirectional"),
	fusedRow("GroupQueryAttention", between(1, 17), 4, inferGroupQuery, "causal", "do_rotary", "k_norm_epsilon",
		"k_quant_type", "kv_cache_bit_width", "kv_num_heads", "local_window_size", "num_heads", "q_norm_epsilon", "qk_norm_epsilon",
		"qk_output", "rotary_interleaved", "scale", "sliding_window_cache", "smooth_softmax", "softcap", "v_quant_type"),
	fusedRow("RotaryEmbedding", exactly(4), 1, inferCachedRotary, "interleaved", "is_packed_batching", "num_heads",
		"rotary_embedding_dim", "scale"),
}

// headed starts the replacement of an attention with this attribute of heads.
func headed(c *context) *attention {
	a := &attention{c: c, l: c.lower(), packed: true, heads: c.integer("num_heads", 0)}
	if a.groups = a.heads; a.heads < 1 {
		c.failf("num_heads is %d, want at least 1", a.heads)
	}
	return a
}

// refused says that inputs are not supported; their names are in the order of the inputs from one on.
func (c *context) refused(first int, names ...string) {
	for i, name := range names {
		if c.has(first + i) {
			c.unsupported("input %d (%s)", first+i, name)
		}
	}
}

// apart is rows [batch, length, n·width] by head: [batch, n, length, width].
func (a *attention) apart(x string, shape []int, n int) (string, []int) {
	if len(shape) != 3 || n < 1 || shape[2]%n != 0 || shape[2] == 0 {
		a.c.failf("rows %v of %d heads, want [batch, length, a multiple of the heads]", shape, n)
	}
	s := []int{shape[0], shape[1], n, shape[2] / n}
	return a.l.transpose(a.l.reshape(x, s), []int{0, 2, 1, 3}), []int{s[0], n, s[1], s[3]}
}

// unpacked cuts [batch, length, heads, n, width] into n operands by head.
func (a *attention) unpacked(x string, shape []int, n int) ([]string, []int) {
	if len(shape) != 5 || shape[2] != a.heads || shape[3] != n {
		a.c.failf("packed operands %v, want [batch, length, %d, %d, width]", shape, a.heads, n)
	}
	pieces := a.l.split(x, 3, slices.Repeat([]int{1}, n)...)
	for i, p := range pieces {
		p = a.l.reshape(p, []int{shape[0], shape[1], a.heads, shape[4]})
		pieces[i] = a.l.transpose(p, []int{0, 2, 1, 3})
	}
	return pieces, []int{shape[0], a.heads, shape[1], shape[4]}
}

// sized takes the sizes from operands by head and checks them.
func (a *attention) sized(q, k, v []int) {
	a.batch, a.queries, a.width = q[0], q[2], q[3]
	a.groups, a.keys, a.values = k[1], k[2], v[3]
	if k[0] != a.batch || k[3] != a.width || !slices.Equal(v[:3], k[:3]) {
		a.c.failf("Q, K and V are %v, %v and %v by head; want one batch, one width of Q and K and one length of K and V", q,
			k, v)
	}
	if a.scale = a.c.float("scale", 0); a.scale == 0 {
		a.scale = float32(1 / math.Sqrt(float64(a.width)))
	}
}

// plus adds a value to the bias.
func (a *attention) plus(x string) {
	if a.bias != "" {
		x = a.l.add("Add", nil, a.bias, x)
	}
	a.bias = x
}

// added adds input i, of four axes that broadcast to the scores, to the bias.
func (a *attention) added(i int) {
	c := a.c
	if !c.has(i) {
		return
	}
	c.want(i, graph.Float32)
	s := c.shape(i)
	if len(s) != 4 || s[0] != 1 && s[0] != a.batch || s[1] != 1 && s[1] != a.heads || s[2] != a.queries || s[3] < a.keys {
		c.failf("input %d (attention_bias) has shape %v, want [%d or 1, %d or 1, %d, %d]", i, s, a.batch, a.heads, a.queries,
			a.keys)
	}
	x := c.Node.Inputs[i]
	if s[3] > a.keys {
		x = a.l.slice(x, 3, 0, a.keys)
	}
	a.plus(x)
}

// causal hides keys after a query, which comes after the keys of the past.
func (a *attention) causal() {
	if !a.c.flag("unidirectional", false) || a.past >= a.keys-1 {
		return
	}
	key, position := a.l.constant(counting(0, a.keys, 3)), a.l.constant(counting(a.past, a.queries, 2))
	a.hide(a.l.add("LessOrEqual", nil, key, position))
}

// padding adds a number, −10,000 if the node has no other, to the scores of keys that input i hides: all from an end on
// ([batch]), and before a start ([2·batch]), or those whose element of the mask is 0.
func (a *attention) padding(i int) {
	c, l := a.c, a.l
	if !c.has(i) {
		return
	}
	c.want(i, graph.Int64)
	s, mask := c.shape(i), c.Node.Inputs[i]
	seen := ""
	positive := func(shape ...int) string {
		return l.add("Greater", nil, l.reshape(mask, shape), l.whole(c.In[i].Type, 0))
	}
	switch {
	case len(s) == 1 && (s[0] == a.batch || s[0] == 2*a.batch):
		key := l.add("Cast", castTo(graph.IntegerElement(c.In[i].Bits)), l.constant(counting(0, a.keys, 3)))
		part := l.split(mask, 0, slices.Repeat([]int{a.batch}, s[0]/a.batch)...)
		along := []int{a.batch, 1, 1, 1}
		if seen = l.add("Less", nil, key, l.reshape(part[0], along)); len(part) > 1 {
			seen = l.add("And", nil, seen, l.add("Not", nil, l.add("Less", nil, key, l.reshape(part[1], along))))
		}
	case slices.Equal(s, []int{a.batch, a.keys}):
		seen = positive(a.batch, 1, 1, a.keys)
	case slices.Equal(s, []int{a.batch, a.queries, a.keys}):
		seen = positive(a.batch, 1, a.queries, a.keys)
	default:
		c.failf("input %d (a mask) has shape %v, want [%d], [%d], [%d %d] or [%d %d %d]", i, s, a.batch, 2*a.batch, a.batch,
			a.keys,
			a.batch, a.queries, a.keys)
	}
	a.plus(l.add("Where", nil, seen, l.number(0), l.number(c.float("mask_filter_value", -10000))))
}

// The inputs of MultiHeadAttention.
const (
	multiQuery = iota
	multiKey
	multiValue
	multiBias
	multiMask
	multiAdded
	multiPastKey
	multiPastValue
	multiPastLength
	multiBeams // cache_indirection
)

// inferMultiHead is an attention of Q, K and V that are apart or packed.
func inferMultiHead(c *context) {
	a := headed(c)
	for _, i := range []int{multiQuery, multiKey, multiValue, multiBias} {
		c.want(i, graph.Float32)
	}
	c.refused(multiBeams, "cache_indirection: export the model without beam search")
	a.multiOperands()
	past := a.pastApart(multiPastKey, multiPastValue)
	a.buffer(multiPastKey, multiPastLength, c.has(multiPastLength))
	presentKey, presentValue := a.k, a.v
	if past {
		a.k, presentKey = a.follow(c.Node.Inputs[multiPastKey], a.k)
		a.v, presentValue = a.follow(c.Node.Inputs[multiPastValue], a.v)
		a.keys += a.past
	}
	a.padding(multiMask)
	a.added(multiAdded)
	a.causal()
	y, scores := a.attend(false)
	watched := scores[2]
	if a.bias != "" && c.asks(3) { // a hidden key has the lowest number, not −Inf
		watched = a.l.add("Max", nil, watched, a.l.number(-math.MaxFloat32))
	}
	a.l.finish(y, presentKey, presentValue, watched)
}

// multiOperands brings Q, K and V, which have a bias, to four axes.
func (a *attention) multiOperands() {
	c, l := a.c, a.l
	in := slices.Clone(c.Node.Inputs[:min(len(c.Node.Inputs), 3)])
	q, k, v := c.shape(multiQuery), c.shapeOf(multiKey), c.shapeOf(multiValue)
	if c.has(multiBias) {
		if len(q) != 3 || len(k) != 3 || len(v) != 3 {
			c.unsupported("a bias for packed operands, or ones by head")
		}
		c.wantVector(multiBias, q[2]+k[2]+v[2], "bias")
		for i, part := range l.split(c.Node.Inputs[multiBias], 0, q[2], k[2], v[2]) {
			in[i] = l.add("Add", nil, in[i], part)
		}
	}
	switch {
	case len(q) == 5 && k == nil && v == nil:
		parts, s := a.unpacked(in[0], q, 3)
		a.q, a.k, a.v = parts[0], parts[1], parts[2]
		q, k, v = s, s, s
	case len(k) == 5 && v == nil:
		parts, s := a.unpacked(in[1], k, 2)
		a.k, a.v = parts[0], parts[1]
		a.q, q = a.apart(in[0], q, a.heads)
		k, v = s, s
	case len(k) == 3 && len(v) == 3:
		a.q, q = a.apart(in[0], q, a.heads)
		a.k, k = a.apart(in[1], k, a.heads)
		a.v, v = a.apart(in[2], v, a.heads)
	case len(k) == 4 && len(v) == 4 && k[1] == a.heads:
		a.q, q = a.apart(in[0], q, a.heads)
		a.k, a.v = in[1], in[2]
	default:
		c.failf("query %v, key %v and value %v: want three axes, packed ones (five), or K and V by head (four)", q, k, v)
	}
	a.sized(q, k, v)
}

// The inputs of ONNX Runtime's Attention.
const (
	projectedInput = iota
	projectedWeights
	projectedBias
	projectedMask
	projectedPast
	projectedAdded
	projectedPastLength
)

// inferProjected is an attention with the product that makes Q, K and V of its input.
func inferProjected(c *context) {
	a, l := headed(c), c.lowered
	x, w := c.shape(projectedInput), c.shape(projectedWeights)
	for _, i := range []int{projectedInput, projectedWeights, projectedBias} {
		c.want(i, graph.Float32)
	}
	if len(x) != 3 || len(w) != 2 || w[0] != x[2] {
		c.failf("input %v and weights %v, want [batch, length, width] and [width, columns]", x, w)
	}
	sizes, ok := c.integers("qkv_hidden_sizes")
	if !ok {
		sizes = slices.Repeat([]int{w[1] / 3}, 3)
	}
	if len(sizes) != 3 || slices.Min(sizes) < 1 || sizes[0] != sizes[1] || sizes[0] > w[1] || sizes[2] > w[1] ||
		sizes[0]+sizes[1]+sizes[2] != w[1] {
		c.failf("qkv_hidden_sizes are %v, want three whose sum is %d, the first two equal", sizes, w[1])
	}
	y := l.add("MatMul", nil, c.Node.Inputs[projectedInput], c.Node.Inputs[projectedWeights])
	if c.has(projectedBias) {
		c.wantVector(projectedBias, w[1], "bias")
		y = l.add("Add", nil, y, c.Node.Inputs[projectedBias])
	}
	parts := l.split(y, 2, sizes...)
	var shapes [3][]int
	for i := range parts {
		parts[i], shapes[i] = a.apart(parts[i], []int{x[0], x[1], sizes[i]}, a.heads)
	}
	a.q, a.k, a.v = parts[0], parts[1], parts[2]
	a.sized(shapes[0], shapes[1], shapes[2])
	pair := a.pastPair(projectedPast)
	a.buffer(projectedPast, projectedPastLength, c.flag("past_present_share_buffer", false))
	a.turnByIndex()
	presentKey, presentValue := a.k, a.v
	if pair != nil {
		a.k, presentKey = a.follow(pair[0], a.k)
		a.v, presentValue = a.follow(pair[1], a.v)
		a.keys += a.past
	}
	a.padding(projectedMask)
	a.added(projectedAdded)
	a.causal()
	out := make([]string, 2)
	out[0], _ = a.attend(false)
	if c.asks(1) {
		if a.width != a.values {
			c.unsupported("a present of keys and values of different widths")
		}
		out[1] = l.stack(0, presentKey, presentValue)
	}
	l.finish(out...)
}

// pastPair is the past, keys and values in one input, apart; nil without one.
func (a *attention) pastPair(i int) []string {
	c, l, s := a.c, a.l, a.c.shapeOf(i)
	if s == nil {
		return nil
	}
	c.want(i, graph.Float32)
	if len(s) != 5 || !slices.Equal(s, []int{2, a.batch, a.heads, s[3], a.width}) || a.width != a.values {
		c.failf("input %d (past) has shape %v, want [2 %d %d past %d]", i, s, a.batch, a.heads, a.width)
	}
	a.past = s[3]
	pair := l.split(c.Node.Inputs[i], 0, 1, 1)
	for k := range pair {
		pair[k] = l.reshape(pair[k], s[1:])
	}
	return pair
}

// buffer takes the length of the past from input i, past_sequence_length, where past and present share a buffer with
// room for more keys.
func (a *attention) buffer(past, i int, shared bool) {
	c := a.c
	if !shared {
		return
	}
	if !c.has(past) {
		if c.has(i) {
			c.failf("input %d (past_sequence_length) without a past", i)
		}
		return
	}
	c.required(i)
	c.want(i, graph.Int64)
	if graph.Count(c.shape(i)) != 1 {
		c.failf("input %d (past_sequence_length) has shape %v, want one number", i, c.shape(i))
	}
	n := c.known(i, "past_sequence_length").I64[0]
	if n < 0 || n+int64(a.keys) > int64(a.past) {
		c.failf("past_sequence_length is %d, want 0 to %d: the past has room for %d keys and %d are new", n,
			a.past-a.keys, a.past, a.keys)
	}
	a.room, a.past = a.past, int(n)
}

// follow puts new keys or values behind the ones of the past, and in the buffer that past and present may share.
func (a *attention) follow(past, x string) (all, present string) {
	l := a.l
	if a.room == 0 {
		all = l.concat(2, past, x)
		return all, all
	}
	if all = x; a.past > 0 {
		all = l.concat(2, l.slice(past, 2, 0, a.past), x)
	}
	if total := a.past + a.keys; total < a.room {
		return all, l.concat(2, all, l.slice(past, 2, total, a.room))
	}
	return all, all
}

// turnByIndex turns the rows of Q and K by the positions of their tokens, which follow the past, with the base 10,000.
func (a *attention) turnByIndex() {
	c, l := a.c, a.l
	if !c.flag("do_rotary", false) {
		return
	}
	turned := c.integer("rotary_embedding_dim", 0)
	if turned == 0 {
		turned = a.width
	}
	if turned < 2 || turned%2 != 0 || turned > a.width {
		c.failf("rows of %d elements with %d rotated, want an even number", a.width, turned)
	}
	var cosines, sines []float32
	for p := range a.queries {
		for i := range turned / 2 {
			angle := float64(a.past+p) / math.Pow(10000, float64(2*i)/float64(turned))
			cosines, sines = append(cosines, float32(math.Cos(angle))), append(sines, float32(math.Sin(angle)))
		}
	}
	tables := func(values []float32) string {
		return l.expand(l.constant(graph.Floats(values, 1, a.queries, turned/2)), a.batch, a.queries, turned/2)
	}
	cos, sin := tables(cosines), tables(sines)
	attributes := map[string]graph.Attribute{"rotary_embedding_dim": graph.IntAttribute(turned)}
	a.q = l.add("RotaryEmbedding", attributes, a.q, cos, sin)
	a.k = l.add("RotaryEmbedding", attributes, a.k, cos, sin)
}

// The inputs of GroupQueryAttention.
const (
	groupQuery = iota
	groupKey
	groupValue
	groupPastKey
	groupPastValue
	groupLengths // of each sample, less one
	groupTotal   // the longest one
	groupCos
	groupSin
	groupPositions
	groupAdded
	groupSink
	groupKeyScale
	groupValueScale
	groupQueryNorm
	groupKeyNorm
	groupQueryLengths
)

// groupQueries is a GroupQueryAttention under replacement.
type groupQueries struct {
	*attention
	total int
	// first is, for each sample, the position of its first query, [batch] of int64; "" if all begin at past.
	first string
}

// inferGroupQuery is an attention with a cache of keys and values: sample i has lengths[i] + 1 keys, the new ones last.
func inferGroupQuery(c *context) {
	a := &groupQueries{attention: headed(c)}
	a.groups = c.integer("kv_num_heads", 0)
	a.refuse()
	a.operands()
	a.lengths()
	a.normed()
	a.turn()
	a.cache()
	presentKey, presentValue := a.k, a.v
	if a.keys > a.total { // the rest of the cache is empty
		a.k, a.v, a.keys = a.l.slice(a.k, 2, 0, a.total), a.l.slice(a.v, 2, 0, a.total), a.total
	}
	a.seen()
	a.added(groupAdded)
	a.softmaxSink()
	y, _ := a.attend(false)
	a.l.finish(y, presentKey, presentValue)
}

// refuse names the unsupported feature.
func (a *groupQueries) refuse() {
	c := a.c
	if a.groups < 1 || a.heads%a.groups != 0 {
		c.failf("kv_num_heads is %d for num_heads %d, want a divisor", a.groups, a.heads)
	}
	quantized := c.integer("kv_cache_bit_width", 0) != 0 || c.has(groupKeyScale) || c.has(groupValueScale)
	for _, name := range []string{"k_quant_type", "v_quant_type"} {
		quantized = quantized || c.text(name, "NONE") != "NONE"
	}
	switch {
	case quantized:
		c.unsupported("a quantized cache of keys and values: export the model with a cache of floats")
	case c.flag("sliding_window_cache", false):
		c.unsupported("sliding_window_cache: export the model with a cache of all keys, as local_window_size alone has it")
	case c.integer("qk_output", 0) != 0 || c.asks(3):
		c.unsupported("the output of scores (qk_output): export the model without its attentions")
	}
	c.refused(groupQueryLengths, "query_seqlens: export the model with queries of one length")
	c.required(groupLengths, groupTotal)
}

// operands brings Q, K and V, which may be packed in one input, to four axes.
func (a *groupQueries) operands() {
	c, s := a.c, a.c.shape(groupQuery)
	for i := range 3 {
		c.want(i, graph.Float32)
	}
	if len(s) != 3 || c.has(groupKey) != c.has(groupValue) {
		c.failf("query %v, key %v and value %v, want [batch, length, width], or all packed in the query", s,
			c.shapeOf(groupKey), c.shapeOf(groupValue))
	}
	in, shapes := slices.Clone(c.Node.Inputs[:3]), [3][]int{s, c.shapeOf(groupKey), c.shapeOf(groupValue)}
	if !c.has(groupKey) {
		n := a.heads + 2*a.groups
		if s[2]%n != 0 {
			c.failf("query %v, want a multiple of %d heads", s, n)
		}
		width := s[2] / n
		copy(in, a.l.split(in[0], 2, a.heads*width, a.groups*width, a.groups*width))
		shapes = [3][]int{{s[0], s[1], a.heads * width}, {s[0], s[1], a.groups * width}, {s[0], s[1], a.groups * width}}
	}
	var q, k, v []int
	a.q, q = a.apart(in[0], shapes[0], a.heads)
	a.k, k = a.apart(in[1], shapes[1], a.groups)
	a.v, v = a.apart(in[2], shapes[2], a.groups)
	a.sized(q, k, v)
	if a.keys != a.queries || a.values != a.width {
		c.failf("Q, K and V are %v, %v and %v by head, want one length and one width", q, k, v)
	}
}

// lengths finds where the queries begin: at 0 in a prompt, whose keys are the queries' own; otherwise behind the keys
// of the past, as many as the sample has.
func (a *groupQueries) lengths() {
	c, l := a.c, a.l
	c.want(groupLengths, graph.Int64)
	c.want(groupTotal, graph.Int64)
	if graph.Count(c.shape(groupLengths)) != a.batch || graph.Count(c.shape(groupTotal)) != 1 {
		c.failf("seqlens_k %v and total_sequence_length %v, want [%d] and one number", c.shape(groupLengths),
			c.shape(groupTotal), a.batch)
	}
	total := c.known(groupTotal, "total_sequence_length").I64[0]
	if total < int64(a.queries) || total > 1<<31 {
		c.failf("total_sequence_length is %d, want at least %d, the number of queries", total, a.queries)
	}
	a.total = int(total)
	if a.total == a.queries {
		return
	}
	if t := c.In[groupLengths].Const; t != nil {
		lengths := slices.Clone(t.I64)
		for _, n := range lengths {
			if n+1 < int64(a.queries) || n+1 > total {
				c.failf("seqlens_k has %d, want %d to %d", n, a.queries-1, total-1)
			}
		}
		if slices.Min(lengths) == slices.Max(lengths) {
			a.past = int(lengths[0]) + 1 - a.queries
			return
		}
	}
	lengths := l.reshape(l.int64Of(c.Node.Inputs[groupLengths]), []int{a.batch})
	a.first = l.add("Add", nil, lengths, l.whole(graph.Type{}, int64(1-a.queries)))
}

// normed divides each row of Q and K by the root of its mean square, times weights.
func (a *groupQueries) normed() {
	c := a.c
	if c.has(groupQueryNorm) != c.has(groupKeyNorm) {
		c.failf("q_norm_weight and k_norm_weight must be present together")
	}
	if !c.has(groupQueryNorm) {
		return
	}
	each := func(x string, i int, name string) string {
		c.want(i, graph.Float32)
		c.wantVector(i, a.width, "a weight of rows")
		epsilon := graph.Attribute{Kind: graph.AttributeFloat, Float: c.float(name, c.float("qk_norm_epsilon", 1e-6))}
		return a.l.add("RMSNormalization", map[string]graph.Attribute{"epsilon": epsilon}, x, c.Node.Inputs[i])
	}
	a.q, a.k = each(a.q, groupQueryNorm, "q_norm_epsilon"), each(a.k, groupKeyNorm, "k_norm_epsilon")
}

// turn turns the rows of Q and K by their positions.
func (a *groupQueries) turn() {
	c, l := a.c, a.l
	if !c.flag("do_rotary", false) {
		return
	}
	if !c.has(groupCos) || !c.has(groupSin) {
		c.failf("do_rotary without cos_cache and sin_cache")
	}
	tables := c.shape(groupCos)
	positions := c.Node.Inputs[min(groupPositions, len(c.Node.Inputs)-1)]
	switch {
	case len(tables) != 2 || !slices.Equal(c.shape(groupSin), tables) || tables[0] < a.total:
		c.failf("cos_cache %v and sin_cache %v, want one shape of two axes, and at least %d rows", tables, c.shape(groupSin),
			a.total)
	case c.has(groupPositions):
		if !slices.Equal(c.shape(groupPositions), []int{a.batch, a.queries}) {
			c.failf("position_ids %v, want [%d %d]", c.shape(groupPositions), a.batch, a.queries)
		}
		if a.total == a.queries { // of a prompt the first position counts alone, as in ONNX Runtime
			first := l.slice(l.slice(positions, 0, 0, 1), 1, 0, 1)
			positions = l.expand(l.add("Add", nil, first, l.steps(0, a.queries)), a.batch, a.queries)
		}
	default:
		if positions = l.steps(a.past, a.queries); a.first != "" {
			positions = l.add("Add", nil, positions, l.reshape(a.first, []int{a.batch, 1}))
		}
		if a.first != "" || a.batch != 1 {
			positions = l.expand(positions, a.batch, a.queries)
		}
	}
	attributes := map[string]graph.Attribute{"rotary_embedding_dim": graph.IntAttribute(2 * tables[1]),
		"interleaved": graph.IntAttribute(c.integer("rotary_interleaved", 0))}
	each := func(x string) string {
		return l.add("RotaryEmbedding", attributes, x, c.Node.Inputs[groupCos], c.Node.Inputs[groupSin], positions)
	}
	a.q, a.k = each(a.q), each(a.k)
}

// cache puts K and V behind the past of each sample. The result has room for the longer of past and total.
func (a *groupQueries) cache() {
	c, l := a.c, a.l
	if c.has(groupPastKey) != c.has(groupPastValue) {
		c.failf("past_key and past_value must be present together")
	}
	length := 0
	if s := c.shapeOf(groupPastKey); s != nil {
		if len(s) != 4 || !slices.Equal(s, []int{a.batch, a.groups, s[2], a.width}) || !slices.Equal(c.shape(groupPastValue),
			s) {
			c.failf("past_key %v and past_value %v, want [%d %d past %d]", s, c.shape(groupPastValue), a.batch, a.groups,
				a.width)
		}
		length = s[2]
	}
	if length < a.total-a.queries {
		c.failf("a past of %d keys, want at least %d", length, a.total-a.queries)
	}
	all := max(length, a.total)
	each := func(past int, x string) string {
		switch {
		case length == 0 || a.first == "" && a.past == 0 && all == a.queries:
			return x
		case a.first == "": // at a known place
			parts := []string{x}
			if a.past > 0 {
				parts = []string{l.slice(c.Node.Inputs[past], 2, 0, a.past), x}
			}
			if rest := all - a.past - a.queries; rest > 0 {
				parts = append(parts, l.expand(l.number(0), a.batch, a.groups, rest, a.width))
			}
			return l.concat(2, parts...)
		}
		before := c.Node.Inputs[past]
		if all > length {
			before = l.pad(before, 4, 2, 0, all-length, 0)
		}
		return l.add("TensorScatter", nil, before, x, a.first)
	}
	a.k, a.v = each(groupPastKey, a.k), each(groupPastValue, a.v)
	a.keys = all
}

// padded reports whether queries of a prompt may lie behind their sample's last key: these see the keys up to it.
func (a *groupQueries) padded() bool {
	t := a.c.In[groupLengths].Const
	return a.total == a.queries && (t == nil || slices.Min(t.I64) < int64(a.total-1))
}

// seen hides keys: the ones after a query (or, if causal is 0, after the sample's last key), and those before its
// window.
func (a *groupQueries) seen() {
	c, l := a.c, a.l
	causal, window := c.flag("causal", true), c.integer("local_window_size", -1)
	if window == 0 || window < -1 || window > 0 && !causal {
		c.failf("local_window_size is %d, want at least 1, or -1 for none (without a causal mask)", window)
	}
	position := l.constant(counting(a.past, a.queries, 2))
	if a.first != "" {
		first := l.reshape(a.first, []int{a.batch, 1, 1, 1})
		position = l.add("Add", nil, first, l.constant(counting(0, a.queries, 2)))
	}
	key := l.constant(counting(0, a.keys, 3))
	if !causal || a.padded() {
		lengths := l.reshape(l.int64Of(c.Node.Inputs[groupLengths]), []int{a.batch, 1, 1, 1})
		a.hide(l.add("LessOrEqual", nil, key, lengths))
	}
	switch {
	case !causal:
	case a.first != "" || a.past < a.keys-1:
		a.hide(l.add("LessOrEqual", nil, key, position))
	}
	if window > 0 && (a.first != "" || a.past+a.queries > window) {
		a.hide(l.add("Greater", nil, key, l.add("Sub", nil, position, l.whole(graph.Type{}, int64(window)))))
	}
}

// softmaxSink is the score without a value that takes part in the softmax: 0, or one for each head.
func (a *groupQueries) softmaxSink() {
	c, l := a.c, a.l
	switch {
	case c.has(groupSink):
		c.want(groupSink, graph.Float32)
		c.wantVector(groupSink, a.heads, "head_sink")
		a.sink = l.reshape(c.Node.Inputs[groupSink], []int{1, a.heads, 1, 1})
	case c.integer("smooth_softmax", 0) == 1:
		a.sink = l.constant(graph.Floats([]float32{0}, 1, 1, 1, 1))
	}
}

// steps is a row of n positions from the first one on.
func (l *lowering) steps(first, n int) string {
	t := counting(first, n, 1)
	t.Shape = []int{1, n}
	return l.constant(t)
}

// inferCachedRotary is a RotaryEmbedding whose tables have a row for each position; one position alone is the one of
// the first row.
func inferCachedRotary(c *context) {
	s, ids, table := c.shape(0), c.shape(1), c.shape(2)
	for _, i := range []int{0, 2, 3} {
		c.want(i, graph.Float32)
	}
	c.want(1, graph.Int64)
	if len(s) != 3 && len(s) != 4 || len(table) != 2 || table[1] == 0 {
		c.failf("input %v and tables %v, want three or four axes and two", s, table)
	}
	length, heads := s[len(s)-2], c.integer("num_heads", 0)
	if len(s) == 3 && heads == 0 {
		heads = s[2] / (2 * table[1])
	}
	l, positions := c.lower(), c.Node.Inputs[1]
	switch {
	case len(ids) < 2 && graph.Count(ids) == 1:
		positions = l.expand(l.add("Add", nil, l.reshape(positions, []int{1, 1}), l.steps(0, length)), s[0], length)
	case !slices.Equal(ids, []int{s[0], length}):
		c.failf("position_ids %v, want [1] or [%d %d]", ids, s[0], length)
	}
	attributes := map[string]graph.Attribute{"interleaved": graph.IntAttribute(c.integer("interleaved", 0)),
		"rotary_embedding_dim": graph.IntAttribute(c.integer("rotary_embedding_dim", 0))}
	if len(s) == 3 {
		attributes["num_heads"] = graph.IntAttribute(heads)
	}
	l.finish(l.add("RotaryEmbedding", attributes, c.Node.Inputs[0], c.Node.Inputs[2], c.Node.Inputs[3], positions))
}
