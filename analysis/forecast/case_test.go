// Tests of the case that maps show.

package forecast

import (
	"slices"
	"testing"
)

// The case that is shown is the sample of median error among those of the middle lead.
func TestTypical(t *testing.T) {
	t.Parallel()
	r := &Result{Samples: []int{0, 1, 2, 4, 5, 7, 8}, Leads: []float64{6, 24, 48, 24, 24, 6, 48},
		Models: []Model{{Scores: []Score{{Name: "mse", Sample: []float64{9, 5, 9, 1, 3, 9, 9}}}}}}
	if got := r.typical(); r.Samples[got] != 5 {
		t.Errorf("sample %d, want 5", r.Samples[got])
	}
	r.Leads = nil
	if got := r.typical(); r.Samples[got] != 0 { // after 1, 3 and 5 the first of the equal ones
		t.Errorf("without leads sample %d, want 0", r.Samples[got])
	}
}

// Maps show the truth, the mean, a member, the spread and the error of the case.
func TestShownCase(t *testing.T) {
	t.Parallel()
	m := newMade(3, 4, 2, 8, 9, 5)
	in := m.input(t)
	in.Fields = array(t, "init.npy", []int{3, 2, 8, 9}, m.init)
	o := Options{Metrics: []string{"mse"}}
	r := analyze(t, in, o)
	c, err := TypicalCase(t.Context(), in, o, r, 4, 13)
	if err != nil {
		t.Fatal(err)
	}
	const size = 8 * 9
	at := c.Sample
	if !slices.Equal(c.Truth[1], m.truth[(at*2+1)*size:(at*2+2)*size]) || len(c.Models) != 2 || c.Models[1].Spread != nil || c.Models[1].Member != nil {
		t.Errorf("case %d: truth or models are others: %d", at, len(c.Models))
	}
	mean, square := 0.0, 0.0
	for k := range 4 {
		x := m.members[((at*4+k)*2+1)*size+7]
		mean += x / 4
		square += x * x
	}
	near(t, "mean", c.Models[0].Mean[1][7], mean)
	near(t, "spread", c.Models[0].Spread[1][7]*c.Models[0].Spread[1][7], (square-4*mean*mean)/3)
	near(t, "member", c.Models[0].Member[1][7], m.members[((at*4)*2+1)*size+7])
	near(t, "persistence", c.Models[1].Mean[1][7], m.init[(at*2+1)*size+7])
}
