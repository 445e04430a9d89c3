// Stitched models whose outputs follow from a formula: linear layers that hold all, some or none of what another has.

package similarity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// linearRest is y = W·h, for h of as many values as a row of W.
type linearRest struct {
	weights [][]float64
	classes bool
	err     error
	closed  *int
}

func (r *linearRest) Outputs(_ context.Context, values []float32, n int) (points.Points, error) {
	if r.err != nil {
		return points.Points{}, r.err
	}
	size := len(values) / n
	out := make([]float64, 0, n*len(r.weights))
	for i := range n {
		for _, row := range r.weights {
			sum := 0.0
			for k, w := range row {
				sum += w * float64(values[i*size+k])
			}
			out = append(out, sum)
		}
	}
	return points.Float64(out, len(r.weights)), nil
}

func (r *linearRest) Size() int     { return len(r.weights) }
func (r *linearRest) Classes() bool { return r.classes }

func (r *linearRest) Close() error {
	if r.closed != nil {
		*r.closed++
	}
	return nil
}

// stageOf is a layer of a model with outputs by weights.
func stageOf(values []float32, channels int, rest *linearRest, shape ...int) Stage {
	return Stage{Values: values, Shape: shape, Channels: channels, Identity: fmt.Sprint(rest.weights),
		Open: func() (Rest, error) { return rest, nil }}
}

// stitchInput is two models of one layer each, of states in episodes of 20.
func stitchInput(n int, a, b Stage) Input {
	in := Input{Episode: make([]int, n)}
	for i := range n {
		in.Episode[i] = i / 20
	}
	for m, s := range []Stage{a, b} {
		name := string(rune('a' + m))
		one := Encoded{Name: name, Latents: points.Float32(s.Values, points.Size(s.Shape))}
		in.Models = append(in.Models, one)
		in.Layers = append(in.Layers, Layered{
			Name: name, Layers: []Encoded{{Name: "l", Latents: one.Latents}}, Stages: []Stage{s},
		})
	}
	return in
}

// normals are n rows of independent normal numbers.
func normals(n, dim int, seed uint64) []float32 {
	random := stat.NewRandom(stat.NewKey(seed))
	out := make([]float32, n*dim)
	for i := range out {
		out[i] = float32(random.Normal())
	}
	return out
}

// times are rows times a matrix of as many rows as these have values.
func times(x []float32, matrix [][]float64) []float32 {
	var out []float32
	dim, columns := len(matrix), len(matrix[0])
	for i := 0; i < len(x); i += dim {
		for l := range columns {
			sum := 0.0
			for k := range dim {
				sum += float64(x[i+k]) * matrix[k][l]
			}
			out = append(out, float32(sum))
		}
	}
	return out
}

func stitchOptions() Options {
	return Options{Measures: []string{"cka"}, LayerMeasures: []string{"cka"}, Permutations: 39, Stitch: true,
		StitchPermutations: 19, Settings: analysis.Settings{Intervals: true, Seed: 3}}
}

