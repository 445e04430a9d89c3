// Tests of scores over folds.

package reward

import (
	"math"
	"testing"

	"repscope/stat"
)

// The error over folds of equal size is that of Nadeau and Bengio (2003): √((1/K + 1/(K − 1))·S²).
func TestOverFolds(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 4, 4, 7, 9, 2, 0, 3, 5}
	fold := []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}
	means := []float64{1.5, 4, 8, 1, 4}
	others := make([]float64, 5)
	total := stat.Mean(values)
	for f, m := range means {
		others[f] = (10*total - 2*m) / 8
	}
	j, err := overFolds(fold, total, others, nil)
	if err != nil {
		t.Fatal(err)
	}
	sd := 0.0
	for _, m := range means {
		sd += (m - total) * (m - total) / 4
	}
	if want := math.Sqrt(sd * (1./5 + 1./4)); math.Abs(j.StdError-want) > 1e-12 || j.DF != 4 || j.Untestable != networksUntested {
		t.Errorf("%v with %v degrees of freedom, want %v with 4", j.StdError, j.DF, want)
	}
	others[2] = math.NaN() // a fold without which the score is undefined
	if j, err = overFolds(fold, total, others, nil); err != nil || j.Interval.Defined() || j.Reason == "" {
		t.Errorf("an undefined deletion: %+v, %v", j, err)
	}
}
