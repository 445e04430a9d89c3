// Package points holds the inputs of analyses: sets of points in the type they were measured in, pairs of states, and
// the selected states. It imports no other package of the module, so that a measure needs no file reader.
package points

import (
	"fmt"
	"slices"
)

// Points is a set of N points with Dim coordinates each, row-major, held in
// the type they were measured in: exactly one of U8, F32 and F64 is non-nil
// and has length N·Dim. uint8 frames stay uint8 so that their distances are
// exact integers; float64 input stays float64.
type Points struct {
	N, Dim int
	U8     []uint8
	F32    []float32
	F64    []float64
}

// Uint8 returns n = len(data)/dim points over data, which is not copied.
func Uint8(data []uint8, dim int) Points {
	return Points{N: pointCount(len(data), dim), Dim: dim, U8: data}
}

// Float32 returns n = len(data)/dim points over data, which is not copied.
func Float32(data []float32, dim int) Points {
	return Points{N: pointCount(len(data), dim), Dim: dim, F32: data}
}

// Float64 returns n = len(data)/dim points over data, which is not copied.
func Float64(data []float64, dim int) Points {
	return Points{N: pointCount(len(data), dim), Dim: dim, F64: data}
}

// Size is the number of values of a shape, 1 of an empty one.
func Size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func pointCount(length, dim int) int {
	if dim <= 0 || length%dim != 0 {
		panic(fmt.Sprintf("points: %d values are not a multiple of dimension %d", length, dim))
	}
	return length / dim
}

// Type names the type of the values: uint8, float32 or float64.
func (p Points) Type() string {
	switch {
	case p.U8 != nil:
		return "uint8"
	case p.F32 != nil:
		return "float32"
	}
	return "float64"
}

// Row copies point i as float64 into dst, which must have length Dim, and
// returns it; a nil dst is allocated.
func (p Points) Row(i int, dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, p.Dim)
	}
	lo, hi := i*p.Dim, (i+1)*p.Dim
	switch {
	case p.U8 != nil:
		for k, v := range p.U8[lo:hi] {
			dst[k] = float64(v)
		}
	case p.F32 != nil:
		for k, v := range p.F32[lo:hi] {
			dst[k] = float64(v)
		}
	default:
		copy(dst, p.F64[lo:hi])
	}
	return dst
}

// Join returns the points of p and then the points of q, of one type and dimension, as a copy.
func Join(p, q Points) Points {
	out := Points{N: p.N + q.N, Dim: p.Dim}
	switch {
	case p.U8 != nil:
		out.U8 = slices.Concat(p.U8, q.U8)
	case p.F32 != nil:
		out.F32 = slices.Concat(p.F32, q.F32)
	default:
		out.F64 = slices.Concat(p.F64, q.F64)
	}
	return out
}

// Narrowed returns the points as float32, rounded to nearest; points of float32 as they are.
func (p Points) Narrowed() Points {
	if p.F32 != nil {
		return p
	}
	values := make([]float32, 0, p.N*p.Dim)
	row := make([]float64, p.Dim)
	for i := range p.N {
		for _, v := range p.Row(i, row) {
			values = append(values, float32(v))
		}
	}
	return Float32(values, p.Dim)
}

// Range returns points lo … hi−1, which share the memory of p.
func (p Points) Range(lo, hi int) Points {
	out := Points{N: hi - lo, Dim: p.Dim}
	switch {
	case p.U8 != nil:
		out.U8 = p.U8[lo*p.Dim : hi*p.Dim]
	case p.F32 != nil:
		out.F32 = p.F32[lo*p.Dim : hi*p.Dim]
	default:
		out.F64 = p.F64[lo*p.Dim : hi*p.Dim]
	}
	return out
}

// Select returns a copy of the points with these indices, in that order.
func (p Points) Select(index []int) Points {
	out := Points{N: len(index), Dim: p.Dim}
	switch {
	case p.U8 != nil:
		out.U8 = selectRows(p.U8, p.Dim, index)
	case p.F32 != nil:
		out.F32 = selectRows(p.F32, p.Dim, index)
	default:
		out.F64 = selectRows(p.F64, p.Dim, index)
	}
	return out
}

func selectRows[T any](data []T, dim int, index []int) []T {
	out := make([]T, 0, len(index)*dim)
	for _, i := range index {
		out = append(out, data[i*dim:(i+1)*dim]...)
	}
	return out
}

// SelectColumns returns a copy of the points with these coordinates, in that order.
func (p Points) SelectColumns(index []int) Points {
	out := Points{N: p.N, Dim: len(index)}
	switch {
	case p.U8 != nil:
		out.U8 = selectColumns(p.U8, p.Dim, index)
	case p.F32 != nil:
		out.F32 = selectColumns(p.F32, p.Dim, index)
	default:
		out.F64 = selectColumns(p.F64, p.Dim, index)
	}
	return out
}

func selectColumns[T any](data []T, dim int, index []int) []T {
	out := make([]T, 0, len(data)/max(dim, 1)*len(index))
	for row := range slices.Chunk(data, max(dim, 1)) {
		for _, j := range index {
			out = append(out, row[j])
		}
	}
	return out
}

// Pair is two states of one episode, as indices into a list of states.
type Pair struct{ Now, Next int }
