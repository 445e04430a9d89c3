// Two maps: correlation, similarity, divergence.

package saliency

import (
	"math"

	"repscope/internal/kernel/vector"
)

// Epsilon keeps the logarithms of [KL] finite where a map is 0.
const Epsilon = 1e-8

// CC returns Pearson's correlation between the pixels of two maps, in [−1, 1]: 1 for equal maps.
// Undefined for constant maps and for maps of different sizes.
func CC(p, q *Map) (float64, error) {
	const quantity = "CC"
	if err := sameSize(quantity, p.Width, p.Height, q.Width, q.Height); err != nil {
		return math.NaN(), err
	}
	for _, m := range []*Map{p, q} {
		if err := m.ordered(quantity); err != nil {
			return math.NaN(), err
		}
	}
	p, q = p.moderate(), q.moderate()
	n := float64(len(p.values))
	meanP, meanQ := p.sum/n, q.sum/n
	var pp, qq, pq [2]float64
	for i, v := range p.values {
		a, b := v-meanP, q.values[i]-meanQ
		pp[i&1] += float64(a * a)
		qq[i&1] += float64(b * b)
		pq[i&1] += float64(a * b)
	}
	// √(s·s) is s to the last bit, so that equal maps correlate by 1.
	r := (pq[0] + pq[1]) / math.Sqrt((pp[0]+pp[1])*(qq[0]+qq[1]))
	return max(-1, min(1, r)), nil
}

// moderate is the map or, where products of its squares could leave float64 or its values are all but equal, so that a
// rounded mean would count, the map in units of its range.
func (m *Map) moderate() *Map {
	if width := m.max - m.min; width > 1e-60 && width < 1e60 && max(-m.min, m.max) < 1e4*width {
		return m
	}
	if rescaled, err := m.Rescaled(); err == nil {
		return rescaled
	}
	return m // a constant map, which has no correlation
}

// sizable is the map or, where 1 over its sum could leave float64, the map in units of its largest value.
func (m *Map) sizable() *Map {
	if m.sum > 1e-290 {
		return m
	}
	values := make([]float64, len(m.values))
	for i, v := range m.values {
		values[i] = v / m.max
	}
	return &Map{Width: m.Width, Height: m.Height, values: values, min: m.min / m.max, max: 1, sum: vector.Sum64(values)}
}

// SIM returns the similarity Σ min(pᵢ, qᵢ) of two maps as distributions p = v/Σv (Judd et al. 2012),
// in [0, 1]: 1 for equal maps, 0 for disjoint maps. It is computed as 1 − Σ |pᵢ − qᵢ|/2. Undefined for
// maps with negative values, maps of zeros, and maps of different sizes.
func SIM(p, q *Map) (float64, error) {
	if err := distributions("SIM", p, q); err != nil {
		return math.NaN(), err
	}
	p, q = p.sizable(), q.sizable()
	a, b, toP, toQ := p.values, q.values[:len(p.values)], 1/p.sum, 1/q.sum
	var s [4]float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s[0] += math.Abs(float64(a[i]*toP) - float64(b[i]*toQ))
		s[1] += math.Abs(float64(a[i+1]*toP) - float64(b[i+1]*toQ))
		s[2] += math.Abs(float64(a[i+2]*toP) - float64(b[i+2]*toQ))
		s[3] += math.Abs(float64(a[i+3]*toP) - float64(b[i+3]*toQ))
	}
	for ; i < len(a); i++ {
		s[0] += math.Abs(float64(a[i]*toP) - float64(b[i]*toQ))
	}
	return max(0, 1-(s[0]+s[1]+(s[2]+s[3]))/2), nil
}

// KL returns the Kullback–Leibler divergence Σ (pᵢ+ε)·ln((pᵢ+ε)/(qᵢ+ε)) of p from q in nats, p = v/Σv:
// 0 for equal maps, unbounded otherwise, not symmetric. ε is [Epsilon] or another number ≥ 0. With ε =
// 0, pixels with pᵢ = 0 add nothing, and pixels with qᵢ = 0 < pᵢ give +Inf. Undefined for maps with
// negative values, maps of zeros, and maps of different sizes.
func KL(p, q *Map, epsilon float64) (float64, error) {
	const quantity = "KL"
	if err := distributions(quantity, p, q); err != nil {
		return math.NaN(), err
	}
	if err := offset(quantity, epsilon); err != nil {
		return math.NaN(), err
	}
	var s [4]float64
	for i, v := range p.values {
		a, b := v/p.sum+epsilon, q.values[i]/q.sum+epsilon
		if a == b || a == 0 {
			continue
		}
		ratio := a / b
		if ratio > 1e-300 && ratio < 1e300 {
			s[i&3] += float64(a * math.Log(ratio))
		} else {
			s[i&3] += float64(a * (math.Log(a) - math.Log(b)))
		}
	}
	return max(0, s[0]+s[1]+(s[2]+s[3])), nil
}

// KLRatio returns Σ pᵢ·ln(ε + pᵢ/(qᵢ+ε)) in nats, p = v/Σv, the form that Bylinskii et al. 2019 give the divergence
// of p from q, with ε = [GainEpsilon] in the code of the MIT saliency benchmark. Where qᵢ is 0 and pᵢ is not, it is
// larger than [KL] with [Epsilon]; for equal maps it is 0 but for ε and may be below. ε is a number ≥ 0; for 0 it is
// KL without ε. Pixels with pᵢ = 0 add nothing. Undefined for maps with negative values, that are 0 everywhere, or of
// different sizes.
func KLRatio(p, q *Map, epsilon float64) (float64, error) {
	const quantity = "KL"
	if err := distributions(quantity, p, q); err != nil {
		return math.NaN(), err
	}
	if err := offset(quantity, epsilon); err != nil {
		return math.NaN(), err
	}
	if epsilon == 0 {
		return KL(p, q, 0)
	}
	var s [4]float64
	for i, v := range p.values {
		if a := v / p.sum; a > 0 {
			s[i&3] += float64(a * math.Log(epsilon+a/(q.values[i]/q.sum+epsilon)))
		}
	}
	return s[0] + s[1] + (s[2] + s[3]), nil
}

// distributions says whether two maps can be held against each other as such.
func distributions(quantity string, p, q *Map) error {
	if err := sameSize(quantity, p.Width, p.Height, q.Width, q.Height); err != nil {
		return err
	}
	if err := p.distribution(quantity); err != nil {
		return err
	}
	return q.distribution(quantity)
}
