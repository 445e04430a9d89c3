// The linear maps of predictivity themselves: what they predict of points outside the folds they were fitted to.

package similarity

import (
	"context"
	"fmt"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/points"
)

// Mapping holds the ridge regressions of predictivity from one space. Safe for concurrent use.
type Mapping struct {
	from  matrix.Matrix
	folds *regression
	rows  [][]int // of each fold
}

// NewMapping prepares the regressions from points [N, D]. episode has an entry for each state, and N is a multiple of
// their number: each state is N/len(episode) consecutive points, such as the positions of a map, which are in one
// fold. Predictivity has the same folds: whole episodes, or runs of states where there is one episode.
// Points that do not vary predict the mean. Errors: NaN or Inf, fewer than two states.
func NewMapping(z points.Points, episode []int) (*Mapping, error) {
	states, err := MappingFolds(episode)
	if err != nil {
		return nil, err
	}
	return NewMappingOf(z, states)
}

// MappingFolds are the folds of states by [NewMapping].
func MappingFolds(episode []int) ([]int, error) { return foldsOf(episode, len(episode)) }

// NewMappingOf is [NewMapping] with the fold of each state, by a number below 5: states without a deleted episode keep
// the folds that [MappingFolds] gives to all states.
func NewMappingOf(z points.Points, states []int) (*Mapping, error) {
	from, err := Prepare(z)
	if err != nil {
		return nil, err
	}
	if len(states) < 2 || z.N%len(states) != 0 {
		return nil, fmt.Errorf("similarity: %d points of %d states, want at least 2 states with as many points each",
			z.N, len(states))
	}
	different := map[int]bool{}
	for i, f := range states {
		different[f] = true
		if f < 0 || f >= predictionFolds {
			return nil, fmt.Errorf("similarity: state %d is in fold %d, want 0 to %d", i, f, predictionFolds-1)
		}
	}
	if len(different) < 2 {
		return nil, fmt.Errorf("similarity: all states are in one fold, want at least 2")
	}
	fold := make([]int, z.N)
	for i := range fold {
		fold[i] = states[i/(z.N/len(states))]
	}
	m := &Mapping{from: from.spanned()}
	if m.folds, err = newRegression(m.from, z.Dim, fold, 0); err != nil {
		return nil, err
	}
	m.rows = make([][]int, len(m.folds.folds))
	for i, f := range m.folds.fold {
		m.rows[f] = append(m.rows[f], i)
	}
	return m, nil
}

// Predict returns the predictions of points to[order[i]] from points i, nil for as they are, by the regression of the
// folds without i: 1 − Σ‖y − ŷ‖²/Σ‖y − ȳ‖² is predictivity. The penalty of a fold is the one with the least error over
// the other folds. threads ≤ 0 means all; results do not depend on it.
func (m *Mapping) Predict(ctx context.Context, to points.Points, order []int, threads int) (points.Points, error) {
	if to.N != m.from.N {
		return points.Points{}, fmt.Errorf("similarity: maps from %d points to %d, want equal numbers", m.from.N, to.N)
	}
	if order != nil {
		to = to.Select(order)
	}
	y, mean := matrix.Centered(to)
	folds := make([]foldMap, len(m.rows))
	whole := matrix.New(m.from.Dim, y.Dim)
	err := parallel.Try(ctx, threads, len(folds), func(_, f int) error { return folds[f].add(m.from, y, m.rows[f]) })
	if err != nil {
		return points.Points{}, err
	}
	for _, fold := range folds {
		matrix.AddTo(whole.Data, fold.cross.Data)
	}
	lost := make([][]float64, len(folds))
	err = parallel.Try(ctx, threads, len(folds), func(_, f int) (err error) {
		lost[f], err = folds[f].turn(&m.folds.folds[f], whole, y.N)
		return err
	})
	if err != nil {
		return points.Points{}, err
	}
	chosen := chosenPenalties(lost)
	out := make([]float32, len(y.Data))
	err = parallel.Try(ctx, threads, len(folds), func(_, f int) error {
		fold := &m.folds.folds[f]
		predicted, err := folds[f].predict(fold, fold.shrunk.Row(chosen[f]), m.from.Select(m.rows[f]))
		if err != nil {
			return err
		}
		for k, i := range m.rows[f] {
			for l, v := range predicted.Row(k) {
				out[i*y.Dim+l] = float32(v + mean[l])
			}
		}
		return nil
	})
	return points.Float32(out, y.Dim), err
}

