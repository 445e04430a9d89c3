// Logistic regression against scikit-learn, and its refits against fits from the start.

package probe

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/points"
	"repscope/stat"
)

func TestLogisticGolden(t *testing.T) {
	t.Parallel()
	for number, c := range readGolden(t).Logistic {
		p, err := newLogisticProblem(points.Float64(c.X, c.D), c.Y, c.Classes, make([]int, c.N), LogisticOptions{Cs: []float64{c.C}})
		if err != nil {
			t.Fatal(err)
		}
		index := make([]int, c.N)
		for i := range index {
			index[i] = i
		}
		fit, err := p.fit(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		head := p.head(fit)
		if !head.Converged {
			t.Errorf("case %d does not converge", number)
		}
		got := make([]float64, c.N*c.Classes)
		for i := range c.N {
			z := got[i*c.Classes : (i+1)*c.Classes]
			for k := range z {
				z[k] = head.Intercept[k]
				for j := range c.D {
					z[k] += c.X[i*c.D+j] * head.Coefficients[k*c.D+j]
				}
			}
			softmax(z)
		}
		near(t, "probability", got, c.Probability, 1e-6)
	}
}

// classified are episodes whose classes follow the features.
func classified(random *rand.Rand, n, dim, classes, episodes int) (x points.Points, class, groups []int) {
	x, y, groups := simulated(random, n, dim, classes, episodes)
	class = make([]int, n)
	for i := range n {
		for k := range classes {
			if y.F64[i*classes+k] > y.F64[i*classes+class[i]] {
				class[i] = k
			}
		}
	}
	return x, class, groups
}

func TestLogisticWithoutEqualsRefits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	const n, classes = 90, 3
	x, class, groups := classified(random, n, 4, classes, 6)
	for i := range class {
		if groups[i] == 2 && i%5 == 0 {
			class[i] = classes // a class of one episode
		}
	}
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: x, Groups: groups, Folds: folds}
	fit, err := CrossFitLogistic(t.Context(), d, class, classes+1, LogisticOptions{Cs: []float64{0.01, 0.1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := stat.NewBlocks(n, groups, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	err = fit.Without(t.Context(), blocks, func(j int, predicted [][]float64) error {
		for f := range fit.held.rows {
			keep := outside(fit.fits[f].train, blocks.Block(j))
			c := choice{d, fit.problem.cs, func(fitted, tested []int, a int) (out []float64) {
				tried := &logisticFit{train: fitted, c: fit.problem.cs[a]}
				if err := fit.problem.solve(t.Context(), tried, fit.problem.newSet(fitted), nil, nil, smallGradient); err != nil {
					t.Fatal(err)
				}
				for _, row := range tested {
					z := product(fit.problem.x.Select([]int{row}), tried.weights, 1).Row(0)
					sum, q := 0.0, leastProbability
					for k := range z {
						sum += math.Exp(z[k] + tried.origin[k])
					}
					if k := slices.Index(tried.present, class[row]); k >= 0 {
						q = max(q, math.Exp(z[k]+tried.origin[k])/sum)
					}
					out = append(out, -math.Log(q))
				}
				return out
			}}
			strength := c.without(t, f, func(row int) bool { return slices.Contains(blocks.Block(j), row) })
			fresh := &logisticFit{train: keep, c: strength}
			if err := fit.problem.solve(t.Context(), fresh, fit.problem.newSet(keep), nil, nil, smallGradient); err != nil {
				return err
			}
			want := fit.held.room(classes + 1)
			fit.predict(f, fresh, want)
			for _, i := range fit.held.rows[f] {
				near(t, "probability", predicted[0][i*4:i*4+4], want[0][i*4:i*4+4], 1e-4)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		sum := 0.0
		for _, p := range fit.Predicted[0][i*4 : i*4+4] {
			sum += p
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("row %d: probabilities sum to %v", i, sum)
		}
	}
}
