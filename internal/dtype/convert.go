// Conversion of raw array bytes to Go slices and back.

package dtype

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// hostLittle says whether this machine stores the low byte first; elements of the requested type are then copied, not
// decoded.
var hostLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// number are the types that a slice can be converted to.
type number interface {
	uint8 | int32 | int64 | float32 | float64
}

// checkLength returns an error unless src holds exactly n elements of t.
func checkLength(n int, src []byte, t DType) error {
	if t == Invalid || t >= count {
		return fmt.Errorf("cannot convert elements of type %v", t)
	}
	if len(src)%t.Size() != 0 || len(src)/t.Size() != n {
		return fmt.Errorf("%d bytes are not %d elements of type %v", len(src), n, t)
	}
	return nil
}

// Float32s converts the elements of type t in src to float32; dst has their
// number. Integers beyond 2^24 and float64 are rounded to nearest; integers that float64 does not hold are errors.
func Float32s(dst []float32, src []byte, t DType, order Order) error {
	if err := checkLength(len(dst), src, t); err != nil {
		return err
	}
	if t == Float32 && bool(order) != hostLittle {
		copy(Bytes(dst), src)
		return nil
	}
	convert(dst, src, t, order)
	return held(src, t, order)
}

// Float64s converts the elements of type t in src to float64; dst has their
// number. Nothing is rounded: integers beyond 2^53 that float64 does not hold are errors.
func Float64s(dst []float64, src []byte, t DType, order Order) error {
	if err := checkLength(len(dst), src, t); err != nil {
		return err
	}
	if t == Float64 && bool(order) != hostLittle {
		copy(Bytes(dst), src)
		return nil
	}
	convert(dst, src, t, order)
	return held(src, t, order)
}

// held reports the first integer that no float64 is: rounded, it could be another label or another step.
func held(src []byte, t DType, order Order) error {
	if t != Int64 && t != Uint64 {
		return nil
	}
	for i := range len(src) / 8 {
		bits := u64(src[8*i:], order)
		if v := int64(bits); v >= -1<<53 && v <= 1<<53 {
			continue
		}
		low := bits & -bits // the lowest bit: within 53 of the highest one nothing is lost
		if v := int64(bits); t == Int64 && v < 0 {
			bits = -bits
		}
		if bits/low > 1<<53 {
			if t == Int64 {
				return fmt.Errorf("element %d is %d, which float64 cannot represent; want integers up to 2^53",
					i, int64(u64(src[8*i:], order)))
			}
			return fmt.Errorf("element %d is %d, which float64 cannot represent; want integers up to 2^53",
				i, bits)
		}
	}
	return nil
}

// Int64s converts the elements of type t in src to int64; dst has their
// number. Floating-point elements must be whole numbers and uint64 ones below
// 2^63; otherwise the error names the first offending element.
func Int64s(dst []int64, src []byte, t DType, order Order) error {
	if err := checkLength(len(dst), src, t); err != nil {
		return err
	}
	switch {
	case t == Uint64:
		for i := range dst {
			v := u64(src[8*i:], order)
			if v > math.MaxInt64 {
				return fmt.Errorf("element %d is %d, beyond int64", i, v)
			}
			dst[i] = int64(v)
		}
	case t.IsFloat():
		one := make([]float64, 1)
		size := t.Size()
		for i := range dst {
			convert(one, src[i*size:(i+1)*size], t, order)
			v := one[0]
			if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
				return fmt.Errorf("element %d is %v, not a whole number", i, v)
			}
			dst[i] = int64(v)
		}
	default:
		convert(dst, src, t, order)
	}
	return nil
}

// Uint8s copies the elements of src, which must be uint8 or bool; dst has
// their number. true becomes 1.
func Uint8s(dst []uint8, src []byte, t DType) error {
	if err := checkLength(len(dst), src, t); err != nil {
		return err
	}
	switch t {
	case Uint8:
		copy(dst, src)
	case Bool:
		for i, v := range src {
			dst[i] = b2u(v)
		}
	default:
		return fmt.Errorf("elements are %v, want uint8 or bool", t)
	}
	return nil
}

