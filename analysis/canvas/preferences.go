// Strengths of models and designs by preferences of people, and how metrics agree with these.

package canvas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/score"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Preferences are what follows from preferences of one of two cases, of the cases that are in the run.
type Preferences struct {
	Pairs, Ties     int // comparisons
	Designs, Raters int // Raters is 0 where the file does not say who
	// Models are the strengths of models by comparisons of their designs for one sample, Cases the strengths of designs by
	// all comparisons.
	Models, Cases Strengths
	Metrics       []PreferenceAgreement
	Object        report.Object // the part of the result file
}

// Strengths are strengths by maximum likelihood: see [score.BradleyTerry].
type Strengths struct {
	Pairs   int          // comparisons that they follow from
	Deleted string       // what intervals delete in turn; empty without intervals
	Tie     report.Value // ν of Davidson's model, 0 without ties
	All     []Strength   // of the models or designs that are compared, in their order
}

// Strength is the strength of a model or a design.
type Strength struct {
	Name               string
	Wins, Losses, Ties int
	// Estimate is the natural logarithm of the strength, with mean 0 over all. Its interval deletes raters and, for
	// models, samples: see [Strengths.Deleted].
	report.Estimate
	// Information is the interval by the information matrix, as if comparisons were independent.
	Information report.Interval
}

// PreferenceAgreement is how often a metric prefers the design that people prefer, over comparisons of designs for one
// sample. Ties of people and of the metric are left out.
type PreferenceAgreement struct {
	Key   Key
	Pairs int // comparisons that count
	Ties  int // comparisons with a winner that the metric does not tell apart
	// Share of Pairs. Its interval deletes samples and, where there are several, raters: see [stat.TwoWay]. Deleted says
	// how many; empty without intervals.
	Share   report.Estimate
	Deleted string
}

// vote is a comparison of two items, by their numbers.
type vote struct {
	a, b    int
	outcome Verdict
}

// ballot are comparisons with what intervals delete.
type ballot struct {
	votes           []vote
	samples, raters []string
}

func (b *ballot) add(v vote, sample, rater string) {
	b.votes, b.samples, b.raters = append(b.votes, v), append(b.samples, sample), append(b.raters, rater)
}

// numbered replaces the items by their numbers among those that are compared, in their order; items are these.
func (b *ballot) numbered() (out ballot, items []int) {
	for _, v := range b.votes {
		items = append(items, v.a, v.b)
	}
	slices.Sort(items)
	items = slices.Compact(items)
	number := map[int]int{}
	for i, item := range items {
		number[item] = i
	}
	out = ballot{samples: b.samples, raters: b.raters}
	for _, v := range b.votes {
		out.votes = append(out.votes, vote{number[v.a], number[v.b], v.outcome})
	}
	return out, items
}

// prefer adds what follows from preferences to a result.
func (p *plan) prefer(ctx context.Context, r *Result) error {
	if p.in.Preferences == nil {
		return nil
	}
	rows, model := r.finalDesigns(), map[int]int{}
	for m := range r.Models {
		for _, i := range r.Models[m].Rows {
			model[i] = m
		}
	}
	a := &Preferences{}
	var all, within, models ballot
	list, unknown := knownPreferences(p.in.Preferences, rows)
	for _, one := range list {
		first, second := rows[one.A], rows[one.B]
		if one.Verdict == Tie {
			a.Ties++
		}
		sample := r.Rows[first].Case.Sample
		all.add(vote{first, second, one.Verdict}, sample, one.Rater)
		if r.Rows[second].Case.Sample != sample {
			continue
		}
		within.add(vote{first, second, one.Verdict}, sample, one.Rater)
		if model[first] != model[second] {
			models.add(vote{model[first], model[second], one.Verdict}, sample, one.Rater)
		}
	}
	if unknown > 0 {
		r.Warnings = append(r.Warnings, text.Count(unknown, "preference")+" left out: a design is not in this run")
	}
	if apart := len(all.votes) - len(within.votes); apart > 0 {
		r.Warnings = append(r.Warnings, text.Count(apart, "preference")+" between designs for different samples count for "+
			"the strengths of designs only")
	}
	a.Pairs = len(all.votes)
	if len(all.raters) > 0 && all.raters[0] != "" {
		_, a.Raters = points.Numbered(all.raters)
	}
	var err error
	if a.Models, err = p.strengths(ctx, &models, true, func(m int) string { return r.Models[m].Name }); err != nil {
		return err
	}
	if a.Cases, err = p.strengths(ctx, &all, false, func(i int) string { return r.Rows[i].Case.ID }); err != nil {
		return err
	}
	a.Designs = len(a.Cases.All)
	if a.Metrics, err = p.preferred(ctx, r, &within); err != nil {
		return err
	}
	a.enter()
	r.Preferences = a
	return nil
}

