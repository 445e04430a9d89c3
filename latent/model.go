// Encoders that are graphs: opening files, fitting states to a graph's input,
// running batches.

package latent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"repscope/internal/format"
	"repscope/model/checkpoint"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/onnx"
)

// Open opens an encoder file, told apart by its content: ONNX, a PyTorch
// checkpoint (.pth, .pt) or safetensors. Errors name the file.
func Open(path string, o OpenOptions) (Encoder, error) {
	m, err := read(path, o)
	if err != nil {
		return nil, fmt.Errorf("encoder %w", err)
	}
	e, err := m.open(o)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", path, errors.Join(err, m.close()))
	}
	return e, nil
}

// model is an encoder file that has been read.
type model struct {
	graph   *graph.Graph
	info    Info
	check   func(shape []int) error // beyond the input's shape; may be nil
	state   []int                   // an example state; may be nil
	files   []string                // all that the encoder consists of
	options []string                // that change its outputs
	close   func() error            // releases the files, which hold the weights
}

func read(path string, o OpenOptions) (*model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, format.HeadSize)
	n, err := io.ReadFull(file, head)
	file.Close()
	if n == 0 {
		return nil, fmt.Errorf("%s: the file is empty or cannot be read: %w", path, err)
	}
	switch format.Of(head[:n]) {
	case format.Zip, format.Pickle, format.Safetensors:
		return readCheckpoint(path, o)
	}
	return readONNX(path, o)
}

func readCheckpoint(path string, o OpenOptions) (*model, error) {
	if o.Output != "" {
		return nil, fmt.Errorf("%s: output %q: only an ONNX file has named outputs", path, o.Output)
	}
	c, err := checkpoint.Open(path, checkpoint.Options{State: o.State, Activation: o.Activation, FinalActivation: o.FinalActivation, Heads: o.Heads})
	if err != nil {
		return nil, err
	}
	m := &model{graph: c.Graph, close: c.Close, check: c.Check, state: c.State, files: []string{path},
		options: append([]string{o.State, o.Activation, o.FinalActivation}, c.Settings...)}
	m.info = Info{Name: path, Format: c.Format, Architecture: c.Architecture, Parameters: c.Parameters, Warnings: c.Warnings}
	if c.Architecture == "ConvEncoder" || c.Architecture == "VideoViT" {
		// The published encoders are used by their last frame.
		m.info.DefaultPool = PoolLast
	}
	return m, nil
}

