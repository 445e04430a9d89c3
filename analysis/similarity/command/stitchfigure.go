// The figure of stitched models: their errors next to a measure of the same layers.

package command

import (
	"math"
	"slices"

	"repscope/analysis/similarity"
	measures "repscope/measure/similarity"
	"repscope/plots"
)

// stitchMap has the errors of stitched models and a measure of the same layers, by rows and columns.
type stitchMap struct {
	rows, columns  []string
	errors, scores [][]float64
}

func newStitchMap(rows, columns []string) *stitchMap {
	m := &stitchMap{rows: rows, columns: columns}
	for range rows {
		m.errors = append(m.errors, slices.Repeat([]float64{math.NaN()}, len(columns)))
		m.scores = append(m.scores, slices.Repeat([]float64{math.NaN()}, len(columns)))
	}
	return m
}

// enter keeps the lower one of an error and the error of a cell.
func (m *stitchMap) enter(row, column string, e float64) {
	cell := &m.errors[slices.Index(m.rows, row)][slices.Index(m.columns, column)]
	if math.IsNaN(*cell) || e < *cell {
		*cell = e
	}
}

// StitchFigure has the errors of stitched models on the left and the first measure of layers on the right: two models
// with several layers have a row of maps for each direction, others one map of the models.
func StitchFigure(r *similarity.Result) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Stitched models"}
	models, layered := stitchedModels(r)
	if len(models) == 2 && layered {
		for row, from := range models {
			to := models[1-row]
			m := stitchedLayers(r, from, to)
			f.Tiles = append(f.Tiles, m.tiles(r, row, plots.Axis{Label: "Layer of " + from},
				plots.Axis{Label: "Layer of " + to})...)
			f.RowHeights = append(f.RowHeights, m.heightMM())
			f.HeightMM += m.heightMM()
		}
		f.Footnote = "Each row is the layer of the model up to which its front goes, each column the layer that it replaces."
	} else {
		f.Tiles = stitchedPairs(r, models).tiles(r, 0, plots.Axis{Label: "Front"}, plots.Axis{Label: "What follows"})
		f.HeightMM = min(30+9*float64(len(models)), 60+4*float64(len(models)))
		f.Footnote = "On the diagonal each model is stitched to itself."
		if layered {
			f.Footnote += " Of several layers: the error of the pair with the least error, and the score of the pair with " +
				"the highest score."
		}
	}
	if slices.ContainsFunc(r.Stitches, func(s similarity.Stitch) bool { return s.Error.Value.Float() > 1 }) {
		f.Footnote += " Errors above 1 have the color of 1."
	}
	return f
}

// tiles are the two maps in a row of the figure.
func (m *stitchMap) tiles(r *similarity.Result, row int, from, to plots.Axis) []plots.Tile {
	decimals := 0
	if len(m.rows)*len(m.columns) > mostNumbers*mostNumbers {
		decimals = -1
	}
	errors := &plots.HeatMap{
		X: to, Y: from, Rows: m.rows, Columns: m.columns, Values: m.errors, Decimals: decimals, Ordered: true,
		Scale: plots.ColorScale{Ramp: plots.RampSequential, Low: 0, High: 1,
			Label: "Error (0: equal outputs, 1: their mean)"},
	}
	out := []plots.Tile{{Panel: errors, Title: "Error of the stitched model", Row: row, Column: 0}}
	if len(r.Layers) == 0 {
		return out
	}
	scores := *errors
	scores.Values, scores.Scale.Label = m.scores, "Score"
	if r.Layers[0].Best.Null != nil {
		scores.Scale.Label = "Adjusted score (0: chance, 1: identical)"
	}
	return append(out, plots.Tile{Panel: &scores, Title: measures.TitleOf(r.Layers[0].Score), Row: row, Column: 1})
}

// heightMM is the height of a map of layers with its labels: cells of few rows are at most 12 mm high, and names of few
// columns need no room below each other.
func (m *stitchMap) heightMM() float64 {
	rows, labels := float64(min(len(m.rows), 24)), 50.0
	if len(m.columns) <= 6 {
		labels = 28
	}
	return min(50+3.5*rows, labels+12*rows)
}

// stitchedModels are the models that are stitched, in order, and whether one of them has several layers.
func stitchedModels(r *similarity.Result) (names []string, layered bool) {
	layer := map[string]string{}
	for _, s := range r.Stitches {
		for _, one := range [][2]string{{s.From, s.LayerFrom}, {s.To, s.LayerTo}} {
			first, ok := layer[one[0]]
			if !ok {
				names, layer[one[0]] = append(names, one[0]), one[1]
			}
			layered = layered || ok && first != one[1]
		}
	}
	return names, layered
}

// stitchedLayers are the layers of one model before what follows the layers of another.
func stitchedLayers(r *similarity.Result, from, to string) *stitchMap {
	var rows, columns []string
	for _, s := range r.Stitches {
		if s.From != from || s.To != to {
			continue
		}
		if !slices.Contains(rows, s.LayerFrom) {
			rows = append(rows, s.LayerFrom)
		}
		if !slices.Contains(columns, s.LayerTo) {
			columns = append(columns, s.LayerTo)
		}
	}
	m := newStitchMap(rows, columns)
	for _, s := range r.Stitches {
		if s.From == from && s.To == to {
			m.enter(s.LayerFrom, s.LayerTo, s.Error.Value.Float())
		}
	}
	for _, p := range r.Layers {
		if p.Score != r.Layers[0].Score {
			continue
		}
		for i, a := range p.LayersA {
			for k, b := range p.LayersB {
				if p.A == to && p.B == from {
					m.scores[slices.Index(m.rows, b)][slices.Index(m.columns, a)] = shown(p.At(i, k))
				} else if p.A == from && p.B == to {
					m.scores[slices.Index(m.rows, a)][slices.Index(m.columns, b)] = shown(p.At(i, k))
				}
			}
		}
	}
	return m
}

// stitchedPairs are the models before each other.
func stitchedPairs(r *similarity.Result, models []string) *stitchMap {
	m := newStitchMap(models, models)
	for _, s := range r.Stitches {
		m.enter(s.From, s.To, s.Error.Value.Float())
		m.enter(s.To, s.To, s.SelfError.Float())
	}
	for i := range models {
		m.scores[i][i] = 1
	}
	for _, p := range r.Layers {
		a, b := slices.Index(models, p.A), slices.Index(models, p.B)
		if p.Score == r.Layers[0].Score && a >= 0 && b >= 0 {
			m.scores[a][b] = shown(p.Best)
			m.scores[b][a] = m.scores[a][b]
		}
	}
	return m
}
