// Tests of intervals and comparisons against their definitions.

package sequence

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"repscope/analysis/sequence/internal/groups"
	"repscope/report"
	"repscope/stat"
)

// within reports whether two numbers agree to a relative 1e-12.
func within(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

// countedSums are made sums of every sequence.
func countedSums(n int) (numerator, denominator []float64) {
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		d := float64(r.IntN(6))
		numerator, denominator = append(numerator, float64(r.IntN(1+int(d)))), append(denominator, d)
	}
	return numerator, denominator
}

// summaryOf is a summary of n sequences with a kind of the given keys.
func summaryOf(g *groups.Groups, keys ...Key) *Summary {
	m := &ModelResult{Kept: map[string]any{}, jackknifes: map[string]*stat.Jackknifed{}}
	return &Summary{Setting: &Setting{}, Object: &m.Object, kind: &Kind{Name: "made", Keys: keys}, groups: g, Intervals: true, model: m}
}

// Sequences, and clusters, of more residues with higher losses are told; unrelated ones are not.
func TestSummaryWarnsOfLengths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		perCluster int
		grows      float64
		want       string
	}{{1, 1, "m: made: longer sequences have higher values"}, {2, 1, "m: made: longer clusters have higher values"},
		{1, 0, ""}} {
		const n = 20
		clusters, losses, residues := make([]int, n), make([]float64, n), make([]float64, n)
		for i := range n {
			clusters[i] = i / c.perCluster
			residues[i] = float64(10 + i)
			losses[i] = residues[i] * (1 + c.grows*float64(i)/n + float64(i*i%7)/100)
		}
		s := summaryOf(groups.New(clusters, groups.Most), Key{Name: "made", Paired: true})
		s.model.Name = "m"
		s.SequenceRatio("made", losses, residues)
		if w := strings.Join(s.model.warnings, "\n"); !strings.HasPrefix(w, c.want) || c.want == "" && w != "" {
			t.Errorf("%+v: %q", c, w)
		}
	}
}

// The interval of a ratio is that of the ratios without each cluster, from the definition: the
// sum over clusters of squares of the distances of pseudo-values, and Student's t.
func TestRatioInterval(t *testing.T) {
	t.Parallel()
	const n = 60
	clusters := make([]int, n)
	for i := range clusters {
		clusters[i] = i * i % 17
	}
	g := groups.New(clusters, groups.Most)
	a, b := countedSums(n)
	inOrder := func(values []float64) []float64 {
		out := make([]float64, n)
		for at, i := range g.Order {
			out[at] = values[i]
		}
		return out
	}
	s := summaryOf(g, Key{Name: "made", Low: math.Inf(-1), High: math.Inf(1), Compared: true, Paired: true})
	if err := s.Ratio("made", inOrder(a), inOrder(b)); err != nil {
		t.Fatal(err)
	}
	sum := func(values []float64, without int) (total float64) {
		for i, v := range values {
			if clusters[i] != without {
				total += v
			}
		}
		return total
	}
	theta := sum(a, -1) / sum(b, -1)
	size := map[int]int{}
	for _, c := range clusters {
		size[c]++
	}
	pseudo, mean, squares := map[int]float64{}, 0.0, 0.0
	for c, m := range size {
		h := float64(n) / float64(m)
		pseudo[c] = h*theta - (h-1)*sum(a, c)/sum(b, c)
		mean += float64(m) / n * pseudo[c]
		squares += float64(m * m)
	}
	variance := 0.0
	for c, m := range size {
		w := float64(m) / n
		variance += w * w * (pseudo[c] - mean) * (pseudo[c] - mean) / (1 - w)
	}
	q, err := stat.StudentTQuantile(0.975, n*n/squares-1)
	if err != nil {
		t.Fatal(err)
	}
	v, ci, ok := s.model.Number("made")
	if half := q * math.Sqrt(variance); !ok || !within(v.V, theta) || !within(ci.Low, theta-half) || !within(ci.High, theta+half) {
		t.Errorf("%v %v, want %v ± %v", v, ci, theta, half)
	}
	if got := stat.Mean(s.model.Samples[0].Values); !within(got, theta) {
		t.Errorf("the mean of what sequences contribute is %v, want %v", got, theta)
	}
	// The influence of sequence i on a ratio is n·(a − θ·b)/Σ b.
	for i, got := range s.model.Samples[0].Values {
		if want := theta + n*(a[i]-theta*b[i])/sum(b, -1); math.Abs(got-want) > 1e-6 {
			t.Fatalf("sequence %d contributes %v, want %v", i, got, want)
		}
	}
}

