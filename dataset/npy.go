// Reading .npy files, versions 1 to 3.

package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/text"
)

const npyMagic = "\x93NUMPY"

// maxNPYHeader is far above the header of any supported type.
const maxNPYHeader = 1 << 20

// npyHeader is the header before the values.
type npyHeader struct {
	dtype   DType
	order   dtype.Order
	fortran bool
	shape   []int
	size    int64 // of the values in bytes
	offset  int64 // of the values

	code string // NumPy's of times, such as M8[ns], and of texts, whose characters are the last axis; else empty
}

// readNPYHeader reads the header at the beginning of r, which holds total bytes,
// and checks that the values fit.
func readNPYHeader(r io.Reader, total int64) (npyHeader, error) {
	var h npyHeader
	var start [12]byte
	if n, err := io.ReadFull(r, start[:8]); err != nil {
		return h, shortRead(err, "the header has %d bytes", n)
	}
	if string(start[:6]) != npyMagic {
		return h, fmt.Errorf("begins with %q, want %q: not a .npy file", start[:6], npyMagic)
	}
	major, minor := start[6], start[7]
	width := 4
	switch {
	case major == 1 && minor == 0:
		width = 2
	case major < 1 || major > 3 || minor != 0:
		return h, fmt.Errorf(".npy version %d.%d, want 1.0 to 3.0", major, minor)
	}
	if _, err := io.ReadFull(r, start[8:8+width]); err != nil {
		return h, shortRead(err, "the header has no length")
	}
	length := int64(binary.LittleEndian.Uint32(start[8:12]))
	h.offset = int64(8 + width)
	if length > total-h.offset {
		return h, fmt.Errorf("%w: the header has %d bytes, the file %d in total", ErrTruncated, length, total)
	}
	if length > maxNPYHeader {
		return h, fmt.Errorf("the header has %d bytes, want at most %d", length, maxNPYHeader)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return h, shortRead(err, "inside the header")
	}
	h.offset += length
	if err := h.parse(string(header), major == 3); err != nil {
		return h, fmt.Errorf("header %.120q: %w", strings.TrimRight(string(header), " \n"), err)
	}
	switch rest := total - h.offset; {
	case rest < h.size:
		return h, fmt.Errorf("%w: shape %v of type %v takes %d bytes, the file has %d after its header",
			ErrTruncated, h.shape, h.dtype, h.size, rest)
	case rest > h.size:
		return h, fmt.Errorf("shape %v of type %v takes %d bytes, the file has %d after its header",
			h.shape, h.dtype, h.size, rest)
	}
	return h, nil
}

// shortRead turns the end of a file into ErrTruncated.
func shortRead(err error, format string, args ...any) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: "+format, append([]any{ErrTruncated}, args...)...)
	}
	return err
}

// parse reads the header's Python dict: 'descr', 'fortran_order' and 'shape'.
func (h *npyHeader) parse(header string, unicode bool) error {
	if unicode && !utf8.ValidString(header) {
		return errors.New("is not UTF-8")
	}
	value, err := text.PythonLiteral(header)
	if err != nil {
		return err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("is %s, want a dict", text.PythonType(value))
	}
	for name := range fields {
		if name != "descr" && name != "fortran_order" && name != "shape" {
			return fmt.Errorf("unknown key %.40q", name)
		}
	}
	for _, name := range []string{"descr", "fortran_order", "shape"} {
		if _, ok := fields[name]; !ok {
			return fmt.Errorf("key %q is missing", name)
		}
	}
	switch descr := fields["descr"].(type) {
	case string:
		if err = h.parseDescr(descr); err != nil {
			return err
		}
	case []any:
		return &elementError{code: "V", message: "a structured type (records) is not supported; save each field as an array"}
	default:
		return fmt.Errorf("'descr' is %s, want a string", text.PythonType(descr))
	}
	if h.fortran, ok = fields["fortran_order"].(bool); !ok {
		return fmt.Errorf("'fortran_order' is %s, want True or False", text.PythonType(fields["fortran_order"]))
	}
	shape, ok := fields["shape"].([]any)
	if !ok {
		return fmt.Errorf("'shape' is %s, want a tuple", text.PythonType(fields["shape"]))
	}
	h.shape = make([]int, len(shape))
	for i, n := range shape {
		v, ok := n.(int64)
		if !ok || v < 0 || v > math.MaxInt {
			return fmt.Errorf("'shape' contains %v, want lengths", n)
		}
		h.shape[i] = int(v)
	}
	if h.code != "" && h.code[0] != 'M' && h.code[0] != 'm' {
		n, err := strconv.Atoi(h.code[1:])
		if err != nil || n < 0 {
			return &elementError{code: h.code, message: fmt.Sprintf("type %.40q is not a text type with a length", h.code)}
		}
		h.shape = append(h.shape, n)
	}
	h.size, err = dtype.ArraySize(h.shape, h.dtype)
	return err
}

