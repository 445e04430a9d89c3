// The numbers of substitutions: by assay, their means, and intervals.

package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/groups"
	"repscope/internal/parallel"
	"repscope/measure/variant"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// manyProteins is the number of proteins from which intervals delete proteins; with fewer they delete
// positions: what holds of these proteins is all that can be said then.
const manyProteins = 5

// evaluation is the agreement of all scores with all assays.
type evaluation struct {
	s     *sequence.Summary
	given *sequence.Substitutions
	// What intervals of means delete: clusters of variants, proteins, or mutated positions.
	unit   string
	groups *groups.Groups
	of     [][]int // the group of a variant, by assay
	// What intervals of single assays delete, and the group of a variant.
	own   []*groups.Groups
	ownOf [][]int
	cells [][ScoreCount]*agreementCell // by assay
}

// agreementCell is one score of one assay.
type agreementCell struct {
	scored  int
	values  []float64         // by measure; NaN where undefined
	reasons []string          // why
	own     [][]float64       // by measure, without each own group
	all     []map[int]float64 // by measure, without the groups that have variants of the assay
}

// Result enters all numbers.
func (m *substitutionsMetric) Result(ctx context.Context, s *sequence.Summary) error {
	scores := m.scores()
	if len(m.state.Assays) == 0 {
		return sequence.Skip("no wild type has model output")
	}
	e := newEvaluation(s, m.setting.Substitutions)
	if err := e.evaluate(ctx, scores); err != nil {
		return err
	}
	for score := range ScoreCount {
		if err := e.enter(score); err != nil {
			return err
		}
	}
	s.Object.Set("substitutions", e.object())
	e.table()
	e.variants(scores)
	e.keep(m.state.Map)
	return nil
}

// newEvaluation groups the variants.
func newEvaluation(s *sequence.Summary, assays *sequence.Substitutions) *evaluation {
	e := &evaluation{s: s, given: assays, unit: "positions"}
	var proteins, clusters []string
	for _, a := range assays.Assays {
		proteins, clusters = append(proteins, a.Protein), append(clusters, a.Cluster...)
		if a.Clustered {
			e.unit = "clusters"
		}
		own, _ := points.Numbered(a.Cluster)
		g := groups.New(own, groups.Most)
		e.own, e.ownOf = append(e.own, g), append(e.ownOf, g.Labels())
	}
	numbers, count := points.Numbered(proteins)
	if e.unit == "positions" && count >= manyProteins {
		e.unit = "proteins"
		each := make([]int, count)
		for i := range each {
			each[i] = i
		}
		e.groups = groups.New(each, groups.Most)
		group := e.groups.Labels()
		for k, a := range assays.Assays {
			e.of = append(e.of, slices.Repeat([]int{group[numbers[k]]}, len(a.Variants)))
		}
		return e
	}
	all, _ := points.Numbered(clusters)
	e.groups = groups.New(all, groups.Most)
	group := e.groups.Labels()
	for _, a := range assays.Assays {
		n := len(a.Variants)
		e.of, group = append(e.of, group[:n:n]), group[n:]
	}
	return e
}

// evaluate computes all agreements, without each group where intervals are asked for.
func (e *evaluation) evaluate(ctx context.Context, scores [][ScoreCount][]float64) error {
	e.cells = make([][ScoreCount]*agreementCell, len(scores))
	return parallel.Try(ctx, e.s.Threads, len(scores)*ScoreCount, func(_, i int) error {
		k, score := i/ScoreCount, i%ScoreCount
		if scores[k][score] == nil {
			return nil
		}
		cell, err := e.cell(k, scores[k][score])
		if err != nil {
			return fmt.Errorf("assay %s: %s: %w", e.given.Assays[k].Name, scoreNames[score], err)
		}
		e.cells[k][score] = cell
		return nil
	})
}