// A layer that holds everything in other coordinates gives the outputs, one that holds two of three independent
// coordinates all but the share of the third, and one that shares nothing the mean.
func TestStitch_Linear(t *testing.T) {
	t.Parallel()
	const n = 2000
	x := normals(n, 3, 1)
	weights := [][]float64{{1, 0, 2}, {0, 1, 1}, {1, 1, 0}, {-1, 0, 1}} // outputs of b by its layer, which is x
	b := func(classes bool) Stage { return stageOf(x, 0, &linearRest{weights: weights, classes: classes}, 3) }
	turned := times(x, [][]float64{{2, 1, 0}, {0, 1, 1}, {1, 0, -3}})
	part := times(x, [][]float64{{1, 0}, {0, 1}, {0, 0}})
	share := (4.0 + 1 + 0 + 1) / (5 + 2 + 2 + 2) // variance of the third coordinate among the outputs
	for what, c := range map[string]struct {
		a         Stage
		low, high float64
		p         float64
	}{
		"all":     {stageOf(turned, 0, &linearRest{weights: weights}, 3), 0, 1e-8, 0.05},
		"some":    {stageOf(part, 0, &linearRest{weights: [][]float64{{1, 0}}}, 2), share - 0.03, share + 0.03, 0.05},
		"nothing": {stageOf(normals(n, 3, 2), 0, &linearRest{weights: weights}, 3), 0.99, 1.02, 1},
	} {
		r := analyzed(t, stitchInput(n, c.a, b(true)), stitchOptions())
		if len(r.Stitches) != 2 {
			t.Fatalf("%d stitches", len(r.Stitches))
		}
		s := r.Stitches[0]
		if s.From != "a" || s.To != "b" || s.LayerFrom != "l" || s.LayerTo != "l" || s.Positions != 1 {
			t.Errorf("%s: %+v", what, s)
		}
		v := s.Error.Value
		if e := v.Float(); !(e >= c.low && e <= c.high) || !(v.CI.Low <= e && e <= v.CI.High) {
			t.Errorf("%s: error %g %v, want %g to %g", what, e, v.CI, c.low, c.high)
		}
		if null := s.Error.Null; null.Permutations != 19 || !(null.P.Float() <= c.p) || !(null.Mean.Float() > 0.98) ||
			c.p < 1 && null.P.Float() != 0.05 || c.p == 1 && null.P.Float() <= 0.05 {
			t.Errorf("%s: null %+v", what, null)
		}
		if e := s.SelfError.Float(); !(e < 1e-8) || s.SelfAgreement.Float() != 1 {
			t.Errorf("%s: b stitched to itself: error %g, agreement %v", what, e, s.SelfAgreement)
		}
		agreement := s.Agreement.Value.Float()
		if what == "all" && agreement != 1 || what == "nothing" && !(agreement < 0.5) ||
			what == "some" && !(agreement > 0.5 && agreement < 1) {
			t.Errorf("%s: agreement %g", what, agreement)
		}
		back := r.Stitches[1].Agreement
		if back.Value.Defined() || !strings.Contains(back.Value.Reason, "not one score for each class") {
			t.Errorf("%s: agreement without classes %+v", what, back)
		}
	}
}

// Channels at the same positions have one map, wherever their axis is, and layers of other shapes a map of all values.
func TestStitch_Positions(t *testing.T) {
	t.Parallel()
	const n, positions = 300, 4
	first := normals(n*positions, 2, 5) // [n, positions, 2]
	turned := times(first, [][]float64{{1, 2}, {-1, 1}})
	second := swapped(turned, positions, 2) // [n, 2, positions]
	weights := [][]float64{{1, 0, 0, 2, 0, -1, 0, 1}, {0, 1, 1, 0, 0, 0, 3, 0}}
	for _, c := range []struct {
		a         Stage
		positions int
	}{
		{stageOf(first, 1, &linearRest{weights: weights}, positions, 2), positions},
		{stageOf(first, 1, &linearRest{weights: weights}, 2, 2, 2), 1},
		{stageOf(first, -1, &linearRest{weights: weights}, positions, 2), 1},
	} {
		b := stageOf(second, 0, &linearRest{weights: weights}, 2, positions)
		if c.a.Shape[0] == 2 {
			c.a.Channels = 2
		}
		in := stitchInput(n, c.a, b)
		if s := analyzed(t, in, stitchOptions()).Stitches[0]; s.Positions != c.positions || !(s.Error.Value.Float() < 1e-8) {
			t.Errorf("%v: %d positions, error %v, want %d", c.a.Shape, s.Positions, s.Error.Value, c.positions)
		}
	}
}

