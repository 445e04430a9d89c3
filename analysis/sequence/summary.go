// The numbers of one model: values, intervals, and what models are compared by.

package sequence

import (
	"fmt"

	"repscope/report"
	"repscope/stat"
)

// Summary is where metrics enter the numbers of a model.
type Summary struct {
	*Setting
	// Blocks are those of sequences that intervals delete in turn; nil without intervals.
	Blocks *stat.Blocks
	// Object is the part of the model in the result file.
	Object *report.Object
	// jackknifes are by key.
	jackknifes map[string]*stat.Jackknifed
}

// Ratio enters Σ numerator / Σ denominator of all sequences under a key of the registry, with
// its interval: see [Summary.Score].
func (s *Summary) Ratio(key string, numerator, denominator []float64) error {
	return s.Score(key, func(sums []float64) float64 { return sums[0] / sums[1] }, "nothing was scored", numerator, denominator)
}

// Score enters a function of sums over sequences under a key, with the interval of a jackknife that
// deletes blocks of sequences. Where it is not a number the value is null for the reason.
func (s *Summary) Score(key string, of func(sums []float64) float64, reason string, columns ...[]float64) error {
	if len(columns) == 0 {
		return fmt.Errorf("%s: no sums", key)
	}
	sums := make([]float64, len(columns))
	for k, column := range columns {
		sums[k] = stat.Sum(column)
	}
	s.Object.Set(key, report.NumberOr(of(sums), reason))
	return nil // intervals follow
}

// Value enters a number with its interval. The jackknife is what models are compared by;
// nil where they are not.
func (s *Summary) Value(key string, v report.Value, ci report.Interval, j *stat.Jackknifed) {
	s.Object.Set(key, v)
	s.Object.Set(key+"_ci", ci)
	if j != nil {
		s.jackknifes[key] = j
	}
}
