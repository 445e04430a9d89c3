// A martingale of p values that may be watched at every step.

package conformal

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Martingale is the power martingale of p values, mixed over its exponent,
//
//	M = ∫₀¹ Π κ p^(κ−1) dκ = e^a γ(n + 1, a) / a^(n+1),  a = −Σ ln p,
//
// with the lower incomplete gamma function γ (Vovk, Nouretdinov & Gammerman 2003). If each p value is uniform or larger
// given those before it, M ≥ 1/α ever happens with probability ≤ α at most, however long it is watched (Ville 1939).
// Conformal p values of successive transitions depend on each other, and M of them has no such bound. The zero value is
// ready to use.
type Martingale struct {
	n   int
	sum float64 // −Σ ln p
}

// Update takes the next p value, in (0, 1], and returns ln M.
func (m *Martingale) Update(p float64) (float64, error) {
	if !(p > 0 && p <= 1) {
		return math.NaN(), fmt.Errorf("p value %v, want a number above 0 and at most 1", p)
	}
	m.n, m.sum = m.n+1, m.sum-math.Log(p)
	return m.log(), nil
}

func (m *Martingale) log() float64 {
	n, a := float64(m.n), m.sum
	if a > 0 {
		if share := mathext.GammaIncReg(n+1, a); share > 1e-250 {
			factorial, _ := math.Lgamma(n + 1)
			return a - (n+1)*math.Log(a) + factorial + math.Log(share)
		}
	}
	// Σ_k a^k / ((n + 1) … (n + 1 + k)), as a is far below n
	sum, term := 1.0, 1.0
	for k := 2.0; term > 1e-17*sum; k++ {
		term *= a / (n + k)
		sum += term
	}
	return math.Log(sum) - math.Log(n+1)
}
