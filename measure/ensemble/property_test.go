// Closed forms, propriety and invariances.

package ensemble

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// gaussianCRPS is that of a normal distribution with mean 0 and standard deviation 1.
func gaussianCRPS(y float64) float64 {
	density := math.Exp(-y*y/2) / math.Sqrt(2*math.Pi)
	return y*math.Erf(y/math.Sqrt2) + 2*density - 1/math.Sqrt(math.Pi)
}

// drawn is a sample of standard normal numbers, what is done to members by change.
func drawn(r *rand.Rand, members, cells int, change func(v float64) float64) Sample[float64] {
	truth, x := make([]float64, cells), make([]float64, members*cells)
	for i := range truth {
		truth[i] = r.NormFloat64()
	}
	for i := range x {
		x[i] = change(r.NormFloat64())
	}
	return must(NewSample(truth, x))
}

func same(v float64) float64 { return v }

// TestGaussianCRPS: quantiles of a normal distribution near its closed form, draws have it in
// expectation with the fair estimator, and σ/(√π·S) more with the biased one.
func TestGaussianCRPS(t *testing.T) {
	t.Parallel()
	truth := []float64{-1.3, 0, 0.4, 2.5}
	for _, c := range []struct {
		members   int
		tolerance float64
	}{{100, 1e-2}, {1000, 1e-3}, {3000, 4e-4}} {
		members := make([]float64, 0, c.members*len(truth))
		for k := range c.members {
			q := math.Sqrt2 * math.Erfinv(2*(float64(k)+0.5)/float64(c.members)-1)
			for range truth {
				members = append(members, q)
			}
		}
		s := must(NewSample(truth, members))
		for i, y := range truth {
			if got := CRPS(s.Range(i, i+1)).Score(Biased); math.Abs(got-gaussianCRPS(y)) > c.tolerance {
				t.Errorf("%d quantiles, y = %g: %g, want %g", c.members, y, got, gaussianCRPS(y))
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 1))
	const cells, members = 40000, 4
	terms := CRPS(drawn(r, members, cells, same))
	want := 1 / math.Sqrt(math.Pi) // the mean over truths: E|X − X'|/2
	if got := terms.Score(Fair); math.Abs(got-want) > 0.01 {
		t.Errorf("fair score of draws is %g, want %g", got, want)
	}
	if got := terms.Score(Biased) - terms.Score(Fair); math.Abs(got-1/(math.Sqrt(math.Pi)*members)) > 0.005 {
		t.Errorf("the biased score is %g more, want %g", got, 1/(math.Sqrt(math.Pi)*members))
	}
}

// TestGaussianEnergy: of independent normal numbers in d dimensions E‖X − X'‖ = 2·Γ((d+1)/2)/Γ(d/2),
// twice the score of the distribution of the truth.
func TestGaussianEnergy(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 2))
	const members = 5
	for _, d := range []int{1, 3, 40} {
		sum := Terms{}
		for range 1500 {
			sum.Add(Energy(drawn(r, members, d, same)))
		}
		a, _ := math.Lgamma(float64(d+1) / 2)
		b, _ := math.Lgamma(float64(d) / 2)
		distance := 2 * math.Exp(a-b)
		if got := sum.Score(Fair); math.Abs(got-distance/2) > 0.02*distance {
			t.Errorf("%d dimensions: fair energy score %g, want %g", d, got, distance/2)
		}
		if got := sum.Score(Biased); math.Abs(got-distance/2*(1+1.0/members)) > 0.02*distance {
			t.Errorf("%d dimensions: biased energy score %g, want %g", d, got, distance/2*(1+1.0/members))
		}
	}
}

// fieldOf is a smooth random field of 4 × 5 cells: neighbors share most of their noise.
func fieldOf(r *rand.Rand, smooth, scale, shift float64) []float64 {
	out := make([]float64, 20)
	for i := range out {
		out[i] = r.NormFloat64()
		if i%5 > 0 {
			out[i] = smooth*out[i-1] + math.Sqrt(1-smooth*smooth)*out[i]
		}
	}
	for i := range out {
		out[i] = scale*out[i] + shift
	}
	return out
}

