// The names that a pickle may refer to, and the values they create.

package torchfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"repscope/internal/dtype"
	"repscope/internal/pickle"
)

// ExperienceDataset is the class of the published datasets. Like every class
// that is let through, it becomes an Object.
const ExperienceDataset = "src.data.dataset.ExperienceDataset"

// storageTypes are the storage classes and their elements. UntypedStorage has
// bytes; its tensors name their type themselves.
var storageTypes = map[string]dtype.DType{
	"DoubleStorage": dtype.Float64, "FloatStorage": dtype.Float32, "HalfStorage": dtype.Float16,
	"BFloat16Storage": dtype.BFloat16, "LongStorage": dtype.Int64, "IntStorage": dtype.Int32,
	"ShortStorage": dtype.Int16, "CharStorage": dtype.Int8, "ByteStorage": dtype.Uint8,
	"BoolStorage": dtype.Bool, "UntypedStorage": dtype.Uint8, "_UntypedStorage": dtype.Uint8,
}

// torchTypes are the names of PyTorch's element types.
var torchTypes = map[string]dtype.DType{
	"float64": dtype.Float64, "double": dtype.Float64, "float32": dtype.Float32, "float": dtype.Float32,
	"float16": dtype.Float16, "half": dtype.Float16, "bfloat16": dtype.BFloat16,
	"int64": dtype.Int64, "long": dtype.Int64, "int32": dtype.Int32, "int": dtype.Int32,
	"int16": dtype.Int16, "short": dtype.Int16, "int8": dtype.Int8, "uint8": dtype.Uint8, "bool": dtype.Bool,
	"uint16": dtype.Uint16, "uint32": dtype.Uint32, "uint64": dtype.Uint64,
	"float8_e4m3fn": dtype.E4M3FN, "float8_e5m2": dtype.E5M2, "float8_e4m3fnuz": dtype.E4M3FNUZ,
	"float8_e5m2fnuz": dtype.E5M2FNUZ,
}

// inertClasses become Objects: they only hold data.
var inertClasses = map[string]bool{
	ExperienceDataset:       true,
	"argparse.Namespace":    true,
	"types.SimpleNamespace": true,
}

// named is a global that is a value in its own right: an element type or a class that is only named (such as the
// factory of a defaultdict).
type named struct{ name string }

func (n named) Call([]any) (any, error) { return nil, fmt.Errorf("calls %q", n.name) }
func (n named) String() string          { return n.name }

// storageClass is a storage type inside a persistent id.
type storageClass struct {
	named
	dtype dtype.DType
}

// inertClass makes Objects.
type inertClass struct{ named }

func (c inertClass) Call(args []any) (any, error) { return &object{class: c.name, args: args}, nil }

// find resolves a global or returns why it is not allowed.
func find(module, name string) (pickle.Global, error) {
	full := module + "." + name
	if g, ok := functions[full]; ok {
		return g, nil
	}
	if inertClasses[full] {
		return inertClass{named{full}}, nil
	}
	switch module {
	case "torch", "torch.cuda", "torch.storage":
		if t, ok := storageTypes[name]; ok {
			return storageClass{named{full}, t}, nil
		}
		if strings.HasSuffix(name, "Storage") {
			if strings.HasPrefix(name, "Complex") {
				return nil, fmt.Errorf("refers to %q: complex numbers are not supported; save torch.view_as_real(x)", full)
			}
			return nil, fmt.Errorf("refers to %q, an unsupported kind of tensor", full)
		}
	}
	if t, ok := torchTypes[name]; ok && module == "torch" {
		return storageClass{named{full}, t}, nil
	}
	if module == "builtins" || module == "__builtin__" {
		switch name {
		case "list", "dict", "int", "float", "str", "bool", "tuple", "object", "type":
			return named{name}, nil
		case "set", "frozenset":
			return pickle.Function(makeSet), nil
		case "bytes", "bytearray":
			return pickle.Function(makeBytes), nil
		}
	}
	for _, kind := range otherTensors {
		if kind.global == full {
			return nil, fmt.Errorf("holds %s, which is not supported; save %s", kind.what, kind.instead)
		}
	}
	return unknownClass{named{full}}, nil
}

// unknownClass is an unknown name. Nothing of it is executed; an instance without arguments may be a subclass of dict,
// recognized by its items.
type unknownClass struct{ named }

