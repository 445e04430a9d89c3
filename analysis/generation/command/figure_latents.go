// Figures of latents, and of what a classifier finds.

package command

import (
	"errors"
	"fmt"

	"repscope/analysis/generation"
	"repscope/measure/embedding"
	"repscope/plots"
	"repscope/points"
	"repscope/stat"
)

// Sizes of the figures of latents.
const (
	latentColumns = 4
	latentTiles   = 12   // generators on a page
	latentMost    = 1000 // latents of a generator that are drawn
)

// encoded are the generators and rows with latents.
func (d *drawing) encoded() []*generation.Generator {
	var out []*generation.Generator
	for i := range d.in.Generators {
		if g := &d.in.Generators[i]; g.Latents != nil && g.Name != generation.ShuffledRow {
			out = append(out, g)
		}
	}
	return out
}

func (d *drawing) latentPages() int {
	if !d.has("clusters") {
		return 0
	}
	return pages(len(d.encoded()), latentTiles)
}

// principal shows latents on their two leading principal directions, by label.
func (d *drawing) principal(k int) (*plots.Figure, error) {
	return d.latents(k, "Principal components of latents", func(z points.Points) (x, y []float64, axes [2]string, err error) {
		components, err := embedding.PCA(z, 2)
		if err != nil {
			return nil, nil, axes, err
		}
		x, y = make([]float64, z.N), make([]float64, z.N)
		for i := range z.N {
			x[i] = components.Scores[i*components.Count]
			if components.Count > 1 {
				y[i] = components.Scores[i*components.Count+1]
			}
		}
		axes[1] = "PC 2 (0 %)"
		for c, share := range components.Explained[:min(components.Count, 2)] {
			axes[c] = fmt.Sprintf("PC %d (%.0f %%)", c+1, 100*share)
		}
		return x, y, axes, nil
	})
}

// neighbors shows latents by t-SNE, by label.
func (d *drawing) neighbors(k int) (*plots.Figure, error) {
	f, err := d.latents(k, "t-SNE of latents", func(z points.Points) (x, y []float64, axes [2]string, err error) {
		embedded, err := embedding.TSNE(d.ctx, z, embedding.TSNEOptions{})
		if err != nil {
			return nil, nil, axes, err
		}
		for i := range z.N {
			x, y = append(x, embedded.Coordinates[2*i]), append(y, embedded.Coordinates[2*i+1])
		}
		return x, y, [2]string{"t-SNE 1", "t-SNE 2"}, nil
	})
	if err == nil {
		for _, t := range f.Tiles {
			if panel, ok := t.Panel.(*plots.Scatter); ok { // its unit means nothing
				panel.X.Ticks, panel.Y.Ticks = []float64{}, []float64{}
			}
		}
		f.Footnote += " t-SNE preserves neighborhoods; do not interpret sizes and densities of groups or distances " +
			"between them."
	}
	return f, err
}

// latents shows the latents of each generator in a plane, colored by label.
func (d *drawing) latents(k int, title string,
	plane func(points.Points) (x, y []float64, axes [2]string, err error)) (*plots.Figure, error) {
	all := d.encoded()
	some := all[k*latentTiles : min((k+1)*latentTiles, len(all))]
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: title, Ordered: true, NoLetters: true, LegendTitle: "Label"}
	var lists [][]int
	for _, g := range all {
		lists = append(lists, g.Latents.Labels)
	}
	for _, label := range generation.DistinctLabels(lists...) {
		f.Series = append(f.Series, d.names.name(label))
	}
	drawn := 0
	for t, g := range some {
		keep, err := stat.NewRandom(stat.StreamLabels.Key(d.seed, 4)).SampleWithoutReplacement(g.Latents.Points.N, latentMost)
		if err != nil {
			return nil, err
		}
		if len(keep) < g.Latents.Points.N {
			drawn = len(keep)
		}
		shown := g.Latents.Select(keep)
		tile := plots.Tile{Title: g.Name, Row: t / latentColumns, Column: t % latentColumns}
		x, y, axes, err := plane(shown.Points)
		var u *stat.UndefinedError
		switch {
		case errors.As(err, &u):
			tile.Panel = &plots.Text{Body: "Not drawn: " + stat.Reason(err) + "."}
		case err != nil:
			return nil, err
		default:
			tile.Panel = d.cloud(x, y, shown.Labels, axes)
		}
		f.Tiles = append(f.Tiles, tile)
	}
	rows, columns := pages(len(some), latentColumns), min(len(some), latentColumns)
	f.WidthMM = max(plots.SingleColumnMM, plots.DoubleColumnMM*float64(columns)/latentColumns)
	f.HeightMM = 12 + 46*float64(rows)
	if columns == 1 {
		f.HeightMM = 90
	}
	if drawn > 0 {
		f.Footnote = fmt.Sprintf("Shown: at most %d latents per generator, drawn by seed.", drawn)
	}
	return f, nil
}

