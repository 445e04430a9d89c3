// Package study compares models by their scores in several tasks, each done in several
// runs (seeds): the interquartile mean and other aggregates, the probability of
// improvement, performance profiles and ranks, after Agarwal, Schwarzer, Castro,
// Courville and Bellemare (2021), "Deep reinforcement learning at the edge of the
// statistical precipice".
//
//	entries := []study.Score{{Model: "jepa", Task: "pong", Run: "seed 1", Value: 0.8}} // and so on
//	m, err := study.New(entries, study.MissingError)
//	iqm, err := m.Estimate(ctx, "jepa", study.IQM, study.Options{Seed: 42})
//	better, err := m.Improvement(ctx, "jepa", "encdec", study.Options{Seed: 42})
//	fmt.Println(iqm.Value, iqm.Interval, better.Value, better.Interval)
//
// Scores are better when higher ([Matrix.Negate] turns errors into scores) and, for
// aggregates, in units that tasks share ([Matrix.Normalize]). The axes are named in
// every entry, so that tasks cannot be taken for runs. Models and tasks stand in the
// order in which they first appear; runs may differ in number from cell to cell, and
// every task has the same weight whatever its runs.
//
// Point values and resampling agree with the authors' library rliable for equal
// numbers of runs. Its intervals, percentiles of a bootstrap that is stratified by
// tasks, are [Percentile]; with few runs they hold less often than they say, and the
// default is another ([Jackknife]). The interval is about other runs of the same
// tasks, unless [Options.Tasks] asks about other tasks.
package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/stat"
)

// Score is one cell entry of a study.
type Score struct {
	Model, Task, Run string
	Value            float64
}

// ByTask are the scores of one model: ByTask[task][run], with as many runs in a task
// as there are. The formulas of this package expect at least one task, at least one
// run in each, and finite scores; a [Matrix] has checked that.
type ByTask [][]float64

// Missing is the treatment of a model without a run of a task that another model has.
type Missing int

const (
	// MissingError refuses such a study, naming the model and the task.
	MissingError Missing = iota
	// DropTasks leaves out the tasks that some model lacks, and lists them in
	// [Matrix.LeftOut].
	DropTasks
)

// Matrix is a study: the scores of models in tasks, run by run.
type Matrix struct {
	Models, Tasks []string
	LeftOut       []string // tasks that were left out: see DropTasks
	cells         []ByTask // of each model
}

// New arranges scores. Errors: no scores, an empty name, two scores of one model, task
// and run, a score that is NaN or infinite (a run that failed needs a score that says
// how bad that is; leaving it out would reward failing), a model without a run of a
// task (see [Missing]), no task that all models have.
func New(scores []Score, missing Missing) (*Matrix, error) {
	if len(scores) == 0 {
		return nil, stat.Undefined("study", "no scores")
	}
	m := &Matrix{}
	modelOf, taskOf := map[string]int{}, map[string]int{}
	seen := map[[3]string]bool{}
	for i, s := range scores {
		switch key := [3]string{s.Model, s.Task, s.Run}; {
		case s.Model == "" || s.Task == "":
			return nil, stat.Undefined("study", "score %d has model %q and task %q, want names for both", i, s.Model, s.Task)
		case math.IsNaN(s.Value) || math.IsInf(s.Value, 0):
			return nil, stat.Undefined("study", "%s is %v, want a finite score", s.name(), s.Value)
		case seen[key]:
			return nil, stat.Undefined("study", "%s has two scores, want one", s.name())
		default:
			seen[key] = true
		}
		model, task := position(modelOf, &m.Models, s.Model), position(taskOf, &m.Tasks, s.Task)
		for len(m.cells) <= model {
			m.cells = append(m.cells, nil)
		}
		for len(m.cells[model]) <= task {
			m.cells[model] = append(m.cells[model], nil)
		}
		m.cells[model][task] = append(m.cells[model][task], s.Value)
	}
	return m, m.complete(missing)
}

func (s Score) name() string {
	text := fmt.Sprintf("the score of model %q in task %q", s.Model, s.Task)
	if s.Run != "" {
		text += fmt.Sprintf(", run %q", s.Run)
	}
	return text
}

