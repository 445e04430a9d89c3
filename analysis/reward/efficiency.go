// How many labels a probe needs, what it reads where there is nothing to read, and how the
// targets are spread over the coordinates of latents.

package reward

import (
	"context"

	"repscope/measure/probe"
	"repscope/points"
	"repscope/report"
)

// extras adds the requested numbers besides the probes, from true latents.
func (a *analyzer) extras(ctx context.Context, m *Model, both bool, scorers []*Scorer, out *Measured) error {
	rows := a.data.newFeatures(m, True, both).rows
	for _, share := range a.o.LabelEfficiency {
		if err := a.efficiency(ctx, share, rows, scorers, out); err != nil {
			return err
		}
	}
	if a.o.Control {
		if err := a.control(ctx, rows, scorers, out); err != nil {
			return err
		}
	}
	if a.o.Disentanglement && !both {
		return a.disentangle(ctx, rows, scorers, out)
	}
	return nil
}

// efficiency fits the linear probes on a share of the episodes of the other folds.
func (a *analyzer) efficiency(ctx context.Context, share float64, rows points.Points, scorers []*Scorer,
	out *Measured) error {
	train, episodes, err := probe.Fractions(a.choice, a.fold, share, a.o.Seed)
	if err != nil {
		return err
	}
	labels, count := 0.0, 0.0
	for f := range train {
		labels += float64(len(train[f])) / float64(len(train))
		count += float64(episodes[f]) / float64(len(train))
	}
	s := side{fittedOn: True, rows: rows, evaluatedOn: []string{True}, train: train}
	for _, task := range tasks(Ridge, scorers) {
		evaluations, _, err := a.crossFit(ctx, Ridge, s, newColumns(task))
		if err != nil {
			return err
		}
		for t, c := range task {
			scores, err := c.scores(evaluations[0][t])
			if err != nil {
				return err
			}
			out.Curve = append(out.Curve, Point{Target: c.Target.Name, Probe: Ridge, Share: share, Labels: labels, Episodes: count, Scores: scores})
		}
	}
	return nil
}

// control fits the linear probes on the targets of other samples, in their sequence in time,
// and enters their scores next to the scores of the probes.
func (a *analyzer) control(ctx context.Context, rows points.Points, scorers []*Scorer, out *Measured) error {
	order := probe.ControlOrder(a.data.group, a.o.Seed)
	s := side{fittedOn: True, rows: rows, evaluatedOn: []string{True}}
	for _, task := range tasks(Ridge, scorers) {
		moved := make([]*Scorer, len(task))
		for t, c := range task {
			moved[t] = c.moved(order)
		}
		evaluations, _, err := a.crossFit(ctx, Ridge, s, newColumns(moved))
		if err != nil {
			return err
		}
		for t, c := range moved {
			scores, err := c.scores(evaluations[0][t])
			if err != nil {
				return err
			}
			for i := range out.Rows {
				if r := &out.Rows[i]; r.Target == c.Target.Name && r.Probe == Ridge && r.FittedOn == True && r.EvaluatedOn == True {
					r.Control = scores
				}
			}
		}
	}
	return nil
}

// moved is the scorer of the target of other samples.
func (c *Scorer) moved(order []int) *Scorer {
	out := *c
	if c.Target.Classified() {
		out.classes = At(c.classes, order)
	} else {
		out.Values, out.positive = At(c.Values, order), At(c.positive, order)
	}
	return &out
}

// Disentanglement says how the targets of states are spread over the coordinates of the
// latents: DCI (Eastwood and Williams 2018) and the mutual information gap (Chen et al. 2018).
// They are about axes: a rotation of the latents, which no linear probe sees, changes them.
type Disentanglement struct {
	Disentanglement report.Value `json:"disentanglement"`
	Completeness    report.Value `json:"completeness"`
	Informativeness report.Value `json:"informativeness"`
	MIG             report.Value `json:"mig"`
	Targets         int          `json:"targets"`
}

// disentangle takes the targets of states as factors, classes by their numbers.
func (a *analyzer) disentangle(ctx context.Context, rows points.Points, scorers []*Scorer, out *Measured) error {
	n := a.data.n()
	data := make([]float64, n*len(scorers))
	for t, c := range scorers {
		for i, v := range a.data.Numbers(c.Target) {
			data[i*len(scorers)+t] = v
		}
	}
	factors := points.Float64(data, len(scorers))
	dci, err := probe.DCIOf(ctx, a.probeData(side{rows: rows}), factors, probe.RidgeOptions{Threads: a.o.Threads})
	if err != nil {
		return err
	}
	mig, err := probe.MIGOf(rows, factors, probe.MIGBins)
	if err != nil {
		return err
	}
	reason := dci.Reason
	if reason == "" {
		reason = "too few targets or coordinates vary"
	}
	out.Disentanglement = &Disentanglement{
		Disentanglement: report.NumberOr(dci.Disentanglement, reason), Completeness: report.NumberOr(dci.Completeness, reason),
		Informativeness: report.NumberOr(dci.Informativeness, reason), MIG: report.NumberOr(mig.Gap, mig.Reason), Targets: len(scorers),
	}
	return nil
}
