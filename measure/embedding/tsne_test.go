// Layouts of groups of points.

package embedding_test

import (
	"context"
	"testing"

	"repscope/measure/embedding"
	"repscope/points"
	"repscope/stat"
)

// blobs are groups of points [groups·size, dim] about random centers.
func blobs(groups, size, dim int, seed uint64) (points.Points, []int) {
	r := stat.NewRandom(stat.StreamSample.Key(seed))
	var x []float64
	var of []int
	for g := range groups {
		center := make([]float64, dim)
		for k := range center {
			center[k] = 6 * r.Normal()
		}
		for range size {
			for _, c := range center {
				x = append(x, c+r.Normal())
			}
			of = append(of, g)
		}
	}
	return points.Float64(x, dim), of
}

func TestTSNEKeepsGroups(t *testing.T) {
	t.Parallel()
	x, of := blobs(4, 30, 10, 1)
	found, err := embedding.TSNE(context.Background(), x, embedding.TSNEOptions{Perplexity: 10, Iterations: 400})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range of {
		best, group := 0.0, -1
		for j := range of {
			dx, dy := found.Coordinates[2*i]-found.Coordinates[2*j], found.Coordinates[2*i+1]-found.Coordinates[2*j+1]
			if d := dx*dx + dy*dy; j != i && (group < 0 || d < best) {
				best, group = d, of[j]
			}
		}
		if group != of[i] {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d points lie beside a point of another group", wrong, len(of))
	}
}
