// Spectra and ranks against NumPy, closed forms and bad input.

package spectrum

import (
	"fmt"
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

// goldenCloud are points of testdata/eigenvalues.py.
func goldenCloud(name string, n, dim int) points.Points {
	data := make([]float64, n*dim)
	for i := range n {
		for k := range dim {
			v := share(i*dim + k)
			switch name {
			case "deficient":
				v = 3
				for r := range 5 {
					v += math.Floor(100*share(5*i+r)) * math.Floor(100*share(7919+r*dim+k))
				}
			case "graded":
				v = v*math.Ldexp(1, -k) + 1
			default:
				v += float64(k % 3)
			}
			data[i*dim+k] = v
		}
	}
	return points.Float64(data, dim)
}

// LAPACK's singular values of the points, squared, to 1e-12 of the largest, and what follows from them. Roots of
// values near 0 have half of the digits, which is what ranks of singular values of graded and deficient points get.
func TestGoldenSingularValues(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Points {
		z := goldenCloud(c.Name, c.N, c.Dim)
		label := fmt.Sprintf("%s, %d × %d", c.Name, c.N, c.Dim)
		s, raw, err := WithUncentered(z)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, c.Dim)
		for k, v := range c.Singular {
			want[k] = v * v / float64(c.N-1)
		}
		nearValues(t, label, s.Eigenvalues, want, 1e-12*want[0])
		tolerance := map[string]float64{"uniform": 1e-9}[c.Name]
		if tolerance == 0 {
			tolerance = 1e-5
		}
		measuretest.Near(t, label+": participation ratio", s.ParticipationRatio, c.Participation, 1e-10*c.Participation)
		measuretest.Near(t, label+": effective rank", s.EffectiveRank, c.Effective, 1e-10*c.Effective)
		measuretest.Near(t, label+": effective rank of singular values", s.EffectiveRankSingular, c.EffectiveSingular, tolerance*c.EffectiveSingular)
		measuretest.Near(t, label+": RankMe", raw.RankMe, c.RankMe, tolerance*c.RankMe)
		// One after the other they are the same but for rounding.
		alone, err := New(z)
		if err != nil {
			t.Fatal(err)
		}
		nearValues(t, label+": alone", alone.Eigenvalues, want, 1e-12*want[0])
		other, err := RankMe(z)
		if err != nil {
			t.Fatal(err)
		}
		measuretest.Near(t, label+": RankMe alone", other, c.RankMe, tolerance*c.RankMe)
	}
}

// The continuous number of directions lies in the last unit up to the whole one.
func TestDirections(t *testing.T) {
	for _, test := range []struct {
		eigenvalues []float64
		share, want float64
	}{
		{[]float64{1, 1, 1, 1}, 0.9, 3.6},
		{[]float64{1, 1, 1, 1}, 0.75, 3},
		{[]float64{3, 1, 0}, 0.9, 1.6},
		{[]float64{1, 0, 0}, 0.99, 0.99},
		{[]float64{0, 0}, 0.9, math.NaN()},
		{nil, 0.9, math.NaN()},
	} {
		got := Directions(test.eigenvalues, test.share)
		if whole := dimensionsFor(test.eigenvalues, test.share); !(math.Abs(got-test.want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(test.want)) ||
			got == got && int(math.Ceil(got-1e-9)) != whole {
			t.Errorf("%v of %v: %v in %d directions, want %v", test.share, test.eigenvalues, got, whole, test.want)
		}
	}
}
