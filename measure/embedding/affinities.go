// The similarities of points to their nearest neighbors.

package embedding

import (
	"context"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/neighbors"
	"repscope/points"
)

// affinities are p_ij = (p_j|i + p_i|j)/2n of the pairs where one is among the nearest of the other, by
// rows in compressed form: ascending columns.
type affinities struct {
	ends   []int
	column []int32
	value  []float64
}

// similarities finds, for every point, the precision of a Gaussian under which its neighbors have the
// perplexity asked for.
func similarities(ctx context.Context, pts points.Points, o *TSNEOptions) (*affinities, error) {
	k := min(pts.N-1, int(3*o.Perplexity)+1)
	near, err := neighbors.KNearest(ctx, pts, k, o.Neighbors)
	if err != nil {
		return nil, err
	}
	conditional := make([]float64, pts.N*k)
	err = parallel.For(ctx, o.Neighbors.Threads, pts.N, func(_, i int) {
		calibrate(near.Distance[i*k:(i+1)*k], math.Log(o.Perplexity), conditional[i*k:(i+1)*k])
	})
	if err != nil {
		return nil, err
	}
	return symmetrized(near.Index, conditional, pts.N, k), nil
}

// calibrate sets p to the shares exp(−β·d²)/Σ with the entropy asked for in nats. Where neighbors at
// distance 0 alone have more, or no β has it, it is the nearest.
func calibrate(distance []float64, entropy float64, p []float64) {
	// Squares relative to the nearest, in units of their mean.
	least, mean := distance[0]*distance[0], 0.0
	for q, d := range distance {
		p[q] = d*d - least
		mean += p[q] / float64(len(p))
	}
	if mean == 0 {
		for q := range p {
			p[q] = 1 / float64(len(p))
		}
		return
	}
	beta, low, high := 1.0, 0.0, math.Inf(1)
	squares := slices.Clone(p)
	for range 200 {
		sum, weighted := 0.0, 0.0
		for q, s := range squares {
			s /= mean
			p[q] = math.Exp(-beta * s)
			sum += p[q]
			weighted += float64(s * p[q])
		}
		for q := range p {
			p[q] /= sum
		}
		excess := math.Log(sum) + beta*weighted/sum - entropy
		if math.Abs(excess) < 1e-10 {
			return
		}
		if excess > 0 {
			low = beta
			if beta *= 2; !math.IsInf(high, 1) {
				beta = (low + high) / 2
			}
		} else {
			high = beta
			beta = (low + high) / 2
		}
		if math.IsInf(beta, 1) || beta == low && beta == high {
			return
		}
	}
}

// symmetrized adds the conditional shares of both directions.
func symmetrized(index []int32, conditional []float64, n, k int) *affinities {
	type entry struct {
		column int32
		value  float64
	}
	rows := make([][]entry, n)
	for i := range n {
		for q := range k {
			j, v := index[i*k+q], conditional[i*k+q]/float64(2*n)
			rows[i] = append(rows[i], entry{j, v})
			rows[j] = append(rows[j], entry{int32(i), v})
		}
	}
	a := &affinities{ends: make([]int, n)}
	for i, row := range rows {
		// Of the two entries of a pair the order does not matter to their sum.
		slices.SortFunc(row, func(x, y entry) int { return int(x.column) - int(y.column) })
		for q, e := range row {
			if q > 0 && row[q-1].column == e.column {
				a.value[len(a.value)-1] += e.value
				continue
			}
			a.column, a.value = append(a.column, e.column), append(a.value, e.value)
		}
		a.ends[i] = len(a.column)
	}
	return a
}

// row is where the entries of point i lie.
func (a *affinities) row(i int) (from, to int) {
	if i > 0 {
		from = a.ends[i-1]
	}
	return from, a.ends[i]
}

// attraction is Σ_j p_ij·t·(y_i − y_j) with t = 1/(1 + ‖y_i − y_j‖²).
func (a *affinities) attraction(i int, layout []float64) (fx, fy float64) {
	from, to := a.row(i)
	for q := from; q < to; q++ {
		j := 2 * a.column[q]
		dx, dy := layout[2*i]-layout[j], layout[2*i+1]-layout[j+1]
		v := a.value[q] / (1 + float64(dx*dx) + float64(dy*dy))
		fx += float64(v * dx)
		fy += float64(v * dy)
	}
	return fx, fy
}

// divergence is Σ_j p_ij·ln(p_ij/q_ij) with q_ij = t/z.
func (a *affinities) divergence(i int, layout []float64, z float64) float64 {
	from, to := a.row(i)
	sum := 0.0
	for q := from; q < to; q++ {
		p := a.value[q]
		if p == 0 {
			continue
		}
		j := 2 * a.column[q]
		dx, dy := layout[2*i]-layout[j], layout[2*i+1]-layout[j+1]
		sum += float64(p * math.Log(p*z*(1+float64(dx*dx)+float64(dy*dy))))
	}
	return sum
}
