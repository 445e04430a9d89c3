// The analysis against NumPy, SciPy and scikit-learn, known dimensions, and input that
// cannot be used.

package manifold

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"repscope/analysis"
	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

func close9(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

// The numbers of measure/measuretest/testdata/dimension.json, by numpy, scipy and scikit-learn.
func TestAnalyzeMatchesReference(t *testing.T) {
	g, z := measuretest.ReadDimension(t)
	result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "curved", Latents: z}}}, Options{Estimator: EstimatorDocumented, Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	for i, want := range g.Spectrum.Eigenvalues {
		close9(t, "eigenvalue", m.Eigenvalues[i], want)
	}
	close9(t, "participation ratio", m.ParticipationRatio.V, g.Spectrum.ParticipationRatio)
	close9(t, "effective rank", m.EffectiveRank.V, g.Spectrum.EffectiveRank)
	close9(t, "RankMe", m.RankMe.V, g.Spectrum.RankMe)
	close9(t, "stable rank", m.StableRank.V, g.Spectrum.StableRank)
	close9(t, "RMS distance", math.Sqrt(2*m.TotalVariance.V), g.Spectrum.RMSDistance)
	if int(m.Dims90.V) != g.Spectrum.Dims90 || int(m.Dims99.V) != g.Spectrum.Dims99 {
		t.Errorf("dimensions for 90 and 99 %%: %v, %v, want %d, %d", m.Dims90.V, m.Dims99.V, g.Spectrum.Dims90, g.Spectrum.Dims99)
	}
	if m.TwoNN.NUsed != g.TwoNN.NUsed || m.TwoNN.Duplicates != g.TwoNN.Duplicates {
		t.Errorf("%d used, %d duplicates, want %d, %d", m.TwoNN.NUsed, m.TwoNN.Duplicates, g.TwoNN.NUsed, g.TwoNN.Duplicates)
	}
	close9(t, "mle", m.TwoNN.MLE.V, g.TwoNN.MLE)
	close9(t, "unbiased mle", m.TwoNN.MLEUnbiased.V, g.TwoNN.MLEUnbiased)
	close9(t, "mle interval low", m.TwoNN.MLECI.Low, g.TwoNN.MLECI[0])
	close9(t, "mle interval high", m.TwoNN.MLECI.High, g.TwoNN.MLECI[1])
	close9(t, "fit", m.TwoNN.Fit.V, g.TwoNN.Fit)
	close9(t, "documented", m.TwoNN.Documented.V, g.TwoNN.Documented)
	close9(t, "intrinsic dimension", m.IntrinsicDimension.V, g.TwoNN.Documented)
	if len(m.Gride) != len(g.Gride) || len(m.LevinaBickel) != len(g.LevinaBickel) {
		t.Fatalf("%d Gride and %d Levina–Bickel estimates, want %d and %d", len(m.Gride), len(m.LevinaBickel), len(g.Gride), len(g.LevinaBickel))
	}
	for i, want := range g.Gride {
		close9(t, "gride", m.Gride[i].ID.V, want.ID)
	}
	for i, want := range g.LevinaBickel {
		close9(t, "levina–bickel", m.LevinaBickel[i].ID.V, want.ID)
	}
	if len(result.Warnings) == 0 || !strings.Contains(strings.Join(result.Warnings, " "), "1.7325") {
		t.Errorf("warnings %q do not say what is wrong with the documented formula", result.Warnings)
	}
}

// Uniform points in a d-dimensional cube: estimates are near d.
func TestKnownDimension(t *testing.T) {
	for _, dim := range []int{1, 2, 4} {
		random := stat.NewRandom(stat.NewKey(11, uint64(dim)))
		const n, ambient = 1500, 12
		data := make([]float64, n*ambient)
		for i := range n {
			for k := range dim {
				data[i*ambient+k] = random.Float64()
			}
		}
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "cube", Latents: points.Float64(data, ambient)}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[0]
		for name, v := range map[string]float64{"mle": m.TwoNN.MLE.V, "fit": m.TwoNN.Fit.V, "gride": m.Gride[2].ID.V} {
			if math.Abs(v-float64(dim)) > 0.15*float64(dim) {
				t.Errorf("dimension %d: %s = %v", dim, name, v)
			}
		}
		if math.Abs(m.ParticipationRatio.V-float64(dim)) > 0.05*float64(dim) || m.DeadDims != ambient-dim {
			t.Errorf("dimension %d: participation ratio %v, dead dimensions %d", dim, m.ParticipationRatio.V, m.DeadDims)
		}
	}
}

