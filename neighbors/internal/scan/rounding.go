// Rounding outward to float32 and float64.

package scan

import (
	"math"
	"unsafe"

	"repscope/internal/kernel"
)

// RoundUp is the smallest F that is not below v.
func RoundUp[F kernel.Float](v float64) F {
	f := F(v)
	if float64(f) < v {
		return NextUp(f)
	}
	return f
}

// RoundDown is the largest F that is not above v.
func RoundDown[F kernel.Float](v float64) F {
	f := F(v)
	if float64(f) > v {
		return NextDown(f)
	}
	return f
}

// NextUp is the smallest F above f; infinity and NaN are returned unchanged.
func NextUp[F kernel.Float](f F) F {
	if unsafe.Sizeof(f) == 4 {
		return F(math.Float32frombits(stepped(float32(f), math.Float32bits(float32(f)), 1<<31)))
	}
	return F(math.Float64frombits(stepped(float64(f), math.Float64bits(float64(f)), 1<<63)))
}

// stepped are the bits of the next number above f, from the bits of f.
func stepped[F kernel.Float, B uint32 | uint64](f F, bits, sign B) B {
	switch {
	case f == 0:
		return 1
	case f != f || f > 0 && f+f == f:
		return bits
	case bits&sign != 0:
		return bits - 1
	}
	return bits + 1
}

// NextDown is the largest F below f.
func NextDown[F kernel.Float](f F) F { return -NextUp(-f) }
