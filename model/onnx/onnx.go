// Package onnx reads ONNX files into package graph. It decodes only the fields
// that inference needs, straight from the protobuf wire format.
//
//	model, err := onnx.Open("encoder.onnx", onnx.Options{})
//	if err != nil {
//		return err
//	}
//	defer model.Close()
//	err = model.Graph.Prepare(fuse.Rules(cpu.Evaluate))
//
// Weights may be stored in the file or beside it (external data); float16,
// bfloat16 and float64 are converted to float32, integers to int64. Large weights stay
// in their files, which are mapped, and are deferred in the sense of graph.Defer.
package onnx

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/model/graph"
	"repscope/model/operator"
)

// The range of opsets whose operators have the meaning implemented here.
const (
	MinOpset = operator.MinOpset
	MaxOpset = operator.MaxOpset
)

// Options widen the range of opsets that are accepted; zero means MinOpset and MaxOpset.
type Options struct{ MinOpset, MaxOpset int }

// File is a decoded file.
type File struct {
	Graph    *graph.Graph
	IR       int    // version of the file format
	Producer string // e.g. "pytorch 1.13.0"
	External []string
	// Parameters counts the elements of all initialisers.
	Parameters int

	files []*mmap.File
}

// Close releases the files. Deferred weights cannot be loaded afterwards.
func (f *File) Close() error {
	var err error
	for _, m := range f.files {
		err = errors.Join(err, m.Close())
	}
	return err
}

// externalReuse is how often the bytes of external files may be used, on average.
const externalReuse = 8

// resident is the number of elements up to which weights are read at once; tests change it.
var resident = graph.Resident

// maxFile bounds the file itself; protobuf allows no more. Larger models keep their weights in external files.
const maxFile = 2<<30 - 1

