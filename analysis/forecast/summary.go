// The scores of all samples: values, intervals and comparisons.

package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// missing is why a family has nothing to compute; empty if it has.
func (f *family) missing(s *setting, members int) string {
	if f.needs == nil {
		return ""
	}
	return f.needs(s, members)
}

// summary makes the result of the sums of all samples.
type summary struct {
	*plan
	kept   []int // samples that are left
	groups []int
	leads  []float64 // of every sample that is left; nil without
	// unequal is why there are no scores over all leads; empty if there are.
	unequal string
	blocks  *stat.Blocks
	// tallies are by model and family; nil where there is nothing to compute.
	tallies [][]*tally
	// jackknifes are by model: of scores by path.
	jackknifes []map[string]*stat.Jackknifed
}

// merge computes the scores of all samples.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	p, parts, failed := p.withoutFailed(parts)
	if len(failed) > 0 && !slices.ContainsFunc(p.models, func(m source) bool { return m.kind != "baseline" }) {
		return nil, &NoneLeftError{failed[0]}
	}
	s := &summary{plan: p, jackknifes: make([]map[string]*stat.Jackknifed, len(p.models))}
	result := &Result{Unmeasured: failed, Variables: p.variables, Regions: p.regions[1:], rule: p.o.EventRule}
	if err := s.gather(result, parts); err != nil {
		return nil, err
	}
	s.group(result)
	for f := range p.families {
		if note := p.families[f].note; note != nil && p.families[f].missing(p.setting, 2) == "" {
			if text := note(p.setting); text != "" && !slices.Contains(result.Warnings, text) {
				result.Warnings = append(result.Warnings, text)
			}
		}
	}
	for m := range p.models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		model, err := s.model(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.models[m].name, err)
		}
		if err := s.parts(m, model, result); err != nil {
			return nil, fmt.Errorf("%s: %w", p.models[m].name, err)
		}
		result.Models = append(result.Models, *model)
		s.warnOfLengths(m, result)
		s.enterFormulas(m, result)
		for _, t := range s.tallies[m] {
			if t == nil || t.family.warn == nil {
				continue
			}
			for _, text := range t.family.warn(t) {
				if !slices.Contains(result.Warnings, text) {
					result.Warnings = append(result.Warnings, text)
				}
			}
		}
	}
	if err := s.skillScores(result); err != nil {
		return nil, err
	}
	if s.o.Intervals {
		s.equalAccuracy(result)
	}
	if s.blocks == nil {
		return result, nil
	}
	return result, s.compare(result)
}

// gather puts the sums of the samples that are left together.
func (s *summary) gather(result *Result, parts []*Part) error {
	bad := make([]int, len(s.arrays)+1)
	index := 0
	for _, part := range parts {
		for _, b := range part.Bad {
			if b == 0 {
				s.kept = append(s.kept, index)
			} else {
				bad[b]++
			}
			index++
		}
	}
	for b, count := range bad {
		if count > 0 {
			result.Skipped += count
			result.Warnings = append(result.Warnings, fmt.Sprintf(
				"%s: %s: %s with NaN or Inf left out for all models", s.arrays[b-1].role, s.arrays[b-1].Name(), text.Count(count, "sample")))
		}
	}
	for _, part := range parts {
		s.limits = part.Limits
	}
	if len(s.kept) == 0 {
		return fmt.Errorf("no sample is left: each of the %d samples has NaN or Inf in some array", index)
	}
	groups := groupsOf(s.in, s.n)
	for _, i := range s.kept {
		s.groups = append(s.groups, groups[i])
		if s.in.Leads != nil {
			s.leads = append(s.leads, s.in.Leads[i])
		}
	}
	if s.leads != nil {
		s.equalLeads(result)
		result.ByLeadAlone = s.unequal != ""
	}
	result.Samples, result.Groups, result.Leads = s.kept, s.groups, s.leads
	dropped := make([]bool, s.n)
	for _, i := range s.kept {
		dropped[i] = true
	}
	for m, model := range s.models {
		tallies := make([]*tally, len(s.families))
		for f := range s.families {
			if s.families[f].missing(s.setting, model.members) != "" {
				continue
			}
			t := &tally{
				setting: s.setting,
				family:  &s.families[f],
				model:   model,
				members: model.members,
				n:       len(s.kept),
				kept:    s.kept,
			}
			t.variables, t.regions, t.sums = t.family.size(s.setting, model.members)
			stride := s.stride(f, model.members)
			index := 0
			for _, part := range parts {
				values := part.Models[m].Families[f]
				for i := range part.Bad {
					if dropped[index] {
						t.values = append(t.values, values[i*stride:(i+1)*stride]...)
					}
					index++
				}
			}
			tallies[f] = t
		}
		s.tallies = append(s.tallies, tallies)
	}
	return nil
}