// TestPropriety: in expectation the distribution of the truth has a lower score than others, by
// three standard errors of the differences of samples.
func TestPropriety(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many draws, one after another")
	}
	proper := must(NewVariogram(4, 5, VariogramOptions{}))
	scores := map[string]func(s Sample[float64]) float64{
		"CRPS":   func(s Sample[float64]) float64 { return CRPS(s).Score(Fair) },
		"energy": func(s Sample[float64]) float64 { return Energy(s).Score(Fair) },
		"pairwise": func(s Sample[float64]) float64 {
			return must(PairwiseEnergy(s, Grid{Variables: 1, Height: 4, Width: 5}, nil)).Score(Fair)
		},
		"pooled": func(s Sample[float64]) float64 {
			return must(PooledEnergy(s, Grid{Variables: 1, Height: 4, Width: 5}, 2)).Score(Fair)
		},
		"variogram":    func(s Sample[float64]) float64 { return must(VariogramScore(context.Background(), 1, proper, s)) },
		"DSS":          func(s Sample[float64]) float64 { return DawidSebastiani(s).Value() },
		"error-spread": func(s Sample[float64]) float64 { return ErrorSpread(s).Value() },
		"WIS":          func(s Sample[float64]) float64 { return must(WeightedInterval(s, []float64{0.1, 0.3, 0.6})).Value() },
	}
	wrong := []struct {
		name                 string
		smooth, scale, shift float64
		blind                []string // scores that do not see it, or hardly
	}{
		{"too wide", 0.8, 1.6, 0, nil},
		{"too narrow", 0.8, 0.5, 0, []string{"error-spread"}},
		{"biased", 0.8, 1, 1, []string{"variogram"}},
		{"unrelated cells", 0, 1, 0, []string{"CRPS", "DSS", "error-spread", "WIS", "energy", "pairwise", "pooled"}},
	}
	const samples, members = 300, 25
	for _, w := range wrong {
		r := rand.New(rand.NewPCG(7, uint64(len(w.name))))
		differences := map[string][]float64{}
		for range samples {
			truth := fieldOf(r, 0.8, 1, 0)
			var right, other []float64
			for range members {
				right = append(right, fieldOf(r, 0.8, 1, 0)...)
				other = append(other, fieldOf(r, w.smooth, w.scale, w.shift)...)
			}
			a, b := must(NewSample(truth, right)), must(NewSample(truth, other))
			for name, score := range scores {
				differences[name] = append(differences[name], score(b)-score(a))
			}
		}
		for name, d := range differences {
			mean, variance := meanVariance(d)
			if z := mean / math.Sqrt(variance/samples); z < 3 && !slices.Contains(w.blind, name) || z < -3 {
				t.Errorf("%s: %s differs by %g, %g standard errors", w.name, name, mean, z)
			}
		}
	}
}

// TestDocumentedImproper: the documented variogram score prefers a forecast that is certainly
// wrong to the distribution of the truth; the proper one does not.
func TestDocumentedImproper(t *testing.T) {
	t.Parallel()
	documented := must(NewVariogram(1, 2, VariogramOptions{Documented: true}))
	proper := must(NewVariogram(1, 2, VariogramOptions{P: 2}))
	r := rand.New(rand.NewPCG(1, 9))
	const members = 50
	sharp := slices.Repeat([]float64{0, 0.95}, members) // the root of the median of (y₀ − y₁)²
	var gain, loss float64
	for range 500 {
		right := drawn(r, members, 2, same)
		wrong := must(NewSample(right.truth, sharp))
		score := func(v *Variogram, s Sample[float64]) float64 {
			return must(VariogramScore(context.Background(), 1, v, s))
		}
		gain += score(documented, right) - score(documented, wrong)
		loss += score(proper, wrong) - score(proper, right)
	}
	if gain < 50 || loss < 50 {
		t.Errorf("the wrong forecast gains %g by the documented score and loses %g by the proper one", gain, loss)
	}
}

