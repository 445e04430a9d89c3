// Tests of the gate for long memory and of intervals of one series.

package stat

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// autoregressive is x_t = φ·x_{t−1} + e_t with fractionally integrated noise e of order d.
func autoregressive(seed uint64, n int, phi, d float64) []float64 {
	const before = 500
	r := NewRandom(StreamDesign.Key(seed))
	noise := make([]float64, before+n)
	for i := range noise {
		noise[i] = r.Normal()
	}
	weights := make([]float64, len(noise))
	weights[0] = 1
	for k := 1; k < len(weights); k++ {
		weights[k] = weights[k-1] * (float64(k-1) + d) / float64(k)
	}
	out := make([]float64, len(noise))
	for i := range out {
		if d == 0 {
			out[i] = noise[i]
		} else {
			for k := range i + 1 {
				out[i] += weights[k] * noise[i-k]
			}
		}
		if i > 0 {
			out[i] += phi * out[i-1]
		}
	}
	return out[before:]
}

// The shares of 100 series in which long memory is found: few of autoregressions, most of fractionally integrated noise.
func TestLongMemory_Power(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of series")
	}
	for _, c := range []struct {
		phi, d, margin float64
		least, most    int
	}{{0, 0, 0, 0, 4}, {0.8, 0, 0, 0, 4}, {0.95, 0, 0, 0, 4}, {-0.5, 0, 0, 0, 4}, {0, 0.2, 0, 80, 100},
		{0, 0.3, 0, 85, 100}, {0, 0.4, 0, 90, 100}, {0.8, 0.3, 0, 50, 100},
		{0, 0, doubtedMemory, 0, 8}, {0.5, 0, doubtedMemory, 0, 10}, {0, 0.2, doubtedMemory, 90, 100},
		{0.5, 0.2, doubtedMemory, 20, 80}} {
		found := 0
		for seed := range uint64(100) {
			values := autoregressive(seed, 600, c.phi, c.d)
			x, err := newEpisodeIndex("", len(values), nil)
			if err != nil {
				t.Fatal(err)
			}
			if longMemory(x, values, c.margin) {
				found++
			}
		}
		t.Logf("φ %v, d %v, margin %v: %d of 100", c.phi, c.d, c.margin, found)
		if found < c.least || found > c.most {
			t.Errorf("φ %v, d %v, margin %v: long memory found in %d of 100 series, want %d to %d", c.phi, c.d,
				c.margin, found, c.least, c.most)
		}
	}
}

// Neither units nor the order in which episodes stand in the data matter; constant and short series have no memory.
func TestLongMemory_Invariance(t *testing.T) {
	t.Parallel()
	values := autoregressive(3, 400, 0, 0.4)
	one, _ := newEpisodeIndex("", 400, nil)
	if !longMemory(one, values, 0) {
		t.Fatal("long memory is not found")
	}
	moved := make([]float64, 400)
	for i, v := range values {
		moved[i] = 1e3 - 1e-4*v
	}
	if !longMemory(one, moved, 0) {
		t.Error("long memory is not found in other units")
	}
	// Two episodes, whose observations alternate.
	labels, woven := make([]int, 400), make([]float64, 400)
	for i := range woven {
		labels[i] = i % 2
		woven[i] = values[i%2*200+i/2]
	}
	two, _ := newEpisodeIndex("", 400, labels)
	blocked := slices.Concat(slices.Repeat([]int{0}, 200), slices.Repeat([]int{1}, 200))
	inOrder, _ := newEpisodeIndex("", 400, blocked)
	a, b := newSpectrum(two, woven), newSpectrum(inOrder, values)
	if !slices.Equal(a.power, b.power) || a.total != b.total {
		t.Error("the spectrum depends on the order in which episodes stand")
	}
	for name, v := range map[string][]float64{"constant": make([]float64, 400), "short": values[:20], "alternating": alternating(400)} {
		x, _ := newEpisodeIndex("", len(v), nil)
		if longMemory(x, v, 0) {
			t.Errorf("%s: long memory is found", name)
		}
	}
}

func alternating(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(1 - 2*(i%2))
	}
	return out
}

