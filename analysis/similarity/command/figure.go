// The figure: matrices of two scores, scores against chance, and a map of the models.

package command

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"repscope/analysis/internal/output"
	"repscope/analysis/similarity"
	measures "repscope/measure/similarity"
	"repscope/plots"
)

// Figure composes similarity.
func Figure(r *similarity.Result) *plots.Figure {
	shown := headlines(r)
	grids := make([]*grid, len(shown))
	for i, name := range shown {
		grids[i] = newGrid(r, name)
	}
	order, tree := grids[0].linked()
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
	}
	var tiles []plots.Tile
	for i, name := range shown {
		matrix := grids[i].matrix(names, order)
		if i == 0 && len(names) > 2 {
			matrix.Tree = tree
		}
		var panel plots.Panel = matrix
		if len(names) > mostStyles {
			panel = named(matrix, i == 0)
		}
		tiles = append(tiles, plots.Tile{Panel: panel, Title: measures.TitleOf(name), Row: 0, Column: i})
	}
	position, stress := grids[0].scaled()
	spread := &plots.Scatter{X: plots.Axis{Label: "First axis"}, Y: plots.Axis{Label: "Second axis"}}
	styles := names
	if len(names) > mostStyles {
		styles = []string{allModels}
	}
	for m, name := range names {
		series := plots.ScatterSeries{Name: name, Reason: output.Why(r.Models[m].EffectiveRank)}
		if series.Reason == "" {
			series.X, series.Y = []float64{position[m][0]}, []float64{position[m][1]}
		}
		spread.Series = append(spread.Series, series)
	}
	if len(names) > mostStyles {
		spread.Series = together(spread.Series)
	}
	chance := plots.Tile{Panel: againstChance(r, shown[0]), Title: "Score and chance", Row: 1, Column: 0}
	space := plots.Tile{Panel: spread, Title: "Map of the models", Row: 1, Column: 1}
	if len(shown) == 1 { // the map takes the place of the second matrix
		space.Row, chance.ColumnSpan = 0, 2
		chance, space = space, chance
	}
	tiles = append(tiles, chance, space)
	heights, height := []float64(nil), 150+3*max(0, float64(len(r.Models)-12))
	if len(names) > mostStyles {
		heights = []float64{30 + 2.3*float64(len(names)), 80}
		height = heights[0] + heights[1]
	}
	return &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: height, RowHeights: heights,
		Tiles: tiles, Series: styles, Title: "Similarity of latent spaces",
		Footnote: caption(r, shown, tree[len(tree)-1].Height, stress),
		Notes:    output.IntervalNotes(r.Warnings),
	}
}

// mostStyles is the number of models up to which a color and a marker tell each one.
const mostStyles = 20

// allModels is the series of more models.
const allModels = "models"

// named is a matrix with the names of its rows in place of colors; those on the left only for the first one.
func named(m *plots.Matrix, first bool) *plots.HeatMap {
	out := &plots.HeatMap{
		Columns: m.Names, Values: m.Values, Decimals: -1, Ordered: true,
		Scale: plots.ColorScale{Ramp: plots.RampReversed, Low: -1, High: 1, Label: "Adjusted score above, score below"},
	}
	if first {
		out.Rows = m.Names
	}
	return out
}

// together are the points of all series as one.
func together(series []plots.ScatterSeries) []plots.ScatterSeries {
	out := plots.ScatterSeries{Name: allModels}
	for _, s := range series {
		out.X, out.Y = append(out.X, s.X...), append(out.Y, s.Y...)
	}
	return []plots.ScatterSeries{out}
}