// wanted says whether a score is among those that were asked for.
func (p *plan) wanted(f *family, score *Formula) bool {
	return len(p.o.Metrics) == 0 || slices.Contains(p.o.Metrics, f.name) || slices.Contains(p.o.Metrics, score.Name)
}

// group makes the blocks of samples that all statistics share: as long as the longest
// memory asks for, of the scores that stand for all, of all models and their differences.
func (s *summary) group(result *Result) {
	result.Series = inSeries(s.groups, s.leads, s.o.Block)
	if !s.o.Intervals {
		return
	}
	for _, values := range s.remembering() {
		blocks, err := blocksOf(s.groups, s.leads, s.o.Block, values)
		if err != nil {
			result.Warnings = append(result.Warnings, fmt.Sprintf("no intervals: %s", stat.Reason(err)))
			return
		}
		if s.blocks == nil || blocks.Count() < s.blocks.Count() {
			s.blocks = blocks
		}
	}
	if s.blocks == nil {
		if blocks, err := blocksOf(s.groups, s.leads, s.o.Block, nil); err == nil {
			s.blocks = blocks
		}
	}
	if s.blocks == nil {
		return
	}
	result.Blocks = describeBlocks(s.blocks)
	result.Warnings = append(result.Warnings, warningsOf(s.blocks)...)
	if own := s.ownBlocks(); own != "" {
		result.Warnings = append(result.Warnings, own)
	}
	for _, tallies := range s.tallies {
		for _, t := range tallies {
			if t != nil {
				t.blocks = s.blocks
			}
		}
	}
}

// ownBlocks says how to have more blocks, where too few of several initial times carry no
// test, and initial times need not depend on each other; else "".
func (s *summary) ownBlocks() string {
	if s.o.Block.Kind != stat.AutoBlocks || s.blocks.Kind() != stat.MovingBlocks || s.blocks.Untestable() == "" {
		return ""
	}
	alone, err := blocksOf(s.groups, s.leads, stat.BlockSpec{Kind: stat.EpisodeBlocks}, nil)
	if err != nil || alone.Kind() != stat.EpisodeBlocks || alone.Untestable() != "" {
		return ""
	}
	return "if the initial times are independent, make each of them a block with --block episode"
}

// warnOfLengths warns if the scores that stand for a model go with the lengths of episodes.
func (s *summary) warnOfLengths(m int, result *Result) {
	for f, t := range s.tallies[m] {
		if t == nil || s.blocks == nil {
			continue
		}
		for _, score := range s.families[f].scores(s.setting, t.members) {
			if !score.memory || !s.wanted(t.family, &score) {
				continue
			}
			name := s.models[m].name + ": " + score.Name
			w := results.LengthWarning(name, "sample", s.bySample(t, &score, all, 0), s.groups)
			if w != "" && !slices.Contains(result.Warnings, w) {
				result.Warnings = append(result.Warnings, w)
			}
		}
	}
}

// remembering are the series of samples whose memory decides the lengths of blocks, by
// score and model: of the scores that stand for all where one of them is wanted, else of
// those that are compared, else of all that are.
func (s *summary) remembering() [][][]float64 {
	for _, stands := range []func(*Formula) bool{
		func(of *Formula) bool { return of.memory },
		func(of *Formula) bool { return of.compared },
		func(*Formula) bool { return true },
	} {
		byScore := map[string][][]float64{}
		var paths []string
		for m := range s.models {
			for f, t := range s.tallies[m] {
				if t == nil {
					continue
				}
				for _, score := range s.families[f].scores(s.setting, t.members) {
					if !stands(&score) || !s.wanted(t.family, &score) {
						continue
					}
					path := score.row() + score.Name
					if byScore[path] == nil {
						paths = append(paths, path)
					}
					values := s.bySample(t, &score, all, 0)
					if slices.ContainsFunc(values, math.IsNaN) {
						// Its sums are numbers where it is none.
						byScore[path] = append(byScore[path], score.own(t.columns(all, 0))...)
					} else {
						byScore[path] = append(byScore[path], values)
					}
				}
			}
		}
		if len(paths) > 0 {
			out := make([][][]float64, len(paths))
			for i, path := range paths {
				out[i] = byScore[path]
			}
			return out
		}
	}
	return nil
}

// bySample is a score of every sample.
func (s *summary) bySample(t *tally, score *Formula, variable, region int) []float64 {
	columns := score.own(t.columns(variable, region))
	out, sums := make([]float64, t.n), make([]float64, len(columns))
	for i := range out {
		for k := range sums {
			sums[k] = columns[k][i]
		}
		out[i] = score.of(sums)
	}
	return out
}

