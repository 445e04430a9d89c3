// Tests of comparisons.

package stat

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func mustMean(t *testing.T, b *Blocks, values []float64) *Jackknifed {
	t.Helper()
	v, err := JackknifeMean(b, values)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCompare(t *testing.T) {
	t.Parallel()
	n := 400
	a, c := benchmarkSeries(n), benchmarkSeries(n + 1)[1:]
	shifted := make([]float64, n)
	noise := NewRandom(NewKey(8))
	for i := range shifted {
		shifted[i] = a[i] + 0.3 + 0.1*noise.Normal()
	}
	b := mustBlocks(t, n, nil, BlockSpec{Kind: MovingBlocks, Length: 20})
	var estimates []*Jackknifed
	for _, values := range [][]float64{a, shifted, c} {
		estimates = append(estimates, mustMean(t, b, values))
	}
	o := CompareOptions{Seed: 3}
	all, err := CompareAll([]string{"a", "shifted", "c"}, estimates, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[0].A != "a" || all[0].B != "shifted" || all[2].A != "shifted" || all[2].B != "c" {
		t.Fatalf("pairs %+v", all)
	}
	// The pairing removes what the two series have in common: a t test of the means of
	// the 20 blocks.
	d := all[0]
	differences := subtract(a, shifted)
	var blockMeans []float64
	for j := range b.Count() {
		block := b.Block(j)
		blockMeans = append(blockMeans, Mean(differences[block[0]:block[len(block)-1]+1]))
	}
	se := StandardDeviation(blockMeans) / math.Sqrt(20)
	near(t, "difference", d.Difference, Mean(differences), 1e-9)
	near(t, "t", d.T, Mean(differences)/se, 1e-9)
	near(t, "degrees of freedom", d.DF, 19, 1e-12)
	near(t, "half width", (d.Interval.High-d.Interval.Low)/2, 2.093024054408263*se, 1e-9) // t of 19 at 0.975
	near(t, "sign flips", d.SignFlip, 1e-4, 1e-12)
	near(t, "effect", d.EffectSD, Mean(differences)/StandardDeviation(differences), 1e-6)
	if !(d.P < 1e-10) || d.PHolm != 3*d.P && d.PHolm != 2*d.P {
		t.Errorf("p %v, corrected %v", d.P, d.PHolm)
	}
	if d.Blocks != 20 || d.Exact || len(d.Warnings) == 0 {
		t.Errorf("%d blocks, exact %v, warnings %q", d.Blocks, d.Exact, d.Warnings)
	}

	reversed, err := Compare(estimates[1], estimates[0], o)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "reversed difference", reversed.Difference, -d.Difference, 1e-12)
	near(t, "reversed p", reversed.P, d.P, 1e-12)
	near(t, "reversed effect", reversed.EffectSD, -d.EffectSD, 1e-12)
	near(t, "reversed low", reversed.Interval.Low, -d.Interval.High, 1e-12)

	same, err := Compare(estimates[0], estimates[0], o)
	if err != nil {
		t.Fatal(err)
	}
	if same.Difference != 0 || same.P != 1 || same.Interval.Low != 0 || same.Interval.High != 0 || !math.IsNaN(same.EffectSD) {
		t.Errorf("a model against itself: %+v", same)
	}
	if _, err := Compare(estimates[0], mustMean(t, mustBlocks(t, n, nil, BlockSpec{Kind: MovingBlocks, Length: 25}), a), o); err == nil {
		t.Error("no error for different blocks")
	}
}

// The interval leaves 0 out exactly where p is below 5 %.
func TestIntervalAndTestAgree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := NewRandom(NewKey(seed))
		var episodes []int
		var a, b []float64
		for e := range 6 + int(seed)%7 {
			for range 2 + r.Intn(9) {
				episodes, a, b = append(episodes, e), append(a, r.Normal()), append(b, 0.4+r.Normal())
			}
		}
		blocks := mustBlocks(t, len(a), episodes, BlockSpec{})
		c, err := Compare(mustMean(t, blocks, a), mustMean(t, blocks, b), CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if out := c.Interval.Low > 0 || c.Interval.High < 0; out != (c.P < 0.05) {
			t.Errorf("seed %d: interval %+v, p %v", seed, c.Interval, c.P)
		}
	}
}

