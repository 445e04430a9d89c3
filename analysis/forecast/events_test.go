// Tests of events, windows, spectra and fields against literal loops.

package forecast

import (
	"math"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/report"
	"repscope/stat"
)

// fieldOf is the true field of a variable of a sample.
func (m *made) fieldOf(i, v int) []float64 {
	size := m.h * m.w
	return m.truth[(i*m.v+v)*size : (i*m.v+v+1)*size]
}

// memberOf is that of a member.
func (m *made) memberOf(i, k, v int) []float64 {
	size := m.h * m.w
	at := (i*m.s+k)*m.v + v
	return m.members[at*size : (at+1)*size]
}

// meanOf is the ensemble mean, summed as members follow each other.
func (m *made) meanOf(i, v int) []float64 {
	mean := make([]float64, m.h*m.w)
	for k := range m.s {
		for c, x := range m.memberOf(i, k, v) {
			mean[c] += x / float64(m.s)
		}
	}
	return mean
}

// counted are sums over all samples of a variable, with weights, by loops.
func (m *made) counted(v int, limit float64, weights []float64) (hits, misses, alarms, rest, brier, fair float64) {
	n := float64(m.s)
	for i := range m.n {
		mean := m.meanOf(i, v)
		for c, y := range m.fieldOf(i, v) {
			w := weights[c] / stat.Sum(weights) / float64(m.n)
			k, o := 0.0, 0.0
			for j := range m.s {
				if m.memberOf(i, j, v)[c] >= limit {
					k++
				}
			}
			if y >= limit {
				o = 1
			}
			brier += w * (k/n - o) * (k/n - o)
			fair += w * ((k/n-o)*(k/n-o) - k*(n-k)/(n*n*(n-1)))
			switch {
			case mean[c] >= limit && y >= limit:
				hits += w
			case y >= limit:
				misses += w
			case mean[c] >= limit:
				alarms += w
			default:
				rest += w
			}
		}
	}
	return hits, misses, alarms, rest, brier, fair
}

func TestEvents(t *testing.T) {
	t.Parallel()
	m := newMade(12, 4, 2, 5, 6, 3)
	in := m.input(t)
	in.Weights = make([]float64, m.h*m.w)
	for c := range in.Weights {
		in.Weights[c] = float64(1 + c%3)
	}
	r := analyze(t, in, Options{Thresholds: []float64{0.4}, EventQuantiles: []float64{0.75}, Settings: analysis.Settings{Intervals: true, Seed: 1}})
	for v, name := range r.Variables {
		var truth []float64
		for i := range m.n {
			truth = append(truth, m.fieldOf(i, v)...)
		}
		quantile, err := stat.Quantiles(truth, 0.75)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			row   string
			limit float64
		}{{"events[threshold=0.4]", 0.4}, {"events[quantile=0.75]", quantile[0]}} {
			hits, misses, alarms, rest, brier, fair := m.counted(v, c.limit, in.Weights)
			for path, want := range map[string]float64{"hits": hits, "misses": misses, "false_alarms": alarms, "correct_negatives": rest,
				"pod": hits / (hits + misses), "far": alarms / (hits + alarms), "csi": hits / (hits + misses + alarms), "brier": brier, "brier_fair": fair} {
				s, _ := FindScore(r.ByVariable[0][v], c.row+"."+path)
				near(t, name+" "+c.row+" "+path, s.Value.Float(), want)
			}
		}
	}
	for _, path := range []string{"events[threshold=0.4].csi", "events[quantile=0.75].roc_area", "fss[threshold=0.4;window=3].fss"} {
		s, ok := r.Models[0].Score(path)
		if !ok || !s.Value.Defined() || !s.CI.Defined() || s.CI.Low > s.Value.Float() || s.CI.High < s.Value.Float() {
			t.Errorf("%s: %+v, %v", path, s, ok)
		}
	}
}

