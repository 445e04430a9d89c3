// Ranks of the points without each block, for delete-block jackknifes.

package spectrum

import (
	"context"
	"math"

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
	of := b.withoutMoments
	if b.x.Rows < b.x.Cols {
		b.gram, err = gramOf(b.x, threads)
		of = b.withoutPoints
	} else {
		b.total, err = momentsOf(b.x, threads)
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

// withoutMoments are the squared singular values of the points outside block j, −1 for none, less their mean and
// as they are, from products of coordinates.
func (b *Blocked) withoutMoments(j int) (centered, raw []float64, err error) {
	dim := b.x.Cols
	mean, left := b.meanWithout(j)
	m := make([]float64, dim*dim)
	copy(m, b.total.Data)
	if j >= 0 {
		second, err := momentsOf(b.rows(j), 1)
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
	for k, v := range b.all.mean {
		mean[k] += v
	}
	return bothOfCoordinates(m, dim, left, mean, 1)
}

// withoutPoints are those of [Blocked.withoutMoments] from products of points.
func (b *Blocked) withoutPoints(j int) (centered, raw []float64, err error) {
	n, dim := b.x.Rows, b.x.Cols
	mean, _ := b.meanWithout(j)
	var rows []int
	for r := range n {
		if j < 0 || r < b.from[j] || r >= b.from[j+1] {
			rows = append(rows, r)
		}
	}
	products := make([]float64, len(rows)*len(rows))
	// Of every point, its products with the mean of those that are left, and with the same before it was taken off.
	with, along := make([]float64, len(rows)), make([]float64, len(rows))
	own := dot(mean, mean)
	shifted := make([]float64, dim)
	for k, v := range mean {
		shifted[k] = v + b.all.mean[k]
	}
	for i, r := range rows {
		x := b.x.Data[r*dim : (r+1)*dim]
		with[i] = dot(x, mean)
		along[i] = dot(x, shifted) - dot(mean, shifted)
	}
	for i, r := range rows {
		for k, s := range rows {
			products[i*len(rows)+k] = b.gram.Data[r*n+s] + own - with[i] - with[k]
		}
	}
	return bothOfPoints(products, len(rows), along, dot(shifted, shifted), 1)
}

// meanWithout is the mean of the points of x outside block j, −1 for none, and their number.
func (b *Blocked) meanWithout(j int) (mean []float64, left float64) {
	dim := b.x.Cols
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
