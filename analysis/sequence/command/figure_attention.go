// The figure of attention across chains: its share, and which heads pay it.

package command

import (
	"fmt"
	"math"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/plots"
)

// attentionFigure shows the attention that crosses the chains by model and by head; nil where no model has any.
func attentionFigure(all *sequence.DatasetResult) *plots.Figure {
	d, without := withMetric(all, "cross_chain")
	var heads []*metrics.HeadSums
	var names []string
	for i := range d.Models {
		if h, ok := d.Models[i].Kept["attention"].(*metrics.HeadSums); ok {
			heads, names = append(heads, h), append(names, d.Models[i].Name)
		}
	}
	if heads == nil {
		return nil
	}
	f := newFigure(all, "Attention between chains")
	columns := min(len(heads), 4)
	bars := [2]plots.Tile{
		{Title: "Attention between chains", Panel: crossingBars(d, "cross")},
		{Title: "At the junction of the chains", Panel: crossingBars(d, "interface")},
	}
	scale := crossingScale(heads)
	f.RowHeights, f.HeightMM = []float64{50}, 50
	if len(heads) == 1 {
		bars[1].Column = 1
		f.Tiles = append(bars[:], plots.Tile{Title: "Heads", Column: 2, Panel: headMap(heads[0], scale, true, true)})
	} else {
		bars[0].ColumnSpan, bars[1].Column, bars[1].ColumnSpan = columns, columns, columns // of two for each map
		f.Tiles = bars[:]
		for k, h := range heads {
			row, column := k/columns, k%columns
			height := min(30+4*float64(h.Layers), 70)
			if column == 0 {
				f.RowHeights = append(f.RowHeights, 0)
			}
			f.RowHeights[row+1] = max(f.RowHeights[row+1], height)
			bottom := k+columns >= len(heads)
			f.Tiles = append(f.Tiles, plots.Tile{Title: plots.Escape(names[k]), Row: 1 + row, Column: 2 * column, ColumnSpan: 2,
				Panel: headMap(h, scale, column == 0, bottom)})
		}
		for _, height := range f.RowHeights[1:] {
			f.HeightMM += height
		}
	}
	f.HeightMM += 12 + 5*math.Ceil(float64(len(d.Models))/5)
	f.Footnote = "Dashed: expected for uniform attention to all residues. Special tokens are left out. Heads: " +
		"attention between chains divided by the expected attention. " + f.Footnote + without
	return f
}

// crossingBars are a share of all models, with its expected value.
func crossingBars(d *sequence.DatasetResult, direction string) plots.Panel {
	p := &plots.Bars{Y: plots.Axis{Label: "Share of attention"}, NamesInLegend: len(d.Models) > 3, NoValues: true}
	for i := range d.Models {
		m := &d.Models[i]
		bar := output.Bar(m.Name, scoreOf(m, "cross_chain/"+direction+"_frac"), 1)
		at := scoreOf(m, "cross_chain/"+direction+"_expected").Float()
		bar.Baseline = &at
		p.Bars = append(p.Bars, bar)
	}
	return p
}

// headRatio is the attention of a head across the chains over its expected value, as a logarithm of
// base 2.
func headRatio(h *metrics.HeadSums, head int) float64 {
	return math.Log2(h.Share(head, 0) / h.Share(head, 2))
}

// crossingScale is the color scale of all heads, the same for all models.
func crossingScale(heads []*metrics.HeadSums) plots.ColorScale {
	high := 0.5
	for _, h := range heads {
		for k := range h.Layers * h.Heads {
			if v := math.Abs(headRatio(h, k)); v <= 4 {
				high = max(high, v)
			} else if v > 4 {
				high = 4
			}
		}
	}
	return plots.ColorScale{Ramp: plots.RampDiverging, Low: -high, High: high, Label: "log_{2} (between/expected)"}
}

// headMap is a map of heads by layer.
func headMap(h *metrics.HeadSums, scale plots.ColorScale, left, bottom bool) plots.Panel {
	p := &plots.HeatMap{Scale: scale, Decimals: 1}
	if left {
		p.Y.Label = "Layer"
	}
	if bottom {
		p.X.Label = "Head"
	}
	for j := range h.Heads {
		p.Columns = append(p.Columns, fmt.Sprint(j+1))
	}
	for l := range h.Layers {
		p.Rows = append(p.Rows, fmt.Sprint(l+1))
		row := make([]float64, h.Heads)
		for j := range row {
			row[j] = headRatio(h, l*h.Heads+j)
		}
		p.Values = append(p.Values, row)
	}
	return p
}
