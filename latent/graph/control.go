package graph

// If with a condition that is known before execution, as exporters write it
// around a Squeeze whose axis may be of another size than one: the branch takes the node's place.

import (
	"maps"
	"slices"
)

func init() {
	register(&Operator{Name: "If", Inputs: [2]int{1, -1}, Outputs: -1, Attributes: []string{"else_branch", "then_branch"}, infer: inferIf})
}

var branches = []string{"then_branch", "else_branch"}

// capture makes the values of g that branches use inputs of their If nodes,
// after the condition: those of then_branch, then those of else_branch.
func (g *Graph) capture() {
	for _, n := range g.Nodes {
		if n.Op != "If" || n.Domain != "" && n.Domain != "ai.onnx" || len(n.Inputs) == 0 {
			continue
		}
		n.Inputs = slices.Clone(n.Inputs[:1])
		for _, name := range branches {
			if branch := n.Attributes[name].Graph; branch != nil {
				branch.capture()
				n.Inputs = append(n.Inputs, branch.free()...)
			}
		}
	}
}

// free is the names that the graph uses and does not define, sorted.
func (g *Graph) free() []string {
	used, defined := map[string]bool{}, map[string]bool{"": true}
	for name := range g.Constants {
		defined[name] = true
	}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			used[in] = true
		}
		for _, out := range n.Outputs {
			defined[out] = true
		}
	}
	for _, out := range g.Outputs {
		used[out.Name] = true
	}
	maps.DeleteFunc(used, func(name string, _ bool) bool { return defined[name] })
	return slices.Sorted(maps.Keys(used))
}

func inferIf(c *Context) {
	condition := c.In[0].Const
	switch {
	case c.In[0].DType != Bool:
		c.failf("input 0 (the condition) has type %v, want bool", c.In[0].DType)
	case elements(c.shape(0)) != 1:
		c.failf("input 0 (the condition) has shape %v, want one element", c.shape(0))
	case condition == nil:
		c.unsupported("input 0 (the condition) must be a constant or follow from the input's shape")
	}
	inputs := c.Node.Inputs[1:]
	var taken *Graph
	var captured []string
	for i, name := range branches {
		a, ok := c.attribute(name, AttributeGraph)
		if !ok {
			c.failf("%s is missing", name)
		}
		free := a.Graph.free()
		if len(free) > len(inputs) {
			c.failf("%s uses %d values of the graph around it, the node has %d", name, len(free), len(inputs))
		}
		if condition.Bool[0] == (i == 0) {
			taken, captured = a.Graph, inputs[:len(free)]
		}
		inputs = inputs[len(free):]
	}
	switch {
	case len(taken.Inputs) > 0:
		c.failf("a branch has %d inputs, want none", len(taken.Inputs))
	case len(taken.Outputs) < len(c.Node.Outputs):
		c.failf("a branch has %d outputs, the node %d", len(taken.Outputs), len(c.Node.Outputs))
	}
	c.lower().inline(taken, captured)
}

// inline puts a branch, whose free names stand for the given values, in the place of the node.
func (l *lowering) inline(g *Graph, captured []string) {
	// Both branches may use the same names.
	names := map[string]string{"": ""}
	for i, name := range g.free() {
		names[name] = captured[i]
	}
	prefix := l.name() + "\x00"
	rename := func(list []string) []string {
		out := make([]string, len(list))
		for i, name := range list {
			if _, ok := names[name]; !ok {
				names[name] = prefix + name
			}
			out[i] = names[name]
		}
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(g.Constants)) {
		l.names, l.constants = append(l.names, rename([]string{name})[0]), append(l.constants, g.Constants[name])
	}
	for _, n := range g.Nodes {
		inner := *n
		if inner.Name == "" && len(n.Outputs) > 0 {
			inner.Name = n.Outputs[0]
		}
		inner.Inputs, inner.Outputs = rename(n.Inputs), rename(n.Outputs)
		l.nodes = append(l.nodes, &inner)
	}
	var results []string
	for _, out := range g.Outputs {
		results = append(results, out.Name)
	}
	l.finish(rename(results)...)
}