// Open reads a file and the external data files that it names, which must lie
// in its own folder or below.
func Open(path string, o Options) (*File, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := Read(file, o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Read is Open for a file that is open already; if there is no error, closing the
// result closes it.
func Read(file *mmap.File, o Options) (f *File, err error) {
	if file.Size() > maxFile {
		return nil, fmt.Errorf("%s: %d bytes; an ONNX file has less than 2 GB, larger models keep their weights in external data", file.Path(), file.Size())
	}
	err = file.Use(0, file.Size(), func(data []byte) error {
		f, err = decode(data, stored{file}, filepath.Dir(file.Path()), o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	f.files = slices.Insert(f.files, 0, file)
	return f, nil
}

// Files are the mapped files that the model consists of: the file itself, unless it was
// decoded from memory, and those with external data, in the order of External.
func (f *File) Files() []*mmap.File { return f.files }

// Decode reads a model from memory, which must not be changed as long as the
// model is in use. External data is looked for in dir; an empty dir refuses it.
func Decode(data []byte, dir string, o Options) (*File, error) {
	return decode(data, memory(data), dir, o)
}

// source is where the bytes of weights are.
type source interface {
	// use calls fn with n bytes at offset, which are valid during the call.
	use(offset, n int64, fn func(raw []byte) error) error
}

type memory []byte

func (m memory) use(offset, n int64, fn func(raw []byte) error) error {
	return fn(m[offset : offset+n])
}

type stored struct{ *mmap.File }

func (s stored) use(offset, n int64, fn func(raw []byte) error) error {
	if err := s.Unchanged(); err != nil {
		return err
	}
	return s.Use(offset, n, fn)
}

// decode reads a model from data; in gives the same bytes again later.
func decode(data []byte, in source, dir string, o Options) (model *File, err error) {
	if o.MinOpset == 0 {
		o.MinOpset = MinOpset
	}
	if o.MaxOpset == 0 {
		o.MaxOpset = MaxOpset
	}
	d := &decoder{in: in, dir: dir, files: map[string]*mmap.File{}, of: map[*graph.Tensor]int{}, elements: map[string]int{}}
	defer func() {
		if d.root != nil {
			d.root.Close()
		}
		if err != nil {
			for _, f := range d.files {
				f.Close()
			}
		}
	}()
	model = &File{}
	var graphData field
	var producer, version string
	domains := map[string]int64{}
	err = field{bytes: data}.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			model.IR = int(v.number)
		case 2:
			producer = v.text()
		case 3:
			version = v.text()
		case 7:
			if graphData.bytes != nil {
				return errors.New("two graphs in one file")
			}
			graphData = v
			return v.want(protowire.BytesType)
		case 8:
			domain, opset, err := opsetImport(v)
			if err != nil {
				return err
			}
			domains[domain] = opset
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("not an ONNX file, or a damaged one: %w", err)
	}
	if graphData.bytes == nil {
		return nil, errors.New("not an ONNX file, or a damaged one: no graph")
	}
	opset, ok := domains[""]
	if !ok {
		opset, ok = domains["ai.onnx"]
	}
	if !ok {
		return nil, errors.New("the file states no opset of the ONNX operators")
	}
	if opset < int64(o.MinOpset) || opset > int64(o.MaxOpset) {
		return nil, fmt.Errorf("opset %d is not supported, want %d to %d; export the model again with opset_version=17", opset, o.MinOpset, o.MaxOpset)
	}
	model.Producer = strings.TrimSpace(producer + " " + version)
	if model.Graph, err = d.graph(graphData); err != nil {
		return nil, err
	}
	model.Graph.Opset = int(opset)
	for _, t := range model.Graph.Constants {
		model.Parameters += t.Len()
	}
	model.External = d.names
	for _, name := range d.names {
		model.files = append(model.files, d.files[name])
	}
	return model, nil
}

func opsetImport(v field) (domain string, opset int64, err error) {
	if err := v.want(protowire.BytesType); err != nil {
		return "", 0, err
	}
	err = v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			domain = v.text()
		case 2:
			opset = int64(v.number)
		}
		return nil
	})
	return domain, opset, err
}

// field is one protobuf field's value, undecoded.
type field struct {
	kind   protowire.Type
	number uint64 // varint, fixed32, fixed64
	bytes  []byte
	at     int64 // of bytes in the file
}

func (f field) text() string { return string(f.bytes) }

func (f field) want(t protowire.Type) error {
	if f.kind != t {
		return fmt.Errorf("field of wire type %d, want %d", f.kind, t)
	}
	return nil
}

// fields calls f for every field of a message.
func (m field) fields(f func(n protowire.Number, v field) error) error {
	for data := m.bytes; len(data) > 0; {
		n, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		v := field{kind: kind}
		switch kind {
		case protowire.VarintType:
			v.number, size = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var x uint32
			x, size = protowire.ConsumeFixed32(data)
			v.number = uint64(x)
		case protowire.Fixed64Type:
			v.number, size = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			v.bytes, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(n, kind, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		v.at = m.at + int64(len(m.bytes)-len(data)-len(v.bytes))
		if err := f(n, v); err != nil {
			return err
		}
	}
	return nil
}

// maxDepth bounds the branches of conditions within one another.
const maxDepth = 16

// decoder keeps the external files of one model.
type decoder struct {
	in    source // of the model itself; nil: nothing is deferred
	dir   string
	root  *os.Root
	files map[string]*mmap.File
	names []string
	depth int // of graphs in graphs
	// The ONNX element types of narrow integers, and of named constants, inputs and outputs.
	of       map[*graph.Tensor]int
	elements map[string]int
	// Bytes of the external files, and of what tensors take of them.
	stored, taken int64
}

func (d *decoder) graph(message field) (*graph.Graph, error) {
	g := &graph.Graph{Constants: map[string]*graph.Tensor{}}
	var inputs []graph.Port
	err := message.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			node, err := d.node(v)
			if err != nil {
				return fmt.Errorf("node %d: %w", len(g.Nodes), err)
			}
			g.Nodes = append(g.Nodes, node)
		case 2:
			g.Name = v.text()
		case 5:
			t, name, err := d.tensor(v)
			if err != nil {
				return fmt.Errorf("initialiser %q: %w", name, err)
			}
			if _, twice := g.Constants[name]; twice {
				return fmt.Errorf("initialiser %q stands twice", name)
			}
			g.Constants[name] = t
			d.elements[name] = d.of[t]
		case 11, 12:
			p, element, err := port(v)
			if err != nil {
				return fmt.Errorf("graph input or output %q: %w", p.Name, err)
			}
			d.elements[p.Name] = element
			if n == 11 {
				inputs = append(inputs, p)
			} else {
				g.Outputs = append(g.Outputs, p)
			}
		case 15:
			return errors.New("sparse initialisers are not supported")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.quantizations(g)
	for _, p := range inputs {
		// Older exporters list initialisers among the inputs.
		if g.Constants[p.Name] != nil {
			continue
		}
		if p.DType == graph.Invalid {
			return nil, fmt.Errorf("graph input %q: its type is not supported (a tensor of numbers is)", p.Name)
		}
		g.Inputs = append(g.Inputs, p)
	}
	return g, nil
}

// zeroPoints is which input of the operators that quantise their result is its zero point.
var zeroPoints = map[string]int{"QuantizeLinear": 2, "QLinearConv": 7, "QLinearMatMul": 7,
	"QGemm": 8, "QLinearAdd": 7, "QLinearMul": 7, "QLinearConcat": 1, "QLinearSigmoid": 4, "QLinearLeakyRelu": 4, "QLinearSoftmax": 4,
	"QLinearAveragePool": 4, "QLinearGlobalAveragePool": 4}

// quantizations names the type that a node quantises to where only its zero point
// tells: a graph's values do not keep the width of integers.
func (d *decoder) quantizations(g *graph.Graph) {
	for _, n := range g.Nodes {
		switch n.Op {
		case "Constant":
			if t := n.Attributes["value"].Tensor; t != nil && len(n.Outputs) == 1 {
				d.elements[n.Outputs[0]] = d.of[t]
			}
		case "Cast":
			if len(n.Outputs) == 1 {
				d.elements[n.Outputs[0]] = int(n.Attributes["to"].Int)
			}
		case "Identity", "Reshape", "Squeeze", "Unsqueeze":
			if len(n.Inputs) > 0 && len(n.Outputs) == 1 {
				d.elements[n.Outputs[0]] = d.elements[n.Inputs[0]]
			}
		}
		zero, ok := zeroPoints[n.Op]
		if !ok || len(n.Inputs) <= zero || n.Attributes["output_dtype"].Int != 0 {
			continue
		}
		if element := d.elements[n.Inputs[zero]]; element != 0 {
			n.Attributes["output_dtype"] = graph.Attribute{Kind: graph.AttributeInt, Int: int64(element)}
		}
	}
}

func (d *decoder) node(v field) (*graph.Node, error) {
	node := &graph.Node{Attributes: map[string]graph.Attribute{}}
	if err := v.want(protowire.BytesType); err != nil {
		return nil, err
	}
	err := v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			node.Inputs = append(node.Inputs, v.text())
		case 2:
			node.Outputs = append(node.Outputs, v.text())
		case 3:
			node.Name = v.text()
		case 4:
			node.Op = v.text()
		case 5:
			name, a, err := d.attribute(v)
			if err != nil {
				return fmt.Errorf("%s: attribute %q: %w", node.Op, name, err)
			}
			node.Attributes[name] = a
		case 7:
			node.Domain = v.text()
			if node.Domain == "repscope" {
				return errors.New(`domain "repscope" is reserved`)
			}
		}
		return nil
	})
	// Attributes may come before the operator's name in a hand-made file, so only now:
	if err == nil && node.Op == "" {
		err = errors.New("no operator")
	}
	return node, err
}