// TestCalibrated: of an ensemble from the distribution of the truth, ratio of spread and
// skill 1, flat ranks and no contrast, whatever the number of members.
func TestCalibrated(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for _, members := range []int{2, 5, 30} {
		s := drawn(r, members, 30000, same)
		m := MomentsOf(s)
		if ratio := m.SpreadSkillRatio(); math.Abs(ratio-1) > 0.02 {
			t.Errorf("%d members: spread-skill ratio %g", members, ratio)
		}
		if d := m.DebiasedMSE(); math.Abs(d-1) > 0.03 {
			t.Errorf("%d members: debiased MSE %g, want the variance 1 of the truth", members, d)
		}
		counts := make([]int64, members+1)
		must(0, AddRanks(counts, s))
		shares := RankShares(counts)
		bias, dispersion := RankContrasts(shares)
		if math.Abs(bias) > 0.02 || math.Abs(dispersion) > 0.03 || ReliabilityIndex(shares) > 0.05 {
			t.Errorf("%d members: bias %g, dispersion %g, reliability %g", members, bias, dispersion, ReliabilityIndex(shares))
		}
		for _, share := range PIT(shares, 7) {
			if math.Abs(share-1.0/7) > 0.01 {
				t.Errorf("%d members: PIT %v", members, PIT(shares, 7))
			}
		}
	}
	wide := make([]int64, 11)
	must(0, AddRanks(wide, drawn(r, 10, 5000, func(v float64) float64 { return 3*v + 0.8 })))
	if bias, dispersion := RankContrasts(RankShares(wide)); bias < 0.05 || dispersion < 0.3 {
		t.Errorf("members too high and too wide: bias %g, dispersion %g", bias, dispersion)
	}
}

// every returns all scores of a sample of 2 × 4 × 5 cells by name.
func every(s Sample[float64]) map[string]float64 {
	g := Grid{Variables: 2, Height: 4, Width: 5}
	v := must(NewVariogram(4, 5, VariogramOptions{P: 1}))
	small := must(NewVariogram(2, 2, VariogramOptions{P: 1}))
	m := MomentsOf(s)
	quantiles := must(Quantiles(s, []float64{0.2, 0.5}))
	intervals := must(Intervals(s, []float64{0.2}))
	return map[string]float64{
		"CRPS": CRPS(s).Score(Fair), "biased CRPS": CRPS(s).Score(Biased), "energy": Energy(s).Score(Fair),
		"pooled": must(PooledEnergy(s, g, 2)).Score(Fair), "tiled": must(TiledEnergy(s, g, 2)).Score(Fair),
		"pairwise": must(PairwiseEnergy(s, g, nil)).Score(Fair), "variogram": must(VariogramScore(context.Background(), 1, v, s.Range(0, 20))),
		"tiled variogram": must(TiledVariogram(s, g, small)).Value(), "MAE": m.AbsoluteSum / m.Weight, "RMSE": m.RMSE(), "spread": m.Spread(),
		"quantile": quantiles[0].Value(), "median": quantiles[1].Value(), "interval": intervals[0].Score.Value(), "WIS": must(WeightedInterval(s, []float64{0.5})).Value(),
	}
}

// TestInvariances: scores do not depend on the order of members or a constant, are in the unit
// of the cells, and do not depend on the scale of weights.
func TestInvariances(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	s := drawn(r, 6, 40, same)
	before := every(s)
	compare := func(what string, other Sample[float64], factor float64) {
		t.Helper()
		for name, v := range every(other) {
			if math.Abs(v-factor*before[name]) > 1e-10 {
				t.Errorf("%s: %s is %g, want %g", what, name, v, factor*before[name])
			}
		}
	}
	var permuted []float64
	for _, k := range r.Perm(6) {
		permuted = append(permuted, s.member(k)...)
	}
	compare("members in another order", must(NewSample(s.truth, permuted)), 1)
	change := func(f func(v float64) float64) Sample[float64] {
		truth, members := slices.Clone(s.truth), slices.Clone(s.members)
		for _, values := range [][]float64{truth, members} {
			for i, v := range values {
				values[i] = f(v)
			}
		}
		return must(NewSample(truth, members))
	}
	compare("shifted", change(func(v float64) float64 { return v + 37 }), 1)
	equal := make([]float64, 40)
	for i := range equal {
		equal[i] = 2.5
	}
	compare("equal weights", must(s.Weighted(equal)), 1)
	delete(before, "variogram") // with power 1 their unit is that of the cells squared
	delete(before, "tiled variogram")
	scaled := change(func(v float64) float64 { return 8 * v })
	for name, v := range before {
		if got := every(scaled)[name]; math.Abs(got-8*v) > 1e-10 {
			t.Errorf("scaled: %s is %g, want %g", name, got, 8*v)
		}
	}
}

