// How far people who rate the same things agree.

package score

import (
	"math"

	"repscope/stat"
)

// RaterTerms returns, for each unit, the sums from which [AlphaOf] is computed. For a unit with
// ratings x of m raters they are Σ_{i≠j} (x_i − x_j)²/(m − 1), m, Σ x and Σ x², with x centered at the
// mean of all ratings. Units with fewer than two ratings have terms of 0. Deleting units means
// subtracting their terms, so that [stat.JackknifeSums] gives the error.
func RaterTerms(units [][]float64) [][]float64 {
	var all []float64
	for _, ratings := range units {
		if len(ratings) > 1 {
			all = append(all, ratings...)
		}
	}
	middle := 0.0
	if len(all) > 0 {
		middle = stat.Mean(all)
	}
	terms := make([][]float64, 4)
	for k := range terms {
		terms[k] = make([]float64, len(units))
	}
	for u, ratings := range units {
		m := float64(len(ratings))
		if m < 2 {
			continue
		}
		mean := stat.Mean(ratings)
		var sum, squares, about float64
		for _, x := range ratings {
			sum += x - middle
			squares += float64((x - middle) * (x - middle))
			about += float64((x - mean) * (x - mean))
		}
		terms[0][u], terms[1][u], terms[2][u], terms[3][u] = 2*m*about/(m-1), m, sum, squares
	}
	return terms
}

// AlphaOf returns Krippendorff's alpha for ratings on an interval scale (Krippendorff 2004, "Content
// analysis", chapter 11) from the sums of [RaterTerms]:
//
//	α = 1 − D_o/D_e,  D_o = (1/n) Σ_u Σ_{i≠j} (x_ui − x_uj)²/(m_u − 1),
//	D_e = 1/(n (n − 1)) Σ_{i≠j} (x_i − x_j)² over all n ratings
//
// 1 is perfect agreement, 0 is the agreement of random ratings; negative values are possible. NaN if
// fewer than two ratings remain or all are equal.
func AlphaOf(sums []float64) float64 {
	n := sums[1]
	spread := 2 * (float64(n*sums[3]) - float64(sums[2]*sums[2]))
	if n < 2 || spread <= 1e-12*n*sums[3] {
		return math.NaN()
	}
	return 1 - sums[0]*(n-1)/spread
}

// Alpha is Krippendorff's alpha (see [AlphaOf]) of the ratings of units. Errors: no unit with two
// ratings, ratings that are all equal.
func Alpha(units [][]float64) (float64, error) {
	terms := RaterTerms(units)
	sums := make([]float64, len(terms))
	for k := range terms {
		sums[k] = stat.Sum(terms[k])
	}
	if sums[1] == 0 {
		return 0, stat.Undefined("alpha", "no item has two ratings")
	}
	alpha := AlphaOf(sums)
	if math.IsNaN(alpha) {
		return 0, stat.Undefined("alpha", "all ratings are equal")
	}
	return alpha, nil
}
