// Folds that keep groups together.

package probe

import (
	"cmp"
	"fmt"
	"slices"

	"repscope/points"
	"repscope/stat"
)

// DefaultFolds is the number of folds where none is given.
const DefaultFolds = 5

// GroupFolds returns the fold 0 … folds−1 of every row, with all rows of a group in one fold. Groups
// are processed in descending order of size (ties: larger label first); each goes to the first fold
// with the fewest rows. These are the folds of scikit-learn's GroupKFold (since 1.6, with stable
// order). Errors: fewer than 2 folds, fewer groups than folds ([stat.UndefinedError]).
func GroupFolds(groups []int, folds int) ([]int, error) {
	const quantity = "grouped folds"
	if folds < 2 {
		return nil, fmt.Errorf("%s: %d folds, want at least 2", quantity, folds)
	}
	sizes := map[int]int{}
	for _, g := range groups {
		sizes[g]++
	}
	if len(sizes) < folds {
		return nil, stat.Undefined(quantity, "%d group(s) for %d folds, want at least one per fold", len(sizes), folds)
	}
	labels := make([]int, 0, len(sizes))
	for g := range sizes {
		labels = append(labels, g)
	}
	slices.SortFunc(labels, func(a, b int) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(b, a)) })
	rows, fold := make([]int, folds), make(map[int]int, len(sizes))
	for _, g := range labels {
		lightest := 0
		for f, n := range rows {
			if n < rows[lightest] {
				lightest = f
			}
		}
		rows[lightest] += sizes[g]
		fold[g] = lightest
	}
	out := make([]int, len(groups))
	for i, g := range groups {
		out[i] = fold[g]
	}
	return out, nil
}

// Groups is the number of distinct labels.
func Groups(labels []int) int {
	return len(slices.Compact(slices.Sorted(slices.Values(labels))))
}

// Data is the input for fitting and prediction. The caller must leave out rows with a missing target
// or a NaN.
type Data struct {
	X points.Points // [n, D] features, finite
	// Others are further features [n, D] of the same rows, which the heads fitted on X also
	// predict from: features of predicted instead of true latents, for example.
	Others []points.Points
	Groups []int // the episode of every row
	// Folds is the fold of every row, 0, 1, …, each of them with rows: every fold is predicted by
	// the head fitted on the others.
	Folds []int
	// Train, if not nil, lists in ascending order the rows that the head of each fold is fitted on, of
	// those in other folds: see [Fractions].
	Train [][]int
}

// train lists the rows that the head of a fold is fitted on.
func (d *Data) train(fold int) []int {
	if d.Train != nil {
		return d.Train[fold]
	}
	var out []int
	for i, f := range d.Folds {
		if f != fold {
			out = append(out, i)
		}
	}
	return out
}

// rowsOf lists the rows of every fold.
func (d *Data) rowsOf() [][]int {
	rows := make([][]int, slices.Max(d.Folds)+1)
	for i, f := range d.Folds {
		rows[f] = append(rows[f], i)
	}
	return rows
}

// all are X and the Others.
func (d *Data) all() []points.Points { return append([]points.Points{d.X}, d.Others...) }

// check checks all but the values of the features.
func (d *Data) check(quantity string) error {
	n := d.X.N
	if n == 0 || d.X.Dim == 0 {
		return stat.Undefined(quantity, "features of shape [%d, %d]", n, d.X.Dim)
	}
	for _, o := range d.Others {
		if o.N != n || o.Dim != d.X.Dim {
			return fmt.Errorf(
				"%s: features of shape [%d, %d] and [%d, %d], want equal shapes", quantity, o.N, o.Dim, n, d.X.Dim)
		}
	}
	if len(d.Groups) != n || len(d.Folds) != n {
		return fmt.Errorf("%s: %d groups and %d folds for %d rows", quantity, len(d.Groups), len(d.Folds), n)
	}
	fold := map[int]int{}
	for i, g := range d.Groups {
		if d.Folds[i] < 0 {
			return fmt.Errorf("%s: row %d has fold %d", quantity, i, d.Folds[i])
		}
		if f, ok := fold[g]; ok && f != d.Folds[i] {
			return fmt.Errorf("%s: group %d lies in folds %d and %d, want one", quantity, g, f, d.Folds[i])
		}
		fold[g] = d.Folds[i]
	}
	rows := d.rowsOf()
	if len(rows) < 2 {
		return stat.Undefined(quantity, "one fold, want at least 2")
	}
	for f, r := range rows {
		if len(r) == 0 {
			return fmt.Errorf("%s: fold %d of %d has no rows", quantity, f, len(rows))
		}
	}
	return d.checkTrain(quantity, len(rows))
}

func (d *Data) checkTrain(quantity string, folds int) error {
	if d.Train == nil {
		return nil
	}
	if len(d.Train) != folds {
		return fmt.Errorf("%s: training rows for %d folds, want %d", quantity, len(d.Train), folds)
	}
	for f, rows := range d.Train {
		if len(rows) == 0 {
			return stat.Undefined(quantity, "no training rows for fold %d", f)
		}
		for k, i := range rows {
			if i < 0 || i >= len(d.Folds) || d.Folds[i] == f || k > 0 && rows[k-1] >= i {
				return fmt.Errorf("%s: training rows of fold %d, want ascending rows of other folds", quantity, f)
			}
		}
	}
	return nil
}
