// Graphs in graphs. An If with a condition known before execution, as exporters write it around a Squeeze whose axis
// may be of another size than one, is replaced by the branch. Loop and Scan with a known number of iterations are
// replaced by as many copies of the body.

package operator

import (
	"fmt"
	"maps"
	"slices"

	"repscope/model/graph"
)

var controlRows = []tableRow{
	{Name: "If", Since: 1, Types: "b", Note: "the condition must be a constant or follow from the input's shape", Inputs: atLeast(1),
		Outputs: many, Attributes: []string{"else_branch", "then_branch"}, Lists: many, Optional: true, infer: inferIf,
		inner: innerIf},
	{Name: "Loop", Since: 1, Types: "fib",
		Note: "unrolled; the number of iterations must be a constant or follow from the input's shape", Inputs: atLeast(0),
		Outputs: many, Attributes: []string{"body"}, Lists: many, Optional: true, infer: inferLoop, inner: innerLoop},
	{Name: "Scan", Since: 8, Types: "fib", Note: "unrolled", Inputs: atLeast(0), Outputs: many,
		Attributes: []string{"body", "directions", "num_scan_inputs", "scan_input_axes", "scan_input_directions",
			"scan_output_axes", "scan_output_directions"},
		Lists: many, Optional: true, infer: inferScan, inner: innerLoop},
}

// innerIf is the condition, and the branches.
func innerIf(*graph.Node) (own int, attributes []string) { return 1, branches }

// innerLoop is the inputs of the body, and the body.
func innerLoop(n *graph.Node) (count int, attributes []string) {
	if body := n.Attributes["body"].Graph; body != nil {
		count = len(body.Inputs)
		if n.Op == "Scan" && len(n.Inputs) == count+1 { // opset 8: the lengths of sequences come first
			count++
		}
	}
	return count, []string{"body"}
}

var branches = []string{"then_branch", "else_branch"}

func inferIf(c *context) {
	switch {
	case c.In[0].DType != graph.Bool:
		c.failf("input 0 (the condition) has type %v, want bool", c.In[0].DType)
	case graph.Count(c.shape(0)) != 1:
		c.failf("input 0 (the condition) has shape %v, want one element", c.shape(0))
	}
	condition := c.known(0, "the condition")
	inputs := c.Node.Inputs[1:]
	var branch *graph.Graph
	var captured []string
	for i, name := range branches {
		a, ok := c.attribute(name, graph.AttributeGraph)
		if !ok {
			c.failf("%s is missing", name)
		}
		free := a.Graph.Free()
		if len(free) > len(inputs) {
			c.failf("%s uses %d values of the enclosing graph, the node has %d", name, len(free), len(inputs))
		}
		if condition.Bool[0] == (i == 0) {
			branch, captured = a.Graph, inputs[:len(free)]
		}
		inputs = inputs[len(free):]
	}
	switch {
	case len(branch.Inputs) > 0:
		c.failf("a branch has %d inputs, want none", len(branch.Inputs))
	case len(branch.Outputs) < len(c.Node.Outputs):
		c.failf("a branch has %d outputs, the node %d", len(branch.Outputs), len(c.Node.Outputs))
	}
	names := map[string]string{}
	for i, name := range branch.Free() {
		names[name] = captured[i]
	}
	l := c.lower()
	l.finish(l.inline(branch, names)...)
}

// inline adds the nodes of a graph. names maps its free names and inputs to values, and receives its constants; the
// results are the graph's outputs.
func (l *lowering) inline(g *graph.Graph, names map[string]string) []string {
	for _, name := range slices.Sorted(maps.Keys(g.Constants)) {
		if _, ok := names[name]; !ok {
			names[name] = l.constant(g.Constants[name])
		}
	}
	prefix := l.name() + "\x00"
	// Branches and iterations use the same names.
	renamed := map[string]string{"": ""}
	rename := func(list []string) []string {
		out := make([]string, len(list))
		for i, name := range list {
			value, ok := names[name]
			if !ok {
				if value, ok = renamed[name]; !ok {
					value = fmt.Sprint(prefix, len(renamed))
					renamed[name] = value
				}
			}
			out[i] = value
		}
		return out
	}
	for _, n := range g.Nodes {
		inner := *n
		inner.Name = n.Label()
		inner.Inputs, inner.Outputs = rename(n.Inputs), rename(n.Outputs)
		l.Nodes = append(l.Nodes, &inner)
	}
	results := make([]string, len(g.Outputs))
	for i, out := range g.Outputs {
		results[i] = out.Name
	}
	return rename(results)
}

// loop is a Loop or Scan under replacement.
type loop struct {
	c     *context
	body  *graph.Graph
	names map[string]string // of the body's free names, and of its constants
	known map[string]*graph.Tensor
}

