// What the intervals of cross-fitted scores hold, on simulated episodes.

package probe

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/score"
	"repscope/points"
	"repscope/stat"
)

// draws is 2,000 for the table of the package comment.
var draws = flag.Int("draws", 40, "draws of every design of TestCoverage")

// world are episodes of latents in time (AR(1), with an offset for each episode), of which two
// models see one half each, and a target that is linear in both halves plus noise of the same kind.
type world struct {
	n, episodes, dim    int
	rho, between, noise float64
}

// simulation is one draw.
type simulation struct {
	latents  [2]points.Points
	target   []float64
	positive []bool
	groups   []int
	folds    []int // nil for predictions by one head
}

func (w world) draw(r *rand.Rand, n, episodes int) simulation {
	s := simulation{target: make([]float64, n), positive: make([]bool, n), groups: make([]int, n)}
	width := 2*w.dim + 1
	data := [2][]float64{make([]float64, n*w.dim), make([]float64, n*w.dim)}
	state, offset, value := make([]float64, width), make([]float64, width), make([]float64, width)
	for i := range n {
		s.groups[i] = i * episodes / n
		begins := i == 0 || s.groups[i] != s.groups[i-1]
		for k := range width {
			if begins {
				offset[k], state[k] = math.Sqrt(w.between)*r.NormFloat64(), r.NormFloat64()
			} else {
				state[k] = w.rho*state[k] + math.Sqrt(1-w.rho*w.rho)*r.NormFloat64()
			}
			value[k] = offset[k] + math.Sqrt(1-w.between)*state[k]
		}
		copy(data[0][i*w.dim:], value[:w.dim])
		copy(data[1][i*w.dim:], value[w.dim:2*w.dim])
		s.target[i] = (value[0]+value[1]+value[w.dim]+value[w.dim+1])/2 + w.noise*value[2*w.dim]
		s.positive[i] = s.target[i] > 0.8
	}
	s.latents = [2]points.Points{points.Float64(data[0], w.dim), points.Float64(data[1], w.dim)}
	return s
}

const scoresCount = 4

// scores are mean squared error, R², AUROC, and AUROC by fold.
func (s simulation) scores(blocks *stat.Blocks, without int, predicted []float64) (out [scoresCount]float64) {
	y, positive, folds := s.target, s.positive, s.folds
	if folds == nil {
		folds = make([]int, len(y))
	}
	if blocks != nil {
		folds = score.Outside(blocks, without, folds)
		y, positive, predicted = score.Outside(blocks, without, y), score.Outside(blocks, without, positive), score.Outside(blocks, without, predicted)
	}
	r, _ := score.Regress(y, predicted)
	area, _ := score.AUROCByFold(nil, positive, predicted)
	byFold, _ := score.AUROCByFold(folds, positive, predicted)
	return [scoresCount]float64{r.MSE, r.R2, area, byFold}
}

// truth is the mean score on new episodes of heads fitted on as many as those of a cross-fit.
func (w world) truth(t *testing.T, heads int, fit crossFitter) (mean [scoresCount]float64) {
	t.Helper()
	const rows = 20000
	r := rand.New(rand.NewPCG(1, 99))
	fresh, seenRows := w.draw(r, rows, rows*w.episodes/w.n), w.n*4/5
	for range heads {
		seen := w.draw(r, seenRows, w.episodes*4/5)
		both := Data{Folds: make([]int, seenRows+rows), Train: [][]int{allRows(rows)[:seenRows], allRows(seenRows)}}
		for i := range both.Train[0] {
			both.Train[0][i] += seenRows // the head of the other fold does not matter
		}
		for i := seenRows; i < len(both.Folds); i++ {
			both.Folds[i] = 1
		}
		both.X = points.Float64(slices.Concat(seen.latents[0].F64, fresh.latents[0].F64), w.dim)
		both.Groups = slices.Clone(seen.groups)
		for _, g := range fresh.groups {
			both.Groups = append(both.Groups, g+w.episodes)
		}
		predicted, _ := fit(t, both, points.Float64(slices.Concat(seen.target, fresh.target), 1))
		for k, v := range fresh.scores(nil, 0, predicted[seenRows:]) {
			mean[k] += v / float64(heads)
		}
	}
	return mean
}

// A crossFitter returns predictions and, where heads are refitted, what visits those without each block.
type crossFitter func(t *testing.T, d Data, y points.Points) ([]float64, func(context.Context, *stat.Blocks, func(int, [][]float64) error) error)

func ridgeHeads(t *testing.T, d Data, y points.Points) ([]float64, func(context.Context, *stat.Blocks, func(int, [][]float64) error) error) {
	t.Helper()
	fit, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return fit.Predicted[0], fit.Without
}