// Many values at other positions are no map.
func TestStitch_Unfit(t *testing.T) {
	t.Parallel()
	const n = 20
	rest := &linearRest{weights: [][]float64{make([]float64, 2*1100)}}
	rest.weights[0][0] = 1
	x := normals(n, 2*1100, 6)
	in := stitchInput(n, stageOf(x, 0, rest, 2, 1100), stageOf(x, 0, rest, 2, 11, 100))
	want := "layers of shapes [2 1100] and [2 11 100] do not fit"
	if s := analyzed(t, in, stitchOptions()).Stitches[0]; !strings.Contains(s.Error.Value.Reason, want) {
		t.Errorf("reason %q, want %q", s.Error.Value.Reason, want)
	}
}

// What cannot be stitched has a reason, and a rest is closed as often as it is opened.
func TestStitch_Reasons(t *testing.T) {
	t.Parallel()
	const n = 60
	x := normals(n, 3, 7)
	good := &linearRest{weights: [][]float64{{1, 0, 2}}, closed: new(int)}
	opened := 0
	for reason, change := range map[string]func(s *Stage){
		"no frames": func(s *Stage) { s.Open = func() (Rest, error) { return nil, errors.New("no frames") } },
		"the outputs are too large": func(s *Stage) {
			s.Open = func() (Rest, error) { return &linearRest{err: errors.New("the outputs are too large")}, nil }
		},
		"the outputs of the model are constant": func(s *Stage) {
			s.Open = func() (Rest, error) { return &linearRest{weights: [][]float64{{0, 0, 0}}}, nil }
		},
	} {
		b := stageOf(x, 0, good, 3)
		change(&b)
		a := stageOf(x, 0, good, 3)
		open := a.Open
		a.Open = func() (Rest, error) { opened++; return open() }
		r := analyzed(t, stitchInput(n, a, b), stitchOptions())
		s := r.Stitches[0]
		if s.Error.Value.Defined() || !strings.Contains(s.Error.Value.Reason, reason) || s.Agreement.Value.Defined() {
			t.Errorf("%s: %+v", reason, s)
		}
		if !r.Stitches[1].Error.Value.Defined() {
			t.Errorf("%s: the other direction: %v", reason, r.Stitches[1].Error.Value.Reason)
		}
	}
	if *good.closed != opened {
		t.Errorf("closed %d times, opened %d times", *good.closed, opened)
	}
	o := stitchOptions()
	o.Memory = 1000
	one := analyzed(t, stitchInput(n, stageOf(x, 0, good, 3), stageOf(x, 0, good, 3)), o).Stitches[1]
	if s := one; !strings.Contains(s.Error.Value.Reason, "more than the 1 kB of --memory") {
		t.Errorf("without memory: %q", s.Error.Value.Reason)
	}
	large := &linearRest{weights: make([][]float64, 1<<20), classes: true}
	o.Memory = 1 << 20
	wide := analyzed(t, stitchInput(n, stageOf(x, 0, good, 3), stageOf(x, 0, large, 3)), o).Stitches[0]
	if s := wide; !strings.Contains(s.Error.Value.Reason, "outputs of 1048576 values of 60 states need") {
		t.Errorf("outputs without memory: %q", s.Error.Value.Reason)
	}
	if few := one.SelfError; few.Defined() {
		t.Errorf("without memory: stitched to itself %v", few)
	}
	few := analyzed(t, stitchInput(n, stageOf(x, 0, good, 3), stageOf(x, 0, good, 3)), stitchOptions()).Stitches[1].Error
	if few.Value.CI.Defined() || few.Value.CI.Reason != "intervals of stitched models need 6 episodes" {
		t.Errorf("an interval of 3 episodes: %v", few.Value.CI)
	}
	short := stitchInput(n, stageOf(x[3:], 0, good, 3), stageOf(x, 0, good, 3))
	short.Layers[0].Layers[0].Latents = points.Float32(x, 3)
	short.Models[0].Latents = points.Float32(x, 3)
	_, err := Analyze(t.Context(), short, o)
	if err == nil || !strings.Contains(err.Error(), "177 values of shape [3], want 180") {
		t.Errorf("too few values: %v", err)
	}
}

