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
