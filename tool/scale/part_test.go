// Tests of times from parts of the states.

package scale

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// Times that follow the law give its numbers back, and terms that they do not show are 0.
func TestGrowth(t *testing.T) {
	t.Parallel()
	sizes := []int{1000, 2000, 4000, 8000, 16000}
	for name, want := range map[string]growth{
		"all":      {Start: 0.3, State: 2e-5, Pair: 4e-9},
		"constant": {Start: 2},
		"states":   {Start: 0.1, State: 1e-4},
		"pairs":    {Pair: 1e-8},
	} {
		times := make([]float64, len(sizes))
		for i, n := range sizes {
			times[i] = want.seconds(n)
		}
		got := grows(sizes, times, startTerm|stateTerm|pairTerm)
		if e := got.seconds(100_000)/want.seconds(100_000) - 1; math.Abs(e) > 1e-6 || got.From != 1000 || got.To != 16000 {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// Whatever the times, no number is negative, and the fit of relative errors is at least as good as any law nearby.
func TestGrowthIsLeast(t *testing.T) {
	t.Parallel()
	sizes := []int{500, 1000, 2000, 4000}
	for _, times := range [][]float64{{1, 1.1, 0.9, 1}, {4, 3, 2, 1}, {0.5, 0.6, 1.1, 4}, {0.1, 0.2, 0.4, 0.8}} {
		g := grows(sizes, times, startTerm|stateTerm|pairTerm)
		if g.Start < 0 || g.State < 0 || g.Pair < 0 {
			t.Errorf("%v: %+v", times, g)
		}
		least := misfit(&g, sizes, times)
		for _, start := range []float64{0, 0.9, 1.1} {
			for _, state := range []float64{0, 0.9, 1.1} {
				for _, pair := range []float64{0, 0.9, 1.1} {
					other := growth{Start: g.Start * start, State: g.State * state, Pair: g.Pair * pair}
					if m := misfit(&other, sizes, times); m < least-1e-9 {
						t.Errorf("%v: %+v is better than %+v: %v < %v", times, other, g, m, least)
					}
				}
			}
		}
		for _, more := range []growth{{Start: g.Start + 0.01, State: g.State, Pair: g.Pair}, {Start: g.Start, State: g.State + 1e-6, Pair: g.Pair}, {Start: g.Start, State: g.State, Pair: g.Pair + 1e-9}} {
			if m := misfit(&more, sizes, times); m < least-1e-9 {
				t.Errorf("%v: %+v is better than %+v: %v < %v", times, more, g, m, least)
			}
		}
	}
	if g := grows(sizes, []float64{0.5, 0.6, 1.1, 4}, startTerm|stateTerm); g.Pair != 0 || g.State <= 0 {
		t.Errorf("without pairs: %+v", g)
	}
	if g := grows([]int{700}, []float64{3}, startTerm|stateTerm|pairTerm); math.Abs(g.seconds(700)-3) > 1e-12 {
		t.Errorf("one part: %+v", g)
	}
}

func misfit(g *growth, sizes []int, times []float64) (sum float64) {
	for i, n := range sizes {
		e := g.seconds(n)/times[i] - 1
		sum += e * e
	}
	return sum
}

// Parts go on while another fits what all of them may take.
func TestEnoughParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seconds []float64
		want    bool
	}{
		{[]float64{0.1, 0.2, 0.4}, false},
		{[]float64{10, 20}, false},              // they do not show how it grows
		{[]float64{0.3, 0.5, 1, 3.4, 7}, false}, // twice that again
		{[]float64{0.2, 1, 4, 16}, true},
		{[]float64{10, 10, 10}, true},
	} {
		all := 0.0
		for _, s := range c.seconds {
			all += s
		}
		if got := (&trials{seconds: c.seconds}).enough(all); got != c.want {
			t.Errorf("%v: %v", c.seconds, got)
		}
	}
	u := trials{[]int{1, 2, 3}, []float64{1, 2, 3}, []float64{4, 5, 6}}
	if u.last(2); !slices.Equal(u.sizes, []int{2, 3}) || !slices.Equal(u.seconds, []float64{2, 3}) || !slices.Equal(u.bytes, []float64{5, 6}) {
		t.Errorf("the last two: %v", u)
	}
}

// What a run takes and gives back while it is watched is seen.
func TestWatchMemory(t *testing.T) {
	peak := watchMemory()
	data := make([]byte, 256<<20)
	for i := 0; i < len(data); i += 4096 {
		data[i] = 1
	}
	if got := peak(); got < 200<<20 || got > 1<<30 {
		t.Errorf("%v bytes, want about %d", got, len(data))
	}
	runtime.KeepAlive(data)
}

func TestWithout(t *testing.T) {
	t.Parallel()
	got := without([]string{"--frames", "f.npy", "--samples", "5", "-cache=x", "--num_samples=3", "--quiet", "samples"}, "samples", "cache", "num-samples")
	if want := []string{"--frames", "f.npy", "--quiet", "samples"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
