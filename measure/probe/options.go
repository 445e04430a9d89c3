// Checks of what probes are given.

package probe

import (
	"fmt"
	"math"
)

// choices are the penalties and the number of folds that are given, or those that stand for none.
func choices(quantity, one, many string, values []float64, standard func() []float64,
	folds int) ([]float64, int, error) {
	if values == nil {
		values = standard()
	}
	if folds == 0 {
		folds = DefaultFolds
	}
	if len(values) == 0 || folds < 2 {
		return nil, 0, fmt.Errorf("%s: %d %s and %d folds, want at least 1 and 2", quantity, len(values), many, folds)
	}
	return values, folds, checkPenalties(quantity, one, values...)
}

// checkClasses says which row has no class or one out of range.
func checkClasses(class []int, classes, n int) error {
	if len(class) != n {
		return fmt.Errorf("%s: %d classes for %d rows", logisticName, len(class), n)
	}
	for i, k := range class {
		if k < 0 || k >= classes {
			return fmt.Errorf("%s: row %d has class %d, want 0 … %d", logisticName, i, k, classes-1)
		}
	}
	return nil
}

// checkPenalties says which is not a finite number above 0.
func checkPenalties(quantity, what string, values ...float64) error {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s: %s %v, want a finite number above 0", quantity, what, v)
		}
	}
	return nil
}
