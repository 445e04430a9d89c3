// Tests of the effective sample size: against all pairs, along one coordinate, with
// gaps in time, and against processes of known variance.

package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// walks are stationary AR(1) paths, one of count after the other.
func walks(random *rand.Rand, n, dim, count int, rho float64) (points.Points, []int) {
	x, episode := make([]float64, n*dim), make([]int, n)
	for i := range n {
		episode[i] = i * count / n
		for k := range dim {
			v := random.NormFloat64()
			if i > 0 && episode[i] == episode[i-1] {
				v = rho*x[(i-1)*dim+k] + math.Sqrt(1-rho*rho)*v
			}
			x[i*dim+k] = v
		}
	}
	return points.Float64(x, dim), episode
}

// One coordinate without gaps is the scalar estimate.
func TestEffectiveSizeOfOneCoordinate(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, episodes int
		rho         float64
	}{{900, 1, 0.8}, {900, 1, 0}, {600, 60, 0.9}, {1200, 8, 0.95}, {40, 40, 0.5}} {
		z, episode := walks(random, c.n, 1, c.episodes, c.rho)
		want, err := stat.IntegratedAutocorrelationTime(z.F64, episode)
		if err != nil {
			t.Fatal(err)
		}
		got, err := EffectiveSize(t.Context(), z, episode, nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.EffectiveSampleSize-want.EffectiveSampleSize) > 1e-6*want.EffectiveSampleSize || math.Abs(got.Tau-want.Tau) > 0.02*want.Tau || got.Converged != want.Converged {
			t.Errorf("%+v: %+v, want %+v", c, got, want)
		}
	}
}

// plainSize adds up the pairs one by one, with the window that was found.
func plainSize(z points.Points, episode, time []int, window int) float64 {
	n, mean := float64(z.N), make([]float64, z.Dim)
	for i := range z.N {
		for k, v := range z.Row(i, nil) {
			mean[k] += v / n
		}
	}
	variance, weighted, pairs := 0.0, 0.0, 0.0
	for i := range z.N {
		for j := range z.N {
			product := 0.0
			for k, v := range z.Row(i, nil) {
				product += (v - mean[k]) * (z.Row(j, nil)[k] - mean[k])
			}
			if i == j {
				variance += product / n
			}
			if lag := time[i] - time[j]; episode[i] == episode[j] && -window <= lag && lag <= window {
				weighted, pairs = weighted+product, pairs+1
			}
		}
	}
	v := max(weighted, 0) / (n * n) / max(1-pairs/(n*n), 0.1)
	return min(n, max(1, (variance+v)/v))
}

func TestEffectiveSizeWithGaps(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 2))
	full, episodes := walks(random, 1500, 3, 2, 0.9)
	var index, episode, time []int
	for i := range 1500 {
		if random.Float64() < 0.3 {
			index, episode, time = append(index, i), append(episode, episodes[i]), append(time, i%750)
		}
	}
	z := full.Select(index)
	got, err := EffectiveSize(t.Context(), z, episode, time, 1)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "effective size with gaps", got.EffectiveSampleSize, plainSize(z, episode, time, got.Window), 1e-9)
	if !got.Converged || got.Tau < 12 || got.Tau > 30 { // 19 in frames, not in states
		t.Errorf("τ = %v with window %d, want about 19 frames", got.Tau, got.Window)
	}
	all, err := EffectiveSize(t.Context(), full, episodes, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := got.EffectiveSampleSize / all.EffectiveSampleSize; ratio > 1.3 || ratio < 0.5 {
		t.Errorf("a third of the states is worth %v, all %v", got.EffectiveSampleSize, all.EffectiveSampleSize)
	}

	// Rotation, order of the rows, every second frame, and threads.
	turned := measuretest.Times(z, measuretest.Rotation(random, 3), 2.5, 1)
	permutation := random.Perm(z.N)
	at := func(v []int) (out []int) {
		for _, i := range permutation {
			out = append(out, v[i])
		}
		return out
	}
	double := make([]int, len(time))
	for i, v := range time {
		double[i] = 2 * v
	}
	for name, other := range map[string]func() (stat.AutocorrelationTime, error){
		"rotated": func() (stat.AutocorrelationTime, error) { return EffectiveSize(t.Context(), turned, episode, time, 1) },
		"permuted": func() (stat.AutocorrelationTime, error) {
			return EffectiveSize(t.Context(), z.Select(permutation), at(episode), at(time), 1)
		},
		"threads": func() (stat.AutocorrelationTime, error) { return EffectiveSize(t.Context(), z, episode, time, 3) },
		"strided": func() (stat.AutocorrelationTime, error) { return EffectiveSize(t.Context(), z, episode, double, 1) },
	} {
		v, err := other()
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 1e-6
		switch name {
		case "threads":
			tolerance = 0
		case "strided": // lags come in other groups
			tolerance = 0.1
		}
		if math.Abs(v.EffectiveSampleSize-got.EffectiveSampleSize) > tolerance*got.EffectiveSampleSize {
			t.Errorf("%s: %v, want %v", name, v.EffectiveSampleSize, got.EffectiveSampleSize)
		}
	}
}

// The variance of the mean of AR(1) paths is known.
func TestEffectiveSizeOfKnownPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		episodes, length int
		rho              float64
	}{{1, 4000, 0}, {1, 4000, 0.8}, {60, 10, 0.8}, {60, 10, 0.99}, {16, 200, 0.9}} {
		n := c.episodes * c.length
		variance := float64(c.length)
		for k := 1; k < c.length; k++ {
			variance += 2 * float64(c.length-k) * math.Pow(c.rho, float64(k))
		}
		want := float64(n) * float64(c.length) / variance
		z, episode := walks(rand.New(rand.NewPCG(uint64(n), 7)), n, 16, c.episodes, c.rho)
		got, err := EffectiveSize(t.Context(), z, episode, nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.EffectiveSampleSize / want; r < 0.85 || r > 1.15 || !got.Reliable {
			t.Errorf("%+v: %+v, want n_eff %v", c, got, want)
		}
	}
	// Too short to know: said so.
	z, episode := walks(rand.New(rand.NewPCG(4, 7)), 300, 4, 1, 0.99)
	if got, err := EffectiveSize(t.Context(), z, episode, nil, 1); err != nil || got.Reliable {
		t.Errorf("τ 199 in 300 states is taken for reliable: %+v, %v", got, err)
	}
	if _, err := EffectiveSize(t.Context(), points.Float64(make([]float64, 12), 2), nil, nil, 1); stat.Reason(err) != "the points are constant" {
		t.Errorf("constant points: %v", err)
	}
	if _, err := EffectiveSize(t.Context(), points.Float64([]float64{1, 2}, 1), nil, nil, 1); err == nil {
		t.Error("2 points have an effective size")
	}
}

func BenchmarkEffectiveSize(b *testing.B) {
	z, episode := walks(rand.New(rand.NewPCG(4, 7)), 6000, 512, 3, 0.98)
	for b.Loop() {
		if _, err := EffectiveSize(b.Context(), z, episode, nil, 1); err != nil {
			b.Fatal(err)
		}
	}
}
