// The analysis step by step: what Analyze does for every model.

package reward

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/probe"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// analyzer holds what the models share.
type analyzer struct {
	in Input
	o  Options

	data      *samples
	scorers   []*Scorer // of the targets that are probed
	summaries []TargetSummary
	fold      []int // of every sample
	choice    []int // groups by which penalties are chosen; see choiceGroups
	before    []int // the state before the first of every sample, -1 where there is none
	warnings  []string

	done, total int
}

func newAnalyzer(in Input, o Options) (*analyzer, error) {
	a := &analyzer{in: in, o: o}
	var err error
	if a.data, err = newSamples(in, o); err != nil {
		return nil, err
	}
	if len(in.Targets) == 0 {
		return a, a.checkFinite()
	}
	if a.fold, err = probe.GroupFolds(a.data.group, a.data.folds); err != nil {
		return nil, err
	}
	a.choice = a.data.choiceGroups()
	if err := a.checkFinite(); err != nil {
		return nil, err
	}
	if o.Intervals {
		if err := a.data.block(in, o.Block); err != nil {
			return nil, err
		}
	}
	a.warnings = append(a.warnings, a.data.warnings...)
	a.warnShared()
	a.choose()
	if len(a.scorers) == 0 {
		return nil, fmt.Errorf("no target can be probed: %s: %s", a.summaries[0].Name, a.summaries[0].LeftOut)
	}
	a.precede()
	return a, nil
}

// checkFinite finds NaN and infinity in the latents.
func (a *analyzer) checkFinite() error {
	for _, m := range a.in.Models {
		row := make([]float64, m.Latents.Dim)
		for i := range m.Latents.N {
			for _, v := range m.Latents.Row(i, row) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("%s: the latent of state %d is not finite", m.Name, i)
				}
			}
		}
	}
	return nil
}

// choose describes the targets and keeps those that are probed.
func (a *analyzer) choose() {
	for i := range a.in.Targets {
		t := &a.in.Targets[i]
		c := newScorer(a.data, a.fold, t)
		summary := TargetSummary{Name: t.Name, Category: t.Category, Kind: t.Kind()}
		if t.Classified() {
			a.describeClasses(c, &summary)
		} else {
			a.describeValues(c, &summary)
		}
		if summary.LeftOut == "" {
			a.scorers = append(a.scorers, c)
		} else {
			a.warnings = append(a.warnings, fmt.Sprintf("target %s left out: %s", t.Name, summary.LeftOut))
		}
		a.summaries = append(a.summaries, summary)
	}
}

func (a *analyzer) describeValues(c *Scorer, out *TargetSummary) {
	out.Mean, out.SD = new(report.Number(stat.Mean(c.Values))), new(report.Number(Spread(c.Values)))
	if !c.Target.OfTransition { // rewards are rare by nature
		if l := stat.LeverageOf(c.Values); l.Decides() {
			a.warnings = append(a.warnings, fmt.Sprintf(
				"%s: %d of %d samples have %.0f %% of its variance (samples %s): MSE and R² depend on these few "+
					"samples; check them",
				c.Target.Name, len(l.Far), len(c.Values), 100*l.Share, results.Named(l.Far, strconv.Itoa)))
		}
		return
	}
	positive, groups := 0, map[int]bool{}
	for i, v := range c.Values {
		if v > 0 {
			positive++
			groups[a.data.group[i]] = true
		}
	}
	out.Positive, out.PositiveGroups = &positive, new(len(groups))
	if len(groups) > 0 && len(groups) < a.data.folds {
		a.warnings = append(a.warnings, fmt.Sprintf(
			"%s is above 0 in only %s of %d, fewer than the %d folds: some folds have no positive sample to "+
				"predict; use fewer --folds",
			c.Target.Name, text.Count(len(groups), "episode"), a.data.groups, a.data.folds))
	}
	if !c.varies() {
		a.warnings = append(a.warnings, fmt.Sprintf(
			"%s is %v for all samples, so there is nothing to predict", c.Target.Name, c.Values[0]))
	}
}

func (a *analyzer) describeClasses(c *Scorer, out *TargetSummary) {
	entropy := probe.Entropy(c.classes, c.count) * math.Ln2 // in nats
	out.Classes, out.Entropy = &c.count, new(report.Number(math.Abs(entropy)))
	switch {
	case c.count < 2:
		out.LeftOut = "all samples have one class"
	case entropy < a.o.MinEntropy:
		out.LeftOut = fmt.Sprintf("its class entropy of %.2f nats is below %g", entropy, a.o.MinEntropy)
	case c.count > maxClasses:
		out.LeftOut = fmt.Sprintf("it has %d classes, want at most %d; regress integers that are quantities with "+
			"--regress", c.count, maxClasses)
	default:
		a.warnOfLonelyClasses(c)
	}
}

