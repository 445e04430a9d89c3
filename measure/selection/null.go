// The null: outcomes permuted within runs, or shifted in time.

package selection

import (
	"context"
	"errors"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/stat"
)

const (
	// fewestRuns and fewestSteps are the shared runs and steps from which outcomes are shifted in time.
	fewestRuns, fewestSteps = 3, 8
	// fewestRows are the rows from which outcomes are permuted.
	fewestRows = 5
)

// Null draws outcomes that a number cannot predict.
//
//   - Rows without an order are permuted within their runs; in a table of models, with one row a run, over all rows.
//     The statistic is the mean of the runs' Spearman correlations, weighted by their rows, and the test is exact.
//   - In a table of models with a step, the ranks of outcome and number are regressed on the ranks of the steps, and
//     the residuals of the outcome are permuted (Freedman and Lane 1983).
//   - Checkpoints in the order of training are alike if they are neighbors, and outcomes and numbers have trends in
//     common. At each step that all runs share, values become ranks over the runs, which leaves no trend, and the
//     means of runs are taken out. Outcomes of each run are shifted by a random number of steps, circularly, and
//     means are taken out again. The statistic is the correlation of number and outcome.
type Null struct {
	// Shifts says that outcomes are shifted in time.
	Shifts bool
	// Steps is the number of steps that all runs share.
	Steps int

	grid   [][]int // rows by run and, of shifts, by step
	after  []float64
	scores []float64 // of the outcome, by position in the grid
	length int
}

// NewNull is the null of an outcome, which every row has. Errors: too few rows, and checkpoints in order of fewer than
// 3 runs that share 8 steps, whose common trend no test can tell from a prediction.
func (g *Grouping) NewNull(outcome []float64) (*Null, error) {
	n := &Null{grid: g.runs}
	if g.rows < fewestRows {
		return nil, stat.Undefined("p", "%d rows are too few, want at least %d", g.rows, fewestRows)
	}
	switch {
	case g.Ordered():
		n.Shifts, n.grid = true, g.shared()
		if len(n.grid) < fewestRuns || len(n.grid[0]) < fewestSteps {
			return nil, stat.Undefined("p", "a common trend over training looks like a prediction; a test needs at least %d "+
				"runs that share at least %d steps", fewestRuns, fewestSteps)
		}
		n.Steps = len(n.grid[0])
	case g.Single():
		n.grid = [][]int{slices.Concat(g.runs...)}
		n.after = g.steps
	}
	for _, rows := range n.grid {
		n.length += len(rows)
	}
	if n.scores = n.scored(outcome); n.scores == nil {
		return nil, stat.Undefined("p", "the outcome does not vary %s", n.inside())
	}
	return n, nil
}

// inside says where values have to vary.
func (n *Null) inside() string {
	switch {
	case n.Shifts:
		return "between runs at the same step"
	case len(n.grid) > 1:
		return "within runs"
	case n.after != nil:
		return "other than with the step"
	}
	return "between rows"
}

// shared are the rows by run and by the steps that all runs of at least fewestSteps rows have, once each.
func (g *Grouping) shared() [][]int {
	var long [][]int
	for _, rows := range g.runs {
		if len(rows) >= fewestSteps {
			long = append(long, rows)
		}
	}
	count := map[float64]int{}
	for _, rows := range long {
		for _, i := range rows {
			count[g.steps[i]]++
		}
	}
	grid := make([][]int, len(long))
	for r, rows := range long {
		for _, i := range rows {
			if count[g.steps[i]] == len(long) {
				grid[r] = append(grid[r], i)
			}
		}
		if len(grid[r]) != len(grid[0]) {
			return nil // a step twice in a run
		}
	}
	return grid
}

// scored are the scores of values at the positions of the grid, with squares that sum to 1: 0 where a value is missing;
// nil where they do not vary.
func (n *Null) scored(values []float64) []float64 {
	out := make([]float64, n.length)
	if n.Shifts {
		n.byStep(out, values)
	} else {
		start := 0
		for _, rows := range n.grid {
			n.rank(out[start:start+len(rows)], rows, values)
			start += len(rows)
		}
	}
	norm := math.Sqrt(matrix.Dot(out, out))
	if norm < vanishing {
		return nil
	}
	for i := range out {
		out[i] /= norm
	}
	return out
}

// rank puts ranks of rows about their mean into out, of variance 1; 0 where they do not vary.
func (n *Null) rank(out []float64, rows []int, values []float64) {
	scores, kept := ranksOf(rows, values)
	if n.after != nil {
		order, _ := ranksOf(rows, n.after)
		for k := range order { // steps of the rows that have a value
			if !kept[k] {
				order[k] = 0
			}
		}
		if squares := matrix.Dot(order, order); squares > 0 {
			slope := matrix.Dot(order, scores) / squares
			for k := range scores {
				scores[k] -= slope * order[k]
			}
		}
	}
	squares := matrix.Dot(scores, scores)
	if squares < vanishing*float64(len(rows)) {
		return
	}
	scale := math.Sqrt(float64(len(rows)) / squares)
	for k, v := range scores {
		out[k] = scale * v
	}
}

