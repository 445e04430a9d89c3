// What makes an intrinsic dimension doubtful: lattices, rounding, scales that disagree.

package manifold

import (
	"math"

	"repscope/analysis/internal/results"
	"repscope/report"
)

const (
	// manyTied is the share of latents with two nearest neighbors at one distance from which
	// intrinsic dimensions describe a lattice.
	manyTied = 0.05
	// latticeShare is the share of coordinates that nearest neighbors have in common from which the steps of rounded
	// latents decide distances. In a simulation of 600 latents of 3 dimensions it is 0.5 for 20 levels, where Two-NN is
	// 3.9, and 0.04 for 256 levels, where Two-NN equals the value of exact latents.
	latticeShare = 0.4
	// fewHold is how many times the distance of nine of ten latents the RMS distance is where
	// few hold nearly all variance.
	fewHold = 10
	// farApart is how many times one estimate of the dimension is another where a reader must
	// know that they disagree: bias moves estimates of smooth distributions by less.
	farApart = 1.25
)

// tied is the share of ratios r2/r1 that are 1.
func tied(ratio []float64) float64 {
	count := 0
	for _, v := range ratio {
		if v == 1 {
			count++
		}
	}
	return float64(count) / float64(len(ratio))
}

// doubt warns of what makes the intrinsic dimensions of a model doubtful, with the share of coordinates that nearest
// neighbors have in common. An estimate that a lattice decides, or that is above the number of dimensions, is compared
// with no other.
func (m *Measured) doubt(shared float64) {
	r, model := &m.Model.TwoNN, &m.Model
	if n := model.Samples; float64(r.Duplicates) > results.DuplicateShare*float64(n) {
		m.warn("%s: %d of %d latents are duplicates of an earlier latent, up to rounding; they are left out of "+
			"intrinsic dimensions", model.Name, r.Duplicates, n)
	}
	if share := r.Tied.Float(); share > manyTied {
		m.compareNoDimension()
		m.warn("%s: %.0f %% of the latents have two nearest neighbors at equal distances, as discrete codes do: "+
			"intrinsic dimensions describe a lattice and are mostly too large and are not "+
			"compared", model.Name, 100*share)
	} else if shared > latticeShare {
		m.compareNoDimension()
		m.warn("%s: nearest neighbors have %.0f %% of their coordinates in common, as rounded latents do: intrinsic "+
			"dimensions follow the steps and are mostly too large and are not compared; use latents before rounding",
			model.Name, 100*shared)
	}
	if d := model.NominalDimension; r.MLE.Defined() && above(r.MLE, r.MLEHalvesCI, float64(d)) {
		m.compareNoDimension()
		m.warn("%s: Two-NN is %.3g, above the nominal %d dimensions: too few or discrete latents; intrinsic "+
			"dimensions are not compared", model.Name, r.MLE.V, d)
	}
	if limit := mostDimensions(r.NUsed); r.MLE.Defined() && r.MLE.V > limit {
		m.warn("%s: Two-NN is %.3g, but %d latents cannot resolve a dimension above about %.2g (2·log₁₀ n): the "+
			"true dimension may be far larger; use more latents",
			model.Name, r.MLE.V, r.NUsed, limit)
	}
	if r.Tied.Float() > manyTied || shared > latticeShare || model.NeighborsInTime.Float() > manyInTime {
		return // that says why estimates differ
	}
	if disagree(r.MLE, r.Fit, r.NUsed) {
		m.warn("%s: Two-NN is %.3g by likelihood but %.3g by the fit: some nearest neighbors are much nearer than "+
			"others, as noisy copies are; raise --duplicate-tolerance", model.Name, r.MLE.V, r.Fit.V)
	}
	if g := model.Gride; len(g) > 1 && g[0].N1 == 1 && disagree(g[0].ID.Value, g[1].ID.Value, r.NUsed) {
		m.warn("%s: the dimension is %.3g for neighbors %d and %d, but %.3g for %d and %d: it depends on the "+
			"scale. Noisy copies lower the first, noise raises it; read the whole Gride curve",
			model.Name, g[0].ID.V, g[0].N1, g[0].N2, g[1].ID.V, g[1].N1, g[1].N2)
	}
}

// compareNoDimension leaves the intrinsic dimensions out of comparisons.
func (m *Measured) compareNoDimension() { m.TwoNN, m.LevinaBickel = nil, nil }

// mostDimensions is the largest dimension that n points can show over one decade of
// distances (Eckmann and Ruelle 1992): estimates above it are too low.
func mostDimensions(n int) float64 { return 2 * math.Log10(float64(n)) }

// above reports whether a dimension is above the most that there can be, beyond its error.
func above(v report.Value, ci report.Interval, limit float64) bool {
	if ci.Defined() {
		return ci.Low > limit
	}
	return v.V > farApart*limit
}

// disagree reports whether two estimates from n latents differ by more than four times
// the error of either, d/√n, and by as much as a reader must know.
func disagree(a, b report.Value, n int) bool {
	return a.Defined() && b.Defined() && math.Abs(math.Log(a.V/b.V)) > max(math.Log(farApart), 4/math.Sqrt(float64(n)))
}
