// The figure of predictions by region: accuracy and perplexity of both chains, from the first framework to
// the last.

package sequence

import (
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/measure/token"
	"repscope/plots"
	"repscope/report"
)

// figureRegions is the name of the file.
const figureRegions = "sequence_regions"

// mostBars is the number of models beyond which regions are shown as a map of colors, without intervals.
const mostBars = 5

// regionScores are the rows of the figure.
var regionScores = []struct {
	score, label string
	decimals     int
}{{"accuracy", "Accuracy", 2}, {"ppl", "Perplexity", 1}}

// regionChains are its columns.
var regionChains = []struct {
	title   string
	regions []token.Region
}{
	{"Heavy chain", []token.Region{token.HeavyFWR1, token.HeavyCDR1, token.HeavyFWR2, token.HeavyCDR2, token.HeavyFWR3, token.HeavyCDR3, token.HeavyFWR4}},
	{"Light chain", []token.Region{token.LightFWR1, token.LightCDR1, token.LightFWR2, token.LightCDR2, token.LightFWR3, token.LightCDR3, token.LightFWR4}},
}

// regionKey is the key of a score of a region.
func regionKey(region token.Region, score string) string {
	return "region/" + region.String() + "/" + score
}

// regionFigure draws the scores by region of all models of a dataset; nil where no model has any.
func regionFigure(d *DatasetResult) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Predictions by region"}
	for i := range d.Models {
		f.Series = append(f.Series, d.Models[i].Name)
	}
	rows := 0
	for _, of := range regionScores {
		if !d.hasRegions(of.score) {
			continue
		}
		for column, chain := range regionChains {
			tile := plots.Tile{Row: rows, Column: column, Panel: d.regionBars(of.score, of.label, chain.regions)}
			if rows == 0 {
				tile.Title = chain.title
			}
			if len(d.Models) > mostBars {
				tile.Panel, tile.Title = d.regionMap(of.score, of.label, of.decimals, chain.regions, column == 0), chain.title+", "+strings.ToLower(of.label)
			}
			f.Tiles = append(f.Tiles, tile)
		}
		rows++
	}
	if rows == 0 {
		return nil
	}
	f.HeightMM = 12 + 56*float64(rows)
	if len(d.Models) > mostBars {
		f.HeightMM = float64(rows) * (32 + 6*float64(len(d.Models)))
		f.ColumnWidths = []float64{1.18, 1}
	} else {
		if d.Blocks != "" {
			f.Footnote = fmt.Sprintf("Error bars: 95 %% by deleting each of %s.", d.Blocks)
		}
	}
	return f
}

// hasRegions reports whether some model has a score of some region.
func (d *DatasetResult) hasRegions(score string) bool {
	return slices.ContainsFunc(d.Models, func(m ModelResult) bool {
		return slices.ContainsFunc(regionChains, func(c struct {
			title   string
			regions []token.Region
		}) bool {
			return slices.ContainsFunc(c.regions, func(r token.Region) bool { v, _ := m.scoreOf(regionKey(r, score)); return v.Defined() })
		})
	})
}

// scoreOf is a number of a model with its interval; undefined where it was not computed.
func (m *ModelResult) scoreOf(key string) (report.Value, report.Interval) {
	v, known := m.Object.Get(key)
	value, ok := v.(report.Value)
	if !known || !ok {
		return report.Undefined("not computed"), report.NoInterval("not computed")
	}
	ci, _ := m.Object.Get(key + "_ci")
	interval, _ := ci.(report.Interval)
	return value, interval
}

// shortName is the name of a region without its chain: CDR1.
func shortName(r token.Region) string { return strings.ToUpper(r.String()[1:]) }

// regionBars shows a score with intervals, a group of bars for each region.
func (d *DatasetResult) regionBars(score, label string, regions []token.Region) plots.Panel {
	panel := &plots.GroupedBars{Y: plots.Axis{Label: label}}
	if score == "accuracy" {
		panel.Y.Min, panel.Y.Max = 0, 1
	}
	for _, r := range regions {
		panel.Groups = append(panel.Groups, shortName(r))
	}
	for i := range d.Models {
		series := plots.BarSeries{Name: d.Models[i].Name}
		for _, r := range regions {
			v, ci := d.Models[i].scoreOf(regionKey(r, score))
			results.AppendBar(&series, v, ci)
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// regionMap shows a score of many models, a row each.
func (d *DatasetResult) regionMap(score, label string, decimals int, regions []token.Region, named bool) plots.Panel {
	panel := &plots.HeatMap{Decimals: decimals}
	for _, r := range regions {
		panel.Columns = append(panel.Columns, shortName(r))
	}
	for i := range d.Models {
		row := make([]float64, len(regions))
		for k, r := range regions {
			v, _ := d.Models[i].scoreOf(regionKey(r, score))
			row[k] = v.Float()
		}
		panel.Values = append(panel.Values, row)
		if named {
			panel.Rows = append(panel.Rows, d.Models[i].Name)
		}
	}
	return panel
}
