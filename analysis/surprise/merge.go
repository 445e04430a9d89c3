// The result: means over violated episodes, their intervals, and comparisons of models.

package surprise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/measure/violation"
	"repscope/report"
	"repscope/stat"
)

// merge scores all predictors.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	var units []Unit
	for _, part := range parts {
		units = append(units, part.Units...)
	}
	p, units, failed := p.withoutFailed(units)
	if len(p.in.Models) == 0 {
		return nil, errors.New(failed[0].Reason)
	}
	r := p.recording(units)
	result := &Result{Unmeasured: failed}
	for u, unit := range units {
		result.Made = append(result.Made, Made{Kind: p.units[u].kind, Size: p.units[u].size, Made: len(unit.Moments),
			Still: unit.Still, Short: unit.Short})
	}
	if p.short > 0 {
		result.Warnings = append(result.Warnings,
			fmt.Sprintf("%d episodes have no moment for a violation: they are too short and only serve as "+
				"untouched ones", p.short))
	}
	for i := range p.in.Models {
		if reason := p.scales[i].reason; reason != "" {
			result.Warnings = append(result.Warnings, results.Collapsed(p.in.Models[i].Name, reason))
		}
	}
	all, err := r.finish(ctx, result, p.predictors(units))
	if err != nil {
		return nil, err
	}
	return result, p.show(ctx, r, result, all)
}

// recording is what predictors are scored on.
func (p *plan) recording(units []Unit) *recording {
	r := &recording{o: &p.o, episode: p.in.Episode}
	for _, run := range p.runs {
		r.order = append(r.order, run[1:]...)
	}
	// Runs of one episode follow each other.
	slices.SortStableFunc(r.order, func(a, b int) int { return p.in.Episode[a] - p.in.Episode[b] })
	drawn := map[int]int{}
	for i := range p.all {
		m := &p.all[i]
		r.before, r.after = append(r.before, m.before[1:]), append(r.after, m.after)
		r.draw = append(r.draw, drawn[m.number])
		drawn[m.number]++
	}
	for u := range units {
		unit := p.units[u]
		r.units = append(r.units, made{unit: unit, moments: units[u].Moments,
			span: func(n int) int { return unit.kind.Span(unit.size, n) }})
	}
	return r
}

// predictors are all that is scored: each model, then the models without learning on its latents.
func (p *plan) predictors(units []Unit) []*predictor {
	var out []*predictor
	for i := range p.in.Models {
		m := &p.in.Models[i]
		untouched := p.untouched(i)
		add := func(name, base string, pick func(t *Transitions) []float64) {
			e := &predictor{name: name, base: base, errors: pick(&untouched), reason: p.scales[i].reason}
			for _, u := range units {
				outcome := &u.Models[i]
				made := erred{reason: outcome.Lacking}
				for k := range outcome.Episodes {
					made.errors = append(made.errors, pick(&outcome.Episodes[k]))
				}
				e.units = append(e.units, made)
			}
			out = append(out, e)
		}
		if m.Predicted.N > 0 {
			add(m.Name, "", func(t *Transitions) []float64 { return t.Predicted })
		}
		for _, name := range p.o.Baselines {
			pick := func(t *Transitions) []float64 { return t.Copied }
			if name == ConstantVelocity {
				pick = func(t *Transitions) []float64 { return t.Repeated }
			}
			add(m.Name+"/"+name, m.Name, pick)
		}
	}
	return out
}

// mostBlocks bounds the blocks that are deleted.
const mostBlocks = 100

// jackknives are the numbers of a predictor with their deletions.
type jackknives struct {
	units          [][numbers]*stat.Jackknifed // nil where undefined
	auroc, detects *stat.Jackknifed            // means over units
	measured       []bool                      // units with an AUROC
}

