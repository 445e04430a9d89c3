// The synthetic table of --example.

package validate

import (
	"fmt"
	"math"

	"repscope/report"
	"repscope/stat"
)

const (
	exampleRuns  = 6
	exampleSteps = 20
	// exampleTrials are the trials of each half of the evaluation of a checkpoint.
	exampleTrials = 100
)

// Example is a synthetic table: the success rate of 6 runs of 20 checkpoints, in two halves of 100 trials each. Of four
// numbers one follows how good a checkpoint is (rollout_error), the validation loss follows the training step and a
// little of it, and two follow the step alone. Nothing was measured. Columns say the directions of numbers.
func Example(seed uint64, c Columns) *Input {
	r := stat.NewRandom(stat.StreamValidateExample.Key(seed))
	in := &Input{OutcomeName: "success", ValidationLoss: "validation_loss", StepName: "step", Halves: new([2][]float64)}
	numbers := []Candidate{{Name: "rollout_error", Direction: report.Lower},
		{Name: "validation_loss", Direction: report.Lower},
		{Name: "effective_rank", Direction: Unknown}, {Name: "straightness", Direction: report.Higher}}
	for k := range numbers {
		if numbers[k].From = fromDescription; numbers[k].Direction == Unknown {
			numbers[k].From = fromNone
		}
		d := Directions{}.of(numbers[k].Name, c)
		if d.from == fromFlag {
			numbers[k].Direction, numbers[k].From = d.direction, d.from
		}
	}
	for run := range exampleRuns {
		level, state := 0.3*r.Normal(), 0.0
		collapse := 10 + 8*r.Float64() // the step from which the run gets worse
		slow := [4]float64{}
		for step := range exampleSteps {
			trend := 1 - math.Exp(-float64(step+1)/5)
			state = 0.7*state + 0.5*r.Normal()
			quality := level + 2*trend + state - 0.12*max(0, float64(step)-collapse)
			for k := range slow {
				slow[k] = 0.6*slow[k] + 0.5*r.Normal()
			}
			rate := 1 / (1 + math.Exp(1.2-quality))
			total := 0.0
			for half := range in.Halves {
				won := 0
				for range exampleTrials {
					if r.Float64() < rate {
						won++
					}
				}
				in.Halves[half] = append(in.Halves[half], float64(won)/exampleTrials)
				total += float64(won) / exampleTrials
			}
			in.Outcome = append(in.Outcome, total/2)
			values := [4]float64{
				math.Exp(-0.5*quality + 0.2*slow[0]),
				0.4 + math.Exp(-float64(step)/4) + 0.05*(slow[1]-state),
				20 + 30*trend + 4*slow[2],
				0.3 + 0.3*trend + 0.1*slow[3],
			}
			for k, v := range values {
				numbers[k].Values = append(numbers[k].Values, v)
			}
			in.Run = append(in.Run, fmt.Sprintf("seed %d", run+1))
			in.Step = append(in.Step, float64(1000*(step+1)))
			in.Labels = append(in.Labels, fmt.Sprintf("seed %d step %d", run+1, 1000*(step+1)))
		}
	}
	in.Numbers = numbers
	return in
}
