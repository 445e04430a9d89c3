// ReverseSequence, and LSTM, GRU and RNN, which are written as products and elementwise operators for the sequence
// length and batch they are bound to: one product of all inputs with W, then for each
// step one of the state with R (two of a GRU that resets the state before its product).

package operator

import (
	"slices"
	"strings"

	"repscope/model/graph"
)

// cell holds the differences of the recurrent operators.
type cell struct {
	gates     int
	functions []string // the defaults of the activations of one direction
	step      func(r *recurrent, d, t int, s state) state
}

var cells = map[string]cell{
	"RNN":  {gates: 1, functions: []string{"Tanh"}, step: (*recurrent).rnn},
	"GRU":  {gates: 3, functions: []string{"Sigmoid", "Tanh"}, step: (*recurrent).gru},
	"LSTM": {gates: 4, functions: []string{"Sigmoid", "Tanh", "Tanh"}, step: (*recurrent).lstm},
}

// recurrentAttributes are the attributes of all recurrent operators, and more.
func recurrentAttributes(more ...string) []string {
	return append([]string{"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout"}, more...)
}

var recurrentRows = []tableRow{
	{Name: "RNN", Since: 1, Types: "f", Note: "unrolled", Inputs: between(3, 6), Outputs: 2, Attributes: recurrentAttributes(),
		infer: inferRecurrent, weights: cutWeights},
	{Name: "GRU", Since: 1, Types: "f", Note: "unrolled", Inputs: between(3, 6), Outputs: 2,
		Attributes: recurrentAttributes("linear_before_reset"), infer: inferRecurrent, weights: cutWeights},
	{Name: "LSTM", Since: 1, Types: "f", Note: "unrolled", Inputs: between(3, 8), Outputs: 3,
		Attributes: recurrentAttributes("input_forget"), infer: inferRecurrent, weights: cutWeights},
	{Name: "ReverseSequence", Since: 10, Types: "fib", Inputs: exactly(2), Outputs: 1,
		Attributes: []string{"batch_axis", "time_axis"}, infer: inferReverseSequence},
}

// The inputs of recurrent operators.
const (
	inputX = iota
	inputW
	inputR
	inputB
	inputLengths
	inputH
	inputC
	inputP
)

// recurrent is a node under replacement. The name "" represents a value of zeros.
type recurrent struct {
	c                                        *context
	l                                        *lowering
	cell                                     cell
	steps, batch, input, hidden, directions  int
	batchFirst, resetAfter, coupled, reverse bool
	clip                                     float32
	functions                                []recurrentFunction // of all directions

	projected       string     // X·Wᵀ with its bias: [steps, batch, directions·gates·hidden]
	weights, biases [][]string // of the products with the state, by direction
	constant        bool       // whether the weights are
	peepholes       [][]string // i, o, f by direction
	lengths         string     // [batch, 1]; "" if all sequences are complete
}

// state is h and, of an LSTM, c: [batch, hidden].
type state struct{ h, c string }

// inferRecurrent computes, with x the product of the input with W plus biases and f, g, h the activations:
//
//	RNN:  h = f(x + R·h)
//	GRU:  z, r = f(x + R·h); n = g(x + R·(r∘h)) or, with linear_before_reset, g(x + r∘(R·h + b)); h = (1−z)∘n + z∘h
//	LSTM: i, f = f(x + R·h + P∘c); c = f∘c + i∘g(x + R·h); o = f(x + R·h + P∘c); h = o∘h(c)
//
// The operands of f and g are clipped, the operand of h is not. A sequence shorter than the longest one keeps its state
// beyond its end, where Y is 0.
func inferRecurrent(c *context) {
	r := newRecurrent(c)
	r.bind()
	last := make([]state, r.directions)
	outputs := make([]string, r.steps*r.directions)
	for d := range r.directions {
		s := state{r.initial(inputH, d), r.initial(inputC, d)}
		for i := range r.steps {
			t := i
			if r.reverse || d == 1 {
				t = r.steps - 1 - i
			}
			next := r.cell.step(r, d, t, s)
			y := next.h
			if r.lengths != "" {
				valid := r.l.add("Greater", nil, r.lengths, r.l.constant(graph.Ints(int64(t))))
				keep := func(v, otherwise string) string {
					if otherwise == "" {
						otherwise = r.l.number(0)
					}
					return r.l.add("Where", nil, valid, v, otherwise)
				}
				y = keep(next.h, "")
				next.h = keep(next.h, s.h)
				if next.c != "" {
					next.c = keep(next.c, s.c)
				}
			}
			outputs[t*r.directions+d], s = y, next
		}
		last[d] = s
	}
	r.finish(outputs, last)
}