// finish scores predictors, and enters their numbers and comparisons into the result.
func (r *recording) finish(ctx context.Context, result *Result, all []*predictor) ([]*scored, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("no predictions to measure: give a predictor or predicted latents, or keep a model " +
			"without learning")
	}
	out := make([]*scored, len(all))
	if err := parallel.Try(ctx, r.o.Threads, len(all), func(_, i int) error {
		s, err := r.score(all[i])
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].name, err)
		}
		out[i] = s
		return nil
	}); err != nil {
		return nil, err
	}
	blocks, err := r.blocks(out, result)
	if err != nil {
		return nil, err
	}
	estimates := make([]*jackknives, len(all))
	result.Models = make([]Outcomes, len(all))
	if err := parallel.Try(ctx, r.o.Threads, len(all), func(_, i int) error {
		d := deleter{recording: r, scored: out[i], blocks: blocks}
		if err := d.prepare(); err != nil {
			return err
		}
		var err error
		estimates[i], err = d.describe(&result.Models[i])
		return err
	}); err != nil {
		return nil, err
	}
	for _, s := range out {
		result.Rows = append(result.Rows, r.rows(s)...)
		if warning := s.falseAlarms(); warning != "" {
			result.Warnings = append(result.Warnings, warning)
		}
	}
	if blocks == nil {
		return out, nil
	}
	return out, r.compare(result, estimates)
}

// blocks groups moments for intervals; nil without.
func (r *recording) blocks(all []*scored, result *Result) (*stat.Blocks, error) {
	if !r.o.Intervals || len(r.draw) < 3 {
		return nil, nil
	}
	var series [][]float64
	for _, s := range all {
		values := make([]float64, len(r.draw))
		for m := range values {
			sum, count := 0.0, 0.0
			for u := range s.values {
				if v := s.values[u][auroc][m]; !math.IsNaN(v) {
					sum += v
					count++
				}
			}
			if values[m] = 0.5; count > 0 {
				values[m] = sum / count
			}
		}
		series = append(series, values)
	}
	blocks, err := stat.NewBlocks(len(r.draw), r.episodes(), r.o.Block, stat.Differences(series...)...)
	if err != nil {
		return nil, err
	}
	blocks = blocks.Coarsen(mostBlocks)
	result.Blocks = results.Deleted(blocks)
	result.Warnings = append(result.Warnings, blocks.Warnings()...)
	return blocks, nil
}

// episodes has the episode of each moment.
func (r *recording) episodes() []int {
	out := make([]int, len(r.after))
	for m, after := range r.after {
		out[m] = r.episode[after[0]]
	}
	return out
}

// deleter computes the numbers of one predictor with and without blocks of moments.
type deleter struct {
	*recording
	*scored
	blocks *stat.Blocks
	shares []*blockShares // of the untouched episodes of each block; nil where deletions leave p values as they are
	rho    float64        // correlation of successive untouched errors
}

// prepare collects the errors of the episodes of each block. Where parts of episodes are blocks, and where p values are
// about single steps, deletions leave the p values as they are. It estimates the dependence of errors.
func (d *deleter) prepare() error {
	d.dependence()
	if d.blocks == nil || d.why != "" || d.reason != "" || d.blocks.Kind() != stat.EpisodeBlocks ||
		d.o.Condition == Phase {
		return nil
	}
	values, states := d.known(d.order)
	byEpisode := map[int][]float64{}
	for i, s := range states {
		byEpisode[d.episode[s]] = append(byEpisode[d.episode[s]], values[i])
	}
	episodes := d.episodes()
	for b := range d.blocks.Count() {
		var lists [][]float64
		var seen []int
		for _, m := range d.blocks.Block(b) {
			if e := episodes[m]; !slices.Contains(seen, e) && len(byEpisode[e]) > 0 {
				seen = append(seen, e)
				lists = append(lists, byEpisode[e])
			}
		}
		if len(lists) >= d.scored.episodes-1 {
			d.shares = nil // nothing would be left
			return nil
		}
		d.shares = append(d.shares, newBlockShares(lists))
	}
	return nil
}

// episodes shadows the count of the scored predictor.
func (d *deleter) episodes() []int { return d.recording.episodes() }

