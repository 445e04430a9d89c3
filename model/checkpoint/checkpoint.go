// Package checkpoint reads PyTorch state dicts and safetensors files of known encoder architectures into package graph.
// The architecture is recognized by the tensors' names and sized from their shapes.
//
//	model, err := checkpoint.Open("weights/jepa/best_encoder.pth", checkpoint.Options{})
//	// model.Architecture is "ConvEncoder", model.Graph is ready to Prepare
//
// The reference definitions in PyTorch are in testdata/reference.py.
package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/safetensors"
	"repscope/internal/text"
	"repscope/internal/torchfile"
	"repscope/model/checkpoint/internal/settings"
	"repscope/model/checkpoint/internal/statedict"
	"repscope/model/graph"
)

// Options are settings missing from the file.
type Options struct {
	// State is the key of the state dict in a training checkpoint, such as "model" or
	// "ema_state_dict", with dots where dictionaries lie in dictionaries; "_state_dict" at
	// its end may be left out, and "target" is target_encoder_state_dict. Empty:
	// encoder_state_dict, state_dict or model_state_dict, else the only one.
	State string
	// Activation of a ConvEncoder, silu by default, or of a ViT-MAE, gelu by default, by its name in Activations; gelu
	// uses the error function. Empty: from the configuration, else the default.
	Activation string
	// FinalActivation of a DQN CNN, one of FinalActivations; empty is the first.
	FinalActivation string
	// Heads is the number of attention heads of a ViT-MAE, or of a VideoViT
	// whose file lacks the rotary frequencies; 0: from the configuration, else
	// the architecture's default.
	Heads int
}

// Network is an encoder built from a file.
type Network struct {
	Graph        *graph.Graph
	Architecture string
	Format       string // "pth" or "safetensors"
	Parameters   int
	Warnings     []string
	// Notes are remarks about an ordinary file, such as other state dicts next to the chosen one.
	Notes []string
	// Chosen is the key of the state dict in a training checkpoint, empty where the file is
	// a state dict itself.
	Chosen string
	// Prefix begins the names of all tensors of the encoder; the modules of the graph are named without it.
	Prefix string
	// Settings are the values that the tensors do not determine, as "heads=8", in a fixed order. With the tensors they
	// determine the outputs.
	Settings []string
	// State is a shape of one state that fits, e.g. [1 1 64 64]; nil if unknown.
	State []int
	// Check checks an input shape [B, …] against the weights, beyond the graph's own input shape.
	Check func(shape []int) error

	files []*mmap.File // of a folder
	close func() error
}

// Files are the mapped files of a folder, nil for a file.
func (n *Network) Files() []*mmap.File { return n.files }

// Close releases the file. Deferred weights cannot be loaded afterwards.
func (n *Network) Close() error {
	if n.close == nil {
		return nil
	}
	return n.close()
}

// Tensor is one entry of a state dict.
type Tensor struct {
	Shape []int
	// Read returns the elements in row-major order.
	Read func() ([]float32, error)
	// Load, of a tensor in a file, writes its elements from first on to dst, until the file is closed; Verify finds damage
	// before. Large tensors are deferred (see graph.Defer).
	Load   func(dst []float32, first int) error
	Verify func() error
}

// State is a state dict.
type State map[string]Tensor

