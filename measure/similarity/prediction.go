// Predictivity: ridge regression from one space to the other, in folds of whole episodes.

package similarity

import (
	"math"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/measure/probe"
	"repscope/points"
)

// predictionFolds is the number of folds.
const predictionFolds = 5

// penalties are the choices of α, in mean eigenvalues of the cross product of the training points.
var penalties = func() []float64 {
	var out []float64
	for e := -6; e <= 2; e++ {
		out = append(out, math.Pow(10, float64(e)))
	}
	return out
}()

// regress prepares the regressions of both directions.
func (w *crossWork) regress() error {
	fold, err := foldsOf(w.c.o.Episode, w.c.a.n())
	if err != nil {
		return err
	}
	for d, from := range []*Prepared{w.c.a, w.c.b} {
		if w.regressions[d], err = newRegression(from, fold); err != nil {
			return err
		}
	}
	return nil
}

// predict enters R² = 1 − Σ‖y − ŷ‖²/Σ‖y − ȳ‖² in both directions, where ŷ comes from a ridge regression on the points
// outside the fold of y. Its penalty is the one with the least error over the other folds. The folds of each direction
// follow the points of the space that predicts, so that its regressions are the same in all orders.
func (w *crossThread) predict(cross matrix.Matrix, order []int, out map[string]float64) error {
	if w.whole.N == 0 {
		w.whole = matrix.New(cross.Dim, cross.N)
	}
	for k := range cross.N {
		for l, v := range cross.Row(k) {
			w.whole.Row(l)[k] = v
		}
	}
	var err error
	if out["predictivity_ab"], err = w.explained(w.regressions[0], cross, w.c.b, order); err != nil {
		return err
	}
	out["predictivity_ba"], err = w.explained(w.regressions[1], w.whole, w.c.a, inverse(order))
	return err
}

func inverse(order []int) []int {
	if order == nil {
		return nil
	}
	out := make([]int, len(order))
	for i, j := range order {
		out[j] = i
	}
	return out
}

// foldsOf are folds of whole episodes, or with fewer than five of them five runs of points.
func foldsOf(episode []int, n int) ([]int, error) {
	different := map[int]bool{}
	for _, e := range episode {
		different[e] = true
	}
	if len(different) >= predictionFolds {
		return probe.GroupFolds(episode, predictionFolds)
	}
	out := make([]int, n)
	folds := min(predictionFolds, n)
	for i := range out {
		out[i] = i * folds / n
	}
	return out, nil
}

// regression is one direction: for each fold the eigenvectors of the training points' cross product.
type regression struct {
	folds []foldRegression
	// turns are the eigenvectors of all folds, as rows.
	turns matrix.Matrix
}

type foldRegression struct {
	test []int
	// x are the test points less the mean of the training points, turned by the eigenvectors.
	x      matrix.Matrix
	sum    []float64 // of x
	values []float64
	square matrix.Matrix // xᵀx
	shrunk matrix.Matrix // [penalties, D]: 1/(value + penalty)
}

// newRegression prepares the regressions from a space.
func newRegression(from *Prepared, fold []int) (*regression, error) {
	out := &regression{}
	dim := from.x.Dim
	whole := matrix.New(dim, dim)
	if err := crossProduct(whole, from.x, from.x, 0, nil); err != nil {
		return nil, err
	}
	for f := range predictionFolds {
		one := foldRegression{}
		for i, g := range fold {
			if g == f {
				one.test = append(one.test, i)
			}
		}
		if len(one.test) == 0 {
			continue
		}
		test, training := from.x.Select(one.test), matrix.New(dim, dim)
		if err := crossProduct(training, test, test, 0, nil); err != nil {
			return nil, err
		}
		trained := float64(from.x.N - len(one.test))
		mean := make([]float64, dim)
		for i := range test.N {
			matrix.AddTo(mean, test.Row(i))
		}
		for k, v := range mean {
			mean[k] = -v / trained // the whole is centered
		}
		for k := range dim {
			for l, v := range training.Row(k) {
				training.Row(k)[l] = whole.Row(k)[l] - v - trained*mean[k]*mean[l]
			}
		}
		var vectors matrix.Matrix
		var err error
		if one.values, vectors, err = eigenRows(training, 0); err != nil {
			return nil, err
		}
		for i := range test.N {
			matrix.Axpy(test.Row(i), -1, mean)
		}
		if err := one.turn(test, vectors); err != nil {
			return nil, err
		}
		out.turns.N, out.turns.Dim = out.turns.N+dim, dim
		out.turns.Data = append(out.turns.Data, vectors.Data...)
		out.folds = append(out.folds, one)
	}
	return out, nil
}

