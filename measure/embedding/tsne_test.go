// Layouts of groups of points.

package embedding_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/measure/embedding"
	"repscope/neighbors"
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

// TestTSNEGolden: the divergence that is minimized, and the neighbors that are kept, are scikit-learn's up to the
// minimum that each falls into.
func TestTSNEGolden(t *testing.T) {
	t.Parallel()
	for _, want := range readGolden(t) {
		x := points.Float64(want.X, want.D)
		got, err := embedding.TSNE(context.Background(), x, embedding.TSNEOptions{Perplexity: want.Perplexity})
		if err != nil {
			t.Fatal(err)
		}
		if got.KL > 1.05*want.KL || got.KL < 0.8*want.KL {
			t.Errorf("%s: divergence %.4f, want about %.4f", want.Name, got.KL, want.KL)
		}
		kept, err := neighbors.Compare(context.Background(), x, []points.Points{points.Float64(got.Coordinates, 2)}, neighbors.Options{Ks: []int{10}})
		if err != nil {
			t.Fatal(err)
		}
		if trust := kept[0].ByK[0].Trustworthiness; trust < want.Trustworthiness-0.01 {
			t.Errorf("%s: trustworthiness %.4f, want about %.4f", want.Name, trust, want.Trustworthiness)
		}
	}
}

func TestTSNESameForAnyThreads(t *testing.T) {
	t.Parallel()
	x, _ := blobs(3, 40, 5, 2)
	var first []float64
	for _, threads := range []int{1, 3} {
		got, err := embedding.TSNE(context.Background(), x, embedding.TSNEOptions{Iterations: 60, Neighbors: neighbors.Options{Threads: threads}})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got.Coordinates
		}
		if !slices.Equal(first, got.Coordinates) {
			t.Errorf("another layout on %d threads", threads)
		}
	}
}

// TestTSNEOfDegeneratePoints: few points, duplicates and points along a line have a finite layout.
func TestTSNEOfDegeneratePoints(t *testing.T) {
	t.Parallel()
	few, _ := blobs(2, 2, 3, 1)
	line := make([]float64, 40)
	for i := range line {
		line[i] = float64(i)
	}
	copies, _ := blobs(2, 30, 3, 1)
	copy(copies.F64[3:60*3], slices.Repeat(copies.F64[:3], 50))
	for name, x := range map[string]points.Points{"few": few, "line": points.Float64(line, 1), "copies": copies} {
		got, err := embedding.TSNE(context.Background(), x, embedding.TSNEOptions{Iterations: 200})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range append(got.Coordinates, got.KL) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: %v among the coordinates", name, v)
			}
		}
	}
}

func TestTSNEErrors(t *testing.T) {
	t.Parallel()
	x, _ := blobs(2, 10, 3, 1)
	bad, _ := blobs(2, 10, 3, 1)
	bad.F64[7] = math.NaN()
	for _, c := range []struct {
		pts  points.Points
		o    embedding.TSNEOptions
		want string
	}{
		{x, embedding.TSNEOptions{Perplexity: 20}, "perplexity 20: want above 1 and below the 20 points"},
		{x, embedding.TSNEOptions{Perplexity: 1}, "perplexity 1: want above 1"},
		{x, embedding.TSNEOptions{Exaggeration: 0.5}, "exaggeration 0.5: want at least 1"},
		{x, embedding.TSNEOptions{Rate: -1}, "step size -1: want above 0"},
		{x, embedding.TSNEOptions{Iterations: -1}, "-1 iterations: want at least 1"},
		{bad, embedding.TSNEOptions{}, "point 2, coordinate 1 is NaN"},
		{points.Float64(make([]float64, 30), 3), embedding.TSNEOptions{}, "the points do not vary"},
		{x.Select([]int{0, 1, 2}), embedding.TSNEOptions{}, "3 points, want at least 4"},
	} {
		if _, err := embedding.TSNE(context.Background(), c.pts, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := embedding.TSNE(ctx, x, embedding.TSNEOptions{}); err == nil {
		t.Error("no error from an ended context")
	}
}
