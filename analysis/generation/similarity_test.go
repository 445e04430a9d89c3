// Similarity: distances by hand, labels that are left out, comparisons, bad input.

package generation

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/measure/twosample"
	"repscope/points"
)

// numbers are rows of normal numbers, of which every label has so many, moved by shift.
func numbers(name string, random *rand.Rand, of map[int]int, shift float64) *Samples {
	s := &Samples{Name: name}
	columns := [2][]float64{}
	var rows []float64
	for _, label := range sortedKeys(of) {
		for range of[label] {
			a := random.NormFloat64()
			b := a + random.NormFloat64() + shift
			columns[0], columns[1] = append(columns[0], a), append(columns[1], b)
			rows = append(rows, a, b)
			s.Labels = append(s.Labels, label)
		}
	}
	s.Rows = points.Float64(rows, 2)
	s.Statistics = []Statistic{{Name: "a", Values: columns[0], Published: true}, {Name: "b", Values: columns[1]}}
	return s
}

func similarityOf(t *testing.T, in Input, o Options) (*Result, *Similarity) {
	t.Helper()
	o.Metrics = []string{"statistical"}
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Models[0].Similarity
}

func TestSimilarityByLabel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 1))
	real := numbers("real", random, map[int]int{0: 60, 1: 80, 2: 1, 3: 30}, 0)
	in := Input{Real: real, Generators: []Generator{
		{Name: "near", Generated: numbers("near", random, map[int]int{0: 40, 1: 50, 2: 30, 3: 9, 5: 20}, 0)},
		{Name: "far", Generated: numbers("far", random, map[int]int{0: 40, 1: 50}, 2)},
	}, LabelNames: map[int]string{0: "6A"}}
	r, s := similarityOf(t, in, Options{Settings: analysis.Settings{Intervals: true, Seed: 1}})
	want := map[int]string{
		2: "1 real sample, want at least 2", 3: "9 generated samples, want at least 10", 5: "no real samples",
	}
	for _, left := range s.Left {
		if want[left.Label] != left.Reason {
			t.Errorf("label %d: %s", left.Label, left.Reason)
		}
	}
	if len(s.ByLabel) != 2 || len(s.Left) != 3 {
		t.Fatalf("%d labels, %d left out", len(s.ByLabel), len(s.Left))
	}
	// By hand: label 1 of the first generator.
	l := s.ByLabel[1]
	x, y := in.Generators[0].Generated.Statistics[1].Values[40:90], real.Statistics[1].Values[60:140]
	distance, err := twosample.Wasserstein1(x, y)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Statistics[1]; math.Abs(got.Distance.Value.V-distance) > 1e-13 || math.Abs(got.Scaled.Value.V-distance/momentsOf(y).SD) > 1e-13 || got.KS.P < 0.01 {
		t.Errorf("%+v, want %v", got, distance)
	}
	// Only the first column is published.
	if l.Mean.Value.V != l.Statistics[0].Distance.Value.V || l.Generated != 50 || l.Real != 80 {
		t.Errorf("mean %v of %d and %d", l.Mean.Value, l.Generated, l.Real)
	}
	scaled := (l.Statistics[0].Scaled.Value.V + l.Statistics[1].Scaled.Value.V) / 2
	if math.Abs(l.Scaled.Value.V-scaled) > 1e-13 || !l.Mean.CI.Defined() || !s.Overall.CI.Defined() {
		t.Errorf("in units of the spread %v, want %v", l.Scaled.Value, scaled)
	}
	if s.Overall.Value.V != (s.ByLabel[0].Mean.Value.V+l.Mean.Value.V)/2 {
		t.Errorf("overall %v", s.Overall.Value)
	}
	b := l.Statistics[1].Baseline // of 40 and 40, for 50 and 80
	if want := b.Mean * math.Sqrt((1.0/50+1.0/80)/(1.0/40+1.0/40)); math.Abs(b.Expected-want) > 1e-13 || b.Sizes != [2]int{40, 40} || !b.Reduced {
		t.Errorf("%+v, want %v expected", b, want)
	}
	// The first generator is as near as two parts of the real samples, the second is not.
	far := r.Models[1].Similarity
	for k, of := range []*Similarity{s, far} {
		b, p := of.ByLabel[1].Statistics[1], of.ByLabel[1].Joint
		if (b.Distance.Value.V > b.Baseline.High) != (k == 1) || (p.Energy.Holm < 0.01) != (k == 1) || (p.MMD.Holm < 0.01) != (k == 1) || (b.KSHolm < 0.01) != (k == 1) {
			t.Errorf("%s: %v beside %+v; %+v; KS %v", r.Models[k].Name, b.Distance.Value, b.Baseline, p, b.KSHolm)
		}
		if p.Trends < 0.9 || len(p.Pairs) != 1 || math.IsNaN(p.TrendsBaseline.Mean) {
			t.Errorf("trends %v beside %+v", p.Trends, p.TrendsBaseline)
		}
	}
	if len(r.Comparisons) != 2 || !r.Comparisons[1].P.Defined() || r.Comparisons[1].P.V > 0.01 || r.Comparisons[1].Difference.V > 0 {
		t.Errorf("%+v", r.Comparisons)
	}
}