func (c unknownClass) Call(args []any) (any, error) {
	if len(args) > 0 {
		return nil, c.refused()
	}
	d := pickle.NewDict()
	d.Unknown = c.refused()
	return d, nil
}

func (c unknownClass) refused() error {
	return fmt.Errorf("refers to %.100q, which is %w; "+
		"want tensors, plain values and state dicts: save model.state_dict(), or export the model to ONNX", c.name,
		ErrClass)
}

// ErrClass reports that a file holds an instance of an unknown class, or calls an unknown function.
var ErrClass = errors.New("not an allowed name (nothing was executed)")

// otherTensors are tensors of unsupported functions or types, with the types to save instead.
var otherTensors = []struct{ global, what, instead string }{
	{"torch._utils._rebuild_sparse_tensor", "a sparse tensor", "x.to_dense()"},
	{"torch._utils._rebuild_sparse_csr_tensor", "a sparse tensor", "x.to_dense()"},
	{"torch._utils._rebuild_qtensor", "a quantized tensor", "x.dequantize()"},
	{"torch._utils._rebuild_nested_tensor", "a nested tensor", "torch.nested.to_padded_tensor(x, 0)"},
	{"torch._utils._rebuild_meta_tensor_no_storage", "a tensor on the meta device, which has no values", "a tensor with values"},
	{"torch._utils._rebuild_wrapper_subclass", "a tensor of a subclass", "a plain tensor"},
	{"torch._utils._rebuild_device_tensor_from_numpy", "a tensor of a device other than CPU and CUDA", "x.cpu()"},
	{"torch._utils._rebuild_device_tensor_from_cpu_tensor", "a tensor of a device other than CPU and CUDA", "x.cpu()"},
	{"torch.float8_e8m0fnu", "powers of two of 8 bits", "x.float()"},
	{"torch.float4_e2m1fn_x2", "numbers of 4 bits", "x.float()"},
}

var functions = map[string]pickle.Global{
	"collections.OrderedDict":                    pickle.Function(makeDict),
	"collections.Counter":                        pickle.Function(makeDict),
	"collections.defaultdict":                    pickle.Function(makeDefaultDict),
	"torch._utils._rebuild_tensor":               pickle.Function(rebuildTensor),
	"torch._utils._rebuild_tensor_v2":            pickle.Function(rebuildTensor),
	"torch._utils._rebuild_tensor_v3":            pickle.Function(rebuildTensorTyped),
	"torch._utils._rebuild_parameter":            pickle.Function(rebuildParameter),
	"torch._utils._rebuild_parameter_with_state": pickle.Function(rebuildParameter),
	"torch._tensor._rebuild_from_type_v2":        fromType{named{"torch._tensor._rebuild_from_type_v2"}},
	"torch.nn.parameter.Parameter":               named{"torch.nn.parameter.Parameter"},
	"torch.Tensor":                               named{"torch.Tensor"},
	"torch.Size":                                 pickle.Function(makeSize),
	"torch.device":                               pickle.Function(makeDevice),
	"_codecs.encode":                             pickle.Function(encode),
	"copy_reg._reconstructor":                    pickle.Function(reconstruct),
	"copyreg._reconstructor":                     pickle.Function(reconstruct),
	"pathlib.Path":                               pickle.Function(makePath),
	"pathlib.PosixPath":                          pickle.Function(makePath),
	"pathlib.WindowsPath":                        pickle.Function(makePath),
	"pathlib.PurePosixPath":                      pickle.Function(makePath),
	"numpy.dtype":                                pickle.Function(makeNumpyType),
	"numpy.ndarray":                              named{"numpy.ndarray"},
	"numpy.core.multiarray.scalar":               pickle.Function(makeScalar),
	"numpy._core.multiarray.scalar":              pickle.Function(makeScalar),
	"numpy.core.multiarray._reconstruct":         pickle.Function(makeArray),
	"numpy._core.multiarray._reconstruct":        pickle.Function(makeArray),
	"numpy.core.numeric._frombuffer":             pickle.Function(arrayOfBytes),
	"numpy._core.numeric._frombuffer":            pickle.Function(arrayOfBytes),
}

// want returns args[i] as a T, or an error that describes it.
func want[T any](function string, args []any, i int) (T, error) {
	var zero T
	if i >= len(args) {
		return zero, fmt.Errorf("%s: %d arguments, want more", function, len(args))
	}
	v, ok := args[i].(T)
	if !ok {
		return zero, fmt.Errorf("%s: argument %d is a %s", function, i, pickle.TypeName(args[i]))
	}
	return v, nil
}

