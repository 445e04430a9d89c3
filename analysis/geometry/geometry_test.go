// The analysis against NumPy, SciPy and scikit-learn, closed forms, and input that
// cannot be used.

package geometry

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"repscope/analysis"
	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

// The numbers of measure/measuretest/testdata/geometry.json, by numpy, scipy and scikit-learn.
func TestAnalyzeMatchesReference(t *testing.T) {
	g, x, y := measuretest.ReadGeometry(t)
	in := Input{Episode: g.Episode, Labels: g.Labels, Models: []Encoded{{Name: "x", Latents: x}, {Name: "y", Latents: y}}}
	result, err := Analyze(t.Context(), in, Options{
		Clusters: []int{2, 3, 4, 8}, Neighbors: []int{1, 5, 20}, Lags: 20,
		Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Kind: stat.EpisodeBlocks}, Seed: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	near(t, "uniformity", m.Uniformity.Float(), g.Uniformity)
	near(t, "alignment", m.Alignment.Float(), g.Alignment)
	near(t, "silhouette", m.Groupings[0].Silhouette.Float(), g.Silhouette)
	for i, want := range g.Silhouettes {
		near(t, "silhouette of a point", m.SilhouetteOf[0][i], want)
	}
	near(t, "Davies–Bouldin", m.Groupings[0].DaviesBouldin.Float(), g.DaviesBouldin)
	near(t, "Calinski–Harabasz", m.Groupings[0].CalinskiHarabasz.Float(), g.CalinskiHarabasz)
	for _, grouping := range m.Groupings[1:] {
		if got, want := grouping.KMeans.Inertia, g.Inertia[grouping.Groups]; got > want*(1+1e-9) {
			t.Errorf("k-means with %d clusters: inertia %v, scikit-learn finds %v", grouping.Groups, got, want)
		}
	}
	for i, want := range g.Consistency {
		got := m.LabelConsistency[i]
		near(t, "label accuracy", got.Accuracy.Float(), want.Accuracy)
		near(t, "label purity", got.Purity.Float(), want.Purity)
	}
	for lag, want := range g.Autocorrelation {
		near(t, "autocorrelation", m.Temporal.Autocorrelation[lag].Rho.Float(), want)
	}
	near(t, "mean step", m.Temporal.Steps.Mean.Float(), g.Steps.Mean)
	near(t, "SD of steps", m.Temporal.Steps.SD.Float(), g.Steps.SD)
	near(t, "95th percentile of steps", m.Temporal.Steps.P95.Float(), g.Steps.P95)
	near(t, "relative step", m.Temporal.Steps.Relative.Float(), g.Steps.RelativeMean)
	near(t, "straightness", m.Temporal.Straightness.Cosine.Float(), g.Straightness)
	near(t, "curvature", m.Temporal.Straightness.Curvature.Float(), g.CurvatureDegrees)
	for _, of := range []int{0, 1} {
		row := result.SimilarityOf(of, []string{"y", "x"}[of])
		near(t, "CKA", row.CKA.Float(), g.Similarity.CKA)
		near(t, "debiased CKA", row.CKADebiased.Float(), g.Similarity.CKADebiased)
		near(t, "Procrustes", row.Procrustes.Float(), g.Similarity.Procrustes)
		near(t, "RSA", row.RSA.Float(), g.Similarity.RSA)
	}
	for name, ci := range map[string]report.Interval{
		"uniformity": m.Uniformity.CI, "alignment": m.Alignment.CI, "silhouette": m.Groupings[0].Silhouette.CI, "NMI": m.Groupings[1].Agreement.NMI.CI,
		"accuracy": m.LabelConsistency[1].Accuracy.CI, "τ": m.Temporal.Tau.CI, "ρ(1)": m.Temporal.Autocorrelation[1].Rho.CI,
		"step": m.Temporal.Steps.Relative.CI, "straightness": m.Temporal.Straightness.Cosine.CI,
		"CKA": result.SimilarityOf(0, "y").CKA.CI, "Procrustes": result.SimilarityOf(0, "y").Procrustes.CI, "RSA": result.SimilarityOf(0, "y").RSA.CI,
	} {
		if !ci.Defined() {
			t.Errorf("%s has no interval: %s", name, ci.Reason)
		}
	}
}

func randomPoints(random *rand.Rand, n, dim int) points.Points {
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = random.NormFloat64()
	}
	return points.Float64(data, dim)
}

