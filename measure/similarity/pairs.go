// Correlations of the distances of pairs of points: RSA with Pearson's and Spearman's coefficient.

package similarity

import (
	"context"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/measure/internal/radix"
)

// pairDistances computes them over the same pairs in all orders.
func pairDistances(ctx context.Context, c *comparison) error {
	pairs, err := DrawPairs(c.a.n(), max(0, c.o.Pairs), c.o.Seed)
	if err != nil {
		return err
	}
	first := newDistances(c.a, pairs, nil)
	rows := 1 + len(c.o.Orders)
	spearman, pearson := make([]float64, rows), make([]float64, rows)
	ranks := c.wants("rsa_spearman")
	if ranks {
		first.rank = meanRanks(first.value)
	}
	var second distances
	err = parallel.For(ctx, c.o.Threads, rows, func(_, row int) {
		other := newDistances(c.b, pairs, c.order(row))
		if ranks {
			other.rank = meanRanks(other.value)
			spearman[row] = pearsonOf(first.rank, other.rank)
		}
		pearson[row] = pearsonOf(first.value, other.value)
		if row == 0 {
			second = other
		}
	})
	if err != nil {
		return err
	}
	c.enter("rsa_spearman", spearman)
	c.enter("rsa_pearson", pearson)
	for _, name := range []string{"rsa_spearman", "rsa_pearson"} {
		if s := c.series[name]; s != nil && math.IsNaN(s.Value) {
			s.Reason = c.because(equalDistances, same(first.value), same(second.value))
		}
	}
	deleting := c.deleting("rsa_spearman", "rsa_pearson")
	if len(deleting) == 0 {
		return nil
	}
	return c.deletePairs(ctx, deleting, pairs, first.value, second.value)
}

func same(values []float64) bool { return len(values) == 0 || slices.Min(values) == slices.Max(values) }

const equalDistances = "all distances are equal"

// deletePairs computes the correlations over the pairs that touch no point of a block.
func (c *comparison) deletePairs(ctx context.Context, names []string, pairs *Pairs, x, y []float64) error {
	label := c.o.Blocks.Labels()
	without := map[string][]float64{}
	for _, name := range names {
		without[name] = make([]float64, c.o.Blocks.Count())
		c.series[name].Without = without[name]
	}
	return parallel.For(ctx, c.o.Threads, c.o.Blocks.Count(), func(_, block int) {
		var first, second []float64
		for i, a := range pairs.a {
			if label[a] != block && label[pairs.b[i]] != block {
				first, second = append(first, x[i]), append(second, y[i])
			}
		}
		for _, name := range names {
			if name == "rsa_pearson" {
				without[name][block] = pearsonOf(first, second)
			} else {
				without[name][block] = pearsonOf(meanRanks(first), meanRanks(second))
			}
		}
	})
}

// distances are the distances of pairs, and their ranks.
type distances struct{ value, rank []float64 }

func newDistances(p *Prepared, pairs *Pairs, order []int) distances {
	out := distances{value: make([]float64, pairs.Len())}
	second := pairs.b
	if order != nil {
		second = make([]int32, len(pairs.b))
		for i, b := range pairs.b {
			second[i] = int32(order[b])
		}
	}
	for first, last := 0, 0; first < len(second); first = last { // pairs of a point follow each other
		for last = first + 1; last < len(second) && pairs.a[last] == pairs.a[first]; last++ {
		}
		row := p.x.Row(ordered(order, int(pairs.a[first])))
		kernel.SquaredDistances(out.value[first:last], row, p.x.Data, p.x.Dim, second[first:last])
	}
	for i, square := range out.value {
		out.value[i] = math.Sqrt(square)
	}
	return out
}

// meanRanks are the ranks 1 … n of values that are not negative; equal ones share their mean.
func meanRanks(values []float64) []float64 {
	entries := make([]radix.Entry[int32], len(values))
	for i, v := range values {
		entries[i] = radix.Entry[int32]{Key: math.Float64bits(v), Value: int32(i)}
	}
	entries = radix.Sort(entries)
	rank := make([]float64, len(values))
	for first, last := 0, 0; first < len(entries); first = last {
		for last = first + 1; last < len(entries) && entries[last].Key == entries[first].Key; last++ {
		}
		for _, e := range entries[first:last] {
			rank[e.Value] = float64(first+last+1) / 2
		}
	}
	return rank
}

// pearsonOf is NaN where one side does not vary.
func pearsonOf(x, y []float64) float64 {
	if len(x) < 2 || same(x) || same(y) {
		return math.NaN()
	}
	var xMean, yMean float64
	for i, v := range x {
		xMean += v / float64(len(x))
		yMean += y[i] / float64(len(x))
	}
	var xy, xx, yy float64
	for i, v := range x {
		a, b := v-xMean, y[i]-yMean
		xy += float64(a * b)
		xx += float64(a * a)
		yy += float64(b * b)
	}
	return max(-1, min(1, xy/math.Sqrt(xx*yy)))
}

// medianDistance is the median over all pairs of points, by their squares; ties do not matter.
func medianDistance(squares []float64) float64 {
	slices.Sort(squares)
	n := len(squares)
	return (math.Sqrt(squares[(n-1)/2]) + math.Sqrt(squares[n/2])) / 2
}

// squaredDistances returns the squared distances of all pairs i < j, row by row.
func squaredDistances(ctx context.Context, x matrix.Matrix, threads int) ([]float64, error) {
	n := x.N
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i)
	}
	out := make([]float64, n*(n-1)/2)
	err := parallel.For(ctx, threads, n, func(_, i int) {
		kernel.SquaredDistances(out[i*(2*n-i-1)/2:], x.Row(i), x.Data, x.Dim, index[i+1:])
	})
	return out, err
}
