// Tests that any split of the pairs gives the same bytes.

package smoothness

import (
	"bytes"
	"math"
	"testing"

	"repscope/analysis"
	"repscope/dataset"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// manyPairs is input of several units at two horizons, with a collapsed model.
func manyPairs() Input {
	const n = 1200
	random := stat.NewRandom(stat.NewKey(1, 2))
	frames, latents, episode := make([]float64, 0, 3*n), make([]float32, 0, 2*n), make([]int, n)
	x := [3]float64{}
	for i := range n {
		episode[i] = i / 120
		for k := range x {
			x[k] = 0.9*x[k] + random.Normal()
		}
		frames = append(frames, x[:]...)
		latents = append(latents, float32(math.Tanh(x[0])), float32(x[1]*x[2]))
	}
	in := Input{
		Frames: points.Float64(frames, 3), PixelRange: dataset.PixelRange{Low: -5, High: 5}, Episode: episode,
		Pairs: map[int][]points.Pair{},
		Models: []Encoded{
			{Name: "tanh", Latents: points.Float32(latents, 2)},
			{Name: "collapsed", Latents: points.Float32(make([]float32, n), 1)},
			{Name: "copy", Latents: points.Float64(frames, 3)},
		},
	}
	for _, h := range []int{1, 7} {
		for i := range n - h {
			if episode[i] == episode[i+h] {
				in.Pairs[h] = append(in.Pairs[h], points.Pair{Now: i, Next: i + h})
			}
		}
	}
	return in
}

func TestWork(t *testing.T) {
	t.Parallel()
	open := func(seed uint64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(manyPairs(), Options{Settings: analysis.Settings{Intervals: true, Seed: seed}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	if units := open(1)().Units; units != 3 {
		t.Fatalf("%d units, want 3", units)
	}
	shardtest.Check(t, open(1), asText(t), open(2))
}

// asText is everything that a result holds.
func asText(t *testing.T) func(*Result) []byte {
	return func(r *Result) []byte {
		t.Helper()
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Models {
			if err := report.Encode(&out, []any{m, m.RawDistance, m.Distance, m.Line, m.Ratios}); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
}