// knownPreferences are the preferences between cases that have rows, in an order that does not follow from the order
// of the file, and the number of the others.
func knownPreferences(all []Preference, rows map[string]int) (list []Preference, unknown int) {
	for _, p := range all {
		first, ok := rows[p.A]
		second, too := rows[p.B]
		if !ok || !too {
			unknown++
			continue
		}
		if first > second {
			p.A, p.B, p.Verdict = p.B, p.A, -p.Verdict
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(x, y Preference) int {
		return cmp.Or(rows[x.A]-rows[y.A], rows[x.B]-rows[y.B], cmp.Compare(x.Rater, y.Rater), int(x.Verdict-y.Verdict))
	})
	return list, unknown
}

// contests are the comparisons of n items, in the order of the pairs, and the pair of every vote.
func (b *ballot) contests(n int) (contests []score.Contest, pair []int) {
	keys := make([]int, len(b.votes))
	for i, v := range b.votes {
		keys[i] = min(v.a, v.b)*n + max(v.a, v.b)
	}
	order := slices.Clone(keys)
	slices.Sort(order)
	order = slices.Compact(order)
	contests, pair = make([]score.Contest, len(order)), make([]int, len(keys))
	for k, key := range order {
		contests[k].A, contests[k].B = key/n, key%n
	}
	for i, v := range b.votes {
		pair[i], _ = slices.BinarySearch(order, keys[i])
		v.count(&contests[pair[i]], 1)
	}
	return contests, pair
}

// count adds a vote to a contest.
func (v vote) count(c *score.Contest, by float64) {
	switch {
	case v.outcome == Tie:
		c.Ties += by
	case (v.outcome == PrefersA) == (v.a < v.b):
		c.Wins += by
	default:
		c.Losses += by
	}
}

// strengths are the strengths of the items of votes, by their names; samples says that intervals delete these too.
func (p *plan) strengths(
	ctx context.Context, votes *ballot, samples bool, name func(item int) string,
) (Strengths, error) {
	b, items := votes.numbered()
	n := len(items)
	out := Strengths{Pairs: len(b.votes), All: make([]Strength, n)}
	names := make([]string, n)
	for i, item := range items {
		names[i] = name(item)
		out.All[i].Name = names[i]
	}
	for _, v := range b.votes {
		out.All[v.a].count(v.outcome)
		out.All[v.b].count(-v.outcome)
	}
	contests, pair := b.contests(n)
	fit, err := score.BradleyTerry(n, contests, nil)
	if err != nil {
		return out, out.undefined(err, names)
	}
	out.Tie = report.Number(fit.Tie)
	errs, err := fit.StdErrors()
	if err != nil {
		return out, out.undefined(err, names)
	}
	for i := range out.All {
		s := &out.All[i]
		s.Estimate = report.WithInterval(report.Number(fit.Log[i]), results.IntervalOf(nil))
		s.Information = results.IntervalOf(nil)
		if p.o.Intervals {
			half := -stat.NormalQuantile(0.025) * errs[i]
			s.Information = results.Interval(stat.Interval{Low: fit.Log[i] - half, High: fit.Log[i] + half, Level: 0.95})
		}
	}
	if !p.o.Intervals {
		return out, nil
	}
	blocks, deletes, err := p.deletes(&b, samples)
	if err == nil {
		out.Deleted = deletes
		err = p.deleteVotes(ctx, &out, &deletion{&b, contests, pair, fit}, blocks)
	}
	if stat.IsUndefined(err) {
		out.Deleted = ""
		for i := range out.All {
			out.All[i].CI = report.NoInterval("%s", stat.Reason(err))
		}
		return out, nil
	}
	return out, err
}

// count counts a comparison.
func (s *Strength) count(outcome Verdict) {
	switch outcome {
	case PrefersA:
		s.Wins++
	case PrefersB:
		s.Losses++
	default:
		s.Ties++
	}
}

// undefined says why there are no strengths; it returns errors that say something else.
func (s *Strengths) undefined(err error, names []string) error {
	reason := "no comparison of two"
	var unbounded *score.Unbounded
	switch {
	case errors.As(err, &unbounded):
		reason = whyUnbounded(unbounded, names)
	case len(names) > 0 && stat.IsUndefined(err):
		reason = stat.Reason(err)
	case len(names) > 0:
		return err
	}
	s.Tie = report.Undefined("%s", reason)
	for i := range s.All {
		s.All[i].Estimate, s.All[i].Information = report.NoEstimate("%s", reason), report.NoInterval("%s", reason)
	}
	return nil
}

// whyUnbounded is why there is no finite estimate, with names.
func whyUnbounded(u *score.Unbounded, names []string) string {
	list := func(items []int) string {
		var out []string
		for _, i := range items {
			out = append(out, names[i])
		}
		return text.Names(out)
	}
	switch {
	case u.Groups != nil:
		const shown = 3
		out := fmt.Sprintf("no finite estimate: no comparison connects %s with %s", list(u.Groups[0]), list(u.Groups[1]))
		if len(u.Groups) >= shown {
			out += fmt.Sprintf(" (%d groups)", len(u.Groups))
		}
		return out
	case u.Above != nil:
		return fmt.Sprintf("no finite estimate: %s won all comparisons with %s", list(u.Above), list(u.Below))
	}
	return "no finite estimate: too many ties, as no cycle in which each beat or tied the next has more wins than ties"
}

// deletes are the blocks that intervals delete in turn, and their name: raters or, if samples says so and there are
// several, samples and, where there are several, raters.
func (p *plan) deletes(b *ballot, samples bool) (blocks []*stat.Blocks, deletes string, err error) {
	rater, raters := points.Numbered(b.raters)
	if _, n := points.Numbered(b.samples); samples && n > 1 {
		by := &crossed{plan: p, samples: b.samples, models: b.raters, raters: true}
		if blocks, _, err = by.parts(); err != nil {
			return nil, "", err
		}
		deletes = p.count(blocks[0].Count())
		if len(blocks) > 1 {
			deletes += " and " + text.Count(raters, "rater")
		}
		return blocks, deletes, nil
	}
	if raters < fewestModels {
		reason := "only " + text.Count(raters, "rater")
		if len(b.raters) > 0 && b.raters[0] == "" {
			reason = "the raters are not named"
		}
		return nil, "", stat.Undefined("interval", "%s, want at least %d", reason, fewestModels)
	}
	byRater, err := stat.NewBlocks(len(rater), rater, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	return []*stat.Blocks{byRater}, text.Count(raters, "rater"), err
}

// deletion is what deletions of votes begin with.
type deletion struct {
	*ballot
	contests []score.Contest
	pair     []int // of every vote, of the contests
	fit      *score.Strengths
}

// without are the log strengths without the votes of a block; NaN where they have no finite estimate.
func (d *deletion) without(block []int) []float64 {
	contests := slices.Clone(d.contests)
	for _, i := range block {
		d.votes[i].count(&contests[d.pair[i]], -1)
	}
	fit, err := score.BradleyTerry(len(d.fit.Log), contests, d.fit)
	if err != nil {
		return slices.Repeat([]float64{math.NaN()}, len(d.fit.Log))
	}
	return fit.Log
}

// deleteVotes fills in the intervals of strengths.
func (p *plan) deleteVotes(ctx context.Context, s *Strengths, d *deletion, blocks []*stat.Blocks) error {
	replicates := map[*stat.Blocks][][]float64{}
	for _, b := range blocks {
		all := make([][]float64, b.Count())
		err := parallel.Try(ctx, p.o.Workers, len(all), func(_, j int) error {
			all[j] = d.without(b.Block(j))
			if math.IsNaN(all[j][0]) {
				return stat.Undefined("interval", "there is no finite estimate without some of %s", s.Deleted)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		replicates[b] = all
	}
	for i := range s.All {
		j, err := deleted(blocks, func(b *stat.Blocks) (*stat.Jackknifed, error) {
			values := make([]float64, b.Count())
			for k := range values {
				values[k] = replicates[b][k][i]
			}
			return b.Jackknife(d.fit.Log[i], values, nil)
		})
		if err != nil {
			return err
		}
		s.All[i].CI = results.IntervalOf(j)
	}
	return nil
}

// preferred is how metrics agree with votes for rows of one sample.
func (p *plan) preferred(ctx context.Context, r *Result, votes *ballot) ([]PreferenceAgreement, error) {
	out := make([]PreferenceAgreement, len(p.keys()))
	return out, p.eachKey(ctx, "preferences", func(i int, key *Key) error {
		out[i].Key = *key
		return out[i].agree(p, r, votes)
	})
}

// agree fills in the agreement of one key.
func (m *PreferenceAgreement) agree(p *plan, r *Result, votes *ballot) error {
	sign, ok := m.Key.sign()
	if !ok {
		m.Share = report.NoEstimate(noDirection)
		return nil
	}
	var hits []float64
	var none Number
	var counted ballot
	for i, v := range votes.votes {
		x, y := r.Rows[v.a].Row.Values[m.Key.Name], r.Rows[v.b].Row.Values[m.Key.Name]
		switch {
		case v.outcome == Tie:
			continue
		case !x.Defined() || !y.Defined():
			none.missing(cmp.Or(x.Reason, y.Reason))
			continue
		case x.V == y.V:
			m.Ties++
			continue
		}
		hit := 0.0
		if (sign*(x.V-y.V) > 0) == (v.outcome == PrefersA) {
			hit = 1
		}
		hits = append(hits, hit)
		counted.add(v, votes.samples[i], votes.raters[i])
	}
	if m.Pairs = len(hits); m.Pairs == 0 {
		reason := "no preference for one of two designs of a sample"
		switch {
		case m.Ties > 0:
			reason = "the metric does not tell any two designs apart"
		case len(none.Missing) > 0:
			reason = none.Why()
		}
		m.Share = report.NoEstimate("%s", reason)
		return nil
	}
	m.Share = report.WithInterval(report.Number(stat.Mean(hits)), results.IntervalOf(nil))
	if !p.o.Intervals {
		return nil
	}
	blocks, deletes, err := p.deletes(&counted, true)
	var j *stat.Jackknifed
	n := 0
	if err == nil {
		m.Deleted, n = deletes, min(blocks[0].Count(), blocks[min(1, len(blocks)-1)].Count())
		j, err = deleted(blocks, func(b *stat.Blocks) (*stat.Jackknifed, error) { return stat.JackknifeMean(b, hits) })
	}
	m.Share.CI, err = shareCI(j, n, err)
	return err
}

// enter fills the part of the result file.
func (a *Preferences) enter() {
	o := &a.Object
	o.Set("pairs", a.Pairs)
	o.Set("ties", a.Ties)
	o.Set("designs", a.Designs)
	o.Set("raters", a.Raters)
	o.Set("models", a.Models.entry())
	o.Set("cases", a.Cases.entry())
	var metrics report.Object
	for i := range a.Metrics {
		m := &a.Metrics[i]
		var row report.Object
		row.Set("direction", m.Key.Direction)
		row.Set("pairs", m.Pairs)
		row.Set("metric_ties", m.Ties)
		row.Set("pair_agreement", m.Share)
		metrics.Set(m.Key.Name, row)
	}
	o.Set("metrics", metrics)
}

// entry are strengths as the result file holds them.
func (s *Strengths) entry() report.Object {
	var o, all report.Object
	o.Set("pairs", s.Pairs)
	if s.Deleted != "" {
		o.Set("deleted", s.Deleted)
	}
	o.Set("tie_parameter", s.Tie)
	for i := range s.All {
		one := &s.All[i]
		var row report.Object
		row.Set("wins", one.Wins)
		row.Set("losses", one.Losses)
		row.Set("ties", one.Ties)
		if s.Tie.Defined() { // else one reason is enough
			row.Set("strength", one.Estimate)
			row.Set("information_interval", one.Information)
		}
		all.Set(one.Name, row)
	}
	o.Set("strengths", all)
	return o
}
