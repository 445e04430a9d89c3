// Layers: the intermediate values of a model's graph, by name.

package latent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/latent/scope"
	"repscope/model"
	"repscope/model/graph"
	"repscope/stat"
)

// Layer is a value of a model's graph.
type Layer struct {
	Name     string // of the value
	Node     string // name of the node that makes it; may be empty
	Operator string // of that node
	// Modules are the modules with this output, such as "blocks" and "blocks.7", named as in the original code:
	// by the tensors of a state dict, or by the exporter of an ONNX file. The innermost one is the last.
	Modules []string
	// Module is the one by which the layer was requested, and of the output of a state dict the one that makes it; empty
	// where there is none.
	Module string
	DType  string // "float32", "int64", "bool"; empty if unknown
	// Shape is that for one shape of state, with −1 for the batch; nil if it is
	// not known without states. Where the model joins the batch with an axis of
	// K steps, [B·K, …], Shape is [−1 K …].
	Shape []int
	// Output says that it is an output of the model.
	Output bool
	// Reason explains why it cannot be encoded; empty if it can.
	Reason string

	channels int  // axis of the channels of a map; see model.Value
	joined   bool // the first axis of the value is the batch times Shape[1]
}

// Channels is the axis of Shape that has the channels of a map, 0 where it is unknown.
func (l Layer) Channels() int {
	if l.channels < 0 {
		return len(l.Shape) - 1
	}
	return l.channels
}

// Label is the name of the module, else of the value.
func (l Layer) Label() string { return cmp.Or(l.Module, l.Name) }

// LayerEncoder is an Encoder that computes several values of its model at once;
// all that Open returns are. Encode returns the first.
type LayerEncoder interface {
	Encoder
	// Layers are the values, in the order of EncodeLayers' results.
	Layers() []Layer
	// EncodeLayers maps an array [B, …state] to the values' arrays [B, …]; see
	// Encoder.Encode.
	EncodeLayers(ctx context.Context, batch Array) ([]Array, error)
}

// Layers lists the values of an encoder file's graph in the order of computation, without weights and other constants.
// Shapes are for states of shape state; nil is the shape in the file, with a small size for free axes.
func Layers(path string, o OpenOptions, state []int) ([]Layer, error) {
	f, err := readFile(path, o)
	if err != nil {
		return nil, fmt.Errorf("encoder %w", err)
	}
	layers, err := layersOf(f, state)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("encoder %s: %w", path, err)
	}
	return layers, nil
}

// layersOf lists the values of a file's graph, which stays as it is.
func layersOf(f *model.File, state []int) ([]Layer, error) {
	if err := checkInput(f.Inputs()); err != nil {
		return nil, err
	}
	input := f.Inputs()[0]
	values, err := f.Values()
	if err != nil {
		return nil, err
	}
	t := &tracer{values: values, input: input, example: f.Example}
	if state != nil {
		if t.fitted, err = fitPort(state, input); err != nil {
			return nil, err
		}
	}
	few, more := 2, 3
	if input.Dims != nil && input.Dims[0].Size > 0 {
		few = input.Dims[0].Size
		more = few
	}
	a, b := t.both(few, more)
	var layers []Layer
	var scopes []string
	for _, v := range values.List {
		l := Layer{Name: v.Name, Node: v.Node, Operator: v.Operator, Output: v.Output, channels: v.Channels}
		bound, ok := a[v.Name]
		if ok && bound.Const != nil && !l.Output {
			continue // arithmetic of shapes
		}
		if ok {
			l.DType = bound.DType.String()
			l.describe(bound, b[v.Name].Shape, few, more)
		}
		layers = append(layers, l)
		scopes = append(scopes, v.Scope)
	}
	nameModules(layers, scopes)
	return layers, nil
}