// Whittle's likelihood by its definition, frequency by frequency, at the parameters that made the series.
func TestSpectrum_Deviance(t *testing.T) {
	t.Parallel()
	values := autoregressive(1, 120, 0.6, 0)
	x, _ := newEpisodeIndex("", len(values), nil)
	s := newSpectrum(x, values)
	mean, n := Mean(values), len(values)
	model := arfima{phi: 0.6, theta: 0.2, d: 0.1}
	var scale, logs float64
	for j := 1; j <= (n-1)/2; j++ {
		w := 2 * math.Pi * float64(j) / float64(n)
		var re, im float64
		for i, v := range values {
			re += (v - mean) * math.Cos(w*float64(i))
			im += (v - mean) * math.Sin(w*float64(i))
		}
		shape := (1 + 0.04 + 0.4*math.Cos(w)) / (1 + 0.36 - 1.2*math.Cos(w)) * math.Pow(2*math.Sin(w/2), -0.2)
		scale += (re*re + im*im) / float64(n) / shape
		logs += math.Log(shape)
	}
	k := float64((n - 1) / 2)
	want := 2*k*math.Log(scale/k) + 2*logs
	if got := s.deviance(model.logs(s)); math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("deviance %v, want %v", got, want)
	}
	if least, _ := s.fit(hasPhi|hasTheta, []arfima{{phi: 0.5}}); least > s.deviance(arfima{phi: 0.6}.logs(s)) {
		t.Errorf("the fit has deviance %v, more than the model that made the series", least)
	}
	// Gradients beside differences.
	for p, g := range model.gradients(s, hasPhi|hasD) {
		step := make([]float64, 2)
		step[p] = 1e-6
		up := model.moved(hasPhi|hasD, step).logs(s)
		for b, l := range model.logs(s) {
			if d := (up[b] - l) / 1e-6; math.Abs(d-g[b]) > 1e-4*(1+math.Abs(g[b])) {
				t.Fatalf("parameter %d, bin %d: gradient %v, difference %v", p, b, g[b], d)
			}
		}
	}
}

func TestSmooth(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{7: 6, 16: 16, 17: 16, 49: 48, 101: 100, 65521: 64800} {
		if got := smooth(n); got != want {
			t.Errorf("smooth(%d) = %d, want %d", n, got, want)
		}
	}
}

// The interval of one series is the wider of two, of pieces and of ten groups of neighboring pieces.
func TestJackknife_Joined(t *testing.T) {
	t.Parallel()
	joined := 0
	for seed := range uint64(20) {
		values := autoregressive(seed, 600, 0.5, 0)
		b, err := NewBlocks(len(values), nil, BlockSpec{}, values)
		if err != nil {
			t.Fatal(err)
		}
		got, err := JackknifeMean(b, values)
		if err != nil {
			t.Fatal(err)
		}
		// By definition: the mean's share of a block is the sum of its deviations over n.
		mean, n := Mean(values), float64(len(values))
		half := func(labels []int) float64 {
			sums, sizes := map[int]float64{}, map[int]float64{}
			for i, v := range values {
				sums[labels[i]] += (v - mean) / n
				sizes[labels[i]] += 1 / n
			}
			var variance, squares float64
			for l, s := range sums {
				variance += s * s / (1 - sizes[l])
				squares += sizes[l] * sizes[l]
			}
			q, err := StudentTQuantile(0.975, 1/squares-1)
			if err != nil {
				t.Fatal(err)
			}
			return q * math.Sqrt(variance)
		}
		pieces, groups := b.Labels(), make([]int, len(values))
		for i, p := range pieces {
			groups[i] = b.pieces.Joined[p]
		}
		if slices.Max(groups) != joinedPieces-1 || slices.Min(groups) != 0 {
			t.Fatalf("groups are %d to %d", slices.Min(groups), slices.Max(groups))
		}
		want := max(half(pieces), half(groups))
		want *= fadingOf(b.index, values).widening(want)
		if h := (got.Interval.High - got.Interval.Low) / 2; math.Abs(h-want) > 1e-9*want {
			t.Errorf("half width %v, want %v", h, want)
		}
		if got.Joined != (half(groups) > half(pieces)) {
			t.Errorf("Joined is %v", got.Joined)
		}
		if got.Joined {
			joined++
		}
		// A length that was asked for is kept, and so are episodes.
		if fixed, err := NewBlocks(len(values), nil, BlockSpec{Kind: MovingBlocks, Length: 20}, values); err != nil || fixed.pieces.groups() != nil {
			t.Errorf("a length that was asked for has groups (%v)", err)
		}
		owned, err := b.Owning(slices.Repeat([]int{3, 599}, 300))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(owned.pieces.groups(), b.pieces.Joined) {
			t.Error("observations that others own have other groups")
		}
	}
	if joined == 0 || joined == 20 {
		t.Errorf("groups are wider in %d of 20 series", joined)
	}
}

