// Tensors: weights and attributes, converted or deferred.

package onnx

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"repscope/internal/dtype"
	"repscope/model/graph"
)

// resident is the number of elements up to which weights are read at once; tests change it.
var resident = graph.Resident

// ReadTensor decodes a serialized TensorProto, such as the standard test data.
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

// storage is how the elements of a type are stored: each in bytes of its own, or as codes of at most 8 bits.
type storage struct {
	whole  dtype.DType
	narrow *dtype.Narrow // nil: whole
}

// storageOf finds how elements of an ONNX type are stored, if the type is supported.
func storageOf(element int) (storage, bool) {
	if n := graph.NarrowElement(element); n != nil {
		return storage{narrow: n}, true
	}
	kind, ok := elementTypes[element]
	return storage{whole: kind}, ok
}

func (s storage) String() string {
	if s.narrow != nil {
		return s.narrow.String()
	}
	return s.whole.String()
}

// size is the number of bytes of count elements.
func (s storage) size(count int) int {
	if s.narrow != nil {
		return s.narrow.Bytes(count)
	}
	return count * s.whole.Size()
}

// perByte is how many elements share a byte.
func (s storage) perByte() int {
	if s.narrow != nil {
		return s.narrow.PerByte()
	}
	return 1
}

// float32s converts consecutive elements, skipping the first skip ones in raw.
func (s storage) float32s(dst []float32, raw []byte, skip int) error {
	if s.narrow == nil {
		return dtype.Float32s(dst, raw, s.whole, dtype.LittleEndian)
	}
	dtype.Unpack(s.narrow, dst, raw, skip)
	return nil
}

