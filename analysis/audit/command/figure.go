// The figure: the worst pairs, distances of tested and of training states, scores over the distance.

package command

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"repscope/analysis/audit"
	"repscope/analysis/internal/output"
	"repscope/plots"
)

// pairsShown is the number of pairs in the figure.
const pairsShown = 6

// Figure composes the figure of an audit.
func Figure(in *loaded, r *audit.Result, o audit.Options) *plots.Figure {
	figure := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Independence of test states",
		Notes: output.IntervalNotes(r.Warnings)}
	row := 0
	if grid := worstPairs(in, r); grid != nil {
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: grid, Title: "Nearest pairs", ColumnSpan: 2})
		figure.RowHeights = append(figure.RowHeights, 1)
		row++
	}
	label := "Distance to the nearest training state"
	if in.Sequences != nil {
		label = "1 − identity with the nearest training sequence"
	}
	shares := &plots.Curves{X: plots.Axis{Label: label},
		Y: plots.Axis{Label: "Share of " + in.unit() + "s", Min: 0, Max: 1.0001}, NoMarkers: true}
	byScore := &plots.Curves{X: plots.Axis{Label: label}, Y: plots.Axis{Label: "Score"}}
	note := ""
	for i := range r.Tests {
		t := &r.Tests[i]
		var distances []float64
		for _, row := range t.Rows {
			if !math.IsNaN(row.Distance) {
				distances = append(distances, row.Distance)
			}
		}
		slices.Sort(distances)
		shares.Series = append(shares.Series, cumulative(t.Name, distances, len(t.Rows)))
		if len(t.Reference) > 0 {
			label := "training, other episodes"
			if len(r.Tests) > 1 {
				label = "training for " + t.Name
			}
			if len(r.Tests) <= 3 {
				shares.Series = append(shares.Series, cumulative(label, t.Reference, len(t.Reference)))
			}
		}
		if t.Near.Threshold.Defined() && in.Sequences == nil {
			note += fmt.Sprintf("%s: states nearer than %s count as near. ", t.Name, short(t.Near.Threshold.V))
		}
		for _, name := range t.Scores.Keys() {
			s := plots.CurveSeries{Name: name}
			if len(r.Tests) > 1 {
				s.Name = t.Name + ": " + name
			}
			for _, b := range t.Score(name).Curve {
				s.X, s.Y = append(s.X, (b.Low+b.High)/2), append(s.Y, b.Mean)
			}
			if len(byScore.Series) < 8 && len(s.X) > 0 {
				byScore.Series = append(byScore.Series, s)
			}
		}
	}
	figure.Tiles = append(figure.Tiles, plots.Tile{Panel: shares, Title: "Distances", Row: row})
	figure.RowHeights = append(figure.RowHeights, 1)
	if len(byScore.Series) > 0 {
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: byScore, Title: "Scores by distance", Row: row, Column: 1})
		note += "Scores by distance: means over tenths of the tested states; numbers as 1 − squared error/variance. "
	} else {
		figure.Tiles[len(figure.Tiles)-1].ColumnSpan = 2
	}
	figure.HeightMM = 65 * float64(row+1)
	figure.Footnote = note + "Near: " + nearIs(in, o) + "."
	return figure
}

// mostSteps is the number of points of a cumulative curve.
const mostSteps = 200

// cumulative is the share of all values up to each; there are more than are given.
func cumulative(name string, ascending []float64, all int) plots.CurveSeries {
	s := plots.CurveSeries{Name: name}
	n := len(ascending)
	steps := min(n, mostSteps)
	for k := range steps {
		i := (k+1)*n/steps - 1
		s.X, s.Y = append(s.X, ascending[i]), append(s.Y, float64(i+1)/float64(all))
	}
	return s
}

// worstPairs shows the leaking states with the least distances, each of another episode where possible, above their
// nearest
// training states. nil where states are no images.
func worstPairs(in *loaded, r *audit.Result) *plots.ImageGrid {
	if in.Sequences != nil || in.layout == "D" || len(in.shape) < 2 {
		return nil
	}
	var rows []audit.Tested
	for _, t := range r.Tests {
		rows = append(rows, t.Rows...)
	}
	slices.SortStableFunc(rows, func(x, y audit.Tested) int { return cmp.Compare(x.Distance, y.Distance) })
	var chosen []audit.Tested
	seen := map[[2]int]bool{}
	for _, again := range []bool{false, true} {
		for _, row := range rows {
			pair := [2]int{in.episodeOf(row.State), in.episodeOf(row.Nearest)}
			if len(chosen) < pairsShown && (again || !seen[pair]) && !slices.Contains(chosen, row) {
				chosen = append(chosen, row)
				seen[pair] = true
			}
		}
	}
	slices.SortStableFunc(chosen, func(x, y audit.Tested) int { return cmp.Compare(x.Distance, y.Distance) })
	grid := &plots.ImageGrid{RowLabels: []string{"test", "training"}, Images: make([][]image.Image, 2)}
	for _, row := range chosen {
		test, train := in.picture(row.State), in.picture(row.Nearest)
		if test == nil || train == nil {
			return nil
		}
		label := "equal"
		if row.Distance > 0 {
			label = "d = " + short(row.Distance)
		}
		grid.ColumnLabels = append(grid.ColumnLabels, label)
		grid.Images[0], grid.Images[1] = append(grid.Images[0], test), append(grid.Images[1], train)
	}
	return grid
}

// picture is a state as an image; nil where it is none.
func (l *loaded) picture(state int) image.Image {
	shape := l.shape
	if len(shape) > 3 {
		return nil
	}
	height, width := shape[len(shape)-2], shape[len(shape)-1]
	channels := 1
	if len(shape) == 3 {
		channels = shape[0]
	}
	values := l.States.Row(state, nil)
	pixels := make([]uint8, len(values))
	for i, v := range values {
		if l.span > 0 {
			pixels[i] = uint8(math.Round(255 * min(1, max(0, (v-l.low)/l.span))))
		}
	}
	var m image.Image
	var err error
	if channels == 3 {
		m, err = plots.RGBImage(pixels, height, width)
	} else {
		m, err = plots.GrayImage(pixels[:height*width], height, width)
	}
	if err != nil {
		return nil
	}
	return m
}