// turn sets what follows from the test points about the mean of the training points.
func (fold *foldRegression) turn(test, vectors matrix.Matrix) error {
	dim := test.Dim
	fold.x, fold.sum, fold.square = matrix.New(test.N, dim), make([]float64, dim), matrix.New(dim, dim)
	product := kernel.Product[float64]{
		M: test.N, N: dim, K: dim, A: kernel.Rows(test.Data, dim), B: kernel.Rows(vectors.Data, dim), C: fold.x.Data,
		Stride: dim,
	}
	if err := product.Run(); err != nil {
		return err
	}
	for i := range test.N {
		matrix.AddTo(fold.sum, fold.x.Row(i))
	}
	scale := 0.0
	for _, v := range fold.values {
		scale += max(v, 0) / float64(dim)
	}
	fold.shrunk = matrix.New(len(penalties), dim)
	for a, penalty := range penalties {
		for k, v := range fold.values {
			if denominator := max(v, 0) + penalty*scale; denominator > 0 {
				fold.shrunk.Row(a)[k] = 1 / denominator
			}
		}
	}
	return crossProduct(fold.square, fold.x, fold.x, 0, nil)
}

// explained is R² of the points of a space in an order, with cross, the cross product of all points with them.
func (w *crossThread) explained(r *regression, cross matrix.Matrix, to *Prepared, order []int) (float64, error) {
	whole := matrix.New(r.turns.N, cross.Dim)
	product := kernel.Product[float64]{
		M: r.turns.N, N: cross.Dim, K: cross.N, A: kernel.Rows(r.turns.Data, cross.N),
		B: kernel.Columns(cross.Data, cross.Dim), C: whole.Data, Stride: cross.Dim, Threads: 1, Workspace: &w.workspace,
	}
	if err := product.Run(); err != nil {
		return 0, err
	}
	lost := make([][]float64, len(r.folds)) // squared errors by fold and penalty
	for f := range r.folds {
		turned := matrix.Matrix{N: cross.N, Dim: cross.Dim, Data: whole.Data[f*len(cross.Data):][:len(cross.Data)]}
		var err error
		if lost[f], err = w.errors(&r.folds[f], turned, to, order); err != nil {
			return 0, err
		}
	}
	residual := 0.0
	for f := range lost {
		best, least := 0, math.Inf(1)
		for a := range penalties {
			others := 0.0
			for g := range lost {
				if g != f {
					others += lost[g][a]
				}
			}
			if others < least {
				best, least = a, others
			}
		}
		residual += lost[f][best]
	}
	return 1 - residual/to.total, nil
}

// errors are the sums of squared errors over the test points, by penalty. turned is the cross product of all points,
// turned by the eigenvectors of the fold, and becomes the one of the training points, Z: with the means of the training
// points taken from all, their sums cancel. With T, the cross product of the test points, S of these with themselves
// and s = 1/(value + penalty), the errors are
//
//	Σ ‖y‖² − 2·Σ_k s_k·(Z·Tᵀ)_kk + Σ_kl s_k·S_kl·(Z·Zᵀ)_kl·s_l
func (w *crossThread) errors(fold *foldRegression, turned matrix.Matrix, to *Prepared, order []int) ([]float64, error) {
	trained, count, dim := float64(to.n()-len(fold.test)), float64(len(fold.test)), fold.x.Dim
	rows := fold.test
	if order != nil {
		rows = points.Pick(order, fold.test)
	}
	y, sum, squares := to.x.Select(rows), make([]float64, to.x.Dim), 0.0
	for i, row := range rows {
		kernel.AddScaled(sum, y.Row(i), 1)
		squares += to.square[row]
	}
	squares += (2/trained + count/(trained*trained)) * matrix.Dot(sum, sum) // about the mean −sum/trained of the others
	test := matrix.New(dim, y.Dim)
	if err := crossProduct(test, fold.x, y, 1, &w.workspace); err != nil {
		return nil, err
	}
	for i, v := range test.Data {
		turned.Data[i] -= v
	}
	along := make([]float64, dim)
	for k, v := range fold.sum {
		kernel.AddScaled(test.Row(k), sum, v/trained)
		along[k] = matrix.Dot(turned.Row(k), test.Row(k))
	}
	weights := matrix.New(dim, dim)
	product := kernel.Product[float64]{
		M: dim, N: dim, K: y.Dim, A: kernel.Rows(turned.Data, y.Dim), B: kernel.Rows(turned.Data, y.Dim), C: weights.Data,
		Stride: dim, Upper: true, Threads: 1, Workspace: &w.workspace,
	}
	if err := product.Run(); err != nil {
		return nil, err
	}
	for k := range dim {
		row, square := weights.Row(k), fold.square.Row(k)
		clear(row[:k])
		row[k] *= square[k]
		for l := k + 1; l < dim; l++ {
			row[l] *= 2 * square[l]
		}
	}
	out := make([]float64, len(penalties))
	quadratic, err := rowProduct(fold.shrunk, weights, 1)
	for a := range penalties {
		shrunk := fold.shrunk.Row(a)
		out[a] = max(squares-2*matrix.Dot(shrunk, along)+matrix.Dot(shrunk, quadratic.Row(a)), 0)
	}
	return out, err
}
