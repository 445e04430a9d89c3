// Memorization of copies, of near copies and of new points.

package fidelity_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"repscope/measure/fidelity"
	"repscope/points"
	"repscope/stat"
)

// TestMemorizeNewPoints: of new points as of the hold-out points, all measures have the values that they say.
func TestMemorizeNewPoints(t *testing.T) {
	t.Parallel()
	var ratio, median, five, auth, base float64
	var rejected int
	n := max(60, *draws)
	for d := range uint64(n) {
		m, err := fidelity.Memorize(context.Background(), normals(120, 4, 0, 3*d), normals(100, 4, 0, 3*d+1), normals(90, 4, 0, 3*d+2), fidelity.MemorizationOptions{Cells: 2})
		if err != nil {
			t.Fatal(err)
		}
		ratio += m.DistanceRatio / float64(n)
		median += m.CloserThanMedian / float64(n)
		five += m.CloserThanFive / float64(n)
		auth += m.AuthPct / float64(n)
		base += m.HoldoutAuthPct / float64(n)
		if m.Copying.PValue < 0.1 {
			rejected++
		}
	}
	t.Logf("distance ratio %.3f, closer than the median %.3f, than 5 %% %.3f, authentic %.1f and %.1f %%, of %d p values %d below 0.1", ratio, median, five, auth, base, n, rejected)
	if math.Abs(ratio-1) > 0.03 || math.Abs(median-0.5) > 0.02 || math.Abs(five-0.05) > 0.015 || math.Abs(auth-base) > 2 || rejected > n/4 {
		t.Error("new points do not look like hold-out points")
	}
}

func TestMemorizeCopies(t *testing.T) {
	t.Parallel()
	train, holdout := normals(200, 4, 0, 1), normals(200, 4, 0, 2)
	for _, noise := range []float64{0, 0.02} {
		generated := train.Select(members(200))
		for i, v := range normals(200, 4, 0, 3).F64 {
			generated.F64[i] += noise * v
		}
		m, err := fidelity.Memorize(context.Background(), train, holdout, generated, fidelity.MemorizationOptions{Cells: 3})
		if err != nil {
			t.Fatal(err)
		}
		if noise == 0 != (m.Copies == 1) || m.Copying.PValue > 1e-6 || m.DistanceRatio > 0.1 || m.CloserThanFive < 0.99 || m.AuthPct > 1 || m.Novelty > 0.1*m.HoldoutNovelty {
			t.Errorf("noise %v: %+v", noise, m)
		}
		for i, j := range m.Nearest {
			if int(j) != i {
				t.Fatalf("the nearest of copy %d is %d", i, j)
			}
		}
	}
}

func members(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestMemorizeWithoutHoldout: what would need hold-out points says so.
func TestMemorizeWithoutHoldout(t *testing.T) {
	t.Parallel()
	m, err := fidelity.Memorize(context.Background(), normals(40, 3, 0, 1), points.Points{}, normals(30, 3, 0, 2), fidelity.MemorizationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Reason == "" || m.AuthPct < 10 || m.Copies != 0 || !(m.Novelty > 0) || !(m.TrainNovelty > 0) {
		t.Errorf("%+v", m)
	}
	for _, v := range []float64{m.HoldoutCopies, m.HoldoutNovelty, m.DistanceRatio, m.CloserThanMedian, m.CloserThanFive, m.HoldoutAuthPct, m.Copying.CT, m.Copying.PValue} {
		if !math.IsNaN(v) {
			t.Errorf("%v without hold-out points, want NaN", v)
		}
	}
}

// TestMemorizeTies: distances that are all equal leave nothing to test.
func TestMemorizeTies(t *testing.T) {
	t.Parallel()
	train, ones := points.Float64(make([]float64, 20), 2), points.Float64(make([]float64, 30), 2)
	for i := range ones.F64 {
		ones.F64[i] = 1
	}
	m, err := fidelity.Memorize(context.Background(), train, ones, ones, fidelity.MemorizationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(m.Copying.CT) || m.Copying.Reason == "" || m.CloserThanMedian != 0.5 || math.Abs(m.Novelty-math.Sqrt2) > 1e-15 {
		t.Errorf("%+v", m)
	}
}

func TestMemorizeErrors(t *testing.T) {
	t.Parallel()
	x := normals(20, 3, 0, 1)
	for _, c := range []struct {
		train, holdout, generated points.Points
		cells                     int
		want                      string
	}{
		{x, x, normals(20, 2, 0, 1), 0, "training points have dimension 3, but generated points have 2"},
		{x, normals(20, 2, 0, 1), x, 0, "training points have dimension 3, but hold-out points have 2"},
		{x, x, x, 30, "20 points, fewer than 30 clusters"},
		{x.Select([]int{0}), x, x, 0, "k = 1"},
	} {
		_, err := fidelity.Memorize(context.Background(), c.train, c.holdout, c.generated, fidelity.MemorizationOptions{Cells: c.cells})
		if err == nil || !strings.Contains(err.Error()+stat.Reason(err), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
