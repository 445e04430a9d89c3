// Points that follow each other.

package points

import "math"

// NeighborCorrelation is the correlation of neighboring points, Σ⟨x_i, x_{i+1}⟩ / Σ⟨x_i, x_i⟩ of coordinates less the
// mean of the points of their label; labels may be nil, for one label. It is between −1 and 1, about 0 for independent
// points in any order, with a standard error of at most 1/√n, and NaN where nothing varies within labels, where more
// than half of the points have a label of their own, or where coordinates are not finite.
func NeighborCorrelation(p Points, labels []int) float64 {
	if labels == nil {
		labels = make([]int, p.N)
	}
	distinct := map[int]bool{}
	for _, label := range labels {
		distinct[label] = true
	}
	if 2*len(distinct) > p.N {
		return math.NaN() // their means would take as much memory as the points
	}
	type sum struct {
		n    float64
		mean []float64
	}
	sums := map[int]*sum{}
	row, last := make([]float64, p.Dim), make([]float64, p.Dim)
	for i := range p.N {
		s := sums[labels[i]]
		if s == nil {
			s = &sum{mean: make([]float64, p.Dim)}
			sums[labels[i]] = s
		}
		s.n++
		for d, v := range p.Row(i, row) {
			s.mean[d] += (v - s.mean[d]) / s.n
		}
	}
	squares, products := 0.0, 0.0
	for i := range p.N {
		mean := sums[labels[i]].mean
		for d, v := range p.Row(i, row) {
			v -= mean[d]
			squares += float64(v * v)
			products += float64(v * last[d])
			last[d] = v
		}
	}
	return products / squares
}
