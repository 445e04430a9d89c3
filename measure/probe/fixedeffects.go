// What scores on a fold owe to single rows that its head was fitted on, by the implicit function
// theorem.

package probe

import (
	"context"
	"math"
	"slices"

	"repscope/measure/internal/matrix"
	"repscope/stat"
)

// effects adds to c what the scores on the rows of a fold owe to the rows that f was fitted on.
//
// A score S of the fold depends on the head w at the minimum of the mean loss F, so that without row i
// it changes by ∇Sᵀ·H⁻¹·∇ℓ_i/n with the second derivatives H of F: H⁻¹·∇S is found once, by conjugate
// gradients. The gradient of a share of rows with a margin above 0 is the gradient of the
// share smoothed by a normal density.
func (f *fixedFit) effects(ctx context.Context, test []int, margins []float64, c *FixedCrossFit) error {
	if f.columns() == 0 {
		return nil
	}
	axes, err := f.coordinates(ctx)
	if err != nil {
		return err
	}
	probability, err := f.probabilitiesOf(ctx, f.train)
	if err != nil {
		return err
	}
	density := densities(margins)
	counts := make([]float64, f.Classes)
	occur := 0.0
	for _, k := range f.Class {
		if counts[k]++; counts[k] == 1 {
			occur++
		}
	}
	for _, s := range []struct {
		effect []float64
		weight func(row int) float64
	}{
		{c.AccuracyEffect, func(int) float64 { return 1 / float64(len(f.Rows)) }},
		{c.BalancedEffect, func(row int) float64 { return 1 / (occur * counts[f.Class[row]]) }},
	} {
		slope := make([]float64, len(density))
		for at, d := range density {
			slope[at] = d * s.weight(test[at])
		}
		if err := f.effect(ctx, axes, test, slope, probability, s.effect); err != nil {
			return err
		}
	}
	return nil
}

// densities are φ(m/h)/h of margins with Silverman's (1986) h = 0.9·min(sd, IQR/1.34)·n^(−1/5); 0 where that
// is 0, and for NaN.
func densities(margins []float64) []float64 {
	finite := slices.DeleteFunc(slices.Clone(margins), func(m float64) bool { return math.IsNaN(m) || math.IsInf(m, 0) })
	slices.Sort(finite)
	out := make([]float64, len(margins))
	width := min(stat.StandardDeviation(finite),
		(stat.QuantileSorted(finite, 0.75)-stat.QuantileSorted(finite, 0.25))/1.34)
	width *= 0.9 * math.Pow(float64(len(finite)), -0.2)
	if !(width > 0) {
		return out
	}
	for i, m := range margins {
		if u := m / width; !math.IsNaN(u) {
			out[i] = math.Exp(-u*u/2) / (width * math.Sqrt(2*math.Pi))
		}
	}
	return out
}

// probabilitiesOf are those [columns, rows] of a list of rows.
func (f *fixedFit) probabilitiesOf(ctx context.Context, list []int) ([]float64, error) {
	out := make([]float64, f.columns()*len(list))
	err := f.visit(ctx, list, f.weights, f.intercept, func(_ int, b *rowBlock) {
		for r := range b.index {
			b.probabilities(r, f.columns(), f.columns())
			for k := range f.columns() {
				out[k*len(list)+b.first+r] = b.z[k*len(b.index)+r]
			}
		}
	})
	return out, err
}

