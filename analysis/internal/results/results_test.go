// Tests of intervals, comparisons and the names of blocks.

package results

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/report"
	"repscope/stat"
)

func TestDeleted(t *testing.T) {
	t.Parallel()
	episode := make([]int, 60)
	for i := range episode {
		episode[i] = i / 10
	}
	for _, c := range []struct {
		episode []int
		spec    stat.BlockSpec
		want    string
	}{
		{episode, stat.BlockSpec{Kind: stat.EpisodeBlocks}, "6 episodes"},
		{nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 20}, "3 blocks (moving blocks of 20)"},
		{episode, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 5}, "12 blocks (moving blocks of 5 in 6 episodes)"},
	} {
		blocks, err := stat.NewBlocks(60, c.episode, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := Deleted(blocks); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestEqualDifferences: where all observations differ by one amount that is why there is no effect size.
func TestEqualDifferences(t *testing.T) {
	t.Parallel()
	c := comparisons(Metric{Name: "m"}, []stat.Comparison{
		{A: "a", B: "b", EffectSD: math.NaN()}, {A: "a", B: "b", EffectSD: math.NaN(), Interval: stat.Interval{Low: -1, High: 1}},
	})
	if same, varied := c[0].EffectSD.Reason, c[1].EffectSD.Reason; !strings.Contains(same, "the same") || strings.Contains(varied, "the same") {
		t.Errorf("reasons %q and %q", same, varied)
	}
}

// TestPairwiseExtremes: three models over the same blocks have p values of being the best; of two
// those of the pair say as much.
func TestPairwiseExtremes(t *testing.T) {
	t.Parallel()
	episode := make([]int, 60)
	for i := range episode {
		episode[i] = i / 6
	}
	blocks, err := stat.NewBlocks(60, episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	r := stat.NewRandom(stat.NewKey(1))
	var estimates []*stat.Jackknifed
	for _, level := range []float64{0, 0, 5} {
		values := make([]float64, 60)
		for i := range values {
			values[i] = level + r.Normal()
		}
		v, err := stat.JackknifeMean(blocks, values)
		if err != nil {
			t.Fatal(err)
		}
		estimates = append(estimates, v)
	}
	metric, names := Metric{Name: "m", Path: "part.m"}, []string{"a", "b", "c"}
	rows, err := Pairwise(metric, names, estimates, 1)
	if err != nil || len(rows) != 3 || rows[0].Extremes == nil || rows[0].Extremes != rows[2].Extremes {
		t.Fatalf("%v, %v", rows, err)
	}
	e := rows[0].Extremes
	if p, ok := e.P("c", report.Higher); e.Path != "part.m" || !ok || p != 1 {
		t.Errorf("p of the highest is %v", p)
	}
	if p, ok := e.P("a", report.Higher); !ok || p != 1.0/(1<<10) { // one of 2^10 patterns of signs
		t.Errorf("p of a far lower one is %v", p)
	}
	if rows, err = Pairwise(metric, names[:2], estimates[:2], 1); err != nil || rows[0].Extremes != nil {
		t.Errorf("two models: %v, %v", rows, err)
	}
}

// TestRanged: an interval holds its estimate, is no wider than before, and never reaches beyond the range.
func TestRanged(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	rapid.Check(t, func(t *rapid.T) {
		low, high := -inf, inf
		of := rapid.SampledFrom([][2]float64{{0, 1}, {0, inf}, {1, inf}, {-1, 1}, {-inf, 0}, {-inf, 1}, {-inf, inf}, {-2, 2}}).Draw(t, "range")
		low, high = of[0], of[1]
		value := func(name string) float64 {
			return rapid.Float64Range(max(low, -100), min(high, 100)).Draw(t, name)
		}
		estimate := value("estimate")
		var replicates []float64
		for range rapid.IntRange(2, 12).Draw(t, "blocks") {
			replicates = append(replicates, value("replicate"))
		}
		sizes := slices.Repeat([]int{3}, len(replicates))
		j, err := stat.DeleteBlockJackknife(estimate, replicates, sizes, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, logarithm := range []bool{false, low >= 0} {
			cut := *j
			ci := Ranged(&cut, low, high, logarithm).Interval
			if !ci.Defined() {
				continue
			}
			const rounding = 1e-9
			if ci.Low < low || ci.High > high || ci.Low > estimate+rounding*math.Abs(estimate) || ci.High < estimate-rounding*math.Abs(estimate) {
				t.Fatalf("%v [%v, %v] of a number from %v to %v, logarithm %v", estimate, ci.Low, ci.High, low, high, logarithm)
			}
			if !logarithm && (ci.Low < j.Interval.Low || ci.High > j.Interval.High) {
				t.Fatalf("[%v, %v] is wider than %+v", ci.Low, ci.High, j.Interval)
			}
		}
	})
}
