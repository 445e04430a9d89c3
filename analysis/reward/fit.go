// Fitting: every kind of probe by grouped folds, and again without each block where
// that is how its error is found.

package reward

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/probe"
	"repscope/points"
	"repscope/stat"
)

// side is the features that a probe is fitted on, and all that it is evaluated on, where
// the first are those it is fitted on.
type side struct {
	fittedOn    string
	rows        points.Points
	others      []points.Points
	evaluatedOn []string
	train       [][]int // the rows that the probe of each fold is fitted on; nil: all of the other folds
}

// probeData is what package probe takes.
func (a *analyzer) probeData(s side) probe.Data {
	return probe.Data{X: s.rows, Others: s.others, Groups: a.choice, Folds: a.fold, Train: s.train}
}

// crossFit is a probe fitted without each fold.
type crossFit struct {
	predicted [][]float64 // by the features it is evaluated on, [n, width]
	alphas    [][]float64 // by target, then by fold; nil for probes without
	// without visits the predictions of the probe fitted without each block, too; nil: it is
	// not fitted again, and its error comes from overFolds.
	without func(ctx context.Context, blocks *stat.Blocks, visit func(block int, predicted [][]float64) error) error
}

// tasks are the targets that a probe of one kind is fitted to together: numbers side by
// side, classes each by itself.
func tasks(name string, scorers []*Scorer) [][]*Scorer {
	var numbers []*Scorer
	var out [][]*Scorer
	for _, c := range scorers {
		switch {
		case c.Target.Classified():
			out = append(out, []*Scorer{c})
		case name == MLP: // a network shares its hidden units among its outputs
			out = append(out, []*Scorer{c})
		case name != Logistic:
			numbers = append(numbers, c)
		}
	}
	if len(numbers) > 0 {
		out = append([][]*Scorer{numbers}, out...)
	}
	return out
}

// fit fits a probe of one kind for every target that it can read, and enters its rows.
func (a *analyzer) fit(ctx context.Context, name string, s side, scorers []*Scorer, out *Measured) error {
	for _, task := range tasks(name, scorers) {
		c := newColumns(task)
		evaluations, fitted, err := a.crossFit(ctx, name, s, c)
		if err != nil {
			return err
		}
		for e, on := range s.evaluatedOn {
			for t, scorer := range task {
				r, err := a.row(scorer, name, s.fittedOn, on, evaluations[e][t])
				if err != nil {
					return fmt.Errorf("%s: %w", scorer.Target.Name, err)
				}
				if fitted.alphas != nil {
					r.Alphas = fitted.alphas[t]
					if s.fittedOn == True && on == True && scorer.varies() && a.weakest(r.Alphas) {
						out.Warnings = append(out.Warnings, fmt.Sprintf(
							"%s: ridge of %s chooses the weakest strength, %g, in every fold, so scores may "+
								"be too low: set a weaker --alpha, or --latent-scale "+
								"rms", out.Name, scorer.Target.Name, r.Alphas[0]))
					}
				}
				if name == Ridge && s.fittedOn == True && on == True && a.data.blocks != nil {
					loss := fmt.Sprintf("%s: loss of %s by ridge", out.Name, r.Target)
					if w := results.LengthWarning(loss, "sample", r.Losses, a.data.group); w != "" {
						out.Warnings = append(out.Warnings, w)
					}
				}
				out.Rows = append(out.Rows, r)
			}
		}
	}
	return nil
}

// weakest reports whether every fold chose the smallest strength: the best may lie below, as
// for latents in tiny units. The largest says nothing: it is right where there is nothing to read.
func (a *analyzer) weakest(alphas []float64) bool {
	smallest := probe.DefaultAlphas()[0]
	return a.o.Alpha == 0 && !slices.ContainsFunc(alphas, func(alpha float64) bool { return alpha > smallest })
}