// newRecurrent checks attributes and inputs.
func newRecurrent(c *context) *recurrent {
	r := &recurrent{c: c, cell: cells[c.Node.Op], directions: 1, clip: c.float("clip", 0),
		batchFirst: c.flag("layout", false), resetAfter: c.flag("linear_before_reset", false), coupled: c.flag("input_forget", false)}
	for i := range c.In {
		if i == inputLengths {
			c.want(i, graph.Int64)
		} else {
			c.want(i, graph.Float32)
		}
	}
	switch direction := c.text("direction", "forward"); direction {
	case "forward":
	case "reverse":
		r.reverse = true
	case "bidirectional":
		r.directions = 2
	default:
		c.failf("attribute direction is %q, want forward, reverse or bidirectional", direction)
	}
	x, weights := c.shape(inputX), c.shape(inputR)
	if len(x) != 3 {
		c.failf("input 0 (X) has shape %v, want [steps, batch, input]", x)
	}
	r.steps, r.batch, r.input = x[0], x[1], x[2]
	if r.batchFirst {
		r.steps, r.batch = r.batch, r.steps
	}
	if r.steps == 0 || r.input == 0 {
		c.failf("input 0 (X) has shape %v: it is empty", x)
	}
	if len(weights) != 3 {
		c.failf("input 2 (R) has shape %v, want [directions, gates·hidden_size, hidden_size]", weights)
	}
	r.hidden = c.integer("hidden_size", weights[2])
	if r.hidden < 1 || r.hidden > graph.MaxElements/8 {
		c.failf("hidden_size is %d", r.hidden)
	}
	r.checkShapes()
	if r.clip < 0 {
		c.failf("clip is %g", r.clip)
	}
	r.activations()
	return r
}

// checkShapes checks the inputs after X against the sizes.
func (r *recurrent) checkShapes() {
	c := r.c
	rows := r.cell.gates * r.hidden
	state := []int{r.directions, r.batch, r.hidden}
	if r.batchFirst {
		state = []int{r.batch, r.directions, r.hidden}
	}
	for i, want := range []struct {
		name, why string
		shape     []int
	}{
		inputW:       {"W", "directions, gates·hidden_size, last axis of X", []int{r.directions, rows, r.input}},
		inputR:       {"R", "directions, gates·hidden_size, hidden_size", []int{r.directions, rows, r.hidden}},
		inputB:       {"B", "directions, 2·gates·hidden_size", []int{r.directions, 2 * rows}},
		inputLengths: {"sequence_lens", "batch", []int{r.batch}},
		inputH:       {"initial_h", "directions, batch and hidden_size in the order of the layout", state},
		inputC:       {"initial_c", "directions, batch and hidden_size in the order of the layout", state},
		inputP:       {"P", "directions, 3·hidden_size", []int{r.directions, 3 * r.hidden}},
	} {
		if i > inputX && c.has(i) && !slices.Equal(c.shape(i), want.shape) {
			c.failf("input %d (%s) has shape %v, want %v (%s)", i, want.name, c.shape(i), want.shape, want.why)
		}
	}
}

// recurrentFunction is an activation and its parameters.
type recurrentFunction struct {
	op          string
	alpha, beta float32
}

