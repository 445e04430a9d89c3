// Tests of scores against literal loops, of baselines, members and batches.

package forecast

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/stat"
)

// made is a small made input.
type made struct {
	n, s, v, h, w        int
	truth, members, init []float64
}

// newMade draws one; members scatter about the truth.
func newMade(n, s, v, h, w int, seed uint64) *made {
	m := &made{n: n, s: s, v: v, h: h, w: w}
	r := stat.NewRandom(stat.NewKey(seed))
	size := v * h * w
	m.truth, m.init, m.members = make([]float64, n*size), make([]float64, n*size), make([]float64, n*s*size)
	for i := range m.truth {
		m.truth[i] = r.Normal()
		m.init[i] = m.truth[i] + r.Normal()
	}
	for i := range n {
		for k := range s {
			for c := range size {
				m.members[(i*s+k)*size+c] = m.truth[i*size+c] + 0.3 + 0.8*r.Normal()
			}
		}
	}
	return m
}

// array is an array in memory.
func array[T dataset.Element](t testing.TB, name string, shape []int, data []T) Array {
	t.Helper()
	a, err := dataset.NewArray(name, shape, data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (m *made) input(t testing.TB) Input {
	return Input{
		Target:    array(t, "truth.npy", []int{m.n, m.v, m.h, m.w}, m.truth),
		Forecasts: []Forecast{{Name: "net", Members: array(t, "net.npy", []int{m.n, m.s, m.v, m.h, m.w}, m.members)}},
	}
}

func analyze(t testing.TB, in Input, o Options) *Result {
	t.Helper()
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// value is a score of a model; NaN where it is undefined.
func value(t testing.TB, m *Model, path string) float64 {
	t.Helper()
	s, ok := m.Score(path)
	if !ok {
		t.Fatalf("%s has no score %s", m.Name, path)
	}
	return s.Value.Float()
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// naive are the scores of a sample, of variables from lo to hi, by loops over their
// definitions; weights are those of cells.
func (m *made) naive(i, lo, hi int, weights []float64) map[string]float64 {
	size, total := m.h*m.w, 0.0
	for _, w := range weights {
		total += w
	}
	out := map[string]float64{}
	for v := lo; v < hi; v++ {
		for c := range size {
			w := weights[c] / total / float64(hi-lo)
			y := m.truth[(i*m.v+v)*size+c]
			x := make([]float64, m.s)
			for k := range x {
				x[k] = m.members[((i*m.s+k)*m.v+v)*size+c]
			}
			mean, variance := stat.MeanVariance(x)
			out["mae"] += w * math.Abs(mean-y)
			out["mse"] += w * (mean - y) * (mean - y)
			out["bias"] += w * (mean - y)
			out["variance"] += w * variance
			first, pairs := 0.0, 0.0
			for _, a := range x {
				first += math.Abs(a-y) / float64(m.s)
				for _, b := range x {
					pairs += math.Abs(a - b)
				}
			}
			out["crps_fair"] += w * (first - pairs/2/float64(m.s*(m.s-1)))
			out["crps_biased"] += w * (first - pairs/2/float64(m.s*m.s))
		}
	}
	return out
}

// energy is the fair energy score of a sample as one vector.
func (m *made) energy(i int) float64 {
	size := m.v * m.h * m.w
	norm := func(a, b []float64) float64 {
		sum := 0.0
		for c := range a {
			sum += (a[c] - b[c]) * (a[c] - b[c])
		}
		return math.Sqrt(sum)
	}
	member := func(k int) []float64 { return m.members[(i*m.s+k)*size : (i*m.s+k+1)*size] }
	first, pairs := 0.0, 0.0
	for k := range m.s {
		first += norm(member(k), m.truth[i*size:(i+1)*size]) / float64(m.s)
		for l := range m.s {
			pairs += norm(member(k), member(l)) / float64(m.s*(m.s-1))
		}
	}
	return first - pairs/2
}

func TestScores(t *testing.T) {
	t.Parallel()
	m := newMade(7, 5, 2, 4, 6, 1)
	in := m.input(t)
	in.Variables = []string{"t2m", "u10"}
	weights, mask := make([]float64, 24), make([]float64, 24)
	for c := range weights {
		weights[c] = 1 + float64(c/6)
		if c%6 < 2 {
			mask[c] = weights[c]
		}
	}
	in.Weights, in.Regions = []float64{1, 2, 3, 4}, []Region{{"west", slices.Repeat([]float64{1, 1, 0, 0, 0, 0}, 4)}}
	r := analyze(t, in, Options{})
	model := &r.Models[0]
	biased := analyze(t, in, Options{CRPS: EstimatorBiased})
	mean := map[string]float64{}
	for i := range m.n {
		all := m.naive(i, 0, 2, weights)
		for name, v := range all {
			mean[name] += v / float64(m.n)
		}
		mse, _ := model.Score("mse")
		near(t, "mse of a sample", mse.Sample[i], all["mse"])
	}
	for _, name := range []string{"mae", "mse", "bias"} {
		near(t, name, value(t, model, name), mean[name])
	}
	near(t, "rmse", value(t, model, "rmse"), math.Sqrt(mean["mse"]))
	near(t, "crps", value(t, model, "crps"), mean["crps_fair"])
	near(t, "biased crps", value(t, &biased.Models[0], "crps"), mean["crps_biased"])
	near(t, "parts of the crps", value(t, model, "crps_skill")-value(t, model, "crps_spread")/2, mean["crps_fair"])
	near(t, "spread", value(t, model, "spread"), math.Sqrt(mean["variance"]))
	near(t, "ratio", value(t, model, "spread_skill_ratio"), math.Sqrt(1.2*mean["variance"]/mean["mse"]))
	near(t, "debiased mse", value(t, model, "debiased_mse"), mean["mse"]-mean["variance"]/5)

	u10, west := 0.0, 0.0
	for i := range m.n {
		u10 += m.naive(i, 1, 2, weights)["crps_fair"] / float64(m.n)
		west += m.naive(i, 0, 2, mask)["mae"] / float64(m.n)
	}
	near(t, "crps of u10", partOf(t, model.ByVariable.Get, "u10", "crps"), u10)
	near(t, "mae in the west", partOf(t, model.ByRegion.Get, "west", "mae"), west)
}

// partOf is a number of a part of a model.
func partOf(t *testing.T, get func(string) (any, bool), name, score string) float64 {
	t.Helper()
	value, _ := get(name)
	o, ok := value.(interface{ Get(string) (any, bool) })
	if !ok {
		t.Fatalf("no part %s", name)
	}
	number, _ := o.Get(score)
	return number.(interface{ Float() float64 }).Float()
}

func TestEnergy(t *testing.T) {
	t.Parallel()
	m := newMade(4, 6, 2, 4, 8, 2)
	r := analyze(t, m.input(t), Options{Metrics: []string{"energy_score"}})
	want := 0.0
	for i := range m.n {
		want += m.energy(i) / 4
	}
	near(t, "energy score", value(t, &r.Models[0], "energy_score"), want)
	// Patches of a cell are the field itself.
	one := analyze(t, m.input(t), Options{Metrics: []string{"patched_energy_score"}, Patch: 1})
	near(t, "patches of one cell", value(t, &one.Models[0], "patched_energy_score"), want)
	// So is a tile as large as the field.
	square := newMade(4, 3, 1, 4, 4, 3)
	whole := analyze(t, square.input(t), Options{PatchMode: PatchTile})
	near(t, "one tile", value(t, &whole.Models[0], "patched_energy_score"), value(t, &whole.Models[0], "energy_score"))
}

// A forecast that is the truth has no error; of one member there is no spread, and the
// second terms are 0.
func TestPerfect(t *testing.T) {
	t.Parallel()
	m := newMade(9, 1, 2, 4, 4, 4)
	in := m.input(t)
	in.Forecasts = []Forecast{{Name: "truth", Members: in.Target}}
	model := &analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}}).Models[0]
	for _, name := range []string{"mae", "mse", "rmse", "bias", "crps", "energy_score", "variogram_score", "patched_energy_score", "pairwise_energy_score"} {
		if v := value(t, model, name); v != 0 {
			t.Errorf("%s of the truth: %v", name, v)
		}
	}
	for _, name := range []string{"spread", "skill", "spread_skill_ratio", "rank_bias", "reliability"} {
		if why, _ := model.Skipped.Get(name); why != "one member has no spread" {
			t.Errorf("%s of one member: %v", name, why)
		}
	}
	single := &analyze(t, m.input(t), Options{}).Models[0]
	near(t, "crps of one member", value(t, single, "crps"), value(t, single, "mae"))
	if of, _ := single.Estimator.Get("crps"); of != "deterministic" {
		t.Errorf("estimator of one member: %v", of)
	}
}

// Constant fields have errors and scores, but no ratio of spread and skill where both are 0.
func TestConstant(t *testing.T) {
	t.Parallel()
	m := newMade(5, 3, 1, 4, 4, 5)
	for i := range m.truth {
		m.truth[i] = 2
	}
	for i := range m.members {
		m.members[i] = 2
	}
	model := &analyze(t, m.input(t), Options{Settings: analysis.Settings{Intervals: true}}).Models[0]
	for _, name := range []string{"mse", "crps", "variogram_score", "spread"} {
		if v := value(t, model, name); v != 0 {
			t.Errorf("%s of constant fields: %v", name, v)
		}
	}
	s, _ := model.Score("spread_skill_ratio")
	if s.Value.Defined() || s.Value.Reason != "the ensemble mean has no error" {
		t.Errorf("ratio of constant fields: %+v", s.Value)
	}
}

// The first members alone, and one array without the axis of members.
func TestMembers(t *testing.T) {
	t.Parallel()
	m := newMade(5, 6, 2, 3, 3, 6)
	in := m.input(t)
	few := &made{n: 5, s: 2, v: 2, h: 3, w: 3, truth: m.truth}
	for i := range 5 {
		few.members = append(few.members, m.members[i*6*18:i*6*18+2*18]...)
	}
	o := Options{Metrics: []string{"crps", "errors"}}
	want := analyze(t, few.input(t), o)
	o.Members = 2
	got := analyze(t, in, o)
	for _, name := range []string{"mse", "crps"} {
		near(t, name, value(t, &got.Models[0], name), value(t, &want.Models[0], name))
	}
	if got.Models[0].Members != 2 {
		t.Errorf("%d members", got.Models[0].Members)
	}
}

// Persistence finds its fields by name; climatology leaves the own group out.
func TestBaselines(t *testing.T) {
	t.Parallel()
	m := newMade(6, 3, 2, 2, 3, 7)
	in := m.input(t)
	in.Forecasts, in.Variables = nil, []string{"a", "b"}
	// The input has a variable more, and another order.
	fields := make([]float64, 6*3*6)
	for i := range 6 {
		copy(fields[(i*3)*6:], m.init[(i*2+1)*6:(i*2+2)*6])
		copy(fields[(i*3+2)*6:], m.init[(i*2)*6:(i*2+1)*6])
	}
	in.Fields, in.FieldVariables = array(t, "init.npy", []int{6, 3, 2, 3}, fields), []string{"b", "other", "a"}
	in.FromTarget, in.Groups = true, []int{0, 0, 1, 1, 2, 2}
	r := analyze(t, in, Options{Metrics: []string{"errors", "energy_score"}})
	if len(r.Models) != 2 || r.Models[0].Name != Persistence || r.Models[1].Name != Climatology || r.Models[0].Kind != "baseline" {
		t.Fatalf("models %+v", r.Models)
	}
	persistence, climatology, distance := 0.0, 0.0, 0.0
	for i := range m.truth {
		sample, cell := i/12, i%12
		persistence += math.Pow(m.init[i]-m.truth[i], 2) / 72
		others := 0.0
		for j := range 6 {
			if j/2 != sample/2 {
				others += m.truth[j*12+cell] / 4
			}
		}
		climatology += math.Pow(others-m.truth[i], 2) / 72
	}
	for i := range 6 {
		sum := 0.0
		for c := range 12 {
			sum += math.Pow(m.init[i*12+c]-m.truth[i*12+c], 2)
		}
		distance += math.Sqrt(sum) / 6
	}
	near(t, "mse of persistence", value(t, &r.Models[0], "mse"), persistence)
	near(t, "mse of climatology", value(t, &r.Models[1], "mse"), climatology)
	near(t, "energy score of persistence", value(t, &r.Models[0], "energy_score"), distance)
	skill, _ := r.Models[1].SkillScores.Get("mse")
	near(t, "skill", skill.(interface{ Float() float64 }).Float(), 1-climatology/persistence)

	given := m.input(t)
	given.Climate = array(t, "mean.npy", []int{2, 2, 3}, m.truth[:12])
	each := m.input(t)
	each.Climate = given.Target
	near(t, "a climatology that is the first truth", value(t, &analyze(t, given, Options{}).Models[1], "mae"), func() float64 {
		sum := 0.0
		for i, v := range m.truth {
			sum += math.Abs(v-m.truth[i%12]) / 72
		}
		return sum
	}())
	near(t, "a climatology per sample", value(t, &analyze(t, each, Options{}).Models[1], "mae"), 0)
}

// The standard deviation over batches weights a short last batch by its samples.
func TestBatches(t *testing.T) {
	t.Parallel()
	m := newMade(8, 2, 1, 2, 2, 8)
	r := analyze(t, m.input(t), Options{BatchSize: 3})
	mae, _ := r.Models[0].Score("mae")
	of := func(lo, hi int) float64 { return stat.Mean(mae.Sample[lo:hi]) }
	batches, mean := []float64{of(0, 3), of(3, 6), of(6, 8)}, mae.Value.V
	want := 0.0
	for i, w := range []float64{3, 3, 2} {
		want += w / 8 * math.Pow(batches[i]-mean, 2)
	}
	near(t, "sd over batches", mae.BatchSD.Float(), math.Sqrt(want))
	sd := 0.0
	for _, v := range mae.Sample {
		sd += math.Pow(v-mean, 2) / 8
	}
	near(t, "sd over samples", mae.SD.Float(), math.Sqrt(sd))
}

// Leads are rows of their own, over their samples.
func TestLeads(t *testing.T) {
	t.Parallel()
	m := newMade(12, 3, 1, 2, 2, 9)
	in := m.input(t)
	in.Leads = slices.Repeat([]float64{6, 24, 48}, 4)
	r := analyze(t, in, Options{Settings: analysis.Settings{Intervals: true}})
	mae, _ := r.Models[0].Score("mae")
	if len(r.Models[0].ByLead) != 3 {
		t.Fatalf("%d leads", len(r.Models[0].ByLead))
	}
	for k, row := range r.Models[0].ByLead {
		s, _ := row.Score("mae")
		want := stat.Mean([]float64{mae.Sample[k], mae.Sample[k+3], mae.Sample[k+6], mae.Sample[k+9]})
		near(t, "mae at a lead", s.Value.Float(), want)
		if row.Lead != in.Leads[k] || row.Samples != 4 {
			t.Errorf("row %d: lead %v of %d samples", k, row.Lead, row.Samples)
		}
	}
	if want := []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}; !slices.Equal(r.Groups, want) {
		t.Errorf("groups %v, want %v", r.Groups, want)
	}
}