// warnOfLonelyClasses names the classes that one fold alone has: the probe of this fold has seen
// none of their samples and the others are not asked for them, so that their recall is 0
// whatever the latents hold.
func (a *analyzer) warnOfLonelyClasses(c *Scorer) {
	first, lonely := make([]int, c.count), make([]bool, c.count)
	for k := range first {
		first[k] = -1
	}
	for i, k := range c.classes {
		if first[k] < 0 {
			first[k], lonely[k] = a.fold[i], true
		}
		lonely[k] = lonely[k] && first[k] == a.fold[i]
	}
	var classes []int
	for k, yes := range lonely {
		if yes {
			classes = append(classes, k)
		}
	}
	if len(classes) > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf(
			"%s: all samples of %s (%s), of %d, lie in one fold, so their recall is 0, which lowers balanced "+
				"accuracy and F1; change --folds, or use more "+
				"episodes", c.Target.Name, text.Count(len(classes), "class label"),
			results.Named(classes, func(i int) string { return strconv.Itoa(c.labels[i]) }), c.count))
	}
}

// maxClasses bounds the classes of a target: the values of one byte.
const maxClasses = 256

// precede finds the state before the first of every sample.
func (a *analyzer) precede() {
	before := make([]int, a.in.Models[0].Latents.N)
	for i := range before {
		before[i] = -1
	}
	for _, p := range a.in.pairs() {
		before[p.Next] = p.Now
	}
	a.before = make([]int, a.data.n())
	for i, state := range a.data.now {
		a.before[i] = before[state]
	}
}

// partsPerModel is the number of parts of the work that progress counts.
func (a *analyzer) partsPerModel() int { return 1 }

// measure probes one model, which its warnings call by the given name.
func (a *analyzer) measure(ctx context.Context, m *Model, name string) (Measured, error) {
	out := &Measured{Name: name}
	if len(a.scorers) == 0 {
		out.skip("probes", "no rewards and no targets")
		return *out, nil
	}
	if w := results.FarLatents(name, m.Latents, a.in.Time, "linear probes and prediction errors"); w != "" {
		out.Warnings = append(out.Warnings, w)
	}
	if m.Predicted.N == 0 {
		reason := "no predicted latents"
		out.skip("transfer_gap", reason)
		out.skip("published_gap", reason)
	}
	for _, both := range []bool{true, false} {
		var scorers []*Scorer
		for _, c := range a.scorers {
			if a.o.both(c.Target) == both {
				scorers = append(scorers, c)
			}
		}
		if len(scorers) == 0 {
			continue
		}
		if err := a.probe(ctx, m, both, scorers, out); err != nil {
			return *out, err
		}
		if err := a.extras(ctx, m, both, scorers, out); err != nil {
			return *out, err
		}
	}
	if err := a.given(m, out); err != nil {
		return *out, err
	}
	a.sortRows(out)
	if err := a.gaps(out); err != nil {
		return *out, err
	}
	err := a.categories(out)
	return *out, err
}

func (m *Measured) skip(metric, reason string) {
	m.Skipped = append(m.Skipped, Skipped{metric, reason})
}

