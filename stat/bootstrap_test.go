// Blocks, bootstrap, jackknife and comparisons: closed forms, coverage, and
// independence of threads.

package stat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustBlocks(t testing.TB, n int, episodes []int, spec BlockSpec, series ...[]float64) *Blocks {
	t.Helper()
	b, err := NewBlocks(n, episodes, spec, series...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// labelled returns episode labels for episodes of the given lengths.
func labelled(lengths ...int) []int {
	var labels []int
	for e, n := range lengths {
		for range n {
			labels = append(labels, 10*e)
		}
	}
	return labels
}

func TestParseBlockSpec(t *testing.T) {
	for text, want := range map[string]BlockSpec{"": {}, "auto": {}, "episode": {Kind: EpisodeBlocks}, "24": {Kind: MovingBlocks, Length: 24}} {
		got, err := ParseBlockSpec(text)
		if err != nil || got != want {
			t.Errorf("ParseBlockSpec(%q) = %v, %v", text, got, err)
		}
		if again, _ := ParseBlockSpec(got.String()); again != got {
			t.Errorf("%v does not read back", got)
		}
	}
	for _, text := range []string{"0", "-3", "frame", "1.5"} {
		if _, err := ParseBlockSpec(text); err == nil {
			t.Errorf("ParseBlockSpec(%q): no error", text)
		}
	}
}

func TestBlocksPartition(t *testing.T) {
	labels := labelled(25, 3, 40)
	slices.Reverse(labels)
	b := mustBlocks(t, len(labels), labels, BlockSpec{Kind: MovingBlocks, Length: 10})
	seen := make([]bool, len(labels))
	for j := range b.Count() {
		for _, i := range b.Block(j) {
			if seen[i] {
				t.Fatalf("observation %d is in two blocks", i)
			}
			seen[i] = true
			if labels[i] != labels[b.Block(j)[0]] {
				t.Fatalf("block %d straddles two episodes", j)
			}
			if b.Labels()[i] != j {
				t.Fatalf("label of %d is %d, want %d", i, b.Labels()[i], j)
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("an observation is in no block")
	}
	if want := []int{10, 10, 10, 10, 3, 8, 8, 9}; !slices.Equal(b.Sizes(), want) {
		t.Errorf("sizes %v, want %v", b.Sizes(), want)
	}
	c := b.Coarsen(3)
	total := 0
	for _, m := range c.Sizes() {
		total += m
	}
	if c.Count() != 3 || total != len(labels) {
		t.Errorf("coarse sizes %v", c.Sizes())
	}
}

func TestBlocksFallBack(t *testing.T) {
	series := benchmarkSeries(400)
	one := mustBlocks(t, 400, nil, BlockSpec{Kind: EpisodeBlocks}, series)
	if one.Kind() != MovingBlocks || len(one.Warnings()) < 2 || !strings.Contains(one.Warnings()[0], "only one episode") {
		t.Errorf("one episode: %v, warnings %q", one, one.Warnings())
	}
	length, err := optimalBlockLength(series, nil)
	if err != nil {
		t.Fatal(err)
	}
	time, err := IntegratedAutocorrelationTime(series, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := int(math.Ceil(max(length, 3*time.Tau))); one.Length() != want {
		t.Errorf("length %d, want %d: optimal %g, τ %g", one.Length(), want, length, time.Tau)
	}
	if b := mustBlocks(t, 400, nil, BlockSpec{Kind: MovingBlocks, Length: 399}); b.Length() != 200 || len(b.Warnings()) != 3 {
		t.Errorf("long blocks: %v, warnings %q", b, b.Warnings())
	}
	if b := mustBlocks(t, 400, labelled(slices.Repeat([]int{80}, 5)...), BlockSpec{}); b.Kind() != EpisodeBlocks {
		t.Errorf("5 episodes: %v", b)
	}
	if b := mustBlocks(t, 400, labelled(100, 300), BlockSpec{}, series); b.Kind() != MovingBlocks {
		t.Errorf("2 episodes: %v", b)
	}
	constant := make([]float64, 400)
	if b := mustBlocks(t, 400, nil, BlockSpec{}, constant); b.Length() != 8 || len(b.Warnings()) != 2 || !strings.Contains(b.Warnings()[0],
		"every series to measure dependence is constant") {
		t.Errorf("constant series: %v, warnings %q", b, b.Warnings())
	}
	if b := mustBlocks(t, 8, nil, BlockSpec{}, []float64{1, 2, 3, 1, 2, 3, 4, 2}); !strings.Contains(b.Warnings()[0],
		"8 observations are too few to measure dependence, want 9") {
		t.Errorf("short series: %v, warnings %q", b, b.Warnings())
	}
}

// A resample keeps runs inside episodes, has n observations, and gives every
// observation the same expected weight, short episodes included.
func TestResamples(t *testing.T) {
	labels := labelled(30, 4, 50, 7)
	n := len(labels)
	b := mustBlocks(t, n, labels, BlockSpec{Kind: MovingBlocks, Length: 10})
	const count = 20000
	r := b.Resamples(count, 5)
	totals := make([]float64, n)
	var index []int
	for i := range count {
		index = r.Index(index, i)
		if len(index) != n {
			t.Fatalf("resample %d has %d observations, want %d", i, len(index), n)
		}
		for _, k := range index {
			totals[k]++
		}
	}
	for i, v := range totals {
		// The cut last block favours none in particular but the starts of short episodes.
		if math.Abs(v/count-1) > 0.1 {
			t.Errorf("observation %d has mean weight %.3f", i, v/count)
		}
	}
	if !slices.Equal(r.Index(nil, 3), b.Resamples(9, 5).Index(nil, 3)) || slices.Equal(r.Index(nil, 3), r.Index(nil, 4)) ||
		slices.Equal(r.Index(nil, 3), b.Resamples(9, 6).Index(nil, 3)) {
		t.Error("a resample is not a function of seed and number")
	}
	e := mustBlocks(t, n, labels, BlockSpec{Kind: EpisodeBlocks})
	for i := range 50 {
		times := multiplicities(e.Resamples(50, 1), i)
		for k := 1; k < n; k++ {
			if labels[k] == labels[k-1] && times[k] != times[k-1] {
				t.Fatal("an episode was split")
			}
		}
	}
}

// The fast path over block sums, the general path over indices, and one or many
// threads give the same numbers.
func TestBootstrapPaths(t *testing.T) {
	for _, labels := range [][]int{nil, labelled(100, 6, 150, 44), labelled(slices.Repeat([]int{12, 13}, 12)...)} {
		for _, spec := range []BlockSpec{{}, {Kind: EpisodeBlocks}, {Kind: MovingBlocks, Length: 1}, {Kind: MovingBlocks, Length: 17}} {
			values := benchmarkSeries(300)
			other := benchmarkSeries(301)[1:]
			b := mustBlocks(t, 300, labels, spec, values)
			r := b.Resamples(200, 7)
			fast, err := BootstrapMean(context.Background(), r, values, BootstrapOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			again, err := BootstrapMean(context.Background(), r, values, BootstrapOptions{Threads: 5})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(fast, again, cmp.AllowUnexported(Bootstrapped{}), cmp.Comparer(func(a, b *Resamples) bool { return a == b })); d != "" {
				t.Fatalf("threads change the result: %s", d)
			}
			general, err := generalBootstrap(context.Background(), r, func(index []int) float64 {
				return sumOf(0, len(index), func(i int) float64 { return values[index[i]] }) / float64(len(index))
			}, BootstrapOptions{Threads: 3})
			if err != nil {
				t.Fatal(err)
			}
			for i := range fast.Replicates {
				nearAbsolute(t, "replicate", fast.Replicates[i], general.Replicates[i], 1e-12)
			}
			for j := range fast.Jackknife {
				nearAbsolute(t, "jackknife", fast.Jackknife[j], general.Jackknife[j], 1e-12)
			}
			nearAbsolute(t, "low", fast.Interval.Low, general.Interval.Low, 1e-12)
			nearAbsolute(t, "high", fast.Interval.High, general.Interval.High, 1e-12)

			terms, statistic := regressionSums(values, other)
			line, err := bootstrapSums(context.Background(), r, terms, 4, statistic, BootstrapOptions{})
			if err != nil {
				t.Fatal(err)
			}
			vector, err := generalBootstrapVector(context.Background(), r, 3, func(index []int, dst []float64) {
				x, y := make([]float64, len(index)), make([]float64, len(index))
				for k, i := range index {
					x[k], y[k] = values[i], other[i]
				}
				f, err := Regression(x, y)
				if err != nil {
					t.Error(err)
				}
				dst[0], dst[1], dst[2] = f.Slope, f.Intercept, f.R
			}, BootstrapOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for k, got := range line[:3] {
				for i := range got.Replicates {
					nearAbsolute(t, "regression replicate", got.Replicates[i], vector[k].Replicates[i], 1e-11)
				}
			}
		}
	}
}

// On AR(1) data the block intervals cover about as often as they promise, those of
// single observations far less.
func TestBootstrapCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of series")
	}
	const n, runs = 600, 200
	covered := map[string]int{}
	for run := range runs {
		r := NewRandom(NewKey(77, uint64(run)))
		values := make([]float64, n)
		state := r.Normal() / math.Sqrt(1-0.64)
		for i := range values {
			values[i] = state
			state = 0.8*state + r.Normal()
		}
		for name, spec := range map[string]BlockSpec{"auto": {}, "single": {Kind: MovingBlocks, Length: 1}} {
			b := mustBlocks(t, n, nil, spec, values)
			v, err := BootstrapMean(context.Background(), b.Resamples(300, uint64(run)), values, BootstrapOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Interval.Low <= 0 && 0 <= v.Interval.High {
				covered[name]++
			}
		}
	}
	t.Logf("covered of %d: %v", runs, covered)
	if c := float64(covered["auto"]) / runs; c < 0.87 || c > 0.99 {
		t.Errorf("automatic blocks cover %.3f, want about 0.95", c)
	}
	if c := float64(covered["single"]) / runs; c > 0.7 {
		t.Errorf("single observations cover %.3f, expected far below 0.95", c)
	}
}

func TestBootstrapUndefined(t *testing.T) {
	ctx := context.Background()
	values := benchmarkSeries(60)
	b := mustBlocks(t, 60, nil, BlockSpec{Kind: MovingBlocks, Length: 5})

	none, err := BootstrapMean(ctx, b.Resamples(0, 1), values, BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "estimate", none.Estimate, Mean(values), 1e-12)
	if none.Interval.Defined() || none.Interval.Reason == "" {
		t.Errorf("interval without bootstrap: %+v", none.Interval)
	}

	// Undefined when a resample lacks observation 0.
	partly, err := generalBootstrap(ctx, b.Resamples(500, 1), func(index []int) float64 {
		if len(index) == 60 && !slices.Contains(index, 0) {
			return math.NaN()
		}
		return float64(index[0])
	}, BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if partly.Undefined < 100 || partly.Undefined > 250 || !partly.Interval.Defined() || len(partly.Warnings) == 0 {
		t.Errorf("partly undefined: %d undefined, interval %+v, warnings %q", partly.Undefined, partly.Interval, partly.Warnings)
	}

	mostly, err := generalBootstrap(ctx, b.Resamples(50, 1), func(index []int) float64 {
		if slices.IsSorted(index) {
			return 1
		}
		return math.NaN()
	}, BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if mostly.Interval.Defined() || !strings.Contains(mostly.Interval.Reason, "50 of 50") {
		t.Errorf("all undefined: %+v", mostly.Interval)
	}

	// A maximum has all replicates at or below the estimate; BCa still has ties.
	zero, err := BootstrapMean(ctx, b.Resamples(100, 1), make([]float64, 60), BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if zero.Interval != (Interval{Low: 0, High: 0, Level: 0.95}) {
		t.Errorf("constant values: %+v", zero.Interval)
	}
	biased, err := generalBootstrap(ctx, b.Resamples(100, 1), func(index []int) float64 {
		if slices.IsSorted(index) {
			return 5
		}
		return float64(index[3])
	}, BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !biased.Interval.Defined() {
		t.Errorf("biased: %+v", biased.Interval)
	}

	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := BootstrapMean(stopped, b.Resamples(10, 1), values, BootstrapOptions{}); err == nil {
		t.Error("no error after cancellation")
	}
	if _, err := BootstrapMean(ctx, b.Resamples(10, 1), values[:10], BootstrapOptions{}); err == nil {
		t.Error("no error for missing values")
	}
	if _, err := BootstrapMean(ctx, b.Resamples(10, 1), values, BootstrapOptions{Level: 95}); err == nil {
		t.Error("no error for level 95")
	}
}

// For a mean with equal blocks the jackknife is the standard error of block
// means; with blocks of one it is sd/√n.
func TestJackknifeOfMean(t *testing.T) {
	values := benchmarkSeries(40)
	for _, size := range []int{1, 5} {
		var replicates, blockMeans []float64
		var sizes []int
		for lo := 0; lo < 40; lo += size {
			replicates = append(replicates, Mean(slices.Concat(values[:lo], values[lo+size:])))
			blockMeans = append(blockMeans, Mean(values[lo:lo+size]))
			sizes = append(sizes, size)
		}
		v, err := DeleteBlockJackknife(Mean(values), replicates, sizes, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Summarize(blockMeans)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "standard error", v.StdError, s.SE, 1e-12)
		nearAbsolute(t, "bias", v.Bias, 0, 1e-14)
		for j := range blockMeans {
			nearAbsolute(t, "pseudo-value", v.PseudoValues[j], blockMeans[j], 1e-12)
		}
		q, _ := StudentTQuantile(0.975, float64(len(sizes)-1))
		near(t, "high", v.Interval.High, v.Estimate+q*s.SE, 1e-12)
	}
}

// Unequal blocks against the formulas of Busing et al. written out; and the
// plug-in variance, whose bias the jackknife removes exactly.
func TestJackknifeUnequal(t *testing.T) {
	values := benchmarkSeries(30)
	sizes := []int{3, 7, 1, 9, 10}
	plugIn := func(v []float64) float64 {
		m := Mean(v)
		return sumOf(0, len(v), func(i int) float64 { return (v[i] - m) * (v[i] - m) }) / float64(len(v))
	}
	var replicates []float64
	lo := 0
	for _, m := range sizes {
		replicates = append(replicates, plugIn(slices.Concat(values[:lo], values[lo+m:])))
		lo += m
	}
	theta := plugIn(values)
	v, err := DeleteBlockJackknife(theta, replicates, sizes, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	g, n := float64(len(sizes)), 30.0
	estimate := g * theta
	for j, m := range sizes {
		estimate -= (1 - float64(m)/n) * replicates[j]
	}
	variance := 0.0
	for j, m := range sizes {
		h := n / float64(m)
		tau := h*theta - (h-1)*replicates[j]
		variance += (tau - estimate) * (tau - estimate) / (h - 1) / h // the paper: / g
	}
	near(t, "corrected", v.Corrected, estimate, 1e-12)
	near(t, "standard error", v.StdError, math.Sqrt(variance), 1e-12)

	var ones []float64
	for i := range values {
		ones = append(ones, plugIn(slices.Concat(values[:i], values[i+1:])))
	}
	v, err = DeleteBlockJackknife(theta, ones, slices.Repeat([]int{1}, 30), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, unbiased := MeanVariance(values)
	near(t, "unbiased variance", v.Corrected, unbiased, 1e-12)
}

func TestSignPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seed         uint64
		draws, words int
	}{{1, 7, 1}, {2, 7, 1}, {2, 8, 1}, {2, 8, 3}, {2, 8, 3}} {
		kept := signPatterns(c.seed, c.draws, c.words)
		for k := range c.draws {
			row := make([]uint64, c.words)
			if drawSigns(row, c.seed, k); !slices.Equal(row, kept[k*c.words:(k+1)*c.words]) {
				t.Errorf("%v: pattern %d is %x, drawn %x", c, k, kept[k*c.words:(k+1)*c.words], row)
			}
		}
	}
	if signPatterns(1, 9999, 1000) != nil {
		t.Error("patterns of 80 MB are kept")
	}
}

func TestSignFlip(t *testing.T) {
	// Drawn patterns approach the exact p.
	r := NewRandom(NewKey(21))
	d := make([]float64, 14)
	for i := range d {
		d[i] = 0.25 + r.Normal()
	}
	exact, err := signFlipTest(d, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := signFlipTest(append(slices.Clone(d), 0), 50000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if drawn.Exact || drawn.Patterns != 50001 {
		t.Errorf("drawn: %+v", drawn)
	}
	nearAbsolute(t, "drawn p", drawn.P, exact.P, 4*math.Sqrt(exact.P/50000))
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {math.Inf(1)}} {
		if _, err := signFlipTest(bad, 0, 1); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}

func TestHolm(t *testing.T) {
	nan := math.NaN()
	got := Holm([]float64{0.01, 0.04, nan, 0.03, 0.005})
	want := []float64{0.03, 0.06, nan, 0.06, 0.02}
	for i := range want {
		near(t, fmt.Sprint(i), got[i], want[i], 1e-12)
	}
	if p := Holm([]float64{0.9, 0.8}); p[0] != 1 || p[1] != 1 {
		t.Errorf("Holm above 1: %v", p)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		for i, v := range Holm(p) {
			if v < p[i] || v > 1 || v > p[i]*float64(len(p))*(1+1e-12) && v > slices.Max(p)*float64(len(p)) {
				t.Fatalf("Holm(%v)[%d] = %v", p, i, v)
			}
		}
	})
}

// multiplicities says how often each observation occurs in resample i.
func multiplicities(r *Resamples, i int) []int {
	times := make([]int, r.blocks.n)
	for _, k := range r.Index(nil, i) {
		times[k]++
	}
	return times
}

// The two block lengths differ by the variances of the estimates alone: 2 and 4/3 times the
// squared spectrum.
func TestStationaryBlockLength(t *testing.T) {
	t.Parallel()
	series := benchmarkSeries(400)
	stationary, err := StationaryBlockLength(series, nil)
	circular, err2 := optimalBlockLength(series, nil)
	if err != nil || err2 != nil || circular < 2 || math.Abs(stationary/circular-math.Cbrt(2.0/3)) > 1e-12 {
		t.Errorf("%v of %v, %v, %v", stationary, circular, err, err2)
	}
}

// The stationary bootstrap draws every observation equally often, in runs of the mean
// length that go on around the end of their episode, and both ways of resampling see the
// same observations.
func TestStationaryResamples(t *testing.T) {
	t.Parallel()
	labels := labelled(30, 3, 17)
	series := benchmarkSeries(len(labels))
	for _, kind := range []BlockKind{MovingBlocks, EpisodeBlocks} {
		blocks := mustBlocks(t, len(labels), labels, BlockSpec{Kind: kind}, series)
		const length = 6.0
		resamples := blocks.Resamples(4000, 7).Stationary(length)
		times := make([]float64, len(labels))
		runs, total := 0.0, 0.0
		var index []int
		for i := range resamples.Count() {
			index = resamples.Index(index, i)
			if len(index) != len(labels) {
				t.Fatalf("resample %d has %d observations", i, len(index))
			}
			for k, at := range index {
				times[at]++
				if k == 0 {
					continue
				}
				total++
				if before := index[k-1]; !(labels[before] == labels[at] && (at == before+1 || at < before && labels[max(at, 1)-1] != labels[at] || at == 0)) {
					runs++
				}
			}
		}
		for i, n := range times {
			if mean := n / float64(resamples.Count()); math.Abs(mean-1) > 0.12 {
				t.Errorf("observation %d is drawn %.3f times", i, mean)
			}
		}
		// A new run is seen unless it happens to go on, or whole laps were made of it.
		if got := total / runs; math.Abs(got-length) > 0.9 {
			t.Errorf("runs of %.2f, want %v", got, length)
		}
		fast, err := BootstrapMean(context.Background(), resamples, series, BootstrapOptions{Method: Percentile})
		if err != nil {
			t.Fatal(err)
		}
		slow, err := generalBootstrap(context.Background(), resamples, func(index []int) float64 {
			sum := 0.0
			for _, i := range index {
				sum += series[i]
			}
			return sum / float64(len(index))
		}, BootstrapOptions{Method: Percentile})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range fast.Replicates {
			if math.Abs(v-slow.Replicates[i]) > 1e-12 {
				t.Fatalf("resample %d: %v and %v", i, v, slow.Replicates[i])
			}
		}
	}
}

// generalBootstrap computes a statistic on all observations and on every resample.
// statistic receives the indices of the observations to use (with repetitions;
// it must not keep or change them), returns NaN where it is undefined, and must
// be safe for concurrent calls. With resamples.Count() = 0 there is an estimate
// but no interval.
func generalBootstrap(ctx context.Context, resamples *Resamples, statistic func(index []int) float64, o BootstrapOptions) (*Bootstrapped, error) {
	out, err := generalBootstrapVector(ctx, resamples, 1, func(index []int, dst []float64) { dst[0] = statistic(index) }, o)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// generalBootstrapVector is generalBootstrap for size statistics computed together: statistic
// fills dst[:size].
func generalBootstrapVector(ctx context.Context, resamples *Resamples, size int, statistic func(index []int, dst []float64), o BootstrapOptions) ([]*Bootstrapped, error) {
	blocks := resamples.blocks.Coarsen(maxJackknifeBlocks)
	order := blocks.index.order
	return bootstrap(ctx, resamples, blocks, size, o, func() evaluator {
		var index []int
		var spans []span
		return evaluator{
			all: func(dst []float64) {
				index = append(index[:0], order...)
				statistic(index, dst)
			},
			without: func(j int, dst []float64) {
				index = append(append(index[:0], order[:blocks.cut[j]]...), order[blocks.cut[j+1]:]...)
				statistic(index, dst)
			},
			resample: func(i int, dst []float64) {
				spans = resamples.spans(spans, i)
				index = index[:0]
				for _, s := range spans {
					index = blocks.appendIndex(index, s)
				}
				statistic(index, dst)
			},
		}
	})
}
