// Tests that any split of the models gives the same bytes.

package geometry

import (
	"bytes"
	"testing"

	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

func TestWork(t *testing.T) {
	t.Parallel()
	const n = 240
	random := stat.NewRandom(stat.NewKey(9))
	walk := func(dim int) points.Points {
		data := make([]float32, n*dim)
		for i := range data {
			if i >= dim {
				data[i] = 0.8 * data[i-dim]
			}
			data[i] += float32(random.Normal())
		}
		return points.Float32(data, dim)
	}
	in := Input{
		Episode: make([]int, n), Labels: make([]int64, n),
		Models: []Encoded{
			{Name: "three", Latents: walk(3)}, {Name: "collapsed", Latents: points.Float32(make([]float32, 2*n), 2)},
			{Name: "eight", Latents: walk(8)},
		},
	}
	for i := range n {
		in.Episode[i], in.Labels[i] = i/30, int64(i/7%3)
	}
	open := func(seed uint64) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(in, Options{Intervals: true, Clusters: []int{2, 4}, Neighbors: []int{1, 5}, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := func(r *Result) []byte {
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Models {
			if err := report.Encode(&out, []any{m, m.StepLengths, m.SilhouetteOf, m.GroupOf}); err != nil {
				t.Fatal(err)
			}
		}
		return out.Bytes()
	}
	shardtest.Check(t, open(1), text, open(2))
}