func (d *decoder) attribute(v field) (name string, a graph.Attribute, err error) {
	if err := v.want(protowire.BytesType); err != nil {
		return "", a, err
	}
	declared := 0
	var branch field
	err = v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			name = v.text()
		case 2:
			a.Kind, a.Float = graph.AttributeFloat, math.Float32frombits(uint32(v.number))
		case 3:
			a.Kind, a.Int = graph.AttributeInt, int64(v.number)
		case 4:
			a.Kind, a.String = graph.AttributeString, v.text()
		case 5:
			t, _, err := d.tensor(v)
			a.Kind, a.Tensor = graph.AttributeTensor, t
			return err
		case 7:
			a.Kind = graph.AttributeFloats
			return packed(v, protowire.Fixed32Type, func(x uint64) { a.Floats = append(a.Floats, math.Float32frombits(uint32(x))) })
		case 8:
			a.Kind = graph.AttributeInts
			return packed(v, protowire.VarintType, func(x uint64) { a.Ints = append(a.Ints, int64(x)) })
		case 9:
			a.Kind = graph.AttributeStrings
			a.Strings = append(a.Strings, v.text())
		case 20:
			declared = int(v.number)
		case 6:
			a.Kind, branch = graph.AttributeOther, v
		case 10, 11, 14, 15, 22, 23:
			a.Kind = graph.AttributeOther
		case 21:
			return errors.New("refers to a function's attribute; functions are not supported")
		}
		return nil
	})
	if err == nil && branch.bytes != nil && slices.Contains([]string{"then_branch", "else_branch", "body"}, name) {
		if d.depth++; d.depth > maxDepth {
			return name, a, fmt.Errorf("graphs in graphs, more than %d deep", maxDepth)
		}
		a.Kind = graph.AttributeGraph
		a.Graph, err = d.graph(branch)
		d.depth--
	}
	// A value equal to protobuf's default (0, "", an empty list) may be left
	// out of the file; then only the declared type tells.
	if a.Kind == 0 {
		switch declared {
		case 1:
			a.Kind = graph.AttributeFloat
		case 2:
			a.Kind = graph.AttributeInt
		case 3:
			a.Kind = graph.AttributeString
		case 6:
			a.Kind = graph.AttributeFloats
		case 7:
			a.Kind = graph.AttributeInts
		case 8:
			a.Kind = graph.AttributeStrings
		default:
			a.Kind = graph.AttributeOther
		}
	}
	return name, a, err
}

