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

	"repscope/latent/checkpoint"
	"repscope/latent/cpu"
	"repscope/latent/graph"
	"repscope/latent/onnx"
)

// Open opens an encoder file, told apart by its content: ONNX, a PyTorch
// checkpoint (.pth, .pt) or safetensors. Errors name the file.
func Open(path string, o OpenOptions) (Encoder, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	head := make([]byte, 16)
	n, err := io.ReadFull(file, head)
	file.Close()
	if n == 0 {
		return nil, fmt.Errorf("encoder %s: the file is empty or cannot be read: %w", path, err)
	}
	head = head[:n]
	var e *modelEncoder
	switch {
	case strings.HasPrefix(string(head), "PK\x03\x04"), head[0] == 0x80, checkpoint.IsSafetensors(head):
		e, err = openCheckpoint(path, o)
	default:
		e, err = openONNX(path, o)
	}
	if err != nil {
		return nil, fmt.Errorf("encoder %w", err)
	}
	return e, nil
}

func openCheckpoint(path string, o OpenOptions) (*modelEncoder, error) {
	if o.Output != "" {
		return nil, fmt.Errorf("%s: output %q: only an ONNX file has named outputs", path, o.Output)
	}
	model, err := checkpoint.Open(path, checkpoint.Options{State: o.State, Activation: o.Activation, FinalActivation: o.FinalActivation})
	if err != nil {
		return nil, err
	}
	e, err := newModelEncoder(model.Graph, o.Threads)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	e.check = model.Check
	e.info.Name, e.info.Format, e.info.Architecture = path, model.Format, model.Architecture
	e.info.Parameters, e.info.Warnings = model.Parameters, model.Warnings
	if model.Architecture == "ConvEncoder" {
		// The published encoder is used by its last frame.
		e.info.DefaultPool = PoolLast
	}
	e.describe(model.State)
	return e, e.identify([]string{path}, o.State, o.Activation, o.FinalActivation)
}

