// What the intervals of accuracies hold, on simulated sequences.

package probe

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/score"
	"repscope/stat"
)

// sequenceWorld are sequences of some rows whose features share a part, with classes that follow four of
// them and noise.
type sequenceWorld struct {
	sequences, rows, dim, classes int
	signal                        float64
}

func (w sequenceWorld) draw(r *rand.Rand, sequences int) FixedData {
	n := sequences * w.rows
	d := FixedData{Rows: make([][]float32, n), Class: make([]int, n), Classes: w.classes, Groups: make([]int, n)}
	offset := make([]float64, w.dim)
	for i := range n {
		d.Groups[i] = i / w.rows
		y := r.NormFloat64()
		row := make([]float32, w.dim)
		for k := range row {
			if i%w.rows == 0 {
				offset[k] = math.Sqrt(0.3) * r.NormFloat64()
			}
			v := offset[k] + math.Sqrt(0.7)*r.NormFloat64()
			if k < 4 {
				y += w.signal * v / 2
			}
			row[k] = float32(v)
		}
		d.Rows[i] = row
		if y > 0.7 {
			d.Class[i] = 1
		}
		if y > 1.5 {
			d.Class[i] = w.classes - 1
		}
	}
	return d
}

// truth are the mean scores on new sequences of heads fitted on as many new ones as those of 5 folds.
func (w sequenceWorld) truth(t *testing.T, heads int) (mean FixedScores) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 99))
	fresh := w.draw(r, 2000)
	for range heads {
		h, err := fitLogistic(t.Context(), w.draw(r, w.sequences*4/5), FixedOptions{C: 1})
		if err != nil {
			t.Fatal(err)
		}
		said := make([]int, len(fresh.Rows))
		for i, row := range fresh.Rows {
			best := math.Inf(-1)
			for k, z := range h.Intercept {
				for d, v := range row {
					z += float64(v) * h.Coefficients[k*h.Dim+d]
				}
				if z > best {
					said[i], best = k, z
				}
			}
		}
		c, err := score.NewConfusion(w.classes, fresh.Class, said)
		if err != nil {
			t.Fatal(err)
		}
		mean.Accuracy += c.Accuracy() / float64(heads)
		mean.Balanced += c.BalancedAccuracy() / float64(heads)
	}
	return mean
}

// jackknifes are those of accuracy and balanced accuracy, of heads as given and with what they owe to rows.
func (w sequenceWorld) jackknifes(t *testing.T, d FixedData) (out [2][2]*stat.Jackknifed) {
	t.Helper()
	var err error
	if d.Folds, err = GroupFolds(d.Groups, DefaultFolds); err != nil {
		t.Fatal(err)
	}
	fit, err := CrossFitFixed(t.Context(), d, FixedOptions{C: 1, Effects: true})
	if err != nil {
		t.Fatal(err)
	}
	given := *fit
	given.AccuracyEffect, given.BalancedEffect = nil, nil
	sizes := make([]int, w.sequences)
	for i := range sizes {
		sizes[i] = w.rows
	}
	for way, c := range []*FixedCrossFit{&given, fit} {
		all, without := c.Without(d.Groups, w.sequences)
		for s, of := range []func(FixedScores) float64{func(v FixedScores) float64 { return v.Accuracy }, func(v FixedScores) float64 { return v.Balanced }} {
			j, err := stat.DeleteBlockJackknife(of(all), score.Values(without, of), sizes, 0)
			if err != nil {
				t.Fatal(err)
			}
			n := w.sequences
			if j.StdError > 0 && j.Estimate < 1 {
				n *= w.rows
			}
			out[way][s] = j.AsShare(n)
		}
	}
	return out
}

// Intervals that hold what heads owe to single rows hold the score of new heads on new sequences; those
// that take the heads as given hold less often.
func TestFixedCoverage(t *testing.T) {
	t.Parallel()
	worlds := []sequenceWorld{{30, 10, 8, 2, 1}}
	if *draws > 100 {
		worlds = []sequenceWorld{{20, 10, 8, 2, 1}, {20, 10, 32, 2, 1}, {60, 10, 32, 2, 1}, {60, 20, 64, 3, 1}, {200, 10, 128, 2, 1},
			{60, 2, 64, 2, 2}, {200, 2, 64, 2, 2}, {60, 10, 32, 2, 0}, {60, 10, 16, 2, 20}, {200, 2, 16, 2, 40}}
	}
	for _, w := range worlds {
		truth := w.truth(t, 20+*draws/10)
		var holds, width [2][2]float64
		var sum, squares [2]float64
		for draw := range *draws {
			for way, of := range w.jackknifes(t, w.draw(rand.New(rand.NewPCG(7, uint64(draw))), w.sequences)) {
				for s, j := range of {
					want := []float64{truth.Accuracy, truth.Balanced}[s]
					if j.Interval.Low <= want && want <= j.Interval.High {
						holds[way][s] += 1 / float64(*draws)
					}
					width[way][s] += j.StdError / float64(*draws)
					if way == 0 {
						sum[s] += j.Estimate / float64(*draws)
						squares[s] += j.Estimate * j.Estimate / float64(*draws)
					}
				}
			}
		}
		var sd [2]float64
		for s := range sd {
			sd[s] = math.Sqrt(squares[s] - sum[s]*sum[s])
		}
		t.Logf("%+v: accuracy %.3f, balanced %.3f, mean estimates %.3f, sd %.4f; given: held %.3f, errors %.4f; effects: held %.3f, errors %.4f",
			w, truth.Accuracy, truth.Balanced, sum, sd, holds[0], width[0], holds[1], width[1])
		for s := range holds[1] {
			if holds[1][s] < 0.9 || holds[1][s] < holds[0][s] {
				t.Errorf("score %d: intervals hold %.3f, with heads as given %.3f", s, holds[1][s], holds[0][s])
			}
		}
	}
}
