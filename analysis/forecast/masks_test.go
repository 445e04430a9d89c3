// Tests of cells of weight 0 over all scores: a masked field is the field cut out, and what masked
// cells hold changes no byte.

package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/stat"
)

// decision says of a score whether a masked field has that of the part that is left, and whether a
// constant added to all values changes it; empty: it has, and it does not.
type decision struct{ notCut, shifts string }

// decisions are those of all scores. A new score fails TestMaskedFields until it has one.
var decisions = func() map[string]decision {
	out := map[string]decision{
		"log_spectral_distance":      {notCut: "waves are those of the grid"},
		"log_spectral_distance_mean": {notCut: "waves are those of the grid"},
		"effective_resolution":       {notCut: "waves are those of the grid"},
		"effective_resolution_mean":  {notCut: "waves are those of the grid"},
		"fourier_rmse_low":           {notCut: "waves are those of the grid"},
		"fourier_rmse_mid":           {notCut: "waves are those of the grid"},
		"fourier_rmse_high":          {notCut: "waves are those of the grid"},
		"boundary_rmse":              {notCut: "sides are those of the grid"},
		"nrmse":                      {shifts: "it is relative to the values themselves"},
	}
	for _, name := range []string{
		"mae", "mse", "rmse", "bias", "crps", "crps_skill", "crps_spread", "variogram_score", "energy_score", "patched_energy_score", "pairwise_energy_score",
		"tiled_energy_score", "tiled_variogram_score", "spread", "skill", "spread_skill_ratio", "debiased_mse", "rank_bias", "rank_dispersion", "reliability",
		"weighted_interval_score", "intervals.interval_score", "intervals.width", "intervals.coverage", "quantiles.quantile_score", "dawid_sebastiani", "error_spread",
		"events.hits", "events.misses", "events.false_alarms", "events.correct_negatives", "events.base_rate", "events.pod", "events.pofd", "events.far", "events.csi",
		"events.ets", "events.hss", "events.sedi", "events.frequency_bias", "events.brier", "events.brier_fair", "events.brier_skill", "events.brier_fair_skill",
		"events.brier_reliability", "events.brier_resolution", "events.brier_uncertainty", "events.roc_area", "events.corp_miscalibration", "events.corp_discrimination",
		"events.twcrps", "fss.fss", "fss.fss_mean", "vrmse", "max_error", "conserved_rmse", "acc", "acc_centered",
	} {
		out[name] = decision{}
	}
	return out
}()

// fieldsOf are all arrays of an input, by what they are of.
type fieldsOf struct {
	h, w                                  int
	truth, members, init, climate, weight []float64
}

const maskSamples, maskMembers, maskVariables = 8, 4, 2

// newFields draws fields that vary smoothly enough to have events together.
func newFields(h, w int, seed uint64) *fieldsOf {
	r := stat.NewRandom(stat.NewKey(seed))
	f := &fieldsOf{h: h, w: w}
	draw := func(n int, around []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			if out[i] = r.Normal(); around != nil {
				out[i] = around[i/(n/maskSamples)*(len(around)/maskSamples)+i%(len(around)/maskSamples)] + 0.7*out[i]
			}
			out[i] = math.Round(out[i]*1024) / 1024 // a constant added to it is added exactly, in float32 too
		}
		return out
	}
	size := maskVariables * h * w
	f.truth = draw(maskSamples*size, nil)
	f.members, f.init = draw(maskSamples*maskMembers*size, f.truth), draw(maskSamples*size, f.truth)
	f.climate, f.weight = draw(size, nil), make([]float64, h*w)
	for c := range f.weight {
		f.weight[c] = 1 + float64(c%5)/4
	}
	return f
}

// arrays are those that have fields, one after the other.
func (f *fieldsOf) arrays() []*[]float64 {
	return []*[]float64{&f.truth, &f.members, &f.init, &f.climate}
}

// changed is a copy whose values are those of a function of the cell and the value.
func (f *fieldsOf) changed(value func(cell int, v float64) float64) *fieldsOf {
	out := *f
	for _, a := range out.arrays() {
		*a = slices.Clone(*a)
		for i, v := range *a {
			(*a)[i] = value(i%(f.h*f.w), v)
		}
	}
	return &out
}

// part is what is left of rows from top on and the first columns, as fields of their own.
func (f *fieldsOf) part(top, width int) *fieldsOf {
	out := &fieldsOf{h: f.h - top, w: width}
	keep := func(values []float64) (kept []float64) {
		for i, v := range values {
			if cell := i % (f.h * f.w); cell/f.w >= top && cell%f.w < width {
				kept = append(kept, v)
			}
		}
		return kept
	}
	for i, a := range f.arrays() {
		*out.arrays()[i] = keep(*a)
	}
	out.weight = keep(f.weight)
	return out
}

