// Fitting: every kind of probe by grouped folds, and again without each block where
// that is how its error is found.

package reward

import (
	"context"
	"fmt"

	"repscope/measure/probe"
	"repscope/points"
)

// side is the features that a probe is fitted on, and all that it is evaluated on, of which
// the first are those it is fitted on.
type side struct {
	fittedOn    string
	rows        points.Points
	others      []points.Points
	evaluatedOn []string
}

// data is what package probe takes.
func (a *analyzer) probeData(s side) probe.Data {
	return probe.Data{X: s.rows, Others: s.others, Groups: a.choice, Folds: a.fold}
}

// fit fits a probe of one kind for every target that it can read, and enters its rows.
func (a *analyzer) fit(ctx context.Context, name string, s side, scorers []*scorer, out *Measured) error {
	var numbers, classes []*scorer
	for _, c := range scorers {
		if c.target.classified() {
			classes = append(classes, c)
		} else {
			numbers = append(numbers, c)
		}
	}
	switch name {
	case Ridge:
		if len(numbers) > 0 {
			if err := a.ridge(ctx, s, numbers, out); err != nil {
				return err
			}
		}
		for _, c := range classes {
			if err := a.ridge(ctx, s, []*scorer{c}, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// ridge reads several numbers, each with a penalty of its own, or one class: a number for
// every class, 1 or 0, with one penalty for all, of which the largest names the class.
func (a *analyzer) ridge(ctx context.Context, s side, scorers []*scorer, out *Measured) error {
	o := probe.RidgeOptions{PerTarget: !scorers[0].target.classified(), Threads: a.o.Threads}
	if a.o.Alpha > 0 {
		o.Alphas = []float64{a.o.Alpha}
	}
	columns := newColumns(scorers)
	fitted, err := probe.CrossFitRidge(ctx, a.probeData(s), columns.targets(a.data.n()), o)
	if err != nil {
		return err
	}
	evaluations := make([][]evaluation, len(fitted.Predicted)) // [e][target]
	for e, predicted := range fitted.Predicted {
		evaluations[e] = make([]evaluation, len(scorers))
		for t := range scorers {
			evaluations[e][t].outputs = columns.outputs(t, predicted)
		}
	}
	if a.data.blocks != nil {
		if err := fitted.Without(ctx, a.data.blocks, func(j int, predicted [][]float64) error {
			for e := range predicted {
				for t, c := range scorers {
					d, err := c.delete(j, columns.outputs(t, predicted[e]))
					if err != nil {
						return err
					}
					evaluations[e][t].left = append(evaluations[e][t].left, d)
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	for e, on := range s.evaluatedOn {
		for t, c := range scorers {
			r, err := a.row(c, Ridge, s.fittedOn, on, evaluations[e][t])
			if err != nil {
				return fmt.Errorf("%s: %w", c.target.Name, err)
			}
			for _, head := range fitted.Heads {
				r.Alphas = append(r.Alphas, head.Alpha[columns.start[t]])
			}
			out.Rows = append(out.Rows, r)
		}
	}
	return nil
}

// columns are targets side by side: a column for each number, and one for each class.
type columns struct {
	scorers []*scorer
	start   []int // of each target, and the end
}

func newColumns(scorers []*scorer) *columns {
	c := &columns{scorers: scorers, start: []int{0}}
	for _, s := range scorers {
		c.start = append(c.start, c.start[len(c.start)-1]+max(s.count, 1))
	}
	return c
}

func (c *columns) width() int { return c.start[len(c.scorers)] }

// targets is the matrix [n, width], row-major.
func (c *columns) targets(n int) points.Points {
	data := make([]float64, n*c.width())
	for t, s := range c.scorers {
		for i := range n {
			if s.target.classified() {
				data[i*c.width()+c.start[t]+s.classes[i]] = 1
			} else {
				data[i*c.width()+c.start[t]] = s.values[i]
			}
		}
	}
	return points.Float64(data, c.width())
}

// outputs are what a matrix of predictions says of target t; of equal numbers the first
// names the class.
func (c *columns) outputs(t int, predicted []float64) outputs {
	n, width, lo, hi := len(predicted)/c.width(), c.width(), c.start[t], c.start[t+1]
	var out outputs
	for i := range n {
		row := predicted[i*width+lo : i*width+hi]
		if !c.scorers[t].target.classified() {
			out.values = append(out.values, row[0])
			continue
		}
		best := 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		out.class = append(out.class, best)
	}
	return out
}