// effect adds ∇Sᵀ·H⁻¹·∇ℓ_i/n to effect of every row i that f was fitted on, where slope has the derivatives of S by
// the margins of the test rows.
func (f *fixedFit) effect(ctx context.Context, axes *coordinates, test []int,
	slope, probability, effect []float64) error {
	dim, columns := f.dim, f.columns()
	column := f.columnOf()
	slopes, err := f.sum(ctx, test, f.weights, f.intercept, func(b *rowBlock, r int) {
		column, rival, largest, n := columns, columns, 0.0, len(b.index)
		if k := slices.Index(f.present, f.Class[b.index[r]]); k >= 0 {
			column = k
		}
		if column == columns {
			rival, largest = -1, math.Inf(-1)
		}
		for k := range columns {
			if v := b.z[k*n+r]; k != column && v > largest {
				rival, largest = k, v
			}
			b.z[k*n+r] = 0
		}
		if column < columns {
			b.z[column*n+r] = slope[b.first+r]
		}
		if rival >= 0 && rival < columns {
			b.z[rival*n+r] -= slope[b.first+r]
		}
	})
	if err != nil {
		return err
	}
	g := make([]float64, columns*(dim+1))
	axes.gradient(slopes.x, slopes.one, g)
	v, err := f.invert(ctx, axes, probability, g)
	if err != nil {
		return err
	}
	weights, intercept := make([]float64, columns*dim), make([]float64, columns)
	axes.toWeights(v, weights, intercept)
	n := float64(len(f.train))
	return f.visit(ctx, f.train, weights, intercept, func(_ int, b *rowBlock) {
		for r, i := range b.index {
			sum := 0.0
			for k := range columns {
				residual := probability[k*len(f.train)+b.first+r]
				if column[f.Class[i]] == k {
					residual--
				}
				sum += float64(residual * b.z[k*len(b.index)+r])
			}
			effect[i] += sum / n
		}
	})
}

// sum is Σ z·x of rows, with what replace makes of their logits.
func (f *fixedFit) sum(ctx context.Context, list []int, weights, intercept []float64,
	replace func(b *rowBlock, r int)) (*pieceSums, error) {
	count, _ := pieces(len(list))
	sums := newPieceSums(count, f.columns(), f.dim)
	err := f.visit(ctx, list, weights, intercept, func(piece int, b *rowBlock) {
		for r := range b.index {
			replace(b, r)
		}
		sums[piece].add(b)
	})
	return total(sums), err
}

const (
	// roughSolution is the relative residual at which second derivatives are inverted: intervals need no more.
	roughSolution = 1e-4
	// mostProducts bounds the conjugate gradients.
	mostProducts = 200
)

// invert solves H·v = g in coordinates by conjugate gradients.
func (f *fixedFit) invert(ctx context.Context, axes *coordinates, probability, g []float64) ([]float64, error) {
	v, residual := make([]float64, len(g)), slices.Clone(g)
	direction, product := slices.Clone(g), make([]float64, len(g))
	square := matrix.Dot(residual, residual)
	for range mostProducts {
		if !(square > 0) || square <= roughSolution*roughSolution*matrix.Dot(g, g) {
			break
		}
		if err := f.curve(ctx, axes, probability, direction, product); err != nil {
			return nil, err
		}
		length := square / matrix.Dot(direction, product)
		matrix.Axpy(v, length, direction)
		matrix.Axpy(residual, -length, product)
		next := matrix.Dot(residual, residual)
		for k, r := range residual {
			direction[k] = r + float64(next/square*direction[k])
		}
		square = next
	}
	return v, nil
}

// curve writes H·v.
func (f *fixedFit) curve(ctx context.Context, axes *coordinates, probability, v, dst []float64) error {
	dim, columns, n := f.dim, f.columns(), len(f.train)
	weights, intercept := make([]float64, columns*dim), make([]float64, columns)
	axes.toWeights(v, weights, intercept)
	s, err := f.sum(ctx, f.train, weights, intercept, func(b *rowBlock, r int) {
		mean, count := 0.0, len(b.index)
		for k := range columns {
			mean += float64(probability[k*n+b.first+r] * b.z[k*count+r])
		}
		for k := range columns {
			b.z[k*count+r] = probability[k*n+b.first+r] * (b.z[k*count+r] - mean) / float64(n)
		}
	})
	if err != nil {
		return err
	}
	f.penalize(weights, s.x)
	axes.gradient(s.x, s.one, dst)
	return nil
}