// Rotation, scale and order of the points change nothing.
func TestInvariances(t *testing.T) {
	_, z := measuretest.ReadDimension(t)
	n, dim := 80, z.Dim
	base := make([]float64, n*dim)
	for i := range n {
		z.Row(i, base[i*dim:(i+1)*dim])
	}
	measure := func(t *rapid.T, data []float64) *Model {
		result, err := Analyze(context.Background(), Input{Models: []Encoded{{Name: "m", Latents: points.Float64(data, dim)}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &result.Models[0]
	}
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Exp(rapid.Float64Range(-5, 5).Draw(t, "log scale"))
		angle := rapid.Float64Range(0, math.Pi).Draw(t, "angle")
		order := rapid.Permutation(indices(n)).Draw(t, "order")
		cos, sin := math.Cos(angle), math.Sin(angle)
		moved := make([]float64, n*dim)
		for i, from := range order {
			row := moved[i*dim : (i+1)*dim]
			copy(row, base[from*dim:(from+1)*dim])
			for a := 0; a+1 < dim; a += 2 {
				row[a], row[a+1] = cos*row[a]-sin*row[a+1], sin*row[a]+cos*row[a+1]
			}
			for k := range row {
				row[k] *= scale
			}
		}
		a, b := measure(t, base), measure(t, moved)
		for name, pair := range map[string][2]float64{
			"participation ratio": {a.ParticipationRatio.V, b.ParticipationRatio.V},
			"effective rank":      {a.EffectiveRank.V, b.EffectiveRank.V},
			"RankMe":              {a.RankMe.V, b.RankMe.V},
			"mle":                 {a.TwoNN.MLE.V, b.TwoNN.MLE.V},
			"fit":                 {a.TwoNN.Fit.V, b.TwoNN.Fit.V},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-6*math.Abs(pair[0]) {
				t.Fatalf("%s changed from %v to %v", name, pair[0], pair[1])
			}
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestBytesDoNotDependOnThreads(t *testing.T) {
	_, z := measuretest.ReadDimension(t)
	encode := func(threads int) []byte {
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "a", Latents: z}, {Name: "b", Latents: z.Select(indices(z.N))}}}, Options{Settings: analysis.Settings{Intervals: true, Seed: 3, Threads: threads}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.Encode(&out, result.Models); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if one, many := encode(1), encode(5); !bytes.Equal(one, many) {
		t.Errorf("1 and 5 threads differ:\n%s", cmp.Diff(string(one), string(many)))
	}
}

func TestUnusableLatents(t *testing.T) {
	constant := make([]float64, 30)
	for i := range constant {
		constant[i] = 3.25
	}
	two := append(make([]float64, 15), constant[:15]...)
	bad := append([]float64(nil), constant...)
	bad[7] = math.NaN()
	t.Run("constant", func(t *testing.T) {
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "flat", Latents: points.Float64(constant, 3)}}}, Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[0]
		if m.ParticipationRatio.Defined() || m.TwoNN.MLE.Defined() || !strings.Contains(strings.Join(result.Warnings, " "), "flat: the points are constant") {
			t.Errorf("constant latents: %+v, warnings %q", m, result.Warnings)
		}
	})
	t.Run("two distinct latents", func(t *testing.T) {
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "two", Latents: points.Float64(two, 3)}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m := result.Models[0]; m.TwoNN.MLE.Defined() || !strings.Contains(m.TwoNN.MLE.Reason, "2 of 10 latents are distinct") {
			t.Errorf("reason %q", m.TwoNN.MLE.Reason)
		}
	})
	for name, in := range map[string]Input{
		"no models to compare": {},
		"point 2, coordinate":  {Models: []Encoded{{Name: "bad", Latents: points.Float64(bad, 3)}}},
		"2 latents, want at":   {Models: []Encoded{{Name: "few", Latents: points.Float64(constant[:6], 3)}}},
		"b: 9 latents for 10":  {Models: []Encoded{{Name: "a", Latents: points.Float64(constant, 3)}, {Name: "b", Latents: points.Float64(constant[:27], 3)}}},
		"4 episode labels for": {Episode: make([]int, 4), Models: []Encoded{{Name: "a", Latents: points.Float64(constant, 3)}}},
	} {
		if _, err := Analyze(t.Context(), in, Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one containing %q", err, name)
		}
	}
}

// One repeated row, as iris has, changes no dimension: the twin is left out and counted.
func TestRepeatedRowKeepsTheDimension(t *testing.T) {
	const dim = 12
	z := points.Float32(slices.Clone(measuretest.Curved(99).F32[:90*dim]), dim) // without its own duplicates
	once, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "a", Latents: z}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	z.F32, z.N = append(z.F32, z.F32[40*dim:41*dim]...), z.N+1
	twice, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "a", Latents: z}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := once.Models[0], twice.Models[0]
	if a.TwoNN.Duplicates != 0 || b.TwoNN.Duplicates != 1 {
		t.Errorf("%d and %d duplicates, want 0 and 1", a.TwoNN.Duplicates, b.TwoNN.Duplicates)
	}
	if !(b.TwoNN.MLE.Float() > 1) || a.TwoNN.MLE != b.TwoNN.MLE || a.TwoNN.Fit != b.TwoNN.Fit || fmt.Sprint(a.Gride, a.LevinaBickel) != fmt.Sprint(b.Gride, b.LevinaBickel) {
		t.Errorf("with a repeated row %+v, %+v, %+v, without %+v, %+v, %+v", b.TwoNN, b.Gride, b.LevinaBickel, a.TwoNN, a.Gride, a.LevinaBickel)
	}
}