func networks(t *testing.T, d Data, y points.Points) ([]float64, func(context.Context, *stat.Blocks, func(int, [][]float64) error) error) {
	t.Helper()
	fit, err := CrossFitMLP(t.Context(), d, y, MLPOptions{Hidden: 64, Batch: 64, Epochs: 60, Patience: 8})
	if err != nil {
		t.Fatal(err)
	}
	return fit.Predicted[0], func(_ context.Context, blocks *stat.Blocks, visit func(int, [][]float64) error) error {
		for j := range blocks.Count() {
			if err := visit(j, fit.Predicted); err != nil {
				return err
			}
		}
		return nil
	}
}

// jackknifes are those of one model: with the heads as they are, and refitted.
func (s simulation) jackknifes(t *testing.T, model int, fit crossFitter) (out [2][scoresCount]*stat.Jackknifed) {
	t.Helper()
	folds, err := GroupFolds(s.groups, DefaultFolds)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := stat.NewBlocks(len(s.groups), s.groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	s.folds = folds
	d := Data{X: s.latents[model], Groups: s.groups, Folds: folds}
	all, without := fit(t, d, points.Float64(s.target, 1))
	var left [2][scoresCount][]float64
	err = without(t.Context(), blocks, func(j int, predicted [][]float64) error {
		for way, p := range [][]float64{all, predicted[0]} {
			for k, v := range s.scores(blocks, j, p) {
				left[way][k] = append(left[way][k], v)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for way := range left {
		for k, estimate := range s.scores(nil, 0, all) {
			if out[way][k], err = blocks.Jackknife(estimate, left[way][k], nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// Intervals with refits hold the score of new heads on new episodes, and the difference 0 of models that
// know equally much; those that take the heads as given do not.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: many samples")
	}
	t.Parallel()
	designs := []world{{300, 15, 24, 0.8, 0.2, 0.7}}
	if *draws > 100 {
		designs = []world{
			{600, 5, 8, 0.8, 0.2, 0.7}, {600, 10, 8, 0.8, 0.2, 0.7}, {600, 20, 8, 0.8, 0.2, 0.7}, {600, 60, 8, 0.8, 0.2, 0.7},
			{600, 20, 64, 0.8, 0.2, 0.7}, {600, 60, 64, 0.8, 0.2, 0.7}, {600, 20, 64, 0.95, 0.3, 1.5}, {600, 60, 8, 0, 0, 0.7},
		}
	}
	for _, w := range designs {
		holds, equal := w.coverage(t, *draws, ridgeHeads)
		for k := range scoresCount {
			if holds[1][k] < 0.85 || equal[1][k] < 0.85 {
				t.Errorf("score %d: intervals with refits hold %.3f, of differences %.3f", k, holds[1][k], equal[1][k])
			}
		}
		if *draws < 100 && (holds[0][2] > 0.85 || equal[0][2] > 0.85) {
			t.Errorf("AUROC: intervals with heads as given hold %.3f, of differences %.3f: refits would not be needed", holds[0][2], equal[0][2])
		}
	}
	if *draws > 100 { // networks are not refitted
		for _, w := range []world{{600, 10, 8, 0.8, 0.2, 0.7}, {600, 20, 8, 0.8, 0.2, 0.7}, {600, 20, 64, 0.8, 0.2, 0.7}, {1200, 60, 8, 0.5, 0.1, 0.7}} {
			w.coverage(t, *draws/3, networks)
		}
	}
}

// coverage is how often intervals hold the truth, and those of differences 0: with heads as given, and
// refitted.
func (w world) coverage(t *testing.T, draws int, fit crossFitter) (holds, equal [2][scoresCount]float64) {
	t.Helper()
	truth := w.truth(t, 20+draws/20, fit)
	var mean [scoresCount]float64
	for draw := range draws {
		s := w.draw(rand.New(rand.NewPCG(7, uint64(draw))), w.n, w.episodes)
		first, second := s.jackknifes(t, 0, fit), s.jackknifes(t, 1, fit)
		for way := range holds {
			for k := range truth {
				mean[k] += first[way][k].Estimate / float64(2*draws)
				if v := first[way][k].Interval; v.Low <= truth[k] && truth[k] <= v.High {
					holds[way][k] += 1 / float64(draws)
				}
				c, err := stat.Compare(first[way][k], second[way][k], stat.CompareOptions{Permutations: 1})
				if err != nil {
					t.Fatal(err)
				}
				if c.Interval.Low <= 0 && 0 <= c.Interval.High {
					equal[way][k] += 1 / float64(draws)
				}
			}
		}
	}
	t.Logf("%+v: MSE, R², AUROC, AUROC by fold %.3f, mean estimate %.3f; held with heads as given %.3f, refitted %.3f; differences %.3f, %.3f",
		w, truth, mean, holds[0], holds[1], equal[0], equal[1])
	return holds, equal
}