// position is the number of a name, which is entered where it is new.
func position(positions map[string]int, names *[]string, name string) int {
	i, ok := positions[name]
	if !ok {
		i = len(*names)
		positions[name] = i
		*names = append(*names, name)
	}
	return i
}

// complete holds that every model has every task, as missing says.
func (m *Matrix) complete(missing Missing) error {
	var tasks []string
	var kept []int
	for t, task := range m.Tasks {
		var without []string
		for i, cells := range m.cells {
			if t >= len(cells) || len(cells[t]) == 0 {
				without = append(without, fmt.Sprintf("%q", m.Models[i]))
			}
		}
		switch {
		case without == nil:
			tasks, kept = append(tasks, task), append(kept, t)
		case missing == DropTasks:
			m.LeftOut = append(m.LeftOut, task)
		default:
			return stat.Undefined("study",
				"model %s has no run of task %q, want at least one per task; add runs or remove such tasks",
				strings.Join(without, " and "), task)
		}
	}
	if len(tasks) == 0 {
		return stat.Undefined("study", "none of the %d tasks has runs of all %d models", len(m.Tasks), len(m.Models))
	}
	for i, cells := range m.cells {
		var row ByTask
		for _, t := range kept {
			// The order of runs means nothing: sorted, it cannot change a rounding.
			slices.Sort(cells[t])
			row = append(row, cells[t])
		}
		m.cells[i] = row
	}
	m.Tasks = tasks
	return nil
}

// Scores returns a copy of a model's scores by task, in the order of Tasks, the scores of a
// task in ascending order; nil for a model that is not in the study.
func (m *Matrix) Scores(model string) ByTask {
	i := slices.Index(m.Models, model)
	if i < 0 {
		return nil
	}
	return m.cells[i].clone()
}

func (b ByTask) clone() ByTask {
	out := make(ByTask, len(b))
	for t, runs := range b {
		out[t] = slices.Clone(runs)
	}
	return out
}

// Means returns the mean score of every task over its runs.
func (b ByTask) Means() []float64 {
	out := make([]float64, len(b))
	for t, runs := range b {
		out[t] = stat.Mean(runs)
	}
	return out
}

// Runs returns the smallest and the largest number of runs that a model has in a task.
func (m *Matrix) Runs() (least, maximum int) {
	least = math.MaxInt
	for _, cells := range m.cells {
		for _, runs := range cells {
			least, maximum = min(least, len(runs)), max(maximum, len(runs))
		}
	}
	return least, maximum
}

// mapped is the study with every score replaced.
func (m *Matrix) mapped(f func(task int, score float64) float64) *Matrix {
	out := &Matrix{Models: m.Models, Tasks: m.Tasks, LeftOut: m.LeftOut}
	for _, cells := range m.cells {
		cells = cells.clone()
		for t, runs := range cells {
			for i, v := range runs {
				runs[i] = f(t, v)
			}
		}
		out.cells = append(out.cells, cells)
	}
	return out
}

// Negate returns the study with every score's sign changed, for errors and other
// scores that are better when lower: enough for ranks and the probability of
// improvement, which have no units.
func (m *Matrix) Negate() *Matrix {
	return m.mapped(func(_ int, v float64) float64 { return -v })
}

// Normalize returns the study in units that tasks share: (score − worst)/(best −
// worst), with a value of both for every task, such as the scores of a random and of an
// expert player. It also turns scores that are better when lower, whose worst is above
// their best. Errors: another number of values than tasks, values that are equal or
// not finite.
func (m *Matrix) Normalize(worst, best []float64) (*Matrix, error) {
	if len(worst) != len(m.Tasks) || len(best) != len(m.Tasks) {
		return nil, stat.Undefined("normalized scores", "%d worst and %d best values for %d tasks",
			len(worst), len(best), len(m.Tasks))
	}
	for t, task := range m.Tasks {
		if d := best[t] - worst[t]; d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
			return nil, stat.Undefined("normalized scores",
				"task %q has the worst value %v and the best %v, want two different finite numbers",
				task, worst[t], best[t])
		}
	}
	return m.mapped(func(t int, v float64) float64 { return (v - worst[t]) / (best[t] - worst[t]) }), nil
}