// ranksOf are the ranks of the values of rows about their mean, 0 where one is missing, and which are not.
func ranksOf(rows []int, values []float64) (ranks []float64, kept []bool) {
	ranks, kept = make([]float64, len(rows)), make([]bool, len(rows))
	var present []float64
	for k, i := range rows {
		if kept[k] = !math.IsNaN(values[i]); kept[k] {
			present = append(present, values[i])
		}
	}
	middle := float64(len(present)+1) / 2
	next := 0
	all := stat.Ranks(present)
	for k := range ranks {
		if kept[k] {
			ranks[k] = all[next] - middle
			next++
		}
	}
	return ranks, kept
}

// byStep puts ranks over the runs at each step into out, without the means of the runs.
func (n *Null) byStep(out, values []float64) {
	column := make([]int, len(n.grid))
	for t := range n.Steps {
		for r := range n.grid {
			column[r] = n.grid[r][t]
		}
		ranks, _ := ranksOf(column, values)
		for r, v := range ranks {
			out[r*n.Steps+t] = v
		}
	}
	for r := range n.grid {
		run := out[r*n.Steps : (r+1)*n.Steps]
		mean := stat.Mean(run)
		for t := range run {
			run[t] -= mean
		}
	}
}

// Draw puts outcome number p of the null into out, a function of the seed and p: the scores in another order, with
// squares that sum to 1.
func (n *Null) Draw(out []float64, seed, p uint64) {
	r := stat.NewRandom(stat.StreamValidateNull.Key(seed, p))
	if !n.Shifts {
		start := 0
		for _, rows := range n.grid {
			part := out[start : start+len(rows)]
			copy(part, n.scores[start:])
			stat.Shuffle(r, part)
			start += len(rows)
		}
		return
	}
	for run := range n.grid {
		shift := r.Intn(n.Steps)
		from := n.scores[run*n.Steps : (run+1)*n.Steps]
		copy(out[run*n.Steps:], from[shift:])
		copy(out[(run+1)*n.Steps-shift:(run+1)*n.Steps], from[:shift])
	}
	for t := range n.Steps {
		mean := 0.0
		for run := range n.grid {
			mean += out[run*n.Steps+t]
		}
		mean /= float64(len(n.grid))
		for run := range n.grid {
			out[run*n.Steps+t] -= mean
		}
	}
	norm := math.Sqrt(matrix.Dot(out, out))
	if norm < vanishing {
		clear(out)
		return
	}
	for i := range out {
		out[i] /= norm
	}
}

// Number is a number that may predict the outcome.
type Number struct {
	Values []float64 // by row; NaN: missing
	Sign   float64   // 1 where more should be better, −1 where less should be, 0 where that is not known
}

// Tested is what the null says of one number.
type Tested struct {
	// Statistic is the correlation of number and outcome in the form of the null, see [Null]; NaN with a Reason where the
	// number does not vary.
	Statistic float64
	// P is (1 + the draws with at least this correlation)/(1 + draws): one-sided in the direction of the number, with the
	// absolute correlation where that is not known. PMax counts draws in which any of the numbers has at least this
	// correlation, so that the probability of a PMax below 0.05 among numbers that predict nothing is at most 0.05.
	P, PMax float64
	Reason  string
}

// MaxT tests all numbers with the same draws. The result does not depend on threads (≤ 0: all). An error is one of ctx.
func (n *Null) MaxT(ctx context.Context, numbers []Number, draws int, seed uint64, threads int) ([]Tested, error) {
	if draws < 19 {
		return nil, errors.New("want at least 19 permutations")
	}
	out := make([]Tested, len(numbers))
	scores := make([][]float64, len(numbers))
	for k, x := range numbers {
		if scores[k] = n.scored(x.Values); scores[k] == nil {
			out[k] = Tested{math.NaN(), math.NaN(), math.NaN(), "the number does not vary " + n.inside()}
			continue
		}
		out[k].Statistic = matrix.Dot(scores[k], n.scores)
	}
	size := func(k int, v float64) float64 {
		if numbers[k].Sign == 0 {
			return math.Abs(v)
		}
		return numbers[k].Sign * v
	}
	type counts struct{ one, any []int }
	pieces := min(draws, 64)
	all := make([]counts, pieces)
	err := parallel.For(ctx, threads, pieces, func(_, piece int) {
		c := counts{make([]int, len(numbers)), make([]int, len(numbers))}
		draw, sizes := make([]float64, n.length), make([]float64, len(numbers))
		for p := draws * piece / pieces; p < draws*(piece+1)/pieces; p++ {
			n.Draw(draw, seed, uint64(p))
			largest := math.Inf(-1)
			for k, s := range scores {
				if s != nil {
					sizes[k] = size(k, matrix.Dot(s, draw))
					largest = max(largest, sizes[k])
				}
			}
			for k, s := range scores {
				if s == nil {
					continue
				}
				least := size(k, out[k].Statistic) - vanishing
				if sizes[k] >= least {
					c.one[k]++
				}
				if largest >= least {
					c.any[k]++
				}
			}
		}
		all[piece] = c
	})
	if err != nil {
		return nil, err
	}
	for k := range out {
		if scores[k] == nil {
			continue
		}
		one, joint := 1, 1
		for _, c := range all {
			one, joint = one+c.one[k], joint+c.any[k]
		}
		out[k].P, out[k].PMax = float64(one)/float64(draws+1), float64(joint)/float64(draws+1)
	}
	return out, nil
}
