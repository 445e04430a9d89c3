// Package checkpoint reads PyTorch state dicts and safetensors files of known
// encoder architectures into package graph. The architecture is recognised by
// the tensors' names and sized from their shapes.
//
//	model, err := checkpoint.Open("weights/jepa/best_encoder.pth", checkpoint.Options{})
//	// model.Architecture is "ConvEncoder", model.Graph is ready to Prepare
//
// The reference definitions in PyTorch stand in testdata/reference.py.
package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/torchfile"
	"repscope/latent/graph"
)

// Options say what the file does not.
type Options struct {
	// State chooses among the state dicts of a training checkpoint: "encoder" or
	// "target"; empty is encoder.
	State string
	// Activation of a ConvEncoder: silu (the default), relu, gelu, tanh or none.
	Activation string
	// FinalActivation of a DQN CNN: relu (the default) or none.
	FinalActivation string
}

// Model is an encoder built from a file.
type Model struct {
	Graph        *graph.Graph
	Architecture string
	Format       string // "pth" or "safetensors"
	Parameters   int
	Warnings     []string
	// State is a shape of one state that fits, e.g. [1 1 64 64]; nil if unknown.
	State []int
	// Check says whether an input shape [B, …] fits the weights, beyond what
	// the graph's own input shape says.
	Check func(shape []int) error
}

// Tensor is one entry of a state dict.
type Tensor struct {
	Shape []int
	// Read returns the elements in row-major order.
	Read func() ([]float32, error)
}

// State is a state dict.
type State map[string]Tensor

// Open reads a .pth, .pt or .safetensors file, told apart by its content.
func Open(path string, o Options) (*Model, error) {
	model, err := open(path, o)
	if err != nil {
		var unknown *os.PathError
		if errors.As(err, &unknown) || strings.HasPrefix(err.Error(), path) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return model, nil
}

func open(path string, o Options) (*Model, error) {
	state, format, close, err := readState(path, o)
	if err != nil {
		return nil, err
	}
	defer close()
	model, err := Build(state, o)
	if err != nil {
		return nil, err
	}
	model.Format = format
	return model, nil
}

// IsSafetensors reports whether a file begins like a safetensors file: an
// eight-byte length and a JSON object.
func IsSafetensors(head []byte) bool {
	return len(head) >= 9 && head[8] == '{' && bytes.Count(head[4:8], []byte{0}) == 4
}

func readState(path string, o Options) (State, string, func(), error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", nil, err
	}
	head := make([]byte, 16)
	n, err := io.ReadFull(file, head)
	file.Close()
	if err != nil && n == 0 {
		return nil, "", nil, fmt.Errorf("the file is empty or cannot be read: %w", err)
	}
	if IsSafetensors(head[:n]) {
		if o.State != "" {
			return nil, "", nil, fmt.Errorf("state %q: a safetensors file holds only one state dict", o.State)
		}
		state, close, err := readSafetensors(path)
		return state, "safetensors", close, err
	}
	f, err := torchfile.Open(path)
	if err != nil {
		return nil, "", nil, err
	}
	state, err := choose(f.Root(), o.State)
	if err != nil {
		f.Close()
		return nil, "", nil, err
	}
	return state, "pth", func() { f.Close() }, nil
}

// choose finds the state dict in the root object of a file.
func choose(root any, which string) (State, error) {
	dict, ok := root.(*torchfile.Dict)
	if !ok {
		return nil, fmt.Errorf("holds a %s, want a state dict (torch.save(model.state_dict(), path)); whole models and TorchScript cannot be read, export them to ONNX", torchfile.TypeName(root))
	}
	names := map[string][]string{
		"":        {"encoder_state_dict", "state_dict", "model_state_dict"},
		"encoder": {"encoder_state_dict"},
		"target":  {"target_encoder_state_dict"},
	}[which]
	if names == nil {
		return nil, fmt.Errorf("state %q: want encoder or target", which)
	}
	for _, name := range names {
		if inner, ok := dict.Get(name); ok {
			d, ok := inner.(*torchfile.Dict)
			if !ok {
				return nil, fmt.Errorf("%q is a %s, want a state dict", name, torchfile.TypeName(inner))
			}
			return stateOf(d)
		}
	}
	if which != "" {
		return nil, fmt.Errorf("state %q: the file has no %q; its keys are %s", which, names[0], list(dict.Keys()))
	}
	return stateOf(dict)
}

