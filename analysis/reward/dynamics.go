// What models of dynamics are worth in the space of their latents: predictions one step
// ahead, rollouts, and whether distances tell time.

package reward

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// DynamicsInput is what [Dynamics] looks at: N states and their latents by each model.
type DynamicsInput struct {
	Episode []int // of each state; nil means one episode
	// Time orders the states of an episode; nil means by their index.
	Time []int
	// Next is the successor of each state, −1 where there is none.
	Next   []int
	Models []DynamicsModel
}

// DynamicsModel is one model's latents, and the predictions of them.
type DynamicsModel struct {
	Name    string
	Latents points.Points // [N, D]
	// Predicted is the prediction of the latent of every state's successor, [N, D]; rows of
	// states without a successor are not looked at. Without any, N is 0.
	Predicted points.Points
	// Rollout are the errors of open-loop predictions by step, ascending; see [RollOut] and
	// [RolloutErrors].
	Rollout []StepErrors
}

// DynamicsOptions are the choices; the zero value is the default.
type DynamicsOptions struct {
	analysis.Settings
	SkipNaN bool // leave out transitions with NaN or Inf in a prediction, and count them; else they are errors
}

// DynamicsResult is the outcome for all models, in the order of the input.
type DynamicsResult struct {
	Models      []ModelDynamics
	Comparisons []report.Comparison // p values are corrected within each metric, until results.Correct
	// Transitions counts states with a successor, Ignored those without one.
	Transitions, Ignored int
	Blocks               string // the units deleted for intervals; empty without
	Warnings             []string
}

// ModelDynamics is the outcome for one model; a part is nil where it was not computed,
// for a reason among Skipped.
type ModelDynamics struct {
	Name             string            `json:"-"`
	LatentPrediction *LatentPrediction `json:"latent_prediction,omitempty"`
	Rollout          []RolloutStep     `json:"rollout,omitempty"`
	RolloutHorizon   *RolloutHorizon   `json:"rollout_horizon,omitempty"`
	TemporalDistance *TemporalDistance `json:"temporal_distance,omitempty"`
	Skipped          []Skipped         `json:"-"`
}

// Skipped is a metric that was not computed, and why.
type Skipped struct{ Metric, Reason string }

// NoDynamicsIntervals is why nothing has an interval.
const NoDynamicsIntervals = "intervals are off (--bootstrap 0)"

