// Checks for unusable points: NaN and Inf, overflow, norms of zero.

package rows

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"repscope/internal/parallel"
	"repscope/points"
)

// CheckPoints reports the first thing that makes p unusable as a point set:
// a shape that cannot be, NaN or Inf, or a zero norm under the cosine metric.
func CheckPoints(name string, p points.Points, metric Metric) error {
	set, length := 0, 0
	if p.U8 != nil {
		set, length = set+1, len(p.U8)
	}
	if p.F32 != nil {
		set, length = set+1, len(p.F32)
	}
	if p.F64 != nil {
		set, length = set+1, len(p.F64)
	}
	switch {
	case p.N == 0:
		return fmt.Errorf("%s: no points", name)
	case set != 1:
		return fmt.Errorf("%s: want exactly one of uint8, float32 and float64 data, found %d", name, set)
	case p.N < 0 || p.Dim <= 0 || length/p.Dim != p.N || length%p.Dim != 0:
		return fmt.Errorf("%s: %d values for %d points of dimension %d", name, length, p.N, p.Dim)
	case p.N > math.MaxInt32:
		return fmt.Errorf("%s: %d points, want at most %d", name, p.N, math.MaxInt32)
	}
	if metric == Precomputed {
		return checkDistances(name, p)
	}
	// NaN and Inf have the largest bits. Squared distances must not overflow: 4·D·max² < MaxFloat64. They must not vanish
	// either: squared differences in the last digit must be normal numbers.
	largest, limit := magnitude(p), math.Sqrt(math.MaxFloat64/8/float64(p.Dim))
	if metric == Euclidean && p.F64 != nil && largest > 0 && largest < leastMagnitude {
		return fmt.Errorf("%s: no coordinate is above ±%.3g: squared distances underflow below ±%.3g; rescale the "+
			"points", name, largest, leastMagnitude)
	}
	if !(largest <= limit) {
		for index := range length {
			v := 0.0
			if p.F32 != nil {
				v = float64(p.F32[index])
			} else {
				v = p.F64[index]
			}
			switch {
			case v-v != 0:
				return fmt.Errorf("%s: point %d, coordinate %d is %v: want finite values", name, index/p.Dim, index%p.Dim, v)
			case math.Abs(v) > limit && largest <= math.MaxFloat64:
				return fmt.Errorf(
					"%s: point %d, coordinate %d is %v: squared distances overflow beyond ±%.3g; rescale the points",
					name, index/p.Dim, index%p.Dim, v, limit)
			}
		}
	}
	if metric == Cosine {
		return checkNorms(name, p)
	}
	return nil
}

// leastMagnitude is the magnitude from which squared distances of float64 do not vanish.
const leastMagnitude = 0x1p-450

// magnitude is the largest absolute coordinate, NaN if there is one.
func magnitude(p points.Points) float64 {
	if p.U8 != nil {
		return math.MaxUint8
	}
	// The bits of absolute values order like the values, NaN above all.
	const part = 1 << 20
	length := p.N * p.Dim
	largest := make([]float64, (length+part-1)/part)
	_ = parallel.For(context.Background(), runtime.GOMAXPROCS(0), len(largest), func(_, i int) {
		lo, hi := i*part, min(length, (i+1)*part)
		if p.F32 != nil {
			largest[i] = float64(math.Float32frombits(largestBits(p.F32[lo:hi])))
		} else {
			largest[i] = math.Float64frombits(largestBits64(p.F64[lo:hi]))
		}
	})
	m := 0.0
	for _, v := range largest {
		m = max(m, v)
	}
	return m
}

// largestBits is the largest of the bits of absolute values.
func largestBits(x []float32) uint32 {
	var m0, m1, m2, m3 uint32
	for ; len(x) >= 4; x = x[4:] {
		m0 = max(m0, math.Float32bits(x[0])&(1<<31-1))
		m1 = max(m1, math.Float32bits(x[1])&(1<<31-1))
		m2 = max(m2, math.Float32bits(x[2])&(1<<31-1))
		m3 = max(m3, math.Float32bits(x[3])&(1<<31-1))
	}
	for _, v := range x {
		m0 = max(m0, math.Float32bits(v)&(1<<31-1))
	}
	return max(m0, m1, m2, m3)
}

// largestBits64 is largestBits of float64.
func largestBits64(x []float64) uint64 {
	var m0, m1, m2, m3 uint64
	for ; len(x) >= 4; x = x[4:] {
		m0 = max(m0, math.Float64bits(x[0])&(1<<63-1))
		m1 = max(m1, math.Float64bits(x[1])&(1<<63-1))
		m2 = max(m2, math.Float64bits(x[2])&(1<<63-1))
		m3 = max(m3, math.Float64bits(x[3])&(1<<63-1))
	}
	for _, v := range x {
		m0 = max(m0, math.Float64bits(v)&(1<<63-1))
	}
	return max(m0, m1, m2, m3)
}

// checkNorms reports the first point whose norm the cosine distance cannot
// take: zero, or so small or large that its square loses digits.
func checkNorms(name string, p points.Points) error {
	x := make([]float64, p.Dim)
	for i := range p.N {
		if n := squaredNorm(p.Row(i, x)); !(n >= minNorm2 && n <= maxNorm2) {
			return fmt.Errorf(
				"%s: point %d has squared norm %v: the cosine distance needs %g to %g", name, i, n, minNorm2, maxNorm2)
		}
	}
	return nil
}
