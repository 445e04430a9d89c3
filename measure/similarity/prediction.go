// Predictivity: ridge regression from one space to the other, in folds of whole episodes.

package similarity

import (
	"math"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/measure/probe"
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

// regress prepares the regressions of both directions. R² = 1 − Σ‖y − ŷ‖²/Σ‖y − ȳ‖², where ŷ comes from a ridge
// regression on the points outside the fold of y. Its penalty is the one with the least error over the other folds. The
// folds of each direction follow the points of the space that predicts, so that its regressions are the same in all
// orders.
func (w *crossWork) regress() error {
	fold, err := foldsOf(w.c.o.Episode, w.c.a.n())
	if err != nil {
		return err
	}
	for d, from := range []*Prepared{w.c.a, w.c.b} {
		if w.regressions[d], err = newRegression(from.x, from.x.Dim, fold, from.threads); err != nil {
			return err
		}
	}
	return nil
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

// foldsOf are at most five folds of whole episodes, so that a deletion of episodes keeps their kind; of one episode,
// five runs of points.
func foldsOf(episode []int, n int) ([]int, error) {
	different := map[int]bool{}
	for _, e := range episode {
		different[e] = true
	}
	if len(different) > 1 {
		return probe.GroupFolds(episode, min(predictionFolds, len(different)))
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
	fold  []int // of each point
}

type foldRegression struct {
	test    int       // number of test points
	trained float64   // number of training points
	mean    []float64 // of the training points
	values  []float64
	turn    matrix.Matrix // the eigenvectors, as rows
	square  matrix.Matrix // xᵀx of the test points x less the mean, turned by the eigenvectors
	shrunk  matrix.Matrix // [penalties, D]: 1/(value + penalty)
}

// newRegression prepares the regressions from centered points with as many units: penalties are in their mean
// eigenvalues, also where the points have fewer coordinates with the same inner products.
func newRegression(from matrix.Matrix, units int, fold []int, threads int) (*regression, error) {
	out := &regression{fold: make([]int, from.N)}
	dim := from.Dim
	whole := matrix.New(dim, dim)
	var tests []matrix.Matrix // XᵀX of the test points
	for f := range predictionFolds {
		var members []int
		for i, g := range fold {
			if g == f {
				out.fold[i], members = len(out.folds), append(members, i)
			}
		}
		if len(members) == 0 {
			continue
		}
		points := from.Select(members)
		test, err := square(points, threads)
		if err != nil {
			return nil, err
		}
		one := foldRegression{
			test: len(members), trained: float64(from.N - len(members)), mean: make([]float64, dim),
		}
		for i := range points.N {
			matrix.AddTo(one.mean, points.Row(i))
		}
		for k, v := range one.mean {
			one.mean[k] = -v / one.trained // the whole is centered
		}
		matrix.AddTo(whole.Data, test.Data)
		tests, out.folds = append(tests, test), append(out.folds, one)
	}
	for f, test := range tests {
		if err := out.folds[f].solve(whole, test, units, threads); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// solve sets the eigenvectors of a fold and all that follows from them. whole is XᵀX of all points, which are centered;
// test is the same of the test points, and is overwritten. About the mean m of the training points, the two are
//
//	training: whole − test − trained·mmᵀ; test: test + (2·trained + count)·mmᵀ
func (fold *foldRegression) solve(whole, test matrix.Matrix, units, threads int) error {
	dim := len(fold.mean)
	count := float64(fold.test)
	trained := fold.trained
	training := matrix.New(dim, dim)
	for k, m := range fold.mean {
		row, part := training.Row(k), test.Row(k)
		for l, v := range whole.Row(k) {
			outer := float64(m * fold.mean[l])
			row[l] = v - part[l] - float64(trained*outer)
			part[l] += float64((2*trained + count) * outer)
		}
	}
	var err error
	if fold.values, fold.turn, err = eigenRows(training, threads); err != nil {
		return err
	}
	scale := 0.0
	for _, v := range fold.values {
		scale += max(v, 0) / float64(units)
	}
	fold.shrunk = matrix.New(len(penalties), dim)
	for a, penalty := range penalties {
		for k, v := range fold.values {
			if denominator := max(v, 0) + penalty*scale; denominator > 0 {
				fold.shrunk.Row(a)[k] = 1 / denominator
			}
		}
	}
	half, err := rowProduct(fold.turn, test, threads)
	if err != nil {
		return err
	}
	fold.square = matrix.New(dim, dim)
	rows := kernel.Rows(fold.turn.Data, dim)
	product := kernel.Product[float64]{
		M: dim, N: dim, K: dim, A: kernel.Rows(half.Data, dim), B: rows, C: fold.square.Data, Stride: dim,
		Threads: threads,
	}
	return product.Run()
}

// explained is R² in direction d of the order that was multiplied last.
func (t *crossThread[T]) explained(d int, order []int) (float64, error) {
	folds, to := t.regressions[d].folds, []*Prepared{t.c.b, t.c.a}[d]
	squares := make([]float64, len(folds)) // of the test points of the other space
	for i, f := range t.regressions[0].fold {
		j := ordered(order, i)
		if d == 1 {
			f, j = t.regressions[1].fold[j], i
		}
		squares[f] += to.square[j]
	}
	lost := make([][]float64, len(folds)) // squared errors by fold and penalty
	for f := range folds {
		var err error
		if lost[f], err = t.errors(d, f, squares[f]); err != nil {
			return 0, err
		}
	}
	residual := 0.0
	for f, best := range chosenPenalties(lost) {
		residual += lost[f][best]
	}
	return 1 - residual/to.total, nil
}

// chosenPenalties are for each fold the penalty with the least error over the other folds.
func chosenPenalties(lost [][]float64) []int {
	chosen := make([]int, len(lost))
	for f := range lost {
		least := math.Inf(1)
		for a := range penalties {
			others := 0.0
			for g := range lost {
				if g != f {
					others += lost[g][a]
				}
			}
			if others < least {
				chosen[f], least = a, others
			}
		}
	}
	return chosen
}

// errors are the sums of squared errors over the test points of a fold, by penalty. With Z and T, the cross products of
// the training and of the test points about the means of the training points, turned by the eigenvectors, the matrix S
// of the fold, and s = 1/(value + penalty), they are
//
//	Σ ‖y‖² − 2·Σ_k s_k·(Z·Tᵀ)_kk + Σ_kl s_k·S_kl·(Z·Zᵀ)_kl·s_l
//
// squares is Σ ‖y‖² about the mean of all points. All points are centered: the mean of the training points is less the
// sum of the test points over their number.
func (t *crossThread[T]) errors(d, f int, squares float64) ([]float64, error) {
	fold, sum := &t.regressions[d].folds[f], t.sums[d].Row(f)
	trained, count := fold.trained, float64(fold.test)
	squares += (2/trained + count/(trained*trained)) * matrix.Dot(sum, sum)
	t.center(d, f, 2+count/trained)
	dim, other := len(fold.mean), len(sum)
	training, test := t.turned[0][:dim*other], t.turned[1][:dim*other]
	for k, raw := range [][]T{t.raw[0], t.raw[1]} {
		right := kernel.Columns(raw, other)
		if d == 1 {
			right = kernel.Rows(raw, dim)
		}
		into := [][]T{training, test}[k]
		if err := t.product(into, dim, other, dim, t.sides[d].turns[f].Operand(0), right, false); err != nil {
			return nil, err
		}
	}
	along := make([]float64, dim)
	for k := range along {
		row := test[k*other:]
		for l, v := range training[k*other : (k+1)*other] {
			along[k] += float64(float64(v) * float64(row[l]))
		}
	}
	inner := t.inner[:dim*dim]
	reduced := kernel.Rows(training, other)
	if err := t.product(inner, dim, dim, other, reduced, reduced, true); err != nil {
		return nil, err
	}
	weights := matrix.Matrix{N: dim, Dim: dim, Data: t.weights[:dim*dim]}
	return lostBy(fold, squares, along, inner, weights)
}

// lostBy are the errors by penalty from the sums of [crossThread.errors]: along is (Z·Tᵀ)_kk, inner the upper half of
// Z·Zᵀ. weights is memory.
func lostBy[T kernel.Float](fold *foldRegression, squares float64, along []float64, inner []T, weights matrix.Matrix,
) ([]float64, error) {
	dim := len(along)
	for k := range dim {
		row, square, products := weights.Row(k), fold.square.Row(k), inner[k*dim:]
		clear(row[:k])
		row[k] = float64(products[k]) * square[k]
		for l := k + 1; l < dim; l++ {
			row[l] = 2 * float64(products[l]) * square[l]
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

// center sets raw, the cross products of the training points (0) and of the test points (1) of a fold about the means m
// and μ = −sum/trained of the training points: C − C_f + m·sumᵀ and C_f − shift·m·sumᵀ.
func (t *crossThread[T]) center(d, f int, shift float64) {
	mean, sum := t.regressions[d].folds[f].mean, t.sums[d].Row(f)
	if d == 1 { // rows are units of the first space
		mean, sum = sum, mean
	}
	part := t.folded[d][f]
	for k, m := range mean {
		first, columns := k*len(sum), len(sum)
		whole, one := t.cross[first:first+columns], part[first:first+columns]
		training, test := t.raw[0][first:first+columns], t.raw[1][first:first+columns]
		for l, v := range sum {
			outer := T(m * v)
			training[l] = whole[l] - one[l] + outer
			test[l] = one[l] - T(shift)*outer
		}
	}
}