// recurrentFunctions are the activations by name in lower case, with the defaults of the operators of
// this name. There is none of the name Affine or ScaledTanh.
var recurrentFunctions = map[string]struct {
	op          string
	takes       int // of alpha, beta
	alpha, beta float32
}{
	"relu": {op: "Relu"}, "tanh": {op: "Tanh"}, "sigmoid": {op: "Sigmoid"}, "softsign": {op: "Softsign"}, "softplus": {op: "Softplus"},
	"leakyrelu": {"LeakyRelu", 1, 0.01, 0}, "thresholdedrelu": {"ThresholdedRelu", 1, 1, 0}, "elu": {"Elu", 1, 1, 0},
	"hardsigmoid": {"HardSigmoid", 2, 0.2, 0.5}, "affine": {op: "Affine", takes: 2}, "scaledtanh": {op: "ScaledTanh", takes: 2},
}

// activations reads the list of activations. Activations with an alpha or a beta consume the lists of these in order.
func (r *recurrent) activations() {
	c := r.c
	names := slices.Repeat(r.cell.functions, r.directions)
	if a, ok := c.attribute("activations", graph.AttributeStrings); ok && len(a.Strings) > 0 {
		if len(a.Strings) != len(names) {
			c.failf("%d activations %q, want %d", len(a.Strings), a.Strings, len(names))
		}
		names = a.Strings
	}
	alphas, _ := c.attribute("activation_alpha", graph.AttributeFloats)
	betas, _ := c.attribute("activation_beta", graph.AttributeFloats)
	take := func(list *[]float32, taken bool, otherwise float32) float32 {
		if !taken || len(*list) == 0 {
			return otherwise
		}
		v := (*list)[0]
		*list = (*list)[1:]
		return v
	}
	for _, name := range names {
		f, ok := recurrentFunctions[strings.ToLower(name)]
		if !ok {
			c.unsupported("activation %q", name)
		}
		if f.takes == 2 && f.op != "HardSigmoid" && (len(alphas.Floats) == 0 || len(betas.Floats) == 0) {
			c.failf("activation %q needs a number of activation_alpha and one of activation_beta", name)
		}
		r.functions = append(r.functions, recurrentFunction{f.op, take(&alphas.Floats, f.takes > 0, f.alpha), take(&betas.Floats, f.takes > 1, f.beta)})
	}
	if len(alphas.Floats)+len(betas.Floats) > 0 {
		c.unsupported("activation_alpha or activation_beta has %d numbers too many for the activations %q", len(alphas.Floats)+len(betas.Floats), names)
	}
}

// bind starts the replacement: the input's product, and weights and biases by direction.
func (r *recurrent) bind() {
	c := r.c
	r.l = c.unroll(r.steps*r.directions, 60)
	l, rows, inputs := r.l, r.cell.gates*r.hidden, c.Node.Inputs
	x := inputs[inputX]
	if r.batchFirst {
		x = l.transpose(x, []int{1, 0, 2})
	}
	heights := r.heights()
	w, constant := r.matrices(inputW, []int{r.directions * rows}, r.input)
	weights, ok := r.matrices(inputR, slices.Repeat(heights, r.directions), r.hidden)
	r.constant = constant && ok
	bias := ""
	r.biases = make([][]string, r.directions)
	if c.has(inputB) {
		// The biases of W and of R: they are added up unless the latter is scaled on its own.
		both := l.split(inputs[inputB], 1, rows, rows)
		if r.resetAfter {
			bias = l.reshape(both[0], []int{r.directions * rows})
		} else {
			both[1] = l.add("Add", nil, both[0], both[1])
		}
		for d := range r.directions {
			row := l.reshape(l.slice(both[1], 0, d, d+1), []int{rows})
			r.biases[d] = l.split(row, 0, heights...)
		}
	} else {
		for d := range r.directions {
			r.biases[d] = make([]string, len(heights))
		}
	}
	for d := range r.directions {
		r.weights = append(r.weights, weights[d*len(heights):(d+1)*len(heights)])
		p := make([]string, 3)
		if c.has(inputP) {
			p = l.split(l.reshape(l.slice(inputs[inputP], 0, d, d+1), []int{3 * r.hidden}), 0, r.hidden, r.hidden, r.hidden)
		}
		r.peepholes = append(r.peepholes, p)
	}
	flat := l.reshape(x, []int{r.steps * r.batch, r.input})
	r.projected = l.reshape(r.product(flat, w[0], bias), []int{r.steps, r.batch, r.directions * rows})
	r.bindLengths()
}