// describe enters all numbers of the predictor.
func (d *deleter) describe(out *Outcomes) (*jackknives, error) {
	out.Name, out.Of = d.name, d.base
	j := &jackknives{units: make([][numbers]*stat.Jackknifed, len(d.recording.units)), measured: make([]bool,
		len(d.recording.units))}
	if err := d.level(out); err != nil {
		return nil, err
	}
	rows := map[violation.Kind][]Violated{}
	var order []violation.Kind
	var means, detections []*stat.Jackknifed
	var meanOf, detectedOf []float64
	transitions := 0.0
	for u := range d.recording.units {
		unit := &d.recording.units[u]
		v := Violated{Size: unit.size}
		reason := d.whyNot(u)
		if reason == "" {
			for _, m := range unit.moments {
				if !math.IsNaN(d.values[u][auroc][m]) {
					v.N++
				}
			}
		}
		estimates, err := d.unit(u, reason, &v)
		if err != nil {
			return nil, err
		}
		j.units[u] = estimates
		j.measured[u] = v.AUROC.Defined()
		transitions += float64(v.N) * d.impossible(u)
		if v.AUROC.Defined() {
			meanOf, means = append(meanOf, v.AUROC.V), append(means, estimates[auroc])
		}
		if v.Detected100.Defined() {
			detectedOf, detections = append(detectedOf, v.Detected100.V), append(detections, estimates[detected100])
		}
		if rows[unit.kind] == nil {
			order = append(order, unit.kind)
		}
		rows[unit.kind] = append(rows[unit.kind], v)
	}
	for _, kind := range order {
		out.Violations.Set(string(kind), rows[kind])
	}
	var err error
	lacking := d.reason
	if lacking == "" {
		lacking = "there are no violated episodes with errors"
	}
	if out.AUROC, j.auroc, err = d.mean(meanOf, means, transitions, lacking); err != nil {
		return nil, err
	}
	if d.why != "" {
		lacking = d.why
	} else if d.whyLevel[0] != "" {
		lacking = d.whyLevel[0]
	}
	if out.Detected100, j.detects, err = d.mean(detectedOf, detections, transitions, lacking); err != nil {
		return nil, err
	}
	return j, d.alarm(out)
}

// whyNot is why a unit has no numbers; empty where it may.
func (d *deleter) whyNot(u int) string {
	unit := &d.recording.units[u]
	switch {
	case d.reason != "":
		return d.reason
	case d.predictor.units[u].reason != "":
		return d.predictor.units[u].reason
	case len(unit.moments) == 0:
		return "no episode has this violation: nothing moves, or the episodes are too short"
	}
	return ""
}

// unit estimates the numbers of one violation and size.
func (d *deleter) unit(u int, reason string, v *Violated) (out [numbers]*stat.Jackknifed, err error) {
	noP := d.why
	replicates, impossible := d.replicates(u, reason), d.impossible(u)
	for _, n := range []struct {
		number int
		into   *report.Estimate
		reason string  // that p values are not known
		share  float64 // as of estimate
	}{
		{auroc, &v.AUROC, "", impossible},
		{detected100, &v.Detected100, cmp.Or(noP, d.whyLevel[0]), impossible},
		{detected1000, &v.Detected1000, cmp.Or(noP, d.whyLevel[1]), impossible},
		{noticed, &v.Noticed, cmp.Or(noP, d.whyLevel[0]), 1},
		{untouched, &v.Untouched, cmp.Or(noP, d.whyLevel[0]), 1},
		{delay, &v.Delay, cmp.Or(noP, d.whyLevel[0]), 0},
		{place, &v.Place, "", 0},
		{alarmed, &v.Alarmed, cmp.Or(noP, d.whyAlarm), 1},
	} {
		why := cmp.Or(reason, n.reason)
		if why != "" {
			*n.into = report.NoEstimate("%s", why)
			continue
		}
		without := func(int) []float64 { return d.values[u][n.number] }
		if replicates != nil && n.number >= detected100 && n.number <= delay && n.number != untouched {
			without = func(b int) []float64 { return replicates[b][n.number] }
		}
		lacking := "no transition of a violated episode has an error"
		if n.number == delay {
			lacking = "no violated episode is noticed"
		}
		if *n.into, out[n.number], err = d.estimate(d.values[u][n.number], without, n.share, lacking); err != nil {
			return out, err
		}
	}
	return out, nil
}

