// Uniformity about the mean of the points.

package sphere

import (
	"context"
	"math"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// CenteredUniformity returns the uniformity, see [Directions.Uniformity], of the directions of points
// [N, D] from their mean. A common offset, as of nonnegative features, has no effect.
//
// without[b] is the value without block b, about the mean of the remaining points: the value about the
// mean of all points plus, to first order, the derivative with respect to the center times its shift.
// NaN if fewer than 2 points remain. The derivative uses at most 4,096 points, evenly spaced. Errors:
// as for Uniformity, NaN and Inf, and a [stat.UndefinedError] for points equal to the mean.
func CenteredUniformity(ctx context.Context, pts points.Points, blocks *stat.Blocks,
	threads int) (value float64, without []float64, err error) {
	if err := neighbors.Check("uniformity", pts, neighbors.Euclidean); err != nil {
		return 0, nil, err
	}
	x, _ := matrix.Centered(pts)
	d := &Directions{unit: matrix.Matrix{N: x.N, Dim: x.Dim, Data: append([]float64(nil), x.Data...)}}
	atMean := 0
	for i := range x.N {
		if !normalize(d.unit.Row(i)) {
			atMean++
		}
	}
	if atMean > 0 {
		return 0, nil, stat.Undefined("direction",
			"%d of %d latents equal the mean and have no direction from it", atMean, x.N)
	}
	value, without, err = d.Uniformity(ctx, blocks, threads)
	if err != nil || blocks == nil {
		return value, without, err
	}
	gradient, err := d.centerGradient(ctx, x, value, threads)
	if err != nil {
		return 0, nil, err
	}
	shift := make([]float64, blocks.Count()) // the block's sum along the gradient
	for i, b := range blocks.Labels() {
		shift[b] += matrix.Dot(x.Row(i), gradient)
	}
	for b, size := range blocks.Sizes() {
		// The sum of all points is 0: the mean of the rest is −(block's sum)/rest.
		without[b] -= shift[b] / float64(x.N-size)
	}
	return value, without, nil
}

// gradientPoints is the largest number of points behind a derivative.
const gradientPoints = 4096

// centerGradient is the derivative of the uniformity, of this value, with respect to the
// center c from which the points x have their directions u = (x − c)/r:
//
//	−4/Σ_{i<j} K_ij · Σ_i (W_i − u_i·(u_i·W_i))/r_i,  W_i = Σ_{j≠i} K_ij·u_j,  K_ij = exp(4·u_i·u_j − 4).
func (d *Directions) centerGradient(ctx context.Context, x matrix.Matrix, value float64,
	threads int) ([]float64, error) {
	n, dim := d.unit.N, d.unit.Dim
	step := (n + gradientPoints - 1) / gradientPoints
	count := (n + step - 1) / step
	chosen := make([]int, count)
	for q := range chosen {
		chosen[q] = q * step
	}
	rows := d.unit.Select(chosen)
	columns, err := kernel.PackRight(kernel.Rows(d.unit.Data, dim), n, dim)
	if err != nil {
		return nil, err
	}
	parts := make([][]float64, (count+matrix.RowBlock-1)/matrix.RowBlock)
	err = parallel.With(ctx, threads, len(parts), func() func(int) error {
		p := &pull{all: d.unit, columns: columns, product: make([]float64, matrix.RowBlock*matrix.ColumnBlock), sums: matrix.New(matrix.RowBlock, dim)}
		return func(part int) error {
			i0, i1 := part*matrix.RowBlock, min((part+1)*matrix.RowBlock, count)
			if err := p.addUp(rows.Data[i0*dim:i1*dim], chosen[i0:i1]); err != nil {
				return err
			}
			parts[part] = make([]float64, dim)
			for i := i0; i < i1; i++ {
				u, w, point := rows.Row(i), p.sums.Row(i-i0), x.Row(chosen[i])
				along, length := matrix.Dot(u, w), math.Sqrt(matrix.Dot(point, point))
				for k := range w {
					parts[part][k] += (w[k] - float64(u[k]*along)) / length
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	gradient := make([]float64, dim)
	for _, p := range parts {
		matrix.AddTo(gradient, p)
	}
	// Σ_{i<j} K_ij is the mean of pairs times their number.
	all := math.Exp(value) * float64(n) * float64(n-1) / 2
	for k := range gradient {
		gradient[k] *= -4 / all * float64(n) / float64(count)
	}
	return gradient, nil
}

// pull is the memory of one goroutine that adds up W_i = Σ_{j≠i} K_ij·u_j.
type pull struct {
	all       matrix.Matrix
	columns   *kernel.Packed[float64] // all
	product   []float64
	sums      matrix.Matrix // W_i of a block of points
	workspace kernel.Workspace[float64]
}

// addUp fills sums for some points u, which are those with the given numbers.
func (p *pull) addUp(u []float64, number []int) error {
	n, dim := p.all.N, p.all.Dim
	clear(p.sums.Data)
	for j0 := 0; j0 < n; j0 += matrix.ColumnBlock {
		j1 := min(j0+matrix.ColumnBlock, n)
		product := kernel.Product[float64]{
			M: len(number), N: j1 - j0, K: dim, A: kernel.Rows(u, dim), B: p.columns.Operand(j0),
			C: p.product, Stride: matrix.ColumnBlock, Threads: 1, Workspace: &p.workspace,
		}
		if err := product.Run(); err != nil {
			return err
		}
		for i, column := range number {
			row := p.product[i*matrix.ColumnBlock:][:j1-j0]
			for j, v := range row {
				row[j] = math.Exp(4*v - 4)
			}
			if at := column - j0; at >= 0 && at < j1-j0 {
				row[at] = 0
			}
		}
		product = kernel.Product[float64]{
			M: len(number), N: dim, K: j1 - j0, A: kernel.Rows(p.product, matrix.ColumnBlock), B: kernel.Columns(p.all.Data[j0*dim:], dim),
			C: p.sums.Data, Stride: dim, Accumulate: true, Threads: 1, Workspace: &p.workspace,
		}
		if err := product.Run(); err != nil {
			return err
		}
	}
	return nil
}
