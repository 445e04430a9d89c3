// Predictivity: ridge regression from one space to the other, in folds of whole episodes.

package similarity

import (
	"context"
	"math"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
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

// predictions computes R² = 1 − Σ‖y − ŷ‖²/Σ‖y − ȳ‖² in both directions, where ŷ comes from a ridge regression on the
// points outside the fold of y. Its penalty is the one with the least error over the other folds.
func predictions(ctx context.Context, c *comparison) error {
	fold, err := foldsOf(c.o.Episode, c.a.n())
	if err != nil {
		return err
	}
	directions := [2]*regression{}
	for d, from := range []*Prepared{c.a, c.b} {
		if directions[d], err = newRegression(from, fold); err != nil {
			return err
		}
	}
	if directions[0] == nil || directions[1] == nil {
		c.refuse("predictivity_ab", "an eigenvalue problem did not converge")
		c.refuse("predictivity_ba", "an eigenvalue problem did not converge")
		return nil
	}
	rows := 1 + len(c.o.Orders)
	scores := [2][]float64{make([]float64, rows), make([]float64, rows)}
	err = parallel.With(ctx, c.o.Threads, rows, func() func(int) error {
		room := []float64(nil)
		workspace := &kernel.Workspace[float64]{}
		return func(row int) error {
			order := c.order(row)
			// The folds of each direction follow the points of the space that predicts, so that its regressions are the
			// same in all orders.
			var err error
			scores[0][row], err = directions[0].score(c.b.ordered(order, &room), c.b.total, workspace)
			if err != nil {
				return err
			}
			scores[1][row], err = directions[1].score(c.a.ordered(inverse(order), &room), c.a.total, workspace)
			return err
		}
	})
	if err != nil {
		return err
	}
	c.enter("predictivity_ab", scores[0])
	c.enter("predictivity_ba", scores[1])
	return c.withoutBlocks(ctx, c.deleting("predictivity_ab", "predictivity_ba"), predictions)
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
	x     matrix.Matrix
	folds []foldRegression
}

type foldRegression struct {
	test    []int
	x       matrix.Matrix // of the test points
	mean    []float64     // of the training points
	vectors matrix.Matrix // [D, D], as columns
	values  []float64
	square  matrix.Matrix // of the test points about mean, turned by vectors
}

// newRegression prepares the regressions from a space; nil where an eigenvalue problem does not converge.
func newRegression(from *Prepared, fold []int) (*regression, error) {
	out := &regression{x: from.x}
	whole := matrix.New(from.x.Dim, from.x.Dim)
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
		one.x = from.x.Select(one.test)
		part := matrix.New(from.x.Dim, from.x.Dim)
		if err := crossProduct(part, one.x, one.x, 0, nil); err != nil {
			return nil, err
		}
		trained := float64(from.x.N - len(one.test))
		sum := make([]float64, from.x.Dim)
		for i := range one.x.N {
			matrix.AddTo(sum, one.x.Row(i))
		}
		one.mean = make([]float64, from.x.Dim)
		for k, v := range sum {
			one.mean[k] = -v / trained // the whole is centered
		}
		training := matrix.New(from.x.Dim, from.x.Dim)
		for k := range from.x.Dim {
			for l := range from.x.Dim {
				training.Row(k)[l] = whole.Row(k)[l] - part.Row(k)[l] - trained*one.mean[k]*one.mean[l]
			}
		}
		var ok bool
		if one.values, one.vectors, ok = symmetricEigen(training); !ok {
			return nil, nil
		}
		about(part, sum, sum, one.mean, one.mean, float64(len(one.test)))
		half, err := rowProduct(part, one.vectors, 0)
		if err != nil {
			return nil, err
		}
		one.square = matrix.New(from.x.Dim, from.x.Dim)
		if err := crossProduct(one.square, one.vectors, half, 0, nil); err != nil {
			return nil, err
		}
		out.folds = append(out.folds, one)
	}
	return out, nil
}

