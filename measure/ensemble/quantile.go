// Scores of quantiles and intervals of an ensemble.

package ensemble

import (
	"fmt"
	"math"

	"repscope/internal/quantile"
)

// Quantiles returns, for each level τ, the quantile score (1{y ≤ q} − τ)·(q − y) of the ensemble's
// quantile q, averaged over cells: half the absolute error for the median. Quantiles lie on
// lines between the sorted members, q(τ) at τ·(S − 1), as NumPy's do by default. The mean over
// many levels between 0 and 1, doubled, is near the CRPS. Errors: no levels, one outside (0, 1).
func Quantiles[T Float](s Sample[T], levels []float64) ([]Mean, error) {
	if err := checkLevels("quantile", levels); err != nil {
		return nil, err
	}
	means := make([]Mean, len(levels))
	eachSorted(s, func(x []float64, y, w float64) {
		for i, level := range levels {
			means[i].put(w, pinball(quantile.Sorted(x, level), y, level))
		}
	})
	return means, nil
}

// Interval holds the sums of central prediction intervals at one level.
type Interval struct {
	// Alpha is the probability that the interval leaves out.
	Alpha float64
	// Score is the interval score (u − l) + 2/α·(l − y)·1{y < l} + 2/α·(y − u)·1{y > u}, Width u − l, and
	// Coverage the share of cells with l ≤ y ≤ u.
	Score, Width, Coverage Mean
}

// Intervals returns the scores of the intervals between the quantiles at α/2 and 1 − α/2
// ([Quantiles] says how they are taken) for each α. Errors: no levels, one outside (0, 1).
func Intervals[T Float](s Sample[T], alphas []float64) ([]Interval, error) {
	if err := checkLevels("interval", alphas); err != nil {
		return nil, err
	}
	out := make([]Interval, len(alphas))
	for i, alpha := range alphas {
		out[i].Alpha = alpha
	}
	eachSorted(s, func(x []float64, y, w float64) {
		for i := range out {
			score, width, inside := interval(x, y, out[i].Alpha)
			out[i].Score.put(w, score)
			out[i].Width.put(w, width)
			out[i].Coverage.put(w, inside)
		}
	})
	return out, nil
}

// WeightedInterval returns the weighted interval score of K intervals and the median m,
// (½·|y − m| + Σ α_k/2·IS_{α_k})/(K + ½) (Bracher et al. 2021), which nears the CRPS with many
// levels. Errors as for [Intervals].
func WeightedInterval[T Float](s Sample[T], alphas []float64) (Mean, error) {
	var mean Mean
	if err := checkLevels("interval", alphas); err != nil {
		return mean, err
	}
	eachSorted(s, func(x []float64, y, w float64) {
		sum := math.Abs(y-quantile.Sorted(x, 0.5)) / 2
		for _, alpha := range alphas {
			score, _, _ := interval(x, y, alpha)
			sum += float64(alpha / 2 * score)
		}
		mean.put(w, sum/(float64(len(alphas))+0.5))
	})
	return mean, nil
}

// pinball is the quantile score of one number.
func pinball(q, y, level float64) float64 {
	if y <= q {
		return (1 - level) * (q - y)
	}
	return level * (y - q)
}

// interval is the score of one interval, its width, and 1 if the truth lies in it.
func interval(x []float64, y, alpha float64) (score, width, inside float64) {
	low, high := quantile.Sorted(x, alpha/2), quantile.Sorted(x, 1-alpha/2)
	width = high - low
	switch {
	case y < low:
		return width + float64(2/alpha*(low-y)), width, 0
	case y > high:
		return width + float64(2/alpha*(y-high)), width, 0
	}
	return width, width, 1
}

// eachSorted visits the cells that have a weight, with their members in ascending order.
func eachSorted[T Float](s Sample[T], visit func(x []float64, y, w float64)) {
	eachColumns(s, func(c *columns[T], first, n int) {
		c.sort()
		for i := range n {
			if w := s.weight(first + i); w != 0 {
				visit(c.of(i), float64(c.y[i]), w)
			}
		}
	})
}

func checkLevels(score string, levels []float64) error {
	if len(levels) == 0 {
		return fmt.Errorf("no levels of %s scores", score)
	}
	for _, level := range levels {
		if !(level > 0 && level < 1) {
			return fmt.Errorf("level %g of %s scores: want numbers between 0 and 1", level, score)
		}
	}
	return nil
}