// A straight line, a circle, a walk back and forth; states that are not consecutive
// are left out.
func TestTemporalClosedForms(t *testing.T) {
	line, circle, flip := make([]float64, 0), make([]float64, 0), make([]float64, 0)
	n := 40
	for i := range n {
		v := float64(i)
		line = append(line, v, -2*v)
		circle = append(circle, math.Cos(v*math.Pi/6), math.Sin(v*math.Pi/6))
		flip = append(flip, float64(i%2), 1)
	}
	in := Input{Models: []Encoded{{Name: "line", Latents: points.Float64(line, 2)}, {Name: "circle", Latents: points.Float64(circle, 2)}, {Name: "flip", Latents: points.Float64(flip, 2)}}}
	result, err := Analyze(t.Context(), in, Options{Clusters: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ cosine, degrees, step float64 }{{1, 0, math.Sqrt(5)}, {math.Cos(math.Pi / 6), 30, 2 * math.Sin(math.Pi/12)}, {-1, 180, 1}} {
		temporal := result.Models[i].Temporal
		near(t, "straightness", temporal.Straightness.Cosine.Float(), want.cosine)
		near(t, "curvature", temporal.Straightness.Curvature.Float(), want.degrees)
		near(t, "step", temporal.Steps.Mean.Float(), want.step)
	}
	// Unit vectors 30 degrees apart.
	near(t, "alignment", result.Models[1].Alignment.Float(), 2-2*math.Cos(math.Pi/6))
	time := make([]int, n)
	episode := make([]int, n)
	for i := range time {
		time[i], episode[i] = i, i/10
		if i >= 5 {
			time[i]++ // a state is missing before this one
		}
	}
	in.Time, in.Episode = time, episode
	if result, err = Analyze(t.Context(), in, Options{Clusters: []int{2}}); err != nil {
		t.Fatal(err)
	}
	if s := result.Models[0].Temporal; s.Steps.Pairs != 4+4+3*9 || s.Straightness.Triples != 3+3+3*8 {
		t.Errorf("%d pairs and %d triples of consecutive states", s.Steps.Pairs, s.Straightness.Triples)
	}
}

func TestBytesDoNotDependOnThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	n := 700
	x, y := randomPoints(random, n, 5), randomPoints(random, n, 3)
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(random.IntN(5))
	}
	encode := func(threads int) []byte {
		result, err := Analyze(t.Context(), Input{Labels: labels, Models: []Encoded{{Name: "x", Latents: x}, {Name: "y", Latents: y}}},
			Options{Clusters: []int{3, 7}, Pairs: 5000, Settings: analysis.Settings{Intervals: true, Seed: 3, Threads: threads}, Starts: 4})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.Encode(&out, []any{result.Models, result.Comparisons}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if one, many := encode(1), encode(5); !bytes.Equal(one, many) {
		t.Errorf("1 and 5 threads differ:\n%s", cmp.Diff(string(one), string(many)))
	}
}

// Measures over pairs see the sample, measures of time all states.
func TestSample(t *testing.T) {
	g, x, y := measuretest.ReadGeometry(t)
	var sample []int
	for i := 0; i < x.N; i += 2 {
		sample = append(sample, i)
	}
	models := func(index []int) []Encoded {
		return []Encoded{{Name: "x", Latents: sampled(x, index)}, {Name: "y", Latents: sampled(y, index)}}
	}
	o := Options{Clusters: []int{3}, Settings: analysis.Settings{Intervals: true, Seed: 1}}
	got, err := Analyze(t.Context(), Input{Episode: g.Episode, Labels: g.Labels, Sample: sample, Models: models(nil)}, o)
	if err != nil {
		t.Fatal(err)
	}
	half, err := Analyze(t.Context(), Input{Episode: at(g.Episode, sample), Labels: at(g.Labels, sample), Models: models(sample)}, o)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Analyze(t.Context(), Input{Episode: g.Episode, Labels: g.Labels, Models: models(nil)}, o)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, want, got any) {
		var a, b bytes.Buffer
		if err := errors.Join(report.Encode(&a, want), report.Encode(&b, got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.String(), b.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	same("groupings", half.Models[0].Groupings, got.Models[0].Groupings)
	same("label consistency", half.Models[0].LabelConsistency, got.Models[0].LabelConsistency)
	same("time", all.Models[0].Temporal, got.Models[0].Temporal)
	if half.Models[0].Uniformity != got.Models[0].Uniformity || half.SimilarityOf(0, "y") != got.SimilarityOf(0, "y") {
		t.Error("uniformity or similarity are not those of the sample")
	}
	if all.Models[0].Alignment != got.Models[0].Alignment {
		t.Error("alignment is not that of all states")
	}
}

func TestUnusableInput(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	good := randomPoints(random, 30, 3)
	t.Run("constant", func(t *testing.T) {
		constant := make([]float64, 90)
		for i := range constant {
			constant[i] = 2.5
		}
		result, err := Analyze(t.Context(), Input{Labels: make([]int64, 30), Models: []Encoded{{Name: "good", Latents: good}, {Name: "flat", Latents: points.Float64(constant, 3)}}}, Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[1]
		for name, v := range map[string]report.Value{
			"CKA": result.SimilarityOf(0, "flat").CKA.Value, "RSA": result.SimilarityOf(1, "flat").RSA.Value, "τ": m.Temporal.Tau.Value, "relative step": m.Temporal.Steps.Relative.Value,
			"straightness": m.Temporal.Straightness.Cosine.Value, "uniformity": m.Uniformity.Value, "alignment": m.Alignment.Value,
			"centered uniformity": m.UniformityCentered.Value, "step": m.Temporal.Steps.Mean.Value, "labels": m.LabelConsistency[0].Accuracy.Value, "n_eff": m.NEff, "clusters": m.Groupings[1].Silhouette.Value, "one class": result.Models[0].Groupings[0].Silhouette.Value,
		} {
			if v.Defined() || v.Reason == "" {
				t.Errorf("%s of constant latents is %v, reason %q", name, v.V, v.Reason)
			}
		}
		for _, c := range result.Comparisons {
			t.Errorf("%s is compared by %s with latents that do not vary", c.A, c.Metric)
		}
		if !strings.Contains(strings.Join(result.Warnings, " "), "flat: the points are constant") {
			t.Errorf("warnings %q", result.Warnings)
		}
		if accuracy := result.Models[0].LabelConsistency[0].Accuracy.Float(); accuracy != 1 {
			t.Errorf("labels of one class: accuracy %v, want 1", accuracy)
		}
		var out bytes.Buffer
		if err := report.Encode(&out, result.Models); err != nil {
			t.Error(err)
		}
	})
	t.Run("zero latent", func(t *testing.T) {
		z := slices.Clone(good.F64)
		clear(z[6:9])
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "z", Latents: points.Float64(z, 3)}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m := result.Models[0]; m.Uniformity.Defined() || !strings.Contains(m.Uniformity.Reason, "1 of 30 latents are zero") || m.Alignment.Defined() || !m.Temporal.Tau.Defined() {
			t.Errorf("uniformity %v (%s)", m.Uniformity.V, m.Uniformity.Reason)
		}
	})
	t.Run("no consecutive states", func(t *testing.T) {
		time := make([]int, 30)
		for i := range time {
			time[i] = 2 * i
		}
		result, err := Analyze(t.Context(), Input{Time: time, Models: []Encoded{{Name: "a", Latents: good}}}, Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[0]
		for _, v := range []report.Value{m.Alignment.Value, m.Temporal.Tau.Value, m.Temporal.Steps.Mean.Value, m.Temporal.Steps.P95, m.Temporal.Straightness.Cosine.Value} {
			if v.Defined() || v.Reason == "" {
				t.Errorf("%v, reason %q", v.V, v.Reason)
			}
		}
	})
	bad := slices.Clone(good.F64)
	bad[7] = math.NaN()
	one := []Encoded{{Name: "a", Latents: good}}
	for want, in := range map[string]Input{
		"no models to compare":                            {},
		"far: values up to 1e+200: their powers overflow": {Models: []Encoded{{Name: "far", Latents: points.Float64([]float64{0, 1, 1e200, 3, 4, 5}, 1)}}},
		"bad: point 2, coordinate 1":                      {Models: []Encoded{{Name: "bad", Latents: points.Float64(bad, 3)}}},
		"b: 29 latents for 30":                            {Models: []Encoded{one[0], {Name: "b", Latents: points.Float64(good.F64[:87], 3)}}},
		"5 labels for 30":                                 {Labels: make([]int64, 5), Models: one},
		"5 times for 30":                                  {Time: make([]int, 5), Models: one},
		"4 episode labels for":                            {Episode: make([]int, 4), Models: one},
		"want ascending":                                  {Sample: []int{1, 5, 5, 6}, Models: one},
		"3 latents, want at":                              {Models: []Encoded{{Name: "few", Latents: points.Float64(good.F64[:9], 3)}}},
		"2 latents, want at least 4":                      {Sample: []int{1, 5}, Models: one},
	} {
		_, err := Analyze(t.Context(), in, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}

// Labels of the neighbors of latents that are all equal say nothing; copies are counted and told of.
func TestLabelsOfCopies(t *testing.T) {
	t.Parallel()
	const n = 120
	labels, copies := make([]int64, n), points.Float32(make([]float32, 2*n), 2)
	draw := stat.NewRandom(stat.StreamScatter.Key(4))
	for i := range n {
		labels[i] = int64(i % 3)
		copies.F32[2*i], copies.F32[2*i+1] = float32(i/2), float32(draw.Float64()) // of pairs one below
		if i%2 == 1 {
			copies.F32[2*i+1] = copies.F32[2*i-1]
		}
	}
	result, err := Analyze(t.Context(), Input{Labels: labels, Models: []Encoded{
		{Name: "flat", Latents: points.Float32(make([]float32, 2*n), 2)}, {Name: "copies", Latents: copies},
	}}, Options{Clusters: []int{3}, Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	flat, pairs := result.Models[0], result.Models[1]
	for _, c := range flat.LabelConsistency {
		if c.Accuracy.Defined() || c.Purity.Defined() || c.Accuracy.CI.Defined() || c.Purity.Reason != "the points are constant" {
			t.Errorf("constant latents: %+v", c)
		}
	}
	if flat.Duplicates != nil || *pairs.Duplicates != n/2 || !pairs.LabelConsistency[0].Accuracy.Defined() {
		t.Errorf("duplicates %v and %d, accuracy %+v", flat.Duplicates, *pairs.Duplicates, pairs.LabelConsistency[0].Accuracy)
	}
	for _, c := range result.Comparisons {
		if strings.HasPrefix(c.Metric, "label_accuracy") {
			t.Errorf("constant latents are compared: %+v", c)
		}
	}
	if !strings.Contains(strings.Join(result.Warnings, " "), "copies: 60 of 120 latents are duplicates of an earlier latent") {
		t.Errorf("warnings %q", result.Warnings)
	}
}
