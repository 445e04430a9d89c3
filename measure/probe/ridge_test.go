// Ridge regression against scikit-learn and against direct solutions.

package probe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
	"repscope/points"
)

func TestRidgeGolden(t *testing.T) {
	t.Parallel()
	for number, c := range readGolden(t).Ridge {
		x, y := points.Float64(c.X, c.D), points.Float64(c.Y, c.Targets)
		for _, fixed := range c.Fixed {
			r, err := fitRidge(t.Context(), x, y, c.Groups, RidgeOptions{Alphas: []float64{fixed.Alpha}})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "coefficient", r.Coefficients, fixed.Coefficients, 1e-8)
			near(t, "intercept", r.Intercept, fixed.Intercept, 1e-8)
		}
		r, err := fitRidge(t.Context(), x, y, c.Groups, RidgeOptions{Alphas: c.Alphas})
		if err != nil {
			t.Fatal(err)
		}
		if r.Alpha[0] != c.Alpha {
			t.Errorf("case %d: penalty %v, want %v", number, r.Alpha[0], c.Alpha)
		}
		for a, want := range c.Errors {
			mean := 0.0
			for k := range c.Targets {
				mean += r.Errors[a*c.Targets+k] / float64(c.Targets)
			}
			measuretest.Near(t, "error of a penalty", mean, want, 1e-8)
		}
		d := Data{X: x, Groups: c.Groups, Folds: c.Outer}
		fit, err := CrossFitRidge(t.Context(), d, y, RidgeOptions{Alphas: c.Alphas})
		if err != nil {
			t.Fatal(err)
		}
		for f, head := range fit.Heads {
			if head.Alpha[0] != c.OuterAlphas[f] {
				t.Errorf("case %d, fold %d: penalty %v, want %v", number, f, head.Alpha[0], c.OuterAlphas[f])
			}
		}
		near(t, "cross-fitted prediction", fit.Predicted[0], c.Predicted, 1e-7)
		scaled, err := fitRidge(t.Context(), x, y, c.Groups, RidgeOptions{Alphas: []float64{1}, Standardize: true})
		if err != nil {
			t.Fatal(err)
		}
		predicted, err := scaled.predict(x)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "prediction from standardized features", predicted, c.Standardized, 1e-8)
	}
}

// direct solves the normal equations of one target with an intercept column.
func direct(x, y points.Points, target int, index []int, alpha float64) (weights []float64, intercept float64) {
	d := x.Dim + 1
	a, b := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for _, i := range index {
		row := append(x.Row(i, nil), 1)
		for k, v := range row {
			for l := k; l < d; l++ {
				a.SetSym(k, l, a.At(k, l)+v*row[l])
			}
			b.SetVec(k, b.AtVec(k)+v*y.Row(i, nil)[target])
		}
	}
	for k := range x.Dim {
		a.SetSym(k, k, a.At(k, k)+alpha)
	}
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		panic(err)
	}
	return w.RawVector().Data[:x.Dim], w.AtVec(x.Dim)
}

// simulated are episodes of unequal length with features of a common memory.
func simulated(random *rand.Rand, n, dim, targets, episodes int) (x, y points.Points, groups []int) {
	groups = make([]int, n)
	xs, ys := make([]float64, n*dim), make([]float64, n*targets)
	w := measuretest.Normal(random, dim, targets)
	for i := range n {
		groups[i] = i * episodes / n
		if i%3 == 0 && groups[i] > 0 && random.IntN(4) == 0 {
			groups[i]--
		}
		for k := range dim {
			xs[i*dim+k] = random.NormFloat64() + float64(groups[i]%3) + 10
		}
		for t := range targets {
			ys[i*targets+t] = random.NormFloat64()*3 + 0.5*float64(groups[i])
			for k := range dim {
				ys[i*targets+t] += w.F64[k*targets+t] * xs[i*dim+k]
			}
		}
	}
	slices.Sort(groups)
	return points.Float64(xs, dim), points.Float64(ys, targets), groups
}

func near(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
			t.Fatalf("%s %d = %.15g, want %.15g", name, i, got[i], want[i])
		}
	}
}

// predict returns the predictions [n, T], row-major. Errors: features of another number.
func (r *Ridge) predict(x points.Points) ([]float64, error) {
	if x.Dim != r.Dim {
		return nil, fmt.Errorf("%s: %d features for a head of %d", ridgeName, x.Dim, r.Dim)
	}
	out, row := make([]float64, x.N*len(r.Intercept)), make([]float64, x.Dim)
	for i := range x.N {
		x.Row(i, row)
		for t, b := range r.Intercept {
			out[i*len(r.Intercept)+t] = b + matrix.Dot(row, r.Coefficients[t*r.Dim:(t+1)*r.Dim])
		}
	}
	return out, nil
}
