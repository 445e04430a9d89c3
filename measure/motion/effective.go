// The number of independent points that the mean of dependent ones is worth.

package motion

import (
	"cmp"
	"context"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// EffectiveSize returns the integrated autocorrelation time of points [N, D], in
// steps of time, and the effective sample size of their mean: tr C over the mean
// squared error E‖z̄ − μ‖², at most N. The autocovariance at lag k is the mean of
// (z_s − z̄)·(z_t − z̄) over the pairs t − s = k inside one episode, so that rotations change
// nothing; weights, the variance of the mean that is put back, the window and whether the time is
// reliable come from [stat.IntegratedAutocorrelationTime].
//
// Points need not follow each other: pairs are told apart by the difference of their
// times, and lags with few pairs are taken together with the next ones until there are
// N/8. nil episodes mean one, nil times the positions. Points of one episode at
// the same time count as one step apart. Fewer than 3 points and points that do not vary
// are a [stat.UndefinedError]. threads ≤ 0 means all; results do not depend on it.
// Time is N·D·log W for a window W of at most 5,000; where most steps of time have no point, N·D times the pairs of a
// point within the window.
func EffectiveSize(ctx context.Context, z points.Points, episode, time []int,
	threads int) (stat.AutocorrelationTime, error) {
	const quantity = "effective sample size"
	if z.N < 3 {
		return stat.AutocorrelationTime{}, stat.Undefined(quantity, "%d points, want at least 3", z.N)
	}
	l := newLagged(z, episode, time)
	if err := l.center(ctx, threads); err != nil {
		return stat.AutocorrelationTime{}, err
	}
	variance := l.squares / float64(z.N)
	if !(variance > 0) {
		return stat.AutocorrelationTime{}, stat.Undefined(quantity, "the points are constant")
	}
	sumsAt, err := l.method(threads)
	if err != nil {
		return stat.AutocorrelationTime{}, err
	}
	w := stat.NewCovarianceWindow(z.N, variance)
	// Ever more lags at once, as long as the window is open.
	limit, least := min(l.longest, maxTauLag), float64(z.N)/8
	lags, pairs, sum, open := 0, 0.0, 0.0, true
	for lo, hi := 1, l.firstLags(); lo <= limit && open; lo, hi = hi, l.moreLags(hi) {
		hi = min(hi, limit+1)
		sums, counts, err := sumsAt(ctx, lo, hi)
		if err != nil {
			return stat.AutocorrelationTime{}, err
		}
		for k := range sums {
			lags, pairs, sum = lags+1, pairs+counts[k], sum+sums[k]
			if pairs >= least || pairs > 0 && lo+k == limit {
				if open = w.Add(lags, pairs, sum/pairs); !open {
					break
				}
				lags, pairs, sum = 0, 0, 0
			}
		}
	}
	return w.Result(l.span, len(l.start)-1, limit == l.longest), nil
}

// lagged is points episode by episode in the order of time.
type lagged struct {
	z       points.Points
	order   []int // of the points; nil: as they are
	mean    []float64
	squares float64 // Σ ‖z − z̄‖²
	time    []int
	start   []int // of each episode, and the end
	span    int   // steps that the episodes last, added up
	longest int   // largest difference of times in one episode
	// For products of pairs: the points less their mean, and the episode of each.
	x       matrix.Matrix
	right   *kernel.Packed[float64]
	episode []int
}

func newLagged(z points.Points, episode, time []int) *lagged {
	order := make([]int, z.N)
	for i := range order {
		order[i] = i
	}
	value := func(list []int, i, otherwise int) int {
		if list == nil {
			return otherwise
		}
		return list[i]
	}
	before := func(a, b int) int {
		return cmp.Or(cmp.Compare(value(episode, a, 0), value(episode, b, 0)),
			cmp.Compare(value(time, a, a), value(time, b, b)))
	}
	l := &lagged{z: z, time: make([]int, z.N)}
	if !slices.IsSortedFunc(order, before) {
		slices.SortStableFunc(order, before)
		l.order = order
	}
	for row, i := range order {
		l.time[row] = value(time, i, i)
		if row == 0 || value(episode, i, 0) != value(episode, order[row-1], 0) {
			l.start = append(l.start, row)
		} else if l.time[row] <= l.time[row-1] {
			l.time[row] = l.time[row-1] + 1
		}
	}
	l.start = append(l.start, z.N)
	for e := range len(l.start) - 1 {
		lasts := l.time[l.start[e+1]-1] - l.time[l.start[e]]
		l.span += lasts + 1
		l.longest = max(l.longest, lasts)
	}
	return l
}

// centerRows is the number of points that are added up at a time.
const centerRows = 1 << 12

// center finds the mean of the points, and their squares about it.
func (l *lagged) center(ctx context.Context, threads int) error {
	l.mean = make([]float64, l.z.Dim)
	parts := (l.z.N + centerRows - 1) / centerRows
	sums, squares := make([][]float64, parts), make([]float64, parts)
	each := func(visit func(part int, row []float64)) error {
		return parallel.With(ctx, threads, parts, func() func(int) error {
			row := make([]float64, l.z.Dim)
			return func(part int) error {
				for at := part * centerRows; at < min((part+1)*centerRows, l.z.N); at++ {
					l.centered(row, at, 0)
					visit(part, row)
				}
				return nil
			}
		})
	}
	for part := range sums {
		sums[part] = make([]float64, l.z.Dim)
	}
	if err := each(func(part int, row []float64) { matrix.AddTo(sums[part], row) }); err != nil {
		return err
	}
	mean := make([]float64, l.z.Dim)
	for _, s := range sums {
		matrix.AddTo(mean, s)
	}
	for k := range mean {
		mean[k] /= float64(l.z.N)
	}
	l.mean = mean
	err := each(func(part int, row []float64) { squares[part] += matrix.Dot(row, row) })
	l.squares = stat.Sum(squares)
	return err
}

// centered sets dst to the coordinates from k on of the point at a place in the order, less the mean.
func (l *lagged) centered(dst []float64, row, k int) {
	if l.order != nil {
		row = l.order[row]
	}
	from, mean := row*l.z.Dim+k, l.mean[k:][:len(dst)]
	switch {
	case l.z.F32 != nil:
		for d, v := range l.z.F32[from:][:len(dst)] {
			dst[d] = float64(v) - mean[d]
		}
	case l.z.U8 != nil:
		for d, v := range l.z.U8[from:][:len(dst)] {
			dst[d] = float64(v) - mean[d]
		}
	default:
		for d, v := range l.z.F64[from:][:len(dst)] {
			dst[d] = v - mean[d]
		}
	}
}

// firstLags is the lag before which are those that are looked at first.
func (l *lagged) firstLags() int {
	switch {
	case !l.dense():
		return 65
	case 2*(l.longest+1) <= wholeSteps:
		return l.longest + 1 // all in one transform
	}
	return 513
}

// moreLags is the lag after those that are looked at next.
func (l *lagged) moreLags(lo int) int {
	if !l.dense() {
		return 2 * lo
	}
	return l.longest + 1
}

// method is how sums of x_s·x_t and numbers of pairs at lags lo … hi−1 are found.
func (l *lagged) method(threads int) (func(ctx context.Context, lo, hi int) (sums, counts []float64, err error), error) {
	if l.dense() {
		return func(ctx context.Context, lo, hi int) (sums, counts []float64, err error) {
			if sums, counts, err = l.transformed(ctx, hi-1, threads); err != nil {
				return nil, nil, err
			}
			return sums[lo:], counts[lo:], nil
		}, nil
	}
	l.x, l.episode = matrix.New(l.z.N, l.z.Dim), make([]int, l.z.N)
	for at := range l.z.N {
		l.centered(l.x.Row(at), at, 0)
	}
	for e, start := range l.start[:len(l.start)-1] {
		for at := start; at < l.start[e+1]; at++ {
			l.episode[at] = e
		}
	}
	var err error
	l.right, err = kernel.PackRight(kernel.Rows(l.x.Data, l.x.Dim), l.x.N, l.x.Dim)
	return func(ctx context.Context, lo, hi int) (sums, counts []float64, err error) {
		return l.covariances(ctx, lo, hi, threads)
	}, err
}

// lagRows is the number of points whose products with later ones are computed at once.
const lagRows = 3 * kernel.Align

// covariances returns the sums of x_s·x_t and the numbers of pairs at lags lo … hi−1.
func (l *lagged) covariances(ctx context.Context, lo, hi, threads int) (sums, counts []float64, err error) {
	type partial struct{ sums, counts []float64 }
	parts := make([]partial, (l.x.N+lagRows-1)/lagRows)
	err = parallel.With(ctx, threads, len(parts), func() func(int) error {
		product := make([]float64, lagRows*lagColumns)
		var workspace kernel.Workspace[float64]
		return func(part int) error {
			sums, counts := make([]float64, hi-lo), make([]float64, hi-lo)
			parts[part] = partial{sums, counts}
			i0, i1 := part*lagRows, min((part+1)*lagRows, l.x.N)
			for j0 := i0 / lagColumns * lagColumns; j0 < l.x.N && l.reaches(i0, i1, j0, hi); j0 += lagColumns {
				j1 := min(j0+lagColumns, l.x.N)
				if !l.touches(i0, i1, j1, lo) {
					continue
				}
				p := kernel.Product[float64]{
					M: i1 - i0, N: j1 - j0, K: l.x.Dim, A: kernel.Rows(l.x.Data[i0*l.x.Dim:], l.x.Dim), B: l.right.Operand(j0),
					C: product, Stride: lagColumns, Threads: 1, Workspace: &workspace,
				}
				if err := p.Run(); err != nil {
					return err
				}
				for i := i0; i < i1; i++ {
					end := min(j1, l.start[l.episode[i]+1])
					for j := max(j0, i+1); j < end; j++ {
						if lag := l.time[j] - l.time[i]; lag >= hi {
							break
						} else if lag >= lo {
							sums[lag-lo] += product[(i-i0)*lagColumns+j-j0]
							counts[lag-lo]++
						}
					}
				}
			}
			return nil
		}
	})
	sums, counts = make([]float64, hi-lo), make([]float64, hi-lo)
	for _, p := range parts {
		if err == nil {
			matrix.AddTo(sums, p.sums)
			matrix.AddTo(counts, p.counts)
		}
	}
	return sums, counts, err
}

// lagColumns is the number of later points of one product.
const lagColumns = 4 * kernel.Align

// reaches reports whether a point from i0 on, before i1, has a partner nearer than lag
// hi at j0 or later.
func (l *lagged) reaches(i0, i1, j0, hi int) bool {
	if j0 < i1 {
		return true
	}
	last := i1 - 1 // the points of the episode of j0 that are nearest to it
	return l.episode[last] == l.episode[j0] && l.time[j0]-l.time[last] < hi
}

// touches reports whether one of the points i0 … i1−1 has a partner at lag lo or
// farther before j1.
func (l *lagged) touches(i0, i1, j1, lo int) bool {
	for i := i0; i < i1; {
		end := l.start[l.episode[i]+1]
		if last := min(end, j1) - 1; last > i && l.time[last]-l.time[i] >= lo {
			return true
		}
		i = end // the first point of an episode is the farthest from its end
	}
	return false
}
