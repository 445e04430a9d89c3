// Which models may be the best: the confidence set of a row.

package compare

import (
	"fmt"
	"math"
	"slices"

	"repscope/report"
	"repscope/stat"
)

// markBest finds the models that may be the best: those that no other was found better than,
// held against all others at once ([stat.BestSet]). Where every model may be, none is marked.
func (c *comparer) markBest(row *Row, present []int) error {
	p, err := c.bestP(row, present)
	if err != nil {
		return err
	}
	in, decided := stat.BestSet(p, alpha, func(i, j int) bool {
		x, y := present[i], present[j]
		return row.better(x, y) || row.baselineBetter(x, y)
	})
	for i, x := range present {
		cell := row.Cells[x]
		cell.Best, cell.mayBeBest = decided && in[i], in[i]
		if !math.IsNaN(p[i]) {
			cell.BestP = new(report.Number(p[i]))
		}
	}
	return nil
}

// baselineBetter reports whether one of two models is the baseline and x was found better than
// y among the differences from it.
func (row *Row) baselineBetter(x, y int) bool {
	return row.Cells[y].Decision == "worse" && x == row.base || row.Cells[x].Decision == "better" && y == row.base
}

// bestP are the p values of the models' being the best, NaN where no test concerns one: from
// the file that compared all of them, from the samples that all of them have, else from their
// pairs.
func (c *comparer) bestP(row *Row, present []int) ([]float64, error) {
	if p := row.bestOfFile(present); p != nil {
		return p, nil
	}
	e, err := c.bestOfSamples(row, present)
	if err != nil {
		return nil, err
	}
	if row.sense() < 0 {
		return e.Lowest, nil
	}
	return e.Highest, nil
}

// bestOfFile returns the p values of a file that compared all models of a row at once; nil if there is none.
func (row *Row) bestOfFile(present []int) []float64 {
	first := row.Cells[present[0]].of
	for _, m := range first.runs[0].everywhere() {
		if m.file.result == nil {
			continue
		}
		extremes := m.file.result.ExtremesOf(row.Metric)
		if extremes == nil {
			continue
		}
		p := make([]float64, len(present))
		whole := true
		for i, x := range present {
			e := row.Cells[x].of
			k := slices.IndexFunc(e.runs[0].everywhere(), func(other *FileModel) bool { return other.file == m.file })
			if whole = whole && len(e.runs) == 1 && k >= 0; !whole {
				break
			}
			v, ok := extremes.P(e.runs[0].everywhere()[k].Given, row.Direction)
			if p[i] = v; !ok {
				p[i] = math.NaN()
			}
		}
		if whole {
			return p
		}
	}
	return nil
}

// bestOfSamples compares all models by their samples if each has one run and all pairs were compared by samples;
// else by the tests of pairs.
func (c *comparer) bestOfSamples(row *Row, present []int) (stat.Extremes, error) {
	n := len(present)
	joint := n > 2
	for i, x := range present {
		for _, y := range present[i+1:] {
			joint = joint && row.pairs.joint[row.pairs.place(x, y)]
		}
	}
	var estimates []*stat.Jackknifed
	if joint {
		var err error
		if estimates, err = c.jackknifed(row, present); err != nil {
			return stat.Extremes{}, err
		}
	}
	if estimates == nil {
		return stat.PairExtremes(n, func(i, j int) (difference, p float64) {
			t, sign := row.pairs.between(present[i], present[j])
			return sign * t.difference, t.p
		}), nil
	}
	var pairs []stat.Comparison
	for i, x := range present {
		for _, y := range present[i+1:] {
			t, _ := row.pairs.between(x, y)
			pairs = append(pairs, stat.Comparison{Difference: t.difference, P: t.p})
		}
	}
	return stat.JointExtremes(estimates, pairs, stat.CompareOptions{Seed: c.o.Seed}), nil
}

// jackknifed are the means of the samples that all models have, over the same blocks; nil
// where there are none.
func (c *comparer) jackknifed(row *Row, present []int) ([]*stat.Jackknifed, error) {
	var columns []column
	for _, x := range present {
		col, reason, err := columnOf(row.Cells[x].of.runs[0], row.Metric)
		if err != nil || reason != "" {
			return nil, err
		}
		columns = append(columns, col)
	}
	common, reason := inCommon(columns)
	if reason != "" {
		return nil, nil
	}
	spec := c.blockSpec(row.Cells[present[0]].of, row.Cells[present[len(present)-1]].of)
	blocks, _, err := c.blocks(common.groups, spec, common.scores)
	if err != nil {
		return nil, nil //nolint:nilerr // pairs have blocks of their own
	}
	var out []*stat.Jackknifed
	for _, scores := range common.scores {
		j, err := stat.JackknifeMean(blocks, scores)
		if err != nil {
			return nil, nil //nolint:nilerr // as above
		}
		out = append(out, j)
	}
	return out, nil
}

// bestSentence says which models may be the best, and which nothing tests; empty where the
// row has no number of two models.
func (row *Row) bestSentence(models []string) string {
	var may, untested []string
	tested := 0
	for x, cell := range row.Cells {
		switch {
		case cell == nil || !cell.Value.Defined():
		case cell.untested():
			untested = append(untested, models[x])
		default:
			if tested++; cell.mayBeBest {
				may = append(may, models[x])
			}
		}
	}
	if tested == 0 {
		return "nothing tests which model is the best"
	}
	s := ""
	switch {
	case len(may) == tested && tested > 1:
		s = "every model may be the best: not decisive"
		if len(untested) > 0 {
			s = listed(may) + " may be the best: not decisive"
		}
	case len(may) == 1 && len(untested) == 0 && row.beatsAll(slices.Index(models, may[0])):
		s = may[0] + " is the best"
	case len(may) > mostNamed:
		s = fmt.Sprintf("%d of %d models may be the best", len(may), tested)
	default:
		s = listed(may) + " may be the best"
	}
	switch {
	case len(untested) > mostNamed:
		s += fmt.Sprintf("; %d are not tested", len(untested))
	case len(untested) > 0:
		s += "; " + listed(untested) + plural(untested, " is", " are") + " not tested"
	}
	return s
}

// beatsAll reports whether a model was found better than each of the others, after correction.
func (row *Row) beatsAll(x int) bool {
	for y, cell := range row.Cells {
		if y != x && cell != nil && cell.Value.Defined() && !row.better(x, y) {
			return false
		}
	}
	return true
}

// untested reports whether a number was held against no other.
func (c *Cell) untested() bool { return c.Value.Defined() && c.BestP == nil }

// mostNamed is the most models that a sentence names.
const mostNamed = 8
