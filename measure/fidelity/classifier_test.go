// A classifier between two samples.

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

// TestClassifyTellsShift: the scores of a shift are those of their definitions from the probabilities.
func TestClassifyTellsShift(t *testing.T) {
	t.Parallel()
	real, generated := normals(150, 4, 0, 1), normals(100, 4, 1, 2)
	for _, votes := range []int{0, 10} {
		c, err := fidelity.Classify(context.Background(), real, generated, fidelity.ClassifierOptions{Votes: votes})
		if err != nil {
			t.Fatal(err)
		}
		// Twice the distance of the means of N(0, I) and N(1, I) in four dimensions: AUC Φ(2/√2), accuracy Φ(1).
		if math.Abs(c.AUC-0.921) > 0.06 || math.Abs(c.Accuracy-0.841) > 0.06 || c.JensenShannon < 0.5 || c.JensenShannon > 0.75 {
			t.Errorf("votes %d: AUC %.3f, accuracy %.3f, Jensen–Shannon %.3f", votes, c.AUC, c.Accuracy, c.JensenShannon)
		}
		ofGenerated, ofReal := 0.0, 0.0
		for _, q := range c.Probability[:100] {
			ofGenerated += math.Log2(q) / 100
		}
		for _, q := range c.Probability[100:] {
			ofReal += math.Log2(1-q) / 150
		}
		if want := 1 + (ofGenerated+ofReal)/2; math.Abs(c.Divergence-want) > 1e-12 || math.Abs(c.JensenShannon-math.Sqrt(want)) > 1e-12 {
			t.Errorf("votes %d: divergence %v, want %v", votes, c.Divergence, want)
		}
	}
}

// TestClassifySeparated: samples far apart are told always, and equal ones not at all.
func TestClassifySeparated(t *testing.T) {
	t.Parallel()
	x := normals(60, 3, 0, 1)
	far, err := fidelity.Classify(context.Background(), x, normals(50, 3, 50, 2), fidelity.ClassifierOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if far.AUC != 1 || far.Accuracy != 1 || far.JensenShannon < 0.99 || far.JensenShannon > 1 {
		t.Errorf("far apart: AUC %v, accuracy %v, Jensen–Shannon %v", far.AUC, far.Accuracy, far.JensenShannon)
	}
	constant := points.Float64(make([]float64, 120), 3)
	same, err := fidelity.Classify(context.Background(), constant, constant, fidelity.ClassifierOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if same.AUC != 0.5 || same.Accuracy != 0.5 || same.JensenShannon > 1e-4 {
		t.Errorf("all equal: AUC %v, accuracy %v, Jensen–Shannon %v", same.AUC, same.Accuracy, same.JensenShannon)
	}
}

// TestClassifyGroups: points of a group are never in the fold and among those that are fitted on. Each
// group is one point many times, so that a classifier that had seen it would know it.
func TestClassifyGroups(t *testing.T) {
	t.Parallel()
	repeated := func(seed uint64) (points.Points, []int) {
		one := normals(12, 6, 0, seed)
		var index, group []int
		for i := range 120 {
			index, group = append(index, i%12), append(group, i%12)
		}
		return one.Select(index), group
	}
	x, a := repeated(1)
	y, b := repeated(2)
	loose, err := fidelity.Classify(context.Background(), x, y, fidelity.ClassifierOptions{Votes: 5})
	if err != nil {
		t.Fatal(err)
	}
	grouped, err := fidelity.Classify(context.Background(), x, y, fidelity.ClassifierOptions{Votes: 5, RealGroups: a, GeneratedGroups: b})
	if err != nil {
		t.Fatal(err)
	}
	if loose.AUC < 0.99 || grouped.AUC > 0.85 {
		t.Errorf("AUC %.3f with groups split, %.3f with groups whole", loose.AUC, grouped.AUC)
	}
}

// pooled are blocks of the generated and then the real points, each dealt to so many.
func pooled(t *testing.T, generated, real, each int) *stat.Blocks {
	t.Helper()
	labels := make([]int, generated+real)
	for i := range labels {
		if labels[i] = i % each; i >= generated {
			labels[i] = each + (i-generated)%each
		}
	}
	b, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestClassifierIntervals: intervals hold the mean of other draws, and those of one distribution ½ and 0.
func TestClassifierIntervals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many draws, one after another")
	}
	n := max(24, *draws)
	for _, shift := range []float64{0, 0.4} {
		var aucs, divergences []float64
		var all []*fidelity.Classifier
		for d := range uint64(n) {
			x, y := normals(80, 3, 0, 2*d), normals(60, 3, shift, 2*d+1)
			c, err := fidelity.Classify(context.Background(), x, y, fidelity.ClassifierOptions{Blocks: pooled(t, 60, 80, 10)})
			if err != nil {
				t.Fatal(err)
			}
			aucs, divergences, all = append(aucs, c.AUC), append(divergences, c.Divergence), append(all, c)
		}
		auc, divergence, holding, bounded, rejected := stat.Mean(aucs), stat.Mean(divergences), 0, 0, 0
		for _, c := range all {
			if v := c.AUCError.Interval; v.Low <= auc && auc <= v.High {
				holding++
			}
			if v := c.DivergenceError.Interval; v.Low <= divergence && divergence <= v.High {
				bounded++
			}
			if c.AUCError.Interval.Low > 0.5 {
				rejected++
			}
		}
		t.Logf("shift %v: AUC %.3f, divergence %.3f; of %d intervals %d and %d hold them, %d lie above ½", shift, auc, divergence, n, holding, bounded, rejected)
		if holding < n*8/10 || bounded < n*8/10 || shift == 0 && rejected > n*12/100 {
			t.Errorf("shift %v: of %d intervals %d and %d hold the means, %d lie above ½", shift, n, holding, bounded, rejected)
		}
	}
}

func TestClassifyErrors(t *testing.T) {
	t.Parallel()
	x := normals(20, 3, 0, 1)
	for _, c := range []struct {
		generated points.Points
		o         fidelity.ClassifierOptions
		want      string
	}{
		{normals(20, 2, 0, 1), fidelity.ClassifierOptions{}, "real points have dimension 3, but generated points have 2"},
		{normals(4, 3, 0, 1), fidelity.ClassifierOptions{}, "4"},
		{x, fidelity.ClassifierOptions{RealGroups: []int{1}}, "groups of 1 real points, want 20"},
		{x, fidelity.ClassifierOptions{Blocks: pooled(t, 20, 19, 5)},
			"blocks of 39 points, want 40, the generated and real points"},
	} {
		if _, err := fidelity.Classify(context.Background(), x, c.generated, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
