// Checkpoints of a run: how alike each is to the last one.

package similarity

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
)

// RunCurve is a score of all checkpoints of a run with its last one: of three or more models that are named RUN@STEP,
// or as [text.CutStep] reads them.
type RunCurve struct {
	Run   string    `json:"run"`
	Last  string    `json:"last"` // the model of the greatest step
	Score string    `json:"score"`
	Steps []RunStep `json:"steps"` // in ascending order, without the last
}

// RunStep is a checkpoint. Directed scores lead from the checkpoint (a) to the last one (b).
type RunStep struct {
	Step  float64 `json:"step"`
	Model string  `json:"model"`
	PairScore
}

// fewestCheckpoints make a run.
const fewestCheckpoints = 3

// checkpoint is a model of a run.
type checkpoint struct {
	run   string
	step  float64
	model int
}

// cutMark cuts RUN@STEP.
func cutMark(name string) (run string, step float64, ok bool) {
	mark := strings.LastIndex(name, "@")
	if mark < 1 {
		return "", 0, false
	}
	step, err := strconv.ParseFloat(name[mark+1:], 64)
	return name[:mark], step, err == nil && !math.IsNaN(step) && !math.IsInf(step, 0)
}

// checkpoints are the models of runs, run by run in the order of their first models, by step.
func checkpoints(names []string) [][]checkpoint {
	var runs [][]checkpoint
	for m, name := range names {
		run, step, ok := text.CutStep(name)
		if !ok {
			if run, step, ok = cutMark(name); !ok {
				continue
			}
		}
		one := checkpoint{run, step, m}
		if r := slices.IndexFunc(runs, func(run []checkpoint) bool { return run[0].run == one.run }); r >= 0 {
			runs[r] = append(runs[r], one)
		} else {
			runs = append(runs, []checkpoint{one})
		}
	}
	runs = slices.DeleteFunc(runs, func(run []checkpoint) bool { return len(run) < fewestCheckpoints })
	for _, run := range runs {
		slices.SortStableFunc(run, func(x, y checkpoint) int { return cmp.Compare(x.step, y.step) })
	}
	return runs
}

// HasRuns reports whether the names of models have a run.
func HasRuns(names []string) bool { return len(checkpoints(names)) > 0 }

// runs are the scores of the checkpoints of all runs.
func (a *analyzer) runs(r *Result) []RunCurve {
	names := results.Names(a.in.Models)
	var out []RunCurve
	for _, run := range checkpoints(names) {
		last := run[len(run)-1]
		for _, name := range a.names {
			one := RunCurve{Run: last.run, Last: names[last.model], Score: name}
			for _, c := range run[:len(run)-1] {
				score := name
				if other, ok := reversed(name); ok && last.model < c.model {
					score = other
				}
				couple := [2]int{min(c.model, last.model), max(c.model, last.model)}
				pair := &r.Pairs[slices.Index(a.couples, couple)]
				one.Steps = append(one.Steps, RunStep{c.step, names[c.model], pair.Score(score)})
			}
			out = append(out, one)
		}
	}
	return out
}