// foldMap is the regression of a fold: the sums over its points, and what [crossThread.errors] calls Z.
type foldMap struct {
	cross    matrix.Matrix // Σ x·yᵀ
	sum      []float64     // Σ y
	squares  float64       // Σ ‖y‖²
	training matrix.Matrix // Z: the turned cross product of the other folds
	mean     []float64     // of the y of the other folds
}

// add sums over the points of the fold.
func (p *foldMap) add(x, y matrix.Matrix, rows []int) error {
	p.cross, p.sum = matrix.New(x.Dim, y.Dim), make([]float64, y.Dim)
	part := y.Select(rows)
	for k := range part.N {
		matrix.AddTo(p.sum, part.Row(k))
		p.squares += matrix.Dot(part.Row(k), part.Row(k))
	}
	return crossProduct(p.cross, x.Select(rows), part, 1, nil)
}

// turn computes Z from the cross product of all n points, and returns the errors over the fold's points by penalty.
func (p *foldMap) turn(fold *foldRegression, whole matrix.Matrix, n int) ([]float64, error) {
	trained, count := float64(n-fold.test), float64(fold.test)
	p.mean = make([]float64, len(p.sum))
	for l, v := range p.sum {
		p.mean[l] = -v / trained
	}
	training, test := matrix.New(whole.N, whole.Dim), matrix.New(whole.N, whole.Dim)
	for k, m := range fold.mean {
		matrix.AddTo(training.Row(k), whole.Row(k))
		matrix.Axpy(training.Row(k), -1, p.cross.Row(k))
		matrix.Axpy(training.Row(k), m, p.sum)
		matrix.AddTo(test.Row(k), p.cross.Row(k))
		matrix.Axpy(test.Row(k), -(2+count/trained)*m, p.sum)
	}
	var err error
	if p.training, err = rowProduct(fold.turn, training, 1); err != nil {
		return nil, err
	}
	turned, err := rowProduct(fold.turn, test, 1)
	if err != nil {
		return nil, err
	}
	along := make([]float64, whole.N)
	for k := range along {
		along[k] = matrix.Dot(p.training.Row(k), turned.Row(k))
	}
	dim := whole.N
	inner := make([]float64, dim*dim)
	rows := kernel.Rows(p.training.Data, whole.Dim)
	product := kernel.Product[float64]{
		M: dim, N: dim, K: whole.Dim, A: rows, B: rows, C: inner, Stride: dim, Upper: true, Threads: 1,
	}
	if err := product.Run(); err != nil {
		return nil, err
	}
	squares := p.squares + (2/trained+count/(trained*trained))*matrix.Dot(p.sum, p.sum)
	return lostBy(fold, squares, along, inner, matrix.New(dim, dim))
}

// predict are the predictions of the fold's points x, less the mean of all y, with the weights 1/(value + penalty).
func (p *foldMap) predict(fold *foldRegression, shrunk []float64, x matrix.Matrix) (matrix.Matrix, error) {
	weighted := matrix.New(x.Dim, p.training.Dim)
	for k, s := range shrunk {
		matrix.Axpy(weighted.Row(k), s, p.training.Row(k))
	}
	for i := range x.N {
		matrix.Axpy(x.Row(i), -1, fold.mean)
	}
	turned := matrix.New(x.N, x.Dim)
	product := kernel.Product[float64]{
		M: x.N, N: x.Dim, K: x.Dim, A: kernel.Rows(x.Data, x.Dim), B: kernel.Rows(fold.turn.Data, x.Dim), C: turned.Data,
		Stride: x.Dim, Threads: 1,
	}
	if err := product.Run(); err != nil {
		return matrix.Matrix{}, err
	}
	out, err := rowProduct(turned, weighted, 1)
	for i := range out.N {
		matrix.AddTo(out.Row(i), p.mean)
	}
	return out, err
}

// MappingBytes is about the memory of a [Mapping] from n points of p units, and of its predictions of q units.
func MappingBytes(n, p, q int) int64 {
	rank := int64(min(p, n))
	return 8 * (3*int64(n)*int64(p) + 14*rank*rank + 12*rank*int64(q) + 3*int64(n)*int64(q))
}
