// Correlation coefficients: Pearson, Spearman, Kendall.

package stat

import (
	"cmp"
	"math"
	"slices"
)

// Correlation is a coefficient with its two-sided p value for independent pairs.
type Correlation struct {
	N           int
	Coefficient float64 // NaN when one variable is constant
	PValue      float64 // NaN when one variable is constant
	Reason      string  // why they are NaN
}

func pearson(quantity string, x, y []float64) (Correlation, error) {
	if err := checkPair(quantity, x, y, 3); err != nil {
		return Correlation{}, err
	}
	m := centeredMoments(x, y)
	c := Correlation{N: len(x), Coefficient: math.NaN(), PValue: math.NaN()}
	if c.Reason = constantReason(m.constantX, m.constantY); c.Reason != "" {
		return c, nil
	}
	c.Coefficient = m.correlation()
	if math.IsNaN(c.Coefficient) {
		c.Reason = "squares overflow or underflow; rescale the data"
		return c, nil
	}
	// 1 − r² from the residuals keeps its digits where r is close to ±1.
	freedom := float64(c.N - 2)
	slope := m.xy / m.xx
	residual := sumOf(0, c.N, func(i int) float64 {
		e := (y[i] - m.meanY) - float64(slope*(x[i]-m.meanX))
		return float64(e * e)
	})
	c.PValue, _ = twoSidedP(c.Coefficient*math.Sqrt(freedom*(m.yy/residual)), freedom)
	return c, nil
}

func constantReason(x, y bool) string {
	switch {
	case x && y:
		return "x and y are constant"
	case x:
		return "x is constant"
	case y:
		return "y is constant"
	}
	return ""
}

// Spearman returns the rank correlation of x and y: Pearson's coefficient of the
// average ranks, with its t approximation for the p value (scipy.stats.spearmanr).
// Errors: different lengths, fewer than 3 pairs, NaN or Inf.
func Spearman(x, y []float64) (Correlation, error) {
	const quantity = "Spearman correlation"
	if err := checkPair(quantity, x, y, 3); err != nil {
		return Correlation{}, err
	}
	return pearson(quantity, Ranks(x), Ranks(y))
}

// Ranks returns the ranks 1..n of values; tied values share the mean of their
// ranks.
func Ranks(values []float64) []float64 {
	order := sortedOrder(values)
	ranks := make([]float64, len(values))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		shared := float64(lo+hi+1) / 2
		for _, i := range order[lo:hi] {
			ranks[i] = shared
		}
		lo = hi
	}
	return ranks
}

// sortedOrder returns the indices of values in ascending order, ties by index.
func sortedOrder(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
	})
	return order
}

// Kendall returns the rank correlation τ_b in O(n log n) (Knight 1966). The p
// value is exact without ties for n ≤ 33 or when at most one pair is out of
// order, else from the normal approximation with tie correction
// (scipy.stats.kendalltau). Errors as for [Spearman].
func Kendall(x, y []float64) (Correlation, error) {
	const quantity = "Kendall correlation"
	if err := checkPair(quantity, x, y, 3); err != nil {
		return Correlation{}, err
	}
	n := len(x)
	c := Correlation{N: n, Coefficient: math.NaN(), PValue: math.NaN()}
	if c.Reason = constantReason(isConstant(x), isConstant(y)); c.Reason != "" {
		return c, nil
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b]))
	})
	inOrder := make([]float64, n)
	joint := int64(0)
	run := int64(1)
	for k, i := range order {
		inOrder[k] = y[i]
		if k > 0 && x[i] == x[order[k-1]] && y[i] == y[order[k-1]] {
			joint += run
			run++
		} else {
			run = 1
		}
	}
	discordant := countInversions(inOrder, make([]float64, n)) // sorts inOrder
	tx := tiesOf(slices.Sorted(slices.Values(x)))
	ty := tiesOf(inOrder)
	total := int64(n) * int64(n-1) / 2
	concordantMinus := float64(total - tx.pairs - ty.pairs + joint - 2*discordant)
	c.Coefficient = tauB(concordantMinus, float64(total-tx.pairs), float64(total-ty.pairs))
	if tx.pairs == 0 && ty.pairs == 0 && (n <= 33 || min(discordant, total-discordant) <= 1) {
		c.PValue = kendallExactP(n, min(discordant, total-discordant))
		return c, nil
	}
	size := float64(n)
	m := size * (size - 1)
	variance := (m*(2*size+5)-tx.cubic-ty.cubic)/18 +
		2*float64(tx.pairs)*float64(ty.pairs)/m +
		tx.triple*ty.triple/(9*m*(size-2))
	c.PValue = normalTwoSidedP(concordantMinus / math.Sqrt(variance))
	return c, nil
}

// tauB is agree over the geometric mean of x and y, which is exact where they are equal: so equal
// orders with ties have exactly 1.
func tauB(agree, x, y float64) float64 {
	if x == y {
		return agree / x
	}
	return min(max(agree/math.Sqrt(x)/math.Sqrt(y), -1), 1)
}

// ties sums over the groups of t equal values.
type ties struct {
	pairs         int64   // Σ t(t−1)/2
	triple, cubic float64 // Σ t(t−1)(t−2), Σ t(t−1)(2t+5)
}

func tiesOf(sorted []float64) ties {
	var s ties
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && sorted[hi] == sorted[lo] {
			hi++
		}
		t := float64(hi - lo)
		s.pairs += int64(hi-lo) * int64(hi-lo-1) / 2
		s.triple += t * (t - 1) * (t - 2)
		s.cubic += t * (t - 1) * (2*t + 5)
		lo = hi
	}
	return s
}

// countInversions sorts values and returns the number of pairs that were out of
// order (strictly).
func countInversions(values, scratch []float64) int64 {
	n := len(values)
	if n < 2 {
		return 0
	}
	half := n / 2
	count := countInversions(values[:half], scratch[:half]) + countInversions(values[half:], scratch[half:])
	copy(scratch, values)
	left, right := scratch[:half], scratch[half:n]
	for k := range values {
		if len(right) == 0 || (len(left) > 0 && left[0] <= right[0]) {
			values[k] = left[0]
			left = left[1:]
		} else {
			count += int64(len(left))
			values[k] = right[0]
			right = right[1:]
		}
	}
	return count
}

// kendallExactP returns twice the probability that a random permutation of n has
// at most c inversions (at most 1), for c ≤ half of all pairs.
func kendallExactP(n int, c int64) float64 {
	if 4*c >= int64(n)*int64(n-1) {
		return 1
	}
	if c <= 1 {
		// 1 permutation has none, n−1 have one; through Γ because n may be large.
		log, _ := math.Lgamma(float64(n) + 1)
		count := 1.0
		if c == 1 {
			count = float64(n)
		}
		return min(1, 2*count*math.Exp(-log))
	}
	// density[j] is the probability of j inversions among the first m items.
	density := make([]float64, c+1)
	density[0] = 1
	next := make([]float64, c+1)
	for m := 2; m <= n; m++ {
		window := 0.0
		for j := range next {
			window += density[j]
			if j >= m {
				window -= density[j-m]
			}
			next[j] = max(window, 0) / float64(m)
		}
		density, next = next, density
	}
	return min(1, 2*Sum(density))
}
