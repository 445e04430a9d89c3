// The scores of scikit-learn in testdata, and those without blocks against scores of what is
// left.

package score

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

type golden struct {
	Regression []struct {
		Truth, Predicted  []float64
		MSE, R2           float64
		ExplainedVariance float64 `json:"explained_variance"`
	}
	Ranking []struct {
		Positive []bool
		Score    []float64
		AUROC    float64
	}
	Classification []struct {
		Classes          int
		Truth, Predicted []int
		Accuracy         float64
		BalancedAccuracy float64 `json:"balanced_accuracy"`
		MacroF1          float64 `json:"macro_f1"`
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/score.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGolden(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for _, c := range g.Regression {
		r, err := Regress(c.Truth, c.Predicted)
		must(t, err)
		measuretest.Near(t, "MSE/golden", r.MSE/c.MSE, 1, 1e-12)
		measuretest.Near(t, "R²", r.R2, c.R2, 1e-12)
		measuretest.Near(t, "1 − nMSE", 1-r.NMSE, c.R2, 1e-12)
		measuretest.Near(t, "explained variance", r.ExplainedVariance, c.ExplainedVariance, 1e-12)
	}
	for _, c := range g.Ranking {
		area, err := AUROCByFold(nil, c.Positive, c.Score)
		must(t, err)
		measuretest.Near(t, "AUROC", area, c.AUROC, 1e-12)
	}
	for _, c := range g.Classification {
		confusion, err := NewConfusion(c.Classes, c.Truth, c.Predicted)
		must(t, err)
		measuretest.Near(t, "accuracy", confusion.Accuracy(), c.Accuracy, 1e-12)
		measuretest.Near(t, "balanced accuracy", confusion.BalancedAccuracy(), c.BalancedAccuracy, 1e-12)
		measuretest.Near(t, "macro F1", confusion.MacroF1(), c.MacroF1, 1e-12)
	}
}

// Every score without a block equals that of the observations that are left; where these have
// none, it is NaN.
func TestWithoutEqualsRecomputation(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		const n, classes = 60, 4
		episodes, truth, predicted := make([]int, n), make([]float64, n), make([]float64, n)
		positive, class, guess := make([]bool, n), make([]int, n), make([]int, n)
		for i := range n {
			episodes[i] = i / 9
			truth[i] = math.Round(random.NormFloat64()*2) + 1e6
			predicted[i] = truth[i] + math.Round(random.NormFloat64())
			positive[i] = episodes[i] < 2 && random.IntN(3) == 0 || i == 59
			class[i], guess[i] = random.IntN(classes), random.IntN(classes)
		}
		blocks, err := stat.NewBlocks(n, episodes, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		must(t, err)
		_, regression, err := RegressionWithout(blocks, truth, predicted)
		must(t, err)
		_, area, err := AUROCByFoldWithout(blocks, nil, positive, predicted)
		must(t, err)
		folds := make([]int, n)
		for i := range folds {
			folds[i] = episodes[i] % 3 * 5
		}
		_, byFold, err := AUROCByFoldWithout(blocks, folds, positive, predicted)
		must(t, err)
		_, linked, err := CorrelationByFoldWithout(blocks, folds, truth, predicted)
		must(t, err)
		_, confusion, err := ConfusionWithout(blocks, classes, class, guess)
		must(t, err)
		for j := range blocks.Count() {
			var keep []int
			for i, b := range blocks.Labels() {
				if b != j {
					keep = append(keep, i)
				}
			}
			r, err := Regress(at(truth, keep), at(predicted, keep))
			must(t, err)
			measuretest.Near(t, "R² without a block", regression[j].R2, r.R2, 1e-9)
			measuretest.Near(t, "MSE without a block", regression[j].MSE, r.MSE, 1e-9)
			measuretest.Near(t, "explained variance without a block", regression[j].ExplainedVariance, r.ExplainedVariance, 1e-9)
			correlation, err := CorrelationByFold(at(folds, keep), at(truth, keep), at(predicted, keep))
			must(t, err)
			measuretest.Near(t, "r without a block", linked[j], correlation, 1e-9)
			a, err := AUROCByFold(nil, at(positive, keep), at(predicted, keep))
			must(t, err)
			c, err := NewConfusion(classes, at(class, keep), at(guess, keep))
			must(t, err)
			b, err := AUROCByFold(at(folds, keep), at(positive, keep), at(predicted, keep))
			must(t, err)
			if byFold[j] != b || b != naiveByFold(at(folds, keep), at(positive, keep), at(predicted, keep)) {
				t.Errorf("block %d: AUROC by fold %v, want %v", j, byFold[j], b)
			}
			if area[j] != a || confusion[j].MacroF1() != c.MacroF1() || confusion[j].BalancedAccuracy() != c.BalancedAccuracy() {
				t.Errorf("block %d: AUROC %v, F1 %v; want %v, %v", j, area[j], confusion[j].MacroF1(), a, c.MacroF1())
			}
		}
	}
}

func at[T any](values []T, index []int) []T {
	out := make([]T, len(index))
	for k, i := range index {
		out[k] = values[i]
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// naiveByFold looks at every pair.
func naiveByFold(folds []int, positive []bool, score []float64) float64 {
	won, count := 0.0, 0.0
	for i := range score {
		for k := range score {
			if !positive[i] || positive[k] || folds[i] != folds[k] {
				continue
			}
			count++
			if score[i] > score[k] {
				won++
			} else if score[i] == score[k] {
				won += 0.5
			}
		}
	}
	return won / count
}