// crossFit fits one probe, and again without each block; evaluations are by what it is
// evaluated on, then by target.
func (a *analyzer) crossFit(ctx context.Context, name string, s side, c *columns) ([][]evaluation, *crossFit, error) {
	var fitted *crossFit
	var err error
	switch d := a.probeData(s); name {
	case Ridge:
		fitted, err = a.ridge(ctx, d, c)
	case Logistic:
		fitted, err = a.logistic(ctx, d, c)
	case MLP:
		fitted, err = a.network(ctx, d, c)
	default:
		fitted, err = a.neighbors(ctx, d, c)
	}
	if err != nil {
		return nil, nil, err
	}
	evaluations := make([][]evaluation, len(fitted.predicted))
	for e, predicted := range fitted.predicted {
		evaluations[e] = make([]evaluation, len(c.scorers))
		for t := range c.scorers {
			evaluations[e][t].outputs, evaluations[e][t].fold = c.outputs(t, predicted), a.fold
			if fitted.without == nil {
				evaluations[e][t].cut = a.fold
			}
		}
	}
	if a.data.blocks == nil || fitted.without == nil {
		return evaluations, fitted, nil
	}
	err = fitted.without(ctx, a.data.blocks, func(j int, predicted [][]float64) error {
		for e := range predicted {
			for t, scorer := range c.scorers {
				d, err := scorer.delete(j, a.fold, c.outputs(t, predicted[e]))
				if err != nil {
					return err
				}
				evaluations[e][t].left = append(evaluations[e][t].left, d)
			}
		}
		return nil
	})
	return evaluations, fitted, err
}

// ridge reads several numbers, each with a strength of its own, or one class: a number for
// every class, 1 or 0, with one strength for all; the largest names the class.
func (a *analyzer) ridge(ctx context.Context, d probe.Data, c *columns) (*crossFit, error) {
	o := probe.RidgeOptions{PerTarget: !c.scorers[0].Target.Classified(), Threads: a.o.Threads}
	if a.o.Alpha > 0 {
		o.Alphas = []float64{a.o.Alpha}
	}
	fitted, err := probe.CrossFitRidge(ctx, d, c.targets(a.data.n()), o)
	if err != nil {
		return nil, err
	}
	out := &crossFit{predicted: fitted.Predicted, without: fitted.Without, alphas: make([][]float64, len(c.scorers))}
	for t := range c.scorers {
		for _, head := range fitted.Heads {
			out.alphas[t] = append(out.alphas[t], head.Alpha[c.start[t]])
		}
	}
	return out, nil
}

// logisticCs are the inverse penalties that logistic regression chooses from: with weaker
// ones it takes long to tell apart what episodes alone tell apart.
func logisticCs() []float64 { return []float64{1e-3, 1e-2, 1e-1, 1, 10} }

// logistic reads one class from features of unit variance, which its penalty counts alike.
func (a *analyzer) logistic(ctx context.Context, d probe.Data, c *columns) (*crossFit, error) {
	fitted, err := probe.CrossFitLogistic(ctx, d, c.scorers[0].classes, c.scorers[0].count,
		probe.LogisticOptions{Cs: logisticCs(), Standardize: true, Threads: a.o.Threads})
	if err != nil {
		return nil, err
	}
	return &crossFit{predicted: fitted.Predicted, without: fitted.Without}, nil
}

// network reads one number or one class. It is not fitted again without blocks: a network that lacks a few rows differs
// more by chance than by the rows.
func (a *analyzer) network(ctx context.Context, d probe.Data, c *columns) (*crossFit, error) {
	o := probe.MLPOptions{Seed: a.o.Seed, Threads: a.o.Threads}
	var fitted *probe.MLPCrossFit
	var err error
	if only := c.scorers[0]; only.Target.Classified() {
		fitted, err = probe.CrossFitMLPClassifier(ctx, d, only.classes, only.count, o)
	} else {
		fitted, err = probe.CrossFitMLP(ctx, d, c.targets(a.data.n()), o)
	}
	if err != nil {
		return nil, err
	}
	return &crossFit{predicted: fitted.Predicted}, nil
}

// neighbors reads the mean of the nearest samples of other folds.
func (a *analyzer) neighbors(ctx context.Context, d probe.Data, c *columns) (*crossFit, error) {
	fitted, err := probe.CrossFitNeighbors(ctx, d, c.targets(a.data.n()), probe.NeighborOptions{Threads: a.o.Threads})
	if err != nil {
		return nil, err
	}
	return &crossFit{predicted: fitted.Predicted, without: fitted.Without}, nil
}

// columns are targets side by side: a column for each number, and one for each class.
type columns struct {
	scorers []*Scorer
	start   []int // of each target, and the end
}

func newColumns(scorers []*Scorer) *columns {
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
			if s.Target.Classified() {
				data[i*c.width()+c.start[t]+s.classes[i]] = 1
			} else {
				data[i*c.width()+c.start[t]] = s.Values[i]
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
		if !c.scorers[t].Target.Classified() {
			out.values = append(out.values, row[0])
			continue
		}
		best := 0
		for k, v := range row {
			if v > row[best] || math.IsNaN(row[best]) {
				best = k
			}
		}
		out.class = append(out.class, best)
	}
	return out
}