// TestSimilarityToItself: all distances are 0, and no test finds a difference.
func TestSimilarityToItself(t *testing.T) {
	t.Parallel()
	real := numbers("real", rand.New(rand.NewPCG(8, 2)), map[int]int{0: 25, 1: 12}, 0)
	for range 2 {
		_, s := similarityOf(t, Input{Real: real, Generators: []Generator{{Name: "copy", Generated: real}}}, Options{Settings: analysis.Settings{Intervals: true}})
		l := s.ByLabel[0]
		if s.Overall.Value.V != 0 || l.Joint.Energy.Value != 0 || l.Joint.Energy.P != 1 || l.Statistics[0].KS.P != 1 || l.Joint.Trends != 1 || l.Statistics[1].Boundaries.Inside != 1 {
			t.Errorf("%+v", l)
		}
		real.Labels = nil // all as one
	}
}

// TestSimilarityWithoutLabels: one part for all samples, and nothing by label.
func TestSimilarityWithoutLabels(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 3))
	real, generated := numbers("real", random, map[int]int{0: 25}, 0), numbers("generated", random, map[int]int{0: 25}, 0)
	real.Labels, generated.Labels = nil, nil
	_, s := similarityOf(t, Input{Real: real, Generators: []Generator{{Name: "m", Generated: generated}}}, Options{})
	if s.Labeled || len(s.ByLabel) != 1 || s.Overall.Value.V != s.ByLabel[0].Mean.Value.V || s.Overall.CI.Defined() {
		t.Errorf("%+v", s)
	}
}

// TestSimilarityOfGrids counts cells where samples come without statistics.
func TestSimilarityOfGrids(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 4))
	grids := func(chance float64) *Samples {
		cells := make([]uint8, 30*12)
		for k := range cells {
			if random.Float64() < chance {
				cells[k] = 1
			}
		}
		return &Samples{Name: "grids", Rows: points.Uint8(cells, 12), Shape: []int{2, 6}, Channels: []string{"start", "end"}}
	}
	real := grids(0.5)
	_, s := similarityOf(t, Input{Real: real, Generators: []Generator{{Name: "m", Generated: grids(0.2)}}}, Options{})
	var names []string
	for _, of := range s.Statistics {
		names = append(names, of.Name)
	}
	if strings.Join(names, " ") != "num_cells num_start num_end" || s.Statistics[0].Mean < 2 {
		t.Errorf("%v: %+v", names, s.Statistics[0])
	}
	sum := 0.0
	for _, v := range real.Rows.U8 {
		sum += float64(v)
	}
	if math.Abs(s.Statistics[0].Real.Mean-sum/30) > 1e-12 {
		t.Errorf("mean %v, want %v", s.Statistics[0].Real.Mean, sum/30)
	}
}

// TestSimilarityOfConstants: a statistic that does not vary has no unit, but a distance.
func TestSimilarityOfConstants(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 5))
	real, generated := numbers("real", random, map[int]int{0: 25}, 0), numbers("generated", random, map[int]int{0: 25}, 0)
	for i := range 25 {
		real.Statistics[0].Values[i] = 3
		generated.Statistics[0].Values[i] = 4
	}
	_, s := similarityOf(t, Input{Real: real, Generators: []Generator{{Name: "m", Generated: generated}}}, Options{Settings: analysis.Settings{Intervals: true}})
	of := s.ByLabel[0].Statistics[0]
	if of.Distance.Value.V != 1 || of.Scaled.Value.Defined() || of.Scaled.Value.Reason != "the real values do not "+
		"vary" || s.ByLabel[0].Joint.Energy.P > 0.01 {
		t.Errorf("%+v; %+v", of, s.ByLabel[0].Joint.Energy)
	}
	if !s.Scaled.Value.Defined() || s.Scaled.Value.V != s.ByLabel[0].Statistics[1].Scaled.Value.V {
		t.Errorf("in units of the spread %+v", s.Scaled)
	}
}