// masked has no weight but in that part.
func (f *fieldsOf) masked(top, width int) *fieldsOf {
	out := *f
	out.weight = slices.Clone(f.weight)
	for c := range out.weight {
		if c/f.w < top || c%f.w >= width {
			out.weight[c] = 0
		}
	}
	return &out
}

func (f *fieldsOf) input(t *testing.T) Input {
	t.Helper()
	shape := []int{maskSamples, maskVariables, f.h, f.w}
	return Input{
		Target:    array(t, "truth.npy", shape, f.truth),
		Forecasts: []Forecast{{Name: "net", Members: array(t, "net.npy", []int{maskSamples, maskMembers, maskVariables, f.h, f.w}, f.members)}},
		Fields:    array(t, "init.npy", shape, f.init),
		Climate:   array(t, "climate.npy", shape[1:], f.climate),
		Weights:   f.weight,
		Leads:     []float64{1, 2, 1, 2, 1, 2, 1, 2},
	}
}

// maskOptions are choices that change what the scores see.
func maskOptions() map[string]Options {
	plain := Options{
		Thresholds:     []float64{0.25},
		EventQuantiles: []float64{0.6},
		Windows:        []int{1, 3, 4},
		Tile:           3,
		Patch:          3,
		Settings:       analysis.Settings{Intervals: true, Seed: 3, Threads: 1},
	}
	other := plain
	other.Variogram, other.PatchMode, other.CRPS, other.Energy = VariogramDocumented, PatchTile, EstimatorBiased, EstimatorBiased
	other.EventRule, other.Spectrum, other.Pairs, other.Wrap = EventAbove, SpectrumFFT, 9, true
	far := plain
	far.VariogramP, far.MaxDistance = 1, 2
	return map[string]Options{"plain": plain, "other": other, "far": far}
}

// entry is the name of a score among the decisions.
func (f *Formula) entry() string {
	if f.List != "" {
		return f.List + "." + f.Name
	}
	return f.Name
}

// same compares all scores of two runs that pass, by variable and lead too.
func same(t *testing.T, what string, a, b *Result, tolerance float64, pass func(decision) bool) {
	t.Helper()
	compare := func(part string, x, y []Score) {
		if len(x) != len(y) {
			t.Fatalf("%s: %s: %d and %d scores", what, part, len(x), len(y))
		}
		for i := range x {
			list, _, _ := cutRow(x[i].Row)
			name := x[i].Name
			if list != "" {
				name = list + "." + name
			}
			if !pass(decisions[name]) {
				continue
			}
			for of, pair := range map[string][2]float64{"": {x[i].Value.Float(), y[i].Value.Float()}, " sd": {x[i].SD.Float(), y[i].SD.Float()}} {
				p, q := pair[0], pair[1]
				if !(math.Abs(p-q) <= tolerance*(1+math.Abs(q))) && !(math.IsNaN(p) && math.IsNaN(q)) {
					t.Errorf("%s: %s: %s%s is %v, want %v", what, part, x[i].Path(), of, p, q)
				}
			}
		}
	}
	for m := range a.Models {
		compare(a.Models[m].Name, a.Models[m].Scores, b.Models[m].Scores)
		for v := range a.ByVariable[m] {
			compare(a.Models[m].Name+" "+a.Variables[v], a.ByVariable[m][v], b.ByVariable[m][v])
		}
		for l := range a.Models[m].ByLead {
			compare(a.Models[m].Name+" by lead", a.Models[m].ByLead[l].Scores, b.Models[m].ByLead[l].Scores)
		}
	}
}

// cutRow takes a row apart: events[threshold=5].
func cutRow(row string) (list, rest string, ok bool) {
	for i := range row {
		if row[i] == '[' {
			return row[:i], row[i:], true
		}
	}
	return "", "", false
}

// Every score has a decision, and every decision is of a score.
func TestMaskedFields_Decisions(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	s := anySetting()
	for _, family := range families() {
		for _, of := range family.scores(s, 2) {
			known[of.entry()] = true
			if _, ok := decisions[of.entry()]; !ok {
				t.Errorf(
					"%s: say in decisions whether a masked field has the score of the field cut out, and whether "+
						"a constant changes it", of.entry())
			}
		}
	}
	for name := range decisions {
		if !known[name] {
			t.Errorf("%s is no score", name)
		}
	}
}

