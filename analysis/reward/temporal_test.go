// Tests of temporal distances: latents that go straight, in circles, or anywhere.

package reward

import (
	"math"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/stat"
)

func TestTemporalDistance(t *testing.T) {
	in := drawnDynamics(9, 2, 0)
	n := len(in.Next)
	straight, shuffled := make([]float64, 2*n), make([]float64, 2*n)
	random := stat.NewRandom(stat.NewKey(3, 1))
	for i := range n {
		straight[2*i], straight[2*i+1] = 3*float64(i), 1
		shuffled[2*i], shuffled[2*i+1] = random.Normal(), random.Normal()
	}
	in.Models = []DynamicsModel{{Name: "straight", Latents: points.Float64(straight, 2)}, {Name: "anywhere", Latents: points.Float64(shuffled, 2)}}
	got, err := Dynamics(t.Context(), in, DynamicsOptions{Settings: analysis.Settings{Intervals: true, Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.Models[0].TemporalDistance, got.Models[1].TemporalDistance
	pairs := 0
	for e := range 9 {
		pairs += (20 + 3*e) * (19 + 3*e) / 2
	}
	if !near(a.Spearman.V, 1) || a.Episodes != 9 || a.Pairs != pairs || a.Spearman.SD.V > 1e-9 {
		t.Errorf("straight: %+v", a)
	}
	if math.Abs(b.Spearman.V) > 0.1 || !(b.Spearman.CI.Low < 0 && b.Spearman.CI.High > 0) {
		t.Errorf("anywhere: %+v", b)
	}
	// Long episodes are drawn from, alike for all numbers of threads.
	long := DynamicsInput{Models: []DynamicsModel{{Name: "line", Latents: points.Float64(straight[:2*n], 2)}}}
	for i := range n {
		long.Next = append(long.Next, (i+1)%n)
	}
	long.Next[n-1] = -1
	if got, err = Dynamics(t.Context(), long, DynamicsOptions{Settings: analysis.Settings{Intervals: true, Seed: 7}}); err != nil {
		t.Fatal(err)
	}
	if one := got.Models[0].TemporalDistance; !near(one.Spearman.V, 1) || one.Pairs != mostTemporalPairs || one.Spearman.CI.Reason != "1 episode, want at least 5" {
		t.Errorf("one episode: %+v", one)
	}
	short := DynamicsInput{Next: []int{1, 2, -1}, Models: []DynamicsModel{{Name: "a", Latents: points.Float64([]float64{1, 2, 4}, 1)}}}
	if got, err = Dynamics(t.Context(), short, DynamicsOptions{}); err != nil || got.Models[0].TemporalDistance != nil || len(got.Models[0].Skipped) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}