// cell is the agreement of a score with an assay.
func (e *evaluation) cell(k int, scores []float64) (*agreementCell, error) {
	a := e.given.Assays[k]
	measured, fit, germline := oriented(a, e.s.Options["substitutions"])
	var x, y, z []float64
	var f []bool
	var scored, all []int
	for i, v := range scores {
		if math.IsNaN(v) {
			continue
		}
		x, y, z = append(x, measured[i]), append(y, v), append(z, germline[i])
		scored, all = append(scored, e.ownOf[k][i]), append(all, e.of[k][i])
		if fit != nil {
			f = append(f, fit[i])
		}
	}
	agreement, err := variant.NewAgreement(x, y, f, z)
	if err != nil {
		return nil, err
	}
	c, same := &agreementCell{scored: len(x)}, slices.Equal(scored, all) // as they are of one assay
	for _, m := range variant.Measures() {
		v, err := agreement.Value(m)
		c.values, c.reasons = append(c.values, v), append(c.reasons, stat.Reason(err))
		var without []float64
		changed := map[int]float64{}
		if e.s.Intervals && err == nil {
			for g := range e.own[k].Count() {
				without = append(without, agreement.Without(m, scored, g))
			}
			for _, g := range slices.Compact(slices.Sorted(slices.Values(all))) {
				if same {
					changed[g] = without[g]
				} else {
					changed[g] = agreement.Without(m, all, g)
				}
			}
		}
		c.own, c.all = append(c.own, without), append(c.all, changed)
	}
	return c, nil
}

// oriented are the measurements with larger ones better, which variants are fit, and what the partial
// correlation accounts for: the distance to the germline, or where that is not known the number
// of substitutions.
func oriented(a *sequence.Assay, options map[string]any) (measured []float64, fit []bool, germline []float64) {
	measured, germline = slices.Clone(a.Measured), a.Germline
	lower := options["lower_is_fitter"] == true
	if lower {
		for i := range measured {
			measured[i] = -measured[i]
		}
	}
	fit = classes(a, measured, options["cutoff"], lower)
	if germline == nil {
		for _, v := range a.Variants {
			germline = append(germline, float64(len(v.Sites)))
		}
	}
	return measured, fit, germline
}

// mean is a level of the means of a measure of a score over assays, without a group if it is not −1.
func (e *evaluation) mean(score int, m variant.Measure, level func(l *variant.Levels) float64, group int) float64 {
	l := variant.Aggregate(e.assays(score, m, group))
	return level(&l)
}

// assays are the values of a measure of a score.
func (e *evaluation) assays(score int, m variant.Measure, group int) []variant.Assay {
	var out []variant.Assay
	for k, a := range e.given.Assays {
		cell := e.cells[k][score]
		if cell == nil {
			continue
		}
		v := cell.values[m]
		if without, ok := cell.all[m][group]; ok {
			v = without
		}
		out = append(out, variant.Assay{Protein: a.Protein, Function: a.Function, Value: v})
	}
	return out
}

// jackknife is the jackknife of a mean; nil without intervals, or where there are too few groups.
func (e *evaluation) jackknife(value float64, without func(group int) float64) (*stat.Jackknifed, error) {
	if !e.s.Intervals || e.groups.Count() < groups.Fewest {
		return nil, nil
	}
	replicates := make([]float64, e.groups.Count())
	for g := range replicates {
		replicates[g] = without(g)
	}
	j, err := e.groups.Jackknife(value, replicates)
	if err == nil && j.Untestable != "" {
		j.Untestable = fmt.Sprintf("%d %s are too few, or too unequal in size, for a test", e.groups.Count(), e.unit)
	}
	return j, err
}

// enter enters the means of a score under the keys of the registry.
func (e *evaluation) enter(score int) error {
	if !slices.ContainsFunc(e.cells, func(c [ScoreCount]*agreementCell) bool { return c[score] != nil }) {
		return nil
	}
	for _, m := range variant.Measures() {
		for _, level := range scoreLevels {
			key := SubstitutionKey(score, m.String(), level.suffix)
			value := e.mean(score, m, level.of, -1)
			if math.IsNaN(value) {
				e.s.Undefined(key, "%s", e.reason(score, m))
				continue
			}
			j, err := e.jackknife(value, func(g int) float64 { return e.mean(score, m, level.of, g) })
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			e.value(key, value, onScale(m, j))
		}
	}
	if ModelScore(score) {
		return e.gain(score)
	}
	return nil
}

