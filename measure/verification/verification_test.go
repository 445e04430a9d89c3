// Properties that hold for every field: a perfect forecast is perfect, symmetric scores are
// symmetric, powers add up to the variance.

package verification

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// grids are sizes of all kinds: not powers of two, primes, higher and wider, one row.
var grids = [][2]int{{8, 8}, {7, 12}, {12, 7}, {13, 13}, {1, 9}, {9, 1}, {30, 45}, {2, 2}, {1, 1}}

// random returns a field with correlated values.
func random(r *rand.Rand, height, width int) []float64 {
	field := make([]float64, height*width)
	for c := range field {
		field[c] = r.NormFloat64()
		if c > 0 {
			field[c] += 0.7 * field[c-1]
		}
	}
	return field
}

// near fails unless got is within tolerance of want, relative above 1.
func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g", name, got, want)
	}
}

func TestPowerAddsUpToVariance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []TransformKind{DCT, FFT} {
		for _, grid := range grids {
			transform := NewTransform(kind, grid[0], grid[1])
			bands := transform.Bands()
			field := random(r, grid[0], grid[1])
			for c := range field {
				field[c] += 100
			}
			power := make([]float64, len(bands.Modes))
			AddPower(transform, power, field)
			mean, variance, modes, total := 0.0, 0.0, 0, 0.0
			for _, v := range field {
				mean += v / float64(len(field))
			}
			for _, v := range field {
				variance += square(v-mean) / float64(len(field))
			}
			for k, p := range power {
				total += p
				modes += bands.Modes[k]
			}
			near(t, kind.String()+" power", total, variance, 1e-11)
			if modes != len(field)-1 {
				t.Errorf("%v of %v: %d waves", kind, grid, modes)
			}
		}
	}
}

func TestPerfectForecast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	const height, width, members = 9, 14, 4
	grid := Grid{Height: height, Width: width}
	truth := random(r, height, width)
	event := Event{Threshold: 0.5}
	table := event.Table(truth, truth, nil)
	want := map[string]float64{"pod": 1, "pofd": 0, "far": 0, "csi": 1, "ets": 1, "hss": 1, "sedi": 1, "frequency_bias": 1}
	for _, score := range tableScores() {
		if got, err := score.Of(table); err != nil || got != want[score.Name] {
			t.Errorf("%s = %v, %v", score.Name, got, err)
		}
	}
	ensemble := [][]float64{truth, truth, truth, truth}
	counts := make([]int, len(truth))
	event.CountMembers(counts, ensemble...)
	p := newProbabilities(members)
	p.AddField(event, counts, truth, nil)
	brier, _ := p.Brier()
	corp, _ := p.Reliability()
	_, area, _ := p.ROC()
	if brier.Score != 0 || brier.Fair != 0 || brier.Reliability != 0 || brier.Skill != 1 || area != 1 || corp.Miscalibration != 0 {
		t.Error(brier, area, corp)
	}
	near(t, "resolution", brier.Resolution, brier.Uncertainty, 1e-15)
	forecast := grid.Sums(counts, nil)
	event.CountMembers(counts, truth)
	observed := grid.Sums(counts, nil)
	for _, window := range []int{1, 4, 9, 50} {
		if fss, err := grid.Fractions(forecast, observed, members, window, nil).FSS(); err != nil || fss != 1 {
			t.Error(window, fss, err)
		}
	}
	for _, kind := range []TransformKind{DCT, FFT} {
		transform := NewTransform(kind, height, width)
		bands := transform.Bands()
		power := make([]float64, len(bands.Modes))
		AddPower(transform, power, truth)
		distance, err := LogSpectralDistance(power, power, bands)
		resolution, err2 := EffectiveResolution(power, power, bands, 0.5)
		if err != nil || err2 != nil || distance != 0 || resolution != 1/bands.Frequency[bands.Resolved-1] {
			t.Error(distance, resolution, err, err2)
		}
	}
	e := NewFieldErrors(truth, truth, grid, nil)
	vrmse, _ := e.VRMSE()
	nrmse, _ := e.NRMSE()
	if vrmse != 0 || nrmse != 0 || e.Maximum != 0 || e.BoundaryRMSE() != 0 || e.MeanError() != 0 {
		t.Error(e)
	}
	climatology := make([]float64, len(truth))
	for _, centered := range []bool{false, true} {
		acc, err := NewAnomalies(truth, truth, climatology, nil).ACC(centered)
		if err != nil {
			t.Error(err)
		}
		near(t, "ACC", acc, 1, 1e-14)
	}
}

