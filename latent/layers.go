// Layers: the intermediate values of a model's graph, by name.

package latent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/stat"
)

// Layer is a value of a model's graph.
type Layer struct {
	Name     string // of the value
	Node     string // name of the node that makes it; may be empty
	Operator string // of that node
	DType    string // "float32", "int64", "bool"; empty if unknown
	// Shape is that for one shape of state, with −1 for the batch; nil if it is
	// not known without states. Where the model joins the batch with an axis of
	// K steps, [B·K, …], Shape is [−1 K …].
	Shape []int
	// Output says that it is an output of the model.
	Output bool
	// Reason says why it cannot be encoded; empty if it can.
	Reason string
}

// LayerEncoder is an Encoder that computes several values of its model at once;
// all that Open returns are. Encode returns the first.
type LayerEncoder interface {
	Encoder
	// Layers are the values, in the order of EncodeLayers' results.
	Layers() []Layer
	// EncodeLayers maps a float32 tensor [B, …state] to the values' float32
	// tensors [B, …]; see Encoder.Encode.
	EncodeLayers(ctx context.Context, batch *tensor.Dense) ([]*tensor.Dense, error)
}

// Layers lists the values of an encoder file's graph in the order in which they
// are computed, without weights and other constants. Shapes are those for
// states of the given shape; nil stands for the shape that the file tells, with
// a small size for axes that it leaves free.
func Layers(path string, o OpenOptions, state []int) ([]Layer, error) {
	m, err := read(path, o)
	if err != nil {
		return nil, fmt.Errorf("encoder %w", err)
	}
	layers, err := m.layers(state)
	if err = errors.Join(err, m.close()); err != nil {
		return nil, fmt.Errorf("encoder %s: %w", path, err)
	}
	return layers, nil
}

// layers lists the values of the graph. The graph stays as it is.
func (m *model) layers(state []int) ([]Layer, error) {
	g := *m.graph
	g.Nodes = slices.Clone(g.Nodes)
	g.Constants = make(map[string]*graph.Tensor, len(m.graph.Constants))
	for name, t := range m.graph.Constants {
		g.Constants[name] = t
	}
	g.Outputs = nil
	isOutput := map[string]bool{}
	for _, p := range m.graph.Outputs {
		isOutput[p.Name] = true
	}
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			if name != "" {
				g.Outputs = append(g.Outputs, graph.Port{Name: name})
			}
		}
	}
	if len(g.Outputs) == 0 {
		return nil, errors.New("the graph computes nothing")
	}
	if err := checkInput(&g); err != nil {
		return nil, err
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		return nil, err
	}
	input := g.Inputs[0]
	values := func(rows, free int) map[string]graph.Value {
		shape := exampleShape(input, rows, m.state, free)
		if state != nil {
			fitted, ok := fit(state, input)
			if !ok {
				return nil
			}
			shape = append([]int{rows}, fitted...)
		}
		if shape == nil {
			return nil
		}
		p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: input.DType, Shape: shape}}})
		if err != nil {
			return nil // the shape was only a guess
		}
		out := map[string]graph.Value{}
		for _, v := range p.Values {
			if v.Name != "" {
				out[v.Name] = v
			}
		}
		return out
	}
	if state != nil {
		if _, ok := fit(state, input); !ok {
			return nil, fmt.Errorf("states have shape %v, the encoder wants %v without the batch (input %q)", state, input.Shape()[1:], input.Name)
		}
	}
	few, more := 2, 3
	if input.Dims != nil && input.Dims[0].Size > 0 {
		few = input.Dims[0].Size
		more = few
	}
	var a, b map[string]graph.Value
	for _, free := range []int{2, 1, 3, 4, 5, 6, 8, 16} {
		if a, b = values(few, free), values(more, free); a != nil && b != nil {
			break
		}
		a, b = nil, nil
	}

	var layers []Layer
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			if name == "" || seen[name] || g.Constants[name] != nil {
				continue
			}
			seen[name] = true
			l := Layer{Name: name, Node: n.Name, Operator: n.Op, Output: isOutput[name]}
			v, ok := a[name]
			if ok && v.Const != nil && !l.Output {
				continue // arithmetic of shapes
			}
			if ok {
				l.DType = v.DType.String()
				l.describe(v, b[name].Shape, few, more)
			}
			layers = append(layers, l)
		}
	}
	return layers, nil
}

// describe sets the shape and the reason, given the value's shape for two batches.
func (l *Layer) describe(v graph.Value, other []int, few, more int) {
	shape := slices.Clone(v.Shape)
	l.Shape = shape
	switch {
	case v.Const != nil:
		l.Reason = "it does not depend on the states"
	case v.DType != graph.Float32:
		l.Reason = "it is of type " + l.DType
	case len(shape) == 0 || shape[0] == 0 || shape[0]%few != 0 || len(other) != len(shape) || other[0] != shape[0]/few*more:
		l.Reason = "its first axis is not the batch"
	default:
		l.Shape = split(shape, few)
		l.Shape[0] = -1
	}
}

// split separates the batch of n states from what is joined with it in the
// first axis.
func split(shape []int, n int) []int {
	if shape[0] == n {
		return slices.Clone(shape)
	}
	return append([]int{n, shape[0] / n}, shape[1:]...)
}

