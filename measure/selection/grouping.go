// Package selection asks whether a number that is known of every checkpoint predicts an outcome, and what choosing by
// it costs. Rows of a table are checkpoints of training runs, or models:
//
//	g := selection.NewGrouping(run, step)
//	within, _ := g.Within(rank, success)
//	null, err := g.NewNull(success)
//	tested, err := null.MaxT(ctx, []selection.Number{{Values: rank, Sign: 1}}, 999, 42, 0)
//	oracle := selection.Oracle{Outcome: success}
//	rows := g.Runs()[0]
//	regret := oracle.Of(rows) - selection.Choose(rows, rank, 1).Outcome(success)
//
// A NaN is a number that a row does not have: the row is left out where it is needed.
package selection

import (
	"cmp"
	"math"
	"slices"

	"repscope/stat"
)

// Grouping is which rows belong to a run, in the order of their steps.
type Grouping struct {
	runs  [][]int
	steps []float64
	rows  int
}

// NewGrouping groups rows by the labels of their runs, in the order in which labels occur first. steps are the training
// steps of the rows, by which rows of a run are ordered; nil where rows of a run have no order.
func NewGrouping(run []int, steps []float64) *Grouping {
	g := &Grouping{steps: steps, rows: len(run)}
	index := map[int]int{}
	for i, label := range run {
		k, ok := index[label]
		if !ok {
			k = len(g.runs)
			index[label], g.runs = k, append(g.runs, nil)
		}
		g.runs[k] = append(g.runs[k], i)
	}
	if steps != nil {
		for _, rows := range g.runs {
			slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(steps[i], steps[j]) })
		}
	}
	return g
}

// Runs are the rows of each run, in the order of their steps.
func (g *Grouping) Runs() [][]int { return g.runs }

// Single reports whether every run has one row, as in a table of models.
func (g *Grouping) Single() bool { return len(g.runs) == g.rows }

// Ordered reports whether some run has several rows in an order.
func (g *Grouping) Ordered() bool { return g.steps != nil && !g.Single() }

// Within is the mean over runs of Spearman's correlation inside each, and these correlations: NaN for runs with fewer
// than 3 rows and where a variable is constant. The mean is NaN where no run has one.
func (g *Grouping) Within(x, y []float64) (mean float64, runs []float64) {
	sum, n := 0.0, 0
	for _, rows := range g.runs {
		rho := spearman(Complete(rows, x, y))
		if runs = append(runs, rho); !math.IsNaN(rho) {
			sum += rho
			n++
		}
	}
	if n == 0 {
		return math.NaN(), runs
	}
	return sum / float64(n), runs
}

// RunMeans are the means of x and y in each run over the rows that have both; runs without such a row are left out.
func (g *Grouping) RunMeans(x, y []float64) (meanX, meanY []float64) {
	for _, rows := range g.runs {
		if a, b := Complete(rows, x, y); len(a) > 0 {
			meanX, meanY = append(meanX, stat.Mean(a)), append(meanY, stat.Mean(b))
		}
	}
	return meanX, meanY
}

// Complete are the values of the rows that have both; rows nil means all.
func Complete(rows []int, x, y []float64) (a, b []float64) {
	add := func(i int) {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	if rows == nil {
		for i := range x {
			add(i)
		}
		return a, b
	}
	for _, i := range rows {
		add(i)
	}
	return a, b
}

// spearman is the correlation of ranks; NaN where it is undefined.
func spearman(x, y []float64) float64 {
	c, err := stat.Spearman(x, y)
	if err != nil {
		return math.NaN()
	}
	return c.Coefficient
}

// vanishing is a share of variance that is rounding.
const vanishing = 1e-12

// Partial is the correlation of the ranks of x and y after each is regressed on the ranks of z, Spearman's partial
// correlation
//
//	(ρ_xy − ρ_xz·ρ_yz) / √((1 − ρ_xz²)(1 − ρ_yz²)).
//
// NaN for fewer than 4 rows, a constant variable, and where x or y have the order of z.
func Partial(x, y, z []float64) float64 {
	if len(x) < 4 {
		return math.NaN()
	}
	xy, xz, yz := spearman(x, y), spearman(x, z), spearman(y, z)
	rest := (1 - xz*xz) * (1 - yz*yz)
	if !(rest > vanishing) {
		return math.NaN()
	}
	return min(max((xy-xz*yz)/math.Sqrt(rest), -1), 1)
}
