// Tests of the null of episodes of unequal lengths.

package neighborhood

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/neighbors"
	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// uneven are two slow sequences that share nothing, in episodes of unequal lengths.
func uneven(seed uint64, lengths ...int) (a, b points.Points, episode []int) {
	for e, length := range lengths {
		for range length {
			episode = append(episode, e)
		}
	}
	sequence := func(seed uint64) points.Points {
		r := stat.NewRandom(stat.NewKey(seed, 31))
		var data []float64
		x := make([]float64, 3)
		for i, e := range episode {
			for c := range x {
				if i == 0 || episode[i-1] != e {
					x[c] = r.Normal()
				}
				data = append(data, x[c])
				x[c] = 0.98*x[c] + math.Sqrt(1-0.98*0.98)*r.Normal()
			}
		}
		return points.Float64(data, 3)
	}
	return sequence(seed), sequence(seed + 1000), episode
}

// distances are all Euclidean distances of states.
func distances(p points.Points) points.Points {
	out := make([]float64, 0, p.N*p.N)
	for i := range p.N {
		for j := range p.N {
			sum := 0.0
			for c := range p.Dim {
				d := p.F64[i*p.Dim+c] - p.F64[j*p.Dim+c]
				sum += d * d
			}
			out = append(out, math.Sqrt(sum))
		}
	}
	return points.Float64(out, p.N)
}

// An analysis of the cut episodes alone has the same null and the scores next to it. All other numbers are about all
// states.
func TestNullOfUnequalEpisodes(t *testing.T) {
	t.Parallel()
	frames, latents, episode := uneven(1, 30, 50, 45, 60, 40, 12, 55)
	states := stat.EqualLengths(episode)
	time := make([]int, len(episode))
	for i := range time {
		time[i] = 2 * i
	}
	for name, c := range map[string]struct {
		o      Options
		frames points.Points
	}{
		"plain":       {Options{}, frames},
		"window":      {Options{ExcludeWindow: 3}, frames},
		"random ties": {Options{Ties: neighbors.TiesRandom}, frames},
		"precomputed": {Options{Metric: neighbors.Precomputed}, distances(frames)},
		"approximate": {Options{Approximate: true, References: 1000}, frames},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.o
			o.K, o.Permutations, o.Settings = []int{5, 9}, 4, analysis.Settings{Seed: 3}
			whole := Input{Frames: c.frames, Episode: episode, Time: time,
				Models: []Encoded{{Name: "a", Latents: latents}}}
			short := Input{Frames: c.frames.Select(states), Episode: points.Pick(episode, states),
				Time: points.Pick(time, states), Models: []Encoded{{Name: "a", Latents: latents.Select(states)}}}
			if c.o.Metric == neighbors.Precomputed {
				short.Frames = distances(frames.Select(states))
			}
			got, want := analyze(t, whole, o), analyze(t, short, o)
			o.Permutations = 0
			plain := analyze(t, whole, o)
			for q, a := range got.Models[0].ByK {
				w := want.Models[0].ByK[q]
				cut := &CutScores{len(states), w.Trustworthiness, w.Continuity, w.RNX}
				null := *w.NullInTime
				null.Cut = cut
				if w.NullInTime.Cut != nil || !reflect.DeepEqual(*a.NullInTime, null) {
					t.Errorf("k %d: null %+v with %+v, want %+v with %+v", a.K, *a.NullInTime, a.NullInTime.Cut,
						null, cut)
				}
				got.Models[0].ByK[q].NullInTime = nil
			}
			got.Warnings = plain.Warnings // the null has its own
			if text := resultText(t); string(text(got)) != string(text(plain)) {
				t.Errorf("%s\nwithout a null %s", text(got), text(plain))
			}
		})
	}
}

// Slow sequences that share nothing have the scores of their null.
func TestNullOfUnequalEpisodes_Mean(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	t.Parallel()
	var above []float64
	for seed := range uint64(8) {
		frames, latents, episode := uneven(2*seed, 20, 80, 30, 120, 45, 60, 25, 90)
		r := analyze(t, Input{Frames: frames, Episode: episode, Models: []Encoded{{Name: "a", Latents: latents}}},
			Options{K: []int{5}, Permutations: 10, Settings: analysis.Settings{Seed: seed}})
		n := r.Models[0].ByK[0].NullInTime
		above = append(above, n.Cut.Trustworthiness.Float()-n.TrustworthinessMean.Float())
	}
	if mean, se := stat.Mean(above), stat.StandardDeviation(above)/math.Sqrt(8); math.Abs(mean) > 3*se || se > 0.02 {
		t.Errorf("trustworthiness is %v ± %v above its null", mean, se)
	}
}

// Work in units, its parts and its memory have the null of one pass.
func TestNullOfUnequalEpisodes_Units(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "TestWork has the goroutines")
	frames, latents, episode := uneven(5, 150, 90, 130, 110, 170, 100)
	in := Input{Frames: frames, Episode: episode, Models: []Encoded{{Name: "a", Latents: latents},
		{Name: "collapsed", Latents: points.Float32(make([]float32, frames.N), 1)}, {Name: "b", Latents: frames}}}
	open := func(k int) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			o := Options{K: []int{k}, Permutations: 2, Settings: analysis.Settings{Intervals: true, Seed: 5}}
			work, err := Work(in, o)
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	shardtest.Check(t, open(10), resultText(t), open(20))
	if !testing.Short() {
		shardtest.CheckMemory(t, open(10), open(10), resultText(t), 4, 0)
	}
}

// A null that the cut states do not have is undefined, and the scores of all states stay.
func TestNullOfUnequalEpisodes_Undefined(t *testing.T) {
	t.Parallel()
	frames, latents, episode := uneven(3, 4, 4, 4, 4, 4, 60)
	collapsing := points.Float64(make([]float64, frames.N), 1)
	collapsing.F64[frames.N-1] = 1
	in := Input{Frames: frames, Episode: episode,
		Models: []Encoded{{Name: "a", Latents: latents}, {Name: "one", Latents: collapsing}}}
	r := analyze(t, in, Options{K: []int{5}, Permutations: 3})
	if n := r.Models[0].ByK[0].NullInTime; !n.TrustworthinessMean.Defined() || n.Cut.States != 24 {
		t.Errorf("null %+v", n)
	}
	n := r.Models[1].ByK[0].NullInTime
	if n.RNXMean.Defined() || !strings.Contains(n.RNXMean.Reason, "all latents are equal") ||
		!r.Models[1].ByK[0].RNX.Defined() {
		t.Errorf("null %+v of latents that are equal in the cut states", n)
	}
	if !strings.Contains(fmt.Sprint(r.Warnings), "uses 24 of 80 states") {
		t.Errorf("warnings %q", r.Warnings)
	}
	r = analyze(t, in, Options{K: []int{30}, Permutations: 3})
	n = r.Models[0].ByK[0].NullInTime
	warned := strings.Contains(fmt.Sprint(r.Warnings), "no null in the 24 states")
	if n.RNXMean.Defined() || !r.Models[0].ByK[0].RNX.Defined() || !warned {
		t.Errorf("null %+v of more neighbors than cut states; warnings %q", n, r.Warnings)
	}
}
