// A study of two models in three tasks.

package study_test

import (
	"context"
	"fmt"
	"log"

	"repscope/measure/study"
)

func Example() {
	var entries []study.Score
	for model, tasks := range map[string]map[string][]float64{
		"jepa":   {"pong": {0.91, 0.84, 0.88}, "breakout": {0.70, 0.62, 0.66}, "seaquest": {0.45, 0.52, 0.47}},
		"encdec": {"pong": {0.86, 0.79, 0.90}, "breakout": {0.58, 0.55, 0.60}, "seaquest": {0.44, 0.40, 0.41}},
	} {
		for task, runs := range tasks {
			for run, score := range runs {
				entries = append(entries, study.Score{Model: model, Task: task, Run: fmt.Sprint("seed ", run), Value: score})
			}
		}
	}
	m, err := study.New(entries, study.MissingError)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	iqm, err := m.Estimate(ctx, "jepa", study.IQM, study.Options{})
	if err != nil {
		log.Fatal(err)
	}
	better, err := m.Improvement(ctx, "jepa", "encdec", study.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("interquartile mean %.3f [%.3f, %.3f]\n", iqm.Value, iqm.Interval.Low, iqm.Interval.High)
	fmt.Printf("probability of improvement %.2f [%.2f, %.2f]\n", better.Value, better.Interval.Low, better.Interval.High)
	// Output:
	// interquartile mean 0.668 [0.620, 0.716]
	// probability of improvement 0.89 [0.61, 0.97]
}

// The statistics themselves, of scores that are no study yet.
func ExampleStatistic() {
	x, y := study.ByTask{{0.9, 0.8}, {0.7, 0.6}}, study.ByTask{{0.9, 0.7}, {0.5, 0.3}}
	fmt.Printf("x better than y %.3f, ratio %.3f\n", study.Improvement(x, y), study.GeometricMeanRatio(x, y))
	fmt.Printf("above 0.75: runs %.2f, tasks %.2f\n", study.RunProfile(0.75)(x), study.AverageProfile(0.75)(x))
	fmt.Println("mean ranks", study.AverageRanks([]study.ByTask{x, y}))
	// Output:
	// x better than y 0.812, ratio 1.314
	// above 0.75: runs 0.50, tasks 0.50
	// mean ranks [1 2]
}
