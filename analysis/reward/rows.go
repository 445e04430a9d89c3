// Rows of the result file.

package reward

import (
	"fmt"
	"strings"

	"repscope/report"
	"repscope/stat"
)

// ProbeRow is one probe of one target, as the result file holds it. Scores holds, for
// numbers, mse, r2, nmse (= 1 − r2), r (Pearson's) and, for targets of transitions, auroc of values above
// 0; for classes accuracy, balanced_accuracy and f1 (macro); each with _ci, and _sd where
// samples have values of their own. Scores of the control begin with control_.
type ProbeRow struct {
	Name        string        `json:"name" report:"parameter"` // target/probe/fitted on/evaluated on: the name of the row
	Target      string        `json:"target"`
	Probe       string        `json:"probe"`
	FittedOn    string        `json:"fitted_on"`
	EvaluatedOn string        `json:"evaluated_on"`
	Scores      report.Object `json:",inline"`
	// Alpha is the median of Alphas, the ridge strengths of the folds.
	Alpha  *float64  `json:"alpha,omitempty"`
	Alphas []float64 `json:"alpha_by_fold,omitempty"`
	N      int       `json:"n"`
	Groups int       `json:"n_groups"`
}

// Score is a number of the row; undefined if the row has none of this name.
func (r *ProbeRow) Score(metric string) report.Estimate {
	v, _ := r.Scores.Get(metric)
	if e, ok := v.(report.Estimate); ok {
		return e
	}
	return report.NoEstimate("the row has no %s", metric)
}

// GapRow is what a probe loses by predicted latents, in the loss: the mean squared error
// of numbers, the share of wrong classes. Published is the loss of the probe fitted and
// evaluated on predicted latents less the loss of the one fitted and evaluated on true ones;
// Transfer the loss of the probe fitted on true latents, evaluated on predicted less on true.
type GapRow struct {
	Name      string          `json:"name" report:"parameter"` // target/probe
	Target    string          `json:"target"`
	Probe     string          `json:"probe"`
	Loss      string          `json:"loss"`
	Published report.Estimate `json:"published_gap"`
	Transfer  report.Estimate `json:"transfer_gap"`
}

// Gap is what becomes a GapRow.
type Gap struct {
	Target, Probe, Loss string
	Published, Transfer Score
}

func (g *Gap) result() GapRow {
	return GapRow{Name: g.Target + "/" + g.Probe, Target: g.Target, Probe: g.Probe, Loss: g.Loss, Published: g.Published.Estimate,
		Transfer: g.Transfer.Estimate}
}

// CategoryRow is the mean of a probe's scores over the targets of a category: r2 of
// numbers, balanced_accuracy and f1 of classes.
type CategoryRow struct {
	Name        string        `json:"name" report:"parameter"` // category/probe/fitted on/evaluated on
	Category    string        `json:"category"`
	Probe       string        `json:"probe"`
	FittedOn    string        `json:"fitted_on"`
	EvaluatedOn string        `json:"evaluated_on"`
	Scores      report.Object `json:",inline"`
	Targets     int           `json:"targets"`
}

// Mean is what becomes a CategoryRow.
type Mean struct {
	Category, Probe, FittedOn, EvaluatedOn string
	Scores                                 []Score
	Targets                                int
}

func (m *Mean) result() CategoryRow {
	out := CategoryRow{Name: strings.Join([]string{m.Category, m.Probe, m.FittedOn, m.EvaluatedOn}, "/"), Category: m.Category, Probe: m.Probe, FittedOn: m.FittedOn, EvaluatedOn: m.EvaluatedOn, Targets: m.Targets}
	enter(&out.Scores, "", m.Scores)
	return out
}

// EfficiencyRow is a probe that was fitted on a share of the labels of its training folds.
type EfficiencyRow struct {
	Name     string        `json:"name" report:"parameter"` // target/probe/share
	Target   string        `json:"target"`
	Probe    string        `json:"probe"`
	Share    float64       `json:"share"`
	Episodes float64       `json:"episodes"` // mean number per fold
	Labels   float64       `json:"labels"`   // samples, likewise
	Scores   report.Object `json:",inline"`
}

// Point is what becomes an EfficiencyRow.
type Point struct {
	Target, Probe           string
	Share, Labels, Episodes float64
	Scores                  []Score
}

func (p *Point) result() EfficiencyRow {
	out := EfficiencyRow{Name: fmt.Sprintf("%s/%s/%g", p.Target, p.Probe, p.Share), Target: p.Target, Probe: p.Probe, Share: p.Share,
		Episodes: p.Episodes, Labels: p.Labels}
	enter(&out.Scores, "", p.Scores)
	return out
}

// gap is the loss of one row less the loss of another, over the same samples and deletions.
func gap(a, b *Row) (Score, error) {
	loss, other := a.loss(), b.loss()
	out := Score{Estimate: report.WithInterval(report.Undefined("%s", loss.Value.Reason), report.NoInterval(intervalsOff)), SD: report.Undefined("")}
	if !loss.Value.Defined() || !other.Value.Defined() {
		return out, nil
	}
	out.Value = report.Number(loss.Value.V - other.Value.V)
	if loss.Jackknife == nil || other.Jackknife == nil {
		return out, nil
	}
	var err error
	out.Jackknife, err = stat.Combine(func(v []float64) float64 { return v[0] - v[1] }, loss.Jackknife, other.Jackknife)
	return out, err
}
