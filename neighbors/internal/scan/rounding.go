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
		return next(f, math.Inf(1))
	}
	return f
}

// RoundDown is the largest F that is not above v.
func RoundDown[F kernel.Float](v float64) F {
	f := F(v)
	if float64(f) > v {
		return next(f, math.Inf(-1))
	}
	return f
}

// NextDown is the largest F below f.
func NextDown[F kernel.Float](f F) F { return next(f, math.Inf(-1)) }

func next[F kernel.Float](f F, toward float64) F {
	if unsafe.Sizeof(f) == 4 {
		return F(math.Nextafter32(float32(f), float32(toward)))
	}
	return F(math.Nextafter(float64(f), toward))
}
