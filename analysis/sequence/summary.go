// The numbers of one model: values, intervals, and what models are compared by.

package sequence

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence/internal/groups"
	"repscope/report"
	"repscope/stat"
)

// Summary is where metrics enter the numbers of a model.
type Summary struct {
	*Setting
	// Object is the part of the model in the result file.
	Object *report.Object
	// Intervals says whether there are any.
	Intervals bool

	kind   *Kind
	groups *groups.Groups // nil: intervals are not known of
	model  *ModelResult
}

// Ratio enters Σ numerator / Σ denominator of all sequences under a key of the registry, with
// its interval: see [Summary.Score].
func (s *Summary) Ratio(key string, numerator, denominator []float64) error {
	return s.RatioOr(key, "no residue or sequence was scored", numerator, denominator)
}

// RatioOr is [Summary.Ratio] with the reason of a denominator of 0.
func (s *Summary) RatioOr(key, reason string, numerator, denominator []float64) error {
	ratio := func(sums []float64) float64 { return sums[0] / sums[1] }
	influence := func(value float64, sums []float64) []float64 {
		out := make([]float64, len(numerator))
		for i := range out {
			out[i] = float64(len(out)) * (numerator[i] - value*denominator[i]) / sums[1]
		}
		return out
	}
	return s.score(key, ratio, influence, reason, numerator, denominator)
}

// Score enters a function of sums over sequences under a key, with the interval of a jackknife that
// deletes groups of sequences. Where it is not a number the value is null for the reason. A column
// is the jackknife of a [Sums]: of groups, or of sequences in the order of updates.
func (s *Summary) Score(key string, formula func(sums []float64) float64, reason string, columns ...[]float64) error {
	influence := func(float64, []float64) []float64 {
		_, influence, err := stat.SumsInfluence(columns, 1, func(_ float64, sums, dst []float64) { dst[0] = formula(sums) })
		if err != nil { // a sum that is not a number leaves no value
			return nil
		}
		return influence[0]
	}
	return s.score(key, formula, influence, reason, columns...)
}

// score is Score, with the influence of every row of the columns on the value.
func (s *Summary) score(key string, formula func(sums []float64) float64,
	influence func(value float64, sums []float64) []float64, reason string, columns ...[]float64) error {
	if len(columns) == 0 {
		return fmt.Errorf("%s: no sums", key)
	}
	sums := make([]float64, len(columns))
	for k, column := range columns {
		sums[k] = stat.Sum(column)
	}
	value := formula(sums)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		s.Undefined(key, "%s", reason)
		return nil
	}
	j, err := s.JackknifeSums(key, formula, value, sums, columns)
	if err != nil {
		return err
	}
	if s.key(key).Paired && s.groups != nil && len(columns[0]) == s.groups.N {
		effects := influence(value, sums)
		if j != nil {
			j.Influence = effects
		}
		s.pair(key, value, effects)
	}
	s.Estimate(key, value, j)
	return nil
}

// pair keeps what every sequence contributes to a number: its influence added to the number, so
// that the mean over sequences is the number, and its error the error of the number.
func (s *Summary) pair(key string, value float64, influence []float64) {
	if s.model == nil || influence == nil {
		return
	}
	values := make([]float64, len(influence))
	for i, v := range influence {
		values[i] = value + v
	}
	s.model.Samples = append(s.model.Samples, SequenceScores{Key: key, Values: s.inOrder(values)})
}

// inOrder are values of sequences in the order of the dataset.
func (s *Summary) inOrder(values []float64) []float64 {
	ordered := make([]float64, len(values))
	for at, i := range s.groups.Order {
		ordered[i] = values[at]
	}
	return ordered
}

// JackknifeSums is the jackknife of a function of sums of columns, whose value is given; nil without intervals.
// Errors name the key.
func (s *Summary) JackknifeSums(key string, formula func(sums []float64) float64, value float64, sums []float64,
	columns [][]float64) (*stat.Jackknifed, error) {
	if s.groups == nil {
		return nil, nil
	}
	byGroup := make([][]float64, len(columns))
	for k, column := range columns {
		var err error
		if byGroup[k], err = s.groups.ByGroup(key, column); err != nil {
			return nil, err
		}
	}
	return s.Jackknife(value, func(group int) float64 {
		rest := make([]float64, len(sums))
		for k := range rest {
			rest[k] = sums[k] - byGroup[k][group]
		}
		return formula(rest)
	})
}

// Groups is the number of groups of sequences that intervals delete in turn; 0 where there
// are no intervals.
func (s *Summary) Groups() int {
	if s.groups == nil || !s.Intervals || s.groups.Count() < groups.Fewest {
		return 0
	}
	return s.groups.Count()
}

// Jackknife is the jackknife of an estimate by its values without each group: see [Item.Group]. It is nil
// where there are no intervals.
func (s *Summary) Jackknife(estimate float64, without func(group int) float64) (*stat.Jackknifed, error) {
	if s.Groups() == 0 {
		return nil, nil
	}
	replicates := make([]float64, s.Groups())
	for g := range replicates {
		replicates[g] = without(g)
	}
	return s.groups.Jackknife(estimate, replicates)
}

// Estimate enters a number with the interval of its jackknife under a key of the registry; a nil
// one stands for a run without intervals.
func (s *Summary) Estimate(key string, value float64, j *stat.Jackknifed) {
	k := s.key(key)
	ci := k.Interval(j)
	if j == nil && s.Intervals {
		ci = report.NoInterval("too few sequences or clusters for an interval, want at least 3")
	}
	s.Value(key, report.NumberOr(value, "not a number"), ci, j)
}