func stateOf(d *torchfile.Dict) (State, error) {
	state := State{}
	for key, value := range d.All() {
		if t, ok := value.(*torchfile.Tensor); ok {
			state[key] = Tensor{Shape: t.Shape, Read: t.Float32}
		}
	}
	if len(state) == 0 {
		return nil, fmt.Errorf("holds no state dict: no tensors under the keys %s", list(d.Keys()))
	}
	return state, nil
}

func readSafetensors(path string) (State, func(), error) {
	arrays, err := dataset.OpenAll(path)
	if err != nil {
		return nil, nil, err
	}
	close := func() {
		for _, a := range arrays {
			a.Close()
		}
	}
	state := State{}
	for _, a := range arrays {
		state[a.Key()] = Tensor{Shape: a.Shape(), Read: func() ([]float32, error) {
			values := make([]float32, a.Len()*a.RowLen())
			return values, a.ReadFloat32(values, 0, a.Len())
		}}
	}
	return state, close, nil
}

// list joins names for a message, at most a dozen.
func list(names []string) string {
	names = slices.Sorted(slices.Values(names))
	more := ""
	if len(names) > 12 {
		names, more = names[:12], ", …"
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(names, ", ") + more
}

// architecture is one row of the table of known ones.
type architecture struct {
	name string
	// signature are names of tensors that only this architecture has.
	signature []string
	build     func(b *builder) error
}

var architectures = []architecture{
	{"ConvEncoder", []string{"conv_layers.0.weight", "final_norm.weight"}, buildConvEncoder},
	{"DQN CNN", []string{"conv1.weight", "fc_enc.weight"}, buildDQN},
}

// Architectures names those that Build knows.
func Architectures() []string {
	var names []string
	for _, a := range architectures {
		names = append(names, a.name)
	}
	return names
}

// Build recognises a state dict and builds its encoder. Names may share a
// prefix such as "module." or "encoder.".
func Build(state State, o Options) (*Model, error) {
	for _, a := range architectures {
		prefix, ok := a.match(state)
		if !ok {
			continue
		}
		b := &builder{state: state, prefix: prefix, options: o, used: map[string]bool{},
			graph: &graph.Graph{Name: a.name, Opset: 17, Constants: map[string]*graph.Tensor{}},
			model: &Model{Architecture: a.name}}
		if err := a.build(b); err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		var surplus []string
		for key := range state {
			if !b.used[key] && strings.HasPrefix(key, prefix) {
				surplus = append(surplus, key)
			}
		}
		if len(surplus) > 0 {
			return nil, fmt.Errorf("%s: %d surplus tensors that the architecture does not have: %s", a.name, len(surplus), list(surplus))
		}
		if prefix != "" {
			b.model.Warnings = append(b.model.Warnings, fmt.Sprintf("the tensors' names begin with %q; other tensors of the file are left out", prefix))
		}
		b.model.Graph = b.graph
		return b.model, nil
	}
	keys := make([]string, 0, len(state))
	for key := range state {
		keys = append(keys, key)
	}
	return nil, fmt.Errorf("no known architecture has the %d tensors %s; known are %s; export another model to ONNX (torch.onnx.export) and open that file",
		len(state), list(keys), strings.Join(Architectures(), " and "))
}

// match looks for the signature under any common prefix.
func (a *architecture) match(state State) (prefix string, ok bool) {
	var found []string
	for key := range state {
		p, ok := strings.CutSuffix(key, a.signature[0])
		if !ok || p != "" && !strings.HasSuffix(p, ".") {
			continue
		}
		if !slices.ContainsFunc(a.signature, func(s string) bool { _, has := state[p+s]; return !has }) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return "", false
	}
	slices.Sort(found)
	return found[0], true
}

// builder turns tensors into the constants and nodes of a graph.
type builder struct {
	state   State
	prefix  string
	options Options
	used    map[string]bool
	graph   *graph.Graph
	model   *Model
	last    string // the value that the next node takes
	count   int
}

// free stands for a size that the tensor itself decides.
const free = -1

// tensor reads a tensor into a constant and checks its shape; want has −1 for free axes.
func (b *builder) tensor(name string, want ...int) (shape []int, err error) {
	key := b.prefix + name
	t, ok := b.state[key]
	if !ok {
		return nil, fmt.Errorf("tensor %q is missing (want shape %s)", key, shapeText(want))
	}
	fits := len(t.Shape) == len(want)
	for i := 0; fits && i < len(want); i++ {
		fits = t.Shape[i] == want[i] || want[i] == free && t.Shape[i] > 0
	}
	if !fits {
		return nil, fmt.Errorf("tensor %q has shape %v, want %s", key, t.Shape, shapeText(want))
	}
	values, err := t.Read()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", key, err)
	}
	if n, err := graph.Elements(t.Shape); err != nil || n != len(values) {
		return nil, fmt.Errorf("tensor %q has %d elements, shape %v", key, len(values), t.Shape)
	}
	b.used[key] = true
	b.model.Parameters += len(values)
	b.graph.Constants[name] = graph.Floats(values, t.Shape...)
	return t.Shape, nil
}

