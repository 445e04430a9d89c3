// Logistic regression with a given penalty, against scikit-learn and against dense matrices.

package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/points"
)

// fixedGolden are the cases of testdata/fixed.py.
type fixedGolden struct {
	N, D, Classes                        int
	C                                    float64
	X                                    []float32
	Y                                    []int
	Coefficients, Intercept, Probability []float64
}

func TestFitLogisticGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/fixed.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []fixedGolden }
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	for number, c := range g.Cases {
		x := points.Float32(c.X, c.D)
		h, err := fitLogistic(t.Context(), FixedData{Rows: rowsOf(x), Class: c.Y, Classes: c.Classes}, FixedOptions{C: c.C})
		if err != nil {
			t.Fatal(err)
		}
		if !h.Converged {
			t.Errorf("case %d does not converge", number)
		}
		coefficients, intercept := h.Coefficients, h.Intercept
		if c.Classes == 2 { // theirs are those of the difference
			coefficients, intercept = make([]float64, c.D), []float64{h.Intercept[1] - h.Intercept[0]}
			for d := range coefficients {
				coefficients[d] = h.Coefficients[c.D+d] - h.Coefficients[d]
			}
		}
		near(t, fmt.Sprintf("case %d: coefficient", number), coefficients, c.Coefficients, 1e-6)
		near(t, fmt.Sprintf("case %d: intercept", number), intercept, c.Intercept, 1e-5) // in units of features with mean 50
		near(t, fmt.Sprintf("case %d: probability", number), h.probabilities(x), c.Probability, 1e-6)
	}
}

// rowsOf are slices of points.
func rowsOf(x points.Points) [][]float32 {
	out := make([][]float32, x.N)
	for i := range out {
		out[i] = x.F32[i*x.Dim : (i+1)*x.Dim]
	}
	return out
}

// probabilities are those [n, K] of rows.
func (h *Logistic) probabilities(x points.Points) []float64 {
	out, row := make([]float64, x.N*h.Classes), make([]float64, x.Dim)
	for i := range x.N {
		x.Row(i, row)
		z := out[i*h.Classes : (i+1)*h.Classes]
		for k := range z {
			z[k] = h.Intercept[k]
			for d, v := range row {
				z[k] += v * h.Coefficients[k*x.Dim+d]
			}
		}
		softmax(z)
	}
	return out
}

// blobs are rows in groups of four whose features share an offset, with classes that follow the features.
func blobs(r *rand.Rand, n, dim, classes int) (x points.Points, class, groups []int) {
	data, class, groups := make([]float32, n*dim), make([]int, n), make([]int, n)
	offset := make([]float64, dim)
	for i := range n {
		groups[i] = i / 4
		y := 0.7 * r.NormFloat64()
		for k := range dim {
			if i%4 == 0 {
				offset[k] = r.NormFloat64()
			}
			v := offset[k] + r.NormFloat64()
			if k < 2 {
				y += v
			}
			data[i*dim+k] = float32(v + 3)
		}
		class[i] = min(max(int(math.Floor(y/1.5+float64(classes)/2)), 0), classes-1)
	}
	return points.Float32(data, dim), class, groups
}

func TestCrossFitFixedAnyThreads(t *testing.T) {
	t.Parallel()
	x, class, groups := blobs(rand.New(rand.NewPCG(1, 2)), 3000, 7, 3)
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	var first *FixedCrossFit
	for _, threads := range []int{1, 2, 5} {
		fit, err := CrossFitFixed(t.Context(), FixedData{Rows: rowsOf(x), Class: class, Classes: 3, Groups: groups, Folds: folds}, FixedOptions{C: 1, Effects: true, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = fit
		}
		if !slices.Equal(fit.AccuracyEffect, first.AccuracyEffect) || !slices.Equal(fit.BalancedEffect, first.BalancedEffect) ||
			!slices.Equal(fit.Heads[2].Coefficients, first.Heads[2].Coefficients) || !slices.Equal(fit.Predicted, first.Predicted) {
			t.Errorf("%d threads: other bits", threads)
		}
	}
	right := 0
	for i, k := range fit3(first, x, folds) {
		if first.Predicted[i] != k {
			t.Fatalf("row %d: predicted %d, the head says %d", i, first.Predicted[i], k)
		}
		if k == class[i] {
			right++
		}
	}
	if right < 2000 {
		t.Errorf("%d of 3000 rows are right", right)
	}
}

// fit3 is what the heads of the folds say of rows.
func fit3(c *FixedCrossFit, x points.Points, folds []int) []int {
	out := make([]int, x.N)
	for f, h := range c.Heads {
		for i, k := range mostProbable(h.Classes, h.probabilities(x)) {
			if folds[i] == f {
				out[i] = k
			}
		}
	}
	return out
}

// dense is a head of two classes and its second derivatives in float64: a plain reference.
func denseEffects(t *testing.T, x points.Points, class, train, test []int, h *Logistic, lambda float64) []float64 {
	t.Helper()
	dim, n := x.Dim, float64(len(train))
	_, scale := columnScale(x, train)
	z := func(row []float64) float64 {
		sum := h.Intercept[1] - h.Intercept[0]
		for d, v := range row[1:] {
			sum += v * (h.Coefficients[dim+d] - h.Coefficients[d])
		}
		return sum
	}
	withOne := func(i int) []float64 { return append([]float64{1}, x.Row(i, nil)...) }
	second := mat.NewSymDense(dim+1, nil)
	for d, s := range scale {
		second.SetSym(d+1, d+1, lambda*s*s)
	}
	for _, i := range train {
		row := withOne(i)
		p := 1 / (1 + math.Exp(-z(row)))
		second.SymRankOne(second, p*(1-p), mat.NewVecDense(dim+1, row))
	}
	margins := make([]float64, len(test))
	for at, i := range test {
		margins[at] = z(withOne(i)) * float64(2*class[i]-1)
	}
	slope := mat.NewVecDense(dim+1, nil)
	for at, d := range densities(margins) {
		slope.AddScaledVec(slope, d*float64(2*class[test[at]]-1)/float64(x.N), mat.NewVecDense(dim+1, withOne(test[at])))
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(second) {
		t.Fatal("no positive second derivatives")
	}
	solved := mat.NewVecDense(dim+1, nil)
	if err := cholesky.SolveVecTo(solved, slope); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, x.N)
	for _, i := range train {
		row := withOne(i)
		out[i] = (1/(1+math.Exp(-z(row))) - float64(class[i])) * mat.Dot(solved, mat.NewVecDense(dim+1, row))
	}
	_ = n
	return out
}

func TestEffectsAgainstDenseMatrices(t *testing.T) {
	t.Parallel()
	x, class, groups := blobs(rand.New(rand.NewPCG(3, 4)), 400, 5, 2)
	folds, err := GroupFolds(groups, 2)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: x, Groups: groups, Folds: folds}
	fit, err := CrossFitFixed(t.Context(), FixedData{Rows: rowsOf(x), Class: class, Classes: 2, Groups: groups, Folds: folds}, FixedOptions{C: 0.5, Effects: true})
	if err != nil {
		t.Fatal(err)
	}
	rows, want, largest := d.rowsOf(), make([]float64, x.N), 0.0
	for f, h := range fit.Heads {
		for i, v := range denseEffects(t, x, class, d.train(f), rows[f], h, 2) {
			want[i] += v
			largest = max(largest, math.Abs(v))
		}
	}
	for i, v := range fit.AccuracyEffect {
		if math.Abs(v-want[i]) > 1e-3*largest {
			t.Errorf("row %d: effect %v, want %v", i, v, want[i])
		}
	}
}