// impossible is the mean number of independent impossible transitions of the violated episodes of a unit: n of them
// with autocorrelation ρ^k, as for untouched errors with time (1 + ρ)/(1 − ρ), count as n/(1 + 2 Σ (1 − k/n)
// ρ^k).
func (d *deleter) impossible(u int) float64 {
	if d.reason != "" {
		return 1 // nothing was scored
	}
	sum, moments := 0.0, d.recording.units[u].moments
	for _, m := range moments {
		n, total := float64(d.scored.units[u][m].span), 1.0
		for k := 1.0; k < n; k++ {
			total += 2 * (1 - k/n) * math.Pow(d.rho, k)
		}
		sum += n / total
	}
	return max(1, sum/max(1, float64(len(moments))))
}

// dependence estimates ρ of untouched errors; 1 where it is not known.
func (d *deleter) dependence() {
	d.rho = 1
	values, states := d.known(d.order)
	var episode []int
	for _, s := range states {
		episode = append(episode, d.episode[s])
	}
	if tau, err := stat.IntegratedAutocorrelationTime(values, episode); err == nil && tau.Tau > 0 {
		d.rho = max(0, (tau.Tau-1)/(tau.Tau+1))
	}
}

// replicates are the numbers of p values of a unit without each block; nil where these leave p values as they are.
func (d *deleter) replicates(u int, reason string) [][numbers][]float64 {
	if d.shares == nil || reason != "" {
		return nil
	}
	out := make([][numbers][]float64, len(d.shares))
	labels := d.blocks.Labels()
	for b, shares := range d.shares {
		for k := range out[b] {
			out[b][k] = slices.Repeat([]float64{math.NaN()}, len(d.draw))
		}
		for _, m := range d.recording.units[u].moments {
			if labels[m] == b {
				continue
			}
			t := &d.scored.units[u][m]
			p := make([]float64, len(t.p))
			for i, v := range t.p {
				if p[i] = v; !math.IsNaN(v) {
					p[i] = shares.without(v, t.errors[i], d.scored.episodes)
				}
			}
			t.detect(p, func(number int, value float64) { out[b][number][m] = value })
		}
	}
	return out
}

// meanOf is the mean of the known values of some moments.
func meanOf(values []float64, skip func(i int) bool) float64 {
	sum, count := 0.0, 0.0
	for i, v := range values {
		if !math.IsNaN(v) && !skip(i) {
			sum += v
			count++
		}
	}
	return sum / count
}

// leastKnown is the number of violated episodes with a number that is no share from which it has an interval.
const leastKnown = 5

// estimate is the mean of a number over violated episodes with its interval; without returns its values without a
// block. share is the number of observations that a value is the share of, 0 for a number that is no share.
func (d *deleter) estimate(values []float64, without func(block int) []float64, share float64,
	lacking string) (report.Estimate, *stat.Jackknifed, error) {
	mean := meanOf(values, func(int) bool { return false })
	if math.IsNaN(mean) {
		return report.NoEstimate("%s", lacking), nil, nil
	}
	if d.blocks == nil {
		return report.WithInterval(report.Number(mean), report.NoInterval("%s", d.noIntervals())), nil, nil
	}
	labels := d.blocks.Labels()
	var replicates []float64
	influence := make([]float64, len(values))
	count := 0.0
	for i, v := range values {
		if !math.IsNaN(v) {
			influence[i] = v - mean
			count++
		}
	}
	for i := range influence {
		influence[i] *= float64(len(values)) / count
	}
	for b := range d.blocks.Count() {
		replicates = append(replicates, meanOf(without(b), func(i int) bool { return labels[i] == b }))
	}
	j, err := d.blocks.Jackknife(mean, replicates, influence)
	if err != nil {
		return report.Estimate{}, nil, err
	}
	switch j.WithTails(); {
	case share > 0:
		j.AsShare(int(count * share))
	case count < leastKnown:
		return report.WithInterval(report.Number(mean), report.NoInterval(
			"%g episodes are too few for an interval, want at least %d", count, leastKnown)), j, nil
	default:
		j.Within(0, math.Inf(1))
	}
	return results.Estimate(j, ""), j, nil
}