// Sums of groups give the numbers of sums of sequences.
func TestSumsOfGroups(t *testing.T) {
	t.Parallel()
	g := groups.New([]int{0, 1, 1, 0, 2, 2, 2, 3}, groups.Most)
	a, b := countedSums(8)
	grouped, single := NewSums(2), NewSequenceSums(2)
	for j := range g.Count() {
		for _, i := range g.Members(j) {
			grouped.Add(a[i], b[i])
			single.Add(a[i], b[i])
		}
		grouped.EndGroup()
		single.EndGroup()
	}
	var numbers [2]report.Object
	for k, sums := range []*Sums{&grouped, &single} {
		s := summaryOf(g, Key{Name: "made", Low: 0, High: 1})
		if err := s.Ratio("made", sums.Column(0), sums.Column(1)); err != nil {
			t.Fatal(err)
		}
		numbers[k] = s.model.Object
	}
	if !reflect.DeepEqual(numbers[0], numbers[1]) {
		t.Errorf("%v\nof groups, %v\nof sequences", numbers[0], numbers[1])
	}
	if len(grouped.Rows) != 2*g.Count() || len(single.Rows) != 16 {
		t.Errorf("%d and %d sums", len(grouped.Rows), len(single.Rows))
	}
}

// What cannot be computed is null with its reason.
func TestUndefined(t *testing.T) {
	t.Parallel()
	s := summaryOf(groups.New([]int{0, 1, 2, 3}, groups.Most), Key{Name: "none"}, Key{Name: "one"}, Key{Name: "few"})
	if err := s.Ratio("none", make([]float64, 4), make([]float64, 4)); err != nil {
		t.Fatal(err)
	}
	if v, ci, _ := s.model.Number("none"); v.Defined() || ci.Defined() || v.Reason != "no residue or sequence was scored" {
		t.Errorf("nothing: %v %v", v, ci)
	}
	if err := s.Ratio("one", []float64{0, 0, 1, 0}, []float64{0, 0, 3, 0}); err != nil {
		t.Fatal(err)
	}
	if v, ci, _ := s.model.Number("one"); !within(v.V, 1.0/3) || ci.Defined() || ci.Reason == "" {
		t.Errorf("of one sequence: %v %v", v, ci)
	}
	s.groups = groups.New([]int{0, 1, 1, 0}, groups.Most)
	if err := s.Ratio("few", []float64{1, 1, 0, 1}, []float64{1, 2, 1, 1}); err != nil {
		t.Fatal(err)
	}
	if v, ci, _ := s.model.Number("few"); v.V != 0.6 || ci.Defined() || ci.Reason != "too few sequences or "+
		"clusters for an interval, want at least 3" {
		t.Errorf("of two clusters: %v %v", v, ci)
	}
}

// An interval of the logarithm stays above the least that its number can be, and one of a share inside.
func TestScales(t *testing.T) {
	t.Parallel()
	g := groups.New([]int{0, 1, 2, 3}, groups.Most)
	s := summaryOf(g, Key{Name: "ppl", Low: 1, High: math.Inf(1), Log: true}, Key{Name: "share", High: 1})
	losses, counts := []float64{9, 0.1, 0.2, 7}, []float64{2, 2, 2, 2}
	if err := s.Score("ppl", func(sums []float64) float64 { return math.Exp(sums[0] / sums[1]) },
		"no residue or sequence was scored", losses, counts); err != nil {
		t.Fatal(err)
	}
	if _, ci, _ := s.model.Number("ppl"); !(ci.Low >= 1 && ci.High > ci.Low) {
		t.Errorf("ppl: %v", ci)
	}
	if err := s.Ratio("share", []float64{1, 1, 1, 0}, []float64{1, 1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	if _, ci, _ := s.model.Number("share"); ci.High != 1 || !(ci.Low >= 0) {
		t.Errorf("share: %v", ci)
	}
}

// Numbers of all regions are of one family, over which p values are corrected.
func TestFamily(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"mask_acc": "mask_acc", "region/hcdr3/accuracy": "region/accuracy", "region/overall/accuracy": "region/accuracy",
		"region/hcdr3/ppl": "region/ppl", "cross_chain/cross_frac": "cross_chain/cross_frac"} {
		if got := family(key); got != want {
			t.Errorf("%s: family %s, want %s", key, got, want)
		}
	}
}
