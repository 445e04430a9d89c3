// Jackknifes of regressions, and of statistics that are computed anew.

package stat

import (
	"context"
	"slices"

	"repscope/internal/parallel"
)

// JackknifedRegression holds the jackknife of a regression's coefficients.
type JackknifedRegression struct {
	Slope, Intercept, R, RSquared *Jackknifed
}

// JackknifeRegression jackknifes the least-squares line of y on x by pairs.
func JackknifeRegression(blocks *Blocks, x, y []float64) (*JackknifedRegression, error) {
	if _, err := Regression(x, y); err != nil {
		return nil, err
	}
	terms, statistic := regressionSums(x, y)
	out, err := JackknifeSums(blocks, terms, 4, statistic)
	if err != nil {
		return nil, err
	}
	return &JackknifedRegression{Slope: out[0], Intercept: out[1], R: out[2], RSquared: out[3]}, nil
}

// RegressionInfluence is the influence of every pair on slope, intercept, r and r² of
// the least-squares line, for the length of blocks.
func RegressionInfluence(x, y []float64) ([][]float64, error) {
	if _, err := Regression(x, y); err != nil {
		return nil, err
	}
	terms, statistic := regressionSums(x, y)
	_, influence, err := SumsInfluence(terms, 4, statistic)
	return influence, err
}

// JackknifeVector jackknifes size statistics that are computed anew from the
// observations that a deletion leaves: statistic receives their indices in order
// (it must not keep or change them), fills dst[:size] with NaN for what is
// undefined, and must be safe for concurrent calls. Results do not depend on
// threads (≤ 0: all).
func JackknifeVector(ctx context.Context, blocks *Blocks, size, threads int, statistic func(index []int, dst []float64)) ([]*Jackknifed, error) {
	g := blocks.Count()
	values := make([]float64, (g+1)*size)
	order := blocks.index.order
	err := parallel.With(ctx, threads, g+1, func() func(task int) error {
		index := make([]int, 0, blocks.n)
		return func(task int) error {
			index = append(index[:0], order...)
			if task < g {
				index = append(append(index[:0], order[:blocks.cut[task]]...), order[blocks.cut[task+1]:]...)
			}
			slices.Sort(index)
			statistic(index, values[task*size:(task+1)*size])
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Jackknifed, size)
	for s := range out {
		replicates := make([]float64, g)
		for j := range replicates {
			replicates[j] = values[j*size+s]
		}
		if out[s], err = blocks.Jackknife(values[g*size+s], replicates, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}
