// Tests of tiles, quantiles, tails and moments against literal loops.

package forecast

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/internal/quantile"
	"repscope/report"
	"repscope/stat"
)

// tile is the energy score and the variogram score of tiles of 2 × 2 cells of a variable of a
// sample, and the number of them.
func (m *made) tile(i, v int) (energy, variogram float64, count int) {
	for y := 0; y+2 <= m.h; y += 2 {
		for x := 0; x+2 <= m.w; x += 2 {
			cells := []int{y*m.w + x, y*m.w + x + 1, (y+1)*m.w + x, (y+1)*m.w + x + 1}
			truth := func(c int) float64 { return m.truth[(i*m.v+v)*m.h*m.w+c] }
			member := func(k, c int) float64 { return m.members[((i*m.s+k)*m.v+v)*m.h*m.w+c] }
			for k := range m.s {
				own := 0.0
				for _, c := range cells {
					own += math.Pow(member(k, c)-truth(c), 2)
				}
				energy += math.Sqrt(own) / float64(m.s)
				for l := range m.s {
					square := 0.0
					for _, c := range cells {
						square += math.Pow(member(k, c)-member(l, c), 2)
					}
					energy -= math.Sqrt(square) / float64(2*m.s*(m.s-1))
				}
			}
			total, sum := 0.0, 0.0
			for p, a := range cells {
				for q, b := range cells {
					if p == q {
						continue
					}
					weight := 1 / (math.Hypot(float64(p/2-q/2), float64(p%2-q%2)) + 1e-6)
					mean := 0.0
					for k := range m.s {
						mean += math.Sqrt(math.Abs(member(k, a)-member(k, b))) / float64(m.s)
					}
					sum += weight * math.Pow(math.Sqrt(math.Abs(truth(a)-truth(b)))-mean, 2)
					total += weight
				}
			}
			variogram += sum / total
			count++
		}
	}
	return energy, variogram, count
}

// TestTiledScores: means over tiles, of which the last column is none, and their warning.
func TestTiledScores(t *testing.T) {
	t.Parallel()
	m := newMade(3, 4, 1, 4, 5, 3)
	r := analyze(t, m.input(t), Options{Tile: 2, Metrics: []string{"tiled_energy_score", "tiled_variogram_score"}})
	energy, variogram, count := 0.0, 0.0, 0
	for i := range m.n {
		a, b, n := m.tile(i, 0)
		energy, variogram, count = energy+a, variogram+b, count+n
	}
	near(t, "energy", value(t, &r.Models[0], "tiled_energy_score"), energy/float64(count))
	near(t, "variogram", value(t, &r.Models[0], "tiled_variogram_score"), variogram/float64(count))
	const warning = "tiled scores: tiles of 2 × 2 cells leave out the last 0 of 4 rows and 1 of 5 columns"
	if n := len(slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return w != warning })); n != 1 {
		t.Errorf("%d times %q: %q", n, warning, r.Warnings)
	}
	mask := make([]float64, 20)
	mask[3], mask[19] = 1, 1 // no two cells of a tile
	in := m.input(t)
	in.Regions = []Region{{Name: "points", Weights: mask}}
	r = analyze(t, in, Options{Tile: 2})
	part, _ := r.Models[0].ByRegion.Get("points")
	points := part.(*report.Object)
	for key, reason := range map[string]string{"tiled_energy_score": "", "tiled_variogram_score": noTile} {
		if v, _ := points.Get(key); v.(report.Estimate).Reason != reason {
			t.Errorf("%s of two points: %v, want reason %q", key, v, reason)
		}
	}
	for tile, want := range map[int]string{5: "tiles of 5 × 5 cells do not fit into fields of 4 × 5", 1: "one cell makes no pair"} {
		r = analyze(t, m.input(t), Options{Tile: tile})
		if reason, _ := r.Models[0].Skipped.Get("tiled_variogram_score"); reason != want {
			t.Errorf("tiles of %d: %v, want %s", tile, reason, want)
		}
	}
}

// TestQuantileScores: quantile, interval and threshold-weighted scores, and those of moments.
func TestQuantileScores(t *testing.T) {
	t.Parallel()
	m := newMade(3, 5, 2, 3, 4, 4)
	r := analyze(t, m.input(t), Options{Quantiles: []float64{0.3}, Coverage: []float64{0.6}, Thresholds: []float64{0.2}, CRPS: EstimatorBiased})
	want := map[string]float64{}
	n := float64(len(m.truth))
	for c, y := range m.truth {
		size := m.v * m.h * m.w
		x := make([]float64, m.s)
		for k := range x {
			x[k] = m.members[(c/size*m.s+k)*size+c%size]
		}
		slices.Sort(x)
		pinball := func(q, level float64) float64 { return max(level*(y-q), (level-1)*(y-q)) }
		want["quantiles[level=0.3].quantile_score"] += pinball(quantile.Sorted(x, 0.3), 0.3) / n
		low, high := quantile.Sorted(x, 0.2), quantile.Sorted(x, 0.8)
		score := high - low + 2/0.4*(max(0, low-y)+max(0, y-high))
		want["intervals[nominal=0.6].interval_score"] += score / n
		want["intervals[nominal=0.6].width"] += (high - low) / n
		if low <= y && y <= high {
			want["intervals[nominal=0.6].coverage"] += 1 / n
		}
		want["weighted_interval_score"] += (math.Abs(y-x[2])/2 + 0.2*score) / 1.5 / n
		for _, a := range x {
			want["events[threshold=0.2].twcrps"] += math.Abs(max(a, 0.2)-max(y, 0.2)) / 5 / n
			for _, b := range x {
				want["events[threshold=0.2].twcrps"] -= math.Abs(max(a, 0.2)-max(b, 0.2)) / 50 / n
			}
		}
		mean, variance := stat.MeanVariance(x)
		e, cubes := mean-y, 0.0
		for _, v := range x {
			cubes += math.Pow((v-mean)/math.Sqrt(variance), 3)
		}
		want["dawid_sebastiani"] += (e*e/variance + math.Log(variance)) / n
		want["error_spread"] += math.Pow(variance-e*e-e*math.Sqrt(variance)*5./12*cubes, 2) / n
	}
	for path, v := range want {
		near(t, path, value(t, &r.Models[0], path), v)
	}
}

// TestNoVariance: equal members of one cell leave scores of the variance undefined, with a
// reason, and skewness needs three members.
func TestNoVariance(t *testing.T) {
	t.Parallel()
	m := newMade(3, 4, 1, 3, 3, 5)
	for k := range m.s {
		m.members[k*9+4] = 1
	}
	r := analyze(t, m.input(t), Options{})
	for _, name := range []string{"dawid_sebastiani", "error_spread"} {
		if reason, _ := r.Models[0].Skipped.Get(name); reason != "all members are equal in some cell, so their variance is 0" {
			t.Errorf("%s: %v", name, reason)
		}
	}
	two := newMade(3, 2, 1, 3, 3, 5)
	r = analyze(t, two.input(t), Options{})
	if reason, _ := r.Models[0].Skipped.Get("error_spread"); reason != "skewness needs three members" {
		t.Error(reason)
	}
	for _, o := range []Options{{Quantiles: []float64{1}}, {Coverage: []float64{math.NaN()}}, {Tile: -1}} {
		if _, err := Analyze(t.Context(), m.input(t), o); err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
