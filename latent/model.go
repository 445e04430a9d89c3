// Encoders that are graphs: opening files, fitting states to a graph's input.

package latent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/latent/internal/fixed"
	"repscope/model"
	"repscope/model/checkpoint"
	"repscope/model/graph"
)

// Open opens an encoder file, recognized by its content: ONNX, a PyTorch checkpoint (.pth, .pt) or safetensors. Errors
// name the file.
func Open(path string, o OpenOptions) (Encoder, error) {
	f, err := readFile(path, o)
	if err != nil {
		return nil, fmt.Errorf("encoder %w", err)
	}
	e, err := openFile(f, o)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", path, errors.Join(err, f.Close()))
	}
	return e, nil
}

func readFile(path string, o OpenOptions) (*model.File, error) {
	f, err := model.Read(path, model.ReadOptions{State: o.State, Activation: o.Activation, FinalActivation: o.FinalActivation, Heads: o.Heads})
	if err != nil {
		return nil, err
	}
	if o.Output != "" && f.Format != "onnx" {
		return nil, errors.Join(fmt.Errorf("%s: output %q: only an ONNX file has named outputs", path, o.Output), f.Close())
	}
	if len(o.Inputs) > 0 {
		err := fmt.Errorf("input %q: only an ONNX file has inputs besides the states", o.Inputs[0].Name)
		if f.Format == "onnx" {
			err = fixed.Fix(f, o.Inputs)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
	}
	return f, nil
}

// openFile opens an encoder of the file's output or of the requested layers. If there is no error, the encoder closes
// the file.
func openFile(f *model.File, o OpenOptions) (*modelEncoder, error) {
	if err := checkInput(f.Inputs()); err != nil {
		return nil, err
	}
	var layers []Layer
	output, err := "", error(nil)
	if len(o.Layers) > 0 {
		if o.Output != "" {
			return nil, fmt.Errorf("output %q and layers %s: want only one of the two", o.Output, strings.Join(o.Layers, ", "))
		}
		layers, err = chooseLayers(f, o.Layers, o.StateShape)
	} else {
		output, err = chooseOutput(f.Outputs(), o.Output)
	}
	if err != nil {
		return nil, err
	}
	run := model.Options{Outputs: []string{output}, Threads: o.Threads, Backend: o.Backend, Batched: true}
	if layers != nil {
		run.Outputs = nil
		for _, l := range layers {
			run.Outputs = append(run.Outputs, l.Name)
		}
	}
	m, err := f.Model(run)
	if err != nil {
		return nil, err
	}
	e := newModelEncoder(m)
	e.fromFile(f)
	if layers != nil {
		e.layers, e.named, e.outputPool = layers, true, e.info.DefaultPool
		e.info.Output = slices.Clone(layers[0].Shape)
		e.info.DefaultPool = e.pools()[0]
	} else {
		e.describe(f.Example)
		if f.Format != "onnx" { // whose values have no names of their own
			e.layers[0].Module = f.Scope(output)
		}
	}
	return e, e.identify(f, o)
}

// chooseOutput finds the requested output, or the only one.
func chooseOutput(outputs []model.Port, name string) (string, error) {
	exists := slices.ContainsFunc(outputs, func(p model.Port) bool { return p.Name == name })
	switch {
	case name == "" && len(outputs) == 1:
		return outputs[0].Name, nil
	case name == "":
		return "", fmt.Errorf("has %d outputs, choose one of %s", len(outputs), model.Names(outputs))
	case !exists:
		return "", fmt.Errorf("has no output %q, its outputs are %s", name, model.Names(outputs))
	}
	return name, nil
}

// modelEncoder runs a model.
type modelEncoder struct {
	info       Info
	model      *model.Model
	input      model.Port
	check      func(shape []int) error // beyond the input's shape; may be nil
	layers     []Layer
	named      bool     // the layers were requested, so they may join the batch with another axis
	outputPool Pool     // default pooling of the model's output, if named
	identities []string // of the encoders of one layer each, if named

	// For the state shape seen last.
	state  []int
	shape  []int // of the graph's input, with the batch at 0
	joined bool  // a layer's first axis is more than the batch
	values model.Tensor
	inputs []*model.Tensor
	queue  []int    // states of the batches under way, oldest first
	out    []result // of one batch
}

// checkInput finds models that do not map one batch of states.
func checkInput(inputs []model.Port) error {
	if len(inputs) != 1 {
		var names []string
		for _, p := range inputs {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
		return fmt.Errorf("the graph has %d inputs (%s), want one, the states: give the others values "+
			"(--input NAME=zeros, a number or an array), or export the encoder alone, with other inputs as constants of the module",
			len(inputs), strings.Join(names, ", "))
	}
	input := inputs[0]
	switch {
	case input.DType == model.Bool:
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

// graphEncoder makes an encoder of a graph's outputs, which belongs to it from then on.
func graphEncoder(g *graph.Graph, threads int, b *model.Backend) (*modelEncoder, error) {
	if err := checkInput(g.Inputs); err != nil {
		return nil, err
	}
	m, err := model.New(g, model.Options{Threads: threads, Backend: b, Batched: true})
	if err != nil {
		return nil, err
	}
	return newModelEncoder(m), nil
}

// newModelEncoder makes an encoder of a model's outputs; its input has been checked.
func newModelEncoder(m *model.Model) *modelEncoder {
	e := &modelEncoder{model: m, input: m.Inputs()[0]}
	e.inputs = []*model.Tensor{&e.values}
	e.values.DType = e.input.DType
	if e.input.Dims != nil {
		e.info.Input = e.input.Shape()
	}
	outputs := m.Outputs()
	if out := outputs[0]; out.Dims != nil {
		e.info.Output = out.Shape()
	}
	for _, out := range outputs {
		e.layers = append(e.layers, Layer{Name: out.Name, Output: true, DType: out.DType.String()})
	}
	return e
}

// fromFile copies the description of a file's encoder.
func (e *modelEncoder) fromFile(f *model.File) {
	e.check = f.Check
	input, output := e.info.Input, e.info.Output
	e.info = Info{Name: f.Path, Format: f.Format, Architecture: f.Architecture, Input: input, Output: output,
		Parameters: f.Parameters, Opset: f.Opset, Warnings: f.Warnings, Notes: f.Notes, State: f.Chosen}
	if f.Format == "onnx" {
		e.info.Inputs = f.Settings
	}
	if f.Format != "onnx" && (f.Architecture == "ConvEncoder" || f.Architecture == "VideoViT") {
		// The published encoders are used by their last frame.
		e.info.DefaultPool = PoolLast
	}
}

// describe finds the output shape, which a file need not state, by binding the
// graph to example sizes. State is an example state, if one is known.
func (e *modelEncoder) describe(state []int) {
	if e.info.Input == nil {
		return
	}
	shape := exampleShape(e.input, 2, state, 2)
	bind := func(shape []int) []int {
		out, err := e.types(shape)
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

// types are the outputs' types for an input of this shape.
func (e *modelEncoder) types(shape []int) ([]model.Type, error) {
	return e.model.Types(model.Type{DType: e.input.DType, Shape: shape})
}

// identify hashes the encoder's files and the options that change its outputs.
func (e *modelEncoder) identify(f *model.File, o OpenOptions) error {
	sums, err := f.Sums()
	if err != nil {
		return err
	}
	e.info.SHA256, e.info.Beside = hex.EncodeToString(sums[0]), besides(f, sums)
	if !e.named {
		e.info.Identity = identityOf(f, o, sums, nil)
		return nil
	}
	e.info.Identity = identityOf(f, o, sums, e.layers)
	for k := range e.layers {
		e.identities = append(e.identities, identityOf(f, o, sums, e.layers[k:k+1]))
	}
	return nil
}

// identityOf hashes the files with these sums, the options and the layers.
func identityOf(f *model.File, o OpenOptions, sums [][]byte, layers []Layer) string {
	options := append([]string{o.Output}, f.Settings...)
	if f.Format != "onnx" {
		options = append([]string{f.Chosen, o.Activation, o.FinalActivation}, f.Settings...)
	}
	for _, l := range layers {
		options = append(options, "layer "+l.Name)
	}
	if id := o.Backend.Identity(); id != "" {
		options = append(options, id)
	}
	all := sha256.New()
	for _, sum := range sums {
		all.Write(sum)
	}
	for _, option := range options {
		fmt.Fprintf(all, "%d:%s;", len(option), option)
	}
	return hex.EncodeToString(all.Sum(nil))
}

// FileSum is a file and its SHA-256.
type FileSum struct {
	Name   string `json:"file"` // relative to the folder of the model
	SHA256 string `json:"sha256"`
}

// besides are the other files of a model, with their digests.
func besides(f *model.File, sums [][]byte) []FileSum {
	var list []FileSum
	files := f.Files()
	for i := 1; i < min(len(files), len(sums)); i++ {
		name, err := filepath.Rel(filepath.Dir(files[0]), files[i])
		if err != nil {
			name = files[i]
		}
		list = append(list, FileSum{filepath.ToSlash(name), hex.EncodeToString(sums[i])})
	}
	return list
}

// Info describes the encoder.
func (e *modelEncoder) Info() Info { return e.info }

// Close ends the model and releases its file.
func (e *modelEncoder) Close() error { return e.model.Close() }

func (e *modelEncoder) setThreads(n int) { e.model.SetThreads(n) }

// ShapeError reports that an encoder does not take states of a shape.
type ShapeError struct {
	State []int // as the encoder was to see it
	Input []int // of the encoder, without the batch; −1: any size
	name  string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("states have shape %v, the encoder wants %v without the batch (input %q)", e.State, e.Input, e.name)
}

// Fits reports whether an encoder with an input of this shape, without the batch and −1 for any size, takes states of a
// shape.
func Fits(state, input []int) bool {
	_, ok := fit(state, input)
	return ok
}

// fit finds the input shape, without the batch, for states of this shape: axes of size one are added or dropped so that
// it matches the graph's input dims (−1: any size; nil: any shape), the last axes first; a vector input takes a frame
// row by row.
func fit(state, dims []int) ([]int, bool) {
	if dims == nil {
		return state, true
	}
	var match func(i, j int) ([]int, bool)
	match = func(i, j int) ([]int, bool) {
		if i == 0 && j == 0 {
			return nil, true
		}
		if i > 0 && j > 0 && (dims[j-1] < 0 || dims[j-1] == state[i-1]) {
			if rest, ok := match(i-1, j-1); ok {
				return append(rest, state[i-1]), true
			}
		}
		if j > 0 && (dims[j-1] == 1 || dims[j-1] < 0) {
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
		if n := graph.Count(state); dims[0] < 0 || dims[0] == n {
			return []int{n}, true
		}
	}
	return nil, false
}

// fitPort is fit for an input of a graph.
func fitPort(state []int, input model.Port) ([]int, error) {
	var dims []int
	if input.Dims != nil {
		dims = input.Shape()[1:]
	}
	shape, ok := fit(state, dims)
	if !ok {
		return nil, &ShapeError{slices.Clone(state), dims, input.Name}
	}
	return shape, nil
}

// bind prepares for states of this shape.
func (e *modelEncoder) bind(state []int) error {
	if e.shape != nil && slices.Equal(e.state, state) {
		return nil
	}
	shape, err := fitPort(state, e.input)
	if err != nil {
		return err
	}
	full := append([]int{max(e.model.Rows(), 1)}, shape...)
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
	out, err := e.types(e.shape)
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

// checkOutput checks output k of a run of n states. A requested layer may join the batch with another axis.
func (e *modelEncoder) checkOutput(k int, t model.Type, n int) error {
	name := func() string {
		if e.named {
			return "layer " + e.layers[k].Label()
		}
		return "output"
	}
	switch {
	case t.DType != model.Float32:
		return fmt.Errorf("the %s is of type %v, want float32", name(), t.DType)
	case len(t.Shape) == 0 || t.Shape[0] != n && (!e.named || t.Shape[0] == 0 || t.Shape[0]%n != 0):
		return fmt.Errorf("the %s has shape %v for a batch of %d: want the batch as the first axis", name(), t.Shape, n)
	}
	return nil
}

// Encode maps a batch; see Encoder.
func (e *modelEncoder) Encode(ctx context.Context, batch Array) (Array, error) {
	out, err := e.runBatch(ctx, batch)
	if err != nil {
		return Array{}, err
	}
	return out[0].array(), nil
}

// EncodeLayers maps a batch; see LayerEncoder.
func (e *modelEncoder) EncodeLayers(ctx context.Context, batch Array) ([]Array, error) {
	results, err := e.runBatch(ctx, batch)
	if err != nil {
		return nil, err
	}
	out := make([]Array, len(results))
	for k, r := range results {
		out[k] = r.array()
	}
	return out, nil
}

// runBatch maps a batch; the memory of the results is the model's.
func (e *modelEncoder) runBatch(ctx context.Context, batch Array) ([]result, error) {
	if n := graph.Count(batch.Shape); len(batch.Shape) < 2 || n == 0 || n != len(batch.Values) {
		return nil, fmt.Errorf("encoder %s: the batch has shape %v over %d values, want [B, …state] with B ≥ 1",
			e.info.Name, batch.Shape, len(batch.Values))
	}
	out, err := e.run(ctx, batch.Values, batch.Shape[0], batch.Shape[1:])
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	return out, nil
}

// Beside lists all files that are read with a model, except its own: see [DataFiles], and the files in the folder of a
// checkpoint.
func Beside(path string) []string { return append(DataFiles(path), checkpoint.Beside(path)...) }

// DataFiles are the other files that hold a model's weights: the external data of an ONNX file. There are none for a
// file that is no model.
func DataFiles(path string) []string {
	if filepath.Ext(path) != ".onnx" {
		return nil
	}
	f, err := model.Read(path, model.ReadOptions{})
	if err != nil {
		return nil
	}
	defer f.Close()
	return f.Files()[1:]
}