// note remembers a type that a graph's values do not keep.
func (d *decoder) note(t *graph.Tensor, element int) {
	if d.of != nil {
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

// partElements bounds the part read at a time, so that little of a mapped file is resident.
const partElements = 1 << 16

// floats converts the elements from first on.
func (r region) floats(dst []float32, first int, kind storage) error {
	for perByte := kind.perByte(); len(dst) > 0; {
		part, skip := dst[:min(len(dst), partElements)], first%perByte
		offset := int64(kind.size(first - skip))
		n := int64(kind.size(skip + len(part)))
		err := r.in.use(r.offset+offset, n, func(b []byte) error { return kind.float32s(part, b, skip) })
		if err != nil {
			return err
		}
		first, dst = first+len(part), dst[len(part):]
	}
	return nil
}

// checkWeights finds NaN among elements of a tensor; values begins at index first in row-major order. Infinity may be
// intended, as in a mask; so may a single NaN.
func checkWeights(name string, shape []int, values []float32, first int) error {
	for i, v := range values {
		if v == v {
			continue
		}
		return fmt.Errorf("initializer %q contains NaN at %v: the weights are damaged, or training diverged", name, graph.Position(shape, first+i))
	}
	return nil
}

func fromRaw(t *graph.Tensor, raw []byte, kind storage, count int) error {
	switch t.DType {
	case graph.Float32:
		t.F32 = make([]float32, count)
		return kind.float32s(t.F32, raw, 0)
	case graph.Int64:
		t.I64 = make([]int64, count)
		if kind.narrow != nil {
			dtype.Unpack(kind.narrow, t.I64, raw, 0)
			return nil
		}
		whole := kind.whole
		if whole == dtype.Uint64 {
			whole = dtype.Int64 // its bits, see graph.Type
		}
		return dtype.Int64s(t.I64, raw, whole, dtype.LittleEndian)
	}
	t.Bool = make([]bool, count)
	for i, b := range raw {
		t.Bool[i] = b != 0
	}
	return nil
}

// fromCodes reads the codes of narrow elements, as many in a number as share a byte.
func fromCodes(t *graph.Tensor, typed map[protowire.Number][]field, kind storage, count int) error {
	var raw []byte
	for _, v := range typed[5] {
		if err := packed(v, protowire.VarintType, func(x uint64) { raw = append(raw, byte(x)) }); err != nil {
			return err
		}
	}
	if want := kind.size(count); len(raw) != want {
		return fmt.Errorf("%d numbers of data, shape %v of %v needs %d", len(raw), t.Shape, kind, want)
	}
	return fromRaw(t, raw, kind, count)
}

// fromTyped reads the number fields; each element type uses one.
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
		put = func(x uint64) { t.I64[n] = graph.Wrap(int64(x), t.Bits) }
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

// tensorProto is a TensorProto with its elements undecoded.
type tensorProto struct {
	name             string
	shape            []int
	element          int // ONNX's type
	raw              region
	hasRaw, external bool
	location         map[string]string
	typed            map[protowire.Number][]field // the lists of numbers
}

// read enters a field of the message.
func (m *tensorProto) read(n protowire.Number, v field, in source) error {
	switch n {
	case 1:
		return packed(v, protowire.VarintType, func(x uint64) {
			// A negative or huge size is left for Elements to report.
			m.shape = append(m.shape, int(int64(x)))
		})
	case 2:
		m.element = int(v.number)
	case 3:
		return errors.New("segmented tensors are not supported")
	case 4, 5, 7, 10, 11:
		m.typed[n] = append(m.typed[n], v)
	case 8:
		m.name = v.text()
	case 9:
		m.raw, m.hasRaw = region{in, v.at, int64(len(v.bytes)), v.bytes}, true
		return v.want(protowire.BytesType)
	case 13:
		key, value, err := v.entry()
		m.location[key] = value
		return err
	case 14:
		m.external = v.number == 1
	}
	return nil
}

// tensor decodes a TensorProto. Its size is checked against the bytes that are there before anything is allocated.
func (d *decoder) tensor(v field) (*graph.Tensor, string, error) {
	if err := v.want(protowire.BytesType); err != nil {
		return nil, "", err
	}
	m := &tensorProto{shape: []int{}, location: map[string]string{}, typed: map[protowire.Number][]field{}}
	if err := v.fields(func(n protowire.Number, v field) error { return m.read(n, v, d.in) }); err != nil {
		return nil, m.name, err
	}
	t, err := d.elementsOf(m)
	return t, m.name, err
}

// elementsOf converts a tensor's elements, or defers that.
func (d *decoder) elementsOf(m *tensorProto) (*graph.Tensor, error) {
	kind, ok := storageOf(m.element)
	if !ok {
		return nil, fmt.Errorf("element type %s is not supported", graph.ElementName(m.element))
	}
	count, err := graph.Elements(m.shape)
	if err != nil {
		return nil, err
	}
	if m.external {
		if m.raw, err = d.external(m.location, kind.size(count)); err != nil {
			return nil, err
		}
		m.hasRaw = true
	}
	if f := m.typed[4]; !m.hasRaw && kind.whole == dtype.Float32 && len(f) == 1 && len(f[0].bytes) == 4*count {
		// A packed list of float32 is laid out as raw data is.
		m.raw, m.hasRaw = region{d.in, f[0].at, int64(len(f[0].bytes)), f[0].bytes}, true
	}
	target, _ := graph.ElementDType(m.element)
	t := &graph.Tensor{DType: target, Bits: graph.IntegerBits(m.element), Shape: m.shape}
	d.note(t, m.element)
	if !m.hasRaw {
		if kind.narrow != nil {
			return t, fromCodes(t, m.typed, kind, count)
		}
		return t, fromTyped(t, m.typed, kind.whole, count)
	}
	raw := m.raw
	if raw.size != int64(kind.size(count)) {
		return nil, fmt.Errorf("%d bytes of data, shape %v of %v needs %d", raw.size, m.shape, kind, kind.size(count))
	}
	if count <= resident || d.in == nil || target == graph.Bool || target == graph.Int64 && !small[m.element] {
		return t, raw.use(func(b []byte) error { return fromRaw(t, b, kind, count) })
	}
	later := raw
	later.bytes = nil // valid only now
	deferred := graph.Defer(func(dst []float32, first int) error {
		if err := later.floats(dst, first, kind); err != nil {
			return err
		}
		return checkWeights(m.name, m.shape, dst, first)
	}, m.shape...)
	if target == graph.Float32 {
		d.note(deferred, m.element)
		return deferred, nil
	}
	d.deferred[t] = deferredIntegers{deferred, func() error {
		return later.use(func(b []byte) error { return fromRaw(t, b, kind, count) })
	}}
	return t, nil
}

// small are the integer types whose numbers float32 holds.
var small = map[int]bool{graph.ElementUint8: true, graph.ElementInt8: true, graph.ElementUint16: true, graph.ElementInt16: true,
	graph.ElementUint4: true, graph.ElementInt4: true, graph.ElementUint2: true, graph.ElementInt2: true}