func (d *deleter) noIntervals() string {
	if d.o.Intervals {
		return fmt.Sprintf("%d moments of violations are too few for intervals, want at least 3", len(d.draw))
	}
	return "intervals are off (--bootstrap 0)"
}

// mean is the mean over violations and sizes, with its number of independent transitions.
func (d *deleter) mean(values []float64, parts []*stat.Jackknifed, transitions float64, lacking string) (
	report.Estimate, *stat.Jackknifed, error) {
	if len(values) == 0 {
		return report.NoEstimate("%s", lacking), nil, nil
	}
	if d.blocks == nil {
		return report.WithInterval(report.Number(stat.Mean(values)), report.NoInterval("%s", d.noIntervals())), nil, nil
	}
	j, err := stat.Combine(stat.Mean, parts...)
	if err != nil {
		return report.Estimate{}, nil, err
	}
	return results.Estimate(j.AsShare(int(transitions)), ""), j, nil
}

// level enters the mean error and the level of p values of untouched transitions.
func (d *deleter) level(out *Outcomes) error {
	if d.reason != "" {
		none := report.NoEstimate("%s", d.reason)
		out.Error, out.Conformal.Level1, out.Conformal.Level5 = none, none, none
		return nil
	}
	errors, states := d.known(d.order)
	out.Conformal.Transitions = len(errors)
	if len(errors) == 0 {
		none := report.NoEstimate("no untouched transition has a prediction")
		out.Error, out.Conformal.Level1, out.Conformal.Level5 = none, none, none
		return nil
	}
	out.Error = report.WithInterval(report.Number(stat.Mean(errors)), report.NoInterval("%s", d.noIntervals()))
	if d.o.Intervals && len(errors) >= 3 {
		episode := make([]int, len(states))
		for i, s := range states {
			episode[i] = d.episode[s]
		}
		blocks, err := stat.NewBlocks(len(errors), episode, d.o.Block, errors)
		if err != nil {
			return err
		}
		j, err := stat.JackknifeMean(blocks, errors)
		if err != nil {
			return err
		}
		out.Error = results.Estimate(j.Within(0, math.Inf(1)), "")
	}
	for k, into := range []*report.Estimate{&out.Conformal.Level1, &out.Conformal.Level5} {
		if d.why != "" {
			*into = report.NoEstimate("%s", d.why)
			continue
		}
		e, err := d.ofEpisodes(d.scored.shares[k])
		if err != nil {
			return err
		}
		*into = e
	}
	return nil
}

// ofEpisodes is the mean of a number between 0 and 1 of every untouched episode.
func (d *deleter) ofEpisodes(values []float64) (report.Estimate, error) {
	mean := stat.Mean(values)
	if !d.o.Intervals {
		return report.WithInterval(report.Number(mean), report.NoInterval("%s", d.noIntervals())), nil
	}
	if len(values) < 5 {
		return report.WithInterval(report.Number(mean),
			report.NoInterval("%d episodes are too few for an interval, want at least 5", len(values))), nil
	}
	episode := make([]int, len(values))
	for i := range episode {
		episode[i] = i
	}
	blocks, err := stat.NewBlocks(len(values), episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return report.Estimate{}, err
	}
	j, err := stat.JackknifeMean(blocks, values)
	if err != nil {
		return report.Estimate{}, err
	}
	return results.Estimate(j.AsShare(len(values)), ""), nil
}