// parseDescr reads NumPy's type string, such as "<f4".
func (h *npyHeader) parseDescr(s string) error {
	order := dtype.LittleEndian
	code := s
	if s != "" {
		switch s[0] {
		case '<', '|':
			code = s[1:]
		case '>', '!':
			order, code = dtype.BigEndian, s[1:]
		case '=':
			order, code = dtype.HostOrder(), s[1:]
		}
	}
	h.order = order
	for t, c := range npyCodes {
		if c == code {
			h.dtype = t
			return nil
		}
	}
	if code != "" {
		switch code[0] {
		case 'M', 'm':
			h.dtype, h.code = Int64, code
			return nil
		case 'U':
			h.dtype, h.code = Uint32, code
			return nil
		case 'S', 'a':
			h.dtype, h.code = Uint8, code
			return nil
		}
	}
	return unreadElements(code)
}

// unreadElements is the error for elements of a type that is not read, by NumPy's code.
func unreadElements(code string) error {
	reason := "not supported"
	if code != "" {
		switch code[0] {
		case 'O':
			reason = "objects are Python pickles, which are never loaded"
		case 'c':
			reason = "complex numbers are not supported"
		case 'S', 'U', 'a':
			reason = "text is not supported here"
		case 'M', 'm':
			reason = "times are not supported here"
		}
	}
	return &elementError{
		code:    code,
		message: fmt.Sprintf("type %.40q: %s; want b1, u1, u2, u4, u8, i1, i2, i4, i8, f2, f4 or f8", code, reason),
	}
}

// elementError reports that the type of a .npy file's elements is not supported; code is NumPy's, V for records, and
// key the name of the array in its file, if any.
type elementError struct{ code, message, key string }

func (e *elementError) Error() string { return e.message }

var npyCodes = map[DType]string{Bool: "b1", Uint8: "u1", Uint16: "u2", Uint32: "u4", Uint64: "u8",
	Int8: "i1", Int16: "i2", Int32: "i4", Int64: "i8", Float16: "f2", Float32: "f4", Float64: "f8"}

// openNPY maps a .npy file.
func openNPY(file *mmap.File) (*Array, error) {
	h, err := readNPYHeader(io.NewSectionReader(file, 0, file.Size()), file.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	a := h.array(file.Path(), file.Path(), "", h.in(file, 0))
	fromFile(a, file, nil)
	a.close = file.Close
	return a, nil
}

// array is the array of the values in a source.
func (h npyHeader) array(name, path, key string, s source) *Array {
	a := newArray(name, path, key, h.shape, h.dtype, h.order, s)
	a.time = h.code // of texts too, which [OpenColumn] alone lets pass
	return a
}

// plain is the error for an array of times or texts where numbers are wanted.
func (a *Array) plain() error {
	switch a.time {
	case "":
		return nil
	case textCode:
		return fmt.Errorf("%s: elements are texts, want numbers", a.name)
	}
	err := unreadElements(a.time)
	if other := (*elementError)(nil); errors.As(err, &other) {
		other.key = a.key
	}
	return fmt.Errorf("%s: %w", a.name, err)
}

// in returns the values of a header as a source; the header is at this offset of the file.
func (h npyHeader) in(file blob, start int64) source {
	r := region{file, start + h.offset, rowBytes(h.shape, h.dtype)}
	if h.fortran && len(h.shape) > 1 {
		return &fortran{r, h.shape, h.dtype.Size()}
	}
	return &r
}