// caption explains the panels.
func caption(r *similarity.Result, shown []string, root, stress float64) string {
	note := "Matrices: adjusted scores above the diagonal (0: chance, 1: identical), scores below. "
	if cutNull(r) != nil {
		note = "Matrices: adjusted scores above the diagonal (0: chance, 1: identical), scores of all states below. "
	}
	if !adjusted(r, shown[0]) {
		note = "Matrices: scores (no null). "
	}
	switch title := measures.TitleOf(shown[0]); {
	case len(r.Models) > mostStyles:
		note += fmt.Sprintf("Models stand in the order of average linkage of 1 − adjusted %s. The map is classical "+
			"scaling of the same, stress %.2f. ", title, stress)
	case len(r.Models) > 2:
		note += fmt.Sprintf("Tree: average linkage of 1 − adjusted %s, in whose order models stand; its root is at %.2f. "+
			"The map is classical scaling of the same, stress %.2f. ", title, root, stress)
	}
	if adjusted(r, shown[0]) {
		if len(r.Pairs) <= mostBars {
			note += "Dashed: mean of the null."
		} else {
			note += "Score and chance: one point for each pair; on the line a score equals chance."
		}
		if s := cutNull(r); s != nil {
			note += fmt.Sprintf(" Score and chance, and adjusted scores, are of the %d of %d states that the null uses.",
				s.States, r.Models[0].States)
		}
	}
	return note
}

// adjusted says whether a score has a null.
func adjusted(r *similarity.Result, score string) bool {
	for _, p := range r.Pairs {
		if s := p.Score(score); s.Null != nil && s.Null.Adjusted.Defined() {
			return true
		}
	}
	return false
}

// grid holds a score of all pairs, both as it is and adjusted.
type grid struct {
	score, adjusted [][]float64
	falls           bool
}

func newGrid(r *similarity.Result, name string) *grid {
	n := len(r.Models)
	index := map[string]int{}
	for m := range r.Models {
		index[r.Models[m].Name] = m
	}
	measure, _ := measures.Find(name)
	g := &grid{falls: measure.Falls}
	for range n {
		g.score, g.adjusted = append(g.score, make([]float64, n)), append(g.adjusted, make([]float64, n))
	}
	for m := range n {
		g.score[m][m], g.adjusted[m][m] = measure.SameScore(r.Models[m].States), 1
		if !r.Models[m].EffectiveRank.Defined() {
			g.score[m][m], g.adjusted[m][m] = math.NaN(), math.NaN()
		}
	}
	for _, p := range r.Pairs {
		i, j, s := index[p.A], index[p.B], p.Score(name)
		value, above := s.Value.Float(), s.Value.Float()
		if s.Null != nil {
			above = s.Null.Adjusted.Float()
		}
		g.score[i][j], g.score[j][i], g.adjusted[i][j], g.adjusted[j][i] = value, value, above, above
	}
	return g
}

// distance is 0 for identical models and about 1 for unrelated ones; undefined pairs are as far.
func (g *grid) distance(i, j int) float64 {
	v := 1 - g.adjusted[i][j]
	if g.falls && g.adjusted[i][j] == g.score[i][j] { // without a null
		v = g.score[i][j]
	}
	if i == j {
		return 0
	}
	if math.IsNaN(v) {
		return 1
	}
	return max(v, 0)
}

// linked is average linkage: of all clusters the two with the least mean distance are joined, of equal pairs the first.
// order has the models in the order of the leaves, and the tree has these as its rows.
func (g *grid) linked() (order []int, tree []plots.Join) {
	clusters, numbers := make([][]int, len(g.score)), make([]int, len(g.score))
	for m := range clusters {
		clusters[m], numbers[m] = []int{m}, m
	}
	for len(clusters) > 1 {
		first, second, least := 0, 1, math.Inf(1)
		for a := range clusters {
			for b := a + 1; b < len(clusters); b++ {
				mean := 0.0
				for _, i := range clusters[a] {
					for _, j := range clusters[b] {
						mean += g.distance(i, j) / float64(len(clusters[a])*len(clusters[b]))
					}
				}
				if mean < least-1e-12 {
					first, second, least = a, b, mean
				}
			}
		}
		tree = append(tree, plots.Join{First: numbers[first], Second: numbers[second], Height: least})
		numbers[first] = len(g.score) + len(tree) - 1
		clusters[first] = append(clusters[first], clusters[second]...)
		clusters, numbers = slices.Delete(clusters, second, second+1), slices.Delete(numbers, second, second+1)
	}
	order = clusters[0]
	row := make([]int, len(order))
	for i, m := range order {
		row[m] = i
	}
	for k, join := range tree {
		if join.First < len(row) {
			tree[k].First = row[join.First]
		}
		if join.Second < len(row) {
			tree[k].Second = row[join.Second]
		}
	}
	return order, tree
}