// cloud is a scatter of latents by label.
func (d *drawing) cloud(x, y []float64, labels []int, axes [2]string) *plots.Scatter {
	panel := &plots.Scatter{X: plots.Axis{Label: axes[0]}, Y: plots.Axis{Label: axes[1]}}
	if labels == nil {
		panel.Series = []plots.ScatterSeries{{Name: "all", X: x, Y: y}}
		return panel
	}
	for _, label := range generation.DistinctLabels(labels) {
		s := plots.ScatterSeries{Name: d.names.name(label)}
		for i, l := range labels {
			if l == label {
				s.X, s.Y = append(s.X, x[i]), append(s.Y, y[i])
			}
		}
		panel.Series = append(panel.Series, s)
	}
	return panel
}

// confusionColumns are the maps side by side: fewer where more labels need room.
func confusionColumns(labels int) int {
	switch {
	case labels <= 9:
		return 4
	case labels <= 12:
		return 3
	}
	return 2
}

// predicted are the generators and rows with predictions, real samples first.
func (d *drawing) predicted() []*generation.Generator {
	var out []*generation.Generator
	for _, reference := range []bool{true, false} {
		for i := range d.in.Generators {
			if g := &d.in.Generators[i]; g.Predictions != nil && g.Name != generation.ShuffledRow && g.Reference == reference {
				out = append(out, g)
			}
		}
	}
	return out
}

// predictedLabels are those that were asked for or found.
func (d *drawing) predictedLabels() []int {
	var lists [][]int
	for _, g := range d.predicted() {
		lists = append(lists, g.Predictions.Target, g.Predictions.Predicted)
	}
	return generation.DistinctLabels(lists...)
}

func (d *drawing) confusionPages() int {
	if !d.has("conditioning") {
		return 0
	}
	return pages(len(d.predicted()), 3*confusionColumns(len(d.predictedLabels())))
}

// confusion shows which labels a classifier finds in samples that were made for each, first
// in real samples: what the classifier itself allows.
func (d *drawing) confusion(k int) (*plots.Figure, error) {
	all := d.predicted()
	labels := d.predictedLabels()
	beside := confusionColumns(len(labels))
	some := all[k*3*beside : min((k+1)*3*beside, len(all))]
	var names []string
	for _, label := range labels {
		names = append(names, d.names.name(label))
	}
	rows, columns := pages(len(some), beside), min(len(some), beside)
	f := &plots.Figure{WidthMM: max(plots.SingleColumnMM, plots.DoubleColumnMM*float64(columns)/float64(beside)), Title: "Labels " +
		"assigned by the classifier", NoLetters: true,
		HeightMM: 8 + min(75, 52*4/float64(beside))*float64(rows), Footnote: "Shares of the samples of each " +
			"requested label (rows)."}
	for t, g := range some {
		panel := &plots.HeatMap{Rows: names, Columns: names, Values: shares(g.Predictions, labels), Decimals: 2,
			Scale: plots.ColorScale{Ramp: plots.RampMagnitude, Low: 0, High: 1}}
		if len(labels) > 8 {
			panel.Decimals = -1
		}
		if t%beside == 0 {
			panel.Y.Label = "Requested label"
		}
		if t+beside >= len(some) {
			panel.X.Label = "Assigned label"
		}
		title := g.Name
		if g.Name == generation.RealRow {
			title = "real: ceiling of the classifier"
		}
		f.Tiles = append(f.Tiles, plots.Tile{Panel: panel, Title: title, Row: t / beside, Column: t % beside})
	}
	return f, nil
}

// shares are the shares of each label in what samples of each target were taken for; NaN where
// there are none.
func shares(p *generation.Predictions, labels []int) [][]float64 {
	index := map[int]int{}
	out := make([][]float64, len(labels))
	for i, label := range labels {
		index[label], out[i] = i, make([]float64, len(labels))
	}
	count := make([]float64, len(labels))
	for i, target := range p.Target {
		out[index[target]][index[p.Predicted[i]]]++
		count[index[target]]++
	}
	for i, row := range out {
		for j := range row {
			row[j] /= count[i] // 0/0 is NaN
		}
	}
	return out
}
