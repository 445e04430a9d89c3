// The Wilcoxon signed rank test.

package stat

import (
	"math"
)

// ZeroMethod is the treatment of zero differences in a signed rank test.
type ZeroMethod int

const (
	// ZerosPratt ranks zeros with the others and then leaves their ranks out (Pratt
	// 1959): many zeros make a difference less certain, as they should.
	ZerosPratt ZeroMethod = iota
	// ZerosWilcox leaves zeros out before ranking, as Wilcoxon (1945) did.
	ZerosWilcox
)

// String returns "pratt" or "wilcox".
func (z ZeroMethod) String() string {
	if z == ZerosWilcox {
		return "wilcox"
	}
	return "pratt"
}

// SignedRank is the result of a Wilcoxon signed rank test.
type SignedRank struct {
	N     int // differences
	Zeros int
	// Plus and Minus are the sums of the ranks of positive and of negative differences.
	Plus, Minus float64
	// P is two-sided: exact up to 50 differences that are not 0, else NormalP.
	P     float64
	Exact bool
	// Z and NormalP belong to the normal approximation with the variance of the ranks
	// as they are (tie correction), without continuity correction.
	Z, NormalP float64
	// RankBiserial is (Plus − Minus)/(Plus + Minus), an effect size in [−1, 1].
	RankBiserial float64
}

// maxExactRanks is the number of differences up to which P is exact.
const maxExactRanks = 50

// WilcoxonSignedRank tests whether independent differences are symmetric about 0, by the ranks of
// their absolute values. Equal absolute values share the mean of their ranks. The exact P is over all
// signs of these ranks, including ties; without ties it is the tabulated value (scipy.stats.wilcoxon,
// whose exact method does not support ties). It expects one difference per block of dependent
// observations; the test of [Compare] is its counterpart for the mean. If all differences are 0, P =
// 1. Errors: no differences, NaN or Inf.
func WilcoxonSignedRank(differences []float64, zeros ZeroMethod) (SignedRank, error) {
	const quantity = "signed rank test"
	if len(differences) == 0 {
		return SignedRank{}, Undefined(quantity, "no differences")
	}
	if err := checkFinite(quantity, "differences", differences); err != nil {
		return SignedRank{}, err
	}
	var ranked []float64
	result := SignedRank{N: len(differences), P: 1, NormalP: 1}
	for _, d := range differences {
		if d == 0 {
			result.Zeros++
		}
		if d != 0 || zeros == ZerosPratt {
			ranked = append(ranked, math.Abs(d))
		}
	}
	if result.Zeros == result.N {
		return result, nil
	}
	// Twice the ranks are integers, so sums and counts are exact.
	var doubled []int
	plus, total, squares := 0, 0, 0.0
	next := 0
	ranks := Ranks(ranked)
	for _, d := range differences {
		if d == 0 && zeros == ZerosWilcox {
			continue
		}
		r := int(2 * ranks[next])
		next++
		if d == 0 {
			continue
		}
		doubled = append(doubled, r)
		total += r
		squares += float64(r * r)
		if d > 0 {
			plus += r
		}
	}
	result.Plus, result.Minus = float64(plus)/2, float64(total-plus)/2
	result.RankBiserial = float64(2*plus-total) / float64(total)
	result.Z = float64(2*plus-total) / math.Sqrt(squares)
	result.NormalP = normalTwoSidedP(result.Z)
	result.P = result.NormalP
	if len(doubled) <= maxExactRanks {
		result.P, result.Exact = exactSignedRank(doubled, plus, total), true
	}
	return result, nil
}

// exactSignedRank is the share of sign patterns whose sum of positive ranks is at least
// as far from its mean as plus. All counts are integers below 2^50.
func exactSignedRank(doubled []int, plus, total int) float64 {
	counts := make([]float64, total+1)
	counts[0] = 1
	reached := 0
	for _, r := range doubled {
		for s := reached; s >= 0; s-- {
			counts[s+r] += counts[s]
		}
		reached += r
	}
	far := max(plus, total-plus)
	tail, all := 0.0, 0.0
	for s, c := range counts {
		all += c
		if s >= far || s <= total-far {
			tail += c
		}
	}
	return tail / all
}
