// Tests of the metric diversity.

package generation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/stat"
)

// diverse is the diversity of samples.
func diverse(t *testing.T, in Input, o Options) *Diversity {
	t.Helper()
	o.Metrics = []string{"diversity"}
	m := analyzed(t, in, o).Models[0]
	if m.Diversity == nil {
		t.Fatalf("%v", m.Skipped)
	}
	return m.Diversity
}

// Against loops over cells: means and deviations of pairs of every label, distinct samples,
// nearest real ones.
func TestDiversityAgainstLoops(t *testing.T) {
	t.Parallel()
	in := madeInput()
	s := in.Generators[0].Generated
	s.Valid = slices.Repeat([]bool{true}, s.N())
	s.Valid[4], s.Valid[9] = false, false
	copy(s.Rows.U8[3*24:4*24], s.Rows.U8[:24]) // two equal ones of label 0
	copy(s.Rows.U8[6*24:7*24], in.Real.Rows.U8[:24])
	d := diverse(t, in, Options{})
	cells := func(s *Samples, i int) []uint8 { return s.Rows.U8[i*24 : (i+1)*24] }
	compare := func(a, b []uint8) (hamming, jaccard float64) {
		both, any := 0.0, 0.0
		for c := range a {
			if a[c] != b[c] {
				hamming += 1. / 24
			}
			both += float64(a[c] & b[c])
			any += float64(a[c] | b[c])
		}
		return hamming, 1 - both/any
	}
	var means, ratios []float64
	unique, novel, nearest := 0, 0, 0.0
	for label := range 3 {
		var hamming, jaccard []float64
		seen := map[string]bool{}
		for i := range s.N() {
			if s.Labels[i] != label || !s.Valid[i] {
				continue
			}
			seen[string(cells(s, i))] = true
			best := 2.0
			for k := range in.Real.N() {
				_, d := compare(cells(s, i), cells(in.Real, k))
				best = min(best, d)
			}
			nearest += (1 - best) / float64(d.Valid)
			if best > 0 {
				novel++
			}
			for j := range i {
				if s.Labels[j] == label && s.Valid[j] {
					h, d := compare(cells(s, i), cells(s, j))
					hamming, jaccard = append(hamming, h), append(jaccard, d)
				}
			}
		}
		unique += len(seen)
		l := d.ByLabel[label]
		for name, pair := range map[string][2]float64{"mean": {l.Mean.Value.V, stat.Mean(hamming)}, "sd": {l.SD, deviation(hamming)},
			"Jaccard": {l.Jaccard.Value.V, stat.Mean(jaccard)}, "sd of Jaccard": {l.JaccardSD, deviation(jaccard)}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("label %d: %s %v, want %v", label, name, pair[0], pair[1])
			}
		}
		means = append(means, stat.Mean(hamming))
		ratios = append(ratios, l.Uniqueness.Value.V)
		if want := float64(len(seen)) / float64(l.Valid); l.Uniqueness.Value.V != want {
			t.Errorf("label %d: %v distinct, want %v", label, l.Uniqueness.Value.V, want)
		}
	}
	for name, pair := range map[string][2]float64{
		"mean": {d.OverallMean.Value.V, stat.Mean(means)}, "sd": {d.OverallSD, deviation(means)}, "unique": {float64(d.Unique), float64(unique)},
		"ratio": {d.OverallUniqueness.Value.V, stat.Mean(ratios)}, "pooled": {d.PooledUniqueness.Value.V,
			float64(unique) / 43}, "novelty": {d.Novelty.Share.Value.V, float64(novel) / 43},
		"nearest": {d.Novelty.Nearest.Value.V, nearest}, "valid": {d.Validity.Value.V, 43. / 45},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s %v, want %v", name, pair[0], pair[1])
		}
	}
	if unique != 42 || novel != 42 {
		t.Errorf("the test has %d distinct and %d new samples, want 42 and 42", unique, novel)
	}
}

// Labels of unequal sizes: the published ratio is the mean over them, 3 of 4 and 1 of 2, here
// 0.625; all samples together have 4 of 6. A label of one valid sample is in the second alone.
func TestUniquenessOfUnequalLabels(t *testing.T) {
	t.Parallel()
	rows := []uint8{
		1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, // label 0: the first again
		0, 0, 0, 1, 0, 0, 0, 1, // label 1: one twice
		1, 1, 0, 0, // label 2: alone
	}
	s := &Samples{Name: "unequal", Shape: []int{1, 4}, Rows: points.Uint8(rows, 4), Labels: []int{0, 0, 0, 0, 1, 1, 2}}
	for _, c := range []struct {
		n              int
		overall, whole float64
	}{{6, 0.625, 4. / 6}, {7, 0.625, 5. / 7}} {
		in := Input{Generators: []Generator{{Name: "g", Generated: s.Select(count(c.n))}}}
		d := analyzed(t, in, Options{Metrics: []string{"diversity"}, Settings: analysis.Settings{Intervals: true}}).Models[0].Diversity
		if d.OverallUniqueness.Value.V != c.overall || d.PooledUniqueness.Value.V != c.whole {
			t.Errorf("%d samples: %v and %v, want %v and %v", c.n, d.OverallUniqueness.Value, d.PooledUniqueness.Value,
				c.overall, c.whole)
		}
		if ci := d.OverallUniqueness.CI; !(ci.Low <= c.overall && c.overall <= ci.High && ci.High <= 1) {
			t.Errorf("%d samples: interval %v", c.n, ci)
		}
	}
}

