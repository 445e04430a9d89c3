// Tests of groups and of the blocks they make.

package forecast

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/stat"
)

// The k-th sample of every lead is of initial time k, whichever of them runs faster.
func TestGroupsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   Input
		want []int
	}{
		{Input{}, []int{0, 1, 2, 3, 4, 5}},
		{Input{Leads: []float64{6, 12, 6, 12, 6, 12}}, []int{0, 0, 1, 1, 2, 2}},
		{Input{Leads: []float64{6, 6, 6, 12, 12, 12}}, []int{0, 1, 2, 0, 1, 2}},
		{Input{Groups: []int{4, 4, 1, 1, 2, 2}}, []int{4, 4, 1, 1, 2, 2}},
	} {
		if got := groupsOf(c.in, 6); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.in, got, c.want)
		}
	}
}

// Scores over all leads are of initial times that have every lead; where none has, or nobody says
// which are which, there are none.
func TestEqualLeads(t *testing.T) {
	t.Parallel()
	m := newMade(11, 3, 1, 2, 3, 15) // six initial times at lead 6, five at lead 24
	leads := []float64{6, 24, 6, 24, 6, 6, 24, 6, 24, 6, 24}
	groups := []int{0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5}
	in := m.input(t)
	in.Leads, in.Groups = leads, groups
	o := Options{Settings: analysis.Settings{Intervals: true}, Metrics: []string{"mae", "rank_histogram"}}
	r := analyze(t, in, o)
	want := []int{0, 1, 2, 3, 5, 6, 7, 8, 9, 10}
	warning := "leads: 1 of 6 initial times lack a lead (the one of sample 4 lacks 24); their 1 sample are left out for " +
		"all models, so that all leads cover the same initial times"
	if !slices.Equal(r.Samples, want) || !slices.Contains(r.Warnings, warning) {
		t.Errorf("samples %v, warnings %q", r.Samples, r.Warnings)
	}
	for _, row := range r.Models[0].ByLead {
		if row.Samples != 5 {
			t.Errorf("lead %v has %d samples", row.Lead, row.Samples)
		}
	}
	alone := m.input(t)
	at := func(values []float64, size int) (out []float64) {
		for _, i := range want {
			out = append(out, values[i*size:(i+1)*size]...)
		}
		return out
	}
	alone.Target = array(t, "truth.npy", []int{10, 1, 2, 3}, at(m.truth, 6))
	alone.Forecasts[0].Members = array(t, "net.npy", []int{10, 3, 1, 2, 3}, at(m.members, 18))
	near(t, "mae", value(t, &r.Models[0], "mae"), value(t, &analyze(t, alone, o).Models[0], "mae"))

	for name, c := range map[string]struct {
		leads  []float64
		groups []int
		want   string
	}{
		"not known": {leads, nil,
			"leads have unequal numbers of samples (6 at lead 6, 5 at lead 24), and their initial times are unknown"},
		"none has all": {leads, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "no initial time has all leads " +
			"(samples: 6 at lead 6, 5 at lead 24)"},
		"other, as many": {[]float64{6, 24, 6, 24, 6, 24, 6, 24, 6, 24, 6}[:11], []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}, ""},
	} {
		in.Leads, in.Groups = c.leads, c.groups
		r := analyze(t, in, o)
		s, _ := r.Models[0].Score("mae")
		if s.Value.Defined() != (c.want == "") || s.Value.Reason != c.want || s.CI.Defined() != (c.want == "") {
			t.Errorf("%s: %+v, want the reason %q", name, s.Value, c.want)
		}
		if _, ok := r.Models[0].Tables.Get(RankTable); ok != (c.want == "") {
			t.Errorf("%s: a histogram over all leads: %v", name, ok)
		}
		first := r.Models[0].ByLead[0]
		if s, _ := first.Score("mae"); !s.Value.Defined() || first.Samples != 6 {
			t.Errorf("%s: %+v of %d samples at a lead", name, s.Value, first.Samples)
		}
	}
	// As many of every lead, but of other times: scores are there, and a warning.
	even := newMade(10, 2, 1, 2, 3, 16)
	in = even.input(t)
	in.Leads, in.Groups = []float64{6, 24, 6, 24, 6, 24, 6, 24, 6, 24}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	r = analyze(t, in, o)
	if s, _ := r.Models[0].Score("mae"); !s.Value.Defined() ||
		!slices.Contains(r.Warnings,
			"no initial time has all leads: the entries of by_lead come from different initial times and are not comparable") {
		t.Errorf("%+v, warnings %q", s.Value, r.Warnings)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	twoLeads := []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	times := []int{5, 5, 3, 3, 1, 1, 0, 0, 2, 2, 4, 4}
	for _, c := range []struct {
		name   string
		groups []int
		leads  []float64
		spec   string
		want   string
		kind   string
	}{
		{"pieces of the series of initial times, in its order", times, twoLeads, "2", "[[0 1 10 11] [2 3 8 9] [4 5 6 7]]", "3 blocks (moving blocks of 2)"},
		{"initial times by themselves", times, twoLeads, "episode", "[[0 1] [2 3] [4 5] [6 7] [8 9] [10 11]]", "6 groups"},
		{"simulations", []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, nil, "auto", "[[0 1] [2 3] [4 5] [6 7] [8 9] [10 11]]", "6 groups"},
		{"samples one after the other", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, nil, "4", "[[0 1 2 3] [4 5 6 7] [8 9 10 11]]", "3 blocks (moving blocks of 4)"},
		{"pieces of few simulations", []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, nil, "3", "[[0 1 2] [3 4 5] [6 7 8] [9 10 11]]", "4 blocks (moving blocks of 3 in 2 episodes)"},
	} {
		spec, err := stat.ParseBlockSpec(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, len(c.groups))
		for i := range values {
			values[i] = float64(i * i % 7)
		}
		b, err := blocksOf(c.groups, c.leads, spec, [][]float64{values})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := fmt.Sprint(sorted(b)); got != c.want || describeBlocks(b) != c.kind {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got, describeBlocks(b), c.want, c.kind)
		}
	}
}

