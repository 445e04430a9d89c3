// Tests that any split of the models gives the same bytes.

package manifold

import (
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

func TestWork(t *testing.T) {
	t.Parallel()
	const n = 300
	random := stat.NewRandom(stat.NewKey(9))
	cloud := func(dim int) points.Points {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(random.Normal())
		}
		return points.Float32(data, dim)
	}
	models := []Encoded{
		{Name: "three", Latents: cloud(3)}, {Name: "collapsed", Latents: points.Float32(make([]float32, 2*n), 2)},
		{Name: "eight", Latents: cloud(8)}, {Name: "line", Latents: cloud(1)},
	}
	open := func(estimator Estimator) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(Input{Models: models}, Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, Estimator: estimator})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := shardtest.Encoded[*Result](t)
	shardtest.Check(t, open(EstimatorMLE), text, open(EstimatorFit))
}

// A study remembers models by their content: of renamed ones and of those beside a new one nothing is measured again.
func TestMemory(t *testing.T) {
	t.Parallel()
	const n = 300
	random := stat.NewRandom(stat.NewKey(9))
	cloud := func(dim int) points.Points {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(random.Normal())
		}
		return points.Float32(data, dim)
	}
	three, eight, line, none := cloud(3), cloud(8), cloud(1), points.Float32(make([]float32, 2*n), 2)
	episode := make([]int, n)
	for i := range episode {
		episode[i] = i / 25
	}
	open := func(tolerance float64, models ...Encoded) func() shard.Work[*Part, *Result] {
		return func() shard.Work[*Part, *Result] {
			work, err := Work(Input{Models: models, Episode: episode}, Options{Settings: analysis.Settings{Intervals: true, Seed: 4}, DuplicateTolerance: tolerance})
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
	}
	text := shardtest.Encoded[*Result](t)
	before := open(1e-7, Encoded{Name: "a", Latents: three}, Encoded{Name: "b", Latents: eight}, Encoded{Name: "collapsed", Latents: none})
	models := []Encoded{{Name: "renamed", Latents: eight}, {Name: "new", Latents: line}, {Name: "a", Latents: three}, {Name: "dead", Latents: none}}
	shardtest.CheckMemory(t, before, open(1e-7, models...), text, 3, 1)
	shardtest.CheckMemory(t, before, open(1e-3, models...), text, 0, 4)
}