// Members [1, 3, NaN] of the truth 2: the third is left out, and the fair CRPS of the others is
// E|X − y| − E|X − X'|/2 = 1 − 2/2; without that NaN is an error. A sample that has fewer is one
// too, or is left out.
func TestSkipMembers(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	in := Input{Target: array(t, "t.npy", []int{3, 1, 1, 1}, []float64{2, 2, 2}),
		Forecasts: []Forecast{
			{Name: "f", Members: array(t, "f.npy", []int{3, 3, 1, 1, 1}, []float64{1, 3, nan, nan, 1, 3, 1, 3, 9})},
		}}
	o := Options{Metrics: []string{"crps", "rank_histogram"}, Members: 2, SkipMembers: true}
	m := &analyze(t, in, o).Models[0]
	for path, want := range map[string]float64{"crps": 0, "crps_spread": 2, "crps_skill": 1, "rank_bias": 0} {
		if got := value(t, m, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if m.Members != 2 {
		t.Errorf("%d members", m.Members)
	}
	for _, c := range []struct {
		members []float64
		o       Options
		want    string
	}{
		{[]float64{1, 3, nan, nan, nan, 3, 1, 3, 9}, o,
			"sample 1 has only 1 member without NaN or Inf, want 2: forecast f: f.npy: element [1 0 0 0 0] is " +
				"NaN, want finite numbers"},
		{[]float64{1, 3, nan, nan, 1, 3, 1, 3, 9}, Options{}, "forecast f: f.npy: element [0 2 0 0 0] is NaN, " +
			"want finite numbers"},
		{[]float64{1, 3, nan, nan, 1, 3, 1, 3, 9}, Options{SkipMembers: true}, "also set how many finite members of each sample are scored"},
	} {
		in.Forecasts[0].Members = array(t, "f.npy", []int{3, 3, 1, 1, 1}, c.members)
		if _, err := Analyze(t.Context(), in, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	in.Forecasts[0].Members = array(t, "f.npy", []int{3, 3, 1, 1, 1}, []float64{1, 3, nan, nan, nan, 3, 1, 3, 9})
	o.SkipNaN = true
	if r := analyze(t, in, o); !slices.Equal(r.Samples, []int{0, 2}) || r.Skipped != 1 {
		t.Errorf("samples %v, %d skipped", r.Samples, r.Skipped)
	}
}

// One member has no pair of different ones: the fair spread is undefined, the biased one 0, and the
// CRPS the absolute error with both.
func TestSpreadOfOneMember(t *testing.T) {
	t.Parallel()
	m := newMade(4, 1, 1, 2, 3, 10)
	for estimator, want := range map[string]float64{EstimatorFair: math.NaN(), EstimatorBiased: 0} {
		model := &analyze(t, m.input(t), Options{Metrics: []string{"crps", "mae"}, CRPS: estimator}).Models[0]
		near(t, estimator+" spread", value(t, model, "crps_spread"), want)
		near(t, estimator+" crps", value(t, model, "crps"), value(t, model, "mae"))
	}
	model := &analyze(t, m.input(t), Options{Metrics: []string{"crps"}}).Models[0]
	if why, _ := model.Skipped.Get("crps_spread"); why != "one member has no spread" {
		t.Errorf("reason %v", why)
	}
}

// A region without two cells within reach has no variogram score, and the run has its others.
func TestRegionOfOneCell(t *testing.T) {
	t.Parallel()
	m := newMade(9, 2, 1, 3, 4, 14)
	in := m.input(t)
	cell := make([]float64, 12)
	cell[5] = 1
	in.Regions = []Region{{"cell", cell}}
	r := analyze(t, in, Options{Metrics: []string{"variogram_score", "pairwise_energy_score", "mae"}, Settings: analysis.Settings{Intervals: true}})
	if v := partOf(t, r.Models[0].ByRegion.Get, "cell", "variogram_score"); !math.IsNaN(v) {
		t.Errorf("variogram score of one cell: %v", v)
	}
	if v := partOf(t, r.Models[0].ByRegion.Get, "cell", "mae"); !(v > 0) {
		t.Errorf("MAE of one cell: %v", v)
	}
	in.Regions, in.Weights = nil, cell // as a mask
	r = analyze(t, in, Options{Metrics: []string{"variogram_score", "mae"}, Settings: analysis.Settings{Intervals: true}})
	if why, _ := r.Models[0].Skipped.Get("variogram_score"); why != "no pair of cells within --max-distance has weight" {
		t.Errorf("reason %v", why)
	}
	if s, _ := r.Models[0].Score("mae"); !s.CI.Defined() {
		t.Errorf("interval of the MAE: %+v", s.CI)
	}
}