// packed decodes a repeated number, which a file may store packed or one by one.
func packed(v field, kind protowire.Type, f func(uint64)) error {
	if v.kind == kind {
		f(v.number)
		return nil
	}
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	for b := v.bytes; len(b) > 0; {
		var x uint64
		var n int
		switch kind {
		case protowire.VarintType:
			x, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var y uint32
			y, n = protowire.ConsumeFixed32(b)
			x = uint64(y)
		default:
			x, n = protowire.ConsumeFixed64(b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		f(x)
		b = b[n:]
	}
	return nil
}

// port decodes a ValueInfoProto and names its ONNX element type. A type that is not a tensor of numbers leaves DType Invalid.
func port(v field) (p graph.Port, element int, err error) {
	if err := v.want(protowire.BytesType); err != nil {
		return p, 0, err
	}
	err = v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			p.Name = v.text()
		case 2:
			return v.fields(func(n protowire.Number, v field) error {
				if n != 1 {
					return nil
				}
				return v.fields(func(n protowire.Number, v field) error {
					switch n {
					case 1:
						element = int(v.number)
						p.DType, _ = graph.ElementDType(element)
						if t, ok := elementTypes[element]; ok {
							p.Element = t.String()
						}
					case 2:
						p.Dims = []graph.Dim{}
						return v.fields(func(n protowire.Number, v field) error {
							if n != 1 {
								return nil
							}
							dim := graph.Dim{Size: -1}
							err := v.fields(func(n protowire.Number, v field) error {
								switch n {
								case 1:
									// Some exporters write 0 or −1 for a free axis.
									if size := int64(v.number); size > 0 {
										dim.Size = int(size)
									}
								case 2:
									dim.Name = v.text()
								}
								return nil
							})
							p.Dims = append(p.Dims, dim)
							return err
						})
					}
					return nil
				})
			})
		}
		return nil
	})
	return p, element, err
}

// ReadTensor decodes a serialised TensorProto, such as the standard test data.
func ReadTensor(data []byte) (*graph.Tensor, error) {
	t, _, err := (&decoder{}).tensor(field{kind: protowire.BytesType, bytes: data})
	return t, err
}

var elementTypes = map[int]dtype.DType{
	graph.ElementFloat: dtype.Float32, graph.ElementUint8: dtype.Uint8, graph.ElementInt8: dtype.Int8,
	graph.ElementUint16: dtype.Uint16, graph.ElementInt16: dtype.Int16, graph.ElementInt32: dtype.Int32,
	graph.ElementInt64: dtype.Int64, graph.ElementBool: dtype.Bool, graph.ElementFloat16: dtype.Float16,
	graph.ElementDouble: dtype.Float64, graph.ElementUint32: dtype.Uint32, graph.ElementUint64: dtype.Uint64,
	graph.ElementBFloat16: dtype.BFloat16,
}