// Scores that do not tell forecast and truth apart.
func TestSymmetricScores(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	const height, width = 11, 8
	grid := Grid{Height: height, Width: width}
	a, b := random(r, height, width), random(r, height, width)
	event := Event{Threshold: 0.3}
	one, other := event.Table(a, b, nil), event.Table(b, a, nil)
	for _, f := range []func(Table) (float64, error){Table.CSI, Table.ETS, Table.HSS} {
		x, _ := f(one)
		y, _ := f(other)
		near(t, "symmetric score", x, y, 1e-15)
	}
	// The event's absence is as well forecast as the event.
	below := Event{Threshold: 0.3, Below: true}
	x, _ := one.HSS()
	y, _ := below.Table(a, b, nil).HSS()
	near(t, "HSS of the opposite", y, x, 1e-15)
	x, _ = one.SEDI()
	y, _ = below.Table(a, b, nil).SEDI()
	near(t, "SEDI of the opposite", y, x, 1e-12)

	counts := make([]int, len(a))
	event.CountMembers(counts, a)
	first := grid.Sums(counts, nil)
	event.CountMembers(counts, b)
	second := grid.Sums(counts, nil)
	x, _ = grid.Fractions(first, second, 1, 3, nil).FSS()
	y, _ = grid.Fractions(second, first, 1, 3, nil).FSS()
	near(t, "FSS", x, y, 0)
	transform := NewTransform(DCT, height, width)
	powerA, powerB := make([]float64, len(transform.Bands().Modes)), make([]float64, len(transform.Bands().Modes))
	AddPower(transform, powerA, a)
	AddPower(transform, powerB, b)
	x, _ = LogSpectralDistance(powerA, powerB, transform.Bands())
	y, _ = LogSpectralDistance(powerB, powerA, transform.Bands())
	near(t, "log-spectral distance", x, y, 1e-14)
}

func TestWindowsByHand(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for _, sides := range grids {
		height, width := sides[0], sides[1]
		const members = 3
		forecast, observed, weights := make([]int, height*width), make([]int, height*width), make([]float64, height*width)
		for c := range forecast {
			forecast[c], observed[c], weights[c] = r.IntN(members+1), r.IntN(2), r.Float64()
		}
		weights[0] = 0 // is outside, whatever it holds
		has := func(counts []int, u, v int, wrap bool) float64 {
			if wrap {
				v = (v%width + width) % width
			}
			if u < 0 || u >= height || v < 0 || v >= width || weights[u*width+v] == 0 {
				return 0
			}
			return float64(counts[u*width+v])
		}
		for _, window := range []int{1, 2, 3, 5, 8, 40} {
			for _, wrap := range []bool{false, true} {
				var want Fractions
				for c, w := range weights {
					p, o := 0.0, 0.0
					for u := c/width - window/2; u < c/width-window/2+window; u++ {
						for v := c%width - window/2; v < c%width-window/2+window; v++ {
							p += has(forecast, u, v, wrap) / members / float64(window*window)
							o += has(observed, u, v, wrap) / float64(window*window)
						}
					}
					want.Difference += w * square(p-o)
					want.Forecast += w * p * p
					want.Observed += w * o * o
				}
				grid := Grid{Height: height, Width: width, Wrap: wrap}
				got := grid.Fractions(grid.Sums(forecast, weights), grid.Sums(observed, weights), members, window,
					weights)
				for i, v := range got.Sums() {
					near(t, "sum over windows", v, want.Sums()[i], 1e-12)
				}
			}
		}
	}
}

