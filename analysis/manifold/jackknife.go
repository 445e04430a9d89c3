// Intervals by deleting blocks: dependent frames leave together, and no latent
// occurs twice, as it would in a bootstrap resample (which would make nearest
// neighbour distances zero and the spectrum steeper).

package manifold

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// maxBlocks bounds the number of deletions: each costs a pass over the ratios.
const maxBlocks = 200

// jackknifeNeighbors is the length of neighbour lists from which the first two
// neighbours outside a deleted block are read; where a list is exhausted, all
// latents are looked at.
const jackknifeNeighbors = 32

// linearIntervals fills in the interval of the participation ratio and returns
// its jackknife, nil without blocks. With sums over blocks, the covariance
// without a block is a difference.
func (m *Model) linearIntervals(z points.Points, s *stat.Spectrum, blocks *stat.Blocks) *stat.Jackknifed {
	if blocks == nil {
		m.ParticipationRatioCI = report.NoInterval("intervals are off")
		return nil
	}
	mean := columnMeans(z)
	moments := func(index []int) (total []float64, second blas64.Symmetric) {
		total = make([]float64, z.Dim)
		centred := make([]float64, len(index)*z.Dim)
		for r, i := range index {
			row := z.Row(i, centred[r*z.Dim:(r+1)*z.Dim])
			for k := range row {
				row[k] -= mean[k]
				total[k] += row[k]
			}
		}
		second = blas64.Symmetric{N: z.Dim, Stride: z.Dim, Uplo: blas.Upper, Data: make([]float64, z.Dim*z.Dim)}
		if len(index) > 0 {
			blas64.Syrk(blas.Trans, 1, blas64.General{Rows: len(index), Cols: z.Dim, Stride: z.Dim, Data: centred}, 0, second)
		}
		return total, second
	}
	// The sums over all latents are those over the blocks, so that only one
	// block's latents are held in float64 at a time; blocks are summed twice.
	sumAll := make([]float64, z.Dim)
	secondAll := make([]float64, z.Dim*z.Dim)
	for j := range blocks.Count() {
		total, second := moments(blocks.Block(j))
		addTo(sumAll, total)
		addTo(secondAll, second.Data)
	}
	replicates := make([]float64, blocks.Count())
	for j := range replicates {
		index := blocks.Block(j)
		total, second := moments(index)
		for k := range total {
			total[k] = sumAll[k] - total[k]
		}
		for k := range second.Data {
			second.Data[k] = secondAll[k] - second.Data[k]
		}
		replicates[j] = participationRatioOfMoments(float64(z.N-len(index)), total, second.Data)
	}
	jackknifed, err := stat.DeleteBlockJackknife(s.ParticipationRatio, replicates, blocks.Sizes(), 0)
	if err != nil {
		m.ParticipationRatioCI = report.NoInterval("%s", stat.Reason(err))
		return nil
	}
	m.ParticipationRatioCI = blockInterval(jackknifed)
	return jackknifed
}

// participationRatioOfMoments is (tr C)²/‖C‖_F² of n points from their sum and
// the upper triangle of their second moments.
func participationRatioOfMoments(n float64, total, second []float64) float64 {
	dim := len(total)
	trace, frobenius := 0.0, 0.0
	for a := range dim {
		for b := a; b < dim; b++ {
			c := second[a*dim+b] - total[a]*total[b]/n
			if a == b {
				trace += c
				frobenius += c * c
			} else {
				frobenius += 2 * c * c
			}
		}
	}
	return trace * trace / frobenius
}

func columnMeans(z points.Points) []float64 {
	mean, row := make([]float64, z.Dim), make([]float64, z.Dim)
	for i := range z.N {
		addTo(mean, z.Row(i, row))
	}
	for k := range mean {
		mean[k] /= float64(z.N)
	}
	return mean
}

func addTo(dst, src []float64) {
	for k, v := range src {
		dst[k] += v
	}
}

// jackknife deletes every block in turn and estimates Two-NN again, with the
// neighbours that remain. It returns nil without blocks or where a deletion
// leaves nothing to estimate from.
func (d *distinct) jackknife(z points.Points, blocks *stat.Blocks, full TwoNN) (mle, fit *stat.Jackknifed) {
	if blocks == nil {
		return nil, nil
	}
	labels := blocks.Labels()
	label := make([]int, len(d.index))
	for i, original := range d.index {
		label[i] = labels[original]
	}
	// Blocks keep their full sizes, duplicates or not, so that models with
	// different duplicates are compared over the same blocks.
	var mles, fits []float64
	for j := range blocks.Count() {
		ratio := d.ratiosWithout(z, label, j)
		total, err := sumLog(ratio)
		if err != nil {
			return nil, nil
		}
		slices.Sort(ratio)
		mles = append(mles, float64(len(ratio))/total)
		fits = append(fits, twoNNFit(ratio))
	}
	mle, err := stat.DeleteBlockJackknife(full.MLE, mles, blocks.Sizes(), 0)
	if err != nil {
		return nil, nil
	}
	if isFinite(full.Fit) && !slices.ContainsFunc(fits, math.IsNaN) {
		if fit, err = stat.DeleteBlockJackknife(full.Fit, fits, blocks.Sizes(), 0); err != nil {
			fit = nil
		}
	}
	return mle, fit
}

// ratiosWithout returns r2/r1 of every latent outside block j, among those.
func (d *distinct) ratiosWithout(z points.Points, label []int, j int) []float64 {
	var out []float64
	for i := range label {
		if label[i] == j {
			continue
		}
		var r [2]float64
		found := 0
		for m := i * d.nearest.K; m < (i+1)*d.nearest.K && found < 2; m++ {
			if label[d.nearest.Index[m]] != j {
				r[found] = d.nearest.Distance[m]
				found++
			}
		}
		if found < 2 {
			r = d.twoNearestWithout(z, label, i, j)
		}
		if r[0] > 0 && !math.IsInf(r[1], 0) {
			out = append(out, r[1]/r[0])
		}
	}
	return out
}

// twoNearestWithout looks at all latents outside block j for the two nearest of
// latent i.
func (d *distinct) twoNearestWithout(z points.Points, label []int, i, j int) [2]float64 {
	best := [2]float64{math.Inf(1), math.Inf(1)}
	a, b := z.Row(d.index[i], nil), make([]float64, z.Dim)
	for other := range label {
		if other == i || label[other] == j {
			continue
		}
		square := 0.0
		for k, v := range z.Row(d.index[other], b) {
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