// TestMask: cells of weight 0 count as if they were not there, whatever they hold.
func TestMask(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	s := drawn(r, 7, 100, same)
	part := s.Range(0, 60) // the first 6 of 10 rows
	weights := make([]float64, 100)
	for i := range 60 {
		weights[i] = 3
	}
	for i := 60; i < 100; i++ {
		s.truth[i], s.members[i] = math.NaN(), math.Inf(1)
	}
	masked := must(s.Weighted(weights))
	g, cut := Grid{Variables: 1, Height: 10, Width: 10}, Grid{Variables: 1, Height: 6, Width: 10}
	v, w := must(NewVariogram(10, 10, VariogramOptions{P: 1.5})), must(NewVariogram(6, 10, VariogramOptions{P: 1.5}))
	ranks := func(s Sample[float64]) float64 {
		counts := make([]int64, 8)
		must(0, AddRanks(counts, s))
		return RankShares(counts)[2]
	}
	drawn := func(s Sample[float64], g Grid) float64 {
		return must(PairwiseEnergy(s, g, must(DrawEdges(g, s.weights, 9, 1, 2)))).Score(Fair)
	}
	small := must(NewVariogram(3, 3, VariogramOptions{P: 1}))
	documented, its := must(
		NewVariogram(10, 10, VariogramOptions{Documented: true}),
	), must(
		NewVariogram(6, 10, VariogramOptions{Documented: true}),
	)
	for name, pair := range map[string][2]float64{
		"CRPS":            {CRPS(masked).Score(Fair), CRPS(part).Score(Fair)},
		"threshold CRPS":  {must(ThresholdCRPS(masked, 0.3, math.Inf(1))).Score(Fair), must(ThresholdCRPS(part, 0.3, math.Inf(1))).Score(Fair)},
		"energy":          {Energy(masked).Score(Fair), Energy(part).Score(Fair)},
		"pooled":          {must(PooledEnergy(masked, g, 3)).Score(Fair), must(PooledEnergy(part, cut, 3)).Score(Fair)},
		"tiled":           {must(TiledEnergy(masked, g, 3)).Score(Fair), must(TiledEnergy(part, cut, 3)).Score(Fair)},
		"tiled variogram": {must(TiledVariogram(masked, g, small)).Value(), must(TiledVariogram(part, cut, small)).Value()},
		"pairwise":        {must(PairwiseEnergy(masked, g, nil)).Score(Fair), must(PairwiseEnergy(part, cut, nil)).Score(Fair)},
		"drawn pairs":     {drawn(masked, g), drawn(part, cut)},
		"variogram":       {must(VariogramScore(context.Background(), 1, v, masked)), must(VariogramScore(context.Background(), 1, w, part))},
		"documented":      {must(VariogramScore(context.Background(), 1, documented, masked)), must(VariogramScore(context.Background(), 1, its, part))},
		"MSE":             {MomentsOf(masked).MSE(), MomentsOf(part).MSE()},
		"spread":          {MomentsOf(masked).Spread(), MomentsOf(part).Spread()},
		"DSS":             {DawidSebastiani(masked).Value(), DawidSebastiani(part).Value()},
		"error-spread":    {ErrorSpread(masked).Value(), ErrorSpread(part).Value()},
		"quantile":        {must(Quantiles(masked, []float64{0.3}))[0].Value(), must(Quantiles(part, []float64{0.3}))[0].Value()},
		"interval":        {must(Intervals(masked, []float64{0.3}))[0].Score.Value(), must(Intervals(part, []float64{0.3}))[0].Score.Value()},
		"WIS":             {must(WeightedInterval(masked, []float64{0.3})).Value(), must(WeightedInterval(part, []float64{0.3})).Value()},
		"ranks":           {ranks(masked), ranks(part)},
	} {
		if !(math.Abs(pair[0]-pair[1]) < 1e-12) {
			t.Errorf("%s of the mask is %g, of its part %g", name, pair[0], pair[1])
		}
	}
	// Roots of float32 numbers are those of float32, whatever the cells that do not count hold.
	root := must(NewVariogram(10, 10, VariogramOptions{}))
	for _, fill := range []float64{0, 0.1, math.NaN()} {
		for i := range s.truth {
			if s.truth[i] = float64(float32(s.truth[i])); i >= 60 {
				s.truth[i] = fill
			}
		}
		for i := range s.members {
			if s.members[i] = float64(float32(s.members[i])); i%100 >= 60 {
				s.members[i] = fill
			}
		}
		if !masked.single() {
			t.Errorf("%v in a masked cell changes the type of numbers", fill)
		}
		if got := must(VariogramScore(context.Background(), 1, root, masked)); math.IsNaN(got) {
			t.Errorf("%v in a masked cell: %v", fill, got)
		}
	}
}

