// Neighbors in time: their share, the warning, and what a window leaves of a path.

package manifold

import (
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// trajectory is a path with momentum, like frames of a game, in three dimensions.
func trajectory(n int, seed uint64) points.Points {
	const dim = 3
	random := stat.NewRandom(stat.NewKey(seed))
	data := make([]float64, 0, n*dim)
	var x, v [dim]float64
	for i := range n + 500 {
		for k := range x {
			v[k] = 0.97*v[k] + 0.25*random.Normal()
			x[k] = 0.97*x[k] + 0.03*v[k]
		}
		if i >= 500 {
			data = append(data, x[:]...)
		}
	}
	return points.Float64(data, dim)
}

func TestTrajectoryNeedsAWindow(t *testing.T) {
	t.Parallel()
	z := trajectory(2000, 5)
	analyze := func(window int) (Model, string) {
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "path", Latents: z}}}, Options{ExcludeWindow: window, GrideOrders: []int{2, 4}, Neighbors: []int{5}})
		if err != nil {
			t.Fatal(err)
		}
		return result.Models[0], strings.Join(result.Warnings, "\n")
	}
	m, warnings := analyze(0)
	if m.TwoNN.MLE.V < 4.8 || m.TwoNN.MLE.V > 5.4 || m.NeighborsInTime.V < 0.9 || m.ExcludeWindow != 0 {
		t.Errorf("without a window %v, %v in time; want 5.1 and nearly all", m.TwoNN.MLE, m.NeighborsInTime)
	}
	if !strings.Contains(warnings, "path: 9") || !strings.Contains(warnings, "exclude neighbors in time with --exclude-window ") {
		t.Errorf("warnings %q name no window", warnings)
	}
	m, warnings = analyze(60)
	if m.TwoNN.MLE.V < 2.7 || m.TwoNN.MLE.V > 3.3 || m.ExcludeWindow != 60 || !m.IntrinsicDimension.Defined() {
		t.Errorf("with a window of 60 frames %v, want about 3", m.TwoNN.MLE)
	}
	if strings.Contains(warnings, "exclude-window") && m.NeighborsInTime.V <= manyInTime {
		t.Errorf("warnings %q with %v in time", warnings, m.NeighborsInTime)
	}
	m, warnings = analyze(AutoWindow)
	if m.TwoNN.MLE.V < 2.5 || m.TwoNN.MLE.V > 3.5 || m.ExcludeWindow < 20 || m.ExcludeWindow > 99 {
		t.Errorf("with a window of %d frames %v, want about 3", m.ExcludeWindow, m.TwoNN.MLE)
	}
	if m.ExcludeWindow == 99 && !strings.Contains(warnings, "is long for 2000 latents; the exclusion window is limited to 99 frames") {
		t.Errorf("warnings %q do not say that the window is shorter than asked for", warnings)
	}
}

// States of a sample keep their times; a window over everything leaves no dimension.
func TestWindowOfASample(t *testing.T) {
	t.Parallel()
	z := trajectory(3000, 6)
	var index, times []int
	for i := 0; i < z.N; i += 3 {
		index, times = append(index, i), append(times, i)
	}
	in := Input{Time: times, Models: []Encoded{{Name: "path", Latents: z.Select(index)}}}
	of := func(window int) Model {
		result, err := Analyze(t.Context(), in, Options{ExcludeWindow: window, GrideOrders: []int{2}, Neighbors: []int{5}})
		if err != nil {
			t.Fatal(err)
		}
		return result.Models[0]
	}
	// 59 frames are 20 states of the sample.
	in2 := in
	in2.Time = nil
	result, err := Analyze(t.Context(), in2, Options{ExcludeWindow: 19, GrideOrders: []int{2}, Neighbors: []int{5}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := of(59).TwoNN.MLE, result.Models[0].TwoNN.MLE; a != b {
		t.Errorf("dimension %v with times, %v with as many states", a, b)
	}
	m := of(2999)
	if m.TwoNN.MLE.Defined() || !strings.Contains(m.TwoNN.MLE.Reason, "leaves 1 of 1000 latents") || m.NeighborsInTime.Defined() {
		t.Errorf("a window over all: %+v", m.TwoNN.MLE)
	}
	if !m.ParticipationRatioCorrected.Defined() {
		t.Errorf("a window leaves no participation ratio: %v", m.ParticipationRatioCorrected)
	}
	in.Time = times[:5]
	if _, err := Analyze(t.Context(), in, Options{}); err == nil || err.Error() != "5 times for 1000 latents" {
		t.Errorf("error %v", err)
	}
}

// Parts of work with an automatic window, episodes and times are joined to the same bytes.
func TestWorkWithAWindow(t *testing.T) {
	t.Parallel()
	const n = 240
	episode, times := make([]int, n), make([]int, n)
	for i := range n {
		episode[i], times[i] = i/40, 2*i
	}
	in := Input{Episode: episode, Time: times, Models: []Encoded{{Name: "a", Latents: trajectory(n, 1)}, {Name: "b", Latents: trajectory(n, 2)}, {Name: "c", Latents: trajectory(n, 3)}}}
	open := func(window int) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(in, Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, ExcludeWindow: window, GrideOrders: []int{2, 4}, Neighbors: []int{5}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := shardtest.Encoded[*Result](t)
	shardtest.Check(t, open(AutoWindow), text, open(3))
}