// bindLengths looks whether any sequence is shorter than X.
func (r *recurrent) bindLengths() {
	c := r.c
	if !c.has(inputLengths) {
		return
	}
	if lengths := c.In[inputLengths].Const; lengths != nil {
		all := true
		for i, n := range lengths.I64 {
			if n < 0 || n > int64(r.steps) {
				c.failf("input 4 (sequence_lens): sequence %d has length %d, X has %d steps", i, n, r.steps)
			}
			all = all && n == int64(r.steps)
		}
		if all {
			return
		}
	}
	r.lengths = r.l.reshape(r.l.int64Of(c.Node.Inputs[inputLengths]), []int{r.batch, 1})
}

// heights are the numbers of rows of R that are multiplied at a time.
func (r *recurrent) heights() []int { return cellHeights(r.c.Node.Op, r.resetAfter, r.hidden) }

func cellHeights(op string, resetAfter bool, hidden int) []int {
	if op == "GRU" && !resetAfter {
		return []int{2 * hidden, hidden}
	}
	return []int{cells[op].gates * hidden}
}

// matrices cuts input i into matrices of these heights, and reports whether they are constants.
func (r *recurrent) matrices(i int, heights []int, width int) ([]string, bool) {
	var names []string
	if t := r.c.In[i].Const; t != nil {
		for _, part := range t.Cut(heights, width) {
			names = append(names, r.l.constant(part))
		}
		return names, true
	}
	rows := 0
	for _, h := range heights {
		rows += h
	}
	flat := r.l.reshape(r.c.Node.Inputs[i], []int{rows, width})
	return r.l.split(flat, 0, heights...), false
}

// cutWeights cuts the constant weights of a recurrent node, so that every binding has the same
// tensors, which executors then pack once.
func cutWeights(g *graph.Graph, n *graph.Node) {
	if len(n.Inputs) < 3 {
		return
	}
	w, r := g.Constants[n.Inputs[inputW]], g.Constants[n.Inputs[inputR]]
	if w != nil && len(w.Shape) == 3 && w.DType == graph.Float32 {
		w.KeepParts([]int{w.Shape[0] * w.Shape[1]}, w.Shape[2])
	}
	if r != nil && len(r.Shape) == 3 && r.DType == graph.Float32 && r.Shape[1] == cells[n.Op].gates*r.Shape[2] {
		heights := cellHeights(n.Op, n.Attributes["linear_before_reset"].Int != 0, r.Shape[2])
		r.KeepParts(slices.Repeat(heights, r.Shape[0]), r.Shape[2])
	}
}

// product is x·wᵀ + bias.
func (r *recurrent) product(x, w, bias string) string {
	if x == "" {
		return bias
	}
	if r.constant {
		return r.l.linear(x, w, bias)
	}
	return r.plus(r.l.add("Gemm", map[string]graph.Attribute{"transB": graph.IntAttribute(1)}, x, w), bias)
}

// plus, times and apply are a + b, a∘b and f(a).
func (r *recurrent) plus(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return r.l.add("Add", nil, a, b)
}

func (r *recurrent) times(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	return r.l.add("Mul", nil, a, b)
}

// gate is f(a), a being clipped before.
func (r *recurrent) gate(f recurrentFunction, a string) string {
	if r.clip > 0 {
		a = r.l.add("Clip", nil, a, r.l.number(-r.clip), r.l.number(r.clip))
	}
	return r.apply(f, a)
}