// Episodes of unequal lengths are cut for the null alone; the score of the cut states is the score of a run of them.
func TestStitch_Unequal(t *testing.T) {
	t.Parallel()
	const n = 200
	x := normals(n, 2, 9)
	z := slices.Clone(x)
	for i, v := range normals(n, 2, 10) {
		z[i] += v
	}
	in := stitchInput(n, stageOf(z, 0, &linearRest{weights: [][]float64{{1, 0}}}, 2),
		stageOf(x, 0, &linearRest{weights: [][]float64{{1, 1}, {2, 0}}}, 2))
	for i := range in.Episode {
		in.Episode[i] = min(i/18, 9)
	}
	s := analyzed(t, in, stitchOptions()).Stitches[0]
	if s.Error.Null.States != 180 || s.Error.Null.Value == s.Error.Value.Value || !s.Error.Value.CI.Defined() {
		t.Errorf("error %+v, null %+v", s.Error.Value, s.Error.Null)
	}
}

func TestShards_Stitch(t *testing.T) {
	t.Parallel()
	open := func(seed uint64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			x := normals(100, 3, seed)
			rest := &linearRest{weights: [][]float64{{1, 0, 2}, {0, 1, 0}}, classes: true}
			a, b := stageOf(normals(100, 3, seed+1), 0, rest, 3), stageOf(x, 0, rest, 3)
			work, err := Work(stitchInput(100, a, b), stitchOptions())
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := func(r *Result) []byte {
		var out []byte
		for _, s := range r.Stitches {
			out = append(out, encoded(t, s)...)
		}
		return out
	}
	shardtest.Check(t, open(11), text, open(13))
}

func encoded(t *testing.T, s Stitch) []byte {
	var out strings.Builder
	if err := report.Encode(&out, s); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String())
}

// Fronts are compared by the model that they are stitched to: one that has all of its layer is better than one that has
// a part. Their values are the errors and agreements of the stitched models.
func TestStitch_Reference(t *testing.T) {
	t.Parallel()
	const n = 400
	x := normals(n, 3, 1)
	rest := &linearRest{weights: [][]float64{{1, 0, 2}, {0, 1, 1}, {1, 1, 0}}, classes: true}
	turned := times(x, [][]float64{{2, 1, 0}, {0, 1, 1}, {1, 0, -3}})
	part := times(x, [][]float64{{1, 0}, {0, 1}, {0, 0}})
	in := stitchInput(n, stageOf(turned, 0, rest, 3), stageOf(x, 0, rest, 3))
	third := stitchInput(n, stageOf(part, 0, &linearRest{weights: [][]float64{{1, 0}}}, 2), stageOf(x, 0, rest, 3))
	third.Models[0].Name, third.Layers[0].Name = "c", "c"
	in.Models, in.Layers = append(in.Models, third.Models[0]), append(in.Layers, third.Layers[0])
	o := stitchOptions()
	o.Reference = "b"
	r := analyzed(t, in, o)
	for _, s := range r.Stitches {
		if s.To != "b" {
			continue
		}
		m := slices.IndexFunc(r.Models, func(m Model) bool { return m.Name == s.From })
		entered, _ := r.Models[m].Reference.Get("stitch_error")
		if got, ok := entered.(report.Estimate); !ok || got.Float() != s.Error.Value.Float() {
			t.Errorf("%s: %v, want %v", s.From, entered, s.Error.Value)
		}
	}
	found := 0
	for _, c := range r.Comparisons {
		want := map[string]float64{"reference.stitch_error": -1, "reference.stitch_agreement": 1}[c.Metric]
		if want == 0 {
			continue
		}
		found++
		if c.A != "a" || c.B != "c" || !(want*c.Difference.Float() > 0.1) || !(c.P.Float() < 0.01) {
			t.Errorf("%+v", c)
		}
	}
	if found != 2 {
		t.Errorf("%d comparisons of stitched models, want 2", found)
	}
}