// newLoop checks that the node fits its body, which takes the node's inputs and captured values.
func newLoop(c *context) *loop {
	a, ok := c.attribute("body", graph.AttributeGraph)
	if !ok {
		c.failf("attribute body is missing")
	}
	p := &loop{c: c, body: a.Graph, names: map[string]string{}, known: map[string]*graph.Tensor{}}
	count, free := len(p.body.Inputs), p.body.Free()
	if len(c.In) != count+len(free) {
		c.failf("has %d inputs, the body takes %d", len(c.In)-len(free), count)
	}
	for i, name := range free {
		p.names[name], p.known[name] = c.Node.Inputs[count+i], c.In[count+i].Const
	}
	return p
}

// iterate adds the body for inputs of these names.
func (p *loop) iterate(inputs []string) []string {
	for i, in := range p.body.Inputs {
		p.names[in.Name] = inputs[i]
	}
	return p.c.lowered.inline(p.body, p.names)
}

// work is the number of nodes of one iteration, with their inputs and outputs.
func (p *loop) work() int {
	return graph.Size(p.body.Nodes) + len(p.body.Inputs) + len(p.body.Outputs) + 1
}

// inferLoop unrolls a loop whose number of iterations is known: a constant trip count, and a condition that no
// iteration changes.
func inferLoop(c *context) {
	p := newLoop(c)
	carried := len(p.body.Inputs) - 2
	scanned := len(p.body.Outputs) - 1 - carried
	if carried < 0 || scanned < 0 || len(c.Node.Outputs) > carried+scanned {
		c.failf("has %d outputs and a body of %d inputs and %d outputs", len(c.Node.Outputs), len(p.body.Inputs), len(p.body.Outputs))
	}
	trips := p.trips()
	l := c.unroll(trips, p.work())
	state := c.Node.Inputs[2:][:carried]
	stacks := make([][]string, scanned)
	yes := l.constant(&graph.Tensor{DType: graph.Bool, Bool: []bool{true}})
	for i := range trips {
		count := l.constant(&graph.Tensor{DType: graph.Int64, I64: []int64{int64(i)}})
		out := p.iterate(slices.Concat([]string{count, yes}, state))
		state = out[1:][:carried]
		for k, v := range out[1+carried:] {
			stacks[k] = append(stacks[k], v)
		}
	}
	values := slices.Clone(state)
	for _, stack := range stacks {
		if trips == 0 {
			c.unsupported("a loop without iterations that collects values")
		}
		values = append(values, l.stack(0, stack...))
	}
	l.finish(values...)
}

// trips is the number of iterations of a Loop.
func (p *loop) trips() int {
	c := p.c
	one := func(i int, what string, t graph.DType) *graph.Tensor {
		if !c.has(i) {
			return nil
		}
		c.want(i, t)
		if graph.Count(c.shape(i)) != 1 {
			c.failf("input %d (%s) has shape %v, want one element", i, what, c.shape(i))
		}
		return c.known(i, what)
	}
	count, condition := one(0, "the trip count", graph.Int64), one(1, "the condition", graph.Bool)
	switch {
	case condition != nil && !condition.Bool[0]:
		return 0
	case count == nil:
		c.unsupported("a loop without a trip count")
	case !p.endless():
		c.unsupported("a loop whose condition is computed")
	}
	return int(max(0, min(count.I64[0], 1<<31)))
}

// endless reports whether the condition that the body of a Loop returns is its input, or true.
func (p *loop) endless() bool {
	name := p.body.Outputs[0].Name
	isTrue := func(t *graph.Tensor) bool { return t != nil && t.DType == graph.Bool && t.Len() == 1 && t.Bool[0] }
	for range 16 { // a few casts at most
		if name == p.body.Inputs[1].Name || isTrue(p.body.Constants[name]) || isTrue(p.known[name]) {
			return true
		}
		i := slices.IndexFunc(p.body.Nodes, func(n *graph.Node) bool { return slices.Contains(n.Outputs, name) })
		if i < 0 {
			return false
		}
		n := p.body.Nodes[i]
		if n.Op == "Constant" {
			return isTrue(n.Attributes["value"].Tensor)
		}
		if n.Op != "Identity" && n.Op != "Cast" || len(n.Inputs) != 1 {
			return false
		}
		name = n.Inputs[0]
	}
	return false
}

// scanSteps resolves the axes of the inputs from carried on, and returns their common length.
func (c *context) scanSteps(axes []int, carried int) int {
	steps := -1
	for i := range axes {
		shape := c.shape(carried + i)
		axes[i] = c.axis(axes[i], len(shape))
		if n := shape[axes[i]]; steps < 0 {
			steps = n
		} else if n != steps {
			c.failf("input %d has shape %v, want %d elements along axis %d as input %d has", carried+i, shape, steps, axes[i], carried)
		}
	}
	return steps
}

