// Tests of confidence sets for the best.

package stat

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// blockMeans are jackknifed means of models whose blocks have these means, and all pairs.
func blockMeans(t testing.TB, means [][]float64, size int) ([]*Jackknifed, []Comparison) {
	t.Helper()
	g := len(means[0])
	labels := make([]int, g*size)
	for i := range labels {
		labels[i] = i / size
	}
	blocks, err := NewBlocks(len(labels), labels, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var all []*Jackknifed
	for k, of := range means {
		values := make([]float64, len(labels))
		for i := range values {
			values[i] = of[i/size] + 0.01*float64(i%size) - 0.005*float64(size-1)
		}
		v, err := JackknifeMean(blocks, values)
		if err != nil {
			t.Fatal(err)
		}
		names, all = append(names, fmt.Sprint(k)), append(all, v)
	}
	compared, err := CompareAll(names, all, CompareOptions{Permutations: 99})
	if err != nil {
		t.Fatal(err)
	}
	return all, compared
}

func drawnMeans(seed uint64, models, blocks int, shift func(k int) float64) [][]float64 {
	r := NewRandom(NewKey(seed))
	out := make([][]float64, models)
	for k := range out {
		for range blocks {
			out[k] = append(out[k], shift(k)+r.Normal())
		}
	}
	return out
}

// naiveExtremes are the p values by their definition: Student's t of the differences between
// block means, computed again under each of all 2^g patterns of signs.
func naiveExtremes(means [][]float64, sign float64) []float64 {
	g := len(means[0])
	d := make([]float64, g)
	tOf := func(a, b []float64, pattern int) float64 {
		for i := range d {
			if d[i] = a[i] - b[i]; pattern>>i&1 != 0 {
				d[i] = -d[i]
			}
		}
		return Mean(d) / (StandardDeviation(d) / math.Sqrt(float64(g)))
	}
	out := make([]float64, len(means))
	for i := range means {
		largest := func(pattern int) float64 {
			most := math.Inf(-1)
			for j := range means {
				if j != i {
					most = max(most, sign*tOf(means[j], means[i], pattern))
				}
			}
			return most
		}
		seen, count := largest(0), 0
		for pattern := range 1 << g {
			if largest(pattern) >= seen-1e-9 {
				count++
			}
		}
		out[i] = float64(count) / float64(int(1)<<g)
	}
	return out
}

// TestJointExtremes holds the p values against their definition, exactly up to 14 blocks and
// within 4 Monte-Carlo errors beyond.
func TestJointExtremes(t *testing.T) {
	t.Parallel()
	for _, g := range []int{7, 15} {
		means := drawnMeans(3, 4, g, func(k int) float64 { return 0.5 * float64(k%3) })
		estimates, compared := blockMeans(t, means, 5)
		got := JointExtremes(estimates, compared, CompareOptions{Seed: 7})
		if !got.Joint {
			t.Fatal("not from the joint distribution")
		}
		highest, lowest := naiveExtremes(means, 1), naiveExtremes(means, -1)
		for i := range means {
			tolerance := func(p float64) float64 {
				if g <= maxExactBlocks {
					return 1e-12
				}
				return 4*math.Sqrt(p*(1-p)/9999) + 1e-4
			}
			nearAbsolute(t, fmt.Sprintf("highest of model %d, %d blocks", i, g), got.Highest[i], highest[i], tolerance(highest[i]))
			nearAbsolute(t, fmt.Sprintf("lowest of model %d, %d blocks", i, g), got.Lowest[i], lowest[i], tolerance(lowest[i]))
		}
		again := JointExtremes(estimates, compared, CompareOptions{Seed: 7})
		if !slices.Equal(got.Highest, again.Highest) || !slices.Equal(got.Lowest, again.Lowest) {
			t.Error("the same seed gives other p values")
		}
	}
}

func TestJointExtremes_Invariances(t *testing.T) {
	t.Parallel()
	means := drawnMeans(11, 5, 9, func(k int) float64 { return 0.4 * float64(k) })
	estimates, compared := blockMeans(t, means, 3)
	base := JointExtremes(estimates, compared, CompareOptions{})

	order := []int{3, 0, 4, 2, 1}
	var moved, negated [][]float64
	for _, k := range order {
		moved = append(moved, means[k])
	}
	for _, of := range means {
		n := make([]float64, len(of))
		for b, v := range of {
			n[b] = 2 - 3*v
		}
		negated = append(negated, n)
	}
	m, c := blockMeans(t, moved, 3)
	other := JointExtremes(m, c, CompareOptions{})
	for i, k := range order {
		if other.Highest[i] != base.Highest[k] || other.Lowest[i] != base.Lowest[k] {
			t.Errorf("model %d has other p values in another order", k)
		}
	}
	m, c = blockMeans(t, negated, 3)
	if other = JointExtremes(m, c, CompareOptions{}); !slices.Equal(other.Highest, base.Lowest) || !slices.Equal(other.Lowest, base.Highest) {
		t.Errorf("the highest of a negated scale is the lowest:\n%v\n%v", other, base)
	}
}

// TestJointExtremes_Untested: pairs without a test count in no way, and what deletions do not
// share falls back on pairs.
func TestJointExtremes_Untested(t *testing.T) {
	t.Parallel()
	means := drawnMeans(2, 3, 8, func(k int) float64 { return 0 })
	for b, v := range means[0] {
		means[2][b] = v + 1 // by the same amount in every block
	}
	estimates, compared := blockMeans(t, means, 1)
	if p := compared[1].P; !math.IsNaN(p) {
		t.Fatalf("p of a constant difference is %v", p)
	}
	got := JointExtremes(estimates, compared, CompareOptions{})
	if !got.Joint || got.Highest[0] < 2*compared[0].P/4 {
		t.Errorf("a pair without a test is counted: %v", got)
	}
	two := JointExtremes(estimates[:2], compared[:1], CompareOptions{})
	c := compared[0]
	want := c.P / 2
	if c.Difference > 0 {
		want = 1 - want
	}
	if two.Joint || two.Highest[0] != want || two.Lowest[0] != 1-want {
		t.Errorf("two models: %v, want the one-sided p %v of %v with two-sided %v", two, want, c.Difference, c.P)
	}
}

func TestPairExtremes(t *testing.T) {
	t.Parallel()
	// Models 0 to 3: 0 above 1 by a difference with p .02, below 2 with p .5, 3 is not tested.
	differences := map[[2]int][2]float64{{0, 1}: {1, 0.02}, {0, 2}: {-0.2, 0.5}, {1, 2}: {-1.2, 0.001}}
	got := PairExtremes(4, func(i, j int) (float64, float64) {
		d, ok := differences[[2]int{i, j}]
		if !ok {
			return 1, math.NaN()
		}
		return d[0], d[1]
	})
	for i, want := range []float64{2 * 0.25, 2 * 0.0005, 1, math.NaN()} {
		near(t, fmt.Sprintf("highest %d", i), got.Highest[i], want, 1e-15)
	}
	for i, want := range []float64{2 * 0.01, 1, 2 * 0.0005, math.NaN()} {
		near(t, fmt.Sprintf("lowest %d", i), got.Lowest[i], want, 1e-15)
	}
}

func TestBestSet(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		p       []float64
		better  [2]int // the first was found better than the second; 0, 0: none
		want    []bool
		decided bool
	}{
		{[]float64{1, 0.3, 0.06}, [2]int{}, []bool{true, true, true}, false},
		{[]float64{1, 0.3, 0.04}, [2]int{}, []bool{true, true, true}, false}, // no pair differs
		{[]float64{1, 0.3, 0.04}, [2]int{0, 2}, []bool{true, true, false}, true},
		{[]float64{1, 0.04, 0.3}, [2]int{0, 2}, []bool{true, false, false}, true},
		{[]float64{1, 0.3, 0.05}, [2]int{}, []bool{true, true, true}, false},
		{[]float64{1, 0.06, nan}, [2]int{0, 1}, []bool{true, false, false}, true},
		{[]float64{nan, nan}, [2]int{}, []bool{false, false}, false},
	} {
		in, decided := BestSet(c.p, 0, func(i, j int) bool { return i != j && [2]int{i, j} == c.better })
		if !slices.Equal(in, c.want) || decided != c.decided {
			t.Errorf("p %v: in the set are %v, decided %v; want %v, %v", c.p, in, decided, c.want, c.decided)
		}
	}
	if in, decided := BestSet([]float64{1, 0.3, 0.04}, 0, nil); in[2] || !decided {
		t.Errorf("without tests of pairs the set is %v", in)
	}
}

func BenchmarkJointExtremes(b *testing.B) {
	for _, size := range [][2]int{{12, 14}, {40, 50}, {100, 50}} {
		b.Run(fmt.Sprintf("models=%d/blocks=%d", size[0], size[1]), func(b *testing.B) {
			estimates, compared := blockMeans(b, drawnMeans(1, size[0], size[1], func(int) float64 { return 0 }), 2)
			for b.Loop() {
				JointExtremes(estimates, compared, CompareOptions{})
			}
		})
	}
}
