// What scores say of bad and of degenerate predictions.

package score

import (
	"math"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func TestScoreErrors(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		want string
		run  func() (float64, error)
	}{
		{"the target is constant", func() (float64, error) { return R2([]float64{0.1, 0.1, 0.1}, []float64{1, 2, 3}) }},
		{"squares overflow", func() (float64, error) { return R2([]float64{1e200, -1e200}, []float64{0, 0}) }},
		{"no values", func() (float64, error) { return R2(nil, nil) }},
		{"1 targets and 2 predictions", func() (float64, error) { return R2([]float64{1}, []float64{1, 2}) }},
		{"target 1 is NaN", func() (float64, error) { return R2([]float64{1, nan}, []float64{1, 2}) }},
		{"prediction 0 is +Inf", func() (float64, error) { return R2([]float64{1, 2}, []float64{math.Inf(1), 2}) }},
		{"no positives", func() (float64, error) { return AUROCByFold(nil, []bool{false, false}, []float64{1, 2}) }},
		{"no negatives", func() (float64, error) { return AUROCByFold(nil, []bool{true}, []float64{1}) }},
		{"no fold has positives and negatives", func() (float64, error) {
			return AUROCByFold([]int{0, 1}, []bool{true, false}, []float64{1, 2})
		}},
		{"1 folds and 2 scores", func() (float64, error) { return AUROCByFold([]int{0}, []bool{true, false}, []float64{1, 2}) }},
		{"score 1 is NaN", func() (float64, error) { return AUROCByFold(nil, []bool{true, false}, []float64{1, nan}) }},
	} {
		v, err := c.run()
		if !math.IsNaN(v) || !strings.Contains(stat.Reason(err), c.want) {
			t.Errorf("%v and %q, want NaN and %q", v, stat.Reason(err), c.want)
		}
	}
	for _, c := range []struct{ truth, predicted []int }{{nil, nil}, {[]int{0}, []int{-1}}, {[]int{0, 1}, []int{0}}} {
		if _, err := NewConfusion(2, c.truth, c.predicted); err == nil {
			t.Errorf("%v for %v is taken", c.predicted, c.truth)
		}
	}
	blocks, err := stat.NewBlocks(4, []int{0, 0, 1, 1}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	if _, _, err := RegressionWithout(blocks, []float64{1, 2, 3}, []float64{1, 2, 3}); err == nil {
		t.Error("blocks of other observations are taken")
	}
}

// A score without the block that holds all positives, or all that varies, is NaN.
func TestUndefinedWithoutABlock(t *testing.T) {
	t.Parallel()
	blocks, err := stat.NewBlocks(6, []int{0, 0, 1, 1, 2, 2}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	truth, predicted := []float64{0.1, 0.1, 7, 8, 0.1, 0.1}, []float64{1, 2, 3, 4, 5, 6}
	_, without, err := RegressionWithout(blocks, truth, predicted)
	must(t, err)
	for j, want := range []bool{false, true, false} {
		if math.IsNaN(without[j].R2) != want || math.IsNaN(without[j].MSE) {
			t.Errorf("block %d: %+v", j, without[j])
		}
	}
	positive := []bool{false, false, true, true, false, false}
	_, areas, err := AUROCByFoldWithout(blocks, nil, positive, predicted)
	must(t, err)
	if !math.IsNaN(areas[1]) || math.IsNaN(areas[0]) {
		t.Errorf("AUROC %v", areas)
	}
	all, confusions, err := ConfusionWithout(blocks, 2, []int{0, 0, 1, 1, 0, 0}, []int{0, 1, 1, 1, 0, 0})
	must(t, err)
	if !math.IsNaN(confusions[1].BalancedAccuracy()) || math.IsNaN(all.BalancedAccuracy()) {
		t.Error("one class has a balanced accuracy")
	}
}

// Correlations of lines, of constants, and of one that is far from 0 with a small spread.
func TestCorrelationByFold(t *testing.T) {
	t.Parallel()
	truth := []float64{1, 2, 3, 11, 12, 13}
	folds := []int{0, 0, 0, 1, 1, 1}
	for _, c := range []struct {
		name      string
		folds     []int
		predicted []float64
		want      float64
		reason    string
	}{
		{"a line", nil, []float64{3, 5, 7, 23, 25, 27}, 1, ""},
		{"falls", nil, []float64{-1e9, -1e9 - 1e-3, -1e9 - 2e-3, -1e9 - 1e-2, -1e9 - 11e-3, -1e9 - 12e-3}, -1, ""},
		{"offsets of folds do not count", folds, []float64{100, 101, 102, 0, 1, 2}, 1, ""},
		{"means of the other folds", folds, []float64{12, 12, 12, 2, 2, 2}, 0, "the predictions are constant"},
		{"the same in one fold", nil, []float64{12, 12, 12, 2, 2, 2}, -0.9869275424396534, ""},
	} {
		r, err := CorrelationByFold(c.folds, truth, c.predicted)
		if c.reason != "" {
			if !stat.IsUndefined(err) || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%s: %v, %v", c.name, r, err)
			}
			continue
		}
		must(t, err)
		measuretest.Near(t, c.name, r, c.want, 1e-5)
	}
	if _, err := CorrelationByFold(folds, []float64{1, 1, 1, 2, 2, 2}, truth); !stat.IsUndefined(err) ||
		!strings.Contains(err.Error(), "the target is constant") {
		t.Errorf("a target that is constant in every fold: %v", err)
	}
	for name, call := range map[string]func() error{
		"folds": func() error { _, err := CorrelationByFold([]int{0}, truth, truth); return err },
		"NaN": func() error {
			_, err := CorrelationByFold(nil, truth, []float64{1, 2, math.NaN(), 1, 1,
				1})
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The influence of an observation is the first-order change without it.
func TestInfluence(t *testing.T) {
	t.Parallel()
	const n = 400
	truth, predicted, positive := make([]float64, n), make([]float64, n), make([]bool, n)
	class, guess, each := make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		truth[i] = math.Sin(float64(i))
		predicted[i] = truth[i] + math.Round(3*math.Cos(7*float64(i)))/3
		positive[i] = truth[i] > 0.3
		class[i], guess[i], each[i] = i*i%3, (i+i/3)%3, i
	}
	blocks, err := stat.NewBlocks(n, each, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	influence, err := RegressionInfluence(truth, predicted)
	must(t, err)
	all, without, err := RegressionWithout(blocks, truth, predicted)
	must(t, err)
	check := func(name string, estimate float64, without, influence []float64) {
		t.Helper()
		scale := stat.StandardDeviation(influence)
		for i := range influence {
			if change := (n - 1) * (estimate - without[i]); math.Abs(change-influence[i]) > 0.05*scale+0.02*math.Abs(change) {
				t.Fatalf("%s, observation %d: influence %v, change %v", name, i, influence[i], change)
			}
		}
		if math.Abs(stat.Mean(influence)) > 1e-9*scale {
			t.Errorf("%s: influence with mean %v", name, stat.Mean(influence))
		}
	}
	check("MSE", all.MSE, Values(without, Regression.MSEOf), influence.MSE)
	check("R²", all.R2, Values(without, Regression.R2Of), influence.R2)
	check("nMSE", all.NMSE, Values(without, Regression.NMSEOf), influence.NMSE)
	check("explained variance", all.ExplainedVariance, Values(without, Regression.ExplainedVarianceOf), influence.ExplainedVariance)
	r, rs, err := CorrelationByFoldWithout(blocks, class, truth, predicted)
	must(t, err)
	links, err := CorrelationByFoldInfluence(class, truth, predicted)
	must(t, err)
	check("r by fold", r, rs, links)
	area, areas, err := AUROCByFoldWithout(blocks, nil, positive, predicted)
	must(t, err)
	shares, err := AUROCByFoldInfluence(nil, positive, predicted)
	must(t, err)
	check("AUROC", area, areas, shares)
	area, areas, err = AUROCByFoldWithout(blocks, class, positive, predicted)
	must(t, err)
	shares, err = AUROCByFoldInfluence(class, positive, predicted)
	must(t, err)
	check("AUROC by fold", area, areas, shares)
	confusion, confusions, err := ConfusionWithout(blocks, 3, class, guess)
	must(t, err)
	classes, err := confusion.Influence(class, guess)
	must(t, err)
	check("accuracy", confusion.Accuracy(), Values(confusions, (*Confusion).Accuracy), classes.Accuracy)
	check("balanced accuracy", confusion.BalancedAccuracy(), Values(confusions, (*Confusion).BalancedAccuracy), classes.BalancedAccuracy)
	check("macro F1", confusion.MacroF1(), Values(confusions, (*Confusion).MacroF1), classes.MacroF1)
}