// sorted are the blocks in the order of their first samples.
func sorted(b *stat.Blocks) [][]int {
	blocks := make([][]int, b.Count())
	for j := range blocks {
		blocks[j] = b.Block(j)
		slices.Sort(blocks[j])
	}
	slices.SortFunc(blocks, slices.Compare)
	return blocks
}

// Blocks are as long as samples remember each other whatever scores are asked for.
func TestMemory(t *testing.T) {
	t.Parallel()
	m := newMade(120, 3, 1, 4, 4, 9)
	r, size := stat.NewRandom(stat.NewKey(4)), 3*16
	for i, level := 0, 0.0; i < m.n; i++ {
		level = 0.95*level + r.Normal()
		for c := range size {
			m.members[i*size+c] += level
		}
	}
	for _, metric := range []string{"mse", "mae", "crps_skill", "patched_energy_score", "quantiles", "coverage", "csi", "spread_skill_ratio", "fields"} {
		out := analyze(t, m.input(t), Options{Metrics: []string{metric}, Thresholds: []float64{0.5}, Settings: analysis.Settings{Intervals: true}})
		const hint = "if the initial times are independent, make each of them a block with --block episode"
		unmeasured := slices.ContainsFunc(out.Warnings, func(w string) bool { return strings.Contains(w, "no series") })
		if unmeasured || !slices.Contains(out.Warnings, hint) {
			t.Errorf("%s: %s, %q", metric, out.Blocks, out.Warnings)
		}
		own := analyze(t, m.input(t), Options{Metrics: []string{metric}, Thresholds: []float64{0.5}, Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Kind: stat.EpisodeBlocks}}})
		if own.Blocks != "120 groups" || slices.Contains(own.Warnings, hint) {
			t.Errorf("%s: %s, %q", metric, own.Blocks, own.Warnings)
		}
	}
}

// Samples are written in the order of their initial times, which are one series unless they are
// told to be independent.
func TestInTime(t *testing.T) {
	t.Parallel()
	r := Result{Samples: []int{0, 1, 2, 4}, Groups: []int{7, 3, 7, 3}}
	if got := r.InTime(); !slices.Equal(got, []int{1, 3, 0, 2}) {
		t.Errorf("order %v", got)
	}
	leads := []float64{6, 6, 12, 12}
	for _, c := range []struct {
		groups []int
		kind   stat.BlockKind
		want   bool
	}{
		{[]int{0, 1, 0, 1}, stat.AutoBlocks, true},     // each lead once
		{[]int{0, 0, 1, 1}, stat.AutoBlocks, false},    // simulations
		{[]int{0, 1, 0, 1}, stat.EpisodeBlocks, false}, // independent by request
		{[]int{0, 0, 1, 1}, stat.MovingBlocks, true},
	} {
		if got := inSeries(c.groups, leads, stat.BlockSpec{Kind: c.kind}); got != c.want {
			t.Errorf("groups %v, blocks %v: series %v", c.groups, c.kind, got)
		}
	}
}