// Differences with long memory have no p value, in pairs, over runs and in the set of the best.
func TestCompare_LongMemory(t *testing.T) {
	t.Parallel()
	const n = 1500
	base := autoregressive(100, n, 0, 0.2)
	series := [][]float64{base, autoregressive(200, n, 0, 0.2), make([]float64, n)}
	quick := NewRandom(StreamDesign.Key(5))
	for i := range series[2] {
		series[2][i] = base[i] + 0.1*quick.Normal()
	}
	b, err := NewBlocks(n, nil, BlockSpec{}, Differences(series...)...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(b.Warnings(), func(w string) bool { return strings.Contains(w, "long memory") }) {
		t.Errorf("no warning: %q", b.Warnings())
	}
	jackknifes := make([]*Jackknifed, 3)
	for i, values := range series {
		if jackknifes[i], err = JackknifeMean(b, values); err != nil {
			t.Fatal(err)
		}
	}
	if b.Untestable() != "" {
		t.Fatal("the blocks carry no test at all: " + b.Untestable())
	}
	slow, err := Compare(jackknifes[0], jackknifes[1], CompareOptions{})
	if err != nil || !math.IsNaN(slow.P) || !strings.Contains(slow.Reason, "long memory") || !slow.Interval.Defined() {
		t.Errorf("slow difference: p %v, reason %q, interval %v, error %v", slow.P, slow.Reason, slow.Interval, err)
	}
	fast, err := Compare(jackknifes[0], jackknifes[2], CompareOptions{})
	if err != nil || math.IsNaN(fast.P) {
		t.Errorf("fast difference: p %v, reason %q, error %v", fast.P, fast.Reason, err)
	}
	runs, err := CompareSeeds(jackknifes[:1], jackknifes[1:2], CompareOptions{})
	if err != nil || !math.IsNaN(runs.P) {
		t.Errorf("runs: p %v, error %v", runs.P, err)
	}
	unknown := *jackknifes[0]
	unknown.Influence = nil
	if c, err := Compare(&unknown, jackknifes[2], CompareOptions{}); err != nil || !math.IsNaN(c.P) {
		t.Errorf("unknown influence: p %v, error %v", c.P, err)
	}
	compared, err := CompareAll([]string{"a", "b", "c"}, jackknifes, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := JointExtremes(jackknifes, compared, CompareOptions{})
	if !e.Joint || math.IsNaN(e.Highest[0]) || math.IsNaN(e.Highest[2]) {
		t.Errorf("extremes %+v", e)
	}
}

// A long series is averaged first, and a length with a large prime factor is cut: both are done in no time.
func TestLongMemory_LongSeries(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a long series")
	}
	values := make([]float64, 1_000_003)
	r := NewRandom(StreamDesign.Key(9))
	for i := 1; i < len(values); i++ {
		values[i] = 0.9*values[i-1] + r.Normal()
	}
	x, _ := newEpisodeIndex("", len(values), nil)
	if longMemory(x, values, 0) {
		t.Error("long memory is found in an autoregression")
	}
}

// Among many series of short memory one or two are taken for long: statistics of unknown influence keep their tests, and
// there is no warning. A third of the series take both away.
func TestPieces_ShareOfLongSeries(t *testing.T) {
	t.Parallel()
	const n = 600
	long := autoregressive(100, n, 0, 0.4)
	for _, c := range []struct {
		short int
		tests bool
	}{{1, false}, {2, false}, {3, true}, {9, true}} {
		series := [][]float64{long}
		for seed := range uint64(c.short) {
			series = append(series, autoregressive(200+seed, n, 0, 0))
		}
		b, err := NewBlocks(n, nil, BlockSpec{}, series...)
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(b.Warnings(), func(w string) bool { return strings.Contains(w, "long memory") })
		if b.long != 1 || b.series != c.short+1 || (b.pieces.remembers(nil, nil) == "") != c.tests || warned == c.tests {
			t.Errorf("%d of %d series are long: %q, warnings %q", b.long, b.series, b.pieces.remembers(nil, nil), b.Warnings())
		}
		remembers := func(x []float64) bool { return b.pieces.remembers(x, b.pieces.fading(x)) != "" }
		if !remembers(long) || remembers(series[1]) {
			t.Error("a known influence is judged by others")
		}
	}
}

// The variance of a mean by the sum of autocovariances, of fractionally integrated noise by their closed form
// γ(k) = γ(k−1)·(k−1+d)/(k−d), and of autoregressions as φ^k/(1 − φ²).
func TestArfima_OfMean(t *testing.T) {
	t.Parallel()
	variance := func(n int, covariance func(k int) float64) float64 {
		sum := float64(n) * covariance(0)
		for k := 1; k < n; k++ {
			sum += 2 * float64(n-k) * covariance(k)
		}
		return sum / float64(n*n)
	}
	for _, d := range []float64{0.05, 0.2, 0.3, 0.4} {
		gamma := []float64{math.Gamma(1-2*d) / (math.Gamma(1-d) * math.Gamma(1-d))}
		for k := 1; k < 600; k++ {
			gamma = append(gamma, gamma[k-1]*(float64(k-1)+d)/(float64(k)-d))
		}
		want := variance(600, func(k int) float64 { return gamma[k] })
		if got := (arfima{d: d}).ofMean(600); math.Abs(got/want-1) > 0.01 {
			t.Errorf("d = %v: variance %v, want %v", d, got, want)
		}
	}
	for _, phi := range []float64{-0.5, 0, 0.5, 0.8, 0.95} {
		want := variance(600, func(k int) float64 { return math.Pow(phi, float64(k)) / (1 - phi*phi) })
		if got := (arfima{phi: phi}).ofMean(600); math.Abs(got/want-1) > 0.04 {
			t.Errorf("φ = %v: variance %v, want %v", phi, got, want)
		}
	}
}

// Long memory widens intervals by what its model says, and short memory little; episodes and lengths that were asked
// for keep their intervals, and units do not matter.
func TestJackknife_Widening(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of series")
	}
	const draws = 100
	for _, c := range []struct {
		phi, d      float64
		widest      float64 // mean factor
		least, most int     // of 100 intervals that hold 0
	}{
		{0, 0, 1.05, 90, 100}, {0.5, 0, 1.15, 90, 100}, {0.8, 0, 1.3, 90, 100}, {0, 0.3, 3, 85, 100},
		{0.5, 0.2, 3, 82, 100},
	} {
		held, sum := 0, 0.0
		for seed := range uint64(draws) {
			values := autoregressive(seed, 600, c.phi, c.d)
			b, err := NewBlocks(len(values), nil, BlockSpec{}, values)
			if err != nil {
				t.Fatal(err)
			}
			v, err := JackknifeMean(b, values)
			if err != nil {
				t.Fatal(err)
			}
			if v.Interval.Low <= 0 && v.Interval.High >= 0 {
				held++
			}
			sum += v.Widening / draws
			if seed == 0 {
				moved := make([]float64, len(values))
				for i, x := range values {
					moved[i] = 50 - 1e-3*x
				}
				other, err := JackknifeMean(b, moved)
				if err != nil || math.Abs(other.Widening/v.Widening-1) > 1e-6 {
					t.Errorf("φ %v, d %v: factor %v, in other units %v (%v)", c.phi, c.d, v.Widening, other.Widening, err)
				}
			}
		}
		t.Logf("φ %v, d %v: %d of %d hold, mean factor %.2f", c.phi, c.d, held, draws, sum)
		if held < c.least || held > c.most || sum > c.widest {
			t.Errorf("φ %v, d %v: %d of %d intervals hold, want %d to %d; mean factor %.2f, want at most %v", c.phi, c.d,
				held, draws, c.least, c.most, sum, c.widest)
		}
	}
	values := autoregressive(3, 400, 0, 0.4)
	for name, spec := range map[string]BlockSpec{
		"length": {Kind: MovingBlocks, Length: 10}, "episodes": {Kind: EpisodeBlocks},
	} {
		labels := make([]int, len(values))
		for i := range labels {
			labels[i] = i / 40
		}
		b, err := NewBlocks(len(values), labels, spec, values)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := JackknifeMean(b, values); err != nil || v.Widening > 0 {
			t.Errorf("%s: factor %v (%v)", name, v.Widening, err)
		}
	}
}