// alarm enters how often the alarm sounds, and when.
func (d *deleter) alarm(out *Outcomes) error {
	if reason := cmp.Or(d.reason, d.why, d.whyAlarm); reason != "" {
		none := report.NoEstimate("%s", reason)
		out.Alarm = Alarm{False: none, Noticed: none, Delay: none, Episodes: d.scored.episodes}
		return nil
	}
	var err error
	out.Alarm.Episodes = len(d.falses)
	if out.Alarm.False, err = d.ofEpisodes(d.falses); err != nil {
		return err
	}
	for _, n := range []struct {
		number  int
		into    *report.Estimate
		share   float64
		lacking string
	}{{alarmed, &out.Alarm.Noticed, 1, "there are no violated episodes with errors"},
		{alarmDelay, &out.Alarm.Delay, 0, "the alarm sounds in no violated episode"}} {
		// The mean over the violations of a moment.
		values := make([]float64, len(d.draw))
		for m := range values {
			var list []float64
			for u := range d.values {
				list = append(list, d.values[u][n.number][m])
			}
			values[m] = meanOf(list, func(int) bool { return false })
		}
		if *n.into, _, err = d.estimate(values, func(int) []float64 { return values }, n.share, n.lacking); err != nil {
			return err
		}
	}
	return nil
}

// compare compares models with each other, and each with the models without learning on its latents.
func (r *recording) compare(result *Result, all []*jackknives) error {
	type metric struct {
		results.Metric
		of func(j *jackknives) *stat.Jackknifed
	}
	metrics := []metric{{results.Metric{Name: "auroc", Family: "auroc"},
		func(j *jackknives) *stat.Jackknifed { return j.auroc }},
		{results.Metric{Name: "detected_1in100", Family: "detected_1in100"},
			func(j *jackknives) *stat.Jackknifed { return j.detects }}}
	headlines := len(metrics)
	for u, unit := range r.units {
		if u+1 < len(r.units) && r.units[u+1].kind == unit.kind {
			continue // the largest size stands for the violation
		}
		metrics = append(metrics, metric{results.Metric{Name: fmt.Sprintf("auroc of %s at %g", unit.kind, unit.size),
			Family: "violations.auroc",
			Path:   fmt.Sprintf("violations.%s%s.auroc", unit.kind, report.Row("size", unit.size))},
			func(j *jackknives) *stat.Jackknifed { return j.units[u][auroc] }})
	}
	for k, m := range metrics {
		var names []string
		var estimates []*stat.Jackknifed
		var measured []bool
		for i, model := range result.Models {
			e := m.of(all[i])
			if model.Of != "" || e == nil {
				continue
			}
			if measured == nil {
				measured = all[i].measured
			}
			// Means over other violations are not compared.
			if k < headlines && !slices.Equal(measured, all[i].measured) {
				continue
			}
			names, estimates = append(names, model.Name), append(estimates, e)
		}
		rows, err := results.Pairwise(m.Metric, names, estimates, r.o.Seed)
		if err != nil {
			return err
		}
		result.Comparisons = append(result.Comparisons, rows...)
		if k >= headlines {
			continue
		}
		for i, model := range result.Models {
			for b, baseline := range result.Models {
				if baseline.Of != model.Name || m.of(all[i]) == nil || m.of(all[b]) == nil || !slices.Equal(all[i].measured,
					all[b].measured) {
					continue
				}
				rows, err := results.Pairwise(m.Metric, []string{model.Name, baseline.Name}, []*stat.Jackknifed{m.of(all[i]),
					m.of(all[b])}, r.o.Seed)
				if err != nil {
					return err
				}
				result.Comparisons = append(result.Comparisons, rows...)
			}
		}
	}
	results.Correct(result.Comparisons, r.o.Family)
	return nil
}

// rows are the errors of all transitions of a predictor.
func (r *recording) rows(s *scored) []ErrorRow {
	if s.reason != "" {
		return nil
	}
	var out []ErrorRow
	for _, state := range r.order {
		if v := s.errors[state]; !math.IsNaN(v) {
			out = append(out, ErrorRow{Model: s.name, State: state, Episode: r.episode[state], Error: v, P: s.p[state]})
		}
	}
	for u, unit := range r.units {
		for _, m := range unit.moments {
			for step, v := range s.units[u][m].errors {
				out = append(out, ErrorRow{Model: s.name, State: r.after[m][step], Episode: r.episode[r.after[m][0]],
					Violation: unit.kind,
					Size:      unit.size, Draw: r.draw[m], Step: step, Error: v, P: s.units[u][m].p[step]})
			}
		}
	}
	return out
}
