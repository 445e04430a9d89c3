// Ranks of the points without each block, for delete-block jackknifes.

package spectrum

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

// Ranks are the ranks of [Spectrum] and [RankMe]. Directions90 and Directions99 are [Directions] of 90 % and 99 % of
// the variance. StableUncentered is [Uncentered.StableRank], Alpha [PowerLaw.Alpha], NaN where undefined.
type Ranks struct {
	Effective, EffectiveSingular, RankMe, Stable, StableUncentered, Directions90, Directions99, Alpha float64
}

// RanksOf are the ranks that follow from the eigenvalues of the covariance of points, in descending order, and from
// measures of the points as they are; a power law is fitted between the ranks low and high.
func RanksOf(eigenvalues []float64, raw Uncentered, low, high int) Ranks {
	r := Ranks{
		Effective:         math.Exp(entropy(eigenvalues, 0)),
		EffectiveSingular: math.Exp(entropy(roots(eigenvalues), 0)),
		RankMe:            raw.RankMe,
		Stable:            stableRank(eigenvalues),
		StableUncentered:  raw.StableRank,
		Directions90:      Directions(eigenvalues, 0.90),
		Directions99:      Directions(eigenvalues, 0.99),
		Alpha:             math.NaN(),
	}
	if law, err := FitPowerLaw(eigenvalues, low, high); err == nil {
		r.Alpha = law.Alpha
	}
	return r
}

// Ranks returns the ranks of all points and of the points outside each block, with NaN if the
// remaining points are constant; low and high as for [RanksOf]. Each needs the reduction of a matrix of order
// min(n, D): minutes from about 2,000 on. Singular values are square roots of eigenvalues, so that values below about
// 1e−7 of the largest are lost. Errors: a decomposition that did not converge, the error of ctx.
func (b *Blocked) Ranks(ctx context.Context, low, high, threads int) (all Ranks, without []Ranks, err error) {
	d := &deletions{Blocked: b}
	moments := d.withoutMoments
	if b.all.z.N < b.all.z.Dim {
		err = d.multiplyPoints(threads)
		moments = d.withoutPoints
	} else {
		err = d.multiplyCoordinates(threads)
	}
	if err != nil {
		return Ranks{}, nil, err
	}
	ranks := make([]Ranks, len(b.size)+1)
	err = parallel.Try(ctx, threads, len(ranks), func(_, j int) error {
		centered, raw, err := moments(j - 1)
		if err != nil {
			return err
		}
		ranks[j] = RanksOf(centered, uncenteredOf(raw), low, high)
		return nil
	})
	return ranks[0], ranks[1:], err
}

// deletions holds what spectra without a block follow from: products of coordinates of all points, or products of
// points with each other.
type deletions struct {
	*Blocked
	total []float64

	gram blas64.Symmetric
	x    blas64.General // centered points, in the order of the blocks
	from []int          // of every block, its first row of x
}

func (d *deletions) multiplyPoints(threads int) (err error) {
	d.x, d.from = general(d.all.z.N, d.all.z.Dim), []int{0}
	for a := range d.size {
		from := d.from[a]
		d.from = append(d.from, from+d.block(a, d.x.Data[from*d.x.Cols:]).Rows)
	}
	d.gram, err = gramOf(d.x, threads)
	return err
}

// multiplyCoordinates adds up products in the order of the blocks, usually the order of the points: they
// are known then.
func (d *deletions) multiplyCoordinates(threads int) error {
	dim, ordered, next := d.all.z.Dim, true, 0
	for a := range d.size {
		for _, i := range d.blocks.Block(a) {
			ordered, next = ordered && i == next, next+1
		}
	}
	if ordered && d.all.moments != nil {
		d.total = d.all.moments
		return nil
	}
	total, rows := symmetric(dim), 0
	x := make([]float64, min(productRows, d.all.z.N)*dim)
	add := func() error {
		p := kernel.Product[float64]{M: dim, N: dim, K: rows, A: kernel.Columns(x, dim), B: kernel.Columns(x, dim),
			C: total.Data, Stride: dim, Upper: true, Accumulate: true, Threads: threads}
		rows = 0
		return p.Run()
	}
	for a := range d.size {
		for _, i := range d.blocks.Block(a) {
			d.all.center(x[rows*dim:], i, i+1)
			if rows++; rows*dim == len(x) {
				if err := add(); err != nil {
					return err
				}
			}
		}
	}
	if rows > 0 {
		if err := add(); err != nil {
			return err
		}
	}
	mirror(total)
	d.total = total.Data
	return nil
}

// momentsOfBlock are the products of coordinates of block a.
func (d *deletions) momentsOfBlock(a int) (blas64.Symmetric, error) {
	if d.moments != nil && d.moments[a].Data != nil {
		return d.moments[a], nil
	}
	return momentsOf(d.block(a, make([]float64, len(d.blocks.Block(a))*d.all.z.Dim)), 1)
}

// withoutMoments are the squared singular values of the points outside block j, −1 for none, less their mean and
// as they are, from products of coordinates.
func (d *deletions) withoutMoments(j int) (centered, raw []float64, err error) {
	dim := d.all.z.Dim
	mean, size := d.meanWithout(j)
	m := slices.Clone(d.total)
	if j >= 0 {
		second, err := d.momentsOfBlock(j)
		if err != nil {
			return nil, nil, err
		}
		for k, v := range second.Data {
			m[k] -= v
		}
	}
	for i := range dim {
		kernel.AddScaled(m[i*dim+i:(i+1)*dim], mean[i:], -size*mean[i])
	}
	for k, v := range d.all.mean {
		mean[k] += v
	}
	return bothOfCoordinates(m, dim, size, mean, 1)
}

// withoutPoints are the moments of [deletions.withoutMoments] from products of points.
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
	square := dot(mean, mean)
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
			products[i*len(rows)+k] = d.gram.Data[r*n+s] + square - with[i] - with[k]
		}
	}
	return bothOfPoints(products, len(rows), along, dot(shifted, shifted), 1)
}

// meanWithout is the mean of the points of x outside block j, −1 for none, and their number.
func (b *Blocked) meanWithout(j int) (mean []float64, count float64) {
	dim := b.all.z.Dim
	mean = make([]float64, dim)
	for a, size := range b.size {
		if a != j {
			addTo(mean, b.sums.Data[a*dim:(a+1)*dim])
			count += size
		}
	}
	for k := range mean {
		mean[k] /= count
	}
	return mean, count
}