// A window of the fractions skill score by loops, and windows of 1 that are cells.
func TestFractions(t *testing.T) {
	t.Parallel()
	m := newMade(5, 3, 1, 6, 5, 4)
	const limit, window = 0.3, 3
	r := analyze(t, m.input(t), Options{Thresholds: []float64{limit}, Windows: []int{1, window}, Metrics: []string{"fractions"}})
	share := func(i, row, column int, has func(cell int) float64) float64 {
		sum := 0.0
		for u := row - 1; u <= row+1; u++ {
			for w := column - 1; w <= column+1; w++ {
				if u >= 0 && u < m.h && w >= 0 && w < m.w {
					sum += has(u*m.w+w) / window / window
				}
			}
		}
		return sum
	}
	occurs := func(x float64) float64 {
		if x >= limit {
			return 1
		}
		return 0
	}
	difference, squares := 0.0, 0.0
	for i := range m.n {
		for row := range m.h {
			for column := range m.w {
				p := share(i, row, column, func(cell int) float64 {
					sum := 0.0
					for k := range m.s {
						sum += occurs(m.memberOf(i, k, 0)[cell]) / float64(m.s)
					}
					return sum
				})
				o := share(i, row, column, func(cell int) float64 { return occurs(m.fieldOf(i, 0)[cell]) })
				difference += (p - o) * (p - o)
				squares += p*p + o*o
			}
		}
	}
	near(t, "FSS", value(t, &r.Models[0], "fss[threshold=0.3;window=3].fss"), 1-difference/squares)
	rows, _ := r.Models[0].Tables.Get("fss_useful")
	useful := rows.([]UsefulWindow)
	if len(useful) != 1 || useful[0].Useful != 0.5+useful[0].BaseRate/2 || useful[0].BaseRate == 0 {
		t.Errorf("%+v", useful)
	}
}

// An event that never occurs says so, and leaves others as they are; so does one member.
func TestEventsThatNeverOccur(t *testing.T) {
	t.Parallel()
	m := newMade(8, 1, 1, 5, 5, 5)
	r := analyze(t, m.input(t), Options{Thresholds: []float64{0, 1e6}, Settings: analysis.Settings{Intervals: true}})
	for path, want := range map[string]string{
		"events[threshold=1e+06].pod":         "the event never occurs",
		"events[threshold=1e+06].roc_area":    "the event never occurs",
		"events[threshold=1e+06].far":         "the event is never forecast",
		"events[threshold=1e+06].brier_skill": "the event occurs in no cell or in every cell",
		"events[threshold=0].brier_fair":      "the fair score needs two members",
		"fss[threshold=1e+06;window=1].fss":   "the event neither occurs nor is forecast",
	} {
		path = strings.ReplaceAll(path, "[threshold=1e+06", strings.TrimSuffix(report.Row("threshold", 1e6), "]"))
		s, ok := r.Models[0].Score(path)
		if !ok || s.Value.Defined() || s.Value.Reason != want || s.CI.Defined() {
			t.Errorf("%s: %+v, %v, want %s", path, s.Value, ok, want)
		}
		if reason, _ := r.Models[0].Skipped.Get(path); reason != want {
			t.Errorf("skipped %s: %v, want %s", path, reason, want)
		}
	}
	if v := value(t, &r.Models[0], "events[threshold=0].csi"); !(v > 0 && v < 1) {
		t.Errorf("CSI %v", v)
	}
}

// A forecast that is the truth has the best value of every score that has one.
func TestPerfectFields(t *testing.T) {
	t.Parallel()
	m := newMade(6, 2, 1, 30, 28, 6)
	in := m.input(t)
	in.Forecasts[0].Members = array(t, "truth.npy", []int{m.n, m.v, m.h, m.w}, m.truth)
	in.FromTarget = true
	for _, kind := range []string{SpectrumDCT, SpectrumFFT} {
		r := analyze(t, in, Options{Thresholds: []float64{0.5}, Spectrum: kind})
		of := &r.Models[0]
		for path, want := range map[string]float64{
			"events[threshold=0.5].pod": 1, "events[threshold=0.5].far": 0, "events[threshold=0.5].ets": 1, "events[threshold=0.5].hss": 1,
			"events[threshold=0.5].sedi": 1, "events[threshold=0.5].frequency_bias": 1, "events[threshold=0.5].brier": 0,
			"events[threshold=0.5].brier_skill": 1, "events[threshold=0.5].roc_area": 1, "events[threshold=0.5].corp_miscalibration": 0,
			"fss[threshold=0.5;window=1].fss": 1, "fss[threshold=0.5;window=7].fss_mean": 1, "log_spectral_distance": 0, "log_spectral_distance_mean": 0,
			"fourier_rmse_low": 0, "fourier_rmse_mid": 0, "fourier_rmse_high": 0, "vrmse": 0, "nrmse": 0, "max_error": 0, "boundary_rmse": 0,
			"conserved_rmse": 0, "acc": 1, "acc_centered": 1,
		} {
			near(t, kind+" "+path, value(t, of, path), want)
		}
		if v := value(t, of, "effective_resolution"); !(v > 2 && v < 2.2) {
			t.Errorf("%s: effective resolution %v", kind, v)
		}
		rows, _ := of.Tables.Get("spectrum")
		for _, s := range rows.([]Spectrum) {
			for k, power := range s.Members {
				if power != s.Truth[k] || s.Error[k] != 0 || k > 0 && s.Wavelength[k] >= s.Wavelength[k-1] {
					t.Errorf("band %d: %+v", k, s)
				}
			}
		}
	}
}

