// Tests of layers: the best pair and its null against the scores of single pairs, the path against all paths, layers
// without scores, any split of the work.

package similarity

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
)

// layeredWalks are two models with two and three layers. Layer 1 of a and layer 2 of b are alike.
func layeredWalks(seed uint64) Input {
	in := walks(seed)
	layer := func(name string, m int) Encoded { return Encoded{Name: name, Latents: in.Models[m].Latents} }
	other, third := walks(seed+100), walks(seed+200)
	in.Layers = []Layered{
		{Name: "a", Layers: []Encoded{{Name: "first", Latents: other.Models[0].Latents}, layer("second", 0)}},
		{Name: "b", Layers: []Encoded{layer("conv", 1), {Name: "norm", Latents: third.Models[0].Latents}, layer("head", 2)}},
	}
	return in
}

func TestLayers(t *testing.T) {
	t.Parallel()
	in := layeredWalks(5)
	o := Options{
		Measures: []string{"cka"}, LayerMeasures: []string{"cka_debiased", "shape_angle", "mutual_knn"}, K: []int{4},
		Permutations: 39, Settings: analysis.Settings{Seed: 3},
	}
	r := analyzed(t, in, o)
	if len(r.Layers) != 3 {
		t.Fatalf("%d scores of layers", len(r.Layers))
	}
	single := o
	single.Measures = o.LayerMeasures
	for _, p := range r.Layers {
		if p.Best.LayerA != "second" || p.Best.LayerB != "head" {
			t.Errorf("%s: the best pair is %s and %s", p.Score, p.Best.LayerA, p.Best.LayerB)
		}
		if p.Best.Null.P.Float() != 1.0/40 || p.At(1, 2).Null.PBest != p.Best.Null.P {
			t.Errorf("%s: p of the best pair is %v", p.Score, p.Best.Null.P)
		}
		if m := p.MatchesB[2]; m.Layer != "head" || m.Best != "second" || m.Value != p.Best.Value {
			t.Errorf("%s: %v", p.Score, m)
		}
		higher := p.Score != "shape_angle"
		for i, a := range in.Layers[0].Layers {
			for j, b := range in.Layers[1].Layers {
				alone := analyzed(t, Input{Episode: in.Episode, Models: []Encoded{
					{Name: "x", Latents: a.Latents}, {Name: "y", Latents: b.Latents},
				}}, single).Pairs[0].Score(p.Score)
				cell := p.At(i, j)
				if math.Abs(cell.Value.Float()-alone.Null.Value.Float()) > 1e-12 || cell.Null.P != alone.Null.P ||
					math.Abs(cell.Null.Mean.Float()-alone.Null.Mean.Float()) > 1e-12 {
					t.Errorf("%s of %s and %s: %v, want %v", p.Score, a.Name, b.Name, cell, alone.Null)
				}
				if cell.Null.PBest.Float() < cell.Null.P.Float() {
					t.Errorf("%s of %s and %s: p is %v, with the search %v", p.Score, a.Name, b.Name, cell.Null.P,
						cell.Null.PBest)
				}
				if best := p.Best.Null.Mean.Float(); higher && best < cell.Null.Mean.Float() ||
					!higher && best > cell.Null.Mean.Float() {
					t.Errorf("%s: the mean of the best pairs is %v, of a pair %v", p.Score, best, cell.Null.Mean)
				}
			}
		}
		if first, last := p.Path[0], p.Path[len(p.Path)-1]; first != (LayerStep{"first", "conv"}) ||
			last != (LayerStep{"second", "head"}) {
			t.Errorf("%s: the path is %v", p.Score, p.Path)
		}
	}
}

// A constant layer has no scores, and the others keep theirs.
func TestLayers_Constant(t *testing.T) {
	t.Parallel()
	in := layeredWalks(6)
	n := in.Models[0].Latents.N
	in.Layers[1].Layers[0].Latents = points.Float64(slices.Repeat([]float64{2}, n), 1)
	o := Options{Measures: []string{"cka"}, LayerMeasures: []string{"cka"}, Permutations: 19}
	p := analyzed(t, in, o).Layers[0]
	reason := in.Layers[1].Name + ", layer " + p.LayersB[0] + ": the points are constant"
	if p.At(0, 0).Value.Defined() || p.At(0, 0).Value.Reason != reason || !p.At(0, 1).Value.Defined() {
		t.Errorf("scores %v, %v", p.At(0, 0), p.At(0, 1))
	}
	if !p.Best.Value.Defined() || p.MatchesB[0].Value.Defined() {
		t.Errorf("best %v, match of a constant layer %v", p.Best, p.MatchesB[0])
	}
	o.Permutations = 0
	if p = analyzed(t, in, o).Layers[0]; p.Best.Null != nil || !p.Best.Value.Defined() {
		t.Errorf("without a null: %v", p.Best)
	}
	in.Layers[0].Layers[0].Latents = points.Float64(make([]float64, n-1), 1)
	if _, err := Analyze(t.Context(), in, o); err == nil {
		t.Error("layers of another number of states are accepted")
	}
}

// The path has the least sum of all paths.
func TestMatchingPath(t *testing.T) {
	t.Parallel()
	distances := [][]float64{{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}}
	distance := func(i, j int) float64 { return distances[i][j] }
	var least func(i, j int) float64
	least = func(i, j int) float64 {
		switch {
		case i < 0 || j < 0:
			return math.Inf(1)
		case i+j == 0:
			return distance(0, 0)
		}
		return distance(i, j) + min(least(i-1, j-1), least(i-1, j), least(i, j-1))
	}
	sum := 0.0
	path := matchingPath(3, 4, distance)
	for k, step := range path {
		sum += distance(step[0], step[1])
		if k > 0 {
			if u, v := step[0]-path[k-1][0], step[1]-path[k-1][1]; u < 0 || v < 0 || u > 1 || v > 1 || u+v == 0 {
				t.Errorf("step %d goes from %v to %v", k, path[k-1], step)
			}
		}
	}
	if want := least(2, 3); sum != want || path[0] != [2]int{0, 0} || path[len(path)-1] != [2]int{2, 3} {
		t.Errorf("path %v of length %v, want %v", path, sum, want)
	}
	if got := matchingPath(1, 1, distance); len(got) != 1 {
		t.Errorf("path %v", got)
	}
}

func TestShards_Layers(t *testing.T) {
	t.Parallel()
	open := func(seed uint64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(layeredWalks(seed), Options{Measures: []string{"cka"}, Permutations: 9})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := func(r *Result) []byte {
		var out bytes.Buffer
		for _, p := range r.Layers {
			if err := report.Encode(&out, p); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
	shardtest.Check(t, open(7), text, open(8))
}
