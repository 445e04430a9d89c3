// Package model runs models: it opens an ONNX file, or a checkpoint of a known architecture, and computes outputs from
// named inputs on the CPU or on GPUs.
//
//	m, err := model.Open("predictor.onnx", model.Options{})
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	latent := &model.Tensor{DType: model.Float32, Shape: []int{2, 3}, F32: []float32{1, 2, 3, 4, 5, 6}}
//	action := &model.Tensor{DType: model.Int64, Shape: []int{2}, I64: []int64{0, 4}}
//	out, err := m.Run(ctx, map[string]*model.Tensor{"latent": latent, "action": action})
//	// out["next"] is valid until the next run; Clone it to keep it
//
// Models compute in float32, int64 and bool. An input that the file declares in another type (uint8, float16, …) is
// passed in the one of these that holds it; see TensorOf and Model.Run for conversions.
package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// The types that graphs and models share: an array, its element type, its type with
// the shape, and an input or output, whose free axes have the size −1 and often a name.
type (
	Tensor = graph.Tensor
	DType  = graph.DType
	Type   = graph.Type
	Port   = graph.Port
)

// The element types that models compute in.
const (
	Float32 = graph.Float32
	Int64   = graph.Int64
	Bool    = graph.Bool
)

// Uint64 is the Bits of a Tensor of uint64, whose elements are held as the int64 of the same bits.
const Uint64 = graph.Uint64

// Options are the options of a model. The zero value is valid.
type Options struct {
	ReadOptions
	// Outputs names the values to compute, in this order: outputs of the model, or any
	// other values of its graph (see File.Values). Empty: all outputs.
	Outputs []string
	// Threads bounds the goroutines of one run; 0 means GOMAXPROCS.
	Threads int
	// Backend runs the model; nil is the processor. It must outlive the model.
	Backend *Backend
	// Batched says that the first axis of every input and output is the batch, whose rows are independent. A model whose
	// file fixes its size then takes any other too. The rows go through it in pieces of that size, the last one padded
	// with its last row. On the CPU any model takes a large batch in pieces whose values fit the caches.
	Batched bool
}

// Model is a model that can run. It owns the memory of its outputs, which is used again
// by the next run, and holds on to inputs only while they are under way. It is not safe
// for concurrent use: it uses all its threads itself; open one for each goroutine.
type Model struct {
	inputs, outputs []Port
	graph           *graph.Graph
	exec            executor
	close           func() error // releases the weights' files; may be nil
	divisible       bool         // a batch may go through it in portions
	rows            int          // batch size that the file fixes, if the model is batched, else 0

	queue  []submitted
	pieces pieces
	bound  binding
	named  map[string]*Tensor // the last result of Run
}

// Open opens a model file and prepares it to run; see Read. Errors name the file.
func Open(path string, o Options) (*Model, error) {
	f, err := Read(path, o.ReadOptions)
	if err != nil {
		return nil, fmt.Errorf("model %w", err)
	}
	m, err := f.Model(o)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, errors.Join(err, f.Close()))
	}
	return m, nil
}

// Model prepares the file's model to run; options for reading are ignored. Call it once per file: the model owns the
// file, and closing the model closes both.
func (f *File) Model(o Options) (*Model, error) {
	if len(o.Outputs) > 0 {
		outputs, err := f.choose(o.Outputs)
		if err != nil {
			return nil, err
		}
		f.graph.Outputs = outputs
	}
	m, err := New(f.graph, o)
	if err != nil {
		return nil, err
	}
	m.close = f.close
	return m, nil
}

