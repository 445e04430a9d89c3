// The scores of points beside themselves.

package fidelity_test

import (
	"context"
	"testing"

	"repscope/measure/fidelity"
	"repscope/points"
	"repscope/stat"
)

// normals are n points [n, dim] of independent standard normal coordinates plus a shift.
func normals(n, dim int, shift float64, seed uint64) points.Points {
	x := make([]float64, n*dim)
	r := stat.NewRandom(stat.StreamSample.Key(seed))
	for i := range x {
		x[i] = r.Normal() + shift
	}
	return points.Float64(x, dim)
}

func TestSelf(t *testing.T) {
	t.Parallel()
	x := normals(60, 5, 0, 1)
	found, err := fidelity.PRDC(context.Background(), x, x, fidelity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found.ByK {
		if a.Scores != (fidelity.Scores{Precision: 1, Recall: 1, Density: 1, Coverage: 1}) {
			t.Errorf("k = %d: %+v beside itself, want all 1", a.K, a.Scores)
		}
	}
}

func TestClassifyTellsShift(t *testing.T) {
	t.Parallel()
	for _, votes := range []int{0, 10} {
		c, err := fidelity.Classify(context.Background(), normals(150, 4, 0, 1), normals(100, 4, 1, 2), fidelity.ClassifierOptions{Votes: votes})
		if err != nil {
			t.Fatal(err)
		}
		if c.AUC < 0.8 || c.AUC > 0.99 || c.JensenShannon < 0.3 || c.JensenShannon > 0.9 || c.Accuracy < 0.7 {
			t.Errorf("votes %d: AUC %.3f, accuracy %.3f, Jensen–Shannon %.3f", votes, c.AUC, c.Accuracy, c.JensenShannon)
		}
	}
}

func TestMemorizeCopies(t *testing.T) {
	t.Parallel()
	train, holdout := normals(200, 4, 0, 1), normals(200, 4, 0, 2)
	fresh, err := fidelity.Memorize(context.Background(), train, holdout, normals(200, 4, 0, 3), fidelity.MemorizationOptions{Cells: 3})
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Copies != 0 || fresh.Copying.PValue < 0.01 || fresh.DistanceRatio < 0.8 || fresh.CloserThanMedian > 0.65 {
		t.Errorf("new points: %+v", fresh)
	}
	copied, err := fidelity.Memorize(context.Background(), train, holdout, train, fidelity.MemorizationOptions{Cells: 3})
	if err != nil {
		t.Fatal(err)
	}
	if copied.Copies != 1 || copied.Copying.PValue > 1e-6 || copied.DistanceRatio != 0 || copied.CloserThanFive != 1 || copied.AuthPct != 0 {
		t.Errorf("copies: %+v", copied)
	}
}
