// Tests that any split of the models gives the same bytes.

package manifold

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
			work, err := Work(Input{Models: models}, Options{Intervals: true, Seed: 4, Estimator: estimator})
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
		return out.Bytes()
	}
	shardtest.Check(t, open(EstimatorMLE), text, open(EstimatorFit))
}