// A window over everything leaves the shares of cells.
func TestAsymptoticFSS(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	const height, width = 6, 6
	forecast, observed := make([]int, height*width), make([]int, height*width)
	f, o := 0.0, 0.0
	for c := range forecast {
		forecast[c], observed[c] = r.IntN(2), r.IntN(2)*r.IntN(2)
		f, o = f+float64(forecast[c])/36, o+float64(observed[c])/36
	}
	grid := Grid{Height: height, Width: width}
	got, err := grid.Fractions(grid.Sums(forecast, nil), grid.Sums(observed, nil), 1, 2*width-1, nil).FSS()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "FSS of the largest window", got, AsymptoticFSS(f, o), 1e-14)
	if UsefulFSS(0.2) != 0.6 {
		t.Error(UsefulFSS(0.2))
	}
}

// The fair score of members that are draws of the true probability is that of the
// probability itself, for any number of members.
func TestFairBrierIsFair(t *testing.T) {
	t.Parallel()
	for _, members := range []int{2, 3, 10} {
		const truth = 0.3
		p := newProbabilities(members)
		binomial := math.Pow(1-truth, float64(members))
		for k := range p.Events {
			p.Events[k], p.Others[k] = binomial*truth, binomial*(1-truth)
			binomial *= float64(members-k) / float64(k+1) * truth / (1 - truth)
		}
		brier, err := p.Brier()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "fair Brier score", brier.Fair, truth*(1-truth), 1e-14)
		near(t, "Brier score", brier.Score, truth*(1-truth)*(1+1/float64(members)), 1e-14)
		near(t, "fair skill", brier.FairSkill, 0, 1e-13)
	}
}

func TestROCOfReversedForecasts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	p, reversed := newProbabilities(5), newProbabilities(5)
	for k := range p.Events {
		p.Events[k], p.Others[k] = r.Float64(), r.Float64()
		reversed.Events[5-k], reversed.Others[5-k] = p.Events[k], p.Others[k]
	}
	points, area, _ := p.ROC()
	_, other, _ := reversed.ROC()
	near(t, "areas", area+other, 1, 1e-14)
	trapezoids := 0.0
	for i := 1; i < len(points); i++ {
		trapezoids += (points[i].POFD - points[i-1].POFD) * (points[i].POD + points[i-1].POD) / 2
		pod, _ := p.at(points[i].K).POD()
		pofd, _ := p.at(points[i].K).POFD()
		near(t, "POD", points[i].POD, pod, 1e-14)
		near(t, "POFD", points[i].POFD, pofd, 1e-14)
	}
	near(t, "trapezoids", trapezoids, area, 1e-14)
	if first, last := points[0], points[len(points)-1]; first.POD != 0 || first.POFD != 0 || last.POD != 1 || last.POFD != 1 {
		t.Error(first, last)
	}
}

// Blurring takes the power of short waves away, at the wavelength it says.
func TestEffectiveResolution(t *testing.T) {
	t.Parallel()
	bands := NewTransform(DCT, 64, 64).Bands()
	truth, forecast := make([]float64, len(bands.Modes)), make([]float64, len(bands.Modes))
	const cut = 0.1 // cycles per cell at which half of the power is lost
	for k, f := range bands.Frequency {
		if f > 0 {
			truth[k] = math.Pow(f, -2)
			forecast[k] = truth[k] / 2 * math.Pow(f/cut, -3)
		}
	}
	got, err := EffectiveResolution(forecast, truth, bands, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "effective resolution", got, 1/cut, 1e-9)
	for k := range forecast {
		forecast[k] = 0.1 * truth[k]
	}
	if _, err := EffectiveResolution(forecast, truth, bands, 0.5); err == nil {
		t.Error("a forecast without power has a resolution")
	}
	distance, _ := LogSpectralDistance(forecast, truth, bands)
	near(t, "a tenth of the power", distance, 10, 1e-12)
}

// A single cosine is in one band, with the amplitude's power.
func TestPowerOfOneWave(t *testing.T) {
	t.Parallel()
	const height, width = 12, 20
	field := make([]float64, height*width)
	for c := range field {
		field[c] = 3 + 2*math.Cos(2*math.Pi*5*float64(c%width)/width)
	}
	transform := NewTransform(FFT, height, width)
	power := make([]float64, len(transform.Bands().Modes))
	AddPower(transform, power, field)
	for k, p := range power {
		// 5 waves over 20 cells are 3 over the 12 of the shorter side.
		near(t, "power", p, map[bool]float64{true: 2}[k == 3], 1e-12)
	}
}

