// Samples without a score, and what they leave open of a mean.

package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/report"
)

// Ungraded are the samples that have no score of a model, of files of scores per sample. The mean leaves them out.
type Ungraded struct {
	Count   int            `json:"count"`
	Samples int            `json:"samples"`           // that any model of the task has, with or without a score
	Reasons map[string]int `json:"reasons,omitempty"` // cells that say why, and how many say so
	// Bounds are the mean if all of them had the lowest, and if all had the highest possible score.
	Bounds report.Interval `json:"bounds"`
	// BoundsCI reaches from the lower end of the interval with all lowest to the upper end with all highest scores, and
	// includes the interval without them. It covers the mean over graded samples of the kind of all.
	BoundsCI report.Interval `json:"bounds_ci"`
}

// samplesOfAll are the samples that any model of a group has.
type samplesOfAll struct {
	names  []string
	groups []string
}

// perSample reports whether the numbers of a file are means of its scores per sample.
func (f *File) perSample() bool {
	return slices.Contains([]string{layoutSamples, layoutRows, layoutLogged}, f.Layout)
}

// graded are the scores per sample of a file before they are joined to means of groups.
func (f *File) graded() (*report.SampleTable, error) {
	if f.single != nil {
		return f.single()
	}
	return f.samples()
}

// every collects the samples of all models, in the order in which they are first seen.
func (g *group) every() (*samplesOfAll, error) {
	if g.all != nil {
		return g.all, nil
	}
	g.all = &samplesOfAll{}
	seen := map[string]bool{}
	for _, f := range g.files {
		if !f.perSample() {
			continue
		}
		table, err := f.graded()
		if err != nil {
			return nil, err
		}
		for i := range table.Models {
			m := &table.Models[i]
			for k, name := range m.Sample {
				if !seen[name] {
					seen[name] = true
					g.all.names, g.all.groups = append(g.all.names, name), append(g.all.groups, m.Group[k])
				}
			}
		}
	}
	return g.all, nil
}

// ungraded are the samples that a model has no score of; nil where it has all, or where its numbers are no means of
// scores.
func (c *comparer) ungraded(g *group, row *Row, e *estimate, metric report.Metric) (*Ungraded, error) {
	for _, m := range e.runs {
		if !m.file.perSample() {
			return nil, nil
		}
	}
	all, err := g.every()
	if err != nil {
		return nil, err
	}
	u := &Ungraded{Samples: len(all.names) * len(e.runs), Reasons: map[string]int{}}
	columns := make([][]float64, len(e.runs))
	var scores []float64
	for i, m := range e.runs {
		table, err := m.file.graded()
		if err != nil {
			return nil, err
		}
		scored, k := table.Model(m.Given), m.columnIn(table.Metrics, row.Metric)
		if scored == nil || k < 0 {
			return nil, nil
		}
		scoreOf := make(map[string]float64, len(scored.Sample))
		for j, name := range scored.Sample {
			scoreOf[name] = scored.Scores[k][j]
		}
		for _, name := range all.names {
			v, ok := scoreOf[name]
			if !ok || math.IsNaN(v) {
				u.Count++
				v = math.NaN()
			} else {
				scores = append(scores, v)
			}
			columns[i] = append(columns[i], v)
		}
		if k < len(scored.Reasons) {
			for reason, n := range scored.Reasons[k] {
				u.Reasons[reason] += n
			}
		}
	}
	if u.Count == 0 {
		return nil, nil
	}
	limits, reason := limitsOf(metric, row.Metric, scores)
	if reason != "" {
		u.Bounds, u.BoundsCI = report.NoInterval("%s", reason), report.NoInterval("%s", reason)
		return u, nil
	}
	lowest, highest := c.filled(row, e, columns, all, limits.Low), c.filled(row, e, columns, all, limits.High)
	if !lowest.value.Defined() || !highest.value.Defined() {
		u.Bounds = report.NoInterval("the scores have no finite mean")
		u.BoundsCI = u.Bounds
		return u, nil
	}
	u.Bounds = report.Between(lowest.value.V, highest.value.V)
	u.BoundsCI = widest(e, lowest, highest, limits)
	return u, nil
}

// filled is the estimate of a model whose samples without a score all have one value.
func (c *comparer) filled(row *Row, e *estimate, columns [][]float64, all *samplesOfAll, value float64) *estimate {
	var runs []*FileModel
	for i, m := range e.runs {
		scores := slices.Clone(columns[i])
		for k, v := range scores {
			if math.IsNaN(v) {
				scores[k] = value
			}
		}
		groups := all.groups
		if c.o.Weights == WeightGroups {
			means := meansOfGroups(&report.ModelSamples{Sample: all.names, Group: all.groups,
				Scores: [][]float64{scores}})
			scores, groups = means.Scores[0], means.Group
		}
		mean := meanOf(lastStep(row.Metric), scores, groups)
		mean.Path = row.Metric
		run := &FileModel{Given: m.Given, Name: m.Name, Run: m.Run, Numbers: []report.Named{mean}, file: m.file}
		run.index()
		runs = append(runs, run)
	}
	filled, _ := newEstimate(e.name, row.Metric, runs, row.scale)
	return filled
}

