// The figure: the regret of each number next to the references, and the outcome over the best numbers.

package validate

import (
	"fmt"
	"math"
	"strings"

	"repscope/plots"
	"repscope/report"
)

const (
	mostBars     = 12 // numbers in the panel of regrets
	mostClouds   = 2  // numbers with a panel of the outcome
	mostRunStyle = 8  // runs that have a style of their own
	mostPoints   = 5000
)

// Figure composes the figure of a result.
func (r *Result) Figure() *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Selection by numbers"}
	numbers := r.ordered()
	bars := &plots.Bars{Y: plots.Axis{Label: "Regret in " + r.in.OutcomeName}, Dots: true, NoValues: true}
	for _, n := range numbers[:min(len(numbers), mostBars)] {
		low, high := ends(n.Regret.CI)
		bars.Bars = append(bars.Bars, plots.Bar{Name: label(n), Value: n.Regret.Float(), Low: low, High: high,
			Reason: n.Regret.Reason})
	}
	for _, ref := range r.References {
		if ref.Regret.Defined() {
			bars.References = append(bars.References, plots.Reference{Value: ref.Regret.V, Label: referenceNames[ref.name]})
		}
	}
	f.Tiles = append(f.Tiles, plots.Tile{Panel: bars, Title: "Cost of choosing by a number", ColumnSpan: mostClouds})
	clouds := min(len(numbers), mostClouds)
	for k, n := range numbers[:clouds] {
		f.Tiles = append(f.Tiles, plots.Tile{Panel: r.cloud(n), Title: label(n), Row: 1, Column: k})
	}
	f.Footnote = r.caption(len(numbers))
	f.HeightMM = 145
	f.RowHeights = []float64{1, 1}
	return f
}

// label is the name of a number in words with the arrow of its direction.
func label(n *Number) string { return words(n.Name) + n.Direction.Arrow() }

// words is the last part of a number's name in words, with its parameter.
func words(name string) string {
	path, parameter, _ := strings.Cut(name, "[")
	out := report.Label(path[strings.LastIndexByte(path, '.')+1:])
	if parameter != "" {
		out += " (" + strings.TrimSuffix(parameter, "]") + ")"
	}
	return out
}

// cloud is the outcome over a number, in the styles of the runs.
func (r *Result) cloud(n *Number) plots.Panel {
	p := &plots.Scatter{X: plots.Axis{Label: words(n.Name)}, Y: plots.Axis{Label: r.in.OutcomeName}}
	index := map[string]int{}
	stride := 1 + len(n.values)/mostPoints
	for i, v := range n.values {
		if math.IsNaN(v) || i%stride != 0 {
			continue
		}
		name := "all rows"
		if r.Runs > 1 && r.Runs <= mostRunStyle && r.in.Run != nil {
			name = r.in.Run[i]
		}
		k, ok := index[name]
		if !ok {
			k = len(p.Series)
			index[name], p.Series = k, append(p.Series, plots.ScatterSeries{Name: name})
		}
		s := &p.Series[k]
		s.X, s.Y = append(s.X, v), append(s.Y, r.in.Outcome[i])
	}
	return p
}

// caption explains the panels.
func (r *Result) caption(numbers int) string {
	s := "Regret: the outcome of the best row less the outcome of the chosen row"
	if r.Choices > 1 {
		s += fmt.Sprintf(", mean of %d runs with 95 %% intervals", r.Choices)
	}
	s += ". "
	if numbers > mostBars {
		s += fmt.Sprintf("The %d of %d numbers with the least regret. ", mostBars, numbers)
	}
	return s + r.Sentence
}
