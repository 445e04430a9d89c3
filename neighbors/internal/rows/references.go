// Rows of single points against all points.

package rows

import (
	"context"
	"fmt"

	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// queryRows rows at once, or queryBytes of them, are enough for the matrix
// kernels to run at full speed.
const queryRows, queryBytes = 96, 256 << 20

// References are rows of single points against all points.
type References struct {
	Space
	// masked calls skip for the points that are no candidates of row q.
	masked func(q int, skip func(j int))
}

// OpenReferences opens the rows of the points with these indices. A row is the same as in a pass over all points: the
// point itself and its exclusion window are no candidates.
func OpenReferences(ctx context.Context, pts points.Points, index []int, o *Options) (*References, error) {
	b := o.Among(pts.N)
	return OpenMasked(ctx, pts, index, o, func(q int, skip func(j int)) { b.Exclusions(index[q], skip) })
}

// OpenMasked opens the rows of the points with these indices, whose candidates are all points not masked.
func OpenMasked(ctx context.Context, pts points.Points, index []int, o *Options,
	masked func(q int, skip func(j int))) (*References, error) {
	s, err := Open(ctx, pts.Select(index), pts, false, false, o, nil)
	if err != nil {
		return nil, err
	}
	return &References{Space: s, masked: masked}, nil
}

// ReferenceRows is the number of rows of this many bytes that are computed at once, of total: more would take memory
// and not be faster.
func ReferenceRows(budget, bytes int64, total int) (int, error) {
	rows, err := rowsWithin(budget, bytes, total)
	return min(rows, int(max(queryRows, queryBytes/bytes))), err
}

// Load computes rows lo … hi−1 and removes the points that are no candidates.
func (r *References) Load(ctx context.Context, lo, hi int) error {
	if err := r.Space.Load(ctx, lo, hi); err != nil {
		return err
	}
	switch s := r.Space.(type) {
	case *exact[int32]:
		mask(r, s.row, lo, hi)
	case *exact[int64]:
		mask(r, s.row, lo, hi)
	case *exact[float64]:
		mask(r, s.row, lo, hi)
	case *bounded[float32]:
		mask(r, s.row, lo, hi)
	case *bounded[float64]:
		mask(r, s.row, lo, hi)
	default:
		return fmt.Errorf("rows of single points are not available for %s", r.Counts().Method)
	}
	return nil
}

func mask[K scan.Key](r *References, row func(i int) []K, lo, hi int) {
	limit := scan.Excluded[K]()
	for q := lo; q < hi; q++ {
		values := row(q)
		r.masked(q, func(j int) { values[j] = limit })
	}
}

// SearchReferences is the exact search for the points with these indices only; row q of the result belongs to point
// index[q].
func SearchReferences(ctx context.Context, pts points.Points, index []int, k int, o *Options) (*Nearest, error) {
	result := NewNearest(len(index), k)
	s, err := OpenReferences(ctx, pts, index, o)
	if err != nil {
		return nil, err
	}
	step, err := ReferenceRows(o.Budget(), s.RowBytes(), len(index))
	if err != nil {
		return nil, err
	}
	return result, fillLists(ctx, s, step, o.ThreadCount(), nil, result)
}
