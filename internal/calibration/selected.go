// Numbers that predict an outcome to a known degree, and numbers that only share its trend: how often the intervals of
// validate hold the truth, and how often it takes a trend for a prediction.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"repscope/report"
	"repscope/tool/validate"
)

// selectDesign has checkpoints of runs. Number and outcome follow autoregressive states with the correlation Rho, a
// trend over training that all numbers share, and a level of each run. The outcome is known from two halves with the
// error Noise; 0: without error.
type selectDesign struct {
	Name         string
	Runs, Steps  int
	Rho, AR      float64
	Trend, Noise float64
}

func (d selectDesign) String() string { return d.Name }

// selectDesigns are named by runs × checkpoints and by their differences.
func selectDesigns() []selectDesign {
	return []selectDesign{
		{"3×20", 3, 20, 0.6, 0.6, 2, 0.4},
		{"5×20", 5, 20, 0.6, 0.6, 2, 0.4},
		{"8×20", 8, 20, 0.6, 0.6, 2, 0.4},
		{"12×20", 12, 20, 0.6, 0.6, 2, 0.4},
		{"12×20 strong", 12, 20, 0.95, 0.6, 2, 0},
		{"3×20 strong", 3, 20, 0.95, 0.6, 2, 0},
		{"12×20 nothing", 12, 20, 0, 0.6, 2, 0.4},
		{"3×20 nothing", 3, 20, 0, 0.9, 6, 0.4},
		{"12 models", 12, 1, 0.6, 0, 0, 0},
		{"40 models", 40, 1, 0.6, 0, 0, 0},
		{"1×200", 1, 200, 0.6, 0.6, 0, 0.4},
	}
}

// unrelatedNumbers is the number of numbers that share nothing with the outcome but its trend.
const unrelatedNumbers = 4

// draw draws a table of a number of runs.
func (d selectDesign) draw(r *rand.Rand, runs int) *validate.Input {
	in := &validate.Input{OutcomeName: "outcome", StepName: "step"}
	numbers := []validate.Candidate{{Name: "number", Direction: report.Higher}}
	for k := range unrelatedNumbers {
		c := validate.Candidate{Name: fmt.Sprintf("other %d", k+1), Direction: report.Higher}
		if k == 0 {
			c.Direction = validate.Unknown
		}
		numbers = append(numbers, c)
	}
	if d.Noise > 0 {
		in.Halves = new([2][]float64)
	}
	state, level := make([]float64, 2+unrelatedNumbers), make([]float64, 2+unrelatedNumbers)
	for run := range runs {
		for k := range level {
			if level[k] = 0; d.Runs > 1 { // one run is about more of itself
				level[k] = 0.5 * r.NormFloat64()
			}
		}
		for step := range d.Steps {
			trend := d.Trend * (1 - math.Exp(-float64(step)/4))
			for k := range state {
				e := r.NormFloat64()
				if step > 0 {
					e = d.AR*state[k] + math.Sqrt(1-d.AR*d.AR)*e
				}
				state[k] = e
			}
			outcome := level[0] + trend + d.Rho*state[1] + math.Sqrt(1-d.Rho*d.Rho)*state[0]
			if in.Halves != nil {
				a, b := outcome+d.Noise*math.Sqrt2*r.NormFloat64(), outcome+d.Noise*math.Sqrt2*r.NormFloat64()
				in.Halves[0], in.Halves[1] = append(in.Halves[0], a), append(in.Halves[1], b)
				outcome = (a + b) / 2
			}
			in.Outcome = append(in.Outcome, outcome)
			for k := range numbers {
				numbers[k].Values = append(numbers[k].Values, level[k+1]+trend+state[k+1])
			}
			in.Labels = append(in.Labels, "")
			in.Run = append(in.Run, fmt.Sprint(run))
			in.Step = append(in.Step, float64(step))
		}
	}
	if d.Steps == 1 {
		in.Step = nil
	}
	in.Numbers = numbers
	return in
}

// selectTruth are the numbers of very many runs.
func (d selectDesign) truth(ctx context.Context) (*validate.Number, error) {
	runs := 40_000 / d.Steps
	in := d.draw(rand.New(rand.NewPCG(1, 2)), runs)
	in.Numbers = in.Numbers[:1]
	r, err := validate.Analyze(ctx, in, validate.Options{})
	if err != nil {
		return nil, err
	}
	return r.Numbers[0], nil
}

// observeSelection is one draw.
func observeSelection(ctx context.Context, d selectDesign, truth *validate.Number, seed,
	rep uint64) ([]observation, error) {
	in := d.draw(rand.New(rand.NewPCG(seed, rep)), d.Runs)
	r, err := validate.Analyze(ctx, in, validate.Options{Intervals: true, Permutations: 199, Seed: rep, Threads: 1})
	if err != nil {
		return nil, err
	}
	var out []observation
	n := r.Numbers[0]
	for _, q := range []struct {
		name    string
		e, true report.Estimate
	}{{"spearman", n.Spearman, truth.Spearman}, {"kendall", n.Kendall, truth.Kendall},
		{"partial", n.Partial, truth.Partial}, {"within", n.Within, truth.Within}, {"between", n.Between, truth.Between},
		{"disattenuated", n.Disattenuated, truth.Disattenuated}, {"regret", n.Regret, truth.Regret},
		{"over_last", n.OverLast, truth.OverLast}, {"over_random", n.OverRandom, truth.OverRandom}} {
		interval := noInterval
		if q.e.CI.Defined() {
			interval.Low, interval.High = q.e.CI.Low, q.e.CI.High
		}
		out = append(out, observe(q.name, q.e.Float(), interval, q.true.Float()))
	}
	p := func(name string, v float64) { out = append(out, observe(name, 0, noInterval, 0).tested(v)) }
	p("other, direction not known", r.Numbers[1].P.Float())
	p("other, direction known", r.Numbers[2].P.Float())
	least := math.NaN()
	for _, other := range r.Numbers[1:] {
		if v := other.PMax.Float(); !(least <= v) {
			least = v
		}
	}
	p("any of 4 others, p_max", least)
	return out, nil
}

// writeSelection writes the tables of validations.
func writeSelection(ctx context.Context, w io.Writer, designs []selectDesign, draws int, seed uint64,
	threads int) error {
	truths := make([]func() (*validate.Number, error), len(designs))
	for k, d := range designs {
		truths[k] = sync.OnceValues(func() (*validate.Number, error) { return d.truth(ctx) })
	}
	tallies, err := tallyTrue(ctx, designs, draws, threads, func(d selectDesign, rep uint64) ([]observation, error) {
		truth, err := truths[slices.Index(designs, d)]()
		if err != nil {
			return nil, err
		}
		return observeSelection(ctx, d, truth, seed, rep)
	})
	if err != nil {
		return err
	}
	writeStudyTable(w, fmt.Sprintf("Numbers that predict an outcome: intervals that hold the value of very many runs, "+
		"coverage in percent ± Monte-Carlo error (width), %d draws", draws), tallies)
	writeMissing(w, tallies)
	return nil
}
