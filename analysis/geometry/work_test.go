// Tests that any split of the models gives the same bytes.

package geometry

import (
	"bytes"
	"testing"

	"repscope/analysis"
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
			work, err := Work(in, Options{Settings: analysis.Settings{Intervals: true, Seed: seed}, Clusters: []int{2, 4}, Neighbors: []int{1, 5}})
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

// A study remembers models by their content: of renamed ones and of those beside a new one nothing is measured again,
// but the similarities of all.
func TestMemory(t *testing.T) {
	t.Parallel()
	const n = 240
	random := stat.NewRandom(stat.NewKey(9))
	cloud := func(dim int) points.Points {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(random.Normal())
		}
		return points.Float32(data, dim)
	}
	three, eight, five, none := cloud(3), cloud(8), cloud(5), points.Float32(make([]float32, 2*n), 2)
	episode, labels := make([]int, n), make([]int64, n)
	for i := range n {
		episode[i], labels[i] = i/20, int64(i/7%3)
	}
	open := func(seed uint64, models ...Encoded) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(Input{Models: models, Episode: episode, Labels: labels}, Options{Settings: analysis.Settings{Intervals: true, Seed: seed}, Clusters: []int{2}, Neighbors: []int{1}})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := shardtest.Encoded[*Result](t)
	before := open(1, Encoded{Name: "a", Latents: three}, Encoded{Name: "b", Latents: eight}, Encoded{Name: "collapsed", Latents: none})
	models := []Encoded{{Name: "renamed", Latents: eight}, {Name: "new", Latents: five}, {Name: "a", Latents: three}, {Name: "dead", Latents: none}}
	shardtest.CheckMemory(t, before, open(1, models...), text, 5, 5)
	shardtest.CheckMemory(t, before, open(2, models...), text, 0, 10)
}