func b2u(v byte) uint8 {
	if v != 0 {
		return 1
	}
	return 0
}

func u16(b []byte, o Order) uint16 {
	if o == BigEndian {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func u32(b []byte, o Order) uint32 {
	if o == BigEndian {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func u64(b []byte, o Order) uint64 {
	if o == BigEndian {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// convert decodes elements of any type; lengths have been checked.
func convert[T number](dst []T, src []byte, t DType, o Order) {
	switch t {
	case Bool:
		for i, v := range src[:len(dst)] {
			dst[i] = T(b2u(v))
		}
	case Uint8:
		for i, v := range src[:len(dst)] {
			dst[i] = T(v)
		}
	case Int8:
		for i, v := range src[:len(dst)] {
			dst[i] = T(int8(v))
		}
	case Int16:
		for i := range dst {
			dst[i] = T(int16(u16(src[2*i:], o)))
		}
	case Uint16:
		for i := range dst {
			dst[i] = T(u16(src[2*i:], o))
		}
	case Int32:
		for i := range dst {
			dst[i] = T(int32(u32(src[4*i:], o)))
		}
	case Uint32:
		for i := range dst {
			dst[i] = T(u32(src[4*i:], o))
		}
	case Int64:
		for i := range dst {
			dst[i] = T(int64(u64(src[8*i:], o)))
		}
	case Uint64:
		for i := range dst {
			dst[i] = T(u64(src[8*i:], o))
		}
	case Float16:
		for i := range dst {
			dst[i] = T(Float16ToFloat32(u16(src[2*i:], o)))
		}
	case BFloat16:
		for i := range dst {
			dst[i] = T(BFloat16ToFloat32(u16(src[2*i:], o)))
		}
	case Float32:
		for i := range dst {
			dst[i] = T(math.Float32frombits(u32(src[4*i:], o)))
		}
	case Float64:
		for i := range dst {
			dst[i] = T(math.Float64frombits(u64(src[8*i:], o)))
		}
	case E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ:
		values := narrows[t].values
		for i, code := range src[:len(dst)] {
			dst[i] = T(values[code])
		}
	}
}

// Bytes returns the memory of s as bytes in the machine's order, without a copy.
func Bytes[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// Elements are bytes in the machine's order as elements, without a copy; ok is false where they do not lie as
// elements must.
func Elements[T uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64](raw []byte) (s []T, ok bool) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	start := unsafe.Pointer(unsafe.SliceData(raw))
	if len(raw) == 0 || len(raw)%size != 0 || uintptr(start)%uintptr(size) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(start), len(raw)/size), true
}

// SwapBytes reverses the byte order of every element of this size in place, for a little-endian writer on a big-endian
// machine.
func SwapBytes(raw []byte, size int) {
	for i := 0; i+size <= len(raw); i += size {
		for a, b := i, i+size-1; a < b; a, b = a+1, b-1 {
			raw[a], raw[b] = raw[b], raw[a]
		}
	}
}

// HostOrder is the byte order of this machine.
func HostOrder() Order { return Order(!hostLittle) }

// Float16ToFloat32 converts an IEEE 754 binary16 value; it is exact, keeps
// the sign of zero and NaN.
func Float16ToFloat32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h) & 0x3ff
	switch exponent {
	case 0: // zero and subnormal: fraction · 2^-24
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// Float32ToFloat16 converts to IEEE 754 binary16, rounding to nearest even;
// beyond 65504 it gives infinity.
func Float32ToFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00
	case b >= 0x477ff000: // rounds to 2^16 or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal, in units of 2^-24
		// Adding 0.5 makes the unit in the last place exactly 2^-24, so the addition itself rounds to nearest even.
		v := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(v)-0x3f000000)
	}
	rounded := b + 0xfff + (b>>13)&1
	return sign | uint16((rounded-0x38000000)>>13)
}

// BFloat16ToFloat32 converts a bfloat16 value; it is exact.
func BFloat16ToFloat32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// Float32ToBFloat16 converts to bfloat16, rounding to nearest even.
func Float32ToBFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + (b>>16)&1) >> 16)
}
