// Tests of the null: similar and unrelated models, what has no null, and few episodes.

package geometry

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
)

// related adds to paths a third model that sees the first one through noise.
func related(n, dim, episodes int, rho float64) Input {
	in := paths(n, dim, episodes, rho, 1, 2, 3)
	first, third := in.Models[0].Latents.F64, in.Models[2].Latents.F64
	for i, v := range first {
		third[i] = v + 0.5*third[i]
	}
	return in
}

func TestNullOfSimilarity(t *testing.T) {
	t.Parallel()
	in := related(400, 3, 10, 0.95)
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, Clusters: []int{3}, Neighbors: []int{1}, Permutations: 39}
	r := analyzed(t, in, o)
	alike, unrelated := r.SimilarityOf(0, "c"), r.SimilarityOf(0, "b")
	for _, c := range []struct {
		name   string
		chance Chance
		alike  bool
	}{{"CKA", alike.Null.CKA, true}, {"debiased CKA", alike.Null.CKADebiased, true}, {"CKA between", alike.Null.CKABetween, true},
		{"Procrustes", alike.Null.Procrustes, true}, {"RSA", alike.Null.RSA, true}, {"RSA between", alike.Null.RSABetween, true},
		{"unrelated CKA", unrelated.Null.CKA, false}, {"unrelated RSA", unrelated.Null.RSA, false}} {
		if p := c.chance.P.Float(); c.alike != (p <= 0.025) || math.IsNaN(p) || !c.chance.Mean.Defined() || !c.chance.SD.Defined() {
			t.Errorf("%s: %+v", c.name, c.chance)
		}
	}
	// Slow states: unrelated spaces have debiased CKA, but not between episodes.
	null := unrelated.Null
	if v := null.CKADebiased.Mean.Float(); v < 0.05 || math.Abs(v-unrelated.CKADebiased.V) > 3*null.CKADebiased.SD.Float() {
		t.Errorf("debiased CKA %v, its null %v", unrelated.CKADebiased.V, v)
	}
	if v := null.CKABetween.Mean.Float(); math.Abs(v) > 0.05 || !(unrelated.CKABetween.CI.Low < 0 && unrelated.CKABetween.CI.High > 0) {
		t.Errorf("between episodes %v, %v, null %v", unrelated.CKABetween.V, unrelated.CKABetween.CI, v)
	}
	if alike.CKABetween.V < 0.5 || alike.CKABetween.CI.Low < 0.2 || alike.RSABetween.CI.Low < 0.2 {
		t.Errorf("the same space through noise: %+v", alike.CKABetween)
	}
	// The interval of what does not differ from chance comes from the null, of what does from the jackknife.
	o.Permutations = 0
	plain := analyzed(t, in, o)
	if a, b := plain.SimilarityOf(0, "c"), plain.SimilarityOf(0, "b"); a.Null != nil || a.CKADebiased.CI != alike.CKADebiased.CI ||
		b.CKADebiased.CI == unrelated.CKADebiased.CI || b.CKADebiased.V != unrelated.CKADebiased.V || b.RSA != unrelated.RSA {
		t.Errorf("without a null: %+v, %+v", a, b)
	}
	if self := r.SimilarityOf(0, "a"); self.Null != nil || self.CKABetween.V != 1 || self.RSABetween.V != 1 {
		t.Errorf("with itself: %+v", self)
	}
}

func TestNullOfAgreement(t *testing.T) {
	t.Parallel()
	in := related(400, 3, 10, 0.9)
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, Clusters: []int{2}, Neighbors: []int{1}, Permutations: 39}
	r := analyzed(t, in, o) // labels are of the first model
	first, second := r.Models[0].Groupings[1].Agreement, r.Models[1].Groupings[1].Agreement
	if n := first.Null; n.Permutations != 39 || n.AMI.P.Float() > 0.05 || first.ARI.V <= n.ARI.Threshold.Float() {
		t.Errorf("clusters of the labeled model: %+v, %+v", first, n)
	}
	if n := second.Null; !(n.AMI.P.Float() > 0.05) || !second.AMI.CI.Defined() || second.AMI.CI.Low > n.AMI.Mean.Float() || second.AMI.CI.High < n.AMI.Mean.Float() {
		t.Errorf("clusters of another model: %+v, %+v", second, n)
	}
	o.Intervals = false
	if off := analyzed(t, in, o).Models[1].Groupings[1].Agreement; off.AMI.CI.Defined() || off.Null == nil {
		t.Errorf("without intervals: %+v", off.AMI)
	}
}

func TestNullOfLittle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: small analyses, one after another")
	}
	o := Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, Clusters: []int{2}, Neighbors: []int{1}, Permutations: 19}
	// A collapsed model has no null, and one model no similarity but with itself.
	in := related(200, 3, 8, 0.8)
	in.Models[1].Latents = points.Float64(make([]float64, 600), 3)
	if r := analyzed(t, in, o); r.SimilarityOf(0, "b").Null != nil || r.SimilarityOf(0, "b").CKABetween.Defined() || r.SimilarityOf(0, "c").Null == nil {
		t.Errorf("a collapsed model: %+v", r.SimilarityOf(0, "b"))
	}
	in.Models = in.Models[:1]
	if r := analyzed(t, in, o); r.SimilarityOf(0, "a").Null != nil {
		t.Error("one model has a null")
	}
	// Few orders give no p value, and no blocks no similarity between them.
	in = related(200, 3, 8, 0.8)
	o.Permutations, o.Intervals = 5, false
	s := analyzed(t, in, o).SimilarityOf(0, "c")
	if s.Null.CKA.P.Defined() || !s.Null.CKA.Mean.Defined() || !strings.Contains(s.Null.CKA.P.Reason, "at least 19") ||
		s.CKABetween.Defined() || !strings.Contains(s.CKABetween.Reason, "no blocks") || s.RSABetween.Defined() {
		t.Errorf("5 orders without intervals: %+v", s)
	}
	// One long episode and a sample of its states.
	in = related(400, 3, 1, 0.5)
	for i := 0; i < 400; i += 2 {
		in.Sample = append(in.Sample, i)
	}
	o.Permutations, o.Intervals = 39, true
	if s = analyzed(t, in, o).SimilarityOf(0, "c"); s.Null.CKADebiased.P.Float() > 0.05 || !s.CKABetween.Defined() {
		t.Errorf("one episode: %+v, %+v", s.CKABetween, s.Null)
	}
	// Results do not depend on the threads.
	o.Threads = 1
	one := analyzed(t, in, o).SimilarityOf(0, "b")
	o.Threads = 3
	if three := analyzed(t, in, o).SimilarityOf(0, "b"); *one.Null != *three.Null || !slices.Equal([]float64{one.RSABetween.V}, []float64{three.RSABetween.V}) {
		t.Error("the null depends on the threads")
	}
}