func readONNX(path string, o OpenOptions) (*model, error) {
	for _, option := range [][2]string{{"state", o.State}, {"activation", o.Activation}, {"final activation", o.FinalActivation}} {
		if option[1] != "" {
			return nil, fmt.Errorf("%s: %s %q: an ONNX file has no such choice", path, option[0], option[1])
		}
	}
	if o.Heads != 0 {
		return nil, fmt.Errorf("%s: heads %d: an ONNX file has no such choice", path, o.Heads)
	}
	file, err := onnx.Open(path, onnx.Options{})
	if err != nil {
		return nil, err
	}
	m := &model{graph: file.Graph, close: file.Close, files: []string{path}, options: []string{o.Output}}
	for _, name := range file.External {
		m.files = append(m.files, filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
	}
	m.info = Info{Name: path, Format: "onnx", Architecture: file.Graph.Name, Parameters: file.Parameters, Opset: file.Graph.Opset}
	return m, nil
}

// open makes an encoder of the file's output or of the layers asked for.
func (m *model) open(o OpenOptions) (*modelEncoder, error) {
	var layers []Layer
	if len(o.Layers) > 0 {
		if o.Output != "" {
			return nil, fmt.Errorf("output %q and layers %s: want one or the other", o.Output, strings.Join(o.Layers, ", "))
		}
		var err error
		if layers, err = m.choose(o.Layers, o.StateShape); err != nil {
			return nil, err
		}
	} else {
		outputs := m.graph.Outputs
		k := slices.IndexFunc(outputs, func(p graph.Port) bool { return p.Name == o.Output })
		switch {
		case o.Output == "" && len(outputs) == 1:
			k = 0
		case o.Output == "":
			return nil, fmt.Errorf("has %d outputs, choose one of %s", len(outputs), nameList(outputs))
		case k < 0:
			return nil, fmt.Errorf("has no output %q, its outputs are %s", o.Output, nameList(outputs))
		}
		m.graph.Outputs = outputs[k : k+1]
	}
	e, err := newModelEncoder(m.graph, o.Threads, o.Device)
	if err != nil {
		return nil, err
	}
	e.check, e.close = m.check, m.close
	input, output := e.info.Input, e.info.Output
	e.info = m.info
	e.info.Input, e.info.Output = input, output
	if layers != nil {
		e.layers, e.named, e.outputPool = layers, true, m.info.DefaultPool
		e.info.Output = slices.Clone(layers[0].Shape)
		e.info.DefaultPool = e.pools()[0]
		for _, l := range layers {
			m.options = append(m.options, "layer "+l.Name)
		}
	} else {
		e.describe(m.state)
	}
	if id := o.Device.identity(); id != "" {
		m.options = append(m.options, id)
	}
	return e, e.identify(m.files, m.options...)
}

// modelEncoder runs a graph.
type modelEncoder struct {
	info       Info
	exec       executor
	input      graph.Port
	check      func(shape []int) error
	close      func() error // releases the weights' files; may be nil
	layers     []Layer
	named      bool // the layers were asked for, so that they may join the batch with another axis
	outputPool Pool // default pooling of the model's output, if named

	// For the state shape seen last.
	state  []int
	shape  []int // of the graph's input, with the batch at 0
	rows   int   // batch size that the graph demands, 0 if it is free
	joined bool  // a layer's first axis is more than the batch
	values graph.Tensor
	inputs []*graph.Tensor
	padded []float32
	queue  []submitted
	out    []result // of one run, of all pieces of a batch
	all    []result
}

// checkInput finds graphs that do not map one batch of states. It comes before
// Prepare, which needs every input.
func checkInput(g *graph.Graph) error {
	if len(g.Inputs) != 1 {
		var names []string
		for _, p := range g.Inputs {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
		return fmt.Errorf("the graph has %d inputs (%s), want one: the states", len(g.Inputs), strings.Join(names, ", "))
	}
	input := g.Inputs[0]
	switch {
	case input.DType == graph.Bool:
		return fmt.Errorf("input %q is of type bool, want numbers", input.Name)
	case input.Dims != nil && len(input.Dims) < 2:
		return fmt.Errorf("input %q has shape %v, want a batch axis and at least one more", input.Name, input.Shape())
	}
	for _, d := range input.Dims {
		if d.Size == 0 {
			return fmt.Errorf("input %q has shape %v", input.Name, input.Shape())
		}
	}
	return nil
}

// newModelEncoder makes an encoder of a graph's outputs on a device.
func newModelEncoder(g *graph.Graph, threads int, d *Device) (*modelEncoder, error) {
	if err := checkInput(g); err != nil {
		return nil, err
	}
	input := g.Inputs[0]
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		return nil, err
	}
	exec, err := newExecutor(g, threads, d)
	if err != nil {
		return nil, err
	}
	e := &modelEncoder{exec: exec, input: input}
	e.inputs = []*graph.Tensor{&e.values}
	e.values.DType = input.DType
	if input.Dims != nil {
		e.info.Input = input.Shape()
		if e.info.Input[0] > 0 {
			e.rows = e.info.Input[0]
		}
	}
	if out := g.Outputs[0]; out.Dims != nil {
		e.info.Output = out.Shape()
	}
	for _, out := range g.Outputs {
		e.layers = append(e.layers, Layer{Name: out.Name, Output: true, DType: out.DType.String()})
	}
	return e, nil
}

// describe finds the output shape, which a file need not state, by binding the
// graph to example sizes. State is an example state, if one is known.
func (e *modelEncoder) describe(state []int) {
	if e.info.Input == nil {
		return
	}
	shape := exampleShape(e.input, 2, state, 2)
	bind := func(shape []int) []int {
		out, err := e.exec.Compile([]graph.Operand{{Type: graph.Type{DType: e.input.DType, Shape: shape}}})
		if err != nil {
			return nil
		}
		return out[0].Shape
	}
	base := bind(shape)
	if base == nil {
		return
	}
	out := slices.Clone(base)
	for i, d := range e.info.Input {
		if d >= 0 {
			continue
		}
		other := slices.Clone(shape)
		other[i]++
		for j, v := range bind(other) {
			if j < len(base) && v != base[j] {
				out[j] = -1
			}
		}
	}
	e.info.Output = out
	e.layers[0].Shape = slices.Clone(out)
}

// identify hashes the encoder's files and options.
func (e *modelEncoder) identify(files []string, options ...string) error {
	all := sha256.New()
	for i, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		one := sha256.New()
		_, err = io.Copy(one, f)
		f.Close()
		if err != nil {
			return err
		}
		sum := one.Sum(nil)
		all.Write(sum)
		if i == 0 {
			e.info.SHA256 = hex.EncodeToString(sum)
		}
	}
	for _, o := range options {
		fmt.Fprintf(all, "%d:%s;", len(o), o)
	}
	e.info.Identity = hex.EncodeToString(all.Sum(nil))
	return nil
}

// Info describes the encoder.
func (e *modelEncoder) Info() Info { return e.info }

