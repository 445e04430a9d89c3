// Ranks of the points without each block, for delete-block jackknifes.

package spectrum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/parallel"
	"repscope/stat"
)

// Ranks are those of [Spectrum] and [RankMe].
type Ranks struct{ Effective, EffectiveSingular, RankMe float64 }

// Ranks returns the ranks of all points and of those outside block 0, 1, …, with NaN
// where what is left does not vary. Two matrices of order min(n, D) are decomposed for
// each: minutes from about 1,000 on. Singular values are roots of eigenvalues here, so
// that those below about 1e−7 of the largest are lost. Errors: a decomposition that did
// not converge; the error of ctx.
func (b *Blocked) Ranks(ctx context.Context, threads int) (all Ranks, without []Ranks, err error) {
	found := make([]Ranks, len(b.size)+1)
	err = parallel.Try(ctx, threads, len(found), func(_, j int) (err error) {
		found[j], err = b.ranks(j - 1)
		return err
	})
	return found[0], found[1:], err
}

// ranks are those without block j, −1 for none.
func (b *Blocked) ranks(j int) (Ranks, error) {
	centered, raw := b.products, b.products
	if b.gram == nil {
		centered, raw = b.moments, b.moments
	}
	products, err := centered(j, false)
	if err != nil {
		return Ranks{}, err
	}
	values, err := eigenvalues(products)
	if err != nil {
		return Ranks{}, err
	}
	if products, err = raw(j, true); err != nil {
		return Ranks{}, err
	}
	uncentered, err := eigenvalues(products)
	if err != nil {
		return Ranks{}, err
	}
	return Ranks{
		Effective:         math.Exp(entropy(values, 0)),
		EffectiveSingular: math.Exp(entropy(roots(values), 0)),
		RankMe:            math.Exp(entropy(roots(uncentered), rankMeEpsilon)),
	}, nil
}

// moments are Σ x·xᵀ of the points outside block j, centered or as they are.
func (b *Blocked) moments(j int, raw bool) (blas64.Symmetric, error) {
	dim, left := b.x.Cols, float64(b.x.Rows)
	m := symmetric(dim)
	copy(m.Data, b.total.Data)
	sum := make([]float64, dim) // of the centered points that are left
	for a := range b.size {
		if a == j {
			continue
		}
		for r := b.from[a]; r < b.from[a+1]; r++ {
			addTo(sum, b.x.Data[r*dim:(r+1)*dim])
		}
	}
	if j >= 0 {
		left -= b.size[j]
		second, err := b.secondOf(j, 1)
		if err != nil {
			return m, err
		}
		for k, v := range second.Data {
			m.Data[k] -= v
		}
	}
	for i := range dim {
		for k := i; k < dim; k++ {
			if raw {
				m.Data[i*dim+k] += sum[i]*b.mean[k] + b.mean[i]*sum[k] + left*b.mean[i]*b.mean[k]
			} else {
				m.Data[i*dim+k] -= sum[i] * sum[k] / left
			}
		}
	}
	return m, nil
}

// products are those of all pairs of points outside block j, centered or as they are.
func (b *Blocked) products(j int, raw bool) (blas64.Symmetric, error) {
	n, dim := b.x.Rows, b.x.Cols
	var rows []int
	for r := range n {
		if j < 0 || r < b.from[j] || r >= b.from[j+1] {
			rows = append(rows, r)
		}
	}
	m := symmetric(len(rows))
	for i, r := range rows {
		for k, s := range rows {
			m.Data[i*m.N+k] = b.gram.Data[r*n+s]
		}
	}
	// Products with the mean of the points, or of those that are left.
	with, own := make([]float64, m.N), 0.0
	if raw {
		for i, r := range rows {
			with[i] = -blas64.Dot(blas64.Vector{N: dim, Inc: 1, Data: b.x.Data[r*dim : (r+1)*dim]}, blas64.Vector{N: dim, Inc: 1, Data: b.mean})
		}
		own = blas64.Dot(blas64.Vector{N: dim, Inc: 1, Data: b.mean}, blas64.Vector{N: dim, Inc: 1, Data: b.mean})
	} else {
		for i := range rows {
			with[i] = stat.Sum(m.Data[i*m.N:(i+1)*m.N]) / float64(m.N)
		}
		own = stat.Sum(with) / float64(m.N)
	}
	for i := range rows {
		for k := range rows {
			m.Data[i*m.N+k] += own - with[i] - with[k]
		}
	}
	return m, nil
}