// model describes one model.
func (s *summary) model(m int) (*Model, error) {
	forecast := s.models[m]
	model := &Model{Name: forecast.name, Kind: forecast.kind, From: forecast.from, Samples: len(s.kept),
		Members: forecast.members, Estimator: s.estimator(forecast.members)}
	s.jackknifes[m] = map[string]*stat.Jackknifed{}
	var err error
	if model.Scores, err = s.scores(m, all, 0, nil, func(path string, j *stat.Jackknifed) { s.jackknifes[m][path] = j }); err != nil {
		return nil, err
	}
	enter(&model.Fields, model.Scores)
	for f := range s.families {
		family := &s.families[f]
		if why := family.missing(s.setting, forecast.members); why != "" {
			for _, score := range family.scores(s.setting, forecast.members) {
				if s.wanted(family, &score) {
					model.Skipped.Set(score.Name, why)
				}
			}
		} else if family.tables != nil && s.unequal == "" {
			if err := family.tables(s.tallies[m][f], &model.Tables); err != nil {
				return nil, fmt.Errorf("%s: %w", family.name, err)
			}
		}
	}
	for _, key := range model.Tables.Keys() {
		value, _ := model.Tables.Get(key)
		model.Fields.Set(key, value)
	}
	for _, score := range model.Scores {
		if !score.Value.Defined() {
			model.Skipped.Set(score.Path(), score.Value.Reason)
		}
	}
	return model, nil
}

// parts adds the scores by variable, region and lead.
func (s *summary) parts(m int, model *Model, result *Result) error {
	byVariable := make([][]Score, len(s.variables))
	none := func(string, *stat.Jackknifed) {}
	for v, name := range s.variables {
		scores, err := s.scores(m, v, 0, nil, none)
		if err != nil {
			return err
		}
		byVariable[v] = scores
		var part report.Object
		enter(&part, scores)
		model.ByVariable.Set(name, &part)
	}
	result.ByVariable = append(result.ByVariable, byVariable)
	for r, name := range s.regions {
		if r == 0 {
			continue
		}
		scores, err := s.scores(m, all, r, nil, none)
		if err != nil {
			return err
		}
		var part report.Object
		enter(&part, scores)
		model.ByRegion.Set(name, &part)
	}
	for _, lead := range s.distinctLeads() {
		share, count := s.share(lead)
		row := Lead{Lead: lead, Samples: count}
		var err error
		row.Scores, err = s.scores(m, all, 0, share,
			func(path string, j *stat.Jackknifed) { s.jackknifes[m][leadPath(lead)+path] = j })
		if err != nil {
			return err
		}
		enter(&row.Fields, row.Scores)
		model.ByLead = append(model.ByLead, row)
	}
	return nil
}

// enterFormulas adds the formulas of a model's scores to the formulas of the result.
func (s *summary) enterFormulas(m int, result *Result) {
	for f, t := range s.tallies[m] {
		if t == nil {
			continue
		}
		for _, formula := range s.families[f].scores(s.setting, t.members) {
			same := func(g Formula) bool { return g.Name == formula.Name && g.List == formula.List }
			if s.wanted(t.family, &formula) && !slices.ContainsFunc(result.Formulas, same) {
				result.Formulas = append(result.Formulas, formula)
			}
		}
	}
}

// leadPath is the path of the row of a lead.
func leadPath(lead float64) string { return "by_lead" + report.Row("lead", lead) + "." }

// distinctLeads are the leads in ascending order.
func (s *summary) distinctLeads() []float64 {
	leads := slices.Clone(s.leads)
	slices.Sort(leads)
	return slices.Compact(leads)
}

// share is 1 for the samples of a lead.
func (s *summary) share(lead float64) (share []float64, count int) {
	share = make([]float64, len(s.leads))
	for i, l := range s.leads {
		if l == lead {
			share[i] = 1
			count++
		}
	}
	return share, count
}

// scores are the scores of a model, of a variable or all, in a region, over the samples whose
// share is 1 (nil: all). keep is told the jackknife of each, by its path.
func (s *summary) scores(m, variable, region int, share []float64,
	keep func(string, *stat.Jackknifed)) ([]Score, error) {
	var out []Score
	for f, t := range s.tallies[m] {
		if t == nil || variable != all && !t.family.byVariable() || region > 0 && t.family.grid {
			continue
		}
		columns := t.columns(variable, region)
		for _, formula := range s.families[f].scores(s.setting, t.members) {
			if !s.wanted(t.family, &formula) {
				continue
			}
			score, j, err := s.score(&formula, columns, share)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", formula.Name, err)
			}
			if j != nil {
				keep(score.Path(), j)
			}
			out = append(out, *score)
		}
	}
	return out, nil
}