// Close ends the executor and releases the files.
func (e *modelEncoder) Close() error {
	err := e.exec.Close()
	if e.close != nil {
		err = errors.Join(err, e.close())
	}
	return err
}

func (e *modelEncoder) setThreads(n int) { e.exec.SetThreads(n) }

// fit finds the input shape, without the batch, for states of the given shape:
// axes of size one are added or dropped so that it matches the graph's input,
// the last axes first; a vector input takes a frame row by row.
func fit(state []int, input graph.Port) ([]int, bool) {
	if input.Dims == nil {
		return state, true
	}
	dims := input.Dims[1:]
	var match func(i, j int) ([]int, bool)
	match = func(i, j int) ([]int, bool) {
		if i == 0 && j == 0 {
			return nil, true
		}
		if i > 0 && j > 0 && (dims[j-1].Size < 0 || dims[j-1].Size == state[i-1]) {
			if rest, ok := match(i-1, j-1); ok {
				return append(rest, state[i-1]), true
			}
		}
		if j > 0 && (dims[j-1].Size == 1 || dims[j-1].Size < 0) {
			if rest, ok := match(i, j-1); ok {
				return append(rest, 1), true
			}
		}
		if i > 0 && state[i-1] == 1 {
			return match(i-1, j)
		}
		return nil, false
	}
	if shape, ok := match(len(state), len(dims)); ok {
		return shape, true
	}
	if len(dims) == 1 {
		n := 1
		for _, d := range state {
			n *= d
		}
		if dims[0].Size < 0 || dims[0].Size == n {
			return []int{n}, true
		}
	}
	return nil, false
}

// bind prepares for states of the given shape.
func (e *modelEncoder) bind(state []int) error {
	if e.shape != nil && slices.Equal(e.state, state) {
		return nil
	}
	shape, ok := fit(state, e.input)
	if !ok {
		return fmt.Errorf("states have shape %v, the encoder wants %v without the batch (input %q)", state, e.input.Shape()[1:], e.input.Name)
	}
	full := append([]int{max(e.rows, 1)}, shape...)
	if e.check != nil {
		if err := e.check(full); err != nil {
			return err
		}
	}
	e.state, e.shape = slices.Clone(state), full
	return nil
}

// outputShapes are the shapes of the outputs for one state (or as many as the
// file fixes), with the batch first.
func (e *modelEncoder) outputShapes(state []int) ([][]int, error) {
	if err := e.bind(state); err != nil {
		return nil, err
	}
	out, err := e.exec.Compile([]graph.Operand{{Type: graph.Type{DType: e.input.DType, Shape: e.shape}}})
	if err != nil {
		return nil, err
	}
	shapes := make([][]int, len(out))
	e.joined = false
	for k, t := range out {
		if err := e.checkOutput(k, t, e.shape[0]); err != nil {
			return nil, err
		}
		shapes[k] = split(t.Shape, e.shape[0])
		e.joined = e.joined || t.Shape[0] != e.shape[0]
	}
	return shapes, nil
}

// checkOutput checks output k of a run of n states. A layer that was asked for
// may join the batch with another axis.
func (e *modelEncoder) checkOutput(k int, t graph.Type, n int) error {
	name := func() string {
		if e.named {
			return "layer " + e.layers[k].Name
		}
		return "output"
	}
	switch {
	case t.DType != graph.Float32:
		return fmt.Errorf("the %s is of type %v, want float32", name(), t.DType)
	case len(t.Shape) == 0 || t.Shape[0] != n && (!e.named || t.Shape[0] == 0 || t.Shape[0]%n != 0):
		return fmt.Errorf("the %s has shape %v for a batch of %d: want the batch as the first axis", name(), t.Shape, n)
	}
	return nil
}

// Encode maps a batch; see Encoder.
func (e *modelEncoder) Encode(ctx context.Context, batch *tensor.Dense) (*tensor.Dense, error) {
	values, shape, err := floats(batch)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	out, err := e.run(ctx, values, shape[0], shape[1:])
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	return tensor.New(tensor.WithShape(slices.Clone(out[0].shape)...), tensor.WithBacking(slices.Clone(out[0].values))), nil
}

// floats takes a batch apart; it must be a contiguous float32 tensor [B, …] with B ≥ 1.
func floats(batch *tensor.Dense) ([]float32, []int, error) {
	if batch == nil {
		return nil, nil, errors.New("no batch")
	}
	values, ok := batch.Data().([]float32)
	shape := slices.Clone([]int(batch.Shape()))
	if !ok {
		return nil, nil, fmt.Errorf("the batch is of type %v, want float32", batch.Dtype())
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	if len(shape) < 2 || n == 0 || n != len(values) {
		return nil, nil, fmt.Errorf("the batch has shape %v over %d values, want a contiguous [B, …state] with B ≥ 1", shape, len(values))
	}
	return values, shape, nil
}