// onScale is a jackknife with the interval on the scale of a measure.
func onScale(m variant.Measure, j *stat.Jackknifed) *stat.Jackknifed {
	if low, _ := m.Range(); j != nil && low < 0 {
		j.OnFisherScale()
	}
	return j
}

// value enters a number with its interval.
func (e *evaluation) value(key string, value float64, j *stat.Jackknifed) {
	if j == nil && e.s.Intervals {
		e.s.Value(key, report.Number(value), report.NoInterval("%s", e.tooFew(e.groups)), nil)
		return
	}
	e.s.Estimate(key, value, j)
}

// tooFew is why there is no interval over groups.
func (e *evaluation) tooFew(g *groups.Groups) string {
	return fmt.Sprintf("too few %s for an interval: %d, want at least 3", e.unit, g.Count())
}

// reason is why a measure is not defined in any assay.
func (e *evaluation) reason(score int, m variant.Measure) string {
	for k := range e.given.Assays {
		if cell := e.cells[k][score]; cell != nil && cell.reasons[m] != "" {
			return cell.reasons[m]
		}
	}
	return "not defined in any assay"
}

// gain enters by how much a score orders variants better than BLOSUM62 does.
func (e *evaluation) gain(score int) error {
	key := SubstitutionKey(score, "spearman", overBLOSUM)
	for k := range e.given.Assays {
		cell, other := e.cells[k][score], e.cells[k][blosum62Score]
		if cell != nil && (other == nil || cell.scored != other.scored) {
			e.s.Undefined(key, "the scores cover different variants in assay %s", e.given.Assays[k].Name)
			return nil
		}
	}
	function := scoreLevels[0].of
	difference := func(g int) float64 {
		return e.mean(score, variant.Spearman, function, g) - e.mean(blosum62Score, variant.Spearman, function, g)
	}
	value := difference(-1)
	if math.IsNaN(value) {
		e.s.Undefined(key, "one of the correlations is undefined")
		return nil
	}
	j, err := e.jackknife(value, difference)
	if err != nil {
		return err
	}
	e.value(key, value, j)
	return nil
}

// interval is the interval of a measure of a score in one assay.
func (e *evaluation) interval(k, score int, m variant.Measure) report.Interval {
	cell, g := e.cells[k][score], e.own[k]
	switch {
	case cell.reasons[m] != "":
		return report.NoInterval("%s", cell.reasons[m])
	case !e.s.Intervals:
		return results.IntervalOf(nil)
	case g.Count() < groups.Fewest:
		return report.NoInterval("%s", e.tooFew(g))
	}
	j, err := g.Jackknife(cell.values[m], cell.own[m])
	if err != nil {
		return report.NoInterval("%s", stat.Reason(err))
	}
	low, high := m.Range()
	return (&sequence.Key{Low: low, High: high}).Interval(onScale(m, j))
}

// object is the part of the result file: assays, and means of proteins and functions.
func (e *evaluation) object() report.Object {
	var o report.Object
	o.Set("intervals_over", e.unit)
	o.Set("groups", e.groups.Count())
	var assays []report.Object
	for k, a := range e.given.Assays {
		var part report.Object
		part.SetParameter("assay", a.Name)
		for _, of := range []struct{ name, value string }{{"protein", a.Protein},
			{"function", a.Function}, {"sequence", a.WildType.ID}} {
			part.Set(of.name, of.value)
		}
		part.Set("variants", len(a.Variants))
		part.Set("unmeasured", a.Unmeasured)
		accounted := "substitutions"
		if a.Germline != nil {
			accounted = "germline_distance"
		}
		part.Set("partial_given", accounted)
		for score, cell := range e.cells[k] {
			if cell == nil {
				continue
			}
			var numbers report.Object
			numbers.Set("scored", cell.scored)
			for _, m := range variant.Measures() {
				numbers.Set(m.String(), report.WithInterval(report.NumberOr(cell.values[m], cell.reasons[m]), e.interval(k, score, m)))
			}
			part.Set(scoreNames[score], numbers)
		}
		assays = append(assays, part)
	}
	o.Set("assays", assays)
	o.Set("proteins", e.level("protein", "assays", func(l *variant.Levels) []variant.Group { return l.Proteins }))
	o.Set("functions", e.level("function", "proteins", func(l *variant.Levels) []variant.Group { return l.Functions }))
	return o
}