// widest is the union of the intervals of a model with all of the ungraded samples at one end of the range and at the
// other, and without them. A mean at the end of the range needs no interval.
func widest(without, lowest, highest *estimate, limits report.Limits) report.Interval {
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range []*estimate{without, lowest, highest} {
		switch {
		case e.interval.Defined():
			low, high = min(low, e.interval.Low), max(high, e.interval.High)
		case e.value.Defined() && (e.value.V == limits.Low || e.value.V == limits.High || e == without):
			low, high = min(low, e.value.V), max(high, e.value.V)
		default:
			return report.NoInterval("%s", whyNot(e.interval))
		}
	}
	return report.Between(max(low, limits.Low), min(high, limits.High))
}

// truths are the limits of truth values.
var truths = report.Limits{Low: 0, High: 1}

// limitsOf are the lowest and the highest possible score of a metric; the reason says why nothing is known of them.
func limitsOf(metric report.Metric, path string, scores []float64) (limits report.Limits, reason string) {
	outside := func(l report.Limits) bool {
		return slices.ContainsFunc(scores, func(v float64) bool { return v < l.Low || v > l.High })
	}
	isTruth := len(scores) > 1 && !slices.ContainsFunc(scores, func(v float64) bool { return v != 0 && v != 1 })
	switch declared := metric.Range; {
	case isTruth && (declared == nil || declared.Low <= 0 && declared.High >= 1):
		return truths, ""
	case declared == nil && slices.Contains(loggedHigher,
		report.Family(path)) && !outside(truths) && report.Family(path) != "mcc":
		return truths, ""
	case declared == nil:
		return limits, fmt.Sprintf("nothing says which scores of %s are the lowest and the highest possible", path)
	case math.IsInf(declared.Low, 0) || math.IsInf(declared.High, 0):
		return limits, path + " has no lowest or no highest possible score"
	case outside(*declared):
		return limits, fmt.Sprintf("scores of %s are outside of its range from %g to %g", path, declared.Low, declared.High)
	default:
		return *declared, ""
	}
}

// words say how many samples of a model have no score, why, and what that leaves open.
func (u *Ungraded) words(metric, model string) string {
	reasons := slices.Sorted(maps.Keys(u.Reasons))
	empty := u.Count
	var parts []string
	for _, reason := range reasons {
		parts = append(parts, fmt.Sprintf("%d %s", u.Reasons[reason], reason))
		empty -= u.Reasons[reason]
	}
	if empty > 0 && len(parts) > 0 {
		parts = append(parts, fmt.Sprintf("%d without a reason", empty))
	}
	why := ""
	if len(parts) > 0 {
		why = " (" + text.Few(parts, 5) + ")"
	}
	start := fmt.Sprintf("%s of %s: %d of %s without a score%s", metric, model, u.Count, text.Count(u.Samples,
		"sample"), why)
	if !u.Bounds.Defined() {
		return start + ", which the mean leaves out; no bounds, as " + u.Bounds.Reason
	}
	bounds := fmt.Sprintf("%s: whatever they are, the mean is from %.4g to %.4g", start, u.Bounds.Low, u.Bounds.High)
	if !u.BoundsCI.Defined() {
		return bounds
	}
	return bounds + fmt.Sprintf(", with the error of sampling from %.4g to %.4g", u.BoundsCI.Low, u.BoundsCI.High)
}

// mostUngraded is how many models a table tells the ungraded samples of.
const mostUngraded = 6

// ungraded says of rows how many samples have no score.
func (r *Result) ungraded(rows []*Row) []string {
	var out []string
	omitted := 0
	for _, row := range rows {
		for x, cell := range row.Cells {
			switch {
			case cell == nil || cell.Ungraded == nil:
			case len(out) == mostUngraded:
				omitted++
			default:
				out = append(out, cell.Ungraded.words(strings.TrimSpace(taskPrefix(row)+row.Metric), r.Models[x]))
			}
		}
	}
	if omitted > 0 {
		out = append(out, fmt.Sprintf("%s more with samples without a score: see compare_table.csv", text.Count(omitted,
			"number")))
	}
	return out
}

// taskPrefix is the task of a row before its metric, empty where it has no name.
func taskPrefix(row *Row) string {
	if row.Task == "" {
		return ""
	}
	return row.Task + ": "
}
