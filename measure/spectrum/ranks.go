// Ranks of the points without each block, for delete-block jackknifes.

package spectrum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

// Ranks are those of [Spectrum] and [RankMe].
type Ranks struct{ Effective, EffectiveSingular, RankMe float64 }

// Ranks returns the ranks of all points and of those outside block 0, 1, …, with NaN
// where what is left does not vary. A matrix of order min(n, D) is reduced
// for each: minutes from about 2,000 on. Singular values are roots of eigenvalues here, so
// that those below about 1e−7 of the largest are lost. Errors: a decomposition that did
// not converge; the error of ctx.
func (b *Blocked) Ranks(ctx context.Context, threads int) (all Ranks, without []Ranks, err error) {
	d := b.deletions()
	of := d.withoutMoments
	if d.x.Rows < d.x.Cols {
		d.gram, err = gramOf(d.x, threads)
		of = d.withoutPoints
	} else {
		d.total, err = momentsOf(d.x, threads)
	}
	if err != nil {
		return Ranks{}, nil, err
	}
	found := make([]Ranks, len(b.size)+1)
	err = parallel.Try(ctx, threads, len(found), func(_, j int) error {
		centered, raw, err := of(j - 1)
		if err != nil {
			return err
		}
		found[j] = Ranks{
			Effective:         math.Exp(entropy(centered, 0)),
			EffectiveSingular: math.Exp(entropy(roots(centered), 0)),
			RankMe:            math.Exp(entropy(roots(raw), rankMeEpsilon)),
		}
		return nil
	})
	return found[0], found[1:], err
}

// deletions holds what spectra without a block follow from.
type deletions struct {
	*Blocked
	x    blas64.General // centered points, in the order of the blocks
	from []int          // of every block, its first row of x
	// Of all points, the products with each other, or those of coordinates.
	gram, total blas64.Symmetric
}

func (b *Blocked) deletions() *deletions {
	d := &deletions{Blocked: b, x: general(b.all.z.N, b.all.z.Dim), from: []int{0}}
	for a := range b.size {
		from := d.from[a]
		d.from = append(d.from, from+b.block(a, d.x.Data[from*d.x.Cols:]).Rows)
	}
	return d
}

// rows are those of block a.
func (d *deletions) rows(a int) blas64.General {
	lo, hi := d.from[a], d.from[a+1]
	return blas64.General{Rows: hi - lo, Cols: d.x.Cols, Stride: d.x.Stride, Data: d.x.Data[lo*d.x.Stride : hi*d.x.Stride]}
}

// withoutMoments are the squared singular values of the points outside block j, −1 for none, less their mean and
// as they are, from products of coordinates.
func (d *deletions) withoutMoments(j int) (centered, raw []float64, err error) {
	dim := d.x.Cols
	mean, left := d.meanWithout(j)
	m := make([]float64, dim*dim)
	copy(m, d.total.Data)
	if j >= 0 {
		second, err := momentsOf(d.rows(j), 1)
		if err != nil {
			return nil, nil, err
		}
		for k, v := range second.Data {
			m[k] -= v
		}
	}
	for i := range dim {
		kernel.AddScaled(m[i*dim+i:(i+1)*dim], mean[i:], -left*mean[i])
	}
	for k, v := range d.all.mean {
		mean[k] += v
	}
	return bothOfCoordinates(m, dim, left, mean, 1)
}

// withoutPoints are those of [deletions.withoutMoments] from products of points.
func (d *deletions) withoutPoints(j int) (centered, raw []float64, err error) {
	n, dim := d.x.Rows, d.x.Cols
	mean, _ := d.meanWithout(j)
	var rows []int
	for r := range n {
		if j < 0 || r < d.from[j] || r >= d.from[j+1] {
			rows = append(rows, r)
		}
	}
	products := make([]float64, len(rows)*len(rows))
	// Of every point, its products with the mean of those that are left, and with the same before it was taken off.
	with, along := make([]float64, len(rows)), make([]float64, len(rows))
	own := dot(mean, mean)
	shifted := make([]float64, dim)
	for k, v := range mean {
		shifted[k] = v + d.all.mean[k]
	}
	for i, r := range rows {
		x := d.x.Data[r*dim : (r+1)*dim]
		with[i] = dot(x, mean)
		along[i] = dot(x, shifted) - dot(mean, shifted)
	}
	for i, r := range rows {
		for k, s := range rows {
			products[i*len(rows)+k] = d.gram.Data[r*n+s] + own - with[i] - with[k]
		}
	}
	return bothOfPoints(products, len(rows), along, dot(shifted, shifted), 1)
}

// meanWithout is the mean of the points of x outside block j, −1 for none, and their number.
func (b *Blocked) meanWithout(j int) (mean []float64, left float64) {
	dim := b.all.z.Dim
	mean = make([]float64, dim)
	for a, size := range b.size {
		if a != j {
			addTo(mean, b.sums.Data[a*dim:(a+1)*dim])
			left += size
		}
	}
	for k := range mean {
		mean[k] /= left
	}
	return mean, left
}