// TestSimilarityOfMany: distances of pairs are of samples that are drawn, the others of all.
func TestSimilarityOfMany(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	c := &comparer{a: &analyzer{o: Options{Settings: analysis.Settings{Seed: 3}}}}
	index := count(9000)
	random.Shuffle(len(index), func(i, j int) { index[i], index[j] = index[j], index[i] })
	a, err := c.some(index, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.some(index, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(a) != 4000 || len(DistinctLabels(a)) != 4000 || slices.Equal(a, b) {
		t.Errorf("%d drawn, %d distinct", len(a), len(DistinctLabels(a)))
	}
	if few, err := c.some(index[:4000], 0); err != nil || !slices.Equal(few, index[:4000]) {
		t.Errorf("of %d all are taken: %v", len(few), err)
	}
}

func TestBadSimilarity(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 6))
	real, few := numbers("real.csv", random, map[int]int{0: 25}, 0), numbers("few.csv", random, map[int]int{0: 5}, 0)
	other := numbers("other.csv", random, map[int]int{0: 25}, 0)
	other.Statistics[1].Name = "c"
	_, err := Analyze(context.Background(), Input{Real: real, Generators: []Generator{{Name: "m", Generated: other}}}, Options{Metrics: []string{"similarity"}})
	if want := "similarity of m: other.csv does not have the same columns as real.csv: missing b; extra c"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	r, err := Analyze(context.Background(), Input{Real: real, Generators: []Generator{{Name: "m", Generated: few}}}, Options{Metrics: []string{"similarity"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "no label has at least 10 generated and 2 real samples"; len(r.Models[0].Skipped) != 1 || r.Models[0].Skipped[0].Reason != want {
		t.Errorf("%+v, want %s", r.Models[0].Skipped, want)
	}
}

// TestSimilarityInGroups: a test needs groups on both sides or none.
func TestSimilarityInGroups(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 7))
	real, generated := numbers("real", random, map[int]int{0: 40}, 0), numbers("generated", random, map[int]int{0: 40}, 0)
	for i := range 40 {
		real.Groups = append(real.Groups, i/4)
	}
	in := Input{Real: real, Generators: []Generator{{Name: "m", Generated: generated}}}
	_, s := similarityOf(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	if energy := s.ByLabel[0].Joint.Energy; !math.IsNaN(energy.P) || energy.Reason != "only one sample has groups, so "+
		"points cannot be permuted between samples" || math.IsNaN(energy.Value) {
		t.Errorf("%+v", energy)
	}
	generated.Groups = real.Groups
	_, s = similarityOf(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	if of := s.ByLabel[0]; math.IsNaN(of.Joint.Energy.P) || of.Baseline.Sizes != [2]int{20, 20} || len(of.Mean.Jackknife.BlockSizes) != 20 {
		t.Errorf("%+v; %+v", of.Joint.Energy, of.Baseline)
	}
}

// TestExpectedOfPerfect: the distance of two samples of one distribution is what parts of one
// of them say of it.
func TestExpectedOfPerfect(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 9))
	var expected, found float64
	const runs = 12
	for k := range runs {
		real, generated := numbers("real", random, map[int]int{0: 60}, 0), numbers("generated", random, map[int]int{0: 60}, 0)
		real.Statistics, generated.Statistics = real.Statistics[:1], generated.Statistics[:1]
		_, s := similarityOf(t, Input{Real: real, Generators: []Generator{{Name: "m", Generated: generated}}}, Options{Settings: analysis.Settings{Seed: uint64(k), Threads: 1}})
		expected += s.Expected / runs
		found += s.Overall.Value.V / runs
	}
	if math.Abs(expected-found) > 0.06 {
		t.Errorf("parts say %v, samples are %v apart", expected, found)
	}
}
