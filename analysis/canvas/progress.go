// Scores over the steps of a design: snapshots, and the final design behind them.

package canvas

import (
	"math"
	"slices"

	"repscope/report"
)

// progressSteps is into how many equal parts the way to the final design is divided.
const progressSteps = 10

// Progress is the mean of a key over the cases of a model at one part of the way, from 0, the
// first snapshot, to 1, the final design. Cases take different numbers of steps: between two
// steps that have the key the score is taken to change evenly.
type Progress struct {
	Key string
	At  float64
	report.Estimate
	N int // cases that have it there
}

// Step is a snapshot of a case, or its final design.
type Step struct {
	Row int     // of [Result.Rows]
	At  float64 // part of the way
}

// stepsOf are the steps of the cases of a model that have snapshots, by case in their order,
// each in the order of their numbers with the final design as the last.
func (r *Result) stepsOf(model string) [][]Step {
	rows := map[string][]int{}
	var order []string
	for i, row := range r.Rows {
		if c := row.Case; c.Model == model {
			if rows[c.ID] == nil {
				order = append(order, c.ID)
			}
			rows[c.ID] = append(rows[c.ID], i)
		}
	}
	number := func(i int) int {
		if n := r.Rows[i].Case.Snapshot; n >= 0 {
			return n
		}
		return math.MaxInt
	}
	var out [][]Step
	for _, id := range order {
		list := rows[id]
		if len(list) < 2 {
			continue
		}
		slices.SortStableFunc(list, func(a, b int) int {
			if number(a) < number(b) {
				return -1
			}
			return 1
		})
		steps := make([]Step, len(list))
		for k, i := range list {
			steps[k] = Step{Row: i, At: float64(k) / float64(len(list)-1)}
		}
		out = append(out, steps)
	}
	return out
}

// progress adds the curves of a model.
func (p *plan) progress(r *Result, m *ModelResult) error {
	cases := r.stepsOf(m.Name)
	if len(cases) == 0 {
		return nil
	}
	for _, key := range p.keys() {
		for part := range progressSteps + 1 {
			time := float64(part) / progressSteps
			var samples []string
			var values []float64
			for _, steps := range cases {
				if v := r.between(steps, key.Name, time); !math.IsNaN(v) {
					samples, values = append(samples, r.Rows[steps[0].Row].Case.Sample), append(values, v)
				}
			}
			point := Progress{Key: key.Name, At: time, N: len(values)}
			var err error
			if point.Estimate, err = p.mean(&key, samples, values, "no case has this score at this step"); err != nil {
				return err
			}
			m.Progress = append(m.Progress, point)
		}
	}
	return nil
}

// between is the score of a case at a part of the way; NaN before its first step that has the
// key, and behind its last.
func (r *Result) between(steps []Step, key string, time float64) float64 {
	last, lastAt := math.NaN(), math.NaN()
	for _, s := range steps {
		v := r.Rows[s.Row].Row.Values[key]
		if !v.Defined() {
			continue
		}
		switch {
		case s.At == time:
			return v.V
		case s.At > time:
			return last + float64((v.V-last)*(time-lastAt))/(s.At-lastAt)
		}
		last, lastAt = v.V, s.At
	}
	return math.NaN()
}

// progressEntry is the part of the result file.
func (m *ModelResult) progressEntry() report.Object {
	rows := make([]report.Object, progressSteps+1)
	for i := range rows {
		rows[i].SetParameter("progress", float64(i)/progressSteps)
	}
	for i, point := range m.Progress {
		row := &rows[i%(progressSteps+1)]
		row.Set(point.Key, report.WithInterval(point.Value, point.CI))
	}
	var o report.Object
	o.Set("not_compared", "scores of intermediate steps")
	o.Set("by_progress", rows)
	return o
}