// TestWrap: where columns go round, the score of fields does not depend on where they begin, and
// pairs are as far apart as the shorter way is.
func TestWrap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 7))
	const members = 3
	for _, width := range []int{1, 2, 3, 4, 7} {
		g := Grid{Variables: 1, Height: 3, Width: width, Wrap: true}
		s := drawn(r, members, g.Cells(), same)
		rolled := drawn(r, members, g.Cells(), same)
		for c := range g.Cells() {
			from := c/width*width + (c+1)%width
			rolled.truth[c] = s.truth[from]
			for k := range members {
				rolled.member(k)[c] = s.member(k)[from]
			}
		}
		for _, reach := range []float64{0, 1, 1.5, 2} {
			v := must(NewVariogram(3, width, VariogramOptions{P: 1, MaxDistance: reach, Wrap: true}))
			sum, total := 0.0, 0.0
			for a := range g.Cells() {
				for b := range a {
					dx := math.Abs(float64(a%width - b%width))
					d := math.Hypot(min(dx, float64(width)-dx), float64(a/width-b/width))
					if reach > 0 && d > reach {
						continue
					}
					mean := 0.0
					for k := range members {
						mean += math.Abs(s.member(k)[a]-s.member(k)[b]) / members
					}
					weight := 1 / (d + 1e-6)
					sum += weight * square(math.Abs(s.truth[a]-s.truth[b])-mean)
					total += weight
				}
			}
			got, other := must(
				VariogramScore(context.Background(), 1, v, s),
			), must(
				VariogramScore(context.Background(), 1, v, rolled),
			)
			if math.Abs(got-sum/total) > 1e-12 || math.Abs(got-other) > 1e-12 {
				t.Errorf("%d columns up to %g: variogram score %v, rolled %v, want %v", width, reach, got, other,
					sum/total)
			}
		}
		seen := map[[2]int]bool{}
		for e := range g.Edges() {
			a, b := g.edge(e)
			dx := max(a%width-b%width, b%width-a%width)
			if seen[[2]int{a, b}] || a >= b || min(dx, width-dx)+b/width-a/width != 1 {
				t.Errorf("%d columns: edge %d joins %d and %d", width, e, a, b)
			}
			seen[[2]int{a, b}] = true
		}
		if want := 2*width + 3*map[bool]int{true: width, false: width - 1}[width > 2]; g.Edges() != want {
			t.Errorf("%d columns: %d edges, want %d", width, g.Edges(), want)
		}
		if got, other := must(PairwiseEnergy(s, g, nil)).Score(Fair), must(PairwiseEnergy(rolled, g, nil)).Score(Fair); math.Abs(
			got-other,
		) > 1e-12 {
			t.Errorf("%d columns: pairwise score %v, rolled %v", width, got, other)
		}
	}
}

func square(x float64) float64 { return x * x }
