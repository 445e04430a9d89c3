package probe

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"repscope/measure/score"
	"repscope/points"
	"repscope/stat"
)

type seqWorld struct {
	sequences, rows, dim, classes int
	between                       float64
	signal                        float64
}

func (w seqWorld) draw(r *rand.Rand, sequences int) (x points.Points, class, groups []int) {
	n := sequences * w.rows
	data, class, groups := make([]float32, n*w.dim), make([]int, n), make([]int, n)
	offset := make([]float64, w.dim)
	for i := range n {
		groups[i] = i / w.rows
		if i%w.rows == 0 {
			for k := range offset {
				offset[k] = r.NormFloat64() * math.Sqrt(w.between)
			}
		}
		y := 0.0
		for k := range w.dim {
			v := offset[k] + math.Sqrt(1-w.between)*r.NormFloat64()
			if k < 4 {
				y += w.signal * v / 2
			}
			data[i*w.dim+k] = float32(v)
		}
		y += offset[0]*0 + r.NormFloat64()
		class[i] = 0
		if y > 0.7 {
			class[i] = 1
		}
		if y > 1.5 {
			class[i] = w.classes - 1
		}
	}
	return points.Float32(data, w.dim), class, groups
}

func TestExplore(t *testing.T) {
	draws, _ := strconv.Atoi(os.Getenv("DRAWS"))
	if draws == 0 {
		t.Skip()
	}
	for _, w := range []seqWorld{{20, 10, 8, 2, 0.3, 1}, {60, 2, 64, 2, 0.3, 2}, {60, 10, 32, 2, 0.3, 0}, {60, 10, 16, 2, 0.3, 20}, {20, 10, 16, 2, 0.3, 20}, {60, 2, 16, 2, 0.3, 40}} {
		r := rand.New(rand.NewPCG(1, 99))
		fx, fc, _ := w.draw(r, 3000)
		var truth [2]float64
		const heads = 60
		for range heads {
			x, c, _ := w.draw(r, w.sequences*4/5)
			h, err := FitLogistic(t.Context(), FixedData{Rows: rowsOf(x), Class: c, Classes: w.classes}, FixedOptions{C: 1})
			if err != nil {
				t.Fatal(err)
			}
			conf, _ := score.NewConfusion(w.classes, fc, Labels(w.classes, h.probabilities(fx)))
			truth[0] += conf.Accuracy() / heads
			truth[1] += conf.BalancedAccuracy() / heads
		}
		var hold [3][2]float64
		var se [3][2]float64
		var mean, sq [2]float64
		for draw := range draws {
			x, class, groups := w.draw(rand.New(rand.NewPCG(7, uint64(draw))), w.sequences)
			folds, _ := GroupFolds(groups, 5)
			d := Data{X: x, Groups: groups, Folds: folds}
			fit, err := CrossFitFixed(t.Context(), FixedData{Rows: rowsOf(x), Class: class, Classes: w.classes, Groups: groups, Folds: folds}, FixedOptions{C: 1, Effects: true})
			if err != nil {
				t.Fatal(err)
			}
			blocks, _ := stat.NewBlocks(len(groups), groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
			all, without, _ := score.ConfusionWithout(blocks, w.classes, class, fit.Predicted)
			est := [2]float64{all.Accuracy(), all.BalancedAccuracy()}
			var reps [3][2][]float64
			for j, c := range without {
				base := [2]float64{c.Accuracy(), c.BalancedAccuracy()}
				for s, effect := range [][]float64{fit.AccuracyEffect, fit.BalancedEffect} {
					sum := 0.0
					for _, i := range blocks.Block(j) {
						sum += effect[i]
					}
					reps[0][s] = append(reps[0][s], base[s])
					reps[1][s] = append(reps[1][s], base[s]+sum)
				}
				if os.Getenv("REFIT") != "" && w.sequences <= 60 {
					dd := d
					gone := map[int]bool{}
					for _, i := range blocks.Block(j) {
						gone[i] = true
					}
					for f := range 5 {
						var rows []int
						for _, i := range d.train(f) {
							if !gone[i] {
								rows = append(rows, i)
							}
						}
						dd.Train = append(dd.Train, rows)
					}
					re, err := CrossFitFixed(t.Context(), FixedData{Rows: rowsOf(x), Class: class, Classes: w.classes, Groups: groups, Folds: folds, Train: dd.Train}, FixedOptions{C: 1})
					if err != nil {
						t.Fatal(err)
					}
					cc, _ := score.NewConfusion(w.classes, score.Outside(blocks, j, class), score.Outside(blocks, j, re.Predicted))
					reps[2][0] = append(reps[2][0], cc.Accuracy())
					reps[2][1] = append(reps[2][1], cc.BalancedAccuracy())
				}
			}
			for s := range est {
				mean[s] += est[s] / float64(draws)
				sq[s] += est[s] * est[s] / float64(draws)
				for m := range reps {
					if len(reps[m][s]) == 0 {
						continue
					}
					j, err := blocks.Jackknife(est[s], reps[m][s], nil)
					if err != nil {
						t.Fatal(err)
					}
					se[m][s] += j.StdError / float64(draws)
					if j.Interval.Low <= truth[s] && truth[s] <= j.Interval.High {
						hold[m][s] += 1 / float64(draws)
					}
				}
			}
		}
		t.Logf("%+v truth %.3f mean %.3f sd %.4f %.4f\n given %.3f se %.4f; effects %.3f se %.4f; refits %.3f se %.4f", w, truth, mean,
			math.Sqrt(sq[0]-mean[0]*mean[0]), math.Sqrt(sq[1]-mean[1]*mean[1]), hold[0], se[0], hold[1], se[1], hold[2], se[2])
	}
}
