// Types of elements, and the value of elements that are not stored.

package zarr

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"repscope/internal/dtype"
	"repscope/internal/text"
)

// ElementType is the type of elements.
type ElementType struct {
	DType dtype.DType // of an element or, of texts, of a letter; Invalid for types that are not read
	Order dtype.Order
	Size  int    // bytes of an element
	Text  bool   // fixed length; letters are bytes or code points of 4 bytes
	Time  string // NumPy's code of times, such as M8[ns]; empty for numbers
	name  string
}

// String is the type as the store names it.
func (t ElementType) String() string {
	switch {
	case t.Text:
		return "text"
	case t.Time == "" && t.DType != dtype.Invalid:
		return t.DType.String()
	}
	return t.name
}

// longestText bounds texts, in letters.
const longestText = 1 << 20

// numbers are the types of numbers by NumPy's code.
var numbers = map[string]dtype.DType{
	"b1": dtype.Bool, "i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"u1": dtype.Uint8, "u2": dtype.Uint16, "u4": dtype.Uint32, "u8": dtype.Uint64,
	"f2": dtype.Float16, "f4": dtype.Float32, "f8": dtype.Float64,
}

// type2 reads the type of version 2, NumPy's; one that is not read has no DType.
func type2(raw json.RawMessage) (ElementType, error) {
	var code string
	if json.Unmarshal(raw, &code) != nil {
		return ElementType{name: "records"}, nil
	}
	t := ElementType{name: code}
	if len(code) < 3 {
		return t, fmt.Errorf("corrupt: dtype %.40q", code)
	}
	if code[0] == '>' {
		t.Order = dtype.BigEndian
	}
	letter, rest := code[1], code[2:]
	switch n, err := strconv.Atoi(rest); {
	case letter == 'S' || letter == 'U':
		if err != nil || n < 1 || n > longestText {
			return t, fmt.Errorf("dtype %.40q, want texts of 1 to %d letters", code, longestText)
		}
		t.texts(letter == 'U', n)
	case letter == 'M' || letter == 'm':
		if strings.HasPrefix(rest, "8[") {
			t.DType, t.Time, t.Size = dtype.Int64, code[1:], 8
		}
	default:
		t.DType = numbers[code[1:]]
		t.Size = t.DType.Size()
	}
	return t, nil
}

func (t *ElementType) texts(wide bool, letters int) {
	t.Text, t.DType, t.Size = true, dtype.Uint8, letters
	if wide {
		t.DType, t.Size = dtype.Uint32, 4*letters
	}
}

// type3 reads the type of version 3: a name, or a name with a configuration.
func type3(raw json.RawMessage) (ElementType, error) {
	e, err := extensionOf(raw)
	if err != nil {
		return ElementType{}, fmt.Errorf("data_type: %w", err)
	}
	t := ElementType{name: e.Name}
	for _, d := range numbers {
		if d.String() == e.Name {
			t.DType = d
		}
	}
	var c struct {
		Length int     `json:"length_bytes"`
		Unit   string  `json:"unit"`
		Scale  float64 `json:"scale_factor"`
	}
	if err := e.configure(&c); err != nil {
		return t, fmt.Errorf("data_type: %w", err)
	}
	switch e.Name {
	case "bfloat16":
		t.DType = dtype.BFloat16
	case "fixed_length_utf32", "null_terminated_bytes":
		wide := e.Name == "fixed_length_utf32"
		if c.Length < 1 || c.Length > 4*longestText || wide && c.Length%4 > 0 {
			return t, fmt.Errorf("data_type: texts of %d bytes", c.Length)
		}
		if wide {
			c.Length /= 4
		}
		t.texts(wide, c.Length)
		return t, nil
	case "numpy.datetime64", "numpy.timedelta64":
		letter, count := "M8", ""
		if e.Name == "numpy.timedelta64" {
			letter = "m8"
		}
		if c.Scale != 1 && c.Scale != 0 {
			count = fmt.Sprint(int64(c.Scale))
		}
		t.DType, t.Time = dtype.Int64, letter+"["+count+c.Unit+"]"
	}
	t.Size = t.DType.Size()
	return t, nil
}

// extension is a part of the metadata of version 3 with a name.
type extension struct {
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration"`
}

