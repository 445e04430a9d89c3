// Tests that deletions are the label consistency of the points that are left.

package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/stat"
)

func TestLabelConsistencyWithout(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	const n, dim = 150, 3
	x := measuretest.Normal(random, n, dim)
	labels, episode := make([]int64, n), make([]int, n)
	for i := range n {
		for k := range dim { // paths, whose neighbors are often of one block
			if i > 0 {
				x.F64[i*dim+k] = 0.9*x.F64[(i-1)*dim+k] + 0.3*x.F64[i*dim+k]
			}
		}
		if x.F64[i*dim] > 0 {
			labels[i]++
		}
		episode[i] = i / 25
	}
	p, blocks := NewPartition(labels), episodes(t, n, 4)
	ks := []int{1, 5, 40}
	distance := func(i int, j int32) float64 {
		return matrix.SquaredDistance(x.F64[i*dim:(i+1)*dim], x.F64[int(j)*dim:int(j+1)*dim])
	}
	apart := make([]int, n) // times with gaps
	for i := range apart {
		apart[i] = i + 2*(i/3)
	}
	for at, window := range []int{0, 3, 0, 3, 3} {
		if at == 2 { // points on a grid, with copies
			for i, v := range x.F64 {
				x.F64[i] = math.Round(v)
			}
		}
		o := neighbors.Options{ExcludeWindow: window, Episode: episode, Threads: 2}
		time := func(i int) int { return i }
		if at == 4 {
			o.Time, time = apart, func(i int) int { return apart[i] }
		}
		got, err := LabelConsistencyWithout(t.Context(), x, p, ks, blocks, o)
		if err != nil {
			t.Fatal(err)
		}
		full, _, err := LabelConsistency(t.Context(), x, p, ks, o)
		if err != nil {
			t.Fatal(err)
		}
		for b := range blocks.Count() {
			var index []int
			for i, label := range blocks.Labels() {
				if label != b {
					index = append(index, i)
				}
			}
			for q, k := range ks {
				correct, purity := 0.0, 0.0
				for _, i := range index {
					list := plainNeighbors(x.F64, dim, i, index, func(j int) bool {
						return episode[i] == episode[j] && max(time(i)-time(j), time(j)-time(i)) <= window
					})
					run := make([]int32, len(list))
					for at := range run {
						run[at] = int32(at)
						if at > 0 && distance(i, list[at]) == distance(i, list[at-1]) {
							run[at] = run[at-1]
						}
					}
					a, s := newVoter(p, newLogFactorials(n)).vote(p.Of[i], list, run, k)
					correct, purity = correct+a/float64(len(index)), purity+s/float64(len(index))
				}
				measuretest.Near(t, "accuracy", got[q].Correct[b], correct, 1e-12)
				measuretest.Near(t, "purity", got[q].Purity[b], purity, 1e-12)
				measuretest.Near(t, "moves of the others", stat.Sum(got[q].PurityPairs[b])*n, purity*float64(len(index))-share(full[q].Purity, index), 1e-9)
				measuretest.Near(t, "moves of the others", stat.Sum(got[q].CorrectPairs[b])*n, correct*float64(len(index))-share(full[q].Correct, index), 1e-9)
			}
		}
	}
	// Too few left to choose from.
	two, err := stat.NewBlocks(n, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 75})
	if err != nil {
		t.Fatal(err)
	}
	got, err := LabelConsistencyWithout(t.Context(), x, p, []int{80}, two, neighbors.Options{})
	if err != nil || !math.IsNaN(got[0].Correct[0]) || !math.IsNaN(got[0].Purity[1]) {
		t.Errorf("80 neighbors of 75 points: %v, %v", got, err)
	}
	if _, err := LabelConsistencyWithout(t.Context(), x.Select([]int{1, 2, 3}), p, []int{1}, two, neighbors.Options{}); err == nil {
		t.Error("blocks of another number of points are taken")
	}
}

func share(values []float64, index []int) float64 {
	sum := 0.0
	for _, i := range index {
		sum += values[i]
	}
	return sum
}

// plainNeighbors lists index by distance from point i, equal distances in order.
func plainNeighbors(x []float64, dim, i int, index []int, excluded func(j int) bool) []int32 {
	var list []int32
	var squares []float64
	for _, j := range index {
		if j == i || excluded(j) {
			continue
		}
		square := matrix.SquaredDistance(x[i*dim:(i+1)*dim], x[j*dim:(j+1)*dim])
		at := len(list)
		for at > 0 && squares[at-1] > square {
			at--
		}
		list = append(list[:at], append([]int32{int32(j)}, list[at:]...)...)
		squares = append(squares[:at], append([]float64{square}, squares[at:]...)...)
	}
	return list
}
