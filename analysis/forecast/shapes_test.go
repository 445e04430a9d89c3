// Tests of arrays without an axis of variables.

package forecast

import (
	"math"
	"strings"
	"testing"
)

// One variable without its axis has the scores of one with it, in every array.
func TestWithoutVariables(t *testing.T) {
	t.Parallel()
	m := newMade(6, 3, 1, 4, 5, 21)
	o := Options{Metrics: []string{"errors", "crps", "energy_score", "acc"}}
	full := func() Input {
		in := m.input(t)
		in.Fields = array(t, "init.npy", []int{6, 1, 4, 5}, m.init)
		in.Climate = array(t, "climate.npy", []int{1, 4, 5}, m.init[:20])
		return in
	}
	want := analyze(t, full(), o)
	for name, change := range map[string]func(*Input){
		"target":         func(in *Input) { in.Target = array(t, "truth.npy", []int{6, 4, 5}, m.truth) },
		"members":        func(in *Input) { in.Forecasts[0].Members = array(t, "net.npy", []int{6, 3, 4, 5}, m.members) },
		"input":          func(in *Input) { in.Fields = array(t, "init.npy", []int{6, 4, 5}, m.init) },
		"one for all":    func(in *Input) { in.Climate = array(t, "climate.npy", []int{4, 5}, m.init[:20]) },
		"one per sample": func(in *Input) { in.Climate = array(t, "climate.npy", []int{6, 4, 5}, m.repeated(20)) },
		"all": func(in *Input) {
			in.Target, in.Fields = array(t, "truth.npy", []int{6, 4, 5}, m.truth), array(t, "init.npy", []int{6, 4, 5}, m.init)
			in.Forecasts[0].Members, in.Climate = array(t, "net.npy", []int{6, 3, 4, 5}, m.members), array(t, "climate.npy", []int{4, 5}, m.init[:20])
		},
	} {
		in := full()
		change(&in)
		got := analyze(t, in, o)
		for k := range want.Models {
			for _, s := range want.Models[k].Scores {
				if v := value(t, &got.Models[k], s.Path()); v != s.Value.Float() &&
					!(math.IsNaN(v) && math.IsNaN(s.Value.Float())) {
					t.Errorf("%s: %s of %s is %v, want %v", name, s.Path(), want.Models[k].Name, v, s.Value.Float())
				}
			}
		}
	}
	// One member, and where a NaN stands, by the axes that the array has.
	one := Input{
		Target:    array(t, "t.npy", []int{6, 4, 5}, m.truth),
		Forecasts: []Forecast{{Name: "f", Members: array(t, "f.npy", []int{6, 4, 5}, m.init)}},
	}
	if r := analyze(t, one, o); r.Models[0].Members != 1 {
		t.Errorf("%d members", r.Models[0].Members)
	}
	bad := append([]float64(nil), m.truth...)
	bad[2*20+13] = math.NaN()
	one.Target = array(t, "t.npy", []int{6, 4, 5}, bad)
	if _, err := Analyze(t.Context(), one, o); err == nil ||
		!strings.Contains(err.Error(), "t.npy: element [2 2 3] is NaN") {
		t.Error(err)
	}
	in := full()
	bad = append([]float64(nil), m.init[:20]...)
	bad[11] = math.NaN()
	in.Climate = array(t, "climate.npy", []int{4, 5}, bad)
	if _, err := Analyze(t.Context(), in, o); err == nil ||
		!strings.Contains(err.Error(), "climate.npy: element [2 1] is NaN") {
		t.Error(err)
	}
}

// repeated is the first field of the input for every sample.
func (m *made) repeated(size int) []float64 {
	var out []float64
	for range m.n {
		out = append(out, m.init[:size]...)
	}
	return out
}
