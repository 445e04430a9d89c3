// Two-NN without each block of points in turn, for delete-block jackknifes.

package dimension

import (
	"fmt"
	"math"
	"slices"

	"repscope/stat"
)

// WithoutBlocks estimates Two-NN again of the points outside block 0, 1, …, with the
// neighbors that remain; blocks group all points, duplicates included. The first two
// neighbors outside a block are read from the lists, and where a list is exhausted
// all points are looked at: lists of about 32 neighbors rarely are. fit is NaN where
// the ratios it uses are all 1. A deletion that leaves nothing to estimate from is
// an error, as are blocks of another number of points.
func (d *Distinct) WithoutBlocks(blocks *stat.Blocks) (mle, fit []float64, err error) {
	labels := blocks.Labels()
	if len(labels) != d.all.Points().N {
		return nil, nil, fmt.Errorf("two-NN: blocks of %d points for %d points", len(labels), d.all.Points().N)
	}
	label := make([]int, len(d.Index))
	for i, original := range d.Index {
		label[i] = labels[original]
	}
	for j := range blocks.Count() {
		ratio := d.ratiosWithout(label, j)
		total, err := sumLog(ratio)
		if err != nil {
			return nil, nil, err
		}
		slices.Sort(ratio)
		mle = append(mle, float64(len(ratio))/total)
		fit = append(fit, twoNNFit(ratio))
	}
	return mle, fit, nil
}

// ratiosWithout returns r2/r1 of every point outside block j, among those.
func (d *Distinct) ratiosWithout(label []int, j int) []float64 {
	var out []float64
	for i := range label {
		if label[i] == j {
			continue
		}
		var r [2]float64
		found := 0
		for m := i * d.Nearest.K; m < (i+1)*d.Nearest.K && found < 2; m++ {
			if label[d.Nearest.Index[m]] != j {
				r[found] = d.Nearest.Distance[m]
				found++
			}
		}
		if found < 2 {
			r = d.twoNearestWithout(label, i, j)
		}
		if r[0] > 0 && !math.IsInf(r[1], 0) {
			out = append(out, r[1]/r[0])
		}
	}
	return out
}

// twoNearestWithout looks at all points outside block j for the two nearest of
// point i.
func (d *Distinct) twoNearestWithout(label []int, i, j int) [2]float64 {
	z := d.all.Points()
	best := [2]float64{math.Inf(1), math.Inf(1)}
	a, b := z.Row(d.Index[i], nil), make([]float64, z.Dim)
	for other := range label {
		if other == i || label[other] == j {
			continue
		}
		square := 0.0
		for k, v := range z.Row(d.Index[other], b) {
			square += float64((a[k] - v) * (a[k] - v))
		}
		switch {
		case square < best[0]:
			best[0], best[1] = square, best[0]
		case square < best[1]:
			best[1] = square
		}
	}
	return [2]float64{math.Sqrt(best[0]), math.Sqrt(best[1])}
}
