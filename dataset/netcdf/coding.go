// Packed and missing values.

package netcdf

import (
	"math"
	"slices"
	"strings"

	"repscope/internal/dtype"
)

// Coding says how stored numbers become values: missing ones NaN, others x·Scale + Offset.
type Coding struct {
	Scale, Offset float64
	Missing       []float64
	// Stored is the type of the stored numbers, unsigned where the attribute _Unsigned says so; Order is their byte order.
	Stored dtype.DType
	Order  dtype.Order
	// DType is the type of the values, in the byte order of the machine: float64; float32 for stored numbers of at most
	// four bytes with a fraction, and of at most two bytes without, that are not scaled.
	DType dtype.DType

	scaled bool
}

// unsigned are the types that _Unsigned stands for.
var unsigned = map[dtype.DType]dtype.DType{
	dtype.Int8: dtype.Uint8, dtype.Int16: dtype.Uint16, dtype.Int32: dtype.Uint32, dtype.Int64: dtype.Uint64,
}

// CodingOf returns the coding of an array with these attributes; nil if values are stored as they are.
func CodingOf(t dtype.DType, order dtype.Order, attributes []Attribute) *Coding {
	c := &Coding{Scale: 1, Stored: t, Order: order}
	coded := false
	for i := range attributes {
		a := &attributes[i]
		switch {
		case a.Name == "scale_factor" && len(a.Numbers) == 1:
			c.Scale, c.scaled, coded = a.Numbers[0], true, true
		case a.Name == "add_offset" && len(a.Numbers) == 1:
			c.Offset, c.scaled, coded = a.Numbers[0], true, true
		case a.Name == "_FillValue" || a.Name == "missing_value":
			c.Missing = append(c.Missing, a.Numbers...)
		case a.Name == "_Unsigned" && strings.EqualFold(a.Text, "true") && unsigned[t] != dtype.Invalid:
			c.Stored, coded = unsigned[t], true
		}
	}
	if c.Stored != t { // fill values are stored with the sign
		for i, v := range c.Missing {
			if v < 0 {
				c.Missing[i] = v + math.Exp2(float64(8*t.Size()))
			}
		}
	}
	c.Missing = slices.DeleteFunc(c.Missing, func(v float64) bool { return v != v })
	if !coded && len(c.Missing) == 0 || t == dtype.Bool || t == dtype.Invalid {
		return nil
	}
	c.DType = dtype.Float64
	if !c.scaled && (t.IsFloat() && t.Size() <= 4 || t.Size() <= 2) {
		c.DType = dtype.Float32
	}
	return c
}

// Decode decodes the bytes of stored numbers into dst, of type DType in the byte order of the machine.
func (c *Coding) Decode(dst, src []byte) error {
	n := len(src) / c.Stored.Size()
	if c.DType == dtype.Float32 {
		values := make([]float32, n)
		if err := dtype.Float32s(values, src, c.Stored, c.Order); err != nil {
			return err
		}
		for i, v := range values {
			if slices.Contains(c.Missing, float64(v)) {
				values[i] = float32(math.NaN())
			}
		}
		copy(dst, dtype.Bytes(values))
		return nil
	}
	values := make([]float64, n)
	if err := dtype.Float64s(values, src, c.Stored, c.Order); err != nil {
		return err
	}
	for i, v := range values {
		switch {
		case slices.Contains(c.Missing, v):
			values[i] = math.NaN()
		case c.scaled:
			values[i] = float64(v*c.Scale) + c.Offset
		}
	}
	copy(dst, dtype.Bytes(values))
	return nil
}