// score is one score of columns of sums, and its jackknife: nil without intervals and
// where it is undefined.
func (s *summary) score(formula *Formula, columns [][]float64, share []float64) (*Score, *stat.Jackknifed, error) {
	out := &Score{Name: formula.Name, Row: formula.row(), Mean: formula.mean, Sample: undefined(len(s.kept))}
	if share == nil && s.unequal != "" {
		out.undefine(s.unequal)
		return out, nil, nil
	}
	columns = formula.own(columns)
	sums, means := make([]float64, len(columns)), make([]float64, len(columns))
	count := 0.0
	for i := range out.Sample {
		if share != nil && share[i] == 0 {
			continue
		}
		for k := range sums {
			sums[k] = columns[k][i]
		}
		out.Sample[i] = formula.of(sums)
		count++
	}
	for k, column := range columns {
		if share == nil {
			means[k] = stat.Mean(column)
			continue
		}
		for i, v := range column {
			means[k] += float64(v * share[i])
		}
		means[k] /= count
	}
	none := formula.none
	if formula.why != nil {
		none = formula.why(means)
	}
	if none == "" {
		none = "not defined for these fields"
	}
	out.Value = report.NumberOr(formula.of(means), none)
	if !out.Value.Defined() {
		out.undefine(none)
		return out, nil, nil
	}
	out.SD = new(deviation(out.Sample, nil))
	out.BatchSD = s.batchDeviation(formula, columns, share)
	if s.blocks == nil {
		out.CI = results.IntervalOf(nil)
		if s.o.Intervals {
			out.CI = report.NoInterval("too few samples for intervals")
		}
		return out, nil, nil
	}
	j, err := jackknife(s.blocks, columns, share, 1, func(means, dst []float64) { dst[0] = formula.of(means) })
	if err != nil {
		return nil, nil, err
	}
	if formula.noInterval != "" {
		out.CI = report.NoInterval("%s", formula.noInterval)
		return out, nil, nil
	}
	j[0].Within(formula.within())
	out.CI = results.IntervalOf(j[0])
	return out, j[0], nil
}

// undefine says why there is no score.
func (s *Score) undefine(why string) {
	s.Estimate, s.BatchSD = report.NoEstimate("%s", why), report.Undefined("%s", why)
	s.SD = new(s.Value)
}

// deviation is the standard deviation (ddof 0) of the values that are there, with weights
// (nil: equal ones).
func deviation(values, weights []float64) report.Value {
	var total, middle, squares float64
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	for i, v := range values {
		if v-v == 0 {
			middle += float64(weight(i) * v)
			total += weight(i)
		}
	}
	middle /= total
	for i, v := range values {
		if v-v == 0 {
			squares += float64(weight(i) * float64((v-middle)*(v-middle)))
		}
	}
	return report.NumberOr(math.Sqrt(squares/total), "not defined for any single sample")
}

// batchDeviation is the standard deviation over batches of consecutive samples;
// the last may be short: batches count by their samples.
func (s *summary) batchDeviation(formula *Formula, columns [][]float64, share []float64) report.Value {
	if s.o.BatchSize == 0 {
		return report.Undefined("needs --batch-size")
	}
	var values, weights []float64
	means := make([]float64, len(columns))
	for lo := 0; lo < len(s.kept); lo += s.o.BatchSize {
		clear(means)
		count := 0.0
		for i := lo; i < min(lo+s.o.BatchSize, len(s.kept)); i++ {
			if share != nil && share[i] == 0 {
				continue
			}
			count++
			for k := range means {
				means[k] += columns[k][i]
			}
		}
		if count == 0 {
			continue
		}
		for k := range means {
			means[k] /= count
		}
		values, weights = append(values, formula.of(means)), append(weights, count)
	}
	return deviation(values, weights)
}

// enter puts scores into an object, scores of rows into lists.
func enter(o *report.Object, scores []Score) {
	type list struct {
		rows  []any
		paths []string
	}
	lists := map[string]*list{}
	for i := range scores {
		s := &scores[i]
		into := o
		if s.Row != "" {
			into = rowOf(o, s.Row, func(name string) (*[]any, *[]string) {
				if lists[name] == nil {
					lists[name] = &list{}
				}
				return &lists[name].rows, &lists[name].paths
			})
		}
		into.Set(s.Name, s.Estimate)
		if s.BatchSD.Defined() {
			into.Set(s.Name+"_batch_sd", s.BatchSD)
		}
	}
	for _, key := range o.Keys() {
		if l := lists[key]; l != nil {
			o.Set(key, l.rows)
		}
	}
}

// estimator says which definitions the scores of a model are of.
func (s *summary) estimator(members int) report.Object {
	var o report.Object
	rule := func(name string) string {
		if members == 1 {
			return "deterministic" // one member: the spread is 0
		}
		return name
	}
	o.Set("crps", rule(s.o.CRPS))
	o.Set("energy_score", rule(s.o.Energy))
	o.Set("variogram_score", s.o.Variogram)
	o.Set("variogram_p", s.o.VariogramP)
	o.Set("patch_mode", s.o.PatchMode)
	return o
}
