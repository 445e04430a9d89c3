// Package matrix holds points as a row-major float64 matrix: what the measures
// share, with the order of every sum fixed.
//
//	x, mean := matrix.Centered(z)
//	length := math.Sqrt(matrix.Dot(x.Row(0), x.Row(0)))
package matrix

import (
	"fmt"
	"math"

	"repscope/internal/kernel"
	"repscope/points"
	"repscope/stat"
)

// Matrix holds N points of Dim coordinates, row-major.
type Matrix struct {
	N, Dim int
	Data   []float64
}

// New returns n points of dim coordinates, all 0.
func New(n, dim int) Matrix { return Matrix{N: n, Dim: dim, Data: make([]float64, n*dim)} }

// Row is point i, not copied.
func (x Matrix) Row(i int) []float64 { return x.Data[i*x.Dim : (i+1)*x.Dim : (i+1)*x.Dim] }

// Of copies points into float64.
func Of(p points.Points) Matrix {
	x := New(p.N, p.Dim)
	for i := range p.N {
		p.Row(i, x.Row(i))
	}
	return x
}

// Centered copies points into float64 and moves them so that their mean, which it
// returns too, is the origin.
func Centered(p points.Points) (x Matrix, mean []float64) {
	x = Of(p)
	mean = x.Mean()
	for i := range x.N {
		row := x.Row(i)
		for k := range row {
			row[k] -= mean[k]
		}
	}
	return x, mean
}

// Mean returns the mean of every coordinate, added in row order.
func (x Matrix) Mean() []float64 {
	mean := make([]float64, x.Dim)
	for i := range x.N {
		AddTo(mean, x.Row(i))
	}
	for k := range mean {
		mean[k] /= float64(x.N)
	}
	return mean
}

// Select copies the rows with the given indices.
func (x Matrix) Select(index []int) Matrix {
	return x.SelectInto(make([]float64, len(index)*x.Dim), index)
}

// ByBlocks lists the points of n block by block, in the order in which
// blocks.Sizes() counts them; an error where the blocks are of another number.
func ByBlocks(blocks *stat.Blocks, n int) ([]int, error) {
	order := make([]int, 0, n)
	for b := range blocks.Count() {
		order = append(order, blocks.Block(b)...)
	}
	if len(order) != n {
		return nil, fmt.Errorf("blocks of %d points for %d points", len(order), n)
	}
	return order, nil
}

// Mirror copies the elements above the diagonal of a square matrix below it, a tile at a time.
func (x Matrix) Mirror() {
	const tile = 64
	for top := 0; top < x.N; top += tile {
		for left := 0; left <= top; left += tile {
			for i := top; i < min(top+tile, x.N); i++ {
				for j := left; j < min(left+tile, i); j++ {
					x.Data[i*x.Dim+j] = x.Data[j*x.Dim+i]
				}
			}
		}
	}
}

// AddTo adds src to dst, element by element.
func AddTo(dst, src []float64) {
	for k, v := range src {
		dst[k] += v
	}
}

// Dot is Σ a·b, added in order without fused operations.
func Dot(a, b []float64) float64 {
	s := 0.0
	for k, v := range a {
		s += float64(v * b[k])
	}
	return s
}

// SquaredNorms returns x·x of every row with exactly the roundings of a kernel
// product, so that ‖x‖² + ‖y‖² − 2x·y of equal rows is exactly 0.
func (x Matrix) SquaredNorms() []float64 {
	out := make([]float64, x.N)
	for i := range out {
		row := x.Row(i)
		for lo := 0; lo < len(row); lo += kernel.KC {
			s := 0.0
			for _, v := range row[lo:min(lo+kernel.KC, len(row))] {
				s = math.FMA(v, v, s)
			}
			out[i] += s
		}
	}
	return out
}

// Axpy adds factor·src to dst, element by element, each product rounded.
func Axpy(dst []float64, factor float64, src []float64) {
	for k, v := range src {
		dst[k] += float64(factor * v)
	}
}

// SquaredDistance is Σ (a − b)², added in order without fused operations.
func SquaredDistance(a, b []float64) float64 {
	s := 0.0
	for k, v := range a {
		d := v - b[k]
		s += float64(d * d)
	}
	return s
}