// Errors of fields by loops, and constant truth that has no VRMSE but leaves others theirs.
func TestFields(t *testing.T) {
	t.Parallel()
	m := newMade(5, 2, 1, 4, 6, 7)
	for c := range m.fieldOf(2, 0) {
		m.fieldOf(2, 0)[c] = 3
	}
	r := analyze(t, m.input(t), Options{Metrics: []string{"fields"}})
	var vrmse, largest, conserved float64
	for i := range m.n {
		mean, truth := m.meanOf(i, 0), m.fieldOf(i, 0)
		squares, deviation, biggest, bias := 0.0, 0.0, 0.0, 0.0
		for c, y := range truth {
			d := mean[c] - y
			squares += d * d
			deviation += (y - stat.Mean(truth)) * (y - stat.Mean(truth))
			biggest, bias = max(biggest, math.Abs(d)), bias+d/float64(len(truth))
		}
		if i != 2 {
			vrmse += math.Sqrt(squares/deviation) / 4
		}
		largest += biggest / 5
		conserved += bias * bias / 5
	}
	near(t, "vrmse", value(t, &r.Models[0], "vrmse"), vrmse)
	near(t, "max_error", value(t, &r.Models[0], "max_error"), largest)
	near(t, "conserved_rmse", value(t, &r.Models[0], "conserved_rmse"), math.Sqrt(conserved))
}