// Value enters a number with its interval. The jackknife is what models are compared by;
// nil where they are not.
func (s *Summary) Value(key string, v report.Value, ci report.Interval, j *stat.Jackknifed) {
	k := s.key(key)
	s.Object.Set(key, report.WithInterval(v, ci))
	if j != nil && k.Compared && s.model != nil {
		s.model.jackknifes[key] = j
	}
}

// Undefined enters null with a reason under a key and its interval.
func (s *Summary) Undefined(key, format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	s.Value(key, report.Undefined("%s", reason), report.NoInterval("%s", reason), nil)
}

// key is the row of the registry. A key that the metric does not have is a mistake of the
// program.
func (s *Summary) key(name string) *Key {
	if s.kind == nil { // of a test
		return &Key{Name: name, Low: math.Inf(-1), High: math.Inf(1)}
	}
	i := slices.IndexFunc(s.kind.Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("sequence: metric %s has no key %s", s.kind.Name, name))
	}
	return &s.kind.Keys[i]
}

// Sequences enters scores of single sequences, in the order of updates, for the CSV file of
// sequences; NaN where undefined.
func (s *Summary) Sequences(key string, values []float64) {
	if s.model == nil || s.groups == nil || len(values) != s.groups.N {
		return
	}
	s.model.Scores = append(s.model.Scores, SequenceScores{Key: key, Values: s.inOrder(values)})
}

// SequenceRatio is [Summary.Sequences] of numerator / denominator of every sequence.
func (s *Summary) SequenceRatio(key string, numerator, denominator []float64) {
	values := make([]float64, len(numerator))
	for i, v := range numerator {
		values[i] = v / denominator[i]
	}
	s.Sequences(key, values)
	s.warnOfLengths(key, numerator, denominator)
}

// warnOfLengths warns where longer sequences, or clusters of more residues, have higher or lower values.
func (s *Summary) warnOfLengths(key string, numerator, denominator []float64) {
	if s.model == nil || s.Groups() == 0 || !s.key(key).Paired || len(numerator) != s.groups.N {
		return
	}
	group := "sequence"
	if s.groups.Clusters < s.groups.N && s.groups.Count() == s.groups.Clusters {
		group = "cluster"
		for _, column := range []*[]float64{&numerator, &denominator} {
			sums, err := s.groups.ByGroup(key, *column)
			if err != nil {
				return // which the number itself says
			}
			*column = sums
		}
	}
	if l, err := stat.LengthsOfRatio(numerator, denominator); err == nil {
		if w := l.Warning(s.model.Name+": "+key, "residue", group); w != "" {
			s.model.warnings = append(s.model.warnings, w)
		}
	}
}

// Table is where rows of a file of [Kind.Files] are added to the rows of other models.
func (s *Summary) Table(file string) *Table {
	t := &Table{File: file}
	if s.model != nil {
		s.model.Tables = append(s.model.Tables, t)
	}
	return t
}

// Keep keeps what a figure draws of the model, under a name of the metric's own.
func (s *Summary) Keep(name string, value any) {
	if s.model != nil {
		s.model.Kept[name] = value
	}
}

// Deleted says which groups the jackknife of a key deletes, where these are not all: models for which they are
// others are not compared on it.
func (s *Summary) Deleted(key, groups string) {
	if s.model != nil {
		s.model.deleted[key] = groups
	}
}

// family is what Holm's correction is over: a number of all regions, ranges or ways of scoring is
// one question asked several times.
func family(key string) string {
	if parts := strings.Split(key, "/"); len(parts) > 2 {
		return parts[0] + "/" + parts[len(parts)-1]
	}
	return key
}

// compare compares all models on the keys that both have. The warnings say which are not comparable.
func (d *DatasetResult) compare(registry Registry, o Options) (warnings []string, err error) {
	var keys []string
	for _, kind := range registry {
		for _, k := range kind.Keys {
			if k.Compared && !slices.Contains(keys, k.Name) {
				keys = append(keys, k.Name)
			}
		}
	}
	names := make([]string, len(d.Models))
	for m := range d.Models {
		names[m] = d.Models[m].Name
	}
	neighbors, withdrawn := d.neighbors(), 0
	for _, key := range keys {
		estimates := make([]*stat.Jackknifed, len(d.Models))
		first := -1
		for m := range d.Models {
			estimates[m] = d.Models[m].jackknifes[key]
			switch {
			case estimates[m] == nil:
			case first < 0:
				first = m
			case d.Models[m].deleted[key] != d.Models[first].deleted[key]:
				estimates[m] = nil
				warnings = append(warnings, fmt.Sprintf(
					"%s and %s are not compared on %s, because they were scored on different "+
						"sequences", names[first], names[m], key))
			}
		}
		estimate := func(name string) *stat.Jackknifed { return estimates[slices.Index(names, name)] }
		// Where no deletion changes either model nothing shows the error of their difference.
		constant := func(name string) bool {
			j := estimate(name)
			return j.StdError <= 1e-9*math.Abs(j.Estimate)
		}
		rows, err := results.Pairwise(results.Metric{Name: key, Family: family(key)}, names, estimates, o.Seed)
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", key, err)
		}
		rows = slices.DeleteFunc(rows, func(c report.Comparison) bool { return constant(c.A) && constant(c.B) })
		withdrawn += neighbors.Withdraw(rows, estimate)
		d.Comparisons = append(d.Comparisons, rows...)
	}
	results.Correct(d.Comparisons, o.Family)
	return append(warnings, neighbors.Warnings(names, withdrawn)...), nil
}
