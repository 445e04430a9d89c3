// Package fixed gives inputs of a model file besides the states their values, such as the first state of a recurrent
// layer or a sample rate.
package fixed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"repscope/dataset"
	"repscope/model"
)

// Value is the value of an input: "zeros", a number that all its elements have, or FILE[:key] of an array.
type Value struct{ Name, Value string }

// Number is the number that all elements of the input have, if the value is no file.
func (v Value) Number() (number float64, ok bool) {
	if v.Value == "zeros" {
		return 0, true
	}
	number, err := strconv.ParseFloat(v.Value, 64)
	return number, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}

// mostElements bounds the array of an input.
const mostElements = 1 << 26

// Fix gives inputs of a file their values, and records them among its settings.
func Fix(f *model.File, values []Value) error {
	var fixed []model.FixedInput
	for _, v := range values {
		x := model.FixedInput{Name: v.Name}
		number, ok := v.Number()
		label := strconv.FormatFloat(number, 'g', -1, 64)
		if x.Number = number; !ok {
			var err error
			if x.Array, err = read(v.Value); err != nil {
				return fmt.Errorf("input %q: %w", v.Name, err)
			}
			label = contentOf(x.Array)
		}
		fixed = append(fixed, x)
		f.Settings = append(f.Settings, "input "+v.Name+"="+label)
	}
	return f.Fix(fixed)
}

// read is an array: integers as such, others as float32.
func read(spec string) (*model.Tensor, error) {
	a, err := dataset.Open(spec)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	n := a.Len() * a.RowLen()
	if n < 1 || n > mostElements {
		return nil, fmt.Errorf("%s: shape %v, want 1 to %d elements", a.Name(), a.Shape(), mostElements)
	}
	if a.DType().IsFloat() {
		values := make([]float32, n)
		if err := a.ReadFloat32(values, 0, a.Len()); err != nil {
			return nil, err
		}
		return model.TensorOf(values, a.Shape()...)
	}
	values := make([]int64, n)
	if err := a.ReadInt64(values, 0, a.Len()); err != nil {
		return nil, err
	}
	return model.TensorOf(values, a.Shape()...)
}

// contentOf is the SHA-256 of an array's type, shape and elements.
func contentOf(t *model.Tensor) string {
	hash := sha256.New()
	fmt.Fprint(hash, t.DType, t.Shape)
	var buffer [8]byte
	for _, v := range t.F32 {
		hash.Write(binary.LittleEndian.AppendUint32(buffer[:0], math.Float32bits(v)))
	}
	for _, v := range t.I64 {
		hash.Write(binary.LittleEndian.AppendUint64(buffer[:0], uint64(v)))
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