func (r *recurrent) apply(f recurrentFunction, a string) string {
	l := r.l
	number := func(v float32) graph.Attribute { return graph.Attribute{Kind: graph.AttributeFloat, Float: v} }
	switch f.op {
	case "Affine":
		return l.add("Add", nil, l.add("Mul", nil, a, l.number(f.alpha)), l.number(f.beta))
	case "ScaledTanh":
		return l.add("Mul", nil, l.add("Tanh", nil, l.add("Mul", nil, a, l.number(f.beta))), l.number(f.alpha))
	case "HardSigmoid":
		return l.add(f.op, map[string]graph.Attribute{"alpha": number(f.alpha), "beta": number(f.beta)}, a)
	case "LeakyRelu", "ThresholdedRelu", "Elu":
		return l.add(f.op, map[string]graph.Attribute{"alpha": number(f.alpha)}, a)
	}
	return l.add(f.op, nil, a)
}

// function is the i-th activation of direction d.
func (r *recurrent) function(d, i int) recurrentFunction {
	return r.functions[d*len(r.cell.functions)+i]
}

// at is the input's product at step t for direction d, of gates from to from+n: [batch, n·hidden].
func (r *recurrent) at(d, t, from, n int) string {
	first := (d*r.cell.gates + from) * r.hidden
	part := r.l.add("Slice", map[string]graph.Attribute{"axes": graph.IntsAttribute(0, 2),
		"starts": graph.IntsAttribute(t, first), "ends": graph.IntsAttribute(t+1, first+n*r.hidden)}, r.projected)
	return r.l.reshape(part, []int{r.batch, n * r.hidden})
}

// parts cuts a value of several gates.
func (r *recurrent) parts(v string, gates ...int) []string {
	sizes := make([]int, len(gates))
	for i, n := range gates {
		sizes[i] = n * r.hidden
	}
	if v == "" {
		return make([]string, len(gates))
	}
	return r.l.split(v, -1, sizes...)
}

func (r *recurrent) rnn(d, t int, s state) state {
	return state{h: r.gate(r.function(d, 0), r.plus(r.product(s.h, r.weights[d][0], r.biases[d][0]), r.at(d, t, 0, 1)))}
}

func (r *recurrent) gru(d, t int, s state) state {
	f, g := r.function(d, 0), r.function(d, 1)
	both, candidate := r.at(d, t, 0, 2), r.at(d, t, 2, 1) // z and r; n
	if r.resetAfter {
		product := r.parts(r.product(s.h, r.weights[d][0], r.biases[d][0]), 2, 1)
		gates := r.parts(r.gate(f, r.plus(product[0], both)), 1, 1)
		candidate = r.gate(g, r.plus(r.times(gates[1], product[1]), candidate))
		return state{h: r.between(candidate, s.h, gates[0])}
	}
	gates := r.parts(r.gate(f, r.plus(r.product(s.h, r.weights[d][0], r.biases[d][0]), both)), 1, 1)
	candidate = r.gate(g, r.plus(r.product(r.times(gates[1], s.h), r.weights[d][1], r.biases[d][1]), candidate))
	return state{h: r.between(candidate, s.h, gates[0])}
}

// between is (1−z)∘a + z∘b.
func (r *recurrent) between(a, b, z string) string {
	rest := r.l.add("Sub", nil, r.l.number(1), z)
	return r.plus(r.times(rest, a), r.times(z, b))
}

func (r *recurrent) lstm(d, t int, s state) state {
	f, p := r.function(d, 0), r.peepholes[d]
	sum := r.parts(r.plus(r.product(s.h, r.weights[d][0], r.biases[d][0]), r.at(d, t, 0, 4)), 1, 1, 1, 1) // i, o, f, c
	in := r.gate(f, r.plus(sum[0], r.times(s.c, p[0])))
	var forget string
	if r.coupled {
		forget = r.l.add("Sub", nil, r.l.number(1), in)
	} else {
		forget = r.gate(f, r.plus(sum[2], r.times(s.c, p[2])))
	}
	c := r.plus(r.times(forget, s.c), r.times(in, r.gate(r.function(d, 1), sum[3])))
	out := r.gate(f, r.plus(sum[1], r.times(c, p[1])))
	return state{h: r.times(out, r.apply(r.function(d, 2), c)), c: c}
}