// scanOperands is how many inputs a scan goes through, how many states it has, and how many outputs it collects.
func (p *loop) scanOperands() (scanned, carried, results int) {
	c := p.c
	scanned = c.integer("num_scan_inputs", 0)
	carried = len(p.body.Inputs) - scanned
	results = len(p.body.Outputs) - carried
	if scanned < 1 || carried < 0 || results < 0 || len(c.Node.Outputs) > carried+results {
		c.failf("has num_scan_inputs %d, %d outputs and a body of %d inputs and %d outputs", scanned, len(c.Node.Outputs), len(p.body.Inputs), len(p.body.Outputs))
	}
	for i := range carried + scanned {
		if !c.has(i) {
			c.failf("input %d is missing", i)
		}
	}
	return scanned, carried, results
}

// inferBatchedScan unrolls a scan of opset 8, which goes through each sample of a batch by itself, along axis 1.
func inferBatchedScan(c *context) {
	if len(c.In) == 0 || c.has(0) {
		c.unsupported("input 0 (sequence_lens) of a Scan of opset 8, want none")
	}
	n := *c.Node
	n.Inputs = n.Inputs[1:]
	c.Node, c.In = &n, c.In[1:]
	p := newLoop(c)
	scanned, carried, results := p.scanOperands()
	steps := c.scanSteps(slices.Repeat([]int{1}, scanned), carried)
	reversed, ok := c.integers("directions")
	if !ok {
		reversed = make([]int, scanned)
	}
	batch := c.shape(0)[0]
	if len(reversed) != scanned || batch < 1 || steps < 1 {
		c.failf("%d directions and %d samples of %d elements", len(reversed), batch, steps)
	}
	l := c.unroll(batch*steps, p.work()+scanned)
	part := func(x string, shape []int, axis, at int) (string, []int) {
		rest := slices.Delete(slices.Clone(shape), axis, axis+1)
		return l.reshape(l.slice(x, axis, at, at+1), rest), rest
	}
	values := make([][]string, carried+results)
	for b := range batch {
		state := make([]string, carried)
		for i := range state {
			state[i], _ = part(c.Node.Inputs[i], c.shape(i), 0, b)
		}
		stacks := make([][]string, results)
		for t := range steps {
			inputs := slices.Clone(state)
			for i := range scanned {
				step := t
				if reversed[i] != 0 {
					step = steps - 1 - t
				}
				sample, shape := part(c.Node.Inputs[carried+i], c.shape(carried+i), 0, b)
				x, _ := part(sample, shape, 0, step)
				inputs = append(inputs, x)
			}
			out := p.iterate(inputs)
			state = out[:carried]
			for k, v := range out[carried:] {
				stacks[k] = append(stacks[k], v)
			}
		}
		for i, v := range state {
			values[i] = append(values[i], v)
		}
		for k, stack := range stacks {
			values[carried+k] = append(values[carried+k], l.stack(0, stack...))
		}
	}
	joined := make([]string, len(values))
	for i, v := range values {
		joined[i] = l.stack(0, v...)
	}
	l.finish(joined...)
}

// inferScan unrolls a scan over axes of its inputs.
func inferScan(c *context) {
	if c.Opset < 9 {
		inferBatchedScan(c)
		return
	}
	if _, ok := c.Node.Attributes["directions"]; ok {
		c.unsupported("attribute \"directions\" belongs to opset 8")
	}
	p := newLoop(c)
	scanned, carried, results := p.scanOperands()
	list := func(name string, n int) []int {
		v, ok := c.integers(name)
		if !ok {
			return make([]int, n)
		}
		if len(v) != n {
			c.failf("attribute %s has %d elements, want %d", name, len(v), n)
		}
		return v
	}
	axes, reversed := list("scan_input_axes", scanned), list("scan_input_directions", scanned)
	outAxes, outReversed := list("scan_output_axes", results), list("scan_output_directions", results)
	steps := c.scanSteps(axes, carried)
	l := c.unroll(steps, p.work()+scanned)
	if steps == 0 {
		c.unsupported("a scan over no elements")
	}
	state := c.Node.Inputs[:carried]
	stacks := make([][]string, results)
	for t := range steps {
		inputs := slices.Clone(state)
		for i := range scanned {
			step, shape := t, slices.Delete(slices.Clone(c.shape(carried+i)), axes[i], axes[i]+1)
			if reversed[i] != 0 {
				step = steps - 1 - t
			}
			inputs = append(inputs, l.reshape(l.slice(c.Node.Inputs[carried+i], axes[i], step, step+1), shape))
		}
		out := p.iterate(inputs)
		state = out[:carried]
		for k, v := range out[carried:] {
			stacks[k] = append(stacks[k], v)
		}
	}
	values := slices.Clone(state)
	for k, stack := range stacks {
		if outReversed[k] != 0 {
			slices.Reverse(stack)
		}
		values = append(values, l.stack(outAxes[k], stack...))
	}
	l.finish(values...)
}
