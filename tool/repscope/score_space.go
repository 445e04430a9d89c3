// Spaces of scores, which take what scikit-learn takes: rows of zeros have the cosine distance 1 from all others, and
// a distance of a point from itself that is only rounding is none.

package repscope

import (
	"fmt"
	"slices"
	"strings"

	"repscope/neighbors"
	"repscope/points"
)

func noRows(name string, shape []int) error {
	text := strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
	return fmt.Errorf("%s: shape %s, want one row of numbers per sample", name, text)
}

// spaceOf is the space of points, coordinates or distances, that were read from elements of a type.
func spaceOf(name string, p points.Points, read string, metric neighbors.Metric) (neighbors.Space, error) {
	switch metric {
	case neighbors.Precomputed:
		if p.U8 != nil {
			return neighbors.Space{}, fmt.Errorf("%s: distances of type %s, want float32 or float64", name, read)
		}
		if p.N == p.Dim {
			p.F32, p.F64 = zeroDiagonal(p.F32, p.N), zeroDiagonal(p.F64, p.N)
		}
	case neighbors.Cosine:
		if zeros := zeroRows(p); len(zeros) == p.N {
			metric = neighbors.Euclidean // all rows are equal
		} else if len(zeros) > 0 && p.N <= mostApart/(p.Dim+len(zeros)) {
			p = apart(p, zeros)
		}
	}
	return neighbors.NewSpace(name, p, metric)
}

// mostDiagonal is what a distance of a point from itself may be of its largest one: what the roundings of float32
// leave of √(‖x‖² + ‖x‖² − 2x·x). More is no distance but, say, a similarity.
const mostDiagonal = 0.01

// zeroDiagonal is the matrix d of n × n distances, or a copy of it where points have small distances from themselves.
func zeroDiagonal[T float32 | float64](d []T, n int) []T {
	if d == nil {
		return nil
	}
	copied := false
	for i := range n {
		v := d[i*n+i]
		if !(v > 0 && v <= mostDiagonal*slices.Max(d[i*n:(i+1)*n])) { // NaN too is for those who check the others
			continue
		}
		if !copied {
			d, copied = slices.Clone(d), true
		}
		d[i*n+i] = 0
	}
	return d
}

// zeroRows are the rows of nothing but zeros.
func zeroRows(p points.Points) (rows []int) {
	for i := range p.N {
		from, to := i*p.Dim, (i+1)*p.Dim
		if p.U8 != nil && zero(p.U8[from:to]) || p.F32 != nil && zero(p.F32[from:to]) || p.F64 != nil && zero(p.F64[from:to]) {
			rows = append(rows, i)
		}
	}
	return rows
}

func zero[T uint8 | float32 | float64](x []T) bool {
	return !slices.ContainsFunc(x, func(v T) bool { return v != 0 })
}

// mostApart bounds the values of points with coordinates of their own.
const mostApart = 1 << 27

// apart are points in a dimension more for each of these rows of zeros, in which it alone is 1: at a right angle to
// all others, as far from each, by the cosine, as scikit-learn has it. The cosines of the others are the same.
func apart(p points.Points, zeros []int) points.Points {
	dim := p.Dim + len(zeros)
	switch {
	case p.U8 != nil:
		return points.Uint8(widened(p.U8, p.Dim, dim, zeros), dim)
	case p.F32 != nil:
		return points.Float32(widened(p.F32, p.Dim, dim, zeros), dim)
	}
	return points.Float64(widened(p.F64, p.Dim, dim, zeros), dim)
}

func widened[T uint8 | float32 | float64](x []T, from, to int, ones []int) []T {
	n := len(x) / from
	out := make([]T, n*to)
	for i := range n {
		copy(out[i*to:], x[i*from:(i+1)*from])
	}
	for at, i := range ones {
		out[i*to+from+at] = 1
	}
	return out
}