// choose finds the ports of named values.
func (f *File) choose(names []string) ([]Port, error) {
	var ports []Port
	for _, name := range names {
		if k := slices.IndexFunc(f.graph.Outputs, func(p Port) bool { return p.Name == name }); k >= 0 {
			ports = append(ports, f.graph.Outputs[k])
			continue
		}
		var values []string
		exists := false
		for _, n := range f.graph.Nodes {
			exists = exists || name != "" && slices.Contains(n.Outputs, name)
			values = append(values, n.Outputs...)
		}
		if !exists {
			known := append(portNames(f.graph.Outputs), values...)
			return nil, fmt.Errorf("has no value %q%s; its outputs are %s", name, meant(name, known), Names(f.graph.Outputs))
		}
		ports = append(ports, Port{Name: name})
	}
	return ports, nil
}

// New makes a model of a graph, which belongs to it from then on.
func New(g *graph.Graph, o Options) (*Model, error) {
	divisible := o.Batched && !slices.ContainsFunc(g.Nodes, joinsRows)
	rules := fuse.Rules
	if !o.Backend.gpu() {
		rules = fuse.ProcessorRules
	}
	if err := g.Prepare(rules(cpu.Evaluate)); err != nil {
		return nil, err
	}
	exec, err := newExecutor(g, o.Threads, o.Backend)
	if err != nil {
		return nil, err
	}
	m := &Model{inputs: g.Inputs, outputs: g.Outputs, graph: g, exec: exec, divisible: divisible}
	if o.Batched {
		m.rows = fixedRows(g.Inputs)
	}
	return m, nil
}

// joinsRows reports whether a node computes something from all rows of a batch, so that numbers would depend on
// portions.
func joinsRows(n *graph.Node) bool {
	return n.Op == "DynamicQuantizeLinear" || n.Op == "DynamicQuantizeMatMul"
}

// prepare checks and simplifies a graph.
func prepare(g *graph.Graph) error { return g.Prepare(fuse.Rules(cpu.Evaluate)) }

// fixedRows is the size of the first axis that all inputs have in common, 0 if one leaves it free.
func fixedRows(inputs []Port) int {
	rows := 0
	for i, p := range inputs {
		if len(p.Dims) == 0 || p.Dims[0].Size <= 0 || i > 0 && p.Dims[0].Size != rows {
			return 0
		}
		rows = p.Dims[0].Size
	}
	return rows
}

// Inputs describes the inputs, in the order of the file.
func (m *Model) Inputs() []Port { return slices.Clone(m.inputs) }

// Outputs describes the outputs, in the order of Options.Outputs or of the file, as
// far as the file tells; see Types.
func (m *Model) Outputs() []Port { return slices.Clone(m.outputs) }

// Rows is the batch size that the file fixes, 0 if it is free or the model is not batched.
func (m *Model) Rows() int { return m.rows }

// Types are the outputs' element types and shapes for inputs of these types, in the order of Inputs. Nothing is run.
func (m *Model) Types(inputs ...Type) ([]Type, error) { return m.exec.Compile(operands(inputs)) }

// Footprint is the memory in bytes of the intermediate values and outputs of a run with inputs of these types, without
// weights. Nothing is run.
func (m *Model) Footprint(inputs ...Type) (int64, error) {
	p, err := m.graph.Specialize(operands(inputs))
	if err != nil {
		return 0, err
	}
	var bytes int64
	for t, n := range p.Plan().Size {
		bytes += int64(n) * int64(DType(t).Size())
	}
	return bytes, nil
}

// SetThreads changes the number of goroutines; see Options.
func (m *Model) SetThreads(n int) { m.exec.SetThreads(n) }

// Close ends the executor and releases the file. Outputs are not valid afterwards.
func (m *Model) Close() error {
	err := m.exec.Close()
	if m.close != nil {
		err = errors.Join(err, m.close())
		m.close = nil
	}
	return err
}

// Names joins the names of inputs or outputs for a message.
func Names(ports []Port) string { return strings.Join(portNames(ports), ", ") }

func portNames(ports []Port) []string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return names
}

// meant is the hint that names the nearest of the known names; empty if none is near.
func meant(name string, candidates []string) string {
	if near := text.Nearest(name, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