// Quantiles of the truth leave out samples that are skipped, negative values and zeros of
// either sign are in order, and a quantile between two values is between them.
func TestEventQuantiles(t *testing.T) {
	t.Parallel()
	m := newMade(6, 2, 1, 3, 3, 8)
	negative := math.Copysign(0, -1)
	copy(m.truth, []float64{negative, 0, -1e-300, 1e300, -1e300, 5, 5, 5, -2})
	want := append([]float64(nil), m.truth[:4*9]...)
	want = append(want, m.truth[5*9:]...)
	m.truth[4*9+3] = math.NaN()
	quantiles := []float64{0.01, 0.25, 0.5, 0.77, 0.99}
	p, err := newPlan(m.input(t), Options{EventQuantiles: quantiles, SkipNaN: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.prepareLimits(t.Context()); err != nil {
		t.Fatal(err)
	}
	exact, err := stat.Quantiles(want, quantiles...)
	if err != nil {
		t.Fatal(err)
	}
	for k, q := range exact {
		if got := p.limits[k][0]; math.Abs(got-q) > 1e-12*math.Abs(q) {
			t.Errorf("quantile %v: %v, want %v", quantiles[k], got, q)
		}
	}
}

// Rain of at least 0 is everywhere; of more than 0 it is where it rains, in rows of another name.
func TestEventRule(t *testing.T) {
	t.Parallel()
	m := newMade(6, 3, 1, 4, 5, 11)
	for _, values := range [][]float64{m.truth, m.members} {
		for i, v := range values {
			values[i] = max(0, v)
		}
	}
	rains := 0.0
	for _, y := range m.truth {
		if y > 0 {
			rains++
		}
	}
	o := Options{
		Thresholds:     []float64{0},
		EventQuantiles: []float64{0.1},
		Windows:        []int{1},
		Metrics:        []string{"events", "probabilities", "fractions", "twcrps"},
	}
	from := &analyze(t, m.input(t), o).Models[0]
	o.EventRule = EventAbove
	strict := &analyze(t, m.input(t), o).Models[0]
	for _, row := range []string{"threshold=0", "quantile=0.1"} { // that quantile is 0
		near(t, "base rate from "+row, value(t, from, "events["+row+"].base_rate"), 1)
	}
	for _, row := range []string{"above=0", "above_quantile=0.1"} {
		near(t, "base rate "+row, value(t, strict, "events["+row+"].base_rate"), rains/float64(len(m.truth)))
		if v := value(t, strict, "events["+row+"].brier"); !(v > 0 && v < 1) {
			t.Errorf("Brier score %s: %v", row, v)
		}
		if v := value(t, strict, "fss["+row+";window=1].fss"); !(v > 0 && v < 1) {
			t.Errorf("FSS %s: %v", row, v)
		}
	}
	near(t, "twcrps", value(t, strict, "events[above=0].twcrps"), value(t, from, "events[threshold=0].twcrps"))
	rows, _ := strict.Tables.Get("reliability_diagram")
	for i, row := range rows.([]ReliabilityDiagram) {
		if *row.Limit != 0 || row.Threshold != nil || row.Quantile != nil ||
			(row.Above != nil) == (row.AboveQuantile != nil) {
			t.Errorf("row %d: %+v", i, row.EventRow)
		}
	}
}

// The columns of a grid that goes round may begin anywhere: pairs and windows do not see where, and
// the first and the last column are no sides.
func TestWrap(t *testing.T) {
	t.Parallel()
	m := newMade(4, 3, 2, 5, 8, 12)
	rolled := *m
	rolled.truth, rolled.members = make([]float64, len(m.truth)), make([]float64, len(m.members))
	for of, to := range map[*[]float64][]float64{&m.truth: rolled.truth, &m.members: rolled.members} {
		for i := range to {
			to[i] = (*of)[i/8*8+(i+3)%8]
		}
	}
	o := Options{Thresholds: []float64{0.5}, Windows: []int{1, 3, 11}, MaxDistance: 3, Tile: 2,
		Metrics: []string{"variogram_score", "pairwise_energy_score", "fractions", "boundary_rmse", "mse"}}
	open := analyze(t, m.input(t), o)
	o.Wrap = true
	a, b := analyze(t, m.input(t), o), analyze(t, rolled.input(t), o)
	for _, s := range a.Models[0].Scores {
		near(t, s.Path(), value(t, &b.Models[0], s.Path()), s.Value.Float())
		other := value(t, &open.Models[0], s.Path())
		if alike := other == s.Value.Float(); alike != (s.Name == "mse" || s.Row == "fss[threshold=0.5;window=1]") {
			t.Errorf("%s is %v with columns that go round, %v without", s.Path(), s.Value.Float(), other)
		}
	}
	sum := 0.0
	for i := range m.n {
		for v := range m.v {
			mean, truth := m.meanOf(i, v), m.fieldOf(i, v)
			squares := 0.0
			for c := range truth {
				if c/8 == 0 || c/8 == 4 {
					squares += (mean[c] - truth[c]) * (mean[c] - truth[c]) / 16
				}
			}
			sum += math.Sqrt(squares) / float64(m.n*m.v)
		}
	}
	near(t, "boundary_rmse", value(t, &a.Models[0], "boundary_rmse"), sum)
}

// An observation that is the opposite of the forecast has the FSS 0 in windows of one cell; scores of
// sums are those of the sums of all samples; events of few cells are warned of.
func TestEventsOfFewCells(t *testing.T) {
	t.Parallel()
	m := newMade(3, 1, 1, 20, 20, 13)
	for i, v := range m.truth {
		m.truth[i] = math.Round(math.Abs(math.Sin(v)))
		m.members[i] = 1 - m.truth[i]
	}
	o := Options{Thresholds: []float64{1}, Windows: []int{1}, Metrics: []string{"fractions", "csi"}}
	r := analyze(t, m.input(t), o)
	if v := value(t, &r.Models[0], "fss[threshold=1;window=1].fss"); !(v >= 0 && v < 1e-12) {
		t.Errorf("FSS of the opposite is %v", v)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
	clear(m.truth)
	clear(m.members)
	m.truth[7], m.members[7], m.members[800] = 1, 1, 1 // a hit in sample 0, a false alarm in sample 2
	r = analyze(t, m.input(t), o)
	near(t, "CSI of all samples", value(t, &r.Models[0], "events[threshold=1].csi"), 0.5)
	if want := "the event v0 ≥ 1 occurs in only 0.083 % of cells: its scores depend on few cells; choose a " +
		"more frequent event or use more " +
		"samples"; len(r.Warnings) != 1 ||
		r.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}

func TestEventErrors(t *testing.T) {
	t.Parallel()
	m := newMade(4, 2, 1, 4, 4, 9)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Thresholds: []float64{math.Inf(1)}}, "thresholds [+Inf]: want finite numbers, each once"},
		{Options{EventQuantiles: []float64{0.5, 0.5}}, "quantiles of events [0.5 0.5]: want numbers between 0 and 1, each once"},
		{Options{Windows: []int{0}}, "windows [0]: want sides from 1 to 1048576 cells, each once"},
		{Options{Spectrum: "wavelet"}, `spectrum "wavelet", want dct or fft`},
	} {
		if _, err := Analyze(t.Context(), m.input(t), c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// The number of sums is that of their names.
func TestCounts(t *testing.T) {
	t.Parallel()
	m := newMade(4, 3, 2, 6, 7, 10)
	p, err := newPlan(m.input(t), Options{Thresholds: []float64{0, 1}, EventQuantiles: []float64{0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families() {
		if f.count == nil {
			continue
		}
		if count, names := f.count(p.setting, 3), len(f.sums(p.setting, 3)); count != names {
			t.Errorf("%s: %d sums with %d names", f.name, count, names)
		}
	}
}
