// Time of the steps.

package cpu

import (
	"time"

	"repscope/model/operator"
)

// StepTime is the time of a step: see [operator.StepTime].
type StepTime = operator.StepTime

// profile keeps the durations of the steps of a program.
type profile struct {
	program *program
	seconds [][]float64 // by step
}

// SetProfile begins to measure the time of steps, or ends it and discards the measurements. Measuring reads the clock
// twice per step.
func (x *Executor) SetProfile(on bool) {
	x.profiling, x.profiles = on, nil
}

// Profile is the time of the steps since SetProfile, in the order of the first run of their shapes and of the program.
func (x *Executor) Profile() []StepTime {
	var out []StepTime
	for _, p := range x.profiles {
		for i, seconds := range p.seconds {
			if len(seconds) == 0 {
				continue
			}
			t := operator.DescribeStep(p.program.Program, &p.program.Steps[i])
			t.Took(seconds)
			out = append(out, t)
		}
	}
	return out
}

// profileOf is where durations of a program go; nil while nothing is measured.
func (x *Executor) profileOf(p *program) *profile {
	if !x.profiling {
		return nil
	}
	for _, profile := range x.profiles {
		if profile.program == p {
			return profile
		}
	}
	added := &profile{program: p, seconds: make([][]float64, len(p.run))}
	x.profiles = append(x.profiles, added)
	return added
}

func (p *profile) add(step int, begin time.Time) {
	p.seconds[step] = append(p.seconds[step], time.Since(begin).Seconds())
}