func TestUndefinedScores(t *testing.T) {
	t.Parallel()
	never := Table{FalseAlarms: 2, CorrectNegatives: 3}
	always := Table{Hits: 2, Misses: 3}
	nothing := Table{CorrectNegatives: 5}
	everywhere := Table{Hits: 5}
	p := newProbabilities(2)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"pod":        {second(never.POD()), "POD: the event never occurs"},
		"bias":       {second(never.FrequencyBias()), "frequency bias: the event never occurs"},
		"sedi":       {second(never.SEDI()), "SEDI: the event never occurs"},
		"sedi rate":  {second(Table{Hits: 1, FalseAlarms: 1, CorrectNegatives: 1}.SEDI()), "SEDI: a rate is 0 or 1 (detection 1, false detection 0.5)"},
		"pofd":       {second(always.POFD()), "POFD: the event occurs in every cell"},
		"sedi there": {second(always.SEDI()), "SEDI: the event occurs in every cell"},
		"far":        {second(nothing.FAR()), "FAR: the event is never forecast"},
		"csi":        {second(nothing.CSI()), "CSI: the event neither occurs nor is forecast"},
		"ets":        {second(nothing.ETS()), "ETS: the event neither occurs nor is forecast"},
		"ets there":  {second(everywhere.ETS()), "ETS: the event occurs and is forecast in every cell"},
		"hss":        {second(everywhere.HSS()), "HSS: the event and its forecast both cover every cell, or no cell"},
		"base rate":  {second(Table{}.BaseRate()), "base rate: no cells"},
		"brier":      {second(p.Brier()), "Brier score: no cells"},
		"corp":       {second(p.Reliability()), "reliability: no cells"},
		"fss":        {second(Fractions{}.FSS()), "FSS: the event neither occurs nor is forecast"},
		"nrmse":      {second(FieldErrors{SquaredError: 1}.NRMSE()), "nRMSE: the truth is 0 in every cell"},
		"vrmse":      {second(FieldErrors{SquaredError: 1}.VRMSE()), "VRMSE: the truth is constant"},
		"acc": {second(Anomalies{Weight: 1, SquaredForecast: 1}.ACC(false)),
			"ACC: the anomalies of the forecast or of the truth do not vary"},
		"lsd": {second(LogSpectralDistance([]float64{0, 0, 1}, []float64{0, 1, 1}, NewTransform(DCT, 3, 3).Bands())),
			"log-spectral distance: no power at a wavelength of 5.27 cells"},
		"lsd small": {second(LogSpectralDistance(nil, nil, NewTransform(DCT, 1, 1).Bands())),
			"log-spectral distance: the grid is too small for a spectrum"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
	_, _, err := p.ROC()
	if err == nil || err.Error() != "ROC: the event never occurs" {
		t.Error(err)
	}
	p.Events[1] = 1
	if _, _, err = p.ROC(); err == nil || err.Error() != "ROC: the event occurs in every cell" {
		t.Error(err)
	}
	single := newProbabilities(1)
	single.Events[1], single.Others[0] = 1, 1
	if brier, err := single.Brier(); err != nil || !math.IsNaN(brier.Fair) || brier.Score != 0 {
		t.Error(brier, err)
	}
}

func second[T any](_ T, err error) error { return err }

// Values at the threshold count, in either precision, and NaN never does.
func TestEventAtItsThreshold(t *testing.T) {
	t.Parallel()
	single := float64(float32(0.7)) // below 0.7
	fields := []float64{0.7, single, 0.8, 0.6, math.NaN()}
	counts := make([]int, len(fields))
	for _, c := range []struct {
		below, beyond bool
		want          []int
	}{{false, false, []int{1, 1, 1, 0, 0}}, {true, false, []int{1, 1, 0, 1, 0}}, {false, true, []int{0, 0, 1, 0, 0}}, {true, true, []int{0, 0, 0, 1, 0}}} {
		event := Event{Threshold: 0.7, Below: c.below, Beyond: c.beyond}
		event.CountMembers(counts, fields)
		for i, k := range counts {
			if k != c.want[i] || event.Occurs(fields[i]) != (k == 1) {
				t.Errorf("%v at %v: %d, want %d", event, fields[i], k, c.want[i])
			}
		}
	}
}

// No rain is no event of more than 0, and always one of at least 0.
func TestEventBeyondZero(t *testing.T) {
	t.Parallel()
	rain := []float64{0, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, 3}
	counts := make([]int, len(rain))
	for event, want := range map[Event]int{{}: 5, {Beyond: true}: 2, {Below: true}: 3, {Below: true, Beyond: true}: 0} {
		event.CountMembers(counts, rain)
		sum := 0
		for _, k := range counts {
			sum += k
		}
		if sum != want {
			t.Errorf("%v: %d cells, want %d", event, sum, want)
		}
	}
}

// Cells of weight 0 count nowhere, whatever they hold: sums of a masked field are those of the part
// that is left, and of a field that is constant there there is no deviation.
func TestMask(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 16))
	const height, width, left = 7, 9, 4 // the first columns are masked
	grid, cut := Grid{Height: height, Width: width}, Grid{Height: height, Width: width - left}
	part := func(field []float64) []float64 {
		var out []float64
		for c, v := range field {
			if c%width >= left {
				out = append(out, v)
			}
		}
		return out
	}
	truth, forecast, climate, weights := random(r, height, width), random(r, height,
		width), random(r, height, width), make(
		[]float64,
		height*width,
	)
	for c := range weights {
		if c%width >= left {
			weights[c] = 1 + float64(c%3)
			continue
		}
		truth[c], forecast[c], climate[c] = math.NaN(), math.Inf(1), 1e30
	}
	event := Event{Threshold: 0.2}
	counted := func(g Grid, field, weights []float64) ([]int, []int) {
		counts := make([]int, len(field))
		event.CountMembers(counts, field)
		return counts, g.Sums(counts, weights)
	}
	sums := func(g Grid, forecast, truth, climate, weights []float64) []float64 {
		counts, table := counted(g, forecast, weights)
		_, observed := counted(g, truth, weights)
		p := newProbabilities(1)
		p.AddField(event, counts, truth, weights)
		e, a := NewFieldErrors(forecast, truth, g, weights), NewAnomalies(forecast, truth, climate, weights)
		out := append(event.Table(forecast, truth, weights).Sums(), slices.Concat(p.Events, p.Others)...)
		for _, window := range []int{1, 3, 4} {
			out = append(out, g.Fractions(table, observed, 1, window, weights).Sums()...)
		}
		return append(out, e.Weight, e.SquaredError, e.SquaredTruth, e.SquaredDeviation, e.Error, e.Maximum,
			a.Weight, a.Forecast, a.Truth, a.Product, a.SquaredForecast, a.SquaredTruth)
	}
	want := sums(cut, part(forecast), part(truth), part(climate), part(weights))
	for i, got := range sums(grid, forecast, truth, climate, weights) {
		near(t, "sum", got, want[i], 1e-13)
	}
	for c := range truth {
		if weights[c] != 0 {
			truth[c] = 0.1
		}
	}
	if e := NewFieldErrors(forecast, truth, grid, weights); e.SquaredDeviation != 0 {
		t.Errorf("a constant field has the deviation %v", e.SquaredDeviation)
	}
	none := NewFieldErrors(forecast, truth, grid, make([]float64, height*width))
	if none != (FieldErrors{}) {
		t.Error(none)
	}
}

// at is the contingency table of the forecast that the event occurs where at least k
// members say so.
func (p Probabilities) at(k int) Table {
	var t Table
	for j := range p.Events {
		if j >= k {
			t.Hits += p.Events[j]
			t.FalseAlarms += p.Others[j]
		} else {
			t.Misses += p.Events[j]
			t.CorrectNegatives += p.Others[j]
		}
	}
	return t
}
