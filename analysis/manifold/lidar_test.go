// LiDAR of views and of groups: closed forms, scales, and what has none.

package manifold

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// noisy are views of latents: noise of standard deviation sd in every coordinate.
func noisy(models []Encoded, sd float64) func(context.Context, int, int) (points.Points, error) {
	return func(_ context.Context, model, view int) (points.Points, error) {
		z := models[model].Latents
		random := stat.NewRandom(stat.NewKey(77, uint64(view)))
		out, row := make([]float64, 0, z.N*z.Dim), make([]float64, z.Dim)
		for i := range z.N {
			for _, v := range z.Row(i, row) {
				out = append(out, v+sd*random.Normal())
			}
		}
		return points.Float64(out, z.Dim), nil
	}
}

// Equal variances inside: the rank is the effective rank of the variances between.
func TestLiDAR_Views(t *testing.T) {
	t.Parallel()
	z := normal(400, 6, 12)
	for i := range z.F64 {
		if i%6 >= 3 {
			z.F64[i] *= 1e-3
		}
	}
	models := []Encoded{{Name: "three", Latents: z}, {Name: "flat", Latents: points.Float64(make([]float64, 4*400), 4)}}
	in := Input{Models: models, View: noisy(models, 0.05)}
	result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true}, Views: 8, LiDARDelta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	l := result.Models[0].LiDAR
	if l.Classes != 400 || l.Latents != 3200 || math.Abs(l.Rank.V-3) > 0.1 || math.Abs(l.WithinVariance.V-0.0025*7/8) > 1e-4 || l.Doubt != "" {
		t.Errorf("three directions: %+v", l)
	}
	if ci := l.Rank.CI; !ci.Defined() || ci.Low >= l.Rank.V || ci.High <= l.Rank.V || ci.High > 6 {
		t.Errorf("interval %+v", ci)
	}
	if flat := result.Models[1].LiDAR; flat == nil || flat.Rank.Reason != "the points are constant" || flat.WithinVariance.Defined() {
		t.Errorf("collapsed model: %+v", flat)
	}
	// A large δ hides the noise.
	result, err = Analyze(t.Context(), in, Options{Views: 2, LiDARDelta: 1})
	if err != nil {
		t.Fatal(err)
	}
	if l := result.Models[0].LiDAR; !strings.Contains(l.Doubt, "δ 1 is not small") || l.Rank.CI.Reason != "intervals are off" ||
		!slices.ContainsFunc(result.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "three: LiDAR: δ 1 is not small")
		}) {
		t.Errorf("δ 1: %+v, warnings %q", l, result.Warnings)
	}
}

// Groups have the rank that their latents have as views, whatever their order; without either there is no LiDAR.
func TestLiDAR_Groups(t *testing.T) {
	t.Parallel()
	const states, q, dim = 50, 4, 5
	z := normal(states*q, dim, 3)
	centers := normal(states, dim, 4)
	groups := make([]int64, z.N)
	for i := range z.N {
		groups[i] = int64(i*7%states) - 20
		for k := range dim {
			z.F64[i*dim+k] = 0.3*z.F64[i*dim+k] + centers.F64[i*7%states*dim+k]
		}
	}
	one := []Encoded{{Name: "a", Latents: z}}
	in := Input{Models: one, Groups: groups}
	pieces := stat.BlockSpec{Kind: stat.MovingBlocks, Length: 10}
	result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true, Block: pieces}})
	if err != nil {
		t.Fatal(err)
	}
	l := result.Models[0].LiDAR
	if l == nil || l.Classes != states || l.Latents != states*q || !(l.Rank.V > 4 && l.Rank.V <= dim) || !l.Rank.CI.Defined() {
		t.Errorf("%+v", l)
	}
	if result, err = Analyze(t.Context(), Input{Models: one}, Options{}); err != nil || result.Models[0].LiDAR != nil {
		t.Errorf("without groups: %+v, %v", result.Models[0].LiDAR, err)
	}
	in.Groups = make([]int64, z.N)
	if result, err = Analyze(t.Context(), in, Options{}); err != nil || !strings.Contains(result.Models[0].LiDAR.Rank.Reason, "at least two latents: 1, want at least 2") {
		t.Errorf("one group: %+v, %v", result.Models[0].LiDAR, err)
	}
	none := func(context.Context, int, int) (points.Points, error) {
		return points.Points{}, stat.Undefined("LiDAR", "precomputed latents have no views")
	}
	if result, err = Analyze(t.Context(), Input{Models: one, View: none}, Options{Views: 2}); err != nil || result.Models[0].LiDAR.Rank.Reason != "precomputed latents have no views" {
		t.Errorf("without an encoder: %+v, %v", result.Models[0].LiDAR, err)
	}
	short := func(context.Context, int, int) (points.Points, error) { return normal(3, dim, 1), nil }
	for want, in := range map[string]Input{
		"view 0: 3 latents of 5 dimensions, want 200 of 5": {Models: one, View: short},
		"2 views, but no way to encode them":               {Models: one},
	} {
		if _, err := Analyze(t.Context(), in, Options{Views: 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Analyze(t.Context(), Input{Models: one, Groups: groups[:9]}, Options{}); err == nil || !strings.Contains(err.Error(), "9 groups for 200 latents") {
		t.Errorf("error %v", err)
	}
}

// Any split of the models gives the same bytes; views of another encoder are another analysis.
func TestLiDAR_Work(t *testing.T) {
	t.Parallel()
	models := []Encoded{{Name: "a", Latents: normal(80, 3, 1)}, {Name: "b", Latents: normal(80, 4, 2)}, {Name: "flat", Latents: points.Float64(make([]float64, 160), 2)}}
	open := func(content string) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(Input{Models: models, View: noisy(models, 0.1), Content: []string{"x", content, "z"}},
				Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, Views: 3})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := shardtest.Encoded[*Result](t)
	shardtest.Check(t, open("y"), text, open("other"))
}