// tensor decodes a TensorProto. Its size is checked against the bytes that are there before anything is allocated.
func (d *decoder) tensor(v field) (*graph.Tensor, string, error) {
	var name string
	if err := v.want(protowire.BytesType); err != nil {
		return nil, name, err
	}
	shape := []int{}
	element := 0
	var raw region
	hasRaw, external := false, false
	location := map[string]string{}
	typed := map[protowire.Number][]field{}
	err := v.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			return packed(v, protowire.VarintType, func(x uint64) {
				// A negative or huge size is left for Elements to report.
				shape = append(shape, int(int64(x)))
			})
		case 2:
			element = int(v.number)
		case 3:
			return errors.New("segmented tensors are not supported")
		case 4, 5, 7, 10, 11:
			typed[n] = append(typed[n], v)
		case 8:
			name = v.text()
		case 9:
			raw, hasRaw = region{d.in, v.at, int64(len(v.bytes)), v.bytes}, true
			return v.want(protowire.BytesType)
		case 13:
			var key, value string
			err := v.fields(func(n protowire.Number, v field) error {
				switch n {
				case 1:
					key = v.text()
				case 2:
					value = v.text()
				}
				return nil
			})
			location[key] = value
			return err
		case 14:
			external = v.number == 1
		}
		return nil
	})
	if err != nil {
		return nil, name, err
	}
	kind, ok := elementTypes[element]
	if !ok {
		return nil, name, fmt.Errorf("element type %s is not supported", graph.ElementName(element))
	}
	count, err := graph.Elements(shape)
	if err != nil {
		return nil, name, err
	}
	if external {
		if raw, err = d.external(location, count*kind.Size()); err != nil {
			return nil, name, err
		}
		hasRaw = true
	}
	target, _ := graph.ElementDType(element)
	if f := typed[4]; !hasRaw && kind == dtype.Float32 && len(f) == 1 && len(f[0].bytes) == 4*count {
		// A packed list of float32 is laid out as raw data is.
		raw, hasRaw = region{d.in, f[0].at, int64(len(f[0].bytes)), f[0].bytes}, true
	}
	if !hasRaw {
		t := &graph.Tensor{DType: target, Shape: shape}
		d.note(t, element)
		return t, name, fromTyped(t, typed, kind, count)
	}
	if raw.size != int64(count)*int64(kind.Size()) {
		return nil, name, fmt.Errorf("%d bytes of data, shape %v of %v needs %d", raw.size, shape, kind, count*kind.Size())
	}
	if target == graph.Float32 && count > resident && d.in != nil {
		raw.bytes = nil // valid only now
		return graph.Defer(func(dst []float32, first int) error { return raw.floats(dst, first, kind) }, shape...), name, nil
	}
	t := &graph.Tensor{DType: target, Shape: shape}
	d.note(t, element)
	return t, name, raw.use(func(b []byte) error { return fromRaw(t, b, kind, count) })
}

// note remembers the type of integers that may be zero points.
func (d *decoder) note(t *graph.Tensor, element int) {
	if d.of != nil && t.DType == graph.Int64 && element != graph.ElementInt64 {
		d.of[t] = element
	}
}

// region is a tensor's bytes.
type region struct {
	in           source
	offset, size int64
	bytes        []byte // nil: not in memory
}

func (r region) use(fn func(raw []byte) error) error {
	if r.bytes != nil || r.size == 0 {
		return fn(r.bytes)
	}
	return r.in.use(r.offset, r.size, fn)
}

// partElements bounds what is read at a time, so that little of a mapped file is resident.
const partElements = 1 << 16

// floats converts the elements from first on.
func (r region) floats(dst []float32, first int, kind dtype.DType) error {
	for at := r.offset + int64(first*kind.Size()); len(dst) > 0; {
		part := dst[:min(len(dst), partElements)]
		n := int64(len(part) * kind.Size())
		err := r.in.use(at, n, func(b []byte) error { return dtype.Float32s(part, b, kind, dtype.LittleEndian) })
		if err != nil {
			return err
		}
		at, dst = at+n, dst[len(part):]
	}
	return nil
}

func fromRaw(t *graph.Tensor, raw []byte, kind dtype.DType, count int) error {
	switch t.DType {
	case graph.Float32:
		t.F32 = make([]float32, count)
		return dtype.Float32s(t.F32, raw, kind, dtype.LittleEndian)
	case graph.Int64:
		t.I64 = make([]int64, count)
		return dtype.Int64s(t.I64, raw, kind, dtype.LittleEndian)
	}
	t.Bool = make([]bool, count)
	for i, b := range raw {
		t.Bool[i] = b != 0
	}
	return nil
}

