// Scores of halves beside those of the points of each half alone.

package fidelity_test

import (
	"context"
	"flag"
	"math"
	"testing"

	"repscope/measure/fidelity"
	"repscope/points"
	"repscope/stat"
)

// halvesOf are halves of so many points of each kind, in blocks of single points joined.
func halvesOf(t testing.TB, real, generated int) *fidelity.Halves {
	t.Helper()
	single := func(n int) *stat.Blocks {
		b, err := stat.NewBlocks(n, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	h, err := fidelity.NewHalves(single(real), single(generated), 1)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHalves computes the scores of both halves of every split from their points alone.
func TestHalves(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{66, 90}, {7, 8}} {
		x, y := normals(size[0], 3, 0, 1), normals(size[1], 3, 0.5, 2)
		h := halvesOf(t, x.N, y.N)
		ks := []int{3, 1}
		if x.N < 10 {
			ks = []int{2}
		}
		found, err := fidelity.PRDC(context.Background(), x, y, fidelity.Options{Ks: ks, Halves: h})
		if err != nil {
			t.Fatal(err)
		}
		for q, k := range ks {
			e := found.ByK[q].Error
			for s, split := range h.Of.Splits() {
				for half := range 2 {
					alone, err := fidelity.PRDC(context.Background(), halfOf(x, h.Real, split, half == 0), halfOf(y, h.Generated, split, half == 0),
						fidelity.Options{Ks: []int{k}})
					if err != nil {
						t.Fatal(err)
					}
					want := alone.ByK[0].Scores
					at := func(v *stat.Jackknifed) float64 {
						if half == 0 {
							return v.Halves.First[s]
						}
						return v.Halves.Second[s]
					}
					got := fidelity.Scores{Precision: at(e.Precision), Recall: at(e.Recall), Density: at(e.Density), Coverage: at(e.Coverage)}
					if math.Abs(got.Density-want.Density) > 1e-12 || got.Precision != want.Precision || got.Recall != want.Recall || got.Coverage != want.Coverage {
						t.Fatalf("split %d, half %d, k = %d: %+v, want %+v", s, half, k, got, want)
					}
				}
			}
		}
	}
}

func halfOf(p points.Points, block []int, split []bool, first bool) points.Points {
	var index []int
	for i, b := range block {
		if split[b] == first {
			index = append(index, i)
		}
	}
	return p.Select(index)
}

var draws = flag.Int("draws", 0, "draws of TestIntervals; 0: a few")

// TestIntervals draws real and generated points anew and counts how often intervals hold the mean score of such
// draws, and how often those of the difference of two equally good generators hold 0.
func TestIntervals(t *testing.T) {
	t.Parallel()
	n := *draws
	if n == 0 {
		n = 40
	}
	const size, dim = 150, 4
	type held struct {
		name   string
		values []float64
		all    []*stat.Jackknifed
		zero   int
	}
	scores := []held{{name: "precision"}, {name: "recall"}, {name: "density"}, {name: "coverage"}}
	for d := range uint64(n) {
		x := normals(size, dim, 0, 3*d)
		var errs [2]*fidelity.Errors
		for g := range errs {
			y := normals(size, dim, 0.5, 3*d+1+uint64(g))
			found, err := fidelity.PRDC(context.Background(), x, y, fidelity.Options{Ks: []int{5}, Halves: halvesOf(t, x.N, y.N)})
			if err != nil {
				t.Fatal(err)
			}
			errs[g] = found.ByK[0].Error
		}
		of := func(e *fidelity.Errors) []*stat.Jackknifed {
			return []*stat.Jackknifed{e.Precision, e.Recall, e.Density, e.Coverage}
		}
		for s, v := range of(errs[0]) {
			scores[s].values, scores[s].all = append(scores[s].values, v.Estimate), append(scores[s].all, v)
			c, err := stat.Compare(v, of(errs[1])[s], stat.CompareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Interval.Low <= 0 && c.Interval.High >= 0 {
				scores[s].zero++
			}
		}
	}
	for _, s := range scores {
		mean, holding, width := stat.Mean(s.values), 0, 0.0
		for _, v := range s.all {
			if v.Interval.Low <= mean && mean <= v.Interval.High {
				holding++
			}
			width += v.StdError / float64(n)
		}
		t.Logf("%s %.3f: sd %.4f, standard error %.4f; of %d intervals %d hold it, differences %d hold 0",
			s.name, mean, stat.StandardDeviation(s.values), width, n, holding, s.zero)
		if holding < n*80/100 || s.zero < n*80/100 {
			t.Errorf("%s: of %d intervals %d hold the mean, of differences %d hold 0", s.name, n, holding, s.zero)
		}
	}
}