// items returns the items of a tuple or list.
func items(v any) ([]any, bool) {
	switch v := v.(type) {
	case *pickle.Tuple:
		return v.Items, true
	case *pickle.List:
		return v.Items, true
	}
	return nil, false
}

func makeDict(args []any) (any, error) {
	d := pickle.NewDict()
	if len(args) == 0 {
		return d, nil
	}
	if source, ok := args[0].(*pickle.Dict); ok {
		for k, v := range source.All() {
			if err := d.Set(k, v); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	pairs, ok := items(args[0])
	if !ok {
		return nil, fmt.Errorf("collections.OrderedDict: made from a %s", pickle.TypeName(args[0]))
	}
	for _, pair := range pairs {
		kv, ok := items(pair)
		if !ok || len(kv) != 2 {
			return nil, fmt.Errorf("collections.OrderedDict: an item is not a pair")
		}
		if err := d.Set(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// makeDefaultDict ignores the factory, which only matters for absent keys.
func makeDefaultDict(args []any) (any, error) {
	if len(args) > 1 {
		return makeDict(args[1:])
	}
	return pickle.NewDict(), nil
}

func makeSet(args []any) (any, error) {
	if len(args) == 0 {
		return &pickle.Set{}, nil
	}
	list, ok := items(args[0])
	if !ok {
		return nil, fmt.Errorf("set: made from a %s", pickle.TypeName(args[0]))
	}
	return &pickle.Set{Items: append([]any(nil), list...)}, nil
}

func makeSize(args []any) (any, error) {
	if len(args) == 0 {
		return &pickle.Tuple{}, nil
	}
	list, ok := items(args[0])
	if !ok {
		return nil, fmt.Errorf("torch.Size: made from a %s", pickle.TypeName(args[0]))
	}
	return &pickle.Tuple{Items: list}, nil
}

// makeDevice returns the device as PyTorch prints it, "cuda:1".
func makeDevice(args []any) (any, error) {
	name, err := want[string]("torch.device", args, 0)
	if err != nil || len(args) == 1 {
		return name, err
	}
	index, err := want[int64]("torch.device", args, 1)
	return fmt.Sprintf("%s:%d", name, index), err
}

func makePath(args []any) (any, error) {
	parts := make([]string, len(args))
	for i := range args {
		var err error
		if parts[i], err = want[string]("pathlib.Path", args, i); err != nil {
			return nil, err
		}
	}
	joined := strings.Join(parts, "/")
	if len(parts) > 1 && parts[0] == "/" {
		joined = joined[1:]
	}
	return joined, nil
}

// encode is how protocol 2 writes bytes: a string of Latin-1 characters.
func encode(args []any) (any, error) {
	text, err := want[string]("_codecs.encode", args, 0)
	if err != nil {
		return nil, err
	}
	codec, err := want[string]("_codecs.encode", args, 1)
	if err != nil {
		return nil, err
	}
	if codec != "latin1" && codec != "latin-1" {
		return nil, fmt.Errorf("_codecs.encode: codec %.20q, want latin1", codec)
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, fmt.Errorf("_codecs.encode: character %q is not Latin-1", r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

// makeBytes is bytes of no arguments, or of a text and its codec, as protocols before 3 have them.
func makeBytes(args []any) (any, error) {
	if len(args) == 0 {
		return []byte{}, nil
	}
	return encode(args)
}

// reconstruct is how protocols 0 and 1 make an instance of a class.
func reconstruct(args []any) (any, error) {
	class, err := want[inertClass]("copyreg._reconstructor", args, 0)
	if err != nil {
		return nil, err
	}
	return class.Call(nil)
}

// integers returns a tuple of non-negative integers that fit in an int.
func integers(what string, v any) ([]int, error) {
	list, ok := items(v)
	if !ok {
		return nil, fmt.Errorf("%s is a %s, want a tuple", what, pickle.TypeName(v))
	}
	if len(list) > maxRank {
		return nil, fmt.Errorf("%s has %d numbers, want at most %d", what, len(list), maxRank)
	}
	out := make([]int, len(list))
	for i, item := range list {
		n, ok := item.(int64)
		if !ok || n < 0 || n > math.MaxInt {
			return nil, fmt.Errorf("%s holds %v, want a size", what, printable(item))
		}
		out[i] = int(n)
	}
	return out, nil
}

func printable(v any) string {
	switch v := v.(type) {
	case int64, float64, bool, nil:
		return fmt.Sprint(v)
	case pickle.Long:
		if len(v) <= 16 {
			return v.String()
		}
	}
	return "a " + pickle.TypeName(v)
}

// rebuildTensor takes (storage, offset, size, stride, requires_grad, hooks) and, for a view with other values than the
// storage, their conversion.
func rebuildTensor(args []any) (any, error) {
	if len(args) > 6 {
		if lazy, ok := args[6].(*pickle.Dict); ok && lazy.Len() > 0 {
			return nil, fmt.Errorf("contains a tensor with a lazy sign or conjugation; save x.resolve_neg().resolve_conj()")
		}
	}
	s, err := want[*storage]("_rebuild_tensor", args, 0)
	if err != nil {
		return nil, err
	}
	return window(s, s.dtype, args)
}

// rebuildTensorTyped takes (storage, offset, size, stride, requires_grad, hooks,
// dtype, …), the storage being bytes.
func rebuildTensorTyped(args []any) (any, error) {
	s, err := want[*storage]("_rebuild_tensor_v3", args, 0)
	if err != nil {
		return nil, err
	}
	t, err := want[storageClass]("_rebuild_tensor_v3", args, 6)
	if err != nil {
		return nil, err
	}
	return window(s, t.dtype, args)
}

func window(s *storage, t dtype.DType, args []any) (any, error) {
	offset, err := want[int64]("_rebuild_tensor", args, 1)
	if err != nil {
		return nil, err
	}
	if len(args) < 4 {
		return nil, fmt.Errorf("_rebuild_tensor: %d arguments, want at least 4", len(args))
	}
	shape, err := integers("the shape of a tensor", args[2])
	if err != nil {
		return nil, err
	}
	stride, err := integers("the stride of a tensor", args[3])
	if err != nil {
		return nil, err
	}
	return newTensor(s, t, offset, shape, stride)
}

// rebuildParameter takes (tensor, requires_grad, hooks, …).
func rebuildParameter(args []any) (any, error) { return want[*Tensor]("_rebuild_parameter", args, 0) }

// fromType takes (function, class, arguments, state) for tensors and
// parameters with extra attributes, which are dropped. It is no Function, so it
// cannot be applied to itself.
type fromType struct{ named }

func (fromType) Call(args []any) (any, error) {
	function, err := want[pickle.Function]("_rebuild_from_type_v2", args, 0)
	if err != nil {
		return nil, err
	}
	inner, err := want[*pickle.Tuple]("_rebuild_from_type_v2", args, 2)
	if err != nil {
		return nil, err
	}
	v, err := function(inner.Items)
	if err != nil {
		return nil, err
	}
	t, ok := v.(*Tensor)
	if !ok {
		return nil, fmt.Errorf("_rebuild_from_type_v2: makes a %s, want a tensor", pickle.TypeName(v))
	}
	return t, nil
}

// TypeName names a tensor in messages of the pickle machine.
func (t *Tensor) TypeName() string { return "tensor" }

// TypeName names a storage in messages of the pickle machine.
func (s *storage) TypeName() string { return "storage" }

// numpyType is a NumPy dtype.
type numpyType struct {
	dtype dtype.DType
	order dtype.Order
}

var numpyTypes = map[string]dtype.DType{
	"b1": dtype.Bool, "u1": dtype.Uint8, "i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"u2": dtype.Uint16, "u4": dtype.Uint32, "u8": dtype.Uint64, "f2": dtype.Float16, "f4": dtype.Float32, "f8": dtype.Float64,
}

func makeNumpyType(args []any) (any, error) {
	name, err := want[string]("numpy.dtype", args, 0)
	if err != nil {
		return nil, err
	}
	code := strings.TrimLeft(name, "<>|=")
	t, ok := numpyTypes[code]
	if !ok {
		return nil, fmt.Errorf("numpy.dtype: type %.20q is not supported", name)
	}
	return &numpyType{dtype: t, order: dtype.Order(strings.HasPrefix(name, ">"))}, nil
}

// SetState takes (version, byte order, …).
func (t *numpyType) SetState(state any) error {
	list, ok := items(state)
	if !ok || len(list) < 2 {
		return fmt.Errorf("numpy.dtype: its state is a %s", pickle.TypeName(state))
	}
	order, err := want[string]("numpy.dtype", list, 1)
	if err != nil {
		return err
	}
	t.order = order == ">"
	return nil
}

// TypeName names the dtype in messages.
func (t *numpyType) TypeName() string { return "numpy.dtype" }

// makeScalar takes (dtype, bytes) and returns the number.
func makeScalar(args []any) (any, error) {
	t, err := want[*numpyType]("numpy scalar", args, 0)
	if err != nil {
		return nil, err
	}
	raw, err := want[[]byte]("numpy scalar", args, 1)
	if err != nil {
		return nil, err
	}
	if t.dtype.IsFloat() {
		v := make([]float64, 1)
		if err := dtype.Float64s(v, raw, t.dtype, t.order); err != nil {
			return nil, fmt.Errorf("numpy scalar: %w", err)
		}
		return v[0], nil
	}
	v := make([]int64, 1)
	if err := dtype.Int64s(v, raw, t.dtype, t.order); err != nil {
		return nil, fmt.Errorf("numpy scalar: %w", err)
	}
	if t.dtype == dtype.Bool {
		return v[0] != 0, nil
	}
	return v[0], nil
}

// array is a NumPy array while the pickle is being read; it becomes a Tensor.
type array struct {
	shape   []int
	dtype   *numpyType
	fortran bool
	raw     []byte
}

func makeArray([]any) (any, error) { return &array{}, nil }

// arrayOfBytes is an array of protocol 5: its bytes, type, shape and order.
func arrayOfBytes(args []any) (any, error) {
	a := &array{}
	var err error
	if a.raw, err = want[[]byte]("numpy.ndarray", args, 0); err != nil {
		return nil, err
	}
	if a.dtype, err = want[*numpyType]("numpy.ndarray", args, 1); err != nil {
		return nil, err
	}
	if len(args) < 4 {
		return nil, fmt.Errorf("numpy.ndarray: %d arguments, want 4", len(args))
	}
	if a.shape, err = integers("the shape of an array", args[2]); err != nil {
		return nil, err
	}
	order, err := want[string]("numpy.ndarray", args, 3)
	if err == nil && order != "C" && order != "F" {
		err = fmt.Errorf("numpy.ndarray: order %.10q, want C or F", order)
	}
	a.fortran = order == "F"
	return a, err
}

// TypeName names the array in messages.
func (a *array) TypeName() string { return "numpy.ndarray" }

// SetState takes (version, shape, dtype, Fortran order, bytes).
func (a *array) SetState(state any) error {
	list, ok := items(state)
	if !ok || len(list) != 5 {
		return fmt.Errorf("numpy.ndarray: its state is a %s", pickle.TypeName(state))
	}
	var err error
	if a.shape, err = integers("the shape of an array", list[1]); err != nil {
		return err
	}
	if a.dtype, err = want[*numpyType]("numpy.ndarray", list, 2); err != nil {
		return err
	}
	if a.fortran, err = want[bool]("numpy.ndarray", list, 3); err != nil {
		return err
	}
	a.raw, err = want[[]byte]("numpy.ndarray", list, 4)
	return err
}

func (a *array) tensor() (*Tensor, error) {
	if a.dtype == nil {
		return nil, fmt.Errorf("numpy.ndarray: has no content")
	}
	n, err := product(a.shape)
	if err != nil {
		return nil, fmt.Errorf("numpy.ndarray of shape %v: %w", a.shape, err)
	}
	if n*a.dtype.dtype.Size() != len(a.raw) {
		return nil, fmt.Errorf("numpy.ndarray of type %v and shape %v: %d bytes", a.dtype.dtype, a.shape, len(a.raw))
	}
	stride := make([]int, len(a.shape))
	step := 1
	for i := range a.shape {
		axis := len(a.shape) - 1 - i
		if a.fortran {
			axis = i
		}
		stride[axis] = step
		step *= max(a.shape[axis], 1)
	}
	s := &storage{name: "of a NumPy array", dtype: a.dtype.dtype, order: a.dtype.order, size: int64(len(a.raw)), data: a.raw}
	if s.data == nil {
		s.data = []byte{}
	}
	return newTensor(s, s.dtype, 0, a.shape, stride)
}

// trimmed describes the first bytes of a file of unknown format.
func trimmed(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return "a Git LFS pointer: the file itself has not been downloaded (git lfs pull)"
	case bytes.HasPrefix(head, []byte("\x89HDF")):
		return "an HDF5 file"
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return "a NumPy file"
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")):
		return "an HTML or XML page"
	}
	return fmt.Sprintf("a file that begins with %q", head[:min(len(head), 8)])
}