// A masked field has the scores of the field cut out, which is a run of its own; so has a region.
func TestMaskedFields_Cut(t *testing.T) {
	t.Parallel()
	for name, o := range maskOptions() {
		width := 6
		if o.Wrap {
			width = 9 // all columns go round
		}
		whole := newFields(9, 9, 11)
		cut := analyze(t, whole.part(3, width).input(t), o)
		masked := whole.masked(3, width)
		got := analyze(t, masked.changed(func(cell int, v float64) float64 {
			if masked.weight[cell] == 0 {
				return math.NaN()
			}
			return v
		}).input(t), o)
		same(t, name, got, cut, 1e-12, func(d decision) bool { return d.notCut == "" })
		for m := range cut.Models {
			for _, s := range cut.Models[m].Scores {
				if s.Value.Defined() != scoreOf(got.Models[m].Scores, s.Path()).Value.Defined() {
					t.Errorf("%s: %s is defined for one of both", name, s.Path())
				}
			}
		}
		// Weights within a region are those of the region times those of cells.
		in := whole.input(t)
		region := make([]float64, len(whole.weight))
		for c, w := range masked.weight {
			if w != 0 {
				region[c] = 2
			}
		}
		in.Regions = []Region{{"part", region}}
		o.EventQuantiles = nil // their limits are those of all cells
		parts, alone := analyze(t, in, o), analyze(t, masked.input(t), o)
		for m := range parts.Models {
			for _, s := range alone.Models[m].Scores {
				list, _, _ := cutRow(s.Row)
				if part, ok := parts.Models[m].ByRegion.Get("part"); list == "" && ok {
					v, there := part.(interface{ Get(string) (any, bool) }).Get(s.Name)
					if !there {
						continue // of the whole grid alone
					}
					near(t, name+": region: "+s.Name, v.(interface{ Float() float64 }).Float(), s.Value.Float())
				}
			}
			a, b := fmt.Sprint(
				listsOf(t, &parts.Models[m].ByRegion, "part"),
			), fmt.Sprint(
				listsOf(t, &alone.Models[m].Fields, ""),
			)
			if a != b || a == "[]" {
				t.Errorf("%s: %s: rows of the region\n%s\nwant\n%s", name, parts.Models[m].Name, a, b)
			}
		}
	}
}

// scoreOf is the score of a path.
func scoreOf(scores []Score, path string) Score {
	s, _ := FindScore(scores, path)
	return s
}

// listsOf are the values of the rows of events and windows, rounded.
func listsOf(t *testing.T, o any, part string) []string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(asJSON(t, o)), &all); err != nil {
		t.Fatal(err)
	}
	if part != "" {
		all = all[part].(map[string]any)
	}
	var out []string
	for _, list := range []string{EventTable, fssName} {
		rows, _ := all[list].([]any)
		for _, row := range rows {
			for _, key := range []string{"csi", "brier", "twcrps", "roc_area", "fss", "fss_mean"} {
				if v, ok := row.(map[string]any)[key].(float64); ok {
					out = append(out, fmt.Sprintf("%s.%s %.10g", list, key, v))
				}
			}
		}
	}
	return out
}

// What stands in masked cells of any array changes no byte of any score, table, interval, comparison
// or warning.
func TestMaskedFields_Values(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one small analysis after another")
	}
	whole := newFields(9, 9, 12)
	masked := whole.masked(2, 7)
	masked.weight[5*9+3] = 0 // an island
	for name, o := range maskOptions() {
		var want string
		for _, fill := range []float64{0, math.NaN(), math.Inf(-1), 1e30, -999, 9.969209968386869e36, 1e20, math.MaxFloat64} {
			r := analyze(t, masked.changed(func(cell int, v float64) float64 {
				if masked.weight[cell] == 0 {
					return fill
				}
				return v
			}).input(t), o)
			got := asJSON(t, map[string]any{"models": r.Models, "comparisons": r.Comparisons, "warnings": r.Warnings})
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %v in masked cells changes the result", name, fill)
			}
		}
	}
}

// A constant added to all values, and to thresholds, changes no score but those that are relative
// to them, of masked fields too.
func TestMaskedFields_Shift(t *testing.T) {
	t.Parallel()
	const constant = 256
	for name, o := range maskOptions() {
		for top := range 2 {
			fields := newFields(9, 9, 13).masked(2*top, 9-top)
			before := analyze(t, fields.input(t), o)
			shifted := o
			shifted.Thresholds = []float64{o.Thresholds[0] + constant}
			after := analyze(t, fields.changed(func(_ int, v float64) float64 { return v + constant }).input(t),
				shifted)
			same(t, fmt.Sprintf("%s, %d rows masked", name, 2*top), after, before, 1e-9,
				func(d decision) bool { return d.shifts == "" })
		}
	}
}