// about moves the cross product of n points with the given sums to other centers.
func about(cross matrix.Matrix, xSum, ySum, xMean, yMean []float64, n float64) {
	for k := range cross.N {
		row := cross.Row(k)
		for l := range row {
			row[l] += n*xMean[k]*yMean[l] - xSum[k]*yMean[l] - xMean[k]*ySum[l]
		}
	}
}

// score is R² of targets y with the total sum of squares total.
func (r *regression) score(y matrix.Matrix, total float64, workspace *kernel.Workspace[float64]) (float64, error) {
	whole := matrix.New(r.x.Dim, y.Dim)
	parts := make([]matrix.Matrix, len(r.folds))
	targets := make([]matrix.Matrix, len(r.folds))
	for f, fold := range r.folds {
		parts[f], targets[f] = matrix.New(r.x.Dim, y.Dim), y.Select(fold.test)
		if err := crossProduct(parts[f], fold.x, targets[f], 1, workspace); err != nil {
			return 0, err
		}
		matrix.AddTo(whole.Data, parts[f].Data)
	}
	lost := make([][]float64, len(r.folds)) // squared errors by fold and penalty
	for f, fold := range r.folds {
		var err error
		if lost[f], err = fold.errors(whole, parts[f], targets[f], r.x.N, workspace); err != nil {
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
	return 1 - residual/total, nil
}

// errors are the sums of squared errors over the test points, by penalty.
func (fold *foldRegression) errors(whole, part, y matrix.Matrix, n int, workspace *kernel.Workspace[float64],
) ([]float64, error) {
	trained, count := float64(n-y.N), float64(y.N)
	xSum, ySum, yMean := make([]float64, whole.N), make([]float64, y.Dim), make([]float64, y.Dim)
	for i := range y.N {
		matrix.AddTo(xSum, fold.x.Row(i))
		matrix.AddTo(ySum, y.Row(i))
	}
	for l, v := range ySum {
		yMean[l] = -v / trained
	}
	training, test := matrix.New(whole.N, whole.Dim), matrix.New(whole.N, whole.Dim)
	squares := 0.0
	for k := range whole.N {
		for l := range whole.Dim {
			training.Row(k)[l] = whole.Row(k)[l] - part.Row(k)[l] - trained*fold.mean[k]*yMean[l]
		}
	}
	copy(test.Data, part.Data)
	about(test, xSum, ySum, fold.mean, yMean, count)
	for i := range y.N {
		squares += matrix.SquaredDistance(y.Row(i), yMean)
	}
	turnedTraining, turnedTest := matrix.New(whole.N, whole.Dim), matrix.New(whole.N, whole.Dim)
	if err := crossProduct(turnedTraining, fold.vectors, training, 1, workspace); err != nil {
		return nil, err
	}
	if err := crossProduct(turnedTest, fold.vectors, test, 1, workspace); err != nil {
		return nil, err
	}
	gram := matrix.New(whole.N, whole.N)
	product := kernel.Product[float64]{
		M: whole.N, N: whole.N, K: whole.Dim, A: kernel.Rows(turnedTraining.Data, whole.Dim),
		B: kernel.Rows(turnedTraining.Data, whole.Dim), C: gram.Data, Stride: whole.N, Threads: 1, Workspace: workspace,
	}
	if err := product.Run(); err != nil {
		return nil, err
	}
	scale := 0.0
	for _, v := range fold.values {
		scale += max(v, 0) / float64(len(fold.values))
	}
	out := make([]float64, len(penalties))
	for a, penalty := range penalties {
		shrunk := make([]float64, whole.N)
		for k, v := range fold.values {
			if denominator := max(v, 0) + penalty*scale; denominator > 0 {
				shrunk[k] = 1 / denominator
			}
		}
		sum := squares
		for k, s := range shrunk {
			sum -= 2 * s * matrix.Dot(turnedTraining.Row(k), turnedTest.Row(k))
			quadratic := 0.0
			for l, t := range shrunk {
				quadratic += float64(t * fold.square.Row(k)[l] * gram.Row(k)[l])
			}
			sum += s * quadratic
		}
		out[a] = max(sum, 0)
	}
	return out, nil
}
