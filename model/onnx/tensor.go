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

// checkWeights finds NaN among elements of a tensor, of which the first given one has the
// index first in row-major order. Infinity may be meant, as in a mask; so may a lone NaN.
func checkWeights(name string, shape []int, values []float32, first int) error {
	for i, v := range values {
		if v == v {
			continue
		}
		return fmt.Errorf("initialiser %q holds NaN at %v: the weights are damaged, or training diverged", name, graph.Position(shape, first+i))
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
	kind, ok := elementTypes[m.element]
	if !ok {
		return nil, fmt.Errorf("element type %s is not supported", graph.ElementName(m.element))
	}
	count, err := graph.Elements(m.shape)
	if err != nil {
		return nil, err
	}
	if m.external {
		if m.raw, err = d.external(m.location, count*kind.Size()); err != nil {
			return nil, err
		}
		m.hasRaw = true
	}
	if f := m.typed[4]; !m.hasRaw && kind == dtype.Float32 && len(f) == 1 && len(f[0].bytes) == 4*count {
		// A packed list of float32 is laid out as raw data is.
		m.raw, m.hasRaw = region{d.in, f[0].at, int64(len(f[0].bytes)), f[0].bytes}, true
	}
	target, _ := graph.ElementDType(m.element)
	t := &graph.Tensor{DType: target, Shape: m.shape}
	if !m.hasRaw {
		d.note(t, m.element)
		return t, fromTyped(t, m.typed, kind, count)
	}
	raw := m.raw
	if raw.size != int64(count)*int64(kind.Size()) {
		return nil, fmt.Errorf("%d bytes of data, shape %v of %v needs %d", raw.size, m.shape, kind, count*kind.Size())
	}
	if target == graph.Float32 && count > resident && d.in != nil {
		raw.bytes = nil // valid only now
		return graph.Defer(func(dst []float32, first int) error {
			if err := raw.floats(dst, first, kind); err != nil {
				return err
			}
			return checkWeights(m.name, m.shape, dst, first)
		}, m.shape...), nil
	}
	d.note(t, m.element)
	return t, raw.use(func(b []byte) error { return fromRaw(t, b, kind, count) })
}