// fromTyped reads the number fields, of which each element type uses one.
func fromTyped(t *graph.Tensor, typed map[protowire.Number][]field, kind dtype.DType, count int) error {
	from, wire := protowire.Number(5), protowire.VarintType // int32_data holds most types
	switch kind {
	case dtype.Float32:
		from, wire = 4, protowire.Fixed32Type
	case dtype.Float64:
		from, wire = 10, protowire.Fixed64Type
	case dtype.Int64:
		from = 7
	case dtype.Uint32, dtype.Uint64:
		from = 11
	}
	available := 0
	for _, v := range typed[from] {
		available += max(1, len(v.bytes)) // at least one byte per number
	}
	if available < count {
		return fmt.Errorf("at most %d elements of data, the shape %v needs %d", available, t.Shape, count)
	}
	put := func(uint64) {}
	n := 0
	switch t.DType {
	case graph.Float32:
		t.F32 = make([]float32, count)
		put = func(x uint64) {
			switch kind {
			case dtype.Float32:
				t.F32[n] = math.Float32frombits(uint32(x))
			case dtype.Float64:
				t.F32[n] = float32(math.Float64frombits(x))
			case dtype.Float16:
				t.F32[n] = dtype.Float16ToFloat32(uint16(x))
			default:
				t.F32[n] = dtype.BFloat16ToFloat32(uint16(x))
			}
		}
	case graph.Int64:
		t.I64 = make([]int64, count)
		put = func(x uint64) { t.I64[n] = int64(x) }
	case graph.Bool:
		t.Bool = make([]bool, count)
		put = func(x uint64) { t.Bool[n] = x != 0 }
	}
	for _, v := range typed[from] {
		err := packed(v, wire, func(x uint64) {
			if n < count {
				put(x)
			}
			n++
		})
		if err != nil {
			return err
		}
	}
	if n != count {
		return fmt.Errorf("%d elements of data, the shape %v needs %d", n, t.Shape, count)
	}
	return nil
}

// external finds a tensor's bytes in a file beside the model. The file must
// lie in the model's folder or below, also after links are followed.
func (d *decoder) external(location map[string]string, want int) (region, error) {
	var none region
	name := location["location"]
	if name == "" {
		return none, errors.New("external data without a location")
	}
	if d.dir == "" {
		return none, fmt.Errorf("external data %q: the model was not read from a folder", name)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return none, fmt.Errorf("external data %q: want a path inside the model's folder", name)
	}
	integer := func(key string, otherwise int64) (int64, error) {
		text, ok := location[key]
		if !ok {
			return otherwise, nil
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < 0 {
			return 0, fmt.Errorf("external data %q: %s %q is not a size", name, key, text)
		}
		return v, nil
	}
	offset, err := integer("offset", 0)
	if err != nil {
		return none, err
	}
	length, err := integer("length", int64(want))
	if err != nil {
		return none, err
	}
	if length != int64(want) {
		return none, fmt.Errorf("external data %q: length %d, the shape needs %d bytes", name, length, want)
	}
	f, err := d.open(name)
	if err != nil {
		return none, err
	}
	if offset > f.Size() || length > f.Size()-offset {
		return none, fmt.Errorf("external data %q: has %d bytes, want %d from %d on", name, f.Size(), length, offset)
	}
	// Tied weights may share their bytes, but a small file must not become an arbitrary amount of memory.
	if d.taken += length; d.taken > externalReuse*d.stored {
		return none, fmt.Errorf("external data %q: its %d bytes are used more than %d times over", name, f.Size(), externalReuse)
	}
	return region{in: stored{f}, offset: offset, size: length}, nil
}

// open opens an external file, once.
func (d *decoder) open(name string) (*mmap.File, error) {
	if f := d.files[name]; f != nil {
		return f, nil
	}
	var err error
	if d.root == nil {
		if d.root, err = os.OpenRoot(d.dir); err != nil {
			return nil, err
		}
	}
	file, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("external data: %w", err)
	}
	f, err := mmap.FromFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("external data: %w", err)
	}
	d.files[name] = f
	d.names = append(d.names, name)
	d.stored += f.Size()
	return f, nil
}
