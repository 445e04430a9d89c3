// Tests of the analysis: made samples, what is wrong with an input, and what is skipped.

package generation

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// made are n grids of cells by channels, of which each has so many cells set, drawn by a seed;
// labels are 0 … classes−1 in turn.
func made(seed uint64, n, channels, cells, set, classes int) *Samples {
	random := stat.NewRandom(stat.NewKey(seed))
	s := &Samples{Name: "made", Shape: []int{channels, cells}, Labels: make([]int, n)}
	rows := make([]uint8, n*channels*cells)
	for i := range n {
		s.Labels[i] = i % classes
		chosen, err := random.SampleWithoutReplacement(channels*cells, set)
		if err != nil {
			panic(err)
		}
		for _, c := range chosen {
			rows[i*channels*cells+c] = 1
		}
	}
	s.Rows = points.Uint8(rows, channels*cells)
	return s
}

// pairsOf are samples beside probabilities that find each cell with some error.
func madePairs(seed uint64, s *Samples, noise float64) *Pairs {
	random := stat.NewRandom(stat.NewKey(seed))
	probability := make([]float64, len(s.Rows.U8))
	for i, v := range s.Rows.U8 {
		probability[i] = min(max(float64(v)+noise*random.Normal(), 0), 1)
	}
	dim := s.Rows.Dim
	return &Pairs{Name: "pairs", N: s.N(), Shape: s.Shape, Labels: s.Labels, Digest: string(rune('a' + seed)),
		Read: func(_ context.Context, original, found []float64, lo, hi int) error {
			for i, v := range s.Rows.U8[lo*dim : hi*dim] {
				original[i] = float64(v)
			}
			copy(found, probability[lo*dim:hi*dim])
			return nil
		}}
}

// madePredictions are labels found with an error of at most one.
func madePredictions(seed uint64, n, classes int) *Predictions {
	random := stat.NewRandom(stat.NewKey(seed))
	p := &Predictions{Name: "predictions"}
	for i := range n {
		p.Target = append(p.Target, i%classes)
		p.Predicted = append(p.Predicted, min(max(i%classes+random.Intn(3)-1, 0), classes-1))
	}
	return p
}

// madeInput has two generators with all inputs but latents.
func madeInput() Input {
	real := made(1, 60, 2, 12, 5, 3)
	in := Input{Real: real, RealPredictions: madePredictions(9, 90, 3), LabelNames: map[int]string{0: "easy", 1: "middle", 2: "hard"}}
	for k, name := range []string{"a", "b"} {
		seed := uint64(2 + 3*k)
		in.Generators = append(in.Generators, Generator{Name: name, Generated: made(seed, 45, 2, 12, 4+k, 3), Reconstruction: madePairs(seed+1, real, 0.3+0.2*float64(k)),
			Predictions: madePredictions(seed+2, 45, 3)})
	}
	return in
}

func analyzed(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// written is all that a result says.
func written(r *Result) []byte {
	models, err := shard.Encode(r.Models)
	if err != nil {
		panic(err)
	}
	out := bytes.NewBuffer(models)
	if err := report.Encode(out, r.Comparisons); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Results do not depend on the number of threads.
func TestThreads(t *testing.T) {
	t.Parallel()
	one := written(analyzed(t, madeInput(), Options{Settings: analysis.Settings{Intervals: true, Threads: 1, Seed: 7}}))
	if three := written(analyzed(t, madeInput(), Options{Settings: analysis.Settings{Intervals: true, Threads: 3, Seed: 7}})); !bytes.Equal(one, three) {
		t.Error("another number of threads makes other bytes")
	}
}

// What is wrong with an input is an error that says what.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	type change func(in *Input)
	for want, do := range map[string]change{
		"no generators to evaluate":                  func(in *Input) { in.Generators = nil },
		`two generators are named "a"`:               func(in *Input) { in.Generators[1].Name = "a" },
		"b: no input is given for it":                func(in *Input) { in.Generators[1] = Generator{Name: "b"} },
		"has labels, but made has none: give both":   func(in *Input) { in.Real.Labels = nil },
		"has no labels, but made has: give both":     func(in *Input) { in.Generators[0].Generated.Labels = nil },
		"a: generated: made contains grids of shape": func(in *Input) { in.Generators[0].Generated = made(3, 20, 3, 8, 2, 3) },
		"generated: made: cell 3 of sample 2 is 7":   func(in *Input) { in.Generators[0].Generated.Rows.U8[2*24+3] = 7 },
		"generated: made contains no samples":        func(in *Input) { in.Generators[0].Generated.Rows = points.Uint8(nil, 24) },
		"made contains rows of numbers, but made contains grids": func(in *Input) {
			g := in.Generators[0].Generated
			g.Shape, g.Rows = nil, points.Float64(make([]float64, 45*24), 24)
		},
		"44 labels for 45 samples": func(in *Input) { g := in.Generators[0].Generated; g.Labels = g.Labels[:44] },
		"z: [1,0] is NaN, want a finite number": func(in *Input) {
			in.Generators[0].Latents = &Latents{Name: "z", Points: points.Float64([]float64{1, 2, nan(), 4}, 2)}
		},
		"2 predictions for 45 targets":           func(in *Input) { p := in.Generators[0].Predictions; p.Predicted = p.Predicted[:2] },
		"hold-out samples need real samples too": func(in *Input) { in.HoldOut, in.Real = in.Real, nil },
	} {
		in := madeInput()
		do(&in)
		if _, err := Analyze(t.Context(), in, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for want, o := range map[string]Options{
		`unknown metric "iou"; the metrics are reconstruction, diversity, similarity (statistical), clusters (latent_space), conditioning (grade_conditioning), fidelity`: {Metrics: []string{"iou"}},
		`unknown definition "ours"`:          {Definition: "ours"},
		"want a probability between 0 and 1": {Threshold: 1.5},
	} {
		if _, err := Analyze(t.Context(), madeInput(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", o, err, want)
		}
	}
}

func nan() float64 { return stat.Mean(nil) }

// Aliases choose their metrics, in the order of the registry and each once.
func TestSelect(t *testing.T) {
	t.Parallel()
	got, err := Select([]string{"grade_conditioning", "latent_space", "statistical", "diversity", "similarity"})
	if err != nil || !slices.Equal(got, []string{"diversity", "similarity", "clusters", "conditioning"}) {
		t.Errorf("%v, %v", got, err)
	}
	if all, err := Select(nil); err != nil || !slices.Equal(all, Metrics()) || len(all) != 6 {
		t.Errorf("%v, %v", all, err)
	}
}

// A metric without its input is skipped with what it needs, and nothing of it is 0.
func TestSkipped(t *testing.T) {
	t.Parallel()
	in := madeInput()
	in.Real, in.Generators = nil, in.Generators[:1]
	in.Generators[0].Reconstruction = nil
	r := analyzed(t, in, Options{})
	m := &r.Models[0]
	if m.Reconstruction != nil || m.Similarity != nil || m.Clusters != nil || m.Fidelity != nil || m.Diversity == nil || m.Conditioning == nil {
		t.Errorf("%+v", m)
	}
	for metric, want := range map[string]string{"reconstruction": "needs --reconstruction a=FILE", "similarity": "needs --generated a=FILE and --real FILE", "clusters": "needs --latents a=FILE"} {
		if !slices.Contains(m.Skipped, Skipped{metric, want}) {
			t.Errorf("%s: %v, want %q", metric, m.Skipped, want)
		}
	}
}