// initial is the state that input i gives direction d.
func (r *recurrent) initial(i, d int) string {
	if !r.c.has(i) {
		return ""
	}
	axis := 0
	if r.batchFirst {
		axis = 1
	}
	return r.l.reshape(r.l.slice(r.c.Node.Inputs[i], axis, d, d+1), []int{r.batch, r.hidden})
}

// finish joins the results: Y [steps, directions, batch, hidden], Y_h and Y_c [directions, batch, hidden], or batch
// first.
func (r *recurrent) finish(outputs []string, last []state) {
	l := r.l
	values := make([]string, len(r.c.Node.Outputs))
	wanted := func(i int) bool { return i < len(values) && r.c.Node.Outputs[i] != "" }
	join := func(list []string, leading []int, perm []int) string {
		y := l.reshape(l.add("Concat", map[string]graph.Attribute{"axis": graph.IntAttribute(0)}, list...), append(leading, r.batch, r.hidden))
		if r.batchFirst {
			y = l.transpose(y, perm)
		}
		return y
	}
	if wanted(0) {
		values[0] = join(outputs, []int{r.steps, r.directions}, []int{2, 0, 1, 3})
	}
	final := make([][]string, 2)
	for _, s := range last {
		final[0], final[1] = append(final[0], s.h), append(final[1], s.c)
	}
	for i, list := range final {
		if wanted(1 + i) {
			values[1+i] = join(list, []int{r.directions}, []int{1, 0, 2})
		}
	}
	l.finish(values...)
}

// inferReverseSequence reverses the first elements of each sequence, as many as its length, and keeps the rest: rows of
// [batch·steps, …] are gathered by their index.
func inferReverseSequence(c *context) {
	shape := c.shape(0)
	c.want(1, graph.Int64)
	batchAxis, timeAxis := c.integer("batch_axis", 1), c.integer("time_axis", 0)
	if len(shape) < 2 || batchAxis+timeAxis != 1 || batchAxis*timeAxis != 0 {
		c.failf("input %v with batch_axis %d and time_axis %d, want at least two axes and these to be 0 and 1", shape, batchAxis, timeAxis)
	}
	batch, steps := shape[batchAxis], shape[timeAxis]
	if !slices.Equal(c.shape(1), []int{batch}) {
		c.failf("input 1 (sequence_lens) has shape %v, want [%d]", c.shape(1), batch)
	}
	count := func(n, step int) string {
		t := &graph.Tensor{DType: graph.Int64, Shape: []int{n}, I64: make([]int64, n)}
		for i := range t.I64 {
			t.I64[i] = int64(i * step)
		}
		return c.lowered.constant(t)
	}
	l := c.lower()
	x, perm := c.Node.Inputs[0], []int{1, 0}
	for i := 2; i < len(shape); i++ {
		perm = append(perm, i)
	}
	if timeAxis == 0 {
		x = l.transpose(x, perm)
	}
	t, first := count(steps, 1), l.reshape(count(batch, steps), []int{batch, 1})
	lengths := l.reshape(l.add("Min", nil, l.int64Of(c.Node.Inputs[1]), l.constant(graph.Ints(int64(steps)))),
		[]int{batch, 1})
	reversed := l.add("Sub", nil, l.add("Sub", nil, lengths, l.constant(graph.Ints(1))), t)
	index := l.add("Add", nil, first, l.add("Where", nil, l.add("Less", nil, t, lengths), reversed, t))
	rows := l.reshape(x, append([]int{batch * steps}, shape[2:]...))
	y := l.add("Gather", nil, rows, l.reshape(index, []int{batch * steps}))
	y = l.reshape(y, append([]int{batch, steps}, shape[2:]...))
	if timeAxis == 0 {
		y = l.transpose(y, perm)
	}
	l.finish(y)
}
