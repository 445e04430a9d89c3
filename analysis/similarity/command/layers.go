// The output of layers: CSV rows, the best pairs on the console, and the figure with maps.

package command

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/similarity"
	"repscope/internal/run"
	"repscope/internal/text"
	measures "repscope/measure/similarity"
	"repscope/plots"
	"repscope/report"
)

// writeLayers writes a row for each pair of layers and score.
func writeLayers(r *similarity.Result, env *run.Env) error {
	return output.ModelCSV(env, "similarity_layers.csv", []string{
		"Model_A", "Model_B", "Score", "Layer_A", "Layer_B", "Value", "Null_Mean", "Null_SD", "Null_Threshold", "P",
		"P_Best", "Adjusted", "Gated", "On_Path", "States",
	}, func(csv *report.CSV) error {
		for _, p := range r.Layers {
			path := map[similarity.LayerStep]bool{}
			for _, step := range p.Path {
				path[step] = true
			}
			for _, s := range p.Map {
				null := layerNull(s)
				if err := csv.Row(p.A, p.B, p.Score, s.LayerA, s.LayerB, s.Value, null.Mean, null.SD, null.Threshold,
					null.P, null.PBest, null.Adjusted, null.Gated,
					path[similarity.LayerStep{LayerA: s.LayerA, LayerB: s.LayerB}], p.States); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// layerNull is what a score of layers is under the null.
func layerNull(s similarity.LayerScore) similarity.LayerNull {
	switch {
	case s.Null != nil:
		return *s.Null
	case !s.Value.Defined():
		return report.Lack(similarity.LayerNull{}, "%s", s.Value.Reason)
	}
	return report.Lack(similarity.LayerNull{}, "no null (--permutations 0)")
}

// printLayers writes the best pairs of layers.
func printLayers(r *similarity.Result, env *run.Env) error {
	table := report.NewTable("Most similar layers", "A", "B", "Score", "Layer of A", "Layer of B", "Value", "… null", "p",
		"Adjusted")
	for i, p := range r.Layers {
		if i == mostPairs {
			break
		}
		null := layerNull(p.Best)
		table.Row(p.A, p.B, measures.TitleOf(p.Score), p.Best.LayerA, p.Best.LayerB, p.Best.Value, null.Mean,
			report.Probability(null.P), null.Adjusted)
	}
	table.Note("%s; … null: mean of the best pair of layers in each order; p includes the search over %s",
		text.Count(r.Layers[0].States, "state"), text.Count(len(r.Layers[0].Map), "pair"))
	return env.Table(table)
}

// mostMaps is the number of pairs of models whose maps the figure shows.
const mostMaps = 3

// LayerFigure has for each pair of models maps of two scores, and how alike the best layers are.
func LayerFigure(r *similarity.Result) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Similarity of layers",
		Series: []string{"best layer", "mean of the null"}}
	scores := layerScores(r)
	row, models := -1, [2]string{}
	for _, p := range r.Layers {
		if models != [2]string{p.A, p.B} {
			row++
			models = [2]string{p.A, p.B}
		}
		column := columnOf(scores, p.Score)
		if row == mostMaps {
			break
		}
		if column < 0 {
			continue
		}
		f.Tiles = append(f.Tiles, plots.Tile{
			Panel: layerMap(&p), Row: 2 * row, Column: column, Title: measures.TitleOf(p.Score),
		}, plots.Tile{
			Panel: layerProfile(&p), Row: 2*row + 1, Column: column, Title: "Best layer of " + p.B,
		})
		f.HeightMM = max(f.HeightMM, float64(row+1)*(155+4*float64(max(0, len(p.LayersA)-16))))
	}
	slices.SortStableFunc(f.Tiles, func(a, b plots.Tile) int { return a.Row - b.Row }) // letters go from left to right
	f.Footnote = layerCaption(r)
	return f
}

// layerScores are the first two scores.
func layerScores(r *similarity.Result) []string {
	var out []string
	for _, p := range r.Layers {
		if columnOf(out, p.Score) < 0 && len(out) < 2 {
			out = append(out, p.Score)
		}
	}
	return out
}

func columnOf(scores []string, score string) int {
	for i, s := range scores {
		if s == score {
			return i
		}
	}
	return -1
}

// layerCaption explains the panels.
func layerCaption(r *similarity.Result) string {
	first := r.Layers[0]
	what := "adjusted scores (0: chance, 1: identical)"
	if first.Best.Null == nil {
		what = "scores (no null)"
	}
	note := fmt.Sprintf("Maps: %s of each layer of %s (rows) and %s (columns), %s. ", what, first.A, first.B,
		text.Count(first.States, "state"))
	note += "Below: the highest score of each layer of " + first.A + " with any layer of " + first.B
	if first.Best.Null != nil {
		note += ", and the mean of the null of this pair"
	}
	note += "."
	for _, p := range r.Layers {
		if columnOf(layerScores(r), p.Score) < 0 || !p.Best.Value.Defined() {
			continue
		}
		note += fmt.Sprintf(" %s: best pair %s and %s, %.2f", measures.TitleOf(p.Score), p.Best.LayerA, p.Best.LayerB,
			p.Best.Value.Float())
		if null := p.Best.Null; null != nil && null.P.Defined() {
			note += fmt.Sprintf(" (p = %.3f with the search)", null.P.Float())
		}
		note += "."
	}
	return note
}

// layerMap has the adjusted scores, or the scores without a null.
func layerMap(p *similarity.LayerPair) plots.Panel {
	m := &plots.HeatMap{
		X: plots.Axis{Label: "Layer of " + p.B}, Y: plots.Axis{Label: "Layer of " + p.A},
		Rows: p.LayersA, Columns: p.LayersB, Ordered: true,
		Scale: plots.ColorScale{Ramp: plots.RampSequential, Low: 0, High: 1, Label: "Adjusted score"},
	}
	if p.Best.Null == nil {
		m.Scale.Label = "Score"
	}
	if len(p.LayersA)*len(p.LayersB) > mostNumbers*mostNumbers {
		m.Decimals = -1
	}
	for i := range p.LayersA {
		var row []float64
		for j := range p.LayersB {
			row = append(row, shown(p.At(i, j)))
		}
		m.Values = append(m.Values, row)
	}
	return m
}

// shown is the adjusted score of a pair of layers, the score without a null.
func shown(s similarity.LayerScore) float64 {
	switch {
	case !s.Value.Defined():
		return math.NaN()
	case s.Null != nil:
		return s.Null.Adjusted.Float()
	}
	return s.Value.Float()
}

// layerProfile has for each layer of A the score of its best layer of B, and its chance.
func layerProfile(p *similarity.LayerPair) plots.Panel {
	best := plots.CurveSeries{Name: "best layer"}
	chance := plots.CurveSeries{Name: "mean of the null"}
	for i, match := range p.MatchesA {
		best.X, best.Y = append(best.X, float64(i+1)), append(best.Y, match.Value.Float())
		if p.Best.Null == nil {
			continue
		}
		mean := math.NaN()
		for j, name := range p.LayersB {
			if null := p.At(i, j).Null; name == match.Best && null != nil {
				mean = null.Mean.Float()
			}
		}
		chance.X, chance.Y = append(chance.X, float64(i+1)), append(chance.Y, mean)
	}
	curves := &plots.Curves{
		X:      plots.Axis{Label: "Layer of " + p.A + ", by number", Integer: true},
		Y:      plots.Axis{Label: measures.TitleOf(p.Score)},
		Series: []plots.CurveSeries{best},
	}
	if len(chance.X) > 0 {
		curves.Series = append(curves.Series, chance)
	}
	return curves
}