// probe fits and evaluates all probes of the targets that are read from the same features.
func (a *analyzer) probe(ctx context.Context, m *Model, both bool, scorers []*Scorer, out *Measured) error {
	truth := a.data.newFeatures(m, True, both)
	sides := []side{{fittedOn: True, rows: truth.rows, evaluatedOn: []string{True}}}
	if m.Predicted.N > 0 {
		predicted := a.data.newFeatures(m, PredictedLatents, both)
		sides[0].others, sides[0].evaluatedOn = append(sides[0].others, predicted.rows), append(sides[0].evaluatedOn, PredictedLatents)
		sides = append(sides, side{fittedOn: PredictedLatents, rows: predicted.rows, evaluatedOn: []string{PredictedLatents}})
	}
	for _, name := range a.o.Probes {
		for _, s := range sides {
			if err := a.fit(ctx, name, s, scorers, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortRows orders rows by target, then as they were made.
func (a *analyzer) sortRows(out *Measured) {
	place := map[string]int{}
	for i, c := range a.scorers {
		place[c.Target.Name] = i
	}
	slices.SortStableFunc(out.Rows, func(x, y Row) int { return place[x.Target] - place[y.Target] })
}

// row scores an evaluation and keeps what it says about every sample.
func (a *analyzer) row(c *Scorer, probe, fittedOn, evaluatedOn string, e evaluation) (Row, error) {
	r := Row{
		Target: c.Target.Name, Probe: probe, FittedOn: fittedOn, EvaluatedOn: evaluatedOn,
		Losses: c.losses(e.outputs), Predictions: e.values,
	}
	if c.Target.Classified() {
		r.Predictions = make([]float64, len(e.class))
		for i, k := range e.class {
			r.Predictions[i] = float64(c.labels[k])
		}
	}
	var err error
	r.Scores, err = c.scores(e)
	return r, err
}

// networksUntested is why models are not tested by networks: their folds are too few for the level of a test.
const networksUntested = "the error of networks comes from a few folds, too few for a test to keep its level"

// given scores the heads that were trained elsewhere.
func (a *analyzer) given(m *Model, out *Measured) error {
	for _, g := range m.Given {
		for _, c := range a.scorers {
			if !c.Target.OfTransition || c.Target.Classified() {
				continue
			}
			r, err := a.row(c, ProbeOfGiven, g.FittedOn, g.EvaluatedOn,
				evaluation{outputs: outputs{values: At(g.Values, a.data.now)}})
			if err != nil {
				return err
			}
			out.Rows = append(out.Rows, r)
			break // heads predict the reward, which is the first
		}
	}
	return nil
}

// measureBaselines evaluates predictions without latents.
func (a *analyzer) measureBaselines(ctx context.Context) ([]Measured, error) {
	var out []Measured
	for _, name := range a.baselines() {
		m := Measured{Name: name, Baseline: true}
		for _, c := range a.scorers {
			e, has, err := a.baseline(ctx, name, c)
			if err != nil {
				return nil, err
			}
			if !has {
				continue
			}
			r, err := a.row(c, name, True, True, e)
			if err != nil {
				return nil, err
			}
			e.cut = a.fold
			over, err := c.scores(e)
			if err != nil {
				return nil, err
			}
			for i := range over {
				r.Scores[i].OverFolds = over[i].Jackknife
			}
			if name == BaselineMean {
				r.blind()
			}
			m.Rows = append(m.Rows, r)
		}
		out = append(out, m)
	}
	return out, nil
}

// blind takes the AUROC from the row of a constant: what ranks the samples are the folds,
// whose means are lower where their own values are higher.
func (r *Row) blind() {
	const reason = "the prediction is constant"
	for i := range r.Scores {
		if s := &r.Scores[i]; s.Metric == "auroc" {
			s.Value, s.CI, s.Jackknife, s.OverFolds = report.Undefined(reason), report.NoInterval(reason), nil, nil
		}
	}
}

// loss is the score that gaps are differences of.
func (r *Row) loss() Score {
	for _, s := range r.Scores {
		switch s.Metric {
		case "mse":
			return s
		case "accuracy":
			wrong := s
			wrong.Value = report.Number(1 - s.Value.V)
			if s.Jackknife != nil {
				if j, err := stat.Combine(func(v []float64) float64 { return 1 - v[0] }, s.Jackknife); err == nil {
					wrong.Jackknife = j
				}
			}
			return wrong
		}
	}
	return Score{Estimate: report.Estimate{Value: report.Undefined("no loss is defined")}}
}

// gaps enters what each probe loses by predicted latents.
func (a *analyzer) gaps(out *Measured) error {
	find := func(r *Row, fitted, evaluated string) *Row {
		i := slices.IndexFunc(out.Rows, func(o Row) bool {
			return o.Target == r.Target && o.Probe == r.Probe && o.FittedOn == fitted && o.EvaluatedOn == evaluated
		})
		if i < 0 {
			return nil
		}
		return &out.Rows[i]
	}
	for i := range out.Rows {
		base := &out.Rows[i]
		if base.FittedOn != True || base.EvaluatedOn != True {
			continue
		}
		transferred, direct := find(base, True, PredictedLatents), find(base, PredictedLatents, PredictedLatents)
		if transferred == nil && direct == nil {
			continue
		}
		g := Gap{Target: base.Target, Probe: base.Probe, Loss: "mse"}
		if base.Scores[0].Metric == "accuracy" {
			g.Loss = "error_rate"
		}
		for _, side := range []struct {
			row *Row
			to  *Score
		}{{transferred, &g.Transfer}, {direct, &g.Published}} {
			if side.row == nil {
				reason := "no probe of this kind exists"
				*side.to = Score{Estimate: report.NoEstimate("%s", reason)}
				continue
			}
			var err error
			if *side.to, err = gap(side.row, base); err != nil {
				return err
			}
			side.to.CI = intervalOf(side.to.Jackknife)
		}
		out.Gaps = append(out.Gaps, g)
	}
	return nil
}

// intervalOf is the interval of a jackknife, or why there is none.
func intervalOf(j *stat.Jackknifed) report.Interval {
	if j == nil {
		return report.NoInterval(intervalsOff)
	}
	return results.IntervalOf(j)
}

// warnShared warns of equal states in different folds: a probe has seen the answer.
func (a *analyzer) warnShared() {
	z := a.in.Models[0].Latents
	part := slices.Repeat([]int{-1}, z.N)
	for k, i := range a.data.next {
		part[i] = a.fold[k]
	}
	if n := points.Shared(z, part); n > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf("%d of %s have equal latents of %s in another fold, so scores "+
			"are partly memory: audit finds them", n, text.Count(len(a.data.next), "state"), a.in.Models[0].Name))
	}
}