// Few blocks, and blocks that are short for the memory of the series, have an
// interval with warnings and no p value.
func TestUntestable(t *testing.T) {
	t.Parallel()
	slow := make([]float64, 600)
	r := NewRandom(NewKey(3))
	for i := 1; i < len(slow); i++ {
		slow[i] = 0.98*slow[i-1] + r.Normal()
	}
	other := make([]float64, 600)
	for i := range other {
		other[i] = r.Normal()
	}
	five := make([]int, 600)
	for i := range five {
		five[i] = i / 120
	}
	for _, c := range []struct {
		name     string
		episodes []int
		spec     BlockSpec
		reason   string
	}{
		{"one episode with a long memory", nil, BlockSpec{}, "are too few for a test, want at least 15"},
		{"short blocks", nil, BlockSpec{Kind: MovingBlocks, Length: 5}, "too short for a test with an autocorrelation time of"},
		{"five episodes", five, BlockSpec{}, "5 episodes are too few for a test, want at least 6"},
		{"two blocks", nil, BlockSpec{Kind: MovingBlocks, Length: 300}, "2 blocks of 300 observations are too few"},
	} {
		blocks, err := NewBlocks(600, c.episodes, c.spec, Differences(slow, other)...)
		if err != nil {
			t.Fatal(err)
		}
		compared, err := Compare(mustMean(t, blocks, slow), mustMean(t, blocks, other), CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !math.IsNaN(compared.P) || !math.IsNaN(compared.SignFlip) || !strings.Contains(compared.Reason, c.reason) ||
			!compared.Interval.Defined() || len(compared.Warnings) == 0 {
			t.Errorf("%s: %+v", c.name, compared)
		}
	}
}

// A score that falls where observations are fewer, as ranks at a fixed k do: every
// deletion lowers both models. The test must be about the difference reported, not
// about its extrapolation to infinitely many observations, which is far from it.
func TestComparisonIsCentredOnTheDifference(t *testing.T) {
	sizes := []int{10, 30, 25, 12, 20, 18, 22, 16}
	// Differences a − b per block around 0.02, and a size effect on a alone.
	var a, b []float64
	for j, m := range sizes {
		noise := 1e-4 * float64(j%3-1)
		a = append(a, 0.95-0.004*float64(m)/25+noise)
		b = append(b, 0.93)
	}
	first, err := DeleteBlockJackknife(0.95, a, sizes, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := DeleteBlockJackknife(0.93, b, sizes, 0)
	if err != nil {
		t.Fatal(err)
	}
	if first.Bias > -0.02 {
		t.Fatalf("bias %v: the example should have a large one", first.Bias)
	}
	c, err := Compare(first, second, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Difference-0.02) > 1e-12 || !(c.T > 0) || !(c.Interval.Low > 0) || c.P > 0.01 || c.SignFlip > 2/math.Exp2(7) {
		t.Errorf("difference %v, interval [%v, %v], p %v, sign flips %v", c.Difference, c.Interval.Low, c.Interval.High, c.P, c.SignFlip)
	}
}

func ExampleCompare() {
	// Distances of two models on the same 300 frames of 30 episodes.
	random := NewRandom(NewKey(1))
	var episodes []int
	var first, second []float64
	for e := range 30 {
		level := random.Normal()
		for range 10 {
			episodes = append(episodes, e)
			common := 5 + level + 0.2*random.Normal()
			first = append(first, common)
			second = append(second, common+0.5+0.1*random.Normal())
		}
	}
	blocks, err := NewBlocks(len(first), episodes, BlockSpec{Kind: AutoBlocks}, first, second)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, errA := JackknifeMean(blocks, first)
	b, errB := JackknifeMean(blocks, second)
	if errA != nil || errB != nil {
		fmt.Println(errA, errB)
		return
	}
	c, err := Compare(a, b, CompareOptions{Seed: 42})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(blocks)
	fmt.Printf("difference %.2f [%.2f, %.2f], p = %.0e\n", c.Difference, c.Interval.Low, c.Interval.High, c.P)
	// Output:
	// 30 episodes
	// difference -0.50 [-0.52, -0.49], p = 3e-36
}

// TestCompare_EqualScores: a difference that is the same everywhere but for rounding has no
// error, and no p value; one that is seen without any doubt has one above 0.
func TestCompare_EqualScores(t *testing.T) {
	t.Parallel()
	const n = 100
	labels, x, above, noisy := make([]int, n), make([]float64, n), make([]float64, n), make([]float64, n)
	r := NewRandom(NewKey(1))
	for i := range x {
		labels[i] = i * i / 1000 // ten episodes, of 5 to 32
		x[i] = r.Normal()
		above[i], noisy[i] = x[i]+0.1, x[i]+1e4+1e-3*r.Normal()
	}
	b := mustBlocks(t, n, labels, BlockSpec{Kind: EpisodeBlocks})
	c, err := Compare(mustMean(t, b, x), mustMean(t, b, above), CompareOptions{})
	if err != nil || !math.IsNaN(c.P) || !math.IsNaN(c.SignFlip) || !math.IsNaN(c.EffectSD) || !strings.Contains(c.Reason, "same amount") ||
		c.Interval.Defined() || c.Interval.Reason != c.Reason {
		t.Errorf("a constant difference: %+v, %v", c, err)
	}
	c, err = Compare(mustMean(t, b, x), mustMean(t, b, noisy), CompareOptions{})
	if err != nil || !(c.P > 0) || c.P > 1e-40 {
		t.Errorf("a sure difference: p %v, %v", c.P, err)
	}
	equal := make([]float64, n)
	for i := range equal {
		equal[i] = 0.1 + 0.2
	}
	if v := mustMean(t, b, equal); v.StdError != 0 {
		t.Errorf("equal scores have the error %v", v.StdError)
	}
	if p := TTestP(1e9, 1e5); p != math.SmallestNonzeroFloat64 {
		t.Errorf("p %v", p)
	}
	for _, runs := range [][]float64{{0.1 + 0.2, 0.3, 0.1 + 0.2}, {0.3}} {
		d, err := Welch([]float64{0.7, 0.1 + 0.6, 0.7}, runs, 0)
		if err != nil || !math.IsNaN(d.P) || d.Reason == "" || d.Interval.Defined() {
			t.Errorf("runs that do not vary: %+v, %v", d, err)
		}
	}
}
