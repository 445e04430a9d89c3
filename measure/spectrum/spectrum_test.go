// Spectra and ranks against NumPy, closed forms and bad input.

package spectrum

import (
	"math"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func TestSpectrumMatchesReference(t *testing.T) {
	t.Parallel()
	g, z := measuretest.ReadDimension(t)
	s, err := New(z)
	if err != nil {
		t.Fatal(err)
	}
	want := g.Spectrum
	for i, v := range want.Eigenvalues {
		measuretest.Near(t, "eigenvalue", s.Eigenvalues[i], v, 1e-9*math.Abs(v))
	}
	const tolerance = 1e-9
	measuretest.Near(t, "participation ratio", s.ParticipationRatio, want.ParticipationRatio, tolerance)
	measuretest.Near(t, "effective rank", s.EffectiveRank, want.EffectiveRank, tolerance)
	measuretest.Near(t, "stable rank", s.StableRank, want.StableRank, tolerance)
	measuretest.Near(t, "RMS distance", s.RMSDistance(), want.RMSDistance, tolerance)
	if s.Dims90 != want.Dims90 || s.Dims99 != want.Dims99 || s.DeadDims != 0 {
		t.Errorf("dimensions for 90 and 99 %%: %d, %d, dead %d, want %d, %d, 0", s.Dims90, s.Dims99, s.DeadDims, want.Dims90, want.Dims99)
	}
	rank, err := RankMe(z)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "RankMe", rank, want.RankMe, tolerance)
}

// The corners of a box of sides 2 and 1, and a coordinate that does not vary.
func TestSpectrumOfABox(t *testing.T) {
	t.Parallel()
	s, err := New(points.Uint8([]uint8{0, 0, 7, 2, 0, 7, 0, 1, 7, 2, 1, 7}, 3))
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"first eigenvalue":    {s.Eigenvalues[0], 4.0 / 3},
		"second eigenvalue":   {s.Eigenvalues[1], 1.0 / 3},
		"third eigenvalue":    {s.Eigenvalues[2], 0},
		"participation ratio": {s.ParticipationRatio, 25.0 / 17},
		"stable rank":         {s.StableRank, 1.25},
		"effective rank":      {s.EffectiveRank, math.Exp(-0.8*math.Log(0.8) - 0.2*math.Log(0.2))},
		"total variance":      {s.TotalVariance, 5.0 / 3},
	} {
		measuretest.Near(t, name, pair[0], pair[1], 1e-14)
	}
	if s.DeadDims != 1 || s.Dims90 != 2 || s.Dims99 != 2 {
		t.Errorf("%d dead dimensions, %d and %d for 90 and 99 %%", s.DeadDims, s.Dims90, s.Dims99)
	}
	// Two orthogonal points of equal length use two directions.
	rank, err := RankMe(points.Float64([]float64{3, 0, 0, -3}, 2))
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "RankMe", rank, 2, 1e-6)
}

func TestNoSpectrum(t *testing.T) {
	t.Parallel()
	for reason, z := range map[string]points.Points{
		"1 point, want at least 2":                          points.Float64([]float64{1, 2}, 2),
		"the points are constant":                           points.Float32([]float32{0.1, 0.1, 0.1}, 1),
		"point 1, coordinate 0 is NaN, want finite numbers": points.Float64([]float64{1, math.NaN()}, 1),
	} {
		if _, err := New(z); stat.Reason(err) != reason {
			t.Errorf("reason %q, want %q", stat.Reason(err), reason)
		}
	}
	for reason, z := range map[string]points.Points{
		"no points":               {Dim: 2, F64: []float64{}},
		"the points are all zero": points.Float64(make([]float64, 4), 2),
		"point 0, coordinate 1 is +Inf, want finite numbers": points.Float64([]float64{1, math.Inf(1)}, 2),
	} {
		if _, err := RankMe(z); stat.Reason(err) != reason {
			t.Errorf("reason %q, want %q", stat.Reason(err), reason)
		}
	}
}
