// Tests of the intervals: that each deletion computes everything again, and of what is
// compared.

package geometry

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// paths are AR(1) latents in episodes, with labels that depend on the first coordinate.
func paths(n, dim, episodes int, rho float64, seeds ...uint64) Input {
	in := Input{Episode: make([]int, n), Labels: make([]int64, n)}
	for i := range n {
		in.Episode[i] = i * episodes / n
	}
	for m, seed := range seeds {
		random := stat.NewRandom(stat.NewKey(seed))
		z := make([]float64, n*dim)
		for i := range z {
			z[i] = random.Normal()
			if at := i / dim; at > 0 && in.Episode[at] == in.Episode[at-1] {
				z[i] = rho*z[i-dim] + math.Sqrt(1-rho*rho)*z[i]
			}
			if m == 0 && i%dim == 0 && z[i] > 0 {
				in.Labels[i/dim] = 1
			}
		}
		in.Models = append(in.Models, Encoded{Name: string(rune('a' + m)), Latents: points.Float64(z, dim)})
	}
	return in
}

func analyzed(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The RMS distance is deleted from as the steps are: the interval is that of the ratio.
func TestRelativeStepDeletesTheDistance(t *testing.T) {
	t.Parallel()
	in := paths(160, 3, 8, 0.9, 5)
	z := in.Models[0].Latents
	steps := analyzed(t, in, Options{Settings: analysis.Settings{Intervals: true}, Clusters: []int{2}}).Models[0].Temporal.Steps
	ratios := func(drop int) (mean, root float64) {
		var index []int
		sum, squares, count := 0.0, 0.0, 0.0
		for i := range z.N {
			if in.Episode[i] == drop {
				continue
			}
			index = append(index, i)
			if i+1 < z.N && in.Episode[i+1] == in.Episode[i] {
				square := 0.0
				for k, v := range z.Row(i, nil) {
					square += (z.Row(i+1, nil)[k] - v) * (z.Row(i+1, nil)[k] - v)
				}
				sum, squares, count = sum+math.Sqrt(square), squares+square, count+1
			}
		}
		rms, err := spectrum.RMSDistance(z.Select(index))
		if err != nil {
			t.Fatal(err)
		}
		return sum / count / rms, math.Sqrt(squares/count) / rms
	}
	mean, root := ratios(-1)
	var means, roots []float64
	for e := range 8 {
		m, r := ratios(e)
		means, roots = append(means, m), append(roots, r)
	}
	for _, c := range []struct {
		name     string
		v        report.Value
		ci       report.Interval
		estimate float64
		without  []float64
	}{{"mean", steps.Relative.Value, steps.Relative.CI, mean, means}, {"RMS", steps.RelativeRMS.Value, steps.RelativeRMS.CI, root, roots}} {
		want, err := stat.DeleteBlockJackknife(c.estimate, c.without, slices.Repeat([]int{20}, 8), 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.name, c.v.V, c.estimate)
		near(t, "low end of "+c.name, c.ci.Low, want.Interval.Low)
		near(t, "high end of "+c.name, c.ci.High, want.Interval.High)
	}
}

// Independent states: RMS over RMS is 1, and straightness is that of drawn triples,
// which depends on the dimension.
func TestIndependentStates(t *testing.T) {
	runtest.Long(t, "it simulates many states")
	t.Parallel()
	for dim, want := range map[int]float64{1: -1. / 3, 10: -0.48} {
		m := analyzed(t, paths(3000, dim, 1, 0, 9), Options{Clusters: []int{2}, Neighbors: []int{1}}).Models[0]
		if v := m.Temporal.Steps.RelativeRMS.V; math.Abs(v-1) > 0.04 {
			t.Errorf("%d dimensions: relative RMS step %v, want 1", dim, v)
		}
		s := m.Temporal.Straightness
		if math.Abs(s.Independent.V-want) > 0.015 || math.Abs(s.Cosine.V-s.Independent.V) > 0.04 {
			t.Errorf("%d dimensions: straightness %v, of drawn triples %v, want %v", dim, s.Cosine.V, s.Independent.V, want)
		}
		if r := m.NEff.V / 3000; r < 0.8 || !m.NEffReliable {
			t.Errorf("%d dimensions: n_eff %v, reliable %v", dim, m.NEff.V, m.NEffReliable)
		}
	}
}

// The debiased CKA of independent latents is 0 within its interval for any number of them:
// of 15 pairs for each number 95 % intervals miss it 4 times or more in 1 of 200 studies.
func TestDebiasedCKAOfIndependentLatents(t *testing.T) {
	runtest.Long(t, "it simulates many pairs")
	t.Parallel()
	const pairs = 15
	for _, n := range []int{32, 64, 128, 256} {
		missed, defined := 0, 0
		for pair := range uint64(pairs) {
			in := paths(n, 8, 1, 0, 1000*uint64(n)+2*pair, 1000*uint64(n)+2*pair+1)
			in.Labels, in.Episode = nil, nil
			r := analyzed(t, in, Options{Clusters: []int{2}, Starts: 1, Settings: analysis.Settings{Intervals: true}, Lags: 2})
			row, ok := r.Models[0].Similarity.Get("b")
			if !ok {
				t.Fatal("no similarity to b")
			}
			if ci := row.(SimilarityRow).CKADebiased.CI; ci.Defined() {
				defined++
				if ci.Low > 0 || ci.High < 0 {
					missed++
				}
			} else if ci.Reason == "" {
				t.Error("no interval without a reason")
			}
		}
		if missed > 3 || defined != pairs {
			t.Errorf("n = %d: %d of %d intervals without 0", n, missed, defined)
		}
	}
}

// Models are not compared by clusters of their own, k are one family, and a collapsed
// model is compared by nothing.
func TestComparisons(t *testing.T) {
	t.Parallel()
	in := paths(160, 3, 8, 0.5, 1, 2)
	in.Models = append(in.Models, Encoded{Name: "flat", Latents: points.Float64(slices.Repeat([]float64{2}, 480), 3)})
	r := analyzed(t, in, Options{Settings: analysis.Settings{Intervals: true, Seed: 3}, Clusters: []int{2, 4}, Neighbors: []int{1, 5}})
	metrics := map[string]string{}
	for _, c := range r.Comparisons {
		if c.A == "flat" || c.B == "flat" {
			t.Errorf("%s of latents that do not vary is compared", c.Metric)
		}
		if c.Blocks == nil || *c.Blocks != 8 {
			t.Errorf("%s rests on blocks %v, want 8 episodes", c.Metric, c.Blocks)
		}
		metrics[c.Metric] = c.Family
	}
	want := map[string]string{"uniformity": "uniformity", "uniformity_centered": "uniformity_centered", "alignment": "alignment",
		"silhouette_labels": "silhouette_labels", "label_accuracy_1": "label_accuracy", "label_accuracy_5": "label_accuracy",
		"relative_step": "relative_step", "straightness": "straightness", "autocorrelation_time": "autocorrelation_time"}
	for metric, family := range want {
		if metrics[metric] != family {
			t.Errorf("%s has family %q, want %q", metric, metrics[metric], family)
		}
	}
	if len(metrics) != len(want) {
		t.Errorf("compared by %v", metrics)
	}
	for _, g := range r.Models[0].Groupings {
		if (g.NotCompared != "") != (g.Source == SourceKMeans) {
			t.Errorf("%s: %q", g.Source, g.NotCompared)
		}
		for name, ci := range map[string]report.Interval{"silhouette": g.Silhouette.CI, "Davies–Bouldin": g.DaviesBouldin.CI, "Calinski–Harabasz": g.CalinskiHarabasz.CI} {
			if !ci.Defined() {
				t.Errorf("%s of %s: %s", name, g.Source, ci.Reason)
			}
		}
	}
	for name, v := range map[string]report.Value{"uniformity": r.Models[2].Uniformity.Value, "silhouette": r.Models[2].Groupings[0].Silhouette.Value, "accuracy": r.Models[2].LabelConsistency[1].Accuracy.Value} {
		if v.Defined() || !strings.Contains(v.Reason, "constant") {
			t.Errorf("%s of latents that do not vary: %v (%s)", name, v.V, v.Reason)
		}
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "intervals are based on only 8 episodes") }) {
		t.Errorf("warnings %q", r.Warnings)
	}
}