// exampleShape is a shape that the input may take, nil if nothing is known;
// free is the size of an axis that is not told, of time or tokens. If it does not
// fit, only the states will tell.
func exampleShape(input graph.Port, rows int, state []int, free int) []int {
	if input.Dims == nil {
		return nil
	}
	shape := input.Shape()
	for i, d := range shape {
		switch {
		case d >= 0:
		case i == 0:
			shape[i] = rows
		case state != nil && i <= len(state):
			shape[i] = state[i-1]
		default:
			shape[i] = free
		}
	}
	return shape
}

// choose makes the values that the patterns name the graph's outputs and returns
// them.
func (m *model) choose(patterns []string, state []int) ([]Layer, error) {
	all, err := m.layers(state)
	if err != nil {
		return nil, err
	}
	last := map[string]int{} // by node
	for i, l := range all {
		if l.Node != "" {
			last[l.Node] = i
		}
	}
	var chosen []Layer
	var ports []graph.Port
	add := func(l Layer) {
		if !slices.ContainsFunc(chosen, func(c Layer) bool { return c.Name == l.Name }) {
			chosen = append(chosen, l)
			ports = append(ports, graph.Port{Name: l.Name, DType: graph.Float32})
		}
	}
	for _, pattern := range patterns {
		i := slices.IndexFunc(all, func(l Layer) bool { return l.Name == pattern })
		if k, ok := last[pattern]; ok && i < 0 {
			i = k
		}
		if i >= 0 {
			if all[i].Reason != "" {
				return nil, fmt.Errorf("layer %q (%s %s %v) cannot be encoded: %s", pattern, all[i].Operator, all[i].DType, all[i].Shape, all[i].Reason)
			}
			add(all[i])
			continue
		}
		found, unfit := 0, ""
		for i, l := range all {
			if !Match(pattern, l.Name) && !(l.Node != "" && last[l.Node] == i && Match(pattern, l.Node)) {
				continue
			}
			if l.Reason != "" {
				unfit = l.Name + ": " + l.Reason
				continue
			}
			found++
			add(l)
		}
		switch {
		case found > 0:
		case unfit != "":
			return nil, fmt.Errorf("layer %q: nothing that can be encoded (%s)", pattern, unfit)
		default:
			return nil, &UnknownLayerError{Pattern: pattern, Layers: all}
		}
	}
	m.graph.Outputs = ports
	return chosen, nil
}

// UnknownLayerError is a layer that the model does not have.
type UnknownLayerError struct {
	Pattern string
	Layers  []Layer // that it has
}

func (e *UnknownLayerError) Error() string {
	return fmt.Sprintf("has no layer %q among its %d values", e.Pattern, len(e.Layers))
}

// Match reports whether a pattern, in which * stands for any characters and ?
// for any one, matches the whole name.
func Match(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j := 0, 0
	star, resume := -1, 0
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, resume = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i, j = i+1, j+1
		case star >= 0:
			resume++
			i, j = star+1, resume
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// Layers are the values that the encoder computes.
func (e *modelEncoder) Layers() []Layer {
	layers := slices.Clone(e.layers)
	for i := range layers {
		layers[i].Shape = slices.Clone(layers[i].Shape)
	}
	return layers
}

// pools are the default poolings: the published use of an architecture is
// that of its output.
func (e *modelEncoder) pools() []Pool {
	if !e.named {
		return []Pool{e.info.DefaultPool}
	}
	pools := make([]Pool, len(e.layers))
	for k, l := range e.layers {
		if l.Output {
			pools[k] = e.outputPool
		}
	}
	return pools
}

// EncodeLayers maps a batch; see LayerEncoder.
func (e *modelEncoder) EncodeLayers(ctx context.Context, batch *tensor.Dense) ([]*tensor.Dense, error) {
	values, shape, err := floats(batch)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	results, err := e.run(ctx, values, shape[0], shape[1:])
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	out := make([]*tensor.Dense, len(results))
	for k, r := range results {
		out[k] = tensor.New(tensor.WithShape(r.shape...), tensor.WithBacking(slices.Clone(r.values)))
	}
	return out, nil
}

// separate is an error if a layer whose first axis joins the batch with
// something else does not keep the rows of one state together: changing the
// first of two states may change only the first half of the rows.
func (e *modelEncoder) separate(ctx context.Context, state []int) error {
	shapes, err := e.outputShapes(state)
	if err != nil || !e.joined {
		return err
	}
	n := max(2, e.rows)
	if e.rows == 1 {
		return nil
	}
	width := 1
	for _, d := range state {
		width *= d
	}
	x := make([]float32, n*width)
	random := stat.NewRandom(stat.StreamSeparate.Key(0))
	for i := range x {
		x[i] = float32(random.Float64())
	}
	first, err := e.run(ctx, x, n, state)
	if err != nil {
		return err
	}
	before := make([][]float32, len(first)) // the executor's memory is used again
	for k, r := range first {
		before[k] = slices.Clone(r.values)
	}
	for i := range width {
		x[i] = float32(random.Float64())
	}
	second, err := e.run(ctx, x, n, state)
	if err != nil {
		return err
	}
	for k, r := range second {
		row := len(r.values) / n
		if !slices.Equal(r.values[row:], before[k][row:]) {
			return fmt.Errorf("layer %s: its first axis joins the batch with something else so that states are mixed (shape %v for one state)",
				e.layers[k].Name, shapes[k])
		}
	}
	return nil
}

// nameList joins names for a message.
func nameList(ports []graph.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}