// level are the Spearman correlations of the groups of a level.
func (e *evaluation) level(name, counted string, groupsOf func(l *variant.Levels) []variant.Group) []report.Object {
	var rows []report.Object
	index := map[string]int{}
	for score := range ScoreCount {
		l := variant.Aggregate(e.assays(score, variant.Spearman, -1))
		for _, g := range groupsOf(&l) {
			i, ok := index[g.Name]
			if !ok {
				i = len(rows)
				index[g.Name] = i
				var row report.Object
				row.SetParameter(name, g.Name)
				row.Set(counted, g.Count)
				rows = append(rows, row)
			}
			rows[i].Set(scoreNames[score]+"_spearman", report.Number(g.Value))
		}
	}
	return rows
}

// table writes the rows of the CSV file of assays.
func (e *evaluation) table() {
	t := e.s.Table("sequence_substitutions.csv")
	for k, a := range e.given.Assays {
		for score, cell := range e.cells[k] {
			if cell == nil {
				continue
			}
			for _, m := range variant.Measures() {
				ci := e.interval(k, score, m)
				low, high := results.Ends(ci)
				t.Row(a.Name, a.Protein, a.Function, a.WildType.ID, scoreNames[score], m.String(),
					report.NumberOr(cell.values[m], cell.reasons[m]),
					report.Number(low), report.Number(high), cell.scored, cmp.Or(cell.reasons[m], ci.Reason))
			}
		}
	}
}

// variants writes the rows of the CSV file of variants.
func (e *evaluation) variants(scores [][ScoreCount][]float64) {
	t := e.s.Table("sequence_variants.csv")
	for k, a := range e.given.Assays {
		for i, v := range a.Variants {
			cells := []any{a.Name, a.WildType.ID, variant.Format(v.Mutations), a.Measured[i]}
			for _, values := range scores[k] {
				value := math.NaN()
				if values != nil {
					value = values[i]
				}
				cells = append(cells, report.Number(value))
			}
			t.Row(cells...)
		}
	}
}

// SubstitutionMap is what the figure shows of one model.
type SubstitutionMap struct {
	Assay   string
	Assays  int
	Letters []byte // the wild type of the first assay
	Chains  []int8 // of every residue
	Tokens  int
	Names   []string           // of the tokens
	Ratios  []float32          // [residues, tokens]; nil where they are not known
	Single  map[[2]int]float64 // measurements of single substitutions, by residue and token
	Mutated map[int]bool       // residues that variants substitute
}

// keep keeps what the figure shows.
func (e *evaluation) keep(ratios []float32) {
	a := e.given.Assays[0]
	k := &SubstitutionMap{Assay: a.Name, Assays: len(e.given.Assays), Letters: a.Letters,
		Names: e.s.Alphabet.Names, Tokens: e.s.Alphabet.Size(),
		Ratios: ratios, Single: map[[2]int]float64{}, Mutated: map[int]bool{}}
	for _, i := range a.WildType.Residues() {
		k.Chains = append(k.Chains, a.WildType.Chains[i])
	}
	for i, v := range a.Variants {
		for _, s := range v.Sites {
			k.Mutated[s.Residue] = true
		}
		if len(v.Sites) == 1 {
			k.Single[[2]int{v.Sites[0].Residue, v.Sites[0].To}] = a.Measured[i]
		}
	}
	e.s.Keep("substitutions", k)
}