func shapeText(want []int) string {
	parts := make([]string, len(want))
	for i, d := range want {
		if parts[i] = fmt.Sprint(d); d == free {
			parts[i] = "any"
		}
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// ints adds an integer constant and returns its name.
func (b *builder) ints(values ...int64) string {
	b.count++
	name := fmt.Sprintf("ints_%d", b.count)
	b.graph.Constants[name] = graph.Ints(values...)
	return name
}

// node adds an operator on the last value and further inputs.
func (b *builder) node(op, name string, attributes map[string]graph.Attribute, inputs ...string) string {
	return b.apply(op, name, attributes, append([]string{b.last}, inputs...)...)
}

func (b *builder) apply(op, name string, attributes map[string]graph.Attribute, inputs ...string) string {
	b.count++
	out := fmt.Sprintf("%s_%d", strings.ToLower(op), b.count)
	domain := ""
	if op == "Silu" {
		domain = "repscope"
	}
	b.graph.Nodes = append(b.graph.Nodes, &graph.Node{Name: name, Domain: domain, Op: op, Inputs: inputs, Outputs: []string{out}, Attributes: attributes})
	b.last = out
	return out
}

func integers(v ...int64) graph.Attribute {
	return graph.Attribute{Kind: graph.AttributeInts, Ints: v}
}

func integer(v int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInt, Int: v} }

func number(v float32) graph.Attribute {
	return graph.Attribute{Kind: graph.AttributeFloat, Float: v}
}

func (b *builder) input(dims ...graph.Dim) {
	b.graph.Inputs = []graph.Port{{Name: "x", DType: graph.Float32, Dims: dims}}
	b.last = "x"
}

func (b *builder) output(name string) {
	b.graph.Outputs = []graph.Port{{Name: name, DType: graph.Float32}}
}

// activate applies a function by its option name.
func (b *builder) activate(option, otherwise, where string) error {
	if option == "" {
		option = otherwise
	}
	switch strings.ToLower(option) {
	case "none":
	case "silu":
		b.node("Silu", where, nil)
	case "relu":
		b.node("Relu", where, nil)
	case "gelu":
		b.node("Gelu", where, nil)
	case "tanh":
		b.node("Tanh", where, nil)
	default:
		return fmt.Errorf("activation %q: want silu, relu, gelu, tanh or none", option)
	}
	return nil
}