// mostNumbers is the number of models up to which the cells of a matrix have room for their numbers.
const mostNumbers = 12

// matrix has adjusted scores above and scores below the diagonal.
func (g *grid) matrix(names []string, order []int) *plots.Matrix {
	out := &plots.Matrix{}
	if len(names) > mostNumbers {
		out.Decimals = -1
	}
	for a, i := range order {
		out.Names = append(out.Names, names[i])
		row := make([]float64, len(order))
		for b, j := range order {
			row[b] = g.score[i][j]
			if b > a {
				row[b] = g.adjusted[i][j]
			}
		}
		out.Values = append(out.Values, row)
	}
	return out
}

// scaled are the positions of the models by classical scaling in two dimensions, and the stress: the root of the sum of
// squared errors of the distances over the sum of their squares.
func (g *grid) scaled() (position [][2]float64, stress float64) {
	n := len(g.score)
	position = make([][2]float64, n)
	squares, means, all := mat.NewSymDense(n, nil), make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			d := g.distance(i, j)
			means[i] += d * d / float64(n)
		}
		all += means[i] / float64(n)
	}
	for i := range n {
		for j := i; j < n; j++ {
			d := g.distance(i, j)
			squares.SetSym(i, j, -(d*d-means[i]-means[j]+all)/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(squares, true) {
		return position, math.NaN()
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for axis := range min(2, n) {
		from := n - 1 - axis
		length := math.Sqrt(max(values[from], 0))
		sign := 1.0
		for i := range n { // the first model that is off the middle is on the right
			if v := vectors.At(i, from); math.Abs(v) > 1e-9 {
				sign = math.Copysign(1, v)
				break
			}
		}
		for i := range n {
			position[i][axis] = sign * length * vectors.At(i, from)
		}
	}
	var lost, total float64
	for i := range n {
		for j := range i {
			d := g.distance(i, j)
			e := d - math.Hypot(position[i][0]-position[j][0], position[i][1]-position[j][1])
			lost, total = lost+e*e, total+d*d
		}
	}
	if total == 0 {
		return position, 0
	}
	return position, math.Sqrt(lost / total)
}

// mostBars is the number of pairs up to which each has its own bar.
const mostBars = 10

// againstChance has a point for each pair: its score above what chance gives. Without a null, bars of the pairs.
func againstChance(r *similarity.Result, name string) plots.Panel {
	if !adjusted(r, name) || len(r.Pairs) <= mostBars {
		bars := &plots.Bars{Y: plots.Axis{Label: measures.TitleOf(name)}, Dots: true}
		for _, p := range r.Pairs {
			s := p.Score(name)
			bar := output.Bar(p.A+" – "+p.B, scoreAtNull(r, s), 1)
			if s.Null != nil {
				bar.Baseline = new(s.Null.Mean.Float())
			}
			bars.Bars = append(bars.Bars, bar)
			if len(bars.Bars) == mostBars {
				break
			}
		}
		return bars
	}
	scatter := &plots.Scatter{
		X: plots.Axis{Label: "Mean of the null"}, Y: plots.Axis{Label: measures.TitleOf(name)}, Diagonal: true,
	}
	series := plots.ScatterSeries{Name: "pairs"}
	for _, p := range r.Pairs {
		if s := p.Score(name); s.Null != nil {
			series.X, series.Y = append(series.X, s.Null.Mean.Float()), append(series.Y, s.Null.Value.Float())
		}
	}
	scatter.Series = []plots.ScatterSeries{series}
	return scatter
}