// extensionOf reads an extension, or one of a name alone.
func extensionOf(raw json.RawMessage) (e extension, err error) {
	if json.Unmarshal(raw, &e.Name) == nil {
		return e, nil
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Name == "" {
		return e, fmt.Errorf("corrupt: %.60s, want a name", raw)
	}
	return e, nil
}

// configure reads the configuration.
func (e *extension) configure(into any) error {
	if len(e.Configuration) == 0 {
		return nil
	}
	if err := text.Unmarshal(e.Configuration, into); err != nil {
		return fmt.Errorf("%.40s: corrupt configuration: %w", e.Name, err)
	}
	return nil
}

var errFill = errors.New("corrupt")

// fill are the bytes of a fill value; nil for zeros.
func (t *ElementType) fill(raw json.RawMessage) ([]byte, error) {
	var value any
	if len(raw) > 0 {
		if err := unmarshal(raw, &value); err != nil {
			return nil, fmt.Errorf("fill_value: corrupt: %w", err)
		}
	}
	out := make([]byte, t.Size)
	var err error
	switch {
	case value == nil || t.DType == dtype.Invalid:
		return nil, nil
	case t.Text:
		err = t.fillText(out, value)
	default:
		var bits uint64
		bits, err = t.bits(value)
		t.put(out, bits)
	}
	if err != nil {
		return nil, fmt.Errorf("fill_value %.60s of type %s: %w", raw, t.name, err)
	}
	if !strings.ContainsFunc(string(out), func(r rune) bool { return r != 0 }) {
		return nil, nil
	}
	return out, nil
}

func (t *ElementType) fillText(out []byte, value any) error {
	text, ok := value.(string)
	if n, zero := value.(json.Number); zero && n == "0" { // of Zarr before 3, for empty texts
		return nil
	}
	if !ok {
		return errFill
	}
	if t.DType == dtype.Uint8 {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(data) > len(out) {
			return errFill
		}
		copy(out, data)
		return nil
	}
	if utf8.RuneCountInString(text) > len(out)/4 {
		return errFill
	}
	i := 0
	for _, r := range text {
		if t.Order == dtype.BigEndian {
			binary.BigEndian.PutUint32(out[i:], uint32(r))
		} else {
			binary.LittleEndian.PutUint32(out[i:], uint32(r))
		}
		i += 4
	}
	return nil
}

// put writes the bits of an element.
func (t *ElementType) put(out []byte, bits uint64) {
	var b [8]byte
	if t.Order == dtype.BigEndian {
		binary.BigEndian.PutUint64(b[:], bits)
		copy(out, b[8-len(out):])
		return
	}
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(out, b[:])
}

// bits are the bits of a fill value: of a number, a truth value, a name of one that is not finite, or hexadecimal
// digits.
func (t *ElementType) bits(value any) (uint64, error) {
	switch v := value.(type) {
	case bool:
		if v {
			value = json.Number("1")
		} else {
			value = json.Number("0")
		}
	case string:
		if digits, hex := strings.CutPrefix(v, "0x"); hex && t.DType.IsFloat() {
			if bits, err := strconv.ParseUint(digits, 16, 64); err == nil && len(digits) == 2*t.Size {
				return bits, nil
			}
			return 0, errFill
		}
		if v == "NaT" && t.Time != "" {
			return 1 << 63, nil
		}
		special, ok := map[string]json.Number{"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[v]
		if !ok || !t.DType.IsFloat() {
			return 0, errFill
		}
		value = special
	}
	number, ok := value.(json.Number)
	if !ok {
		return 0, errFill
	}
	if t.DType.IsFloat() {
		x, err := strconv.ParseFloat(number.String(), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, errFill
		}
		return t.float(x), nil
	}
	return t.integer(number.String())
}

func (t *ElementType) float(x float64) uint64 {
	switch t.DType {
	case dtype.Float16:
		return uint64(dtype.Float32ToFloat16(float32(x)))
	case dtype.BFloat16:
		return uint64(dtype.Float32ToBFloat16(float32(x)))
	case dtype.Float32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func (t *ElementType) integer(text string) (uint64, error) {
	signed := t.DType == dtype.Int8 || t.DType == dtype.Int16 || t.DType == dtype.Int32 || t.DType == dtype.Int64
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		limit := uint64(math.MaxUint64) >> (64 - 8*t.Size)
		if t.DType == dtype.Bool {
			limit = 1
		} else if signed {
			limit >>= 1
		}
		if n > limit {
			return 0, errFill
		}
		return n, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !signed || n < -1<<(8*t.Size-1) {
		return 0, errFill
	}
	return uint64(n) & (math.MaxUint64 >> (64 - 8*t.Size)), nil
}

// Value is the number that a text of an attribute stands for: NaN and Infinity, and Base64 of an element of eight bytes
// or of the type, little-endian, as xarray writes fill values in version 3.
func (t ElementType) Value(text string) (float64, bool) {
	switch text {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !t.DType.IsFloat() {
		return 0, false
	}
	kind := t.DType
	if len(raw) == 8 {
		kind = dtype.Float64
	}
	var out [1]float64
	if dtype.Float64s(out[:], raw, kind, dtype.LittleEndian) != nil {
		return 0, false
	}
	return out[0], true
}