// Open reads a .pth, .pt or .safetensors file, recognized by its content, or a folder as Hugging Face's save_pretrained
// writes it.
func Open(path string, o Options) (*Network, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return OpenFolder(path, o)
	}
	file, err := mmap.Open(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	n, err := Read(file, o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return n, nil
}

// Read is Open for a file that is open already; if there is no error, closing the
// result closes it.
func Read(file *mmap.File, o Options) (*Network, error) {
	n, err := read(file, o)
	if err != nil {
		return nil, fileError(file.Path(), err)
	}
	return n, nil
}

// fileError puts the path before an error that does not name it.
func fileError(path string, err error) error {
	var unknown *os.PathError
	if errors.As(err, &unknown) || strings.HasPrefix(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func read(file *mmap.File, o Options) (*Network, error) {
	in, err := readContent(file, o)
	if err != nil {
		return nil, err
	}
	n, err := in.network(filepath.Dir(file.Path()), o)
	if err != nil {
		return nil, err
	}
	n.close = file.Close
	return n, nil
}

// Sniff reports whether a file begins like one that this package reads: a zip file, a
// pickle, or safetensors.
func Sniff(file *mmap.File) (bool, error) {
	kind, err := kindOf(file)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file.Path(), err)
	}
	return kind == format.Safetensors || kind == format.Zip || kind == format.Pickle, nil
}

// kindOf is the kind of a file by its first bytes.
func kindOf(file *mmap.File) (format.Kind, error) {
	head := make([]byte, format.HeadSize)
	n, err := file.ReadAt(head, 0)
	if n == 0 {
		return format.Unknown, fmt.Errorf("the file is empty or cannot be read: %w", err)
	}
	return format.Of(head[:n]), nil
}

// readContent reads the tensors of a file.
func readContent(file *mmap.File, o Options) (*content, error) {
	kind, err := kindOf(file)
	if err != nil {
		return nil, err
	}
	var c *content
	if kind == format.Safetensors {
		if o.State != "" {
			return nil, fmt.Errorf("state %q: a safetensors file has only one state dict", o.State)
		}
		c = &content{format: "safetensors"}
		c.state, err = readSafetensors(file)
	} else {
		c, err = readTorch(file, o)
	}
	if err != nil {
		return nil, err
	}
	for key, t := range c.state {
		load := t.Load
		if load == nil {
			continue
		}
		t.Load = func(dst []float32, first int) error {
			if err := file.Unchanged(); err != nil {
				return err
			}
			return load(dst, first)
		}
		c.state[key] = t
	}
	return c, nil
}

func readTorch(file *mmap.File, o Options) (*content, error) {
	f, err := torchfile.Read(file)
	if err != nil {
		return nil, err
	}
	c, err := choose(f.Root(), o.State)
	if err != nil {
		return nil, err
	}
	c.format = "pth"
	return c, nil
}

// readSafetensors returns the tensors of a file, which are read until it is closed.
func readSafetensors(file *mmap.File) (State, error) {
	list, err := safetensors.Read(file)
	if err != nil {
		return nil, err
	}
	state := State{}
	for _, t := range list {
		if err := t.Readable(); err != nil { // others of the file may be all that is wanted
			state[t.Name] = Tensor{Shape: t.Shape, Read: func() ([]float32, error) { return nil, err }}
			continue
		}
		length := t.Size / int64(t.DType.Size())
		row := length
		if len(t.Shape) > 0 && t.Shape[0] > 0 {
			row /= int64(t.Shape[0])
		}
		load := statedict.ByRows(t.Shape, func(part []float32, lo, hi int) error {
			size := row * int64(t.DType.Size())
			err := file.Use(t.Offset+int64(lo)*size, int64(hi-lo)*size, func(raw []byte) error {
				return dtype.Float32s(part, raw, t.DType, dtype.LittleEndian)
			})
			if err != nil {
				return fmt.Errorf("%s:%s: %w", file.Path(), t.Name, err)
			}
			return nil
		})
		state[t.Name] = Tensor{Shape: t.Shape, Load: load, Read: func() ([]float32, error) {
			values := make([]float32, length)
			return values, load(values, 0)
		}}
	}
	return state, nil
}

// list names tensors with their shapes for a message, at most a dozen.
func (s State) list(keys []string) string { return s.listFirst(keys, 12) }

// listFirst names the first of some tensors with their shapes.
func (s State) listFirst(keys []string, limit int) string {
	slices.Sort(keys)
	var parts []string
	for _, k := range keys[:min(len(keys), limit)] {
		parts = append(parts, fmt.Sprintf("%q %v", k, s[k].Shape))
	}
	if len(keys) > limit {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// Build recognizes a state dict and builds its encoder. Names may share a
// prefix such as "module." or "encoder.".
func Build(state State, o Options) (*Network, error) { return build(state, o, &settings.Settings{}) }

func build(state State, o Options, s *settings.Settings) (*Network, error) {
	if o.Heads < 0 {
		return nil, fmt.Errorf("heads %d: want a positive number", o.Heads)
	}
	state, notes, err := statedict.Unwrap(state)
	if err != nil {
		return nil, err
	}
	if name := s.PublishedName(); untold.MatchString(name) {
		return nil, fmt.Errorf("the configuration has the architecture %q, which has steps that no tensor records; %s", name,
			exportHint)
	}
	for _, a := range architectures {
		prefix, ok := a.match(state)
		if !ok || strings.Contains(prefix, "patch_embed.") { // a network before the blocks of a transformer
			continue
		}
		b := &builder{state: state, prefix: prefix, options: o, settings: s, used: map[string]bool{},
			graph: &graph.Graph{Name: a.Name, Opset: 20, Constants: map[string]*graph.Tensor{}},
			model: &Network{Architecture: a.Name, Notes: notes}}
		if err := a.build(b); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		var surplus, outside []string
		for key := range state {
			inner, ok := strings.CutPrefix(key, prefix)
			switch {
			case b.used[key] || !ok:
			case a.elsewhere(inner):
				outside = append(outside, key)
			default:
				surplus = append(surplus, key)
			}
		}
		if len(surplus) > 0 {
			return nil, fmt.Errorf("%s: %d tensors that the architecture does not have: %s; %s", a.Name, len(surplus),
				state.list(surplus), exportHint)
		}
		b.leftOut()
		if len(outside) > 0 {
			b.model.Notes = append(b.model.Notes, fmt.Sprintf("%s of other parts of the model are not used: %s", text.Count(len(outside), "tensor"), state.listFirst(outside, 4)))
		}
		statedict.NameModules(b.graph.Nodes, maps.Keys(b.state), b.prefix)
		b.model.Graph, b.model.Settings, b.model.Prefix = b.graph, s.Used, b.prefix
		return b.model, nil
	}
	keys := slices.Collect(maps.Keys(state))
	return nil, fmt.Errorf("no known architecture has the %d tensors %s; %s; %s; known architectures: %s",
		len(state), state.listFirst(keys, 4), nearest(state), exportHint, namesOf(architectures))
}

// exportHint is the way out for models that are not known.
const exportHint = "export the model to ONNX and give that file: " +
	`torch.onnx.export(model.eval(), x, "model.onnx", dynamo=True)`

// untold are names of published models with blurred or reordered steps in layouts of others.
var untold = regexp.MustCompile(`blur|netaa|xtaa|_aa_|_hnf|^test_convnext`)

// leftOut reports the prefix that the names share, and warns of tensors with another one.
func (b *builder) leftOut() {
	if b.prefix == "" {
		return
	}
	b.model.Notes = append(b.model.Notes, fmt.Sprintf("the tensors' names begin with %q", b.prefix))
	var others []string
	for key := range b.state {
		if !strings.HasPrefix(key, b.prefix) {
			others = append(others, key)
		}
	}
	switch len(others) {
	case 0:
	case 1:
		b.warn("1 tensor outside the prefix %q is ignored: %s", b.prefix, b.state.list(others))
	default:
		b.warn("%d tensors outside the prefix %q are ignored: %s", len(others), b.prefix, b.state.listFirst(others, 4))
	}
}

// builder turns tensors into the constants and nodes of a graph.
type builder struct {
	state   State
	prefix  string
	options Options
	// settings holds the values that the tensors do not determine.
	settings *settings.Settings
	used     map[string]bool
	graph    *graph.Graph
	model    *Network
	last     string // the value that the next node takes
	count    int
}

func (b *builder) warn(format string, args ...any) {
	b.model.Warnings = append(b.model.Warnings, fmt.Sprintf(format, args...))
}

// free marks a size that the tensor itself determines.
const free = statedict.Free

// tensor makes a tensor a constant and checks its shape; want has −1 for free axes.
func (b *builder) tensor(name string, want ...int) (shape []int, err error) {
	t, err := b.find(name, want...)
	if err != nil {
		return nil, err
	}
	n, err := graph.Elements(t.Shape)
	if err != nil || t.Load == nil || n <= graph.Resident {
		values, shape, err := b.read(name, want...)
		if err != nil {
			return nil, err
		}
		b.graph.Constants[name] = graph.Floats(values, shape...)
		b.model.Parameters += len(values)
		return shape, nil
	}
	key := b.prefix + name
	if t.Verify != nil {
		if err := t.Verify(); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", key, err)
		}
	}
	b.graph.Constants[name] = graph.Defer(func(dst []float32, first int) error {
		if err := t.Load(dst, first); err != nil {
			return fmt.Errorf("tensor %q: %w", key, err)
		}
		return statedict.CheckFinite(key, t.Shape, dst, first)
	}, t.Shape...)
	b.model.Parameters += n
	b.used[key] = true
	return t.Shape, nil
}

// tensors is tensor for several of one shape.
func (b *builder) tensors(want []int, names ...string) error {
	for _, name := range names {
		if _, err := b.tensor(name, want...); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether the file has a tensor.
func (b *builder) has(name string) bool { _, ok := b.state[b.prefix+name]; return ok }

// layers counts name.0.key, name.1.key, …
func (b *builder) layers(name, key string) int {
	n := 0
	for b.has(fmt.Sprintf("%s.%d.%s", name, n, key)) {
		n++
	}
	return n
}

// anyShape, as the wanted shape, is any with at least one axis and one element.
var anyShape = []int{math.MinInt}

// find returns a tensor after checking its shape.
func (b *builder) find(name string, want ...int) (Tensor, error) {
	key := b.prefix + name
	t, ok := b.state[key]
	if !ok {
		return t, fmt.Errorf("tensor %q is missing (want shape %s)%s", key, statedict.ShapeText(want), b.mixture(name))
	}
	if slices.Equal(want, anyShape) {
		if len(t.Shape) == 0 || slices.Min(t.Shape) < 1 {
			return t, fmt.Errorf("tensor %q has shape %v, want at least one element and one axis", key, t.Shape)
		}
		return t, nil
	}
	fits := len(t.Shape) == len(want)
	for i := 0; fits && i < len(want); i++ {
		fits = t.Shape[i] == want[i] || want[i] == free && t.Shape[i] > 0
	}
	if !fits {
		return t, fmt.Errorf("tensor %q has shape %v, want %s", key, t.Shape, statedict.ShapeText(want))
	}
	return t, nil
}

// mixture is a hint for a missing tensor that the file has under another prefix, as in a state dict joined from two.
func (b *builder) mixture(name string) string {
	for _, key := range slices.Sorted(maps.Keys(b.state)) {
		if other, ok := strings.CutSuffix(key, name); ok && other != b.prefix &&
			(other == "" || strings.HasSuffix(other, ".")) {
			n := 0
			for key := range b.state {
				if strings.HasPrefix(key, other) && (b.prefix == "" || !strings.HasPrefix(key, b.prefix)) {
					n++
				}
			}
			return fmt.Sprintf("; the file has it as %q: %d of %d names begin with %q instead of %q; give all names one prefix", key, n, len(b.state), other, b.prefix)
		}
	}
	return ""
}

// read returns the elements of a tensor after checking its shape.
func (b *builder) read(name string, want ...int) ([]float32, []int, error) {
	t, err := b.find(name, want...)
	if err != nil {
		return nil, nil, err
	}
	key := b.prefix + name
	values, err := t.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("tensor %q: %w", key, err)
	}
	if n, err := graph.Elements(t.Shape); err != nil || n != len(values) {
		return nil, nil, fmt.Errorf("tensor %q has %d elements, shape %v", key, len(values), t.Shape)
	}
	b.used[key] = true
	return values, t.Shape, statedict.CheckFinite(key, t.Shape, values, 0)
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
	if op == "Silu" || op == "Linear" {
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