func TestCrossFitFixedDegenerate(t *testing.T) {
	t.Parallel()
	x, class, groups := blobs(rand.New(rand.NewPCG(5, 6)), 80, 3, 2)
	folds, err := GroupFolds(groups, 2)
	if err != nil {
		t.Fatal(err)
	}
	d := FixedData{Rows: rowsOf(x), Class: class, Classes: 4, Groups: groups, Folds: folds}
	for i := range class {
		class[i] = 2 // one class in all of fold 0, and others in fold 1
		if folds[i] == 1 {
			class[i] = i % 2
		}
	}
	fit, err := CrossFitFixed(t.Context(), d, FixedOptions{C: 1, Effects: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range folds {
		if f == 1 && fit.Predicted[i] != 2 {
			t.Errorf("row %d is predicted as %d by a head that has seen class 2 alone", i, fit.Predicted[i])
		}
		if f == 0 && fit.Predicted[i] == 2 {
			t.Errorf("row %d is predicted as 2 by a head that has not seen it", i)
		}
		if math.IsNaN(fit.AccuracyEffect[i]) || math.IsNaN(fit.BalancedEffect[i]) {
			t.Errorf("row %d has the effects %v and %v", i, fit.AccuracyEffect[i], fit.BalancedEffect[i])
		}
	}
	class[3] = 4
	_, err = CrossFitFixed(t.Context(), d, FixedOptions{C: 1})
	wantError(t, err, "row 3 has class 4, want 0 … 3")
	class[3] = 0
	_, err = CrossFitFixed(t.Context(), d, FixedOptions{})
	wantError(t, err, "inverse penalty 0, want a finite number above 0")
	_, err = fitLogistic(t.Context(), FixedData{Rows: d.Rows, Class: class[1:], Classes: 4}, FixedOptions{C: 1})
	wantError(t, err, "79 classes for 80 rows")
	x.F32[7] = float32(math.NaN())
	_, err = fitLogistic(t.Context(), d, FixedOptions{C: 1})
	wantError(t, err, "feature 1 of row 2 is NaN, want finite numbers")
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %q", err, text)
	}
}

// fitLogistic fits the multinomial logistic regression of [CrossFitLogistic] with one C to all rows,
// with features divided by their standard deviation (ddof 0), by 1 where
// they are constant: that of scikit-learn's StandardScaler and LogisticRegression. The coefficients are
// those of features as given, at the minimum to about 10⁻⁸ of what they are; those of all classes
// add up to 0, and so do the intercepts. Besides the features it takes memory for some thousands of
// rows. Errors as for [CrossFitLogistic].
func fitLogistic(ctx context.Context, d FixedData, o FixedOptions) (*Logistic, error) {
	p, err := newFixedProblem(ctx, d, o)
	if err != nil {
		return nil, err
	}
	fit, err := p.fit(ctx, allRows(len(d.Rows)))
	if err != nil {
		return nil, err
	}
	return fit.head(), nil
}

// mostProbable returns the most probable class of every row, the first such one.
func mostProbable(classes int, probability []float64) []int {
	out := make([]int, len(probability)/classes)
	for i := range out {
		best := 0
		for k, p := range probability[i*classes : (i+1)*classes] {
			if p > probability[i*classes+best] {
				best = k
			}
		}
		out[i] = best
	}
	return out
}