// nameModules enters the modules whose outputs the layers are: of each module the last value of real numbers. Scopes
// are the innermost modules of the layers.
func nameModules(layers []Layer, scopes []string) {
	last := map[string]int{}
	var modules []string
	for i, path := range scopes {
		if d := layers[i].DType; d != "" && d != model.Float32.String() {
			continue
		}
		for _, module := range scope.Around(path) {
			if _, seen := last[module]; !seen {
				modules = append(modules, module)
			}
			last[module] = i
		}
	}
	for _, module := range modules {
		l := &layers[last[module]]
		l.Modules = append(l.Modules, module)
	}
	for i := range layers {
		slices.SortFunc(layers[i].Modules, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	}
}

// tracer binds the values of a graph to shapes that its input may take.
type tracer struct {
	values  *model.Values
	input   model.Port
	example []int // state, if the file defines one
	fitted  []int // shape of the input without the batch, if the states are known
}

// both binds the values to two sizes of the batch. Where the states are not known,
// several sizes are tried for the axes that are free; nil if none fits.
func (t *tracer) both(few, more int) (a, b map[string]model.Bound) {
	for _, free := range []int{2, 1, 3, 4, 5, 6, 8, 16} {
		if a, b = t.bind(few, free), t.bind(more, free); a != nil && b != nil {
			return a, b
		}
	}
	return nil, nil
}

func (t *tracer) bind(rows, free int) map[string]model.Bound {
	shape := exampleShape(t.input, rows, t.example, free)
	if t.fitted != nil {
		shape = append([]int{rows}, t.fitted...)
	}
	if shape == nil {
		return nil
	}
	bound, err := t.values.Bind(model.Type{DType: t.input.DType, Shape: shape})
	if err != nil {
		return nil // the shape was only a guess
	}
	return bound
}

// describe sets the shape and the reason, from the value's shapes for two batches.
func (l *Layer) describe(v model.Bound, other []int, few, more int) {
	shape := slices.Clone(v.Shape)
	l.Shape = shape
	switch {
	case v.Const != nil:
		l.Reason = "it does not depend on the states"
	case v.DType != model.Float32:
		l.Reason = "it is of type " + l.DType
	case len(shape) == 0 || shape[0] == 0 || shape[0]%few != 0 || len(other) != len(shape) || other[0] != shape[0]/few*more:
		l.Reason = "its first axis is not the batch"
	default:
		if l.Shape = split(shape, few); len(l.Shape) > len(shape) {
			l.channels, l.joined = 0, true // of a map for each step
		}
		l.Shape[0] = -1
	}
}

// split separates the batch of n states from other dimensions joined with it in the first axis.
func split(shape []int, n int) []int {
	if shape[0] == n {
		return slices.Clone(shape)
	}
	return append([]int{n, shape[0] / n}, shape[1:]...)
}

// exampleShape is a shape that the input may take, nil if nothing is known; free is the size of an undefined axis, of
// time or tokens. If it does not fit, only the states determine it.
func exampleShape(input model.Port, rows int, state []int, free int) []int {
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

// chooseLayers finds the values that the patterns name, each once.
func chooseLayers(f *model.File, patterns []string, state []int) ([]Layer, error) {
	all, err := layersOf(f, state)
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
	for _, pattern := range patterns {
		matches, err := findLayers(all, last, pattern, f.Prefix)
		if err != nil {
			return nil, err
		}
		for _, l := range matches {
			if !slices.ContainsFunc(chosen, func(c Layer) bool { return c.Name == l.Name }) {
				chosen = append(chosen, l)
			}
		}
	}
	return chosen, nil
}

// findLayers finds the values that match one pattern: by their own name, as outputs of modules, by the node that makes
// them last, or all encodable values that match. The prefix of the tensors of a checkpoint may begin names of modules.
func findLayers(all []Layer, last map[string]int, pattern, prefix string) ([]Layer, error) {
	i := slices.IndexFunc(all, func(l Layer) bool { return l.Name == pattern })
	var matches []Layer
	if i < 0 {
		matches = findModules(all, pattern, prefix)
	}
	if k, ok := last[pattern]; ok && i < 0 && matches == nil {
		i = k
	}
	if i >= 0 {
		matches = all[i : i+1]
	}
	if len(matches) == 1 && matches[0].Reason != "" {
		l := matches[0]
		return nil, fmt.Errorf("layer %q (%s %s %v) cannot be encoded: %s", pattern, l.Operator, l.DType, l.Shape, l.Reason)
	}
	if matches == nil {
		for i, l := range all {
			if scope.MatchName(pattern, l.Name) || l.Node != "" && last[l.Node] == i && scope.MatchName(pattern, l.Node) {
				matches = append(matches, l)
			}
		}
	}
	if matches == nil {
		return nil, &UnknownLayerError{Pattern: pattern, Layers: all}
	}
	encodable := slices.DeleteFunc(slices.Clone(matches), func(l Layer) bool { return l.Reason != "" })
	if len(encodable) == 0 {
		l := matches[len(matches)-1]
		return nil, fmt.Errorf("layer %q: no value can be encoded (%s: %s)", pattern, l.Name, l.Reason)
	}
	return encodable, nil
}

// findModules finds the outputs of the modules that a pattern names. A * alone stands for all values instead.
func findModules(all []Layer, pattern, prefix string) []Layer {
	if pattern == "*" {
		return nil
	}
	var outputs []Layer
	for _, l := range all {
		for _, module := range l.Modules {
			if scope.Match(pattern, module) || prefix != "" && scope.Match(pattern, prefix+module) {
				l.Module = module
				outputs = append(outputs, l)
				break
			}
		}
	}
	return outputs
}

// UnknownLayerError is a layer that the model does not have.
type UnknownLayerError struct {
	Pattern string
	Layers  []Layer // that it has
}

func (e *UnknownLayerError) Error() string {
	return fmt.Sprintf("has no layer %q among its %d values", e.Pattern, len(e.Layers))
}

// Nearest are the patterns of modules that are most like the unknown one, at most n; see [scope.Nearest].
func (e *UnknownLayerError) Nearest(n int) []string {
	var modules []string
	for _, l := range e.Layers {
		modules = append(modules, l.Modules...)
	}
	return scope.Nearest(e.Pattern, modules, n)
}

// Layers are the values that the encoder computes.
func (e *modelEncoder) Layers() []Layer {
	layers := slices.Clone(e.layers)
	for i := range layers {
		layers[i].Shape = slices.Clone(layers[i].Shape)
	}
	return layers
}

// pools are the default poolings: the pooling of an architecture's publication applies to its output only.
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

// separate is an error if a layer whose first axis joins the batch with
// something else does not keep the rows of one state together: changing the
// first of two states may change only the first half of the rows.
func (e *modelEncoder) separate(ctx context.Context, state []int) error {
	shapes, err := e.outputShapes(state)
	if err != nil || !e.joined {
		return err
	}
	n := max(2, e.model.Rows())
	if e.model.Rows() == 1 {
		return nil
	}
	width := graph.Count(state)
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
			return fmt.Errorf("layer %s: its first axis merges the batch with another axis and mixes states (shape %v for one state)",
				e.layers[k].Label(), shapes[k])
		}
	}
	return nil
}