// Disjoint sets reach the ceiling, and it is below the published 0.3 where few cells are set.
func TestDiversityReachesItsCeiling(t *testing.T) {
	t.Parallel()
	rows := make([]uint8, 4*40)
	for i := range 4 {
		for k := range 3 {
			rows[i*40+3*i+k] = 1
		}
	}
	s := &Samples{Name: "disjoint", Shape: []int{1, 40}, Rows: points.Uint8(rows, 40)}
	m := analyzed(t, Input{Generators: []Generator{{Name: "g", Generated: s}}}, Options{Metrics: []string{"diversity"}}).Models[0]
	d := m.Diversity
	if math.Abs(d.OverallMean.Value.V-6./40) > 1e-15 || math.Abs(d.OfCeiling.Value.V-1) > 1e-12 || d.Jaccard.Value.V != 1 || d.OverallUniqueness.Value.V != 1 {
		t.Errorf("%+v", d)
	}
}

// Real samples held against themselves are not new at all.
func TestDiversityOfRealAgainstItself(t *testing.T) {
	t.Parallel()
	real := made(1, 40, 1, 30, 6, 2)
	d := diverse(t, Input{Real: real, Generators: []Generator{{Name: "copy", Generated: real}}}, Options{Settings: analysis.Settings{Intervals: true}})
	if n := d.Novelty; n.Share.Value.V != 0 || n.Nearest.Value.V != 1 || n.Joint.Value.V != 0 || n.CoOccurrence.V != 0 || n.Share.CI.Low != 0 || n.Share.CI.High < 0.05 {
		t.Errorf("%+v", n)
	}
}

// A label with fewer than 2 valid samples is skipped with its reason, never 0; so is all
// where no pair is left.
func TestDiversityTakesPairs(t *testing.T) {
	t.Parallel()
	s := made(1, 9, 1, 30, 6, 3)
	s.Valid = []bool{true, true, true, true, false, true, true, false, true}
	d := diverse(t, Input{Generators: []Generator{{Name: "g", Generated: s}}}, Options{Settings: analysis.Settings{Intervals: true}})
	if len(d.ByLabel) != 2 || len(d.Left) != 1 || d.Left[0] != (SkippedLabel{1,
		"only 1 of 3 samples are valid, want at least 2"}) {
		t.Errorf("%+v", d)
	}
	for want, valid := range map[string][]bool{"only 1 of 9 samples are valid, want at least 2": {0: true, 8: false}, "no label has 2 valid samples": {0: true, 1: true, 2: true, 8: false}} {
		s.Valid = valid
		m := analyzed(t, Input{Generators: []Generator{{Name: "g", Generated: s}}}, Options{Metrics: []string{"diversity"}}).Models[0]
		if m.Diversity != nil || len(m.Skipped) != 1 || !strings.Contains(m.Skipped[0].Reason, want) {
			t.Errorf("%+v, want %q", m.Skipped, want)
		}
	}
	one := made(1, 1, 1, 30, 6, 1)
	m := analyzed(t, Input{Generators: []Generator{{Name: "g", Generated: one}}}, Options{Settings: analysis.Settings{Intervals: true}}).Models[0]
	if !slices.Contains(m.Skipped, Skipped{"diversity", "only 1 of 1 samples are valid, want at least 2"}) {
		t.Errorf("one sample: %+v", m.Skipped)
	}
}

// Deletions of the overall mean are those of computing it anew.
func TestDiversityDeletions(t *testing.T) {
	t.Parallel()
	in := madeInput()
	in.Generators = in.Generators[:1]
	s := in.Generators[0].Generated
	s.Groups = make([]int, s.N())
	for i := range s.Groups {
		s.Groups[i] = i % 7
	}
	d := diverse(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	for g := range 7 {
		var keep []int
		for i, of := range s.Groups {
			if of != g {
				keep = append(keep, i)
			}
		}
		less := in
		less.Generators = []Generator{{Name: "a", Generated: s.Select(keep)}}
		want := diverse(t, less, Options{})
		for name, of := range map[string][2]Estimate{"mean": {d.OverallMean, want.OverallMean}, "Jaccard": {d.Jaccard, want.Jaccard}, "of ceiling": {d.OfCeiling, want.OfCeiling},
			"unique": {d.OverallUniqueness, want.OverallUniqueness}, "pooled": {d.PooledUniqueness, want.PooledUniqueness},
			"novelty": {d.Novelty.Share, want.Novelty.Share}} {
			if got := of[0].Jackknife.Replicates[g]; math.Abs(got-of[1].Value.V) > 1e-9 {
				t.Errorf("%s without group %d: %v, want %v", name, g, got, of[1].Value.V)
			}
		}
	}
}