// Dynamics measures the predictions and rollouts of all models, and the order in time
// in their latents. Numbers that cannot be computed are undefined with a reason, or
// listed as skipped. Errors: no models, unequal numbers of rows, successors that are not states,
// NaN or Inf in used rows.
func Dynamics(ctx context.Context, in DynamicsInput, o DynamicsOptions) (*DynamicsResult, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	r := &DynamicsResult{Models: make([]ModelDynamics, len(in.Models))}
	for i, m := range in.Models {
		r.Models[i].Name = m.Name
	}
	for _, next := range in.Next {
		if next >= 0 {
			r.Transitions++
		} else {
			r.Ignored++
		}
	}
	for _, step := range []func(context.Context, *DynamicsInput, *DynamicsOptions, *DynamicsResult) error{predictions, rollouts, temporal} {
		if err := step(ctx, &in, &o, r); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Digest identifies everything that determines the numbers, for a shard.Identity.
func (in *DynamicsInput) Digest() []shard.Field {
	fields := []shard.Field{{Name: "successors", Value: shard.Digest(points.Points{}, in.Episode, in.Time, in.Next)}}
	for _, m := range in.Models {
		fields = append(fields, results.Digest(m.Name, m.Latents))
		if m.Predicted.N > 0 {
			fields = append(fields, shard.Field{Name: "predicted latents " + m.Name, Value: shard.Digest(m.Predicted)})
		}
		for _, s := range m.Rollout {
			values := slices.Concat(s.Squared, s.Copied, s.Cosine)
			fields = append(fields, shard.Field{Name: fmt.Sprintf("rollout %s, step %d", m.Name, s.Step), Value: shard.Digest(points.Float64(values, 1), s.Start)})
		}
	}
	return fields
}

func (in *DynamicsInput) check() error {
	if len(in.Models) == 0 {
		return fmt.Errorf("no models to compare")
	}
	n := len(in.Next)
	if in.Episode != nil && len(in.Episode) != n {
		return fmt.Errorf("%d episode labels for %d states", len(in.Episode), n)
	}
	if in.Time != nil && len(in.Time) != n {
		return fmt.Errorf("%d times for %d states", len(in.Time), n)
	}
	for i, next := range in.Next {
		if next >= n || next == i {
			return fmt.Errorf("state %d has the successor %d, but there are %d states", i, next, n)
		}
	}
	for _, m := range in.Models {
		if m.Latents.N != n {
			return fmt.Errorf("%s: %d latents for %d states", m.Name, m.Latents.N, n)
		}
		if p := m.Predicted; p.N > 0 && (p.N != n || p.Dim != m.Latents.Dim) {
			return fmt.Errorf("%s: predicted latents of shape [%d %d] for latents of shape [%d %d]",
				m.Name, p.N, p.Dim, n, m.Latents.Dim)
		}
	}
	return nil
}

// episodesOf are the episodes of some states; nil for one episode.
func (in *DynamicsInput) episodesOf(states []int) []int {
	if in.Episode == nil {
		return nil
	}
	out := make([]int, len(states))
	for i, s := range states {
		out[i] = in.Episode[s]
	}
	return out
}

// errorSeries are the errors of predictions of some targets, by observation: means over
// the dimensions of latents.
type errorSeries struct {
	squared, copied []float64 // of the prediction, and of the latent it starts from
	spread          []float64 // squared distance of the target from the mean of all targets
	cosine          []float64 // between prediction and target; NaN where one of them is 0

	z    points.Points // latents of all states
	ends []int         // the state that each observation predicts
	mean []float64     // of the targets
	// Predictions by the state that they start from; N = 0 where their dimensions are not looked at.
	predicted points.Points
	starts    []int
}

// known reports whether errors are known by dimension.
func (e *errorSeries) known() bool { return e.predicted.N > 0 }

// rows fills in a target less the mean of all and, where it is known, the residual.
func (e *errorSeries) rows(i int, target, residual []float64) {
	e.z.Row(e.ends[i], target)
	if e.known() {
		e.predicted.Row(e.starts[i], residual)
		for k, y := range target {
			residual[k] -= y
		}
	}
	for k, m := range e.mean {
		target[k] -= m
	}
}

// center finds the mean of the targets and their distances from it.
func (e *errorSeries) center() {
	row := make([]float64, e.z.Dim)
	e.mean = make([]float64, e.z.Dim)
	for _, s := range e.ends {
		for k, v := range e.z.Row(s, row) {
			e.mean[k] += v / float64(len(e.ends))
		}
	}
	for _, s := range e.ends {
		sum := 0.0
		for k, v := range e.z.Row(s, row) {
			sum += (v - e.mean[k]) * (v - e.mean[k])
		}
		e.spread = append(e.spread, sum/float64(e.z.Dim))
	}
}

// errorSums are sums of an errorSeries over some observations.
type errorSums struct {
	n, squared, copied, spread, cosine, cosines float64
	target, square, residual                    []float64 // by dimension
	known                                       bool      // residual

	y, r []float64 // room for one observation
}

// add adds the observation i, times sign.
func (s *errorSums) add(e *errorSeries, i int, sign float64) {
	s.n += sign
	s.squared += sign * e.squared[i]
	s.copied += sign * e.copied[i]
	s.spread += sign * e.spread[i]
	if !math.IsNaN(e.cosine[i]) {
		s.cosine += sign * e.cosine[i]
		s.cosines += sign
	}
	e.rows(i, s.y, s.r)
	for k, v := range s.y {
		s.target[k] += sign * v
		s.square[k] += sign * v * v
		s.residual[k] += sign * s.r[k] * s.r[k]
	}
}

func newErrorSums(dim int) *errorSums {
	room := func() []float64 { return make([]float64, dim) }
	return &errorSums{target: room(), square: room(), residual: room(), y: room(), r: room()}
}

// The statistics of errors, in the order of errorSums.statistics.
const (
	ofMSE = iota
	ofCopy
	ofMean
	ofSkill
	ofMeanSkill
	ofCosine
	ofR2
	errorStatistics
)

// negligible is the share of a dimension's mean square, or of the larger of two errors,
// below which it counts as 0: rounding.
const negligible = 1e-12

// statistics computes all of them; NaN where undefined. vary says which dimensions vary.
func (s *errorSums) statistics(vary []bool) [errorStatistics]float64 {
	var out [errorStatistics]float64
	out[ofMSE], out[ofCopy] = s.squared/s.n, s.copied/s.n
	center := 0.0
	for _, v := range s.target {
		center += v / s.n * v / s.n / float64(len(s.target))
	}
	out[ofCosine] = s.cosine / s.cosines // NaN where there is none
	out[ofR2] = math.NaN()
	sum, count := 0.0, 0
	for k := range s.target {
		if vary[k] {
			sum += s.r2(k)
			count++
		}
	}
	if out[ofMean] = max(0, s.spread/s.n-center); count == 0 {
		out[ofMean] = 0 // all that is left is rounding
	}
	out[ofSkill], out[ofMeanSkill] = skill(out[ofMSE], out[ofCopy]), skill(out[ofMSE], out[ofMean])
	if count > 0 && s.known {
		out[ofR2] = sum / float64(count)
	}
	return out
}

// r2 is R² of one dimension.
func (s *errorSums) r2(k int) float64 {
	return skill(s.residual[k], s.square[k]-s.target[k]*s.target[k]/s.n)
}

// skill is 1 − error/baseline; NaN where the baseline has no error.
func skill(err, baseline float64) float64 {
	if !(baseline > 0) {
		return math.NaN()
	}
	return 1 - err/baseline
}

// influences are the first-order shares of every observation in the statistics; nil for
// those that are undefined.
func (e *errorSeries) influences(all [errorStatistics]float64, total *errorSums,
	vary []bool) [errorStatistics][]float64 {
	var out [errorStatistics][]float64
	mean := func(column int, values []float64) {
		series := make([]float64, len(values))
		for i, v := range values {
			series[i] = v - all[column]
		}
		out[column] = series
	}
	mean(ofMSE, e.squared)
	mean(ofCopy, e.copied)
	mean(ofMean, e.spread)
	ratio := func(column, below int, baseline []float64) {
		if math.IsNaN(all[column]) {
			return
		}
		series := make([]float64, len(baseline))
		for i := range series {
			series[i] = -(e.squared[i]-all[ofMSE])/all[below] + all[ofMSE]/(all[below]*all[below])*(baseline[i]-all[below])
		}
		out[column] = series
	}
	ratio(ofSkill, ofCopy, e.copied)
	ratio(ofMeanSkill, ofMean, e.spread)
	if !math.IsNaN(all[ofCosine]) {
		series := make([]float64, len(e.cosine))
		for i, v := range e.cosine {
			if !math.IsNaN(v) {
				series[i] = (v - all[ofCosine]) * total.n / total.cosines
			}
		}
		out[ofCosine] = series
	}
	if !math.IsNaN(all[ofR2]) {
		out[ofR2] = e.r2Influence(total, vary)
	}
	return out
}

// r2Influence is the influence on the mean R² of the dimensions that vary.
func (e *errorSeries) r2Influence(total *errorSums, vary []bool) []float64 {
	series := make([]float64, len(e.ends))
	count := 0.0
	for _, v := range vary {
		if v {
			count++
		}
	}
	y, r := make([]float64, e.z.Dim), make([]float64, e.z.Dim)
	for i := range series {
		e.rows(i, y, r)
		for k, v := range vary {
			if v {
				variance, mse := total.square[k]/total.n, total.residual[k]/total.n
				series[i] += (-(r[k]*r[k]-mse)/variance + mse/(variance*variance)*(y[k]*y[k]-variance)) / count
			}
		}
	}
	return series
}

// varying says which dimensions of the targets vary.
func (e *errorSeries) varying(total *errorSums) []bool {
	raw := make([]float64, e.z.Dim)
	row := make([]float64, e.z.Dim)
	for _, s := range e.ends {
		for k, v := range e.z.Row(s, row) {
			raw[k] += v * v
		}
	}
	vary := make([]bool, e.z.Dim)
	for k := range vary {
		vary[k] = total.square[k] > negligible*raw[k]
	}
	return vary
}

// measuredErrors are the statistics of an errorSeries with their jackknifes.
type measuredErrors struct {
	series    *errorSeries
	total     *errorSums
	vary      []bool
	all       [errorStatistics]float64
	influence [errorStatistics][]float64
	jackknife [errorStatistics]*stat.Jackknifed // nil without intervals
}

// measureErrors computes the statistics of all observations.
func measureErrors(e *errorSeries) *measuredErrors {
	e.center()
	m := &measuredErrors{series: e, total: newErrorSums(e.z.Dim)}
	m.total.known = e.known()
	for i := range e.squared {
		m.total.add(e, i, 1)
	}
	m.vary = e.varying(m.total)
	m.all = m.total.statistics(m.vary)
	m.influence = e.influences(m.all, m.total, m.vary)
	return m
}

// delete computes the statistics without each block: numerators and denominators alike.
func (m *measuredErrors) delete(blocks *stat.Blocks) error {
	var replicates [errorStatistics][]float64
	for j := range blocks.Count() {
		without := *m.total
		without.target, without.square, without.residual = slices.Clone(without.target), slices.Clone(without.square), slices.Clone(without.residual)
		for _, i := range blocks.Block(j) {
			without.add(m.series, i, -1)
		}
		for k, v := range without.statistics(m.vary) {
			replicates[k] = append(replicates[k], v)
		}
	}
	for k := range replicates {
		if math.IsNaN(m.all[k]) {
			continue
		}
		var err error
		if m.jackknife[k], err = blocks.Jackknife(m.all[k], replicates[k], m.influence[k]); err != nil {
			return err
		}
	}
	return nil
}

// value is a statistic with its interval; reason is why it is undefined where it is NaN.
func (m *measuredErrors) value(column int, reason string) report.Estimate {
	switch {
	case math.IsNaN(m.all[column]):
		return report.NoEstimate("%s", reason)
	case m.jackknife[column] == nil:
		return report.WithInterval(report.Number(m.all[column]), report.NoInterval(NoDynamicsIntervals))
	}
	j := *m.jackknife[column]
	switch column {
	case ofCosine:
		j.Within(-1, 1)
	case ofSkill, ofMeanSkill, ofR2:
		j.Within(math.Inf(-1), 1)
	default:
		j.Within(0, math.Inf(1))
	}
	return results.Estimate(&j, reason)
}

// blocksOfErrors groups the observations of some models for all statistics.
func blocksOfErrors(models []*measuredErrors, n int, episodes []int, spec stat.BlockSpec) (*stat.Blocks, error) {
	var statistics [][][]float64
	for column := range errorStatistics {
		var series [][]float64
		for _, m := range models {
			if m != nil && m.influence[column] != nil {
				series = append(series, m.influence[column])
			}
		}
		if series != nil {
			statistics = append(statistics, series)
		}
	}
	return results.LongestBlocks(n, episodes, spec, statistics...)
}

// note enters how observations are grouped, and the warnings of that.
func (r *DynamicsResult) note(blocks *stat.Blocks) {
	if r.Blocks == "" {
		r.Blocks = results.Deleted(blocks)
	}
	for _, w := range blocks.Warnings() {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// compareErrors compares the models on one statistic.
func (r *DynamicsResult) compareErrors(metric results.Metric, column int, models []*measuredErrors, seed uint64) error {
	names, estimates := make([]string, len(models)), make([]*stat.Jackknifed, len(models))
	for i, m := range models {
		names[i] = r.Models[i].Name
		if m != nil {
			estimates[i] = m.jackknife[column]
		}
	}
	rows, err := results.Pairwise(metric, names, estimates, seed)
	r.Comparisons = append(r.Comparisons, rows...)
	return err
}

// cosineOf is the cosine between two vectors; NaN where one of them is 0.
func cosineOf(a, b []float64) float64 {
	var ab, aa, bb float64
	for k := range a {
		ab += a[k] * b[k]
		aa += a[k] * a[k]
		bb += b[k] * b[k]
	}
	if aa == 0 || bb == 0 {
		return math.NaN()
	}
	return max(-1, min(1, ab/math.Sqrt(aa)/math.Sqrt(bb)))
}