func openONNX(path string, o OpenOptions) (*modelEncoder, error) {
	for _, option := range [][2]string{{"state", o.State}, {"activation", o.Activation}, {"final activation", o.FinalActivation}} {
		if option[1] != "" {
			return nil, fmt.Errorf("%s: %s %q: an ONNX file has no such choice", path, option[0], option[1])
		}
	}
	model, err := onnx.Open(path, onnx.Options{})
	if err != nil {
		return nil, err
	}
	g := model.Graph
	var names []string
	for _, p := range g.Outputs {
		names = append(names, p.Name)
	}
	k := slices.Index(names, o.Output)
	switch {
	case o.Output == "" && len(names) == 1:
		k = 0
	case o.Output == "":
		return nil, fmt.Errorf("%s: has %d outputs, choose one of %s", path, len(names), strings.Join(names, ", "))
	case k < 0:
		return nil, fmt.Errorf("%s: has no output %q, its outputs are %s", path, o.Output, strings.Join(names, ", "))
	}
	g.Outputs = g.Outputs[k : k+1]
	e, err := newModelEncoder(g, o.Threads)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	e.info.Name, e.info.Format, e.info.Architecture = path, "onnx", g.Name
	e.info.Parameters, e.info.Opset = model.Parameters, g.Opset
	e.describe(nil)
	files := []string{path}
	for _, name := range model.External {
		files = append(files, filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
	}
	return e, e.identify(files, o.Output)
}

// modelEncoder runs a graph.
type modelEncoder struct {
	info  Info
	exec  *cpu.Executor
	input graph.Port
	check func(shape []int) error

	// For the state shape seen last.
	state  []int
	shape  []int // of the graph's input, with the batch at 0
	rows   int   // batch size that the graph demands, 0 if it is free
	values graph.Tensor
	inputs []*graph.Tensor
	padded []float32
}

func newModelEncoder(g *graph.Graph, threads int) (*modelEncoder, error) {
	// Checked before Prepare, which needs every input.
	if len(g.Inputs) != 1 {
		var names []string
		for _, p := range g.Inputs {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
		return nil, fmt.Errorf("the graph has %d inputs (%s), want one: the states", len(g.Inputs), strings.Join(names, ", "))
	}
	input := g.Inputs[0]
	switch {
	case input.DType == graph.Bool:
		return nil, fmt.Errorf("input %q is of type bool, want numbers", input.Name)
	case input.Dims != nil && len(input.Dims) < 2:
		return nil, fmt.Errorf("input %q has shape %v, want a batch axis and at least one more", input.Name, input.Shape())
	}
	for _, d := range input.Dims {
		if d.Size == 0 {
			return nil, fmt.Errorf("input %q has shape %v", input.Name, input.Shape())
		}
	}
	if err := g.Prepare(cpu.Evaluate); err != nil {
		return nil, err
	}
	e := &modelEncoder{exec: cpu.New(g, threads), input: input}
	e.inputs = []*graph.Tensor{&e.values}
	e.values.DType = input.DType
	if input.Dims != nil {
		e.info.Input = input.Shape()
		if e.info.Input[0] > 0 {
			e.rows = e.info.Input[0]
		}
	}
	out := g.Outputs[0]
	if out.Dims != nil {
		e.info.Output = out.Shape()
	}
	return e, nil
}

// describe finds the output shape, which a file need not state, by binding the
// graph to example sizes. State is an example state, if one is known.
func (e *modelEncoder) describe(state []int) {
	if e.info.Input == nil {
		return
	}
	shape := slices.Clone(e.info.Input)
	for i, d := range shape {
		if d < 0 {
			switch {
			case i == 0:
				shape[i] = 2
			case state != nil:
				shape[i] = state[i-1]
			default:
				shape[i] = 2 // time or tokens; if it does not fit, only the states will tell
			}
		}
	}
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

// Close ends the executor.
func (e *modelEncoder) Close() error { return e.exec.Close() }

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

// outputShape is the shape of the output for one state, with the batch first.
func (e *modelEncoder) outputShape(state []int) ([]int, error) {
	if err := e.bind(state); err != nil {
		return nil, err
	}
	out, err := e.exec.Compile([]graph.Operand{{Type: graph.Type{DType: e.input.DType, Shape: e.shape}}})
	if err != nil {
		return nil, err
	}
	if out[0].DType != graph.Float32 {
		return nil, fmt.Errorf("the output is of type %v, want float32", out[0].DType)
	}
	if err := checkRows(out[0].Shape, e.shape[0]); err != nil {
		return nil, err
	}
	return out[0].Shape, nil
}

func checkRows(shape []int, n int) error {
	if len(shape) == 0 || shape[0] != n {
		return fmt.Errorf("the output has shape %v for a batch of %d: want the batch as the first axis", shape, n)
	}
	return nil
}

// run encodes n states and returns the outputs and their shape; the memory is the executor's.
func (e *modelEncoder) run(ctx context.Context, batch []float32, n int, state []int) ([]float32, []int, error) {
	if err := e.bind(state); err != nil {
		return nil, nil, err
	}
	width := len(batch) / n
	if e.rows == 0 || e.rows == n {
		return e.once(ctx, batch, n)
	}
	// The file fixes the batch: go through it in such pieces, the last one padded.
	var all []float32
	var shape []int
	for lo := 0; lo < n; lo += e.rows {
		hi := min(lo+e.rows, n)
		piece := batch[lo*width : hi*width]
		if hi-lo < e.rows {
			e.padded = append(e.padded[:0], piece...)
			for range e.rows - (hi - lo) {
				e.padded = append(e.padded, piece[len(piece)-width:]...)
			}
			piece = e.padded
		}
		out, s, err := e.once(ctx, piece, e.rows)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, out[:len(out)/e.rows*(hi-lo)]...)
		shape = slices.Clone(s)
	}
	shape[0] = n
	return all, shape, nil
}

func (e *modelEncoder) once(ctx context.Context, batch []float32, n int) ([]float32, []int, error) {
	e.shape[0] = n
	e.values.Shape = e.shape
	if e.values.DType == graph.Float32 {
		e.values.F32 = batch
	} else {
		e.values.I64 = e.values.I64[:0]
		for _, v := range batch {
			e.values.I64 = append(e.values.I64, int64(v))
		}
	}
	out, err := e.exec.Run(ctx, e.inputs)
	if err != nil {
		return nil, nil, err
	}
	if out[0].DType != graph.Float32 {
		return nil, nil, fmt.Errorf("the output is of type %v, want float32", out[0].DType)
	}
	if err := checkRows(out[0].Shape, n); err != nil {
		return nil, nil, err
	}
	return out[0].F32, out[0].Shape, nil
}

// Encode maps a batch; see Encoder.
func (e *modelEncoder) Encode(ctx context.Context, batch *tensor.Dense) (*tensor.Dense, error) {
	values, shape, err := floats(batch)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	out, outShape, err := e.run(ctx, values, shape[0], shape[1:])
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	return tensor.New(tensor.WithShape(outShape...), tensor.WithBacking(slices.Clone(out))), nil
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
